//! The audit pipeline: collects certificates, audits each kubelet, writes the report.

use crate::gather::{self, AuditInput};
use crate::judge::{AuditedNode, Auditor};
use crate::trust::Authority;
use crate::{Config, Source, Summary, report};
use indicatif::{ProgressBar, ProgressStyle};
use ratchet_formats::ReportError;
use std::io::{self, Write};
use std::time::Duration;

/// Audits everything that `config` names; writes the report to `out` and notes to `notes`.
pub fn run(
    config: &Config,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> Result<Summary, ReportError> {
    let authority =
        config.authority.as_deref().map(Authority::read).transpose().map_err(ReportError::Setup)?;
    let warn_within = i64::try_from(config.expiry_warning.as_secs()).unwrap_or(i64::MAX);
    let auditor = Auditor { authority, now: config.now, warn_within };
    let input = gather(config).map_err(ReportError::Setup)?;
    let own_notes = auditor.authority.as_ref().map(Authority::notes).unwrap_or_default();
    for note in own_notes.iter().chain(&input.notes) {
        let _ = writeln!(notes, "note: {}", report::plain(note));
    }
    let audited: Vec<AuditedNode> =
        input.cases.into_iter().map(|case| auditor.judge(case)).collect();
    let summary = Summary::of(&audited);
    if summary.nodes == 0 {
        let _ = writeln!(notes, "note: {}", nothing_found_note(config));
    } else if auditor.authority.is_none() {
        let _ = writeln!(
            notes,
            "note: chains are not verified: name the authority of the API server with --kubelet-certificate-authority"
        );
    }
    match report::write(config, &audited, &summary, out) {
        // A reader that closes the pipe does not change the result.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(ReportError::Output(error)),
        _ => Ok(summary),
    }
}

fn gather(config: &Config) -> Result<AuditInput, String> {
    match &config.source {
        Source::Offline(folder) => gather::offline(config, folder),
        Source::Live(live) => {
            let bar = progress(config);
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
            let runtime = runtime.map_err(|error| format!("cannot start: {error}"))?;
            let done = runtime.block_on(gather::live(config, live, &bar));
            bar.finish_and_clear();
            // A hanging resolver must not delay the exit.
            runtime.shutdown_timeout(Duration::from_millis(100));
            done.map_err(|error| error.to_string())
        }
    }
}

/// A note on why there is nothing to report.
fn nothing_found_note(config: &Config) -> String {
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
