//! Results of a rewrite: the edits of a file, the values that stay, and the documents that were not read.

use crate::reason::Reason;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::LineColumn;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// Objects, patches of objects, or templates of either.
    Manifest,
    /// The values of a Helm chart, where a path's last names say what a value denotes.
    Values,
}

impl SourceKind {
    /// The kind of a file by its name: `values.yaml`, `values-prod.yaml`, `prod.values.yaml`.
    pub fn of_name(file_name: &str) -> Self {
        let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
        let mut words = stem.split(['.', '-', '_']);
        if words.any(|word| word.eq_ignore_ascii_case("values")) {
            Self::Values
        } else {
            Self::Manifest
        }
    }
}

/// Identity of an object, as far as its document has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectRef {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`; empty for values of charts and JSON patches.
    pub kind: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

/// One value that was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Where the value begins in the file.
    pub start: LineColumn,
    /// The object.
    pub object: Rc<ObjectRef>,
    /// The paths of the fields; more than one if the value has an anchor.
    pub fields: Vec<String>,
    /// The rule that the old text violated.
    pub rule: &'static str,
    /// The old text.
    pub old: String,
    /// The canonical text.
    pub new: String,
}

/// One value that stays although it is not canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedEdit {
    /// Where the value begins in the file.
    pub start: LineColumn,
    /// The object.
    pub object: Rc<ObjectRef>,
    /// The path of the field.
    pub field: String,
    /// The rule that the text violates.
    pub rule: &'static str,
    /// The text.
    pub value: String,
    /// Why it stays.
    pub reason: Reason,
}

/// A document that was passed over on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedDocument {
    /// Its first line.
    pub line: u32,
    /// The reason.
    pub why: String,
}

/// A document that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableDocument {
    /// Where parsing stopped.
    pub start: LineColumn,
    /// What is wrong.
    pub message: String,
}

/// The result of a rewrite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The new text; none if nothing changes.
    pub text: Option<String>,
    /// The edits in the order of the file.
    pub edits: Vec<Edit>,
    /// The values that stay.
    pub refused: Vec<RefusedEdit>,
    /// The documents that were passed over.
    pub skipped: Vec<SkippedDocument>,
    /// The documents that cannot be parsed.
    pub unreadable: Vec<UnreadableDocument>,
    /// Number of values that an annotation of their object excepts.
    pub excepted: usize,
}
