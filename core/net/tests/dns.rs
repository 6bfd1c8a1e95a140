//! Tests of DNS names, and of search entries by relaxed and by strict validation.

use ratchet_net::dns::{
    NameFault, NameFaults, SearchReading, Underscores, label, search_name, subdomain, underscored,
};

const OK: NameFaults = NameFaults { too_long: false, pattern: false };
const PATTERN: NameFaults = NameFaults { too_long: false, pattern: true };
const TOO_LONG: NameFaults = NameFaults { too_long: true, pattern: false };
const RELAXED: SearchReading = SearchReading::Relaxed(Underscores::LeadingToo);

/// Entry, relaxed, strict. The checked part is tested separately.
const ENTRIES: [(&str, NameFaults, NameFaults); 34] = [
    (".", OK, PATTERN),
    ("..", PATTERN, PATTERN),
    ("", PATTERN, PATTERN),
    ("a", OK, OK),
    ("a.", OK, OK),
    ("a..", PATTERN, PATTERN),
    (".a", PATTERN, PATTERN),
    ("a..b", PATTERN, PATTERN),
    ("_", PATTERN, PATTERN),
    ("_.", PATTERN, PATTERN),
    ("a._", PATTERN, PATTERN),
    ("_.a", PATTERN, PATTERN),
    ("_a", OK, PATTERN),
    ("_a.b_c._d", OK, PATTERN),
    ("a_", PATTERN, PATTERN),
    ("a_.b", PATTERN, PATTERN),
    ("__a", PATTERN, PATTERN),
    ("a__b", OK, PATTERN),
    ("a-_b", OK, PATTERN),
    ("-a", PATTERN, PATTERN),
    ("a-", PATTERN, PATTERN),
    ("-_a", PATTERN, PATTERN),
    ("_-a", PATTERN, PATTERN),
    ("A", PATTERN, PATTERN),
    ("a.B", PATTERN, PATTERN),
    ("a b", PATTERN, PATTERN),
    ("ü", PATTERN, PATTERN),
    ("a\n", PATTERN, PATTERN),
    ("_sip._tcp.abc_d.example.com", OK, PATTERN),
    ("1.2.3.4", OK, OK),
    ("a-b.c--d", OK, OK),
    ("_a_", PATTERN, PATTERN),
    ("_0", OK, PATTERN),
    ("a.-", PATTERN, PATTERN),
];

#[test]
fn search_entries() {
    for (entry, relaxed, strict) in ENTRIES {
        assert_eq!(search_name(entry, RELAXED).1, relaxed, "relaxed {entry:?}");
        assert_eq!(search_name(entry, SearchReading::Strict).1, strict, "strict {entry:?}");
    }
}

#[test]
fn the_judged_part_is_reported() {
    assert_eq!(search_name(".", RELAXED), (".", OK));
    assert_eq!(search_name(".", SearchReading::Strict), ("", PATTERN));
    assert_eq!(search_name("..", RELAXED), (".", PATTERN));
    assert_eq!(search_name("a..", RELAXED), ("a.", PATTERN));
    assert_eq!(search_name("a.b.", RELAXED), ("a.b", OK));
}

#[test]
fn lengths() {
    for reading in [RELAXED, SearchReading::Strict] {
        assert_eq!(search_name(&"a".repeat(254), reading).1, TOO_LONG);
        assert_eq!(search_name(&format!("{}.", "a".repeat(253)), reading).1, OK);
        assert_eq!(search_name(&"a".repeat(64), reading).1, OK);
        let both = search_name(&"A".repeat(254), reading).1;
        assert!(!both.is_ok());
        assert!(both.iter().eq([NameFault::TooLong, NameFault::Pattern]));
    }
    assert_eq!(label(&"a".repeat(63)), OK);
    assert_eq!(label(&"a".repeat(64)), TOO_LONG);
    assert_eq!(subdomain(&"ü".repeat(127)), NameFaults { too_long: true, pattern: true });
}

#[test]
fn labels() {
    for good in ["a", "0", "a-b", "a--b", "x9"] {
        assert_eq!(label(good), OK, "{good}");
    }
    for bad in ["", "-", "a-", "-a", "a.b", "a_b", "A", "a ", "a\n", "é"] {
        assert_eq!(label(bad), PATTERN, "{bad:?}");
    }
}

#[test]
fn underscores_where_a_dash_may_stand() {
    for good in ["a_b", "a_b.c", "a__b", "a-_b", "a.b"] {
        assert_eq!(underscored(good, Underscores::WhereDashMayStand), OK, "{good}");
    }
    for bad in ["_a", "a_", "_", "a._b", "", "a_.b"] {
        assert_eq!(underscored(bad, Underscores::WhereDashMayStand), PATTERN, "{bad:?}");
    }
}
