//! The JSON report, in a versioned format.

use super::text::time;
use crate::judge::{AuditedNode, Finding};
use crate::{Config, Summary, Weight};
use ratchet_certificate::Facts;
use ratchet_formats::escape_control;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The version of the format: it changes when a member is renamed or removed.
const VERSION: &str = "ratchet.kubelet-certs/v1";

pub(crate) fn write(
    config: &Config,
    audited: &[AuditedNode],
    summary: &Summary,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(
        out,
        "{{\n\"version\": \"{VERSION}\",\n\"time\": \"{}\",\n\"nodes\": [",
        time(config.now)
    )?;
    for (at, one) in audited.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(out, "{comma}\n{}", escape_control(&node(one).to_string()))?;
    }
    let numbers = json!({
        "nodes": summary.nodes,
        "pass": summary.pass,
        "fail": summary.fail,
        "unknown": summary.unknown,
        "warned": summary.warned,
        "isSafe": summary.exit_code() == 0,
    });
    writeln!(out, "\n],\n\"summary\": {numbers}\n}}")
}

fn node(one: &AuditedNode) -> Value {
    let today = one.today.as_ref().map(|today| match today {
        Ok(()) => json!({"passes": true, "message": null}),
        Err(why) => json!({"passes": false, "message": why}),
    });
    let addresses = one.kubelet.addresses.iter().map(|address| {
        let in_certificate = one.facts.as_ref().map(|facts| facts.speaks_for(&address.text));
        json!({"type": address.kind, "address": address.text, "inCertificate": in_certificate})
    });
    json!({
        "name": one.kubelet.node.as_str(),
        "dials": one.kubelet.endpoint(),
        "via": one.via,
        "file": one.file.as_ref().map(|file| file.display().to_string()),
        "addresses": addresses.collect::<Vec<_>>(),
        "expectedCommonName": one.kubelet.node.common_name(),
        "certificate": one.facts.as_ref().map(|facts| certificate(facts)),
        "shape": one.shape.map(|shape| shape.id),
        "today": today,
        "outcome": one.outcome.as_str(),
        "verdict": one.verdict(),
        "findings": one.findings.iter().map(|finding| finding_json(one, finding)).collect::<Vec<_>>(),
        "evidence": one.evidence,
    })
}

fn certificate(facts: &Facts) -> Value {
    json!({
        "commonNames": facts.common_names,
        "organizations": facts.organizations,
        "subject": facts.subject,
        "issuer": facts.issuer,
        "dnsNames": facts.dns_names,
        "ipAddresses": facts.addresses.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "notBefore": time(facts.not_before),
        "notAfter": time(facts.not_after),
        "selfSigned": facts.is_self_issued,
        "isCA": facts.is_ca,
        "serial": facts.serial,
        "key": facts.key.to_string(),
        "usages": facts.usages.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn finding_json(one: &AuditedNode, finding: &Finding) -> Value {
    let weight = match finding.rule.weight {
        Weight::Fails => "fails",
        Weight::Unknown => "unknown",
        Weight::Warns => "warning",
    };
    json!({
        "rule": finding.rule.id,
        "weight": weight,
        "title": finding.rule.title,
        "message": finding.message,
        "fix": one.fix(finding),
    })
}
