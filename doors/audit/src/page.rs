//! `Page`: everything that is remembered of some judged objects, in a form that can be written down and read again.

use crate::finding::{Finding, ObjectId};
use crate::listed::Listed;
use crate::owner::{Link, Owner};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// The results of a page of a list, or of a document.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Page {
    /// Number of judged objects.
    pub(crate) objects: u64,
    pub(crate) findings: Vec<OwnedFinding>,
    pub(crate) links: Vec<Link>,
    pub(crate) claims: Vec<Claim>,
    #[serde(flatten)]
    pub(crate) inventory: Inventory,
}

/// What is remembered of a cluster beside the findings.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Inventory {
    pub(crate) namespaces: BTreeMap<String, PodLevels>,
    /// Namespaces with a label that enforces a level.
    pub(crate) enforced: BTreeMap<String, String>,
    pub(crate) external_ips: Listed<ExternalIps, MOST_LISTED>,
    /// All external IPs, also of Services that are not listed: an allow-list must not lack one.
    pub(crate) external_addresses: BTreeSet<IpAddr>,
    pub(crate) searches: Listed<SearchName, MOST_LISTED>,
    pub(crate) policies: Listed<Policy, MOST_LISTED>,
    /// Documents that could not be read.
    pub(crate) unreadable: Listed<String, MOST_LISTED>,
    /// Findings of objects with very many that are not listed, the mildest.
    pub(crate) omitted_findings: u64,
}

/// The most external IPs, search names, policies and unreadable documents that are listed one by one.
const MOST_LISTED: usize = 5000;

impl Inventory {
    pub(crate) fn add(&mut self, other: Self) {
        for (name, levels) in other.namespaces {
            self.namespaces.entry(name).or_default().add(levels);
        }
        self.enforced.extend(other.enforced);
        self.external_ips.add(other.external_ips);
        self.external_addresses.extend(other.external_addresses);
        self.searches.add(other.searches);
        self.policies.add(other.policies);
        self.unreadable.add(other.unreadable);
        self.omitted_findings += other.omitted_findings;
    }

    /// Puts the lists in an order that does not depend on which page came first.
    pub(crate) fn sort(&mut self) {
        self.external_ips.sort();
        self.searches.sort();
        self.policies.sort();
        self.unreadable.sort();
        self.namespaces.values_mut().for_each(|levels| levels.probe_hosts.sort());
    }

    /// What the lists leave out, by the name of the list.
    pub(crate) fn omitted(&self) -> [(&'static str, u64); 5] {
        [
            ("findings", self.omitted_findings),
            ("externalIPs", self.external_ips.omitted()),
            ("searches", self.searches.omitted()),
            ("policies", self.policies.omitted()),
            ("unreadable", self.unreadable.omitted()),
        ]
    }
}

/// A finding before its owner is known.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct OwnedFinding {
    pub(crate) finding: Finding,
    pub(crate) owner: Owner,
    pub(crate) parent: Option<(u64, String)>,
}

/// An address that an object claims for itself.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Claim {
    pub(crate) address: IpAddr,
    pub(crate) spelling: String,
    pub(crate) object: ObjectId,
    pub(crate) field: String,
    pub(crate) pointer: String,
    pub(crate) owner: Owner,
    pub(crate) parent: Option<(u64, String)>,
}

impl Claim {
    /// Whether the address is spelled as everybody spells it.
    pub(crate) fn is_canonical(&self) -> bool {
        self.spelling == self.address.to_string()
    }

    /// The claim in words.
    pub(crate) fn about(&self) -> String {
        format!("{} {} {:?}", self.object.title(), self.field, self.spelling)
    }
}

/// The Pod Security levels that the pods and pod templates of a namespace pass.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(crate) struct PodLevels {
    /// Number of pods and pod templates.
    pub(crate) pods: u64,
    pub(crate) baseline: Violations,
    pub(crate) restricted: Violations,
    /// Probes and lifecycle handlers with hosts.
    pub(crate) probe_hosts: Listed<String, MOST_EXAMPLES>,
}

/// The pods that do not pass a level.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(crate) struct Violations {
    pub(crate) pods: u64,
    /// The first of them.
    pub(crate) example: String,
    /// Why, in the words of the plugin; a few.
    pub(crate) reasons: Vec<String>,
    /// Whether there are other reasons.
    pub(crate) has_others: bool,
}

/// The most reasons and probe hosts that are remembered of a namespace.
const MOST_EXAMPLES: usize = 10;

impl PodLevels {
    /// Adds others; the order in which they come does not matter.
    pub(crate) fn add(&mut self, other: Self) {
        self.pods += other.pods;
        self.baseline.add(other.baseline);
        self.restricted.add(other.restricted);
        self.probe_hosts.add(other.probe_hosts);
    }
}

impl Violations {
    fn add(&mut self, other: Self) {
        self.pods += other.pods;
        let is_first = self.example.is_empty() || other.example < self.example;
        if is_first && !other.example.is_empty() {
            self.example = other.example;
        }
        for reason in other.reasons {
            if let Err(at) = self.reasons.binary_search(&reason) {
                self.reasons.insert(at, reason);
            }
        }
        self.has_others |= other.has_others || self.reasons.len() > MOST_EXAMPLES;
        self.reasons.truncate(MOST_EXAMPLES);
    }

    /// The reasons for people, who are told that there are others.
    pub(crate) fn words(&self) -> Vec<String> {
        let others = self.has_others.then(|| "and for other reasons".to_owned());
        self.reasons.iter().cloned().chain(others).collect()
    }
}

/// A Service with external IPs.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) struct ExternalIps {
    pub(crate) object: ObjectId,
    pub(crate) addresses: Vec<String>,
    pub(crate) owner: Owner,
    pub(crate) parent: Option<(u64, String)>,
}

/// A DNS search name that only the relaxed reading takes.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) struct SearchName {
    pub(crate) object: ObjectId,
    pub(crate) field: String,
    pub(crate) value: String,
    pub(crate) owner: Owner,
    pub(crate) parent: Option<(u64, String)>,
}

/// A policy or webhook that exists.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) struct Policy {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) about: String,
}
