//! `Rule`, the description of one validation rule: permanent id, requirement, rationale and fix.

use crate::FIELDS;
use alloc::format;
use alloc::string::String;
use core::fmt;

/// One row of `RULES`, printed by `ratchet explain`, SARIF output and the documentation.
pub struct Rule {
    /// Permanent id, never reused: `RTC-IP-001`.
    pub id: &'static str,
    /// The fields it checks, beyond those that `FIELDS` lists; paths of pods hold for every pod template too.
    pub fields: &'static [&'static str],
    /// Short title, for lists.
    pub title: &'static str,
    /// The KEP it comes from, or the part of the API.
    pub origin: Origin,
    /// The requirement.
    pub demands: &'static str,
    /// The rationale: the incident or the class of attack.
    pub why: &'static str,
    /// How to fix a violation.
    pub fix: &'static str,
    /// How it treats values that are already stored.
    pub ratchet: Ratchet,
    /// The releases that have it, and its feature gate.
    pub versions: &'static str,
}

impl Rule {
    /// Every field it checks: its own, and those that `FIELDS` assigns to it.
    pub fn all_fields(&self) -> impl Iterator<Item = String> {
        let id = self.id;
        let table = FIELDS.iter().filter(move |field| field.rules().contains(&id));
        let named = table.map(|field| format!("{} {}", field.kind, field.path));
        self.fields.iter().map(|field| (*field).into()).chain(named)
    }
}

/// The source of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// One of the five KEPs, by number.
    Kep(u16),
    /// Validation of released Kubernetes around the fields of the KEPs.
    Api,
    /// The Pod Security Standards.
    PodSecurity,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kep(number) => write!(f, "KEP-{number}"),
            Self::Api => f.write_str("Kubernetes API"),
            Self::PodSecurity => f.write_str("Pod Security Standards"),
        }
    }
}

/// How a rule treats values of the stored object on update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ratchet {
    /// A stored value may stay, anywhere in the field.
    ByValue,
    /// All values may stay while the whole field is unchanged.
    WholeField,
    /// One stored entry that needs relaxed validation relaxes it for the whole list.
    ByList,
    /// Only a significant change of a pod is checked again.
    SignificantChange,
    /// No exemption: the rule was always in force, or the field cannot change.
    Never,
}

impl Ratchet {
    /// Every variant, in the order in which the documentation explains them.
    pub const ALL: [Self; 5] =
        [Self::ByValue, Self::WholeField, Self::ByList, Self::SignificantChange, Self::Never];

    /// Short name, for a table cell.
    pub fn label(self) -> &'static str {
        match self {
            Self::ByValue => "by value",
            Self::WholeField => "whole field",
            Self::ByList => "by list",
            Self::SignificantChange => "significant change",
            Self::Never => "never",
        }
    }

    /// Explanation in one sentence, for the documentation.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::ByValue => {
                "A text that the stored object holds in this field may stay, at any place of the \
                 field; every other text meets the rule."
            }
            Self::WholeField => {
                "What is stored may stay as long as the whole field is left as it was; once any of \
                 it changes, all of it meets the rule."
            }
            Self::ByList => {
                "A stored entry that needs the looser reading loosens it for the whole list; \
                 otherwise every entry meets the rule."
            }
            Self::SignificantChange => {
                "An update is looked at only where it changes the pod in a way that matters to the \
                 rule: its images, or a new container."
            }
            Self::Never => "Nothing is exempt: what is stored meets the rule like anything new.",
        }
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}
