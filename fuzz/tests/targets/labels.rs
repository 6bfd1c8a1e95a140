//! Fuzz target `labels`: Pod Security labels always give a policy, and invalid ones close enforcement.

#![allow(clippy::indexing_slicing, reason = "a helper of a test may fail like a test")]

use ratchet_engine::pod_security::{
    Level, LevelVersion, Modes, Version, label_field_errors, policy_of,
};
use ratchet_fuzz::{Choices, tree};
use ratchet_object::{At, Limits, decode};

const WORDS: &[&str] = &[
    "pod-security.kubernetes.io/enforce",
    "pod-security.kubernetes.io/enforce-version",
    "pod-security.kubernetes.io/audit",
    "pod-security.kubernetes.io/audit-version",
    "pod-security.kubernetes.io/warn",
    "pod-security.kubernetes.io/warn-version",
    "privileged",
    "baseline",
    "restricted",
    "Restricted",
    "latest",
    "v1.0",
    "v1.34",
    "v1.034",
    "v1.",
    "v1.99999",
    "v1.9223372036854775807",
    "v1.9223372036854775808",
    "v1.18446744073709551616",
    "1.34",
    "v1.+1",
    "",
    ": ",
    "\n",
    "-version",
    "{",
    "}",
    ",",
];

#[test]
fn labels() {
    ratchet_fuzz::fuzz!("labels", WORDS, check);
}

fn check(text: &str) {
    check_words(text);
    let limits = Limits { nodes: 5_000, ..Limits::DEFAULT };
    let Ok(decoded) = decode(text, limits) else { return };
    let mut choices = Choices::hashed(text.as_bytes());
    let mut mode = || LevelVersion {
        level: Level::ALL[choices.below(3)],
        version: if choices.one_in(2) { Version::Latest } else { Version::Minor(30) },
    };
    let defaults = Modes { enforce: mode(), audit: mode(), warn: mode() };
    for mut node in decoded.documents {
        check_labels(At::root(&node), &defaults);
        tree::graft(&mut node, &mut choices);
        check_labels(At::root(&node), &defaults);
    }
}

/// There is one spelling of each level and version.
fn check_words(text: &str) {
    if let Ok(level) = text.parse::<Level>() {
        assert_eq!(level.to_string(), text);
    }
    match text.parse::<Version>() {
        Ok(version) => assert_eq!(version.to_string(), text),
        Err(_) => assert_ne!(text, "latest"),
    }
}

fn check_labels(labels: At<'_>, defaults: &Modes) {
    let (modes, errors) = policy_of(labels, defaults);
    assert_eq!((modes, errors.clone()), policy_of(labels, defaults));
    let rows = [
        ("enforce", modes.enforce, defaults.enforce, Level::Restricted),
        ("audit", modes.audit, defaults.audit, Level::Privileged),
        ("warn", modes.warn, defaults.warn, Level::Privileged),
    ];
    let mut unreadable = 0;
    for (mode, found, default, closed) in rows {
        let keys = ["", "-version"].map(|end| format!("pod-security.kubernetes.io/{mode}{end}"));
        let values = keys.each_ref().map(|key| labels.node().and_then(|node| node.get(key)));
        let [level, version] =
            values.map(|node| node.map(|node| (node.type_name(), node.text().unwrap_or_default())));
        match level.filter(|(sort, _)| *sort != "null").map(|(_, text)| text.parse::<Level>()) {
            // Whoever only enforces is also warned.
            None if mode == "warn" => assert!(found.level >= default.level),
            None => assert_eq!(found.level, default.level),
            Some(Ok(level)) => assert_eq!(found.level, level),
            Some(Err(_)) => {
                unreadable += 1;
                assert_eq!(found.level, closed);
            }
        }
        match version.filter(|(sort, _)| *sort != "null").map(|(_, text)| text.parse::<Version>()) {
            None => assert!(found.version == default.version || mode == "warn"),
            Some(Ok(version)) => assert_eq!(found.version, version),
            Some(Err(_)) => {
                unreadable += 1;
                assert_eq!(found.version, Version::Latest);
            }
        }
    }
    assert_eq!(errors.len(), unreadable, "{errors:?}");
    assert_eq!(label_field_errors(labels, &errors).count(), errors.len());
    for error in &errors {
        assert!(error.to_string().starts_with(&format!("metadata.labels[{}]: ", error.key)));
    }
}
