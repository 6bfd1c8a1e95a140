//! Configuration of a check, valid by construction.

use crate::Against;
use ratchet_access::User;
use ratchet_engine::ApiConfig;
use ratchet_pipeline::FieldValidation;
use std::path::PathBuf;

/// The inputs and options of one check.
#[derive(Clone, Debug)]
pub struct Config {
    /// Files, directories, or `-` for standard input, in the order they were given.
    pub inputs: Vec<PathBuf>,
    /// Whether directories are searched to the bottom.
    pub recursive: bool,
    /// Source of the stored objects that the inputs would replace.
    pub against: Option<Against>,
    /// The API configuration: release, gates and plugins.
    pub api_config: ApiConfig,
    /// Files and directories with CustomResourceDefinitions, besides those in the inputs.
    pub crds: Vec<PathBuf>,
    /// Files and directories with admission policies, their bindings and parameters.
    pub policies: Vec<PathBuf>,
    /// The names of admission plugins that are off, those of policies among them.
    pub disabled_plugins: Vec<String>,
    /// The user who writes the objects; none for a default administrator.
    pub requester: Option<User>,
    /// The namespace of objects without one.
    pub namespace: String,
    /// How unknown and duplicate fields are treated.
    pub field_validation: FieldValidation,
    /// The format of the report.
    pub output: OutputFormat,
    /// Whether a warning fails the check like a refusal.
    pub warnings_as_errors: bool,
    /// The baseline file of known findings.
    pub baseline: Option<PathBuf>,
    /// The path of a new baseline file to write.
    pub write_baseline: Option<PathBuf>,
    /// Whether the human report is coloured.
    pub colour: bool,
    /// Whether a progress bar is drawn.
    pub progress: bool,
    /// Number of worker threads.
    pub workers: usize,
}

/// The format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// For people: source lines with the position underlined.
    Human,
    /// One JSON document.
    Json,
    /// The JSON document in YAML.
    Yaml,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for test reports.
    Junit,
    /// GitHub workflow commands, for annotations in a pull request.
    Github,
    /// A Markdown table, for a comment.
    Markdown,
    /// One HTML file, for people; its findings are in memory until the end.
    Html,
}
