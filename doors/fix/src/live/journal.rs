//! `Journal`: the steps of a repair that are done, in a file that a later run continues from.

use super::requests::describe;
use ratchet_rewrite::live::Step;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// What is done, one line a step.
pub(super) struct Journal {
    done: BTreeSet<String>,
    file: Option<File>,
}

impl Journal {
    /// Opens the file, or makes it; without a path nothing is remembered.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Self { done: BTreeSet::new(), file: None }) };
        let failed = |error: io::Error| format!("{} cannot be used: {error}", path.display());
        let done = match std::fs::read_to_string(path) {
            Ok(text) => text.lines().map(str::to_owned).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeSet::new(),
            Err(error) => return Err(failed(error)),
        };
        let file = File::options().append(true).create(true).open(path).map_err(failed)?;
        Ok(Self { done, file: Some(file) })
    }

    /// Whether a step was done by an earlier run.
    pub(super) fn has(&self, step: &Step) -> bool {
        self.done.contains(&entry(step))
    }

    /// Records that a step is done, on the disk before the next one begins.
    pub(super) fn record(&mut self, step: &Step) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        writeln!(file, "{}", entry(step))?;
        file.sync_data()
    }
}

/// A step as one line: the object and its values.
fn entry(step: &Step) -> String {
    let replaces = match step {
        Step::Patch { replaces, .. } | Step::Recreate { replaces, .. } => replaces.as_slice(),
        _ => &[],
    };
    let values = replaces.iter().map(|one| format!("{} {:?} {:?}", one.pointer, one.old, one.new));
    let values: Vec<String> = values.collect();
    format!("{} {}", describe(step.object()), values.join(" ")).replace(['\n', '\r'], " ")
}
