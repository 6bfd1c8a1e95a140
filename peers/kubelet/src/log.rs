//! What a container has said: kept in memory with its times, or made up at full speed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use jiff::Timestamp;
use tokio::sync::watch;

/// Where a piece of log came from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Source {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A log that can be written while others read and follow it. Clones share what is in it.
#[derive(Clone, Debug)]
pub struct Log(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    flood: Option<u64>,
    kept: Mutex<Kept>,
    /// How many entries there are, and whether more can come: followers wait for a change.
    changes: watch::Sender<(usize, bool)>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: Vec<Entry>,
    ended: bool,
}

/// A line, or the part of one that was written at once.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) at: Timestamp,
    pub(crate) source: Source,
    pub(crate) text: Bytes,
}

impl Entry {
    /// Whether the line ends here.
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

    /// A log of this many bytes that nobody stores: lines are made as fast as they are read.
    pub fn flood(bytes: u64) -> Self {
        Self::with(Some(bytes))
    }

    fn with(flood: Option<u64>) -> Self {
        let kept = Mutex::new(Kept { entries: Vec::new(), ended: flood.is_some() });
        Self(Arc::new(Inner { flood, kept, changes: watch::Sender::new((0, false)) }))
    }

    /// Writes to standard output, now.
    pub fn append(&self, text: impl AsRef<[u8]>) {
        self.append_at(SystemTime::now(), Source::Stdout, text);
    }

    /// Writes at any time and from any source.
    pub fn append_at(&self, at: SystemTime, source: Source, text: impl AsRef<[u8]>) {
        let at = Timestamp::try_from(at).unwrap_or(Timestamp::UNIX_EPOCH);
        let lines = text.as_ref().split_inclusive(|byte| *byte == b'\n');
        let entries = lines.map(|line| Entry { at, source, text: Bytes::copy_from_slice(line) });
        self.change(|kept| kept.entries.extend(entries));
    }

    /// Says that nothing more will come: the container has ended, and followers with it.
    pub fn end(&self) {
        self.change(|kept| kept.ended = true);
    }

    /// Everything in it, as one text.
    pub fn text(&self) -> Vec<u8> {
        let kept = self.kept();
        kept.entries.iter().flat_map(|entry| entry.text.iter().copied()).collect()
    }

    /// How many follow or read it now.
    pub fn readers(&self) -> usize {
        self.0.changes.receiver_count()
    }

    fn change(&self, change: impl FnOnce(&mut Kept)) {
        let mut kept = self.kept();
        change(&mut kept);
        self.0.changes.send_replace((kept.entries.len(), kept.ended));
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn flooded(&self) -> Option<u64> {
        self.0.flood
    }

    pub(crate) fn changes(&self) -> watch::Receiver<(usize, bool)> {
        self.0.changes.subscribe()
    }

    /// Where reading begins for one who wants the last `tail` lines.
    pub(crate) fn start(&self, tail: Option<u64>) -> usize {
        let length = self.kept().entries.len();
        let tail = tail.map_or(length, |tail| usize::try_from(tail).unwrap_or(usize::MAX));
        length.saturating_sub(tail)
    }

    /// Some entries from `start` on, and whether none can come behind the last one there is.
    pub(crate) fn take(&self, start: usize, many: usize) -> (Vec<Entry>, bool) {
        let kept = self.kept();
        (kept.entries.iter().skip(start).take(many).cloned().collect(), kept.ended)
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
