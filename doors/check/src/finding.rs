//! What a check says about an object, in a form that every report can write.

use core::ops::Range;
use ratchet_engine::Rule;
use ratchet_object::Place;
use std::sync::Arc;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth a word; the API says nothing.
    Note,
    /// The API admits it and warns.
    Warning,
    /// The API refuses it.
    Error,
}

impl Severity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing to say about one place.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that says it.
    pub rule: &'static Rule,
    /// How bad it is.
    pub severity: Severity,
    /// What the API says, word for word.
    pub message: String,
    /// The field it is about.
    pub field: String,
    /// Where it begins.
    pub start: Place,
    /// Where it ends, one column behind the last letter.
    pub end: Place,
    /// The line it begins on, or the part of a long one around it.
    pub source: String,
    /// The bytes of `source` it is about.
    pub marked: Range<usize>,
    /// What to say right at the marked place.
    pub label: String,
    /// What to write instead, where there is exactly one right answer.
    pub fix: Option<String>,
    /// What a person must decide, where there is more than one right answer.
    pub hint: Option<String>,
    /// What else a person should know.
    pub notes: Vec<String>,
    /// Identifies it across edits of the file: no line numbers in it.
    pub fingerprint: String,
    /// The policy that says it, where it is one that does.
    pub policy: Option<Box<Ruling>>,
}

/// What a ValidatingAdmissionPolicy has decided, and where that is written.
#[derive(Clone, Debug)]
pub struct Ruling {
    /// The policy's name.
    pub policy: String,
    /// The binding's name.
    pub binding: Option<String>,
    /// The validation, by its place in the policy; none for what is no validation's fault.
    pub validation: Option<usize>,
    /// `Deny`, `Warn` or `Audit`.
    pub action: &'static str,
    /// Where the validation's expression stands.
    pub label: Option<Passage>,
}

/// A place in a file of policies.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The file, as it was given.
    pub file: Arc<str>,
    /// The field that stands there.
    pub field: String,
    /// Where it begins.
    pub start: Place,
    /// The line it begins on, or the part of a long one around it.
    pub source: String,
    /// The bytes of `source` that are meant.
    pub marked: Range<usize>,
}

impl Ruling {
    /// Where the expression stands, in one line.
    pub fn told(&self) -> Option<String> {
        let Passage { file, field, start, .. } = self.label.as_ref()?;
        let (line, column) = (start.line, start.column);
        Some(format!("{field} of policy {} stands at {file}:{line}:{column}", self.policy))
    }
}

/// Which object it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectName {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

/// What became of one object, or of a text that is none.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The file it stands in, as it was given.
    pub file: Arc<str>,
    /// The line it begins on.
    pub line: u32,
    /// Which object it is, as far as that could be read.
    pub object: ObjectName,
    /// What became of it.
    pub outcome: Outcome,
    /// What there is to say about it.
    pub findings: Vec<Finding>,
    /// How many findings were suppressed by annotation or baseline.
    pub suppressed: usize,
}

/// What becomes of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The API would take it.
    Admitted,
    /// The API would take it and warn.
    Warned,
    /// The API would refuse it, with this message.
    Refused {
        /// The message of the Status.
        message: String,
    },
    /// It was not judged, on purpose.
    Skipped {
        /// Why.
        why: String,
    },
    /// It could not be judged.
    Unreadable,
}
