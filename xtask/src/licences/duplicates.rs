//! Detection of duplicate crate versions without a reasoned skip in `deny.toml`.

use crate::violation::{Violation, line_where};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A version that may be built besides another, and why.
#[derive(Deserialize)]
pub(super) struct Skip {
    #[serde(rename = "crate")]
    spec: String,
    #[serde(default)]
    reason: String,
}

/// Reports duplicate versions, and skips without effect or reason.
pub(super) fn check(
    packages: &[(&str, &str)],
    skips: &[Skip],
    config: &str,
    lock: &str,
) -> Vec<Violation> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, version) in packages {
        versions.entry(name).or_default().insert(version);
    }
    let mut found: Vec<Violation> =
        skips.iter().filter_map(|skip| skip_violation(skip, &versions, config)).collect();
    for (name, versions) in versions {
        let remaining: Vec<&str> =
            versions.into_iter().filter(|version| !is_skipped(skips, name, version)).collect();
        if remaining.len() > 1 {
            let line = line_where(lock, |line| line == format!("name = \"{name}\""));
            let what = format!(
                "{name} is built in versions {}; bring its users to one, or skip all but one in \
                 deny.toml with a reason",
                remaining.join(" and ")
            );
            found.push(Violation::new("Cargo.lock", line, what));
        }
    }
    found
}

fn is_skipped(skips: &[Skip], name: &str, version: &str) -> bool {
    skips.iter().any(|skip| skip.spec.split_once('@') == Some((name, version)))
}

fn skip_violation(
    skip: &Skip,
    versions: &BTreeMap<&str, BTreeSet<&str>>,
    config: &str,
) -> Option<Violation> {
    let Skip { spec, reason } = skip;
    let is_double = spec.split_once('@').is_some_and(|(name, version)| {
        versions.get(name).is_some_and(|all| all.contains(version) && all.len() > 1)
    });
    let what = if !is_double {
        format!(
            "{spec} is not built beside another version; delete the skip (it is `name@version`)"
        )
    } else if reason.trim().is_empty() {
        format!("{spec} is skipped without a reason; say who needs it")
    } else {
        return None;
    };
    let line = line_where(config, |line| line.contains(&format!("\"{spec}\"")));
    Some(Violation::new("deny.toml", line, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &[(&str, &str)] = &[("a", "1.0.0"), ("syn", "2.0.1"), ("syn", "3.0.0")];
    const LOCK: &str = "[[package]]\nname = \"a\"\n[[package]]\nname = \"syn\"\n";

    fn found(packages: &[(&str, &str)], skips: &[(&str, &str)]) -> Vec<String> {
        let config: String = skips.iter().map(|(spec, _)| format!("\"{spec}\"\n")).collect();
        let skips: Vec<Skip> = skips
            .iter()
            .map(|(spec, reason)| Skip { spec: (*spec).into(), reason: (*reason).into() })
            .collect();
        check(packages, &skips, &config, LOCK).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn one_version_is_fine_and_a_skip_with_a_reason_makes_one_of_two() {
        assert_eq!(found(&[("a", "1.0.0"), ("b", "1.0.0")], &[]), Vec::<String>::new());
        assert_eq!(found(TWO, &[("syn@2.0.1", "old derives")]), Vec::<String>::new());
    }

    #[test]
    fn two_versions_fail() {
        let found = found(TWO, &[]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("Cargo.lock:4: syn is built in versions 2.0.1 and 3.0.0"));
    }

    #[test]
    fn a_skip_without_a_reason_or_a_purpose_fails() {
        for (packages, spec, reason, want) in [
            (TWO, "syn@2.0.1", " ", "without a reason"),
            (&TWO[..2], "syn@2.0.1", "old", "not built beside"),
            (&TWO[..1], "b@1.0.0", "old", "not built beside"),
            (&TWO[..2], "syn", "old", "not built beside"),
        ] {
            let found = found(packages, &[(spec, reason)]);
            assert_eq!(found.len(), 1, "{spec}");
            assert!(found[0].starts_with("deny.toml:1: ") && found[0].contains(want), "{found:?}");
        }
    }
}
