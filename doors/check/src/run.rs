//! A check from beginning to end: what is stored, what is lent, then every document in its order.

use crate::against::Stored;
use crate::baseline::Baseline;
use crate::finding::{Judged, Outcome, Severity};
use crate::inspect::Inspector;
use crate::lent::Lent;
use crate::pipeline::{self, Item};
use crate::{Config, ObjectName, report};
use indicatif::{ProgressBar, ProgressStyle};
use ratchet_engine::rules::decoding;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How many objects there were, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Objects that were judged.
    pub objects: u64,
    /// Objects that the API would refuse.
    pub refused: u64,
    /// Objects that the API would take with a warning.
    pub warned: u64,
    /// Documents that could not be judged.
    pub unreadable: u64,
    /// Documents that were passed over.
    pub skipped: u64,
    /// Findings that an annotation or the baseline suppressed.
    pub suppressed: u64,
    /// Known findings of the baseline that are gone.
    pub stale: u64,
}

impl Summary {
    /// 0 nothing refused, 1 something refused, 2 could not tell.
    pub fn exit_code(&self, warnings_as_errors: bool) -> u8 {
        if self.unreadable > 0 {
            2
        } else if self.refused > 0 || (warnings_as_errors && self.warned > 0) {
            1
        } else {
            0
        }
    }

    fn count(&mut self, judged: &Judged) {
        self.suppressed += judged.suppressed as u64;
        match judged.outcome {
            Outcome::Skipped { .. } => self.skipped += 1,
            Outcome::Unreadable => self.unreadable += 1,
            Outcome::Refused { .. } => self.refused += 1,
            Outcome::Warned => self.warned += 1,
            Outcome::Admitted => {}
        }
        if !matches!(judged.outcome, Outcome::Skipped { .. } | Outcome::Unreadable) {
            self.objects += 1;
        }
    }
}

/// Why a check could not be made.
#[derive(Debug)]
pub enum CheckError {
    /// What was asked for cannot be had; the text says what to do.
    Setup(String),
    /// Findings could not be written.
    Output(io::Error),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(why) => f.write_str(why),
            Self::Output(error) => write!(f, "cannot write the findings: {error}"),
        }
    }
}

impl std::error::Error for CheckError {}

/// Checks everything that `config` names and writes what is found to `out`, notes to `notes`.
pub fn run(
    config: &Config,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> Result<Summary, CheckError> {
    let held = hold_stdin(&config.inputs).map_err(CheckError::Setup)?;
    let inputs = held.as_ref().map_or(&config.inputs, |held| &held.inputs);
    let workers = config.workers;
    let stored = match &config.against {
        None => None,
        Some(against) => {
            let read = Stored::read(against, inputs, config.recursive, &config.namespace, workers);
            Some(read.map_err(CheckError::Setup)?)
        }
    };
    let mut baseline = match &config.baseline {
        Some(path) => Baseline::read(path).map_err(CheckError::Setup)?,
        None => Baseline::default(),
    };
    let lent = if config.policy.plugins.pod_security {
        Lent::read(inputs, config.recursive, workers)
    } else {
        Lent::default()
    };
    let bar = progress(config, lent.files);
    let inspector = Inspector { config, lent: &lent, stored: stored.as_ref() };
    let mut found = Baseline::default();
    let mut summary = Summary::default();
    let mut report = report::of(config);
    let mut failed = report.begin(out).err();
    let work = |item: Item<'_>, made: &mut Vec<Event>| match item {
        Item::Sheet(file, sheet) => {
            let mut judged = Vec::new();
            let file = if held.as_ref().is_some_and(|held| held.is_stdin(file)) {
                &Arc::from("stdin")
            } else {
                file
            };
            inspector.inspect(file, &sheet, &mut judged);
            made.extend(judged.into_iter().map(Event::Judged));
        }
        Item::Done => made.push(Event::FileDone),
        Item::Failed(path, why) => made.push(Event::Judged(unreadable(path, why))),
    };
    pipeline::run(inputs, config.recursive, workers, work, |event| {
        let Event::Judged(mut judged) = event else {
            bar.inc(1);
            return true;
        };
        if config.write_baseline.is_some() {
            found.record(&judged);
        }
        baseline.apply(&mut judged);
        summary.count(&judged);
        let told =
            bar.suspend(|| tell_skipped(&judged, notes).and_then(|()| report.object(&judged, out)));
        failed = failed.take().or(told.err());
        failed.is_none()
    });
    bar.finish_and_clear();
    summary.stale = baseline.stale().count() as u64;
    for about in baseline.stale() {
        let _ = writeln!(notes, "note: no longer found, remove it from the baseline: {about}");
    }
    match failed.take().or(report.end(&summary, out).err()) {
        // Whoever read our output has read enough.
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Some(error) => return Err(CheckError::Output(error)),
        None => {}
    }
    if let Some(path) = &config.write_baseline {
        found.write(path).map_err(CheckError::Setup)?;
    }
    Ok(summary)
}

enum Event {
    Judged(Judged),
    FileDone,
}

fn tell_skipped(judged: &Judged, notes: &mut dyn Write) -> io::Result<()> {
    match &judged.outcome {
        Outcome::Skipped { why } => {
            writeln!(notes, "note: {}:{}: skipped: {why}", judged.file, judged.line)
        }
        _ => Ok(()),
    }
}

fn unreadable(path: &std::path::Path, why: &str) -> Judged {
    let place = ratchet_object::Place { line: 1, column: 1 };
    let finding = crate::Finding {
        rule: &decoding::UNREADABLE,
        severity: Severity::Error,
        message: format!("cannot read it: {why}"),
        field: String::new(),
        start: place,
        end: place,
        source: String::new(),
        marked: 0..0,
        label: String::new(),
        fix: None,
        notes: Vec::new(),
        fingerprint: String::new(),
    };
    Judged {
        file: path.to_string_lossy().into(),
        line: 1,
        object: ObjectName::default(),
        outcome: Outcome::Unreadable,
        findings: vec![finding],
        suppressed: 0,
    }
}

fn progress(config: &Config, files: u64) -> ProgressBar {
    if !config.progress {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(files);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files {eta}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Standard input can be read once only, and a check reads twice: it is held in a file meanwhile.
struct Held {
    inputs: Vec<PathBuf>,
    file: tempfile::NamedTempFile,
}

impl Held {
    fn is_stdin(&self, name: &str) -> bool {
        self.file.path().to_string_lossy() == name
    }
}

fn hold_stdin(inputs: &[PathBuf]) -> Result<Option<Held>, String> {
    if !inputs.iter().any(|input| input.as_os_str() == "-") {
        return Ok(None);
    }
    let failed = |error: io::Error| format!("standard input cannot be held: {error}");
    let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
    io::copy(&mut io::stdin().lock(), &mut file).map_err(failed)?;
    file.flush().map_err(failed)?;
    let inputs = inputs
        .iter()
        .map(
            |input| {
                if input.as_os_str() == "-" { file.path().to_path_buf() } else { input.clone() }
            },
        )
        .collect();
    Ok(Some(Held { inputs, file }))
}
