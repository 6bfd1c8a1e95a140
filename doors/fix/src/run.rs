//! The fix of all inputs: files on several threads, results in the order of the input.

use crate::file::{FileResult, fix_bytes, fix_file};
use crate::report::Report;
use crate::{Config, OutputFormat, Summary};
use ratchet_manifests::{Source, is_stdin, walk};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;

/// Files that a worker takes at once.
const FILES_A_TASK: usize = 16;
/// Results of a worker that wait to be written.
const TASKS_WAITING: usize = 4;

/// One input, found and not yet read.
enum Input {
    Stdin,
    File(PathBuf),
    Failed(PathBuf, String),
}

/// Fixes everything that `config` names; writes the report to `out` and what people should know to `notes`.
pub fn run(config: &Config, out: &mut dyn Write, notes: &mut dyn Write) -> io::Result<Summary> {
    let inputs = find(config);
    let mut summary = Summary { written: config.write, ..Summary::default() };
    let mut report = Report::begin(config, out)?;
    let mut failed = None;
    let mut each = |result: FileResult| {
        count(&result, &mut summary);
        let written = match &result.text {
            // A stream is written as a stream; its diff would stand in it.
            Some(text) if config.write && config.output == OutputFormat::Diff => {
                let quiet = FileResult { diff: text.clone(), ..result };
                report.file(&quiet, out, notes)
            }
            _ => report.file(&result, out, notes),
        };
        failed = failed.take().or(written.err());
    };
    std::thread::scope(|scope| {
        let workers = config.workers.clamp(1, 64);
        let mut results = Vec::new();
        for worker in 0..workers {
            let (sender, receiver) = sync_channel(TASKS_WAITING);
            let tasks = inputs.chunks(FILES_A_TASK).skip(worker).step_by(workers);
            scope.spawn(move || {
                for task in tasks {
                    let batch: Vec<FileResult> =
                        task.iter().map(|input| fix_input(input, config)).collect();
                    if sender.send(batch).is_err() {
                        return;
                    }
                }
            });
            results.push(receiver);
        }
        for receiver in results.iter().cycle() {
            let Ok(batch) = receiver.recv() else { return };
            batch.into_iter().for_each(&mut each);
        }
    });
    if inputs.is_empty() {
        let _ = writeln!(notes, "note: no manifests were found in what was named");
    }
    match failed.or(report.end(&summary, out, notes).err()) {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(summary),
    }
}

fn find(config: &Config) -> Vec<Input> {
    let mut inputs = Vec::new();
    for input in &config.inputs {
        if is_stdin(input) {
            inputs.push(Input::Stdin);
            continue;
        }
        walk(core::slice::from_ref(input), config.recursive, &mut |source| {
            inputs.push(match source {
                Source::File(path, _) => Input::File(path),
                Source::Failed(path, error) => Input::Failed(path, error.to_string()),
            });
        });
    }
    inputs
}

fn fix_input(input: &Input, config: &Config) -> FileResult {
    match input {
        Input::File(path) => fix_file(path, config),
        Input::Failed(path, why) => {
            FileResult::failed(&path.to_string_lossy(), format!("cannot read it: {why}"))
        }
        Input::Stdin => {
            let mut bytes = Vec::new();
            match io::stdin().lock().read_to_end(&mut bytes) {
                Err(error) => FileResult::failed("stdin", format!("cannot read it: {error}")),
                Ok(_) => {
                    let mut result = fix_bytes("stdin", &bytes, config);
                    // A filter passes on what it leaves as it is.
                    if config.write && result.text.is_none() {
                        result.text = String::from_utf8(bytes).ok();
                    }
                    result
                }
            }
        }
    }
}

fn count(result: &FileResult, summary: &mut Summary) {
    summary.files += 1;
    summary.changed += u64::from(!result.edits.is_empty());
    summary.edits += result.edits.len() as u64;
    summary.refused += result.refused.len() as u64;
    summary.excepted += result.excepted;
    summary.skipped += result.skipped.len() as u64;
    summary.failed += result.failed.len() as u64;
}
