//! The JSON report, in a versioned format, one finding a line.

use crate::collector::{Collected, OwnerCounts};
use crate::input::Input;
use crate::page::{PodLevels, Violations};
use crate::summary::StateCounts;
use crate::{Config, VERSION};
use ratchet_formats::escape_control;
use serde_json::{Value, json};
use std::io::{self, Write};

pub(crate) fn write(config: &Config, audit: &mut Collected, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\n\"version\": \"{VERSION}\"")?;
    for (name, value) in before(config, audit) {
        write!(out, ",\n\"{name}\": {}", escape_control(&value.to_string()))?;
    }
    write!(out, ",\n\"findings\": [")?;
    let mut comma = "";
    audit.for_each_finding(|finding, _| {
        let line = serde_json::to_string(finding)?;
        write!(out, "{comma}\n{}", escape_control(&line))?;
        comma = ",";
        Ok(())
    })?;
    write!(out, "\n]")?;
    for (name, value) in after(config, audit) {
        write!(out, ",\n\"{name}\": {}", escape_control(&value.to_string()))?;
    }
    writeln!(out, "\n}}")
}

/// The members before the findings.
pub(super) fn before(config: &Config, audit: &Collected) -> Vec<(&'static str, Value)> {
    let targets = config.targets.iter().map(|target| {
        json!({
            "name": target.name,
            "targetVersion": target.api_config.release.to_string(),
            "emulatedVersion": target.api_config.emulated.to_string(),
            "behavior": target.api_config.behavior.to_string(),
        })
    });
    let source = match &audit.input {
        Input::Server(url) => json!({"server": url}),
        Input::Files(files) => json!({"files": files}),
    };
    vec![("source", source), ("targets", targets.collect())]
}

/// The members after the findings.
pub(super) fn after(config: &Config, audit: &mut Collected) -> Vec<(&'static str, Value)> {
    let Collected { owners, inventory, .. } = audit;
    let external: Vec<Value> = inventory
        .external_ips
        .rows()
        .iter()
        .map(|row| {
            let (owner, _) = owners.resolve(&row.owner, row.parent.as_ref());
            json!({"object": row.object, "addresses": row.addresses, "owner": owner})
        })
        .collect();
    let names: Vec<Value> = inventory
        .searches
        .rows()
        .iter()
        .map(|row| {
            let (owner, _) = owners.resolve(&row.owner, row.parent.as_ref());
            json!({"object": row.object, "field": row.field, "value": row.value, "owner": owner})
        })
        .collect();
    let namespaces =
        audit.inventory.namespaces.iter().map(|(name, levels)| namespace(name, levels, audit));
    let since = audit.changes.as_ref().map(|changes| {
        let gone = changes.gone().into_iter();
        let gone = gone.map(|(key, about)| json!({"fingerprint": key, "about": about}));
        json!({
            "file": changes.file,
            "new": changes.new,
            "gone": gone.collect::<Vec<_>>(),
            "unchanged": changes.unchanged,
        })
    });
    let targets = config.targets.iter().zip(&audit.summary.targets).map(|(target, counts)| {
        let mut row = states(counts);
        if let Some(members) = row.as_object_mut() {
            members.shift_insert(0, "name".into(), json!(target.name));
        }
        row
    });
    let mut summary = states(&audit.summary.states);
    if let Some(members) = summary.as_object_mut() {
        members.shift_insert(0, "objects".into(), json!(audit.summary.objects));
        members.insert("suppressed".into(), json!(audit.summary.suppressed));
        members.insert("unseen".into(), json!(audit.summary.unseen));
        members.insert("targets".into(), targets.collect());
    }
    let policies: Vec<Value> =
        audit.inventory.policies.rows().iter().map(|row| json!(row)).collect();
    let omitted: serde_json::Map<String, Value> = audit
        .inventory
        .omitted()
        .map(|(list, omitted)| (list.to_owned(), json!(omitted)))
        .into_iter()
        .collect();
    vec![
        ("owners", audit.owners.names.iter().map(owner).collect()),
        ("externalIPs", external.into()),
        ("externalIPAllowList", json!(allow_list(audit))),
        ("searches", names.into()),
        ("namespaces", namespaces.collect()),
        ("policies", policies.into()),
        ("kubelets", json!(config.kubelets)),
        ("missing", json!(audit.missing)),
        ("unreadable", json!(audit.inventory.unreadable.rows())),
        ("omitted", omitted.into()),
        ("since", json!(since)),
        ("summary", summary),
    ]
}

fn owner(counts: &OwnerCounts) -> Value {
    json!({
        "by": counts.owner.by,
        "name": counts.owner.name,
        "title": counts.owner.title(),
        "findings": counts.findings,
        "objects": counts.objects,
        "frozen": counts.frozen,
        "refused": counts.refused,
        "warned": counts.warned,
    })
}

fn states(counts: &StateCounts) -> Value {
    let StateCounts { fine, warned, refused, frozen } = counts;
    json!({"fine": fine, "warned": warned, "refused": refused, "frozen": frozen})
}

fn namespace(name: &str, levels: &PodLevels, audit: &Collected) -> Value {
    let violation = |level: &str, found: &Violations| {
        (found.pods > 0).then(|| {
            json!({
                "level": level,
                "pods": found.pods,
                "example": found.example,
                "message": found.words().join(", "),
            })
        })
    };
    let violations =
        [violation("baseline", &levels.baseline), violation("restricted", &levels.restricted)];
    json!({
        "name": name,
        "enforce": audit.inventory.enforced.get(name),
        "passes": strictest(levels),
        "pods": levels.pods,
        "violations": violations.into_iter().flatten().collect::<Vec<_>>(),
        "probeHosts": levels.probe_hosts.rows(),
        "probeHostsOmitted": levels.probe_hosts.omitted(),
    })
}

/// The strictest level that all pods of a namespace pass.
pub(super) fn strictest(levels: &PodLevels) -> &'static str {
    match (levels.baseline.pods, levels.restricted.pods) {
        (0, 0) => "restricted",
        (0, _) => "baseline",
        _ => "privileged",
    }
}

/// The parameters of the policy `allow-service-external-ips` that allow what is in use, and nothing else.
pub(super) fn allow_list(audit: &Collected) -> Option<String> {
    let networks = audit.inventory.external_addresses.iter().map(|address| {
        let length = if address.is_ipv4() { 32 } else { 128 };
        format!("{address}/{length}")
    });
    let networks: Vec<String> = networks.collect();
    (!networks.is_empty()).then(|| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: allow-service-external-ips\n  namespace: kube-system\ndata:\n  networks: {}\n",
            networks.join(", ")
        )
    })
}
