//! An audit from beginning to end: collect, judge, report.

use crate::gather::{self, Gathered};
use crate::judge::{Judged, Measure, Outcome};
use crate::trust::Authority;
use crate::{Config, Source, Weight, report};
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

/// How many nodes there were, and what enforcement would do with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Nodes that were looked at.
    pub nodes: u64,
    /// Nodes that enforcement would let through.
    pub pass: u64,
    /// Nodes whose connections would fail.
    pub fail: u64,
    /// Nodes of which it cannot be told.
    pub unknown: u64,
    /// Nodes that pass, with a warning.
    pub warned: u64,
}

impl Summary {
    pub(crate) fn of(judged: &[Judged]) -> Self {
        let mut summary = Self::default();
        for one in judged {
            summary.nodes += 1;
            match one.outcome {
                Outcome::Passes => summary.pass += 1,
                Outcome::WouldFail => summary.fail += 1,
                Outcome::Unknown => summary.unknown += 1,
            }
            let is_warned = one.findings.iter().any(|finding| finding.rule.weight == Weight::Warns);
            summary.warned += u64::from(is_warned && one.outcome == Outcome::Passes);
        }
        summary
    }

    /// 0 all nodes pass, 1 some would fail, 2 it could not be told of all, or there are none.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self { nodes: 0, .. } => 2,
            Self { unknown: 1.., .. } => 2,
            Self { fail: 1.., .. } => 1,
            _ => 0,
        }
    }
}

/// Why an audit could not be made.
#[derive(Debug)]
pub enum AuditError {
    /// What was asked for cannot be had; the text says what to do.
    Setup(String),
    /// The report could not be written.
    Output(io::Error),
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(why) => f.write_str(why),
            Self::Output(error) => write!(f, "cannot write the report: {error}"),
        }
    }
}

impl std::error::Error for AuditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Setup(_) => None,
            Self::Output(error) => Some(error),
        }
    }
}

/// Looks at everything that `config` names and writes the report to `out`, notes to `notes`.
pub fn run(
    config: &Config,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> Result<Summary, AuditError> {
    let authority =
        config.authority.as_deref().map(Authority::read).transpose().map_err(AuditError::Setup)?;
    let warn_within = i64::try_from(config.expiry_warning.as_secs()).unwrap_or(i64::MAX);
    let measure = Measure { authority, now: config.now, warn_within };
    let gathered = gather(config).map_err(AuditError::Setup)?;
    let own_notes = measure.authority.as_ref().map(Authority::notes).unwrap_or_default();
    for note in own_notes.iter().chain(&gathered.notes) {
        let _ = writeln!(notes, "note: {}", report::plain(note));
    }
    let judged: Vec<Judged> = gathered.cases.into_iter().map(|case| measure.judge(case)).collect();
    let summary = Summary::of(&judged);
    if summary.nodes == 0 {
        let _ = writeln!(notes, "note: {}", nothing(config));
    } else if measure.authority.is_none() {
        let _ = writeln!(
            notes,
            "note: chains are not verified: name the authority of the API server with --kubelet-certificate-authority"
        );
    }
    match report::write(config, &judged, &summary, out) {
        // Whoever read our output has read enough; the verdict stands.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(AuditError::Output(error)),
        _ => Ok(summary),
    }
}

fn gather(config: &Config) -> Result<Gathered, String> {
    match &config.source {
        Source::Offline(folder) => gather::offline(config, folder),
        Source::Live(live) => {
            let bar = progress(config);
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
            let runtime = runtime.map_err(|error| format!("cannot start: {error}"))?;
            let done = runtime.block_on(gather::live(config, live, &bar));
            bar.finish_and_clear();
            // A resolver that hangs must not keep us.
            runtime.shutdown_timeout(Duration::from_millis(100));
            done.map_err(|error| error.to_string())
        }
    }
}

/// Why there is nothing to report.
fn nothing(config: &Config) -> String {
    match &config.source {
        Source::Offline(folder) => format!(
            "there is no certificate in {}: files must be named <node>.pem, .crt, .cer or .der",
            folder.display()
        ),
        Source::Live(live) if live.selector.is_empty() => {
            "the cluster has no nodes: nothing was looked at".to_owned()
        }
        Source::Live(live) => {
            format!("no node has the labels {:?}: nothing was looked at", live.selector)
        }
    }
}

fn progress(config: &Config) -> ProgressBar {
    if !config.progress {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} nodes {eta}") {
        bar.set_style(style);
    }
    bar
}
