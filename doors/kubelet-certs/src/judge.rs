//! What enforcement would do with one kubelet, and everything else that there is to say about its certificate.

use crate::dial::Seen;
use crate::gather::{Case, Witness};
use crate::minting;
use crate::nodes::Kubelet;
use crate::proxy::Proxied;
use crate::rule::{self, Rule, Weight};
use crate::trust::Authority;
use ratchet_certificate::{Facts, Shape};
use std::path::PathBuf;

/// What there is to say about one kubelet.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Whose certificate it is.
    pub kubelet: Kubelet,
    /// How it was seen: `direct`, `proxy`, `file`, or `none`.
    pub via: &'static str,
    /// The file it was read from.
    pub file: Option<PathBuf>,
    /// What stands in the certificate, if one was seen.
    pub facts: Option<Box<Facts>>,
    /// How the kubelet came by it.
    pub shape: Option<&'static Shape>,
    /// Whether the API server's verification accepts it today; none if no authority was named or no certificate seen.
    pub today: Option<Result<(), String>>,
    /// What enforcement would do.
    pub outcome: Outcome,
    /// What was found, what fails first.
    pub findings: Vec<Finding>,
    /// What else is known about it.
    pub evidence: Vec<String>,
}

/// What enforcement would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Let it through.
    Passes,
    /// Let connections to this kubelet fail.
    WouldFail,
    /// It cannot be told.
    Unknown,
}

impl Outcome {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passes => "passes",
            Self::WouldFail => "would fail",
            Self::Unknown => "unknown",
        }
    }
}

/// Something to say about a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub rule: &'static Rule,
    /// What was seen.
    pub message: String,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

impl Judged {
    /// `would fail: common name, expired`.
    pub fn verdict(&self) -> String {
        let weight = match self.outcome {
            Outcome::Passes => return self.outcome.word().to_owned(),
            Outcome::WouldFail => Weight::Fails,
            Outcome::Unknown => Weight::Unknown,
        };
        let reasons = self.findings.iter().filter(|finding| finding.rule.weight == weight);
        let reasons: Vec<&str> = reasons.map(|finding| finding.rule.short).collect();
        format!("{}: {}", self.outcome.word(), reasons.join(", "))
    }

    /// What to do about a finding: one step each.
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

/// What certificates are held against.
pub(crate) struct Measure {
    pub(crate) authority: Option<Authority>,
    pub(crate) now: i64,
    /// In seconds.
    pub(crate) warn_within: i64,
}

/// So much of a certificate's life is over when every kubelet has asked for the next: they do it at 70 to 90 %.
const LATEST_ROTATION: i64 = 90;

impl Measure {
    /// Judges one kubelet.
    pub(crate) fn judge(&self, case: Case) -> Judged {
        let Case { kubelet, witness, evidence, authorities, shares } = case;
        let mut judged = Judged {
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
        match witness {
            Witness::Dialled(seen) => {
                judged.via = "direct";
                self.seen(&mut judged, seen, &rule::SILENT);
            }
            Witness::File(file, seen) => {
                (judged.via, judged.file) = ("file", Some(file));
                self.seen(&mut judged, seen, &rule::NOT_COLLECTED);
            }
            Witness::Proxied { proxied, direct } => {
                judged.via = "proxy";
                through_proxy(&mut judged, proxied, direct);
            }
            Witness::NoFile => judged.say(&rule::NOT_COLLECTED, rule::NOT_COLLECTED.title),
            Witness::NoAddress => {
                let known: Vec<String> = judged
                    .kubelet
                    .addresses
                    .iter()
                    .map(|one| format!("{} {}", one.kind, one.text))
                    .collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                judged.say(
                    &rule::NO_ADDRESS,
                    format!("{}; its addresses: {known}", rule::NO_ADDRESS.title),
                );
            }
            Witness::NoNode => judged.say(&rule::NO_NODE, rule::NO_NODE.title),
        }
        for told in authorities {
            judged.say(&rule::AUTHORITY_ISSUED, told);
        }
        if !shares.is_empty() {
            let endpoint = judged.kubelet.endpoint().unwrap_or_default();
            judged
                .say(&rule::SHARED, format!("{endpoint} is reported by {} too", shares.join(", ")));
        }
        judged.settle();
        judged
    }

    fn seen(&self, judged: &mut Judged, seen: Seen, nothing: &'static Rule) {
        match seen {
            Seen::Nothing(why) => judged.say(nothing, why),
            Seen::NotTls(why) => judged.say(&rule::NO_TLS, why),
            Seen::Presented { chain, proof } => {
                if let Err(why) = proof {
                    judged.say(&rule::UNUSABLE, format!("the handshake fails: {why}"));
                }
                self.presented(judged, &chain);
            }
        }
    }

    fn presented(&self, judged: &mut Judged, chain: &[Vec<u8>]) {
        let leaf = chain.first().map(Vec::as_slice).unwrap_or_default();
        let facts = match Facts::read(leaf) {
            Ok(facts) => facts,
            Err(why) => return judged.say(&rule::UNUSABLE, why.to_string()),
        };
        let shape = Shape::of(&facts, &judged.kubelet.node);
        judged.shape = Some(shape);
        name(judged, leaf);
        let host = address(judged, &facts);
        let time = self.time(judged, &facts, shape);
        if !facts.may_serve() {
            let usages: Vec<String> = facts.usages.iter().map(ToString::to_string).collect();
            judged.say(&rule::USAGE, format!("it is for {} only", usages.join(", ")));
        }
        if facts.is_self_issued {
            let rule =
                if self.authority.is_some() { &rule::SELF_SIGNED } else { &rule::UNANCHORED };
            judged.say(rule, format!("issuer and subject are both {:?}", facts.issuer));
        }
        let is_believed = |one: &[u8]| self.authority.as_ref().is_some_and(|all| all.holds(one));
        for told in minting::presented(chain, is_believed) {
            judged.say(&rule::AUTHORITY_ISSUED, told);
        }
        if let Some(authority) = &self.authority {
            let trusted = self.trusted(judged, &facts, authority, chain);
            judged.today = Some(time.and(trusted).and(host));
        }
        judged.facts = Some(Box::new(facts));
    }

    fn time(&self, judged: &mut Judged, facts: &Facts, shape: &Shape) -> Result<(), String> {
        if self.now > facts.not_after {
            judged.say(
                &rule::EXPIRED,
                format!("it expired {} ago", span(self.now.saturating_sub(facts.not_after))),
            );
            return Err("the certificate has expired".to_owned());
        }
        if self.now < facts.not_before {
            judged.say(
                &rule::EARLY,
                format!("it begins in {}", span(facts.not_before.saturating_sub(self.now))),
            );
            return Err("the certificate is not valid yet".to_owned());
        }
        let left = facts.not_after.saturating_sub(self.now);
        let rotates = shape.id == "csr-issued";
        let is_overdue = rotates && facts.age(self.now) > LATEST_ROTATION;
        if is_overdue {
            judged.say(
                &rule::OVERDUE,
                format!("{} % of its life is over, {} are left", facts.age(self.now), span(left)),
            );
        }
        // A kubelet that rotates in time lives with short certificates.
        if left < self.warn_within && (!rotates || is_overdue) {
            judged.say(&rule::SOON, format!("it expires in {}", span(left)));
        }
        Ok(())
    }

    fn trusted(
        &self,
        judged: &mut Judged,
        facts: &Facts,
        authority: &Authority,
        chain: &[Vec<u8>],
    ) -> Result<(), String> {
        if !facts.may_serve() {
            return Err("the certificate is not for servers".to_owned());
        }
        // Its own time was looked at already, and would hide what else is wrong.
        let time = self.now.max(facts.not_before).min(facts.not_after);
        let done = authority.verify(chain, time);
        if let Err(why) = &done {
            judged.say(&rule::AUTHORITY, format!("{why}; it was issued by {:?}", facts.issuer));
        }
        done
    }
}

fn name(judged: &mut Judged, leaf: &[u8]) {
    if let Err(fault) = judged.kubelet.node.is_borne_by(leaf) {
        let presented = fault.presented();
        let message =
            format!("it presents {presented}, and would have to present {:?}", fault.expected);
        judged.say(&rule::NAME, message);
    }
}

fn address(judged: &mut Judged, facts: &Facts) -> Result<(), String> {
    let Some(host) = judged.kubelet.host.clone() else { return Ok(()) };
    if facts.speaks_for(&host) {
        return Ok(());
    }
    let names = facts.dns_names.iter().map(|name| format!("DNS {name}"));
    let names: Vec<String> =
        names.chain(facts.addresses.iter().map(|one| format!("IP {one}"))).collect();
    let names = if names.is_empty() { "nobody".to_owned() } else { names.join(", ") };
    judged.say(
        &rule::ADDRESS,
        format!("the API server dials {host:?}, the certificate speaks for {names}"),
    );
    Err(format!("the certificate is not valid for {host:?}"))
}

fn through_proxy(judged: &mut Judged, proxied: Proxied, direct: Option<String>) {
    if let Some(why) = direct {
        judged.evidence.insert(0, format!("dialled directly: {why}"));
    }
    match proxied {
        Proxied::Refused(message) => {
            judged.today = Some(Err(message.clone()));
            judged.say(&rule::REFUSED, message);
        }
        Proxied::Reached => judged.say(
            &rule::PROXIED,
            "the API server reaches the kubelet: its own verification passes, or it verifies nothing; the common name is not visible this way",
        ),
        Proxied::Nothing(why) => judged.say(&rule::SILENT, why),
    }
}

impl Judged {
    fn say(&mut self, rule: &'static Rule, message: impl Into<String>) {
        self.findings.push(Finding { rule, message: message.into() });
    }

    /// What fails comes first, and decides.
    fn settle(&mut self) {
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
