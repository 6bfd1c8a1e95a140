//! Fuzz target `rewrite`: edits touch their values only, and a text that was rewritten stays as it is.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use ratchet_rewrite::{Choices, HostBits, ReadAs, SourceKind, rewrite, unified_diff};

const WORDS: &[&str] = &[
    "apiVersion: v1\n",
    "kind: Service\n",
    "spec:\n",
    "  externalIPs:\n",
    "  - ",
    "192.0.2.01",
    "010.0.0.1",
    "2001:DB8::0",
    "2001:db8:0::",
    "::ffff:1.2.3.4",
    "10.1.2.3/8",
    "10.0.0.0/08",
    "&a ",
    "*a",
    "<<: *a\n",
    "!!str ",
    "'",
    "\"",
    "\\x31",
    "|-\n    ",
    ">\n    ",
    "\r\n",
    "---\n",
    "...\n",
    "{{ .Values.a }}",
    "{{- if }}\n",
    "# c\n",
    "[",
    "]",
    "{",
    "}",
    ", ",
    ": ",
    "\u{feff}",
    "\t",
];

#[test]
fn rewrite_texts() {
    ratchet_fuzz::fuzz!("rewrite", WORDS, check);
}

fn check(text: &str) {
    let decided = Choices { read_as: Some(ReadAs::Decimal), host_bits: Some(HostBits::Network) };
    for choices in [Choices::default(), decided] {
        for source in [SourceKind::Manifest, SourceKind::Values] {
            let first = rewrite(text, source, &choices);
            let Some(new) = &first.text else {
                assert!(first.edits.is_empty());
                continue;
            };
            assert!(!first.edits.is_empty());
            assert_eq!(text.lines().count(), new.lines().count());
            assert!(!unified_diff("a", text, new).is_empty());
            let again = rewrite(new, source, &choices);
            assert_eq!(again.text, None, "{again:?}");
            assert_eq!(again.unreadable.len(), first.unreadable.len());
            assert_eq!(again.refused.len(), first.refused.len());
        }
    }
}
