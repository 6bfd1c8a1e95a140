//! The repair of live objects: an audit's findings become JSON patches, which are printed or sent one by one.

mod apply;
mod audit;
mod commands;
mod journal;
mod requests;

use ratchet_cluster::ConfigFlags;
use ratchet_formats::count;
use ratchet_rewrite::Choices;
use ratchet_rewrite::live::{Step, plan};
use std::io::Write;
use std::path::PathBuf;

/// The inputs and options of a repair.
#[derive(Clone, Debug)]
pub struct LiveConfig {
    /// The JSON document of `ratchet audit`, or `-` for standard input.
    pub audit: PathBuf,
    /// What was decided about texts with two meanings.
    pub choices: Choices,
    /// How the cluster is reached; used only with `apply`, and named in the commands.
    pub flags: ConfigFlags,
    /// Whether patches are sent.
    pub apply: bool,
    /// The file of what is done already, for a repair that is continued.
    pub resume: Option<PathBuf>,
}

/// An error that ends a repair before anything was sent.
pub type LiveError = ratchet_formats::ReportError;

/// Prints the patches of an audit's findings, or sends them; returns the exit status: 0 nothing is left to do, 1 something
/// is, 2 a server could not be reached.
pub fn run(
    config: &LiveConfig,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> Result<u8, LiveError> {
    let findings = audit::read(&config.audit).map_err(LiveError::Setup)?;
    let steps = plan(&findings, &config.choices);
    if config.apply {
        return apply::run(config, &steps, out, notes);
    }
    commands::write(config, &steps, out).map_err(LiveError::Output)?;
    let patches = steps.iter().filter(|step| matches!(step, Step::Patch { .. })).count() as u64;
    let others = steps.len() as u64 - patches;
    let _ = writeln!(notes, "{}, {}", count(patches, "patch"), count(others, "other step"));
    Ok(u8::from(steps.iter().any(|step| !matches!(step, Step::Leave { .. }))))
}
