//! Metrics for node_exporter's textfile collector, or for a Pushgateway.

use crate::Config;
use crate::collector::Collected;
use ratchet_formats::{label_value, metric_head, visible};
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(crate) fn write(config: &Config, audit: &mut Collected, out: &mut dyn Write) -> io::Result<()> {
    let objects = "ratchet_audit_objects";
    metric_head(out, objects, "Stored objects by the worst that the target does to them.")?;
    for (target, counts) in config.targets.iter().zip(&audit.summary.targets) {
        let rows = [
            ("fine", counts.fine),
            ("warns", counts.warned),
            ("refused-on-create", counts.refused),
            ("frozen", counts.frozen),
        ];
        for (state, number) in rows {
            writeln!(out, "{objects}{{target=\"{}\",state=\"{state}\"}} {number}", target.name)?;
        }
    }
    let mut rows: BTreeMap<(String, String, &str, String), u64> = BTreeMap::new();
    audit.for_each_finding(|finding, counts| {
        let (rule, target) = (finding.rule.clone(), finding.target.clone());
        *rows.entry((rule, target, finding.state.as_str(), counts.owner.title())).or_default() += 1;
        Ok(())
    })?;
    let findings = "ratchet_audit_findings";
    metric_head(out, findings, "Findings by rule, target, state and owner.")?;
    for ((rule, target, state, owner), number) in rows {
        writeln!(
            out,
            "{findings}{{rule=\"{rule}\",target=\"{}\",state=\"{state}\",owner=\"{}\"}} {number}",
            label_value(&target),
            label_value(&visible(&owner))
        )?;
    }
    let external = "ratchet_audit_external_ip_services";
    metric_head(out, external, "Services with external IPs.")?;
    writeln!(out, "{external} {}", audit.inventory.external_ips.total())?;
    let level = "ratchet_audit_namespace_passes";
    metric_head(out, level, "Whether all pods of a namespace pass a Pod Security level.")?;
    for (name, levels) in &audit.inventory.namespaces {
        let name = label_value(&visible(name));
        for (title, found) in [("baseline", &levels.baseline), ("restricted", &levels.restricted)] {
            let passes = u8::from(found.pods == 0);
            writeln!(out, "{level}{{namespace=\"{name}\",level=\"{title}\"}} {passes}")?;
        }
    }
    let unseen = "ratchet_audit_unseen";
    metric_head(out, unseen, "Lists and documents that could not be read.")?;
    writeln!(out, "{unseen} {}", audit.summary.unseen)?;
    let time = "ratchet_audit_time_seconds";
    metric_head(out, time, "When the audit was made, in seconds since 1970.")?;
    writeln!(out, "{time} {}", config.now)
}
