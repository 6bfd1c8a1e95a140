//! The audit of one kubelet: findings about its certificate and whether enforcement would refuse it.

use crate::dial::ProbeResult;
use crate::gather::{AuditCase, Observation};
use crate::minting;
use crate::nodes::Kubelet;
use crate::proxy::ProxyResult;
use crate::rule::{self, Rule, Weight};
use crate::trust::Authority;
use ratchet_certificate::{Facts, Shape};
use std::path::PathBuf;

/// The result of the audit for one node.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditedNode {
    /// The kubelet of the node.
    pub kubelet: Kubelet,
    /// How the certificate was obtained: `direct`, `proxy`, `file`, or `none`.
    pub via: &'static str,
    /// The certificate's file.
    pub file: Option<PathBuf>,
    /// The certificate's contents, if one was obtained.
    pub facts: Option<Box<Facts>>,
    /// How the kubelet got its certificate.
    pub shape: Option<&'static Shape>,
    /// Whether the API server's current verification accepts it; none without an authority or a certificate.
    pub today: Option<Result<(), String>>,
    /// The effect of enforcement.
    pub outcome: Outcome,
    /// The findings; those that fail come first.
    pub findings: Vec<Finding>,
    /// Further evidence about the certificate.
    pub evidence: Vec<String>,
}

/// The effect of enforcement on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Connections pass.
    Passes,
    /// Connections to this kubelet would fail.
    WouldFail,
    /// Not enough is known.
    Unknown,
}

impl Outcome {
    /// The name of the outcome in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passes => "passes",
            Self::WouldFail => "would fail",
            Self::Unknown => "unknown",
        }
    }
}

/// A violated rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that was violated.
    pub rule: &'static Rule,
    /// Details of the violation.
    pub message: String,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

impl AuditedNode {
    /// The outcome with its reasons: `would fail: common name, expired`.
    pub fn verdict(&self) -> String {
        let weight = match self.outcome {
            Outcome::Passes => return self.outcome.as_str().to_owned(),
            Outcome::WouldFail => Weight::Fails,
            Outcome::Unknown => Weight::Unknown,
        };
        let reasons = self.findings.iter().filter(|finding| finding.rule.weight == weight);
        let reasons: Vec<&str> = reasons.map(|finding| finding.rule.short).collect();
        format!("{}: {}", self.outcome.as_str(), reasons.join(", "))
    }

    /// The steps that fix a finding.
    pub fn fix(&self, finding: &Finding) -> Vec<String> {
        let known = self.shape.map(|shape| shape.fix).filter(|fix| !fix.is_empty());
        match known {
            Some(steps) if finding.rule == &rule::NAME => steps
                .iter()
                .map(|step| step.replace("<node>", self.kubelet.node.as_str()))
                .collect(),
            _ => vec![finding.rule.fix.to_owned()],
        }
    }
}

/// The context in which certificates are audited.
pub(crate) struct Auditor {
    pub(crate) authority: Option<Authority>,
    pub(crate) now: i64,
    /// In seconds.
    pub(crate) warn_within: i64,
}

/// Percentage of a certificate's lifetime by which every kubelet has requested the next: they do it at 70 to 90 %.
const LATEST_ROTATION: i64 = 90;

impl Auditor {
    /// Audits one kubelet.
    pub(crate) fn judge(&self, case: AuditCase) -> AuditedNode {
        let AuditCase { kubelet, observation, evidence, authorities, same_endpoint } = case;
        let mut audited = AuditedNode {
            kubelet,
            via: "none",
            file: None,
            facts: None,
            shape: None,
            today: None,
            outcome: Outcome::Passes,
            findings: Vec::new(),
            evidence,
        };
        match observation {
            Observation::Dialled(probe) => {
                audited.via = "direct";
                self.probe_findings(&mut audited, probe, &rule::SILENT);
            }
            Observation::File(file, probe) => {
                (audited.via, audited.file) = ("file", Some(file));
                self.probe_findings(&mut audited, probe, &rule::NOT_COLLECTED);
            }
            Observation::Proxied { proxied, direct } => {
                audited.via = "proxy";
                through_proxy(&mut audited, proxied, direct);
            }
            Observation::NoFile => {
                audited.add_finding(&rule::NOT_COLLECTED, rule::NOT_COLLECTED.title);
            }
            Observation::NoAddress => {
                let known: Vec<String> = audited
                    .kubelet
                    .addresses
                    .iter()
                    .map(|one| format!("{} {}", one.kind, one.text))
                    .collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                audited.add_finding(
                    &rule::NO_ADDRESS,
                    format!("{}; its addresses: {known}", rule::NO_ADDRESS.title),
                );
            }
            Observation::NoNode => audited.add_finding(&rule::NO_NODE, rule::NO_NODE.title),
        }
        for message in authorities {
            audited.add_finding(&rule::AUTHORITY_ISSUED, message);
        }
        if !same_endpoint.is_empty() {
            let endpoint = audited.kubelet.endpoint().unwrap_or_default();
            audited.add_finding(
                &rule::SHARED,
                format!("{endpoint} is reported by {} too", same_endpoint.join(", ")),
            );
        }
        audited.set_outcome();
        audited
    }

    fn probe_findings(&self, audited: &mut AuditedNode, probe: ProbeResult, failed: &'static Rule) {
        match probe {
            ProbeResult::Failed(why) => audited.add_finding(failed, why),
            ProbeResult::NotTls(why) => audited.add_finding(&rule::NO_TLS, why),
            ProbeResult::Presented { chain, proof } => {
                if let Err(why) = proof {
                    audited.add_finding(&rule::UNUSABLE, format!("the handshake fails: {why}"));
                }
                self.certificate_findings(audited, &chain);
            }
        }
    }

    fn certificate_findings(&self, audited: &mut AuditedNode, chain: &[Vec<u8>]) {
        let leaf = chain.first().map(Vec::as_slice).unwrap_or_default();
        let facts = match Facts::from_der(leaf) {
            Ok(facts) => facts,
            Err(why) => return audited.add_finding(&rule::UNUSABLE, why.to_string()),
        };
        let shape = Shape::of(&facts, &audited.kubelet.node);
        audited.shape = Some(shape);
        name(audited, leaf);
        let host = address(audited, &facts);
        let time = self.time(audited, &facts, shape);
        if !facts.may_serve() {
            let usages: Vec<String> = facts.usages.iter().map(ToString::to_string).collect();
            audited.add_finding(&rule::USAGE, format!("it is for {} only", usages.join(", ")));
        }
        if facts.is_self_issued {
            let rule =
                if self.authority.is_some() { &rule::SELF_SIGNED } else { &rule::UNANCHORED };
            audited.add_finding(rule, format!("issuer and subject are both {:?}", facts.issuer));
        }
        let is_trusted = |one: &[u8]| self.authority.as_ref().is_some_and(|all| all.contains(one));
        for message in minting::issued_authorities(chain, is_trusted) {
            audited.add_finding(&rule::AUTHORITY_ISSUED, message);
        }
        if let Some(authority) = &self.authority {
            let trusted = self.trusted(audited, &facts, authority, chain);
            audited.today = Some(time.and(trusted).and(host));
        }
        audited.facts = Some(Box::new(facts));
    }

    fn time(&self, audited: &mut AuditedNode, facts: &Facts, shape: &Shape) -> Result<(), String> {
        if self.now > facts.not_after {
            audited.add_finding(
                &rule::EXPIRED,
                format!("it expired {} ago", span(self.now.saturating_sub(facts.not_after))),
            );
            return Err("the certificate has expired".to_owned());
        }
        if self.now < facts.not_before {
            audited.add_finding(
                &rule::EARLY,
                format!("it begins in {}", span(facts.not_before.saturating_sub(self.now))),
            );
            return Err("the certificate is not valid yet".to_owned());
        }
        let left = facts.not_after.saturating_sub(self.now);
        let rotates = shape.id == "csr-issued";
        let is_overdue = rotates && facts.age(self.now) > LATEST_ROTATION;
        if is_overdue {
            audited.add_finding(
                &rule::OVERDUE,
                format!("{} % of its life is over, {} are left", facts.age(self.now), span(left)),
            );
        }
        // Short validity is normal for a kubelet that rotates in time.
        if left < self.warn_within && (!rotates || is_overdue) {
            audited.add_finding(&rule::SOON, format!("it expires in {}", span(left)));
        }
        Ok(())
    }

    fn trusted(
        &self,
        audited: &mut AuditedNode,
        facts: &Facts,
        authority: &Authority,
        chain: &[Vec<u8>],
    ) -> Result<(), String> {
        if !facts.may_serve() {
            return Err("the certificate is not for servers".to_owned());
        }
        // The leaf's validity is checked separately; here it would hide other errors.
        let time = self.now.max(facts.not_before).min(facts.not_after);
        let done = authority.verify(chain, time);
        if let Err(why) = &done {
            audited.add_finding(
                &rule::AUTHORITY,
                format!("{why}; it was issued by {:?}", facts.issuer),
            );
        }
        done
    }
}

fn name(audited: &mut AuditedNode, leaf: &[u8]) {
    if let Err(fault) = audited.kubelet.node.is_borne_by(leaf) {
        let presented = fault.presented();
        let message =
            format!("it presents {presented}, and would have to present {:?}", fault.expected);
        audited.add_finding(&rule::NAME, message);
    }
}

fn address(audited: &mut AuditedNode, facts: &Facts) -> Result<(), String> {
    let Some(host) = audited.kubelet.host.clone() else { return Ok(()) };
    if facts.speaks_for(&host) {
        return Ok(());
    }
    let names = facts.dns_names.iter().map(|name| format!("DNS {name}"));
    let names: Vec<String> =
        names.chain(facts.addresses.iter().map(|one| format!("IP {one}"))).collect();
    let names = if names.is_empty() { "nobody".to_owned() } else { names.join(", ") };
    audited.add_finding(
        &rule::ADDRESS,
        format!("the API server dials {host:?}, the certificate speaks for {names}"),
    );
    Err(format!("the certificate is not valid for {host:?}"))
}

fn through_proxy(audited: &mut AuditedNode, proxied: ProxyResult, direct: Option<String>) {
    if let Some(why) = direct {
        audited.evidence.insert(0, format!("dialled directly: {why}"));
    }
    match proxied {
        ProxyResult::Refused(message) => {
            audited.today = Some(Err(message.clone()));
            audited.add_finding(&rule::REFUSED, message);
        }
        ProxyResult::Reached => audited.add_finding(
            &rule::PROXIED,
            "the API server reaches the kubelet: its own verification passes, or it verifies nothing; the common name is not visible this way",
        ),
        ProxyResult::Failed(why) => audited.add_finding(&rule::SILENT, why),
    }
}

impl AuditedNode {
    fn add_finding(&mut self, rule: &'static Rule, message: impl Into<String>) {
        self.findings.push(Finding { rule, message: message.into() });
    }

    /// Sorts the findings and derives the outcome from the worst.
    fn set_outcome(&mut self) {
        self.findings.sort_by_key(|finding| finding.rule.weight);
        self.outcome = match self.findings.first().map(|finding| finding.rule.weight) {
            Some(Weight::Fails) => Outcome::WouldFail,
            Some(Weight::Unknown) => Outcome::Unknown,
            Some(Weight::Warns) | None => Outcome::Passes,
        };
    }
}

/// `3 days`, `5 hours`, `40 seconds`.
pub(crate) fn span(seconds: i64) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let (size, unit) =
        units.into_iter().find(|&(size, _)| seconds >= size).unwrap_or((1, "second"));
    let number = seconds / size;
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

#[cfg(test)]
mod tests;
