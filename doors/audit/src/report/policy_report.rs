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

/// The annotation with the number of results that an object does not list.
const OMITTED: &str = "ratchet/omitted";

pub(crate) fn write(config: &Config, audit: &mut Collected, out: &mut dyn Write) -> io::Result<()> {
    let mut reports: BTreeMap<String, Results> = BTreeMap::new();
    let mut number = 0;
    audit.for_each_finding(|finding, _| {
        let report = reports.entry(finding.object.namespace.clone()).or_default();
        match outcome(finding) {
            "fail" => report.fail += 1,
            _ => report.warn += 1,
        }
        report.add(finding.state, number);
        number += 1;
        Ok(())
    })?;
    write!(out, "{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[")?;
    let mut comma = "";
    for (namespace, report) in reports {
        let (Results { fail, warn, .. }, worst) = (&report, report.worst());
        let omitted = fail + warn - worst.len() as u64;
        let mut results = Vec::new();
        audit.for_some_findings(&worst, |finding, counts| {
            results.push(result(config, finding, &counts.owner.title()));
            Ok(())
        })?;
        let mut metadata = json!({"name": "ratchet-audit"});
        if let (false, Some(members)) = (namespace.is_empty(), metadata.as_object_mut()) {
            members.insert("namespace".into(), json!(namespace));
        }
        if let (1.., Some(members)) = (omitted, metadata.as_object_mut()) {
            members.insert("annotations".into(), json!({OMITTED: omitted.to_string()}));
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
    /// Numbers of findings, the first of each state, the worst state first.
    rows: [Vec<usize>; 3],
}

impl Results {
    fn add(&mut self, state: State, number: usize) {
        let [frozen, refused, warned] = &mut self.rows;
        let rows = match state {
            State::Frozen => frozen,
            State::RefusedOnCreate => refused,
            State::Warns => warned,
        };
        if rows.len() < MOST_RESULTS {
            rows.push(number);
        }
    }

    /// The findings that are listed.
    fn worst(&self) -> Vec<usize> {
        self.rows.iter().flatten().copied().take(MOST_RESULTS).collect()
    }
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
