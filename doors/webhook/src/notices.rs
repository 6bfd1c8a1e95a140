//! `Notices`: a bounded queue of findings between reviews and what is written about them, so that no review waits.

use crate::cluster::path_segment;
use crate::excerpt::excerpt;
use crate::metrics::Metrics;
use crate::notice::Notice;
use crate::response::{AdmissionResponse, Finding};
use crate::subject::Subject;
use crate::{events, reports};
use ratchet_cluster::Cluster;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The most requests whose findings wait to be written.
const MAX_WAITING: usize = 1024;
/// The most findings of one request that are written.
const MAX_FINDINGS: usize = 20;
/// The longest text of one: so many wait that their size must not be that of what was sent.
const MAX_TEXT: usize = 1024;

/// What is written about findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoticeConfig {
    /// Events.
    pub events: bool,
    /// Reports: PolicyReports and OpenReports, whichever the cluster has.
    pub reports: bool,
}

/// The queue, as reviews see it.
pub(crate) struct Notices {
    config: NoticeConfig,
    events: mpsc::Sender<Arc<Notice>>,
    reports: mpsc::Sender<Arc<Notice>>,
    open_results: Arc<reports::OpenResults>,
    metrics: Arc<Metrics>,
}

/// The other ends of the queue.
pub(crate) struct NoticeWriters {
    events: events::EventWriter,
    reports: reports::ReportWriter,
}

impl Notices {
    pub(crate) fn new(
        config: NoticeConfig,
        cluster: &Cluster,
        metrics: &Arc<Metrics>,
    ) -> (Self, NoticeWriters) {
        let (events, event_queue) = mpsc::channel(MAX_WAITING);
        let (reports, report_queue) = mpsc::channel(MAX_WAITING);
        let open_results = Arc::<reports::OpenResults>::default();
        let writers = NoticeWriters {
            events: events::EventWriter::new(cluster.clone(), Arc::clone(metrics), event_queue),
            reports: reports::ReportWriter::new(
                cluster.clone(),
                Arc::clone(metrics),
                report_queue,
                Arc::clone(&open_results),
            ),
        };
        (Self { config, events, reports, open_results, metrics: Arc::clone(metrics) }, writers)
    }

    /// Puts what was found into the queues; above their limits it is dropped and counted. A dry run has no effects.
    pub(crate) fn add(&self, subject: &Subject, response: &AdmissionResponse) {
        if subject.dry_run || subject.name.is_empty() {
            return;
        }
        // It becomes a part of a path, and anybody who reaches the port can send a review.
        if !subject.namespace.is_empty() && path_segment(&subject.namespace).is_err() {
            return;
        }
        let is_allowed = response.is_allowed();
        let has_findings = !response.findings.is_empty();
        // What was reported about an object is taken back when nothing is found in it any more.
        let is_reported = self.config.reports
            && is_allowed
            && (has_findings || self.open_results.contains(subject));
        let is_event = self.config.events && has_findings;
        if !is_event && !is_reported {
            return;
        }
        let findings = response.findings.iter().take(MAX_FINDINGS).map(short).collect();
        let notice = Arc::new(Notice { subject: subject.clone(), findings });
        if is_event && self.events.try_send(Arc::clone(&notice)).is_err() {
            self.metrics.events.with(&["dropped"]).inc();
        }
        if is_reported && self.reports.try_send(notice).is_err() {
            self.metrics.reports.with(&["dropped"]).inc();
        }
    }
}

/// A finding with its texts cut.
fn short(finding: &Finding) -> Finding {
    let cut = |text: &str| excerpt(text, MAX_TEXT).into_owned();
    let Finding { rule, mode, verdict, .. } = *finding;
    Finding { rule, mode, verdict, field: cut(&finding.field), message: cut(&finding.message) }
}

impl NoticeWriters {
    /// Writes what is in the queues, for ever.
    pub(crate) async fn run(self) {
        tokio::join!(self.events.run(), self.reports.run());
    }
}
