//! The report: what was looked at, what was found, and what could not be seen.

use crate::{Certificate, Finding, NamespaceLevels, State, Topic};
use alloc::string::String;
use alloc::vec::Vec;

/// A report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What was looked at; it chooses the question that the summary answers.
    pub subject: Subject,
    /// The title of the page.
    pub title: String,
    /// Where the objects came from: a context, a server, files.
    pub source: String,
    /// When they were read, in seconds since 1970; absent where the same bytes are wanted every time.
    pub time: Option<i64>,
    /// The program and its version: `ratchet 0.1.0`.
    pub generator: String,
    /// The target versions, in the order in which they are compared: `1.36`.
    pub targets: Vec<String>,
    /// Whose behavior was predicted: `released` or `proposal`.
    pub behavior: String,
    /// Number of objects that were judged.
    pub objects: u64,
    /// The findings, in any order; the page sorts them.
    pub findings: Vec<Finding>,
    /// Number of findings that are not among them, because a page can only hold so many.
    pub omitted: u64,
    /// Objects by their worst state; if there are none, they are counted by the findings.
    pub states: Vec<StateCount>,
    /// Texts of the rules that findings name; a rule without a text is shown by its id.
    pub rules: Vec<RuleText>,
    /// Numbers of findings by rule and target version; if there are none, the findings are counted.
    pub counts: Vec<Count>,
    /// Pod Security of namespaces.
    pub namespaces: Vec<NamespaceLevels>,
    /// Serving certificates of kubelets.
    pub certificates: Vec<Certificate>,
    /// What could not be seen, and other remarks.
    pub notes: Vec<Note>,
    /// What is known beside the findings.
    pub topics: Vec<Topic>,
}

/// What a report is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subject {
    /// Stored objects: can the cluster be upgraded?
    #[default]
    Cluster,
    /// Manifests: would the API server take them?
    Manifests,
    /// Kubelets: can the check of their names be turned on?
    Kubelets,
}

/// The text of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleText {
    /// Its id: `RTC-IP-001`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it demands, in a sentence.
    pub demands: String,
    /// How to put it right.
    pub fix: String,
}

/// A number of findings.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count {
    /// The rule's id.
    pub rule: String,
    /// The target version.
    pub target: String,
    /// How many.
    pub number: u64,
}

/// A number of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct StateCount {
    /// The target version.
    pub target: String,
    /// The worst state of their findings under it.
    pub state: State,
    /// How many.
    pub number: u64,
}

/// A remark about the whole report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// Whether something could not be seen for it, so that the report is incomplete.
    pub is_gap: bool,
    /// The sentence: `services in namespace shop: no right to list`.
    pub text: String,
    /// What to do about it.
    pub fix: String,
}
