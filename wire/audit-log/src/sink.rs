//! Takes the lines of the log: a queue with an end, and one thread that writes.
//!
//! A request never waits for the disk and never fails because of it. What cannot be written is counted, and told once a
//! minute where the server tells its other troubles.

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

/// So many lines may wait to be written.
const MOST_LINES: usize = 10_000;
/// So many bytes may wait to be written.
const MOST_BYTES: usize = 64 << 20;
/// So many bytes are written at once.
const BATCH: usize = 64 << 10;
/// How long the end of a sink waits for what is not yet written.
const LAST_PATIENCE: Duration = Duration::from_secs(5);

/// What has been told and what has been lost, for the metrics `apiserver_audit_*`.
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

    /// `apiserver_audit_error_total{plugin="log"}`: events that did not reach the log.
    pub fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// `apiserver_audit_level_total{level}`: requests that the policy put at this level.
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
    /// Answered when everything before it is written.
    Flush(SyncSender<()>),
}

/// Where the lines go.
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
    /// A sink into this file, or with `-` into the standard output.
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

    /// A sink into anything that can be written to.
    ///
    /// # Errors
    ///
    /// When there is no thread to be had.
    pub fn into_writer(target: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, lines) = sync_channel(MOST_LINES);
        let shared = Arc::new(Shared::default());
        std::thread::Builder::new().name("audit-log".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || write_all(&lines, target, &shared)
        })?;
        Ok(Self { queue, shared })
    }

    /// Hands over one line with its newline; returns at once.
    pub fn write(&self, line: String) {
        let length = line.len();
        if self.shared.waiting.fetch_add(length, Ordering::AcqRel) + length > MOST_BYTES {
            self.shared.waiting.fetch_sub(length, Ordering::AcqRel);
            return self.shared.lost(1, "too much waits to be written");
        }
        if let Err(error) = self.queue.try_send(Message::Line(line)) {
            self.shared.waiting.fetch_sub(length, Ordering::AcqRel);
            self.shared.lost(
                1,
                match error {
                    TrySendError::Full(_) => "too much waits to be written",
                    TrySendError::Disconnected(_) => "the writer has stopped",
                },
            );
        }
    }

    /// What has been told and what has been lost.
    pub fn counts(&self) -> &Counts {
        &self.shared.counts
    }

    /// Waits until everything handed over so far is written, but no longer than this; says whether it is.
    pub fn flush(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let (done, wait) = sync_channel(1);
        let mut message = Message::Flush(done);
        loop {
            match self.queue.try_send(message) {
                Ok(()) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    return wait.recv_timeout(left).is_ok();
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
    /// The end of a server must not wait for a disk that hangs; the writer ends by itself when the queue is empty.
    fn drop(&mut self) {
        if !self.flush(LAST_PATIENCE) {
            tracing::error!("the last audit events are not written");
        }
    }
}

impl Shared {
    fn lost(&self, events: u64, why: &str) {
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
                Message::Flush(done) => flushed = Some(done),
            }
            let full = batch.len() >= BATCH || flushed.is_some();
            next = if full { None } else { lines.try_recv().ok() };
        }
        shared.waiting.fetch_sub(batch.len(), Ordering::AcqRel);
        if count > 0
            && let Err(error) = target.write_all(batch.as_bytes()).and_then(|()| target.flush())
        {
            shared.lost(count, &error.to_string());
        }
        if let Some(done) = flushed {
            // Whoever waited may have given up.
            let _ = done.send(());
        }
    }
}

#[cfg(test)]
mod tests;
