//! Properties of rewrites over generated manifests: damaged spellings are restored byte for byte, once and for all, and
//! the engine has nothing to say about the result.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]
#![allow(clippy::indexing_slicing, reason = "a helper of a test may fail like a test")]

use proptest::prelude::*;
use ratchet_engine::{ApiConfig, Behavior, Change, Facts, Release, judge};
use ratchet_object::{Limits, Object, decode, split_documents};
use ratchet_rewrite::{Choices, HostBits, ReadAs, Rewritten, SourceKind, rewrite};

/// A value in its canonical form and in a damaged one that denotes the same.
#[derive(Clone, Debug)]
struct Spelling {
    canonical: String,
    damaged: String,
}

fn octets(zeros: impl Strategy<Value = [usize; 4]>) -> impl Strategy<Value = (String, String)> {
    (any::<[u8; 4]>(), zeros).prop_map(|(octets, zeros)| {
        let padded =
            octets.iter().zip(zeros).map(|(octet, zeros)| "0".repeat(zeros) + &octet.to_string());
        let plain: Vec<String> = octets.iter().map(ToString::to_string).collect();
        (plain.join("."), padded.collect::<Vec<_>>().join("."))
    })
}

fn address() -> BoxedStrategy<Spelling> {
    let v4 = octets([0..3usize, 0..3usize, 0..3usize, 0..3usize]);
    let v4 = v4.prop_map(|(canonical, damaged)| Spelling { canonical, damaged });
    let mapped = octets(Just([0; 4]))
        .prop_map(|(canonical, text)| Spelling { damaged: format!("::FFFF:{text}"), canonical });
    let v6 = any::<[u16; 8]>().prop_filter_map("mapped or empty at an end", |mut groups| {
        groups[7] |= 1; // so that it does not end like a member's name
        groups[0] |= 0x2000;
        let canonical = std::net::Ipv6Addr::from(groups).to_string();
        let damaged: Vec<String> = groups.iter().map(|group| format!("{group:05X}")).collect();
        Some(Spelling { canonical, damaged: damaged.join(":") })
    });
    prop_oneof![v4, mapped, v6].boxed()
}

fn network() -> BoxedStrategy<Spelling> {
    (any::<u32>(), 0..=32u32, 1..3usize)
        .prop_map(|(bits, length, zeros)| {
            let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
            let addr = std::net::Ipv4Addr::from_bits(bits & mask);
            let canonical = format!("{addr}/{length}");
            Spelling { damaged: format!("{addr}/{}{length}", "0".repeat(zeros)), canonical }
        })
        .boxed()
}

fn search() -> BoxedStrategy<Spelling> {
    "[a-z][a-z0-9]{1,8}(\\.[a-z]{2,5}){1,3}"
        .prop_map(|canonical: String| Spelling { damaged: canonical.to_uppercase(), canonical })
        .boxed()
}

/// How a scalar is written.
fn styled(style: u8, text: &str) -> String {
    match style % 4 {
        0 => text.to_owned(),
        1 => format!("'{text}'"),
        2 => format!("\"{text}\""),
        _ => format!("!!str {text}"),
    }
}

/// A manifest with holes for values, and its values.
#[derive(Clone, Debug)]
struct Manifest {
    values: Vec<Spelling>,
    styles: Vec<u8>,
    shape: u8,
    note: String,
    crlf: bool,
    bom: bool,
}

impl Manifest {
    fn text(&self, is_damaged: bool) -> String {
        let value = |index: usize| {
            let Spelling { canonical, damaged } = &self.values[index];
            styled(self.styles[index], if is_damaged { damaged } else { canonical })
        };
        let note = &self.note;
        let text = match self.shape % 4 {
            0 => format!(
                "# {note}\n---\napiVersion: v1\nkind: Service\nmetadata:\n    name:   web   # {note}\n    annotations: {{ a: \"{note}\" }}\nspec:\n  ports: [ {{port: 80}} ]\n  externalIPs:\n  - {}  # {note}\n  -   {}\n  loadBalancerSourceRanges: [ {} ]\n\n\n--- # {note}\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  yes: \"010.0.0.1\"\n",
                value(0),
                value(1),
                value(2)
            ),
            1 => format!(
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  selector: &s {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      containers: [{{name: a, image: a, args: [\"{note}\", 010.0.0.1]}}]\n      hostAliases:\n      - ip: &first {}\n        hostnames: [a.example]\n      dnsConfig:\n        nameservers:\n        - *first\n        -  {} # {note}\n        searches: [ {} ]\n",
                value(0),
                value(1),
                value(3)
            ),
            2 => format!(
                "{{\"apiVersion\": \"v1\",\n \"kind\": \"Service\", \"metadata\": {{\"name\": \"web\"}},\n\t\"spec\": {{\"ports\": [{{\"port\": 80}}], \"externalIPs\": [\"{}\" , \"{}\"]}} }}\n",
                self.values[0].pick(is_damaged),
                self.values[1].pick(is_damaged)
            ),
            _ => format!(
                "apiVersion: v1\nkind: List\nitems:\n- apiVersion: networking.k8s.io/v1\n  kind: NetworkPolicy\n  metadata: {{name: n, annotations: {{note: \"{note}\"}}}}\n  spec:\n    podSelector: {{}}\n    egress:\n    - to:\n      - ipBlock: {{cidr: {}}}\n      - ipBlock:\n          cidr: >-\n            {}\n",
                value(2),
                self.values[2].pick(is_damaged)
            ),
        };
        let text = if self.crlf { text.replace('\n', "\r\n") } else { text };
        if self.bom { format!("\u{feff}{text}") } else { text }
    }
}

impl Spelling {
    fn pick(&self, is_damaged: bool) -> &str {
        if is_damaged { &self.damaged } else { &self.canonical }
    }
}

fn manifest() -> impl Strategy<Value = Manifest> {
    let values = (address(), address(), network(), search())
        .prop_filter("two addresses", |(a, b, ..)| a.canonical != b.canonical)
        .prop_map(|(a, b, c, d)| vec![a, b, c, d]);
    let rest = (any::<[u8; 4]>(), any::<u8>(), "[a-z:#é0-9. ]{0,12}", any::<bool>(), any::<bool>());
    (values, rest).prop_map(|(values, (styles, shape, note, crlf, bom))| Manifest {
        values,
        styles: styles.to_vec(),
        shape,
        note,
        crlf,
        bom,
    })
}

const DECIMAL: Choices =
    Choices { read_as: Some(ReadAs::Decimal), host_bits: Some(HostBits::Network) };

/// The messages of the engine about spellings in a text.
fn engine_messages(text: &str) -> Vec<String> {
    let config = ApiConfig::of(Release::REFERENCE, Behavior::Proposal);
    let rules = ["RTC-IP-001", "RTC-IP-002", "RTC-IP-003", "RTC-IP-004", "RTC-DNS-001"];
    let mut messages = Vec::new();
    for piece in split_documents(text) {
        for node in decode(piece.text, Limits::DEFAULT).unwrap().documents {
            let objects = match node.get("items") {
                Some(items) => items.items().to_vec(),
                None => vec![node],
            };
            for object in objects.into_iter().map(Object::new) {
                let Some(change) = Change::create(&object) else { continue };
                let verdict = judge(&change, &Facts::default(), &config);
                let errors =
                    verdict.errors.iter().map(|error| (error.rule.id, error.message().to_string()));
                let warnings = verdict.warnings.iter().map(|one| (one.rule.id, one.text.clone()));
                let all = errors.chain(warnings).filter(|(id, _)| rules.contains(id));
                messages.extend(all.map(|(_, message)| message));
            }
        }
    }
    messages
}

proptest! {
    #[test]
    fn damaged_spellings_are_restored_byte_for_byte(manifest in manifest()) {
        let (damaged, wanted) = (manifest.text(true), manifest.text(false));
        let rewritten = rewrite(&damaged, SourceKind::Manifest, &DECIMAL);
        prop_assert_eq!(rewritten.text.as_deref().unwrap_or(&damaged), &wanted, "{:?}", rewritten);
        prop_assert!(rewritten.refused.is_empty() && rewritten.unreadable.is_empty(), "{:?}", rewritten);
    }

    #[test]
    fn what_was_fixed_stays_and_is_clean(manifest in manifest()) {
        let fixed = rewrite(&manifest.text(true), SourceKind::Manifest, &DECIMAL).text;
        let fixed = fixed.unwrap_or_else(|| manifest.text(true));
        prop_assert_eq!(rewrite(&fixed, SourceKind::Manifest, &DECIMAL), Rewritten::default());
        prop_assert_eq!(engine_messages(&fixed), Vec::<String>::new());
    }

    #[test]
    fn a_second_run_without_choices_changes_nothing_more(manifest in manifest()) {
        let none = Choices::default();
        let once = rewrite(&manifest.text(true), SourceKind::Manifest, &none);
        let text = once.text.unwrap_or_else(|| manifest.text(true));
        let twice = rewrite(&text, SourceKind::Manifest, &none);
        prop_assert_eq!(twice.text, None);
        prop_assert_eq!(twice.refused.len(), once.refused.len());
    }

    #[test]
    fn unknown_text_survives(text in "\\PC{0,200}") {
        let rewritten = rewrite(&text, SourceKind::Manifest, &DECIMAL);
        prop_assert_eq!(rewritten.text, None);
    }
}
