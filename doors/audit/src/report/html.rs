//! The HTML report: everything that was found, as one page.

use super::sections::{ABOUT_MANIFEST, Section, topics};
use crate::collector::Collected;
use crate::page::Violations;
use crate::{Config, OwnerKind, RULES as OWN_RULES, State};
use ratchet_formats::count;
use ratchet_report::{
    Certificate, CertificateState, Count, Finding, LevelResult, NamespaceLevels, Note, ObjectRef,
    Owner, Report, RuleText, StateCount, Subject, Topic, render,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The most findings on the page, the worst first: memory stays bounded, and a browser opens it in a second.
const MOST_FINDINGS: usize = 20_000;

pub(crate) fn write(config: &Config, audit: &mut Collected, out: &mut dyn Write) -> io::Result<()> {
    let mut counts: BTreeMap<(String, String), u64> = BTreeMap::new();
    audit.for_each_finding(|finding, _| {
        *counts.entry((finding.rule.clone(), finding.target.clone())).or_default() += 1;
        Ok(())
    })?;
    let total = counts.values().sum::<u64>();
    let findings = findings(audit, total)?;
    let omitted = total - findings.len() as u64;
    let is_named = |id: &str| counts.keys().any(|(rule, _)| rule == id);
    let all = ratchet_engine::RULES.iter().chain(OWN_RULES);
    let rules = all.filter(|rule| is_named(rule.id)).map(|rule| RuleText {
        id: rule.id.to_owned(),
        title: rule.title.to_owned(),
        demands: rule.demands.to_owned(),
        fix: rule.fix.to_owned(),
    });
    let behavior = config.targets.first().map(|target| target.api_config.behavior.to_string());
    let mut notes = notes(audit);
    if omitted > 0 {
        notes.push(Note {
            is_gap: false,
            text: format!("not on this page: {}, the mildest", count(omitted, "finding")),
            fix: "-o json has them all".to_owned(),
        });
    }
    let report = Report {
        subject: Subject::Cluster,
        title: format!("Audit of {}", audit.input.title()),
        source: audit.input.title(),
        time: Some(config.now),
        generator: concat!("ratchet ", env!("CARGO_PKG_VERSION")).to_owned(),
        targets: config.targets.iter().map(|target| target.name.clone()).collect(),
        behavior: behavior.unwrap_or_default(),
        objects: audit.summary.objects,
        findings,
        omitted,
        states: if omitted > 0 { states(config, audit) } else { Vec::new() },
        rules: rules.collect(),
        counts: counts
            .into_iter()
            .map(|((rule, target), number)| Count { rule, target, number })
            .collect(),
        namespaces: namespaces(audit),
        certificates: config.kubelets.as_ref().map(certificates).unwrap_or_default(),
        notes,
        topics: topics(audit).into_iter().map(topic).collect(),
    };
    out.write_all(render(&report).as_bytes())
}

/// The findings of the page: all of them or, of very many, the worst.
fn findings(audit: &mut Collected, total: u64) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let all = [State::Frozen, State::RefusedOnCreate, State::Warns];
    let rounds: Vec<&[State]> = match total <= MOST_FINDINGS as u64 {
        true => vec![&all],
        false => all.chunks(1).collect(),
    };
    for states in rounds {
        audit.for_each_finding(|finding, counts| {
            if findings.len() < MOST_FINDINGS && states.contains(&finding.state) {
                findings.push(listed(finding, &counts.owner));
            }
            Ok(())
        })?;
    }
    Ok(findings)
}

fn listed(finding: &crate::Finding, by: &crate::Owner) -> Finding {
    let object = &finding.object;
    Finding {
        object: ObjectRef {
            api_version: object.api_version.clone(),
            kind: object.kind.clone(),
            namespace: object.namespace.clone(),
            name: object.name.clone(),
        },
        owner: owner(by),
        field: finding.field.clone(),
        value: finding.value.clone(),
        fix: finding.canonical.clone(),
        hint: finding.hint.clone(),
        rule: finding.rule.clone(),
        state: state(finding.state),
        message: finding.message.clone(),
        location: None,
        target: finding.target.clone(),
    }
}

fn state(state: State) -> ratchet_report::State {
    match state {
        State::Frozen => ratchet_report::State::Frozen,
        State::RefusedOnCreate => ratchet_report::State::RefusedOnCreate,
        State::Warns => ratchet_report::State::Warns,
    }
}

/// Objects by their worst state under each target.
fn states(config: &Config, audit: &Collected) -> Vec<StateCount> {
    let of_target = |(target, counts): (&crate::Target, &crate::StateCounts)| {
        let rows = [
            (State::Frozen, counts.frozen),
            (State::RefusedOnCreate, counts.refused),
            (State::Warns, counts.warned),
        ];
        let target = target.name.clone();
        rows.map(|(worst, number)| StateCount {
            target: target.clone(),
            state: state(worst),
            number,
        })
    };
    config.targets.iter().zip(&audit.summary.targets).flat_map(of_target).collect()
}

fn owner(owner: &crate::Owner) -> Owner {
    let kind = match owner.by {
        OwnerKind::Helm => ratchet_report::OwnerKind::HelmRelease,
        OwnerKind::Argocd => ratchet_report::OwnerKind::ArgoCd,
        OwnerKind::Flux => ratchet_report::OwnerKind::Flux,
        OwnerKind::Controller => ratchet_report::OwnerKind::Controller,
        OwnerKind::Applied => ratchet_report::OwnerKind::LastApplied,
        OwnerKind::Manager => ratchet_report::OwnerKind::Manager,
        OwnerKind::None => ratchet_report::OwnerKind::Unknown,
    };
    Owner { kind, name: owner.name.clone() }
}

fn namespaces(audit: &Collected) -> Vec<NamespaceLevels> {
    let result =
        |found: &Violations| LevelResult { violations: found.pods, reasons: found.words() };
    let row = |(name, levels): (&String, &crate::page::PodLevels)| NamespaceLevels {
        namespace: name.clone(),
        pods: levels.pods,
        enforced: audit.inventory.enforced.get(name).and_then(|text| text.parse().ok()),
        baseline: result(&levels.baseline),
        restricted: result(&levels.restricted),
    };
    audit.inventory.namespaces.iter().map(row).collect()
}

/// What could not be seen, and what is not listed.
fn notes(audit: &Collected) -> Vec<Note> {
    let missing = audit.missing.iter().map(|missing| Note {
        is_gap: true,
        text: missing.sentence(),
        fix: format!("allow `{}` on {} (deploy/audit/rbac.yaml)", missing.verb, missing.resource),
    });
    let unreadable = audit.inventory.unreadable.rows().iter().map(|why| Note {
        is_gap: true,
        text: format!("cannot be read: {why}"),
        fix: String::new(),
    });
    let omitted = audit.inventory.unreadable.omitted();
    let rest = (omitted > 0).then(|| Note {
        is_gap: true,
        text: format!("cannot be read: {omitted} more"),
        fix: String::new(),
    });
    let cut = audit.inventory.omitted_findings;
    let cut = (cut > 0).then(|| Note {
        is_gap: false,
        text: format!("{} of objects with very many are not listed", count(cut, "finding")),
        fix: String::new(),
    });
    missing.chain(unreadable).chain(rest).chain(cut).collect()
}

fn topic(section: Section) -> Topic {
    let Section { title, rows, omitted, manifest } = section;
    let manifest = manifest.map(|text| (ABOUT_MANIFEST.to_owned(), text)).unwrap_or_default();
    Topic { title, rows, omitted, manifest }
}

/// The certificates of a report of `ratchet kubelet-certs -o json`.
fn certificates(report: &Value) -> Vec<Certificate> {
    let nodes = report.get("nodes").and_then(Value::as_array);
    nodes.into_iter().flatten().map(certificate).collect()
}

fn certificate(node: &Value) -> Certificate {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let texts = |value: Option<&Value>| -> Vec<String> {
        let items = value.and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let found = node.get("certificate");
    let of = |name: &str| found.and_then(|found| found.get(name));
    let time = |name: &str| -> Option<i64> {
        let time: jiff::Timestamp = of(name)?.as_str()?.parse().ok()?;
        Some(time.as_second())
    };
    let findings = node.get("findings").and_then(Value::as_array);
    let findings: Vec<&Value> = findings.into_iter().flatten().collect();
    let state = match text(node.get("outcome")).as_str() {
        "passes" if findings.is_empty() => CertificateState::Passes,
        "passes" => CertificateState::Warns,
        "would fail" => CertificateState::WouldFail,
        _ => CertificateState::Unknown,
    };
    let message = |row: &&Value| format!("{}: {}", text(row.get("rule")), text(row.get("message")));
    Certificate {
        node: text(node.get("name")),
        subject: text(of("subject")),
        names: texts(of("dnsNames")).into_iter().chain(texts(of("ipAddresses"))).collect(),
        issuer: text(of("issuer")),
        not_before: time("notBefore"),
        not_after: time("notAfter"),
        state,
        messages: findings.iter().map(message).collect(),
        fixes: findings.iter().flat_map(|row| texts(row.get("fix"))).collect(),
    }
}
