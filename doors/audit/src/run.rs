//! One audit: reads and judges what the configuration names, then writes the report.

use crate::collector::Collector;
use crate::input::Input;
use crate::known::Known;
use crate::{AuditError, Config, Source, Summary, dumps, live, progress, report};
use indicatif::ProgressBar;
use std::io::{self, Write};
use std::time::Duration;

/// Audits everything that `config` names; writes the report to `out` and notes to `notes`.
pub fn run(
    config: &Config,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> Result<Summary, AuditError> {
    let read = |flag: &str, path: &Option<std::path::PathBuf>| {
        path.as_deref().map(|path| Known::read(flag, path)).transpose().map_err(AuditError::Setup)
    };
    let baseline = read("--baseline", &config.baseline)?.unwrap_or_default();
    let since = read("--since", &config.since)?;
    let first = config.targets.first().map(|target| target.name.as_str()).unwrap_or_default();
    let collector = Collector::new(first).map_err(AuditError::Output)?;
    let bar = progress::bar(config);
    let judged = judge_all(config, collector, &bar);
    // Also before an error is written, which would stand behind the bar.
    bar.finish_and_clear();
    let (collector, input) = judged?;
    let collected = collector.finish(input, &config.targets, &baseline, since);
    let mut collected = collected.map_err(AuditError::Output)?;
    for missing in &collected.missing {
        let _ = writeln!(notes, "note: {}", ratchet_formats::visible(&missing.sentence()));
    }
    for why in collected.inventory.unreadable.rows() {
        let _ = writeln!(notes, "note: cannot be read: {}", ratchet_formats::visible(why));
    }
    for (list, omitted) in collected.inventory.omitted().iter().filter(|(_, omitted)| *omitted > 0)
    {
        let _ = writeln!(notes, "note: {list}: {omitted} more are counted, but not listed");
    }
    if collected.summary.objects == 0 {
        let _ = writeln!(notes, "note: no audited objects were found in what was named");
    }
    let summary = collected.summary.clone();
    match report::write(config, &mut collected, out) {
        // A reader that closes the pipe does not change the result.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(AuditError::Output(error)),
        _ => Ok(summary),
    }
}

/// Reads and judges the source.
fn judge_all(
    config: &Config,
    collector: Collector,
    bar: &ProgressBar,
) -> Result<(Collector, Input), AuditError> {
    match &config.source {
        Source::Dumps(inputs) => {
            let files = inputs.iter().map(|path| path.display().to_string()).collect();
            Ok((dumps::read(config, inputs, collector, bar)?, Input::Files(files)))
        }
        Source::Live(from) => {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .map_err(|error| AuditError::Setup(format!("cannot start: {error}")))?;
            let done = runtime.block_on(live::read(config, from, collector, bar));
            // A hanging resolver must not delay the exit.
            runtime.shutdown_timeout(Duration::from_millis(100));
            let (collector, server) = done?;
            Ok((collector, Input::Server(server)))
        }
    }
}
