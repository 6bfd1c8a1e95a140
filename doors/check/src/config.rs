//! What a check is asked to do; a value of this type cannot be wrong in itself.

use crate::Against;
use ratchet_access::User;
use ratchet_engine::Policy;
use std::path::PathBuf;

/// Everything a check needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    /// Files, directories, or `-` for standard input, in the order they were given.
    pub inputs: Vec<PathBuf>,
    /// Whether directories are searched to the bottom.
    pub recursive: bool,
    /// Where the objects stand that these would replace.
    pub against: Option<Against>,
    /// The rules in force.
    pub policy: Policy,
    /// Files and directories with ValidatingAdmissionPolicies that decide too, and with what they need to know.
    pub policies: Vec<PathBuf>,
    /// Who writes the objects; none for an administrator of whom nothing is known.
    pub requester: Option<User>,
    /// The namespace of objects that name none.
    pub namespace: String,
    /// What becomes of unknown and repeated fields.
    pub field_validation: FieldValidation,
    /// How findings are written.
    pub output: OutputFormat,
    /// Whether a warning counts like a refusal.
    pub warnings_as_errors: bool,
    /// Findings that are known already.
    pub baseline: Option<PathBuf>,
    /// Where to write what is found now, as a baseline for later.
    pub write_baseline: Option<PathBuf>,
    /// Whether findings are coloured.
    pub colour: bool,
    /// Whether a bar shows how far the check is.
    pub progress: bool,
    /// How many documents are judged at the same time.
    pub workers: usize,
}

/// What becomes of fields that a kind does not have, or that are written twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValidation {
    /// They are refused, as `kubectl` asks for by default.
    Strict,
    /// They are told.
    Warn,
    /// They are passed over.
    Ignore,
}

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// For people: the lines of the file, with the place underlined.
    Human,
    /// One JSON document.
    Json,
    /// The same in YAML.
    Yaml,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for test reports.
    Junit,
    /// GitHub workflow commands, for annotations in a pull request.
    Github,
    /// A Markdown table, for a comment.
    Markdown,
}
