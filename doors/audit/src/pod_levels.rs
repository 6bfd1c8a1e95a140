//! Pod Security of namespaces: the levels that their pods and pod templates pass today; and DNS search names.

use crate::finding::ObjectId;
use crate::owner::Link;
use crate::page::{Page, PodLevels, SearchName, Violations};
use ratchet_engine::ApiConfig;
use ratchet_engine::pod_security::{Level, LevelVersion, PodView, Version, Violation, evaluate};
use ratchet_net::dns::{SearchReading, search_name};
use ratchet_object::{At, Kind, Node, Object};

/// The rule about hosts of probes and lifecycle handlers.
const PROBE_HOSTS: &str = "RTC-PSA-001";

/// Counts the pod of an object, if it has one, for its namespace.
pub(crate) fn add(
    node: &Node<'_>,
    kind: &Kind<'_>,
    id: &ObjectId,
    config: &ApiConfig,
    page: &mut Page,
) {
    let Some(place) = kind.pod else { return };
    let object = Object::new(node.clone());
    let pod = object.root().descend(place.0);
    if !pod.field("spec").is_set() {
        return;
    }
    let view = match id.kind.as_str() {
        "Pod" => PodView::stored(pod),
        _ => PodView::template(pod),
    };
    let at = |level: Level| evaluate(LevelVersion::new(level, Version::Latest), &view, config);
    let (baseline, restricted) = (at(Level::Baseline), at(Level::Restricted));
    let title = format!("{} {}", id.kind, id.name);
    let hosts = baseline.iter().filter(|violation| violation.rule.id == PROBE_HOSTS);
    let hosts = hosts.flat_map(|violation| &violation.labels);
    let probe_hosts = hosts.map(|label| format!("{title} {}: {}", label.field, label.label));
    let mut levels = PodLevels {
        pods: 1,
        baseline: violations(&baseline, &title),
        restricted: violations(&restricted, &title),
        ..PodLevels::default()
    };
    levels.probe_hosts.extend(probe_hosts);
    page.inventory.namespaces.entry(id.namespace.clone()).or_default().add(levels);
}

fn violations(found: &[Violation], title: &str) -> Violations {
    if found.is_empty() {
        return Violations::default();
    }
    Violations {
        pods: 1,
        example: title.to_owned(),
        reasons: found.iter().map(|violation| violation.reason.to_string()).collect(),
        has_others: false,
    }
}

/// Adds the DNS search names of a pod that only the relaxed reading takes.
pub(crate) fn search_names(
    node: &Node<'_>,
    kind: &Kind<'_>,
    id: &ObjectId,
    link: &Link,
    page: &mut Page,
) {
    let Some(place) = kind.pod else { return };
    let mut path = place.0.to_vec();
    path.extend(["spec", "dnsConfig"]);
    if node.find(&path).and_then(|config| config.get("searches")).is_none() {
        return;
    }
    let object = Object::new(node.clone());
    let searches: At<'_> = object.root().descend(&path).field("searches");
    for item in searches.items() {
        let text = item.text_or_empty();
        if search_name(text, SearchReading::Strict).1.is_ok() {
            continue;
        }
        page.inventory.searches.push(SearchName {
            object: id.clone(),
            field: item.path().to_string(),
            value: text.to_owned(),
            owner: link.owner.clone(),
            parent: link.parent.clone(),
        });
    }
}
