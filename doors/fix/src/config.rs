//! Configuration of a fix of files, valid by construction.

use ratchet_rewrite::Choices;
use std::path::PathBuf;

/// The inputs and options of one fix.
#[derive(Clone, Debug)]
pub struct Config {
    /// Files, directories, or `-` for standard input, in the order they were given.
    pub inputs: Vec<PathBuf>,
    /// Whether directories are searched to the bottom.
    pub recursive: bool,
    /// Whether files are written; standard input is written to standard output then.
    pub write: bool,
    /// What was decided about texts with two meanings.
    pub choices: Choices,
    /// The format of the report.
    pub output: OutputFormat,
    /// Whether the diff is coloured.
    pub colour: bool,
    /// Number of worker threads.
    pub workers: usize,
}

/// The format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// A unified diff; refusals go to the notes.
    Diff,
    /// One JSON document.
    Json,
}
