//! The engine's feature gates against those of a Kubernetes checkout.

use crate::violation::{Violation, line_where};
use anyhow::{Context, Result};
use ratchet_engine::gates::{self, KUBELET_CERT_CN, Stage, dependencies_of};
use ratchet_engine::{Gate, Release};
use std::collections::{BTreeMap, BTreeSet};

/// Kept by hand, because it spans several releases and a checkout has only one.
pub(super) const TABLE: &str = "core/engine/src/gates/table.rs";

/// Compares the gates of the reference release with lines of `tools/schemagen`.
pub(super) fn compare(listed: &str) -> Result<Vec<Violation>> {
    // No release has it.
    let own = gates::all().filter(|gate| gate.name != KUBELET_CERT_CN.name);
    let own: String = own.filter_map(|gate| line(gate, Release::REFERENCE)).collect();
    let table = std::fs::read_to_string(TABLE).with_context(|| format!("cannot read {TABLE}"))?;
    let violation = |(name, what): (&str, String)| {
        Violation::new(TABLE, line_where(&table, |line| line.contains(&format!("{name:?}"))), what)
    };
    Ok(differences(&own, listed).into_iter().map(violation).collect())
}

/// A gate in a release as the generator prints it; `None` if the release does not know it.
fn line(gate: &Gate, release: Release) -> Option<String> {
    let era = gate.era(release).filter(|_| gate.is_known(release))?;
    let stage = match era.stage? {
        Stage::Alpha => "Alpha",
        Stage::Beta => "Beta",
        Stage::Ga => "GA",
        Stage::Deprecated => "Deprecated",
    };
    let lock = if era.locked { " locked" } else { "" };
    let needs = match dependencies_of(gate.name, release) {
        [] => String::new(),
        names => format!(" needs {}", names.join(" ")),
    };
    Some(format!("{} {stage} {}{lock}{needs}\n", gate.name, era.default))
}

/// The gates that differ between two lists, each with both sides.
fn differences<'t>(own: &'t str, listed: &'t str) -> Vec<(&'t str, String)> {
    let [own, listed] = [own, listed].map(|text| {
        text.lines().filter_map(|line| line.split_once(' ')).collect::<BTreeMap<&str, &str>>()
    });
    let names: BTreeSet<&str> = own.keys().chain(listed.keys()).copied().collect();
    let differs = names.into_iter().filter(|name| own.get(name) != listed.get(name));
    differs
        .map(|name| {
            let [own, listed] = [&own, &listed].map(|list| list.get(name).unwrap_or(&"not a gate"));
            (
                name,
                format!("{name} is {listed} in Kubernetes {}, and {own} here", Release::REFERENCE),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_one_line_with_what_it_needs() {
        let gate = |name| gates::all().find(|gate| gate.name == name).unwrap();
        let line = |name| line(gate(name), Release::REFERENCE);
        assert_eq!(
            line("AuthorizeNodeWithSelectors").unwrap(),
            "AuthorizeNodeWithSelectors GA true locked needs AuthorizeWithSelectors\n"
        );
        assert_eq!(line("StrictIPCIDRValidation").unwrap(), "StrictIPCIDRValidation Beta true\n");
        assert_eq!(line("UserNamespacesPodSecurityStandards"), None);
    }

    #[test]
    fn both_sides_of_a_difference_are_named() {
        let found =
            differences("A Beta true\nB GA true\n", "A Beta false\nB GA true\nC Alpha false\n");
        let texts: Vec<&str> = found.iter().map(|(_, what)| what.as_str()).collect();
        assert_eq!(
            texts,
            [
                "A is Beta false in Kubernetes 1.36, and Beta true here",
                "C is Alpha false in Kubernetes 1.36, and not a gate here"
            ]
        );
    }
}
