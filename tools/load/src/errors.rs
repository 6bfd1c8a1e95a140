//! Failures of requests, and how many there were of each sort.

use std::collections::BTreeMap;
use std::fmt;

/// Why a request has no answer, or not the one that was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestFailure {
    /// No connection.
    Connect(String),
    /// The connection broke, or what came was no HTTP.
    Http(String),
    /// No whole answer in time.
    Timeout,
    /// A status that is no success, with what its body says.
    Status(u16, String),
    /// An event of a watch that reports an error.
    Watch(String),
}

impl RequestFailure {
    /// The sort under which it is counted.
    fn sort(&self) -> String {
        match self {
            Self::Connect(_) => "connect".to_owned(),
            Self::Http(_) => "http".to_owned(),
            Self::Timeout => "timeout".to_owned(),
            Self::Status(code, _) => code.to_string(),
            Self::Watch(_) => "watch".to_owned(),
        }
    }
}

impl fmt::Display for RequestFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(why) => write!(out, "no connection: {why}"),
            Self::Http(why) => write!(out, "the connection broke: {why}"),
            Self::Timeout => out.write_str("no whole answer in time"),
            Self::Status(code, message) => write!(out, "{code} {message}"),
            Self::Watch(message) => write!(out, "a watch reported {message}"),
        }
    }
}

impl std::error::Error for RequestFailure {}

/// Numbers of failures by their sort, and the first one in full.
#[derive(Clone, Debug, Default)]
pub(crate) struct ErrorCounts {
    pub(crate) by_sort: BTreeMap<String, u64>,
    pub(crate) first: Option<String>,
}

impl ErrorCounts {
    pub(crate) fn add(&mut self, failure: &RequestFailure) {
        *self.by_sort.entry(failure.sort()).or_default() += 1;
        self.first.get_or_insert_with(|| failure.to_string());
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for (sort, count) in other.by_sort {
            *self.by_sort.entry(sort).or_default() += count;
        }
        self.first = self.first.take().or(other.first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_by_sort_and_the_first_is_kept() {
        let mut counts = ErrorCounts::default();
        counts.add(&RequestFailure::Status(409, "it exists".to_owned()));
        counts.add(&RequestFailure::Timeout);
        let mut more = ErrorCounts::default();
        more.add(&RequestFailure::Status(409, "another".to_owned()));
        counts.merge(more);
        assert_eq!(counts.by_sort.values().sum::<u64>(), 3);
        assert_eq!(counts.by_sort.get("409"), Some(&2));
        assert_eq!(counts.first.as_deref(), Some("409 it exists"));
    }
}
