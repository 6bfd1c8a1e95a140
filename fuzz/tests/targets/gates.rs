//! Fuzz target `gates`: feature gates and releases are parsed from any text, alike each time, and locked ones stay
//! locked.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a helper of a test may fail like a test"
)]

use ratchet_engine::{Gates, Release, Stage, gates};
use ratchet_fuzz::Choices;

const WORDS: &[&str] = &[
    "StrictIPCIDRValidation",
    "RelaxedDNSSearchValidation",
    "AllowServiceExternalIPs",
    "UserNamespacesPodSecurityStandards",
    "AllAlpha",
    "AllBeta",
    "NoSuchGate",
    "=",
    "=true",
    "=false",
    "=1",
    "=0",
    "=t",
    "=maybe",
    ",",
    "\n",
    "kube:",
    "other:",
    ":",
    " ",
    "v1.36",
    "1.31",
    "1.36.4",
    ".",
];

#[test]
fn gates() {
    ratchet_fuzz::fuzz!("gates", WORDS, check);
}

fn check(text: &str) {
    check_release(text);
    let mut choices = Choices::hashed(text.as_bytes());
    let releases: Vec<Release> = Release::all().collect();
    let (one, other) = (choices.below(releases.len()), choices.below(releases.len()));
    let fresh = Gates::of(releases[one.max(other)]).emulating(releases[one.min(other)]);
    let emulated = releases[one.min(other)];

    let texts: Vec<&str> = text.split('\n').collect();
    let mut set = fresh.clone();
    let result = set.apply(&texts);
    let mut joined = fresh.clone();
    assert_eq!(joined.apply(&[texts.join(",")]), result, "one flag or several");
    assert_eq!(on(&joined), on(&set));
    let first = on(&set);
    assert_eq!(set.apply(&texts), result, "the same again");
    assert_eq!(on(&set), first);
    match result {
        Ok(()) => {}
        Err(why) => assert!(!why.to_string().is_empty()),
    }

    for (gate, is_on) in gates::all().zip(first) {
        match gate.era(emulated) {
            None => assert!(!is_on, "{} has not begun", gate.name),
            Some(era) if era.locked => assert_eq!(is_on, era.default, "{} is locked", gate.name),
            Some(era) => {
                let is_named = text.contains(gate.name);
                let by_stage = match era.stage {
                    Some(Stage::Alpha) => text.contains("AllAlpha"),
                    Some(Stage::Beta) => text.contains("AllBeta"),
                    _ => false,
                };
                assert!(is_on == era.default || is_named || by_stage, "nobody set {}", gate.name);
            }
        }
    }
}

fn on(set: &Gates) -> Vec<bool> {
    gates::all().map(|gate| set.on(gate)).collect()
}

fn check_release(text: &str) {
    match text.parse::<Release>() {
        Ok(release) => {
            assert_eq!(release.to_string().parse(), Ok(release));
            let bare = text.strip_prefix('v').unwrap_or(text);
            let minor = bare.split('.').nth(1).unwrap();
            assert_eq!(minor.parse(), Ok(release.minor()));
        }
        Err(why) => assert!(why.to_string().contains("is not a Kubernetes release")),
    }
}
