//! Fuzz target `names`: DNS names match their patterns, and looser validation accepts whatever stricter does.

use ratchet_net::dns::{self, NameFault, NameFaults, SearchReading, Underscores};

const WORDS: &[&str] = &[
    "a",
    "z",
    "0",
    "9",
    "-",
    "_",
    ".",
    "..",
    "A",
    "é",
    " ",
    "svc",
    "cluster",
    "local",
    "example.com",
    "_sip",
    "_tcp",
    "x-y",
    "a_b",
    "--",
    "__",
    "\n",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "abcdefghijklmnopqrstuvwxyz0123456789.abcdefghijklmnopqrstuvwxyz0123456789",
];

#[test]
fn names() {
    ratchet_fuzz::fuzz!("names", WORDS, check);
}

fn check(text: &str) {
    let label = dns::label(text);
    assert_eq!(label, faults(text, 63, !text.contains('.') && is_name(text, false, false)));
    let strict = dns::subdomain(text);
    assert_eq!(strict, faults(text, 253, is_name(text, false, false)));
    let inside = dns::underscored(text, Underscores::WhereDashMayStand);
    assert_eq!(inside, faults(text, 253, is_name(text, true, false)));
    let leading = dns::underscored(text, Underscores::LeadingToo);
    assert_eq!(leading, faults(text, 253, is_name(text, true, true)));

    let order = [label, strict, inside, leading].map(NameFaults::is_ok);
    assert!(order.is_sorted(), "a looser reading refuses what a stricter accepts: {order:?}");
    assert_eq!(inside.pattern, dns::subdomain(&text.replace('_', "-")).pattern);
    let faults: Vec<NameFault> = strict.iter().collect();
    assert_eq!(faults.contains(&NameFault::TooLong), strict.too_long);
    assert_eq!(faults.contains(&NameFault::Pattern), strict.pattern);
    assert_eq!(faults.is_empty(), strict.is_ok());

    let stripped = dns::strip_final_dot(text);
    assert!(text == stripped || text == format!("{stripped}."));
    let readings = [
        SearchReading::Strict,
        SearchReading::Relaxed(Underscores::WhereDashMayStand),
        SearchReading::Relaxed(Underscores::LeadingToo),
    ];
    let found = readings.map(|reading| dns::search_name(text, reading));
    for (name, _) in found {
        assert!(name == stripped || (name, text) == (".", "."));
    }
    assert_eq!(found[0].1, dns::subdomain(stripped));
    assert!(found.map(|(_, faults)| faults.is_ok()).is_sorted());
}

fn faults(text: &str, longest: usize, fits: bool) -> NameFaults {
    NameFaults { too_long: text.len() > longest, pattern: !fits }
}

/// The patterns of Kubernetes letter by letter: what stands before decides what may come.
fn is_name(text: &str, underscores: bool, leading: bool) -> bool {
    #[derive(PartialEq)]
    enum At {
        Start,
        AfterUnderscore,
        AfterLetter,
        AfterDash,
    }
    let mut at = At::Start;
    for letter in text.chars() {
        at = match (letter, at) {
            ('a'..='z' | '0'..='9', _) => At::AfterLetter,
            ('_', At::Start) if leading => At::AfterUnderscore,
            ('_', At::AfterLetter | At::AfterDash) if underscores => At::AfterDash,
            ('-', At::AfterLetter | At::AfterDash) => At::AfterDash,
            ('.', At::AfterLetter) => At::Start,
            _ => return false,
        };
    }
    at == At::AfterLetter
}
