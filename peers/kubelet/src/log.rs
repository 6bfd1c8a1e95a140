//! Container logs: stored in memory with timestamps, or generated at full speed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use jiff::Timestamp;
use tokio::sync::watch;

/// The stream of a log entry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Source {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A log that can be written while others read and follow it. Clones share their contents.
#[derive(Clone, Debug)]
pub struct Log(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    flood: Option<u64>,
    buffer: Mutex<LogBuffer>,
    /// Number of entries, and whether the log has ended; followers wait for a change.
    changes: watch::Sender<(usize, bool)>,
}

#[derive(Debug, Default)]
struct LogBuffer {
    entries: Vec<Entry>,
    ended: bool,
}

/// A line, or a part of one that was written at once.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) at: Timestamp,
    pub(crate) source: Source,
    pub(crate) text: Bytes,
}

impl Entry {
    /// Whether the entry ends its line.
    pub(crate) fn whole(&self) -> bool {
        self.text.ends_with(b"\n")
    }
}

impl Default for Log {
    fn default() -> Self {
        Self::new()
    }
}

impl From<&str> for Log {
    fn from(text: &str) -> Self {
        let log = Self::new();
        log.append(text);
        log
    }
}

impl Log {
    /// An empty log.
    pub fn new() -> Self {
        Self::with(None)
    }

    /// A log of this many bytes that are not stored: lines are generated as fast as they are read.
    pub fn flood(bytes: u64) -> Self {
        Self::with(Some(bytes))
    }

    fn with(flood: Option<u64>) -> Self {
        let buffer = Mutex::new(LogBuffer { entries: Vec::new(), ended: flood.is_some() });
        Self(Arc::new(Inner { flood, buffer, changes: watch::Sender::new((0, false)) }))
    }

    /// Appends to standard output with the current time.
    pub fn append(&self, text: impl AsRef<[u8]>) {
        self.append_at(SystemTime::now(), Source::Stdout, text);
    }

    /// Appends with any time and source.
    pub fn append_at(&self, at: SystemTime, source: Source, text: impl AsRef<[u8]>) {
        let at = Timestamp::try_from(at).unwrap_or(Timestamp::UNIX_EPOCH);
        let lines = text.as_ref().split_inclusive(|byte| *byte == b'\n');
        let entries = lines.map(|line| Entry { at, source, text: Bytes::copy_from_slice(line) });
        self.change(|buffer| buffer.entries.extend(entries));
    }

    /// Ends the log and its followers: the container has ended.
    pub fn end(&self) {
        self.change(|buffer| buffer.ended = true);
    }

    /// The whole text.
    pub fn text(&self) -> Vec<u8> {
        let buffer = self.buffer();
        buffer.entries.iter().flat_map(|entry| entry.text.iter().copied()).collect()
    }

    /// Number of current readers and followers.
    pub fn readers(&self) -> usize {
        self.0.changes.receiver_count()
    }

    fn change(&self, change: impl FnOnce(&mut LogBuffer)) {
        let mut buffer = self.buffer();
        change(&mut buffer);
        self.0.changes.send_replace((buffer.entries.len(), buffer.ended));
    }

    fn buffer(&self) -> MutexGuard<'_, LogBuffer> {
        self.0.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn flooded(&self) -> Option<u64> {
        self.0.flood
    }

    pub(crate) fn changes(&self) -> watch::Receiver<(usize, bool)> {
        self.0.changes.subscribe()
    }

    /// The index of the first of the last `tail` entries.
    pub(crate) fn start(&self, tail: Option<u64>) -> usize {
        let length = self.buffer().entries.len();
        let tail = tail.map_or(length, |tail| usize::try_from(tail).unwrap_or(usize::MAX));
        length.saturating_sub(tail)
    }

    /// At most `limit` entries from `start` on, and whether the log has ended.
    pub(crate) fn take(&self, start: usize, limit: usize) -> (Vec<Entry>, bool) {
        let buffer = self.buffer();
        (buffer.entries.iter().skip(start).take(limit).cloned().collect(), buffer.ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_entries_and_parts_stay_parts() {
        let log = Log::from("a\nb");
        log.append("c\n");
        let (entries, ended) = log.take(0, 9);
        let texts = entries.iter().map(|entry| (&entry.text[..], entry.whole()));
        let expected = [(&b"a\n"[..], true), (b"b", false), (b"c\n", true)];
        assert_eq!(texts.collect::<Vec<_>>(), expected);
        assert!(!ended);
        log.end();
        assert!(log.take(9, 9).1);
        assert_eq!(log.text(), b"a\nbc\n");
    }

    #[test]
    fn the_tail_is_counted_from_the_end() {
        let log = Log::from("a\nb\nc\n");
        assert_eq!([None, Some(0), Some(2), Some(9)].map(|tail| log.start(tail)), [0, 3, 1, 0]);
    }
}
