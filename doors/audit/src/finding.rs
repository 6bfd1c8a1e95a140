//! Findings: what a target would say about one value of one stored object, whose it is, and what it means.

use crate::Operation;
use ratchet_engine::Rule;
use serde::{Deserialize, Serialize};

/// What a finding means for its object; the worst is the greatest.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It is stored and may be written, with a warning.
    Warns,
    /// It may stay and be updated, but cannot be created again.
    RefusedOnCreate,
    /// Updates that leave the value alone are refused.
    Frozen,
}

impl State {
    /// The name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warns => "warns",
            Self::RefusedOnCreate => "refused-on-create",
            Self::Frozen => "frozen",
        }
    }
}

/// Identity of a stored object.
#[derive(Clone, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectId {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// `metadata.namespace`; empty for objects of the cluster.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// The plural name in URLs.
    pub resource: String,
    /// `metadata.uid`; empty if the source has none.
    pub uid: String,
    /// `metadata.resourceVersion`; empty if the source has none.
    pub resource_version: String,
}

impl ObjectId {
    /// `Service shop/web`, or `Node worker-1`.
    pub fn title(&self) -> String {
        match self.namespace.as_str() {
            "" => format!("{} {}", self.kind, self.name),
            namespace => format!("{} {namespace}/{}", self.kind, self.name),
        }
    }

    /// The path of the object in the API, without a slash before it.
    pub fn path(&self) -> String {
        let root = if self.api_version.contains('/') { "apis" } else { "api" };
        let (version, resource, name) = (&self.api_version, &self.resource, &self.name);
        match self.namespace.as_str() {
            "" => format!("{root}/{version}/{resource}/{name}"),
            namespace => format!("{root}/{version}/namespaces/{namespace}/{resource}/{name}"),
        }
    }
}

/// An entry of `managedFields` that owns a value.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Manager {
    /// The name of the manager.
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// The subresource that was written; empty for the object itself.
    pub subresource: String,
    /// When it last wrote.
    pub time: String,
}

/// One reading of an ambiguous address.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct HostReading {
    /// The programs that read it so.
    pub reader: String,
    /// The host that they see; a sentence if they see none.
    pub host: String,
}

/// One message about one value of one stored object, under one target.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The object.
    pub object: ObjectId,
    /// The path of the field, as the API server writes it; empty for the whole object.
    pub field: String,
    /// The JSON pointer of the value in the stored object, if it is stored.
    pub pointer: Option<String>,
    /// The stored text.
    pub value: Option<String>,
    /// The replacement, where exactly one is right.
    pub canonical: Option<String>,
    /// The id of the rule.
    pub rule: String,
    /// What it means for the object.
    pub state: State,
    /// The name of the target.
    pub target: String,
    /// The words of the API server.
    pub message: String,
    /// The choice for a person, where more than one replacement is right.
    pub hint: Option<String>,
    /// The operations that are refused for it.
    pub refuses: Vec<Operation>,
    /// The operations that are answered with it as a warning.
    pub warns: Vec<Operation>,
    /// The owner: an index of `owners` in the report.
    #[serde(default)]
    pub owner: usize,
    /// The controllers of the object, nearest first.
    #[serde(default)]
    pub chain: Vec<String>,
    /// The entries of `managedFields` that own the value.
    #[serde(default)]
    pub managers: Vec<Manager>,
    /// Whether the configuration that kubectl applied last has the same value.
    #[serde(default)]
    pub last_applied: bool,
    /// What different programs take the value for, where they differ.
    #[serde(default)]
    pub readings: Option<Vec<HostReading>>,
    /// Other holders of the same address, in another spelling.
    #[serde(default)]
    pub claimed_by: Vec<String>,
    /// What identifies it across audits.
    pub fingerprint: String,
}

impl Finding {
    /// A warning about an object, of which nothing else is known yet.
    pub(crate) fn new(object: &ObjectId, rule: &Rule, target: &str) -> Self {
        Self {
            object: object.clone(),
            field: String::new(),
            pointer: None,
            value: None,
            canonical: None,
            rule: rule.id.to_owned(),
            state: State::Warns,
            target: target.to_owned(),
            message: String::new(),
            hint: None,
            refuses: Vec::new(),
            warns: Vec::new(),
            owner: 0,
            chain: Vec::new(),
            managers: Vec::new(),
            last_applied: false,
            readings: None,
            claimed_by: Vec::new(),
            fingerprint: String::new(),
        }
    }

    /// The finding in one line, for lists of what is gone.
    pub fn about(&self) -> String {
        let field = if self.field.is_empty() { "" } else { " " };
        format!("{} {}{field}{}: {}", self.rule, self.object.title(), self.field, self.message)
    }

    /// Computes the fingerprint of what was filled in.
    #[must_use]
    pub fn identified(mut self) -> Self {
        let Self { object, field, value, rule, state, target, .. } = &self;
        let parts = [
            &object.kind,
            &object.namespace,
            &object.name,
            field,
            value.as_deref().unwrap_or_default(),
            rule,
            state.as_str(),
            target,
        ];
        self.fingerprint = ratchet_formats::fingerprint(&parts);
        self
    }
}
