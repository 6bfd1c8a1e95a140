//! `Page`: everything that is remembered of some judged objects, in a form that can be written down and read again.

use crate::finding::{Finding, ObjectId};
use crate::owner::{Link, Owner};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
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
    pub(crate) external_ips: Vec<ExternalIps>,
    pub(crate) searches: Vec<SearchName>,
    pub(crate) policies: Vec<Policy>,
    /// Documents that could not be read.
    pub(crate) unreadable: Vec<String>,
}

/// The most external IPs, search names and unreadable documents that are listed one by one.
const MOST_LISTED: usize = 5000;

impl Inventory {
    pub(crate) fn add(&mut self, other: Self) {
        for (name, levels) in other.namespaces {
            self.namespaces.entry(name).or_default().add(levels);
        }
        self.enforced.extend(other.enforced);
        extend(&mut self.external_ips, other.external_ips);
        extend(&mut self.searches, other.searches);
        extend(&mut self.policies, other.policies);
        extend(&mut self.unreadable, other.unreadable);
    }

    /// Puts the lists in an order that does not depend on which page came first.
    pub(crate) fn sort(&mut self) {
        self.external_ips.sort_by(|a, b| a.object.cmp(&b.object));
        self.searches.sort_by(|a, b| (&a.object, &a.field).cmp(&(&b.object, &b.field)));
        self.policies.sort_by(|a, b| (&a.kind, &a.name).cmp(&(&b.kind, &b.name)));
        self.unreadable.sort_unstable();
    }
}

fn extend<T>(list: &mut Vec<T>, more: Vec<T>) {
    let free = MOST_LISTED.saturating_sub(list.len());
    list.extend(more.into_iter().take(free));
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
    pub(crate) probe_hosts: Vec<String>,
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
}

/// The most reasons and probe hosts that are remembered of a namespace.
const MOST_EXAMPLES: usize = 10;

impl PodLevels {
    /// Adds others; the order in which they come does not matter.
    pub(crate) fn add(&mut self, other: Self) {
        self.pods += other.pods;
        self.baseline.add(other.baseline);
        self.restricted.add(other.restricted);
        keep_first(&mut self.probe_hosts, other.probe_hosts);
    }
}

impl Violations {
    fn add(&mut self, other: Self) {
        self.pods += other.pods;
        let is_first = self.example.is_empty() || other.example < self.example;
        if is_first && !other.example.is_empty() {
            self.example = other.example;
        }
        keep_first(&mut self.reasons, other.reasons);
    }
}

/// Adds texts to a sorted list, and keeps the first of them.
fn keep_first(list: &mut Vec<String>, more: Vec<String>) {
    for text in more {
        if let Err(at) = list.binary_search(&text) {
            list.insert(at, text);
        }
    }
    list.truncate(MOST_EXAMPLES);
}

/// A Service with external IPs.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct ExternalIps {
    pub(crate) object: ObjectId,
    pub(crate) addresses: Vec<String>,
    pub(crate) owner: Owner,
    pub(crate) parent: Option<(u64, String)>,
}

/// A DNS search name that only the relaxed reading takes.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct SearchName {
    pub(crate) object: ObjectId,
    pub(crate) field: String,
    pub(crate) value: String,
    pub(crate) owner: Owner,
    pub(crate) parent: Option<(u64, String)>,
}

/// A policy or webhook that exists.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Policy {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) about: String,
}
