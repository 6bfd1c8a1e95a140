//! What is known beside the findings, for people: external IPs, search names, Pod Security, kubelets, policies, changes.

use super::json;
use crate::Config;
use crate::collector::Collected;
use crate::page::{PodLevels, Violations};
use ratchet_formats::count;
use serde_json::Value;

/// The most rows of a section; `-o json` has more.
pub(super) const MOST_ROWS: usize = 50;

/// Some rows under a title. Texts of the cluster are in them as they are.
pub(super) struct Section {
    pub(super) title: String,
    pub(super) rows: Vec<String>,
    /// Rows that there are besides.
    pub(super) omitted: u64,
    /// A manifest that belongs to it.
    pub(super) manifest: Option<String>,
}

/// What the manifest of external IPs is.
pub(super) const ABOUT_MANIFEST: &str = "parameters of the policy that keeps exactly these:";

impl Section {
    /// A section of the first rows, of which there are `total`.
    fn new(title: impl Into<String>, rows: impl Iterator<Item = String>, total: u64) -> Self {
        let rows: Vec<String> = rows.take(MOST_ROWS).collect();
        let omitted = total.saturating_sub(rows.len() as u64);
        Self { title: title.into(), rows, omitted, manifest: None }
    }

    fn says_something(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The line about what is not in the rows.
    pub(super) fn more(&self) -> Option<String> {
        (self.omitted > 0).then(|| format!("and {} more", self.omitted))
    }
}

/// The sections that have something to say.
pub(super) fn sections(config: &Config, audit: &mut Collected) -> Vec<Section> {
    let [external, searches, policies, changes] = all_topics(audit);
    let all = [external, searches, namespaces(audit), kubelets(config), policies, changes];
    all.into_iter().filter(Section::says_something).collect()
}

/// The sections that have no part of their own on a page.
pub(super) fn topics(audit: &mut Collected) -> Vec<Section> {
    all_topics(audit).into_iter().filter(Section::says_something).collect()
}

fn all_topics(audit: &mut Collected) -> [Section; 4] {
    [external_ips(audit), searches(audit), policies(audit), changes(audit)]
}

fn external_ips(audit: &mut Collected) -> Section {
    let manifest = json::allow_list(audit);
    let Collected { inventory, owners, .. } = audit;
    let rows = inventory.external_ips.rows().iter().map(|row| {
        let owner = owners.title(&row.owner, row.parent.as_ref());
        format!("{}: {} ({owner})", row.object.title(), row.addresses.join(", "))
    });
    let total = inventory.external_ips.total();
    Section { manifest, ..Section::new("External IPs in use (KEP-2200)", rows, total) }
}

fn searches(audit: &mut Collected) -> Section {
    let Collected { inventory, owners, .. } = audit;
    let rows = inventory.searches.rows().iter().map(|row| {
        let owner = owners.title(&row.owner, row.parent.as_ref());
        format!("{} {}: {} ({owner})", row.object.title(), row.field, row.value)
    });
    let title = "DNS search names that need the relaxed reading (KEP-4427)";
    Section::new(title, rows, inventory.searches.total())
}

fn namespaces(audit: &Collected) -> Section {
    let all = &audit.inventory.namespaces;
    let rows = all.iter().map(|(name, levels)| {
        let enforced = audit.inventory.enforced.get(name).map_or("nothing", String::as_str);
        let level = json::strictest(levels);
        let next = next_level(level, levels).map(|(next, found)| {
            let (pods, reasons) = (count(levels.pods, "pod"), found.words().join(", "));
            let example = &found.example;
            format!("; not {next}: {} of {pods}, such as {example}: {reasons}", found.pods)
        });
        let hosts = match levels.probe_hosts.total() {
            0 => String::new(),
            number => format!("; {}", count(number, "probe host")),
        };
        format!("{name}: {level}, enforces {enforced}{}{hosts}", next.unwrap_or_default())
    });
    let title = "Pod Security, the strictest level that each namespace passes today (KEP-4940)";
    // A level that is not listed might be enforced by mistake: all namespaces are.
    let rows: Vec<String> = rows.collect();
    Section { title: title.to_owned(), rows, omitted: 0, manifest: None }
}

/// The level after the strictest that passes, and why it does not.
fn next_level<'l>(
    strictest: &str,
    levels: &'l PodLevels,
) -> Option<(&'static str, &'l Violations)> {
    match strictest {
        "privileged" => Some(("baseline", &levels.baseline)),
        "baseline" => Some(("restricted", &levels.restricted)),
        _ => None,
    }
}

fn kubelets(config: &Config) -> Section {
    let nodes = config.kubelets.as_ref().and_then(|report| report.get("nodes"));
    let nodes = nodes.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |node: &Value, name: &str| {
        node.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let is_odd = |node: &&Value| text(node, "outcome") != "passes";
    let (odd, good): (Vec<&Value>, Vec<&Value>) = nodes.iter().partition(is_odd);
    let rows = odd.into_iter().chain(good);
    let rows = rows.map(|node| format!("{}: {}", text(node, "name"), text(node, "verdict")));
    Section::new("Kubelet certificates (KEP-4872)", rows, nodes.len() as u64)
}

fn policies(audit: &Collected) -> Section {
    let rows = audit.inventory.policies.rows().iter();
    let rows = rows.map(|row| format!("{} {}: {}", row.kind, row.name, row.about));
    let title = "Policies and webhooks that exist for the same";
    Section::new(title, rows, audit.inventory.policies.total())
}

fn changes(audit: &Collected) -> Section {
    let Some(changes) = &audit.changes else { return Section::new("", std::iter::empty(), 0) };
    let gone = changes.gone();
    let numbers =
        format!("{} new, {} gone, {} unchanged", changes.new.len(), gone.len(), changes.unchanged);
    let total = gone.len() as u64 + 1;
    let gone = gone.into_iter().map(|(_, about)| format!("gone: {about}"));
    Section::new(format!("Since {}", changes.file), std::iter::once(numbers).chain(gone), total)
}
