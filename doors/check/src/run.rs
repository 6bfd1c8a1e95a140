//! The check pipeline: loads stored objects, definitions, policies and namespaces, then checks every document in input order.

use crate::against::StoredObjects;
use crate::baseline::Baseline;
use crate::definitions::{self, Definitions};
use crate::finding::{CheckedObject, Outcome, Severity};
use crate::first_pass::FirstPass;
use crate::inspect::Inspector;
use crate::policies::PolicySet;
use crate::{Config, ObjectName, Summary, report};
use indicatif::{ProgressBar, ProgressStyle};
use ratchet_engine::rules::decoding;
use ratchet_manifests::{self as manifests, Item, is_stdin};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An error that ends a check.
pub type CheckError = ratchet_formats::ReportError;

/// Checks everything that `config` names; writes findings to `out` and notes to `notes`.
pub fn run(
    config: &Config,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> Result<Summary, CheckError> {
    let spooled = spool_streams(&config.inputs).map_err(CheckError::Setup)?;
    let inputs = &spooled.inputs;
    let workers = config.workers;
    let stored = match &config.against {
        None => None,
        Some(against) => {
            let inputs = &config.inputs;
            let loaded =
                StoredObjects::read(against, inputs, config.recursive, &config.namespace, workers);
            Some(loaded.map_err(CheckError::Setup)?)
        }
    };
    for what in stored.iter().flat_map(|stored| &stored.unread) {
        let _ = writeln!(notes, "note: --against {what}; what it holds counts as new");
    }
    let mut baseline = match &config.baseline {
        Some(path) => Baseline::read(path).map_err(CheckError::Setup)?,
        None => Baseline::default(),
    };
    let FirstPass { namespaces, mut definitions, files } =
        FirstPass::read(inputs, config.recursive, workers);
    for source in definitions.iter_mut() {
        if let Some(name) = spooled.display_name(&source.file) {
            source.file = Arc::clone(name);
        }
    }
    let crds = definitions::read_crds(config, stored.as_ref()).map_err(CheckError::Setup)?;
    let definitions = Definitions::new(config, stored.as_ref(), (definitions, crds))
        .map_err(CheckError::Setup)?;
    let policy_set = match config.policies.is_empty() {
        true => None,
        false => Some(PolicySet::read(config, &definitions).map_err(CheckError::Setup)?),
    };
    for note in policy_set.iter().flat_map(|policy_set| &policy_set.notes) {
        let _ = writeln!(notes, "note: {note}");
    }
    let bar = progress(config, files);
    let large = Mutex::new(());
    let inspector = Inspector {
        config,
        namespaces: &namespaces,
        stored: stored.as_ref(),
        definitions: &definitions,
        policy_set: policy_set.as_ref(),
        large,
    };
    let mut new_baseline = Baseline::default();
    let mut summary = Summary::default();
    let mut report = report::of(config);
    let mut failed = report.begin(out).err();
    let work = |item: Item<'_>, events: &mut Vec<Event>| match item {
        Item::Document(file, document) => {
            let mut checked = Vec::new();
            let file = spooled.display_name(file).unwrap_or(file);
            inspector.inspect(file, &document, &mut checked);
            events.extend(checked.into_iter().map(Event::Object));
        }
        Item::Done => events.push(Event::FileDone),
        Item::Failed(path, why) => events.push(Event::Object(unreadable(path, why))),
    };
    manifests::run(inputs, config.recursive, workers, work, |event| {
        let Event::Object(mut checked) = event else {
            bar.inc(1);
            return true;
        };
        if config.write_baseline.is_some() {
            new_baseline.record(&checked);
        }
        baseline.apply(&mut checked);
        summary.count(&checked);
        let written = bar.suspend(|| {
            write_skipped_note(&checked, notes).and_then(|()| report.object(&checked, out))
        });
        // A reader that closes the pipe does not end the check: the exit status needs every verdict.
        if let Err(error) = written
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
    let late_notes = [
        policy_set.as_ref().and_then(PolicySet::unknown_namespaces_note),
        definitions.undefined_note(),
        definitions.unconverted_note(),
    ];
    for note in late_notes.into_iter().flatten() {
        let _ = writeln!(notes, "note: {note}");
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
        new_baseline.write(path).map_err(CheckError::Setup)?;
    }
    Ok(summary)
}

fn is_broken_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

enum Event {
    Object(CheckedObject),
    FileDone,
}

fn write_skipped_note(checked: &CheckedObject, notes: &mut dyn Write) -> io::Result<()> {
    match &checked.outcome {
        Outcome::Skipped { why } => {
            writeln!(notes, "note: {}:{}: skipped: {why}", checked.file, checked.line)
        }
        _ => Ok(()),
    }
}

fn unreadable(path: &std::path::Path, why: &str) -> CheckedObject {
    let start = ratchet_object::LineColumn { line: 1, column: 1 };
    let finding = crate::Finding {
        rule: &decoding::UNREADABLE,
        severity: Severity::Error,
        message: format!("cannot read it: {why}"),
        field: String::new(),
        start,
        end: start,
        source: String::new(),
        marked: 0..0,
        label: String::new(),
        fix: None,
        hint: None,
        notes: Vec::new(),
        fingerprint: format!("unread:{}", path.display()),
        policy: None,
    };
    CheckedObject {
        file: path.to_string_lossy().into(),
        line: 1,
        object: ObjectName::default(),
        outcome: Outcome::Unreadable,
        findings: vec![finding],
        suppressed: 0,
    }
}

/// The least number of files for which a progress bar is drawn.
const PROGRESS_BAR_FILES: u64 = 500;

fn progress(config: &Config, files: u64) -> ProgressBar {
    // A short run ends before anyone reads a bar.
    if !config.progress || files < PROGRESS_BAR_FILES {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(files);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files {eta}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// The inputs, with standard input and other pipes spooled to temporary files: a pipe can be read only once, and a
/// check reads its input twice.
struct SpooledInputs {
    inputs: Vec<PathBuf>,
    streams: Vec<(tempfile::NamedTempFile, Arc<str>)>,
}

impl SpooledInputs {
    /// The name of the pipe that a temporary file stands for.
    fn display_name(&self, file: &str) -> Option<&Arc<str>> {
        let is_it = |spooled: &&(tempfile::NamedTempFile, Arc<str>)| {
            spooled.0.path().to_string_lossy() == file
        };
        self.streams.iter().find(is_it).map(|(_, name)| name)
    }
}

fn spool_streams(inputs: &[PathBuf]) -> Result<SpooledInputs, String> {
    let mut spooled = SpooledInputs { inputs: Vec::new(), streams: Vec::new() };
    for input in inputs {
        let is_stdin = is_stdin(input);
        if !is_stdin && !is_pipe(input) {
            spooled.inputs.push(input.clone());
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
        spooled.inputs.push(file.path().to_path_buf());
        let name = if is_stdin { "stdin".into() } else { input.to_string_lossy() };
        spooled.streams.push((file, name.into()));
    }
    Ok(spooled)
}

#[cfg(unix)]
fn is_pipe(path: &std::path::Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &std::path::Path) -> bool {
    false
}
