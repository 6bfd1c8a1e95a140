//! A check from beginning to end: what is stored, what is lent, then every document in its order.

use crate::against::Stored;
use crate::baseline::Baseline;
use crate::files::is_stdin;
use crate::finding::{Judged, Outcome, Severity};
use crate::inspect::Inspector;
use crate::namespaces::NamespaceIndex;
use crate::pipeline::{self, Item};
use crate::policies::PolicySet;
use crate::{Config, ObjectName, report};
use indicatif::{ProgressBar, ProgressStyle};
use ratchet_engine::rules::decoding;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
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
    let held = hold_streams(&config.inputs).map_err(CheckError::Setup)?;
    let inputs = &held.inputs;
    let workers = config.workers;
    let stored = match &config.against {
        None => None,
        Some(against) => {
            let inputs = &config.inputs;
            let read = Stored::read(against, inputs, config.recursive, &config.namespace, workers);
            Some(read.map_err(CheckError::Setup)?)
        }
    };
    for what in stored.iter().flat_map(|stored| &stored.unread) {
        let _ = writeln!(notes, "note: --against {what}; what it holds counts as new");
    }
    let mut baseline = match &config.baseline {
        Some(path) => Baseline::read(path).map_err(CheckError::Setup)?,
        None => Baseline::default(),
    };
    let book = match config.policies.is_empty() {
        true => None,
        false => Some(PolicySet::read(config).map_err(CheckError::Setup)?),
    };
    for note in book.iter().flat_map(|book| &book.notes) {
        let _ = writeln!(notes, "note: {note}");
    }
    let lent = if config.policy.plugins.pod_security || book.is_some() {
        NamespaceIndex::read(inputs, config.recursive, workers)
    } else {
        NamespaceIndex::default()
    };
    let bar = progress(config, lent.files);
    let large = Mutex::new(());
    let inspector =
        Inspector { config, lent: &lent, stored: stored.as_ref(), book: book.as_ref(), large };
    let mut found = Baseline::default();
    let mut summary = Summary::default();
    let mut report = report::of(config);
    let mut failed = report.begin(out).err();
    let work = |item: Item<'_>, made: &mut Vec<Event>| match item {
        Item::DocumentRef(file, sheet) => {
            let mut judged = Vec::new();
            let file = held.name_of(file).unwrap_or(file);
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
        // Whoever reads may have read enough; the exit status still needs every verdict.
        if let Err(error) = told
            && failed.is_none()
        {
            failed = Some(error);
        }
        failed.as_ref().is_none_or(is_broken_pipe)
    });
    bar.finish_and_clear();
    if summary == Summary::default() {
        let _ = writeln!(notes, "note: no objects were found in what was named");
    }
    if let Some(told) = book.as_ref().and_then(PolicySet::told_of_namespaces) {
        let _ = writeln!(notes, "note: {told}");
    }
    summary.stale = baseline.stale().count() as u64;
    for about in baseline.stale() {
        let _ = writeln!(notes, "note: no longer found, remove it from the baseline: {about}");
    }
    match failed.take().or(report.end(&summary, out).err()) {
        Some(error) if is_broken_pipe(&error) => {}
        Some(error) => return Err(CheckError::Output(error)),
        None => {}
    }
    if let Some(path) = &config.write_baseline {
        found.write(path).map_err(CheckError::Setup)?;
    }
    Ok(summary)
}

fn is_broken_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
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
        hint: None,
        notes: Vec::new(),
        fingerprint: format!("unread:{}", path.display()),
        policy: None,
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

const WORTH_A_BAR: u64 = 500;

fn progress(config: &Config, files: u64) -> ProgressBar {
    // A short run is over before a bar is read.
    if !config.progress || files < WORTH_A_BAR {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(files);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files {eta}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Standard input and other pipes can be read once only, and a check reads twice: they are held in
/// files meanwhile.
struct Held {
    inputs: Vec<PathBuf>,
    streams: Vec<(tempfile::NamedTempFile, Arc<str>)>,
}

impl Held {
    /// The name of the pipe that a file stands for.
    fn name_of(&self, file: &str) -> Option<&Arc<str>> {
        let is_it =
            |held: &&(tempfile::NamedTempFile, Arc<str>)| held.0.path().to_string_lossy() == file;
        self.streams.iter().find(is_it).map(|(_, name)| name)
    }
}

fn hold_streams(inputs: &[PathBuf]) -> Result<Held, String> {
    let mut held = Held { inputs: Vec::new(), streams: Vec::new() };
    for input in inputs {
        let is_stdin = is_stdin(input);
        if !is_stdin && !is_pipe(input) {
            held.inputs.push(input.clone());
            continue;
        }
        let failed = |error: io::Error| format!("{} cannot be read: {error}", input.display());
        let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
        if is_stdin {
            io::copy(&mut io::stdin().lock(), &mut file).map_err(failed)?;
        } else {
            let mut pipe = std::fs::File::open(input).map_err(failed)?;
            io::copy(&mut pipe, &mut file).map_err(failed)?;
        }
        file.flush().map_err(failed)?;
        held.inputs.push(file.path().to_path_buf());
        let name = if is_stdin { "stdin".into() } else { input.to_string_lossy() };
        held.streams.push((file, name.into()));
    }
    Ok(held)
}

#[cfg(unix)]
fn is_pipe(path: &std::path::Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|facts| facts.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &std::path::Path) -> bool {
    false
}
