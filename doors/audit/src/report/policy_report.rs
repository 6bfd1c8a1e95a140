//! PolicyReport and ClusterPolicyReport objects (`wgpolicyk8s.io/v1alpha2`), one for each namespace, as a list.

use crate::Config;
use crate::collector::Collected;
use crate::{Finding, State};
use ratchet_formats::escape_control;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The most results in one object: etcd takes a megabyte and a half.
const MOST_RESULTS: usize = 1000;

pub(crate) fn write(config: &Config, audit: &mut Collected, out: &mut dyn Write) -> io::Result<()> {
    let mut reports: BTreeMap<String, Results> = BTreeMap::new();
    let mut number = 0;
    audit.for_each_finding(|finding, _| {
        let report = reports.entry(finding.object.namespace.clone()).or_default();
        match outcome(finding) {
            "fail" => report.fail += 1,
            _ => report.warn += 1,
        }
        if report.rows.len() < MOST_RESULTS {
            report.rows.push(number);
        }
        number += 1;
        Ok(())
    })?;
    write!(out, "{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[")?;
    let mut comma = "";
    for (namespace, Results { fail, warn, rows }) in reports {
        let mut results = Vec::new();
        audit.for_some_findings(&rows, |finding, counts| {
            results.push(result(config, finding, &counts.owner.title()));
            Ok(())
        })?;
        let mut metadata = json!({"name": "ratchet-audit"});
        if let (false, Some(members)) = (namespace.is_empty(), metadata.as_object_mut()) {
            members.insert("namespace".into(), json!(namespace));
        }
        let kind = if namespace.is_empty() { "ClusterPolicyReport" } else { "PolicyReport" };
        let report = json!({
            "apiVersion": "wgpolicyk8s.io/v1alpha2",
            "kind": kind,
            "metadata": metadata,
            "summary": {"pass": 0, "fail": fail, "warn": warn, "error": 0, "skip": 0},
            "results": results,
        });
        write!(out, "{comma}\n{}", escape_control(&report.to_string()))?;
        comma = ",";
    }
    writeln!(out, "\n]}}")
}

/// The results of one namespace; the findings themselves are read when they are written.
#[derive(Default)]
struct Results {
    fail: u64,
    warn: u64,
    /// Numbers of findings.
    rows: Vec<usize>,
}

fn outcome(finding: &Finding) -> &'static str {
    match finding.state {
        State::Warns => "warn",
        State::RefusedOnCreate | State::Frozen => "fail",
    }
}

fn result(config: &Config, finding: &Finding, owner: &str) -> Value {
    let severity = match finding.state {
        State::Frozen => "high",
        State::RefusedOnCreate => "medium",
        State::Warns => "low",
    };
    let Finding { object, field, message, .. } = finding;
    json!({
        "source": "ratchet",
        "policy": finding.rule,
        "rule": finding.state.as_str(),
        "category": format!("Kubernetes {}", finding.target),
        "result": outcome(finding),
        "severity": severity,
        "message": if field.is_empty() { message.clone() } else { format!("{field}: {message}") },
        "timestamp": {"seconds": config.now, "nanos": 0},
        "resources": [{
            "apiVersion": object.api_version,
            "kind": object.kind,
            "namespace": object.namespace,
            "name": object.name,
            "uid": object.uid,
        }],
        "properties": {
            "field": field,
            "value": finding.value.as_deref().unwrap_or_default(),
            "canonical": finding.canonical.as_deref().unwrap_or_default(),
            "owner": owner,
        },
    })
}
