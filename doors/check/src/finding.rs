//! Findings and outcomes of checked objects, independent of the output format.

use core::ops::Range;
use ratchet_engine::Rule;
use ratchet_object::LineColumn;
use std::sync::Arc;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Informational; the API server is silent.
    Note,
    /// The API server admits the object and warns.
    Warning,
    /// The API server refuses the object.
    Error,
}

impl Severity {
    /// The name of the severity in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One message about one position in a file.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that was violated.
    pub rule: &'static Rule,
    /// Whether the API server refuses, warns or is silent.
    pub severity: Severity,
    /// The text of the API server, verbatim.
    pub message: String,
    /// The path of the field.
    pub field: String,
    /// Start of the value.
    pub start: LineColumn,
    /// End of the value, one column after its last character.
    pub end: LineColumn,
    /// The source line of `start`, or the part of a long line around it.
    pub source: String,
    /// The byte range of the value in `source`.
    pub marked: Range<usize>,
    /// The label of the marked range.
    pub label: String,
    /// The replacement, where exactly one is right.
    pub fix: Option<String>,
    /// The decision to make, where more than one replacement is right.
    pub hint: Option<String>,
    /// Further notes for the reader.
    pub notes: Vec<String>,
    /// An identifier that survives edits of the file: it has no line numbers.
    pub fingerprint: String,
    /// The decision of the admission policy behind the finding, if it is a policy's.
    pub policy: Option<Box<PolicyDecision>>,
}

/// A decision of a ValidatingAdmissionPolicy, with the location of its expression.
#[derive(Clone, Debug)]
pub struct PolicyDecision {
    /// The policy's name.
    pub policy: String,
    /// The binding's name.
    pub binding: Option<String>,
    /// Index of the failed validation in the policy; none if no validation failed.
    pub validation: Option<usize>,
    /// `Deny`, `Warn` or `Audit`.
    pub action: &'static str,
    /// Location of the validation's expression.
    pub expression: Option<SourceLocation>,
}

/// A field's location in a policy file.
#[derive(Clone, Debug)]
pub struct SourceLocation {
    /// The file's path as it was given.
    pub file: Arc<str>,
    /// The path of the field.
    pub field: String,
    /// Start of the value.
    pub start: LineColumn,
    /// The source line of `start`, or the part of a long line around it.
    pub source: String,
    /// The byte range of the value in `source`.
    pub marked: Range<usize>,
}

impl PolicyDecision {
    /// The location of the expression as one line of text.
    pub fn describe_location(&self) -> Option<String> {
        let SourceLocation { file, field, start, .. } = self.expression.as_ref()?;
        let (line, column) = (start.line, start.column);
        Some(format!("{field} of policy {} stands at {file}:{line}:{column}", self.policy))
    }
}

/// Identity of an object.
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

/// The result of checking one object, or a document that holds none.
#[derive(Clone, Debug)]
pub struct CheckedObject {
    /// The file's path as it was given.
    pub file: Arc<str>,
    /// The object's first line.
    pub line: u32,
    /// The object's identity, as far as it could be read.
    pub object: ObjectName,
    /// Whether the API server would admit the object.
    pub outcome: Outcome,
    /// Findings that are not suppressed.
    pub findings: Vec<Finding>,
    /// Number of findings that an annotation or the baseline suppressed.
    pub suppressed: usize,
}

/// The API server's answer to an object, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The API server would admit the object.
    Admitted,
    /// The API server would admit the object and warn.
    Warned,
    /// The API server would refuse the object with this message.
    Refused {
        /// The message of the Status.
        message: String,
    },
    /// The document was skipped on purpose.
    Skipped {
        /// The reason.
        why: String,
    },
    /// The document could not be decoded.
    Unreadable,
}
