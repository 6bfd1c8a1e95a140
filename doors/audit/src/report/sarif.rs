//! The SARIF 2.1.0 report: objects of a cluster are logical locations, and their paths in the API stand for files.

use crate::collector::Collected;
use crate::{Finding, RULES as OWN_RULES, State};
use ratchet_engine::RULES;
use ratchet_formats::{escape_control, sarif};
use serde_json::{Value, json};
use std::io::{self, Write};

pub(crate) fn write(audit: &mut Collected, out: &mut dyn Write) -> io::Result<()> {
    let rules: Vec<Value> = RULES.iter().chain(OWN_RULES).map(|rule| sarif::rule(rule)).collect();
    sarif::begin(out, &rules)?;
    let mut comma = "";
    let is_complete = audit.summary.unseen == 0;
    audit.for_each_finding(|finding, counts| {
        let line = result(finding, &counts.owner.title()).to_string();
        write!(out, "{comma}\n{}", escape_control(&line))?;
        comma = ",";
        Ok(())
    })?;
    sarif::end(out, is_complete)
}

fn result(finding: &Finding, owner: &str) -> Value {
    let level = match finding.state {
        State::Frozen | State::RefusedOnCreate => "error",
        State::Warns => "warning",
    };
    let place = finding.object.path();
    let Finding { field, message, target, state, .. } = finding;
    let mut text =
        format!("{}: {field}: {message}\n{} in {target}", finding.object.title(), state.as_str());
    if let Some(canonical) = &finding.canonical {
        text.push_str(&format!("\nwrite {canonical}"));
    }
    text.push_str(&format!("\nowner: {owner}"));
    json!({
        "ruleId": finding.rule,
        "level": level,
        "message": {"text": text},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": sarif::uri(&place)},
                "region": {"startLine": 1, "startColumn": 1},
            },
            "logicalLocations": [{
                "name": field,
                "kind": "resource",
                "fullyQualifiedName": format!("{place}#{field}"),
            }],
        }],
        "partialFingerprints": {"ratchet/v1": finding.fingerprint},
        "properties": {"state": state.as_str(), "target": target, "owner": owner},
    })
}
