//! Manifests with random damage: a lost character, a moved line, a changed indentation.

use super::{accepts, std};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Fragments that change how a text is parsed, wherever they are inserted.
const PIECES: &[&str] = &[
    " ", "  ", "    ", "\n", "\n\n", "\r\n", "\r", "\t", ":", ": ", " :", "-", "- ", "- - ", "#",
    " #", " # c", "'", "''", "\"", "\\", "\\n", "\\\"", "[", "]", "{", "}", ",", ", ", "[]", "{}",
    "[a]", "{a: b}", "|", "|\n", ">-\n", "|+\n", "|2\n", ": |\n", ": |-\n", "&a ", "*a", "!",
    "!!str ", "?", "? ", "<<: ", "%", "@", "`", "---", "---\n", "\n---\n", "...", "\n...\n", "~",
    "null", "yes", "0777", ".inf", "1e3", "é", "日", "\u{85}", "\u{a0}", "\u{2028}", "\u{feff}",
    "\u{7f}", "a", "b: c", "a: b\n", "- a\n", "  a: b\n", "# c\n", "   # c\n", "a:\n", "\n  ",
    "\n    ", "\n- ", "\n  - ", "\n#", "=", "x: y: z", "a:b", "::1", "\":\"", ":]", ":,", ":}",
    "[a:]",
];

#[derive(Clone, Debug)]
pub(super) enum Damage {
    Insert(Index, &'static str),
    Delete(Index, usize),
    Replace(Index, &'static str),
    SwapLines(Index, Index),
    RepeatLine(Index, Index),
    DropLine(Index),
    Indent(Index, usize, usize),
    Outdent(Index, usize, usize),
    Truncate(Index),
    Windows,
}

pub(super) fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<Index>;
    let piece = || select(PIECES);
    prop_oneof![
        4 => (at(), piece()).prop_map(|(at, piece)| Damage::Insert(at, piece)),
        3 => (at(), 1..4usize).prop_map(|(at, length)| Damage::Delete(at, length)),
        3 => (at(), piece()).prop_map(|(at, piece)| Damage::Replace(at, piece)),
        1 => (at(), at()).prop_map(|(a, b)| Damage::SwapLines(a, b)),
        1 => (at(), at()).prop_map(|(a, b)| Damage::RepeatLine(a, b)),
        1 => at().prop_map(Damage::DropLine),
        2 => (at(), 1..4usize, 1..5usize).prop_map(|(at, lines, by)| Damage::Indent(at, lines, by)),
        2 => (at(), 1..4usize, 1..5usize).prop_map(|(at, lines, by)| Damage::Outdent(at, lines, by)),
        1 => at().prop_map(Damage::Truncate),
        1 => Just(Damage::Windows),
    ]
}

pub(super) fn apply_damage(text: &str, damage: &Damage) -> String {
    let mut lines: Vec<String> = text.split('\n').map(ToString::to_string).collect();
    let count = lines.len();
    let offset = |at: &Index| {
        let offsets: Vec<usize> =
            text.char_indices().map(|row| row.0).chain([text.len()]).collect();
        offsets[at.index(offsets.len())]
    };
    let after = |at: usize, letters: usize| {
        text[at..].char_indices().nth(letters).map_or(text.len(), |row| at + row.0)
    };
    match damage {
        Damage::Insert(at, piece) => {
            let (before, behind) = text.split_at(offset(at));
            return [before, piece, behind].concat();
        }
        Damage::Delete(at, length) => {
            let at = offset(at);
            return [&text[..at], &text[after(at, *length)..]].concat();
        }
        Damage::Replace(at, piece) => {
            let at = offset(at);
            return [&text[..at], piece, &text[after(at, 1)..]].concat();
        }
        Damage::Truncate(at) => return text[..offset(at)].to_string(),
        Damage::Windows => return text.replace("\r\n", "\n").replace('\n', "\r\n"),
        Damage::SwapLines(a, b) => lines.swap(a.index(count), b.index(count)),
        Damage::RepeatLine(a, b) => {
            let line = lines[a.index(count)].clone();
            lines.insert(b.index(count), line);
        }
        Damage::DropLine(at) => drop(lines.remove(at.index(count))),
        Damage::Indent(at, many, by) => {
            for line in lines.iter_mut().skip(at.index(count)).take(*many) {
                line.insert_str(0, &" ".repeat(*by));
            }
        }
        Damage::Outdent(at, many, by) => {
            for line in lines.iter_mut().skip(at.index(count)).take(*many) {
                let spaces = line.len() - line.trim_start_matches(' ').len();
                line.drain(..spaces.min(*by));
            }
        }
    }
    lines.join("\n")
}

/// 2,000 cases, or what the environment sets.
pub(super) fn config() -> ProptestConfig {
    let requested = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig {
        cases: requested.unwrap_or(2_000),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_damaged_manifest_reads_the_same(
        text in select(MANIFESTS),
        damages in prop::collection::vec(damage(), 0..6),
    ) {
        let text = damages.iter().fold(text.to_string(), |text, damage| apply_damage(&text, damage));
        if let Err(difference) = accepts(&text) {
            return Err(TestCaseError::fail(alloc::format!("{text:?}\n{difference}")));
        }
    }

    #[test]
    fn a_damaged_small_text_reads_the_same(
        text in select(super::corpus::PLAIN),
        other in select(super::corpus::PLAIN),
        damages in prop::collection::vec(damage(), 0..4),
    ) {
        let text = damages.iter().fold([text, other].concat(), |text, damage| apply_damage(&text, damage));
        if let Err(difference) = accepts(&text) {
            return Err(TestCaseError::fail(alloc::format!("{text:?}\n{difference}")));
        }
    }

    #[test]
    fn pieces_in_any_order_read_the_same(pieces in prop::collection::vec(select(PIECES), 0..14)) {
        let text = pieces.concat();
        if let Err(difference) = accepts(&text) {
            return Err(TestCaseError::fail(alloc::format!("{text:?}\n{difference}")));
        }
    }
}

const MANIFESTS: &[&str] = &[
    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    app.kubernetes.io/name: web # its name\nspec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n      - name: main\n        image: registry.example.com/shop/web:1.2\n        args: [\"--listen=:8080\", '--log', -x]\n        ports:\n        - name: http\n          containerPort: 8080\n        resources:\n          requests: {cpu: 100m, memory: 128Mi}\n          limits: {}\n      - name: side\n        command:\n          - sh\n          - -c\n          - |\n            set -e\n            exec run\n      volumes: []\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  a.properties: |\n    x=1\n\n    y: 2\n      deeper\n  b: |-\n    text\n  c: >\n    folded\n    text\n\n    more\n  d: |+\n    kept\n\n  e: 'it''s'\n  f: \"a\\nb\"\n  g:\n",
    "# A service.\napiVersion: v1\nkind: Service\nmetadata:\n    name: s\n    annotations:\n        a: \"true\"\n\n        b: 'x: y # z'\nspec:\n    ports:\n        - port: 80\n          targetPort: http   # named\n\n        - port: 443\n    externalIPs:\n        - 10.0.0.1\n        - ::1\n    clusterIP: None\n",
    "kind: List\nitems:\n- kind: Pod\n  metadata: {name: a, labels: {b: c}}\n  spec:\n    hostAliases:\n    - ip: 127.0.0.1\n      hostnames: [a, b]\n    -\n      ip: ::1\n    - # later\n    x:\n- - nested\n  - - deeper\n    - a: 1\n      b:\n      - c\n-\nlast: 2001-01-01T12:30:00Z\n",
    "apiVersion: batch/v1\r\nkind: CronJob\r\nspec:\r\n  schedule: \"*/5 * * * *\"\r\n  jobTemplate:\r\n    spec:\r\n      x: |\r\n        one\r\n        two\r\n      y:\r\n      - z\r\n",
];
