//! Generator of `docs/reference/gates.md`: the feature gates in every release.

use super::document::Document;
use ratchet_engine::{Gate, Release, Stage};

const ABOUT: &str = "\
# Feature gates

What each gate is in each release of Kubernetes, and what it is set to when nobody says otherwise.
`--feature-gates` sets it where it is not locked. These gates change what is judged or done:
";

const OTHERS: &str = "\
## Gates without effect

kube-apiserver's other gates are known: they can be set as there, what is unknown, locked or gone is refused in its words,
and `kubernetes_feature_enabled` shows them. Nothing here looks at them; `ratchet serve` names in its log those that were
set.
";

/// The table of gates, with a column for each release.
pub(super) fn document<'g>(
    gates: impl IntoIterator<Item = &'g Gate>,
    others: impl IntoIterator<Item = &'g Gate>,
) -> Document {
    let (gates, others) = (table(gates), table(others));
    Document::new("docs/reference/gates.md", &format!("{ABOUT}\n{gates}\n{OTHERS}\n{others}"))
}

fn table<'g>(gates: impl IntoIterator<Item = &'g Gate>) -> String {
    let releases: Vec<Release> = Release::all().collect();
    let names: Vec<String> = releases.iter().map(ToString::to_string).collect();
    let head = format!("| Gate | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    let rows: String = gates
        .into_iter()
        .map(|gate| {
            let cells: Vec<String> = releases.iter().map(|release| cell(gate, *release)).collect();
            format!("| `{}` | {} |\n", gate.name, cells.join(" | "))
        })
        .collect();
    format!("{head}{rows}")
}

fn cell(gate: &Gate, release: Release) -> String {
    let is_known = release.since(gate.known_since);
    let Some(era) = gate.era(release).filter(|_| is_known) else { return "not yet".to_owned() };
    let value = if era.default { "on" } else { "off" };
    let stage = match era.stage {
        Some(Stage::Alpha) => "alpha",
        Some(Stage::Beta) => "beta",
        Some(Stage::Ga) => "GA",
        Some(Stage::Deprecated) => "deprecated",
        None => return format!("gone, {value}"),
    };
    format!("{stage}, {value}{}", if era.locked { ", locked" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_told_release_by_release() {
        let text = document([], [&ratchet_engine::gates::RELAXED_DNS_SEARCH]).text;
        let want = "| `RelaxedDNSSearchValidation` | not yet | alpha, off | beta, on | GA, on, \
                    locked | GA, on, locked | GA, on, locked | gone, on |\n";
        assert!(text.ends_with(want), "{text}");
        assert!(text.contains("| Gate | 1.31 | 1.32 |"), "{text}");
    }
}
