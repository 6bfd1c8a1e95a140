//! The HTML report: one file for people, with a timeline of expiry.

use super::text::time;
use crate::judge::{AuditedNode, Outcome};
use crate::{Config, RULES, Source, Weight};
use ratchet_report::{
    Certificate, CertificateState, Finding, ObjectRef, Owner, OwnerKind, Report, RuleText, State,
    Subject, render,
};
use std::io::{self, Write};

pub(crate) fn write(
    config: &Config,
    audited: &[AuditedNode],
    out: &mut dyn Write,
) -> io::Result<()> {
    let used = |id: &str| {
        audited.iter().any(|one| one.findings.iter().any(|finding| finding.rule.id == id))
    };
    let report = Report {
        subject: Subject::Kubelets,
        title: "Serving certificates of kubelets".to_owned(),
        source: match &config.source {
            Source::Live(live) => {
                let context = live.connection.context.as_deref().unwrap_or("current");
                format!("context {context}")
            }
            Source::Offline(folder) => folder.display().to_string(),
        },
        time: Some(config.now),
        generator: concat!("ratchet ", env!("CARGO_PKG_VERSION")).to_owned(),
        objects: audited.len() as u64,
        findings: audited.iter().flat_map(findings).collect(),
        rules: RULES
            .iter()
            .filter(|rule| used(rule.id))
            .map(|rule| RuleText {
                id: rule.id.to_owned(),
                title: rule.title.to_owned(),
                demands: rule.why.to_owned(),
                fix: rule.fix.to_owned(),
            })
            .collect(),
        certificates: audited.iter().map(certificate).collect(),
        ..Report::default()
    };
    out.write_all(render(&report).as_bytes())
}

fn findings(one: &AuditedNode) -> impl Iterator<Item = Finding> + '_ {
    let node = one.kubelet.node.as_str();
    one.findings.iter().map(move |finding| Finding {
        object: ObjectRef {
            api_version: "v1".to_owned(),
            kind: "Node".to_owned(),
            name: node.to_owned(),
            ..ObjectRef::default()
        },
        owner: Owner { kind: OwnerKind::Node, name: node.to_owned() },
        value: one.facts.as_ref().map(|facts| facts.subject.clone()),
        hint: Some(one.fix(finding).join("; ")),
        rule: finding.rule.id.to_owned(),
        state: match finding.rule.weight {
            Weight::Fails => State::Error,
            Weight::Unknown | Weight::Warns => State::Warning,
        },
        message: finding.message.clone(),
        ..Finding::default()
    })
}

fn certificate(one: &AuditedNode) -> Certificate {
    let state = match one.outcome {
        Outcome::WouldFail => CertificateState::WouldFail,
        Outcome::Unknown => CertificateState::Unknown,
        Outcome::Passes if one.findings.is_empty() => CertificateState::Passes,
        Outcome::Passes => CertificateState::Warns,
    };
    let facts = one.facts.as_deref();
    let messages = one.findings.iter().map(|one| format!("{} ({})", one.message, one.rule.id));
    let mut fixes: Vec<String> = one.findings.iter().flat_map(|finding| one.fix(finding)).collect();
    fixes.dedup();
    let mut names = Vec::new();
    if let Some(facts) = facts {
        names.extend(facts.dns_names.iter().cloned());
        names.extend(facts.addresses.iter().map(ToString::to_string));
    }
    let validity = facts
        .map(|facts| format!("valid from {} to {}", time(facts.not_before), time(facts.not_after)));
    Certificate {
        node: one.kubelet.node.as_str().to_owned(),
        subject: facts.map(|facts| facts.subject.clone()).unwrap_or_default(),
        names,
        issuer: facts.map(|facts| facts.issuer.clone()).unwrap_or_default(),
        not_before: facts.map(|facts| facts.not_before),
        not_after: facts.map(|facts| facts.not_after),
        state,
        messages: messages.chain(one.evidence.iter().cloned()).chain(validity).collect(),
        fixes,
    }
}
