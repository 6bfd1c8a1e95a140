//! What a rule is: a permanent id, what it means, why it exists, and how to put things right.

use crate::FIELDS;
use alloc::format;
use alloc::string::String;
use core::fmt;

/// One row of the table of rules. `ratchet explain`, SARIF and the documentation read it.
pub struct Rule {
    /// Permanent id, never reused: `RTC-IP-001`.
    pub id: &'static str,
    /// The fields it looks at, where the table of fields does not say so already; paths of pods
    /// hold for every pod template too.
    pub fields: &'static [&'static str],
    /// A few words, for lists.
    pub title: &'static str,
    /// The proposal it comes from, or the part of the API around them.
    pub origin: Origin,
    /// What it demands.
    pub demands: &'static str,
    /// Why it exists: the incident or the class of attack.
    pub why: &'static str,
    /// How to put things right.
    pub fix: &'static str,
    /// How it treats what is stored already.
    pub ratchet: Ratchet,
    /// Since when, and behind which gate.
    pub versions: &'static str,
}

impl Rule {
    /// Every field it looks at: its own, and those that the table of fields gives it.
    pub fn all_fields(&self) -> impl Iterator<Item = String> {
        let id = self.id;
        let table = FIELDS.iter().filter(move |field| field.rules().contains(&id));
        let named = table.map(|field| format!("{} {}", field.kind, field.path));
        self.fields.iter().map(|field| (*field).into()).chain(named)
    }
}

/// Where a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// One of the five proposals.
    Kep(u16),
    /// Validation that released Kubernetes does around the fields of the proposals.
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

/// How a rule treats what the stored object already says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ratchet {
    /// A text that was there before may stay, anywhere in the field.
    ByValue,
    /// All of it may stay while the whole field is left as it was.
    WholeField,
    /// One old entry that needs the looser reading loosens it for the whole list.
    ByList,
    /// Only a significant change of a pod is looked at again.
    SignificantChange,
    /// It never loosens: the rule was always in force, or the field cannot change.
    Never,
}

impl Ratchet {
    /// Every form, in the order of their legends.
    pub const ALL: [Self; 5] =
        [Self::ByValue, Self::WholeField, Self::ByList, Self::SignificantChange, Self::Never];

    /// A word or two, for a table.
    pub fn label(self) -> &'static str {
        match self {
            Self::ByValue => "by value",
            Self::WholeField => "whole field",
            Self::ByList => "by list",
            Self::SignificantChange => "significant change",
            Self::Never => "never",
        }
    }

    /// A sentence, for a page.
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
