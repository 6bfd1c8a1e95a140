//! Sink for the lines of the log: a bounded queue, and one writer thread.
//!
//! A request never waits for the disk and never fails because of it. Lost events are counted, and
//! reported once a minute in the server's log.

mod rotating;

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::policy::Level;
use rotating::RotatingFile;
pub use rotating::Rotation;

/// The maximum number of queued lines.
const MAX_LINES: usize = 10_000;
/// The maximum size of queued lines in bytes.
const MAX_BYTES: usize = 64 << 20;
/// The size of a batch in bytes.
const BATCH: usize = 64 << 10;
/// How long dropping a sink waits for queued lines.
const DROP_TIMEOUT: Duration = Duration::from_secs(5);

/// Counters of written and lost events, for the metrics `apiserver_audit_*`.
#[derive(Debug, Default)]
pub struct Counts {
    events: AtomicU64,
    errors: AtomicU64,
    levels: [AtomicU64; 4],
}

impl Counts {
    /// `apiserver_audit_event_total`
    pub fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }

    /// `apiserver_audit_error_total{plugin="log"}`: lost events.
    pub fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// `apiserver_audit_level_total{level}`: requests at this level.
    pub fn level(&self, level: Level) -> u64 {
        self.levels.get(level as usize).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    pub(crate) fn count_event(&self) {
        self.events.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_level(&self, level: Level) {
        if let Some(count) = self.levels.get(level as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

enum Message {
    Line(String),
    /// Acknowledged when all previous lines are written.
    Flush(SyncSender<()>),
}

/// Writes lines to the log in the background.
#[derive(Debug)]
pub struct Sink {
    queue: SyncSender<Message>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    counts: Counts,
    waiting: AtomicUsize,
    last_complaint: Mutex<Option<Instant>>,
}

impl Sink {
    /// A sink for this file, or with `-` for the standard output.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened.
    pub fn open(path: &str, rotation: Rotation) -> io::Result<Self> {
        if path == "-" {
            return Self::into_writer(io::stdout());
        }
        Self::into_writer(RotatingFile::open(Path::new(path), rotation)?)
    }

    /// A sink for any writer.
    ///
    /// # Errors
    ///
    /// When the thread cannot be spawned.
    pub fn into_writer(target: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, lines) = sync_channel(MAX_LINES);
        let shared = Arc::new(Shared::default());
        std::thread::Builder::new().name("audit-log".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || write_all(&lines, target, &shared)
        })?;
        Ok(Self { queue, shared })
    }

    /// Queues one line with its newline; never blocks.
    pub fn write(&self, line: String) {
        let length = line.len();
        if self.shared.waiting.fetch_add(length, Ordering::AcqRel) + length > MAX_BYTES {
            self.shared.waiting.fetch_sub(length, Ordering::AcqRel);
            return self.shared.record_lost(1, "too much waits to be written");
        }
        if let Err(error) = self.queue.try_send(Message::Line(line)) {
            self.shared.waiting.fetch_sub(length, Ordering::AcqRel);
            self.shared.record_lost(
                1,
                match error {
                    TrySendError::Full(_) => "too much waits to be written",
                    TrySendError::Disconnected(_) => "the writer has stopped",
                },
            );
        }
    }

    /// Counters of written and lost events.
    pub fn counts(&self) -> &Counts {
        &self.shared.counts
    }

    /// Waits until all queued lines are written, with a timeout; returns whether they are.
    pub fn flush(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let (acknowledge, acknowledged) = sync_channel(1);
        let mut message = Message::Flush(acknowledge);
        loop {
            match self.queue.try_send(message) {
                Ok(()) => {
                    let remaining = deadline.saturating_duration_since(Instant::now());
                    return acknowledged.recv_timeout(remaining).is_ok();
                }
                Err(TrySendError::Full(unsent)) if Instant::now() < deadline => {
                    message = unsent;
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(_) => return false,
            }
        }
    }
}

impl Drop for Sink {
    /// The end of a server must not wait for a hanging disk; the writer ends by itself when the
    /// queue is empty.
    fn drop(&mut self) {
        if !self.flush(DROP_TIMEOUT) {
            tracing::error!("the last audit events are not written");
        }
    }
}

impl Shared {
    fn record_lost(&self, events: u64, why: &str) {
        const PAUSE: Duration = Duration::from_secs(60);
        let so_far = self.counts.errors.fetch_add(events, Ordering::Relaxed) + events;
        let mut last = self.last_complaint.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= PAUSE) {
            *last = Some(Instant::now());
            tracing::error!(why, lost = so_far, "audit events are lost");
        }
    }
}

fn write_all(lines: &Receiver<Message>, mut target: impl Write, shared: &Shared) {
    let mut batch = String::new();
    while let Ok(message) = lines.recv() {
        batch.clear();
        let mut count = 0;
        let mut next = Some(message);
        let mut flushed = None;
        while let Some(message) = next {
            match message {
                Message::Line(line) => {
                    batch += &line;
                    count += 1;
                }
                Message::Flush(acknowledge) => flushed = Some(acknowledge),
            }
            let full = batch.len() >= BATCH || flushed.is_some();
            next = if full { None } else { lines.try_recv().ok() };
        }
        shared.waiting.fetch_sub(batch.len(), Ordering::AcqRel);
        if count > 0
            && let Err(error) = target.write_all(batch.as_bytes()).and_then(|()| target.flush())
        {
            shared.record_lost(count, &error.to_string());
        }
        if let Some(acknowledge) = flushed {
            // The waiter may have given up.
            let _ = acknowledge.send(());
        }
    }
}

#[cfg(test)]
mod tests;
