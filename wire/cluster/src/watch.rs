//! `Watch`: the events of a watch, one JSON object a line.

use crate::{ClusterError, Download};
use ratchet_object::{Limits, Node, decode_json};

/// The largest event that is read: an object of the largest size, and what is around it.
const MAX_LINE: usize = 8 << 20;

/// What a line of a watch says.
#[derive(Debug)]
pub(crate) enum WatchEvent {
    /// An object was added or changed.
    Applied(Node<'static>),
    /// An object was deleted.
    Deleted(Node<'static>),
    /// Nothing happened up to this resource version.
    Bookmark(String),
    /// The server ends the watch, with the code and the message of a Status.
    Error(i64, String),
}

/// A watch that is open.
pub(crate) struct Watch {
    download: Download,
    lines: Lines,
}

impl Watch {
    pub(crate) fn new(download: Download) -> Self {
        Self { download, lines: Lines::default() }
    }

    /// The next event; `None` when the server ends the watch.
    pub(crate) async fn next(&mut self) -> Result<Option<WatchEvent>, ClusterError> {
        loop {
            if let Some(line) = self.lines.next() {
                return parse(&line).map(Some).map_err(|why| self.broken(why));
            }
            match self.download.next_piece().await? {
                Some(piece) => self.lines.push(&piece),
                None => return Ok(None),
            }
            if self.lines.buffered() > MAX_LINE {
                return Err(self.broken(format!("an event is larger than {MAX_LINE} bytes")));
            }
        }
    }

    fn broken(&self, why: String) -> ClusterError {
        ClusterError::Unreachable { server: self.download.server.clone(), why }
    }
}

/// Splits pieces of a body into lines.
#[derive(Default)]
struct Lines {
    buffer: Vec<u8>,
    /// How much of the buffer has no line end.
    searched: usize,
}

impl Lines {
    fn push(&mut self, piece: &[u8]) {
        self.buffer.extend_from_slice(piece);
    }

    fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// The next complete line that is not empty.
    fn next(&mut self) -> Option<String> {
        loop {
            let rest = self.buffer.get(self.searched..)?;
            let Some(at) = rest.iter().position(|byte| *byte == b'\n') else {
                self.searched = self.buffer.len();
                return None;
            };
            let line: Vec<u8> = self.buffer.drain(..=self.searched + at).collect();
            self.searched = 0;
            let line = String::from_utf8_lossy(&line);
            if !line.trim().is_empty() {
                return Some(line.trim().to_owned());
            }
        }
    }
}

fn parse(line: &str) -> Result<WatchEvent, String> {
    let decoded = decode_json(line, Limits::STORED).map_err(|error| error.to_string())?;
    let mut event = decoded.documents.into_iter().next().ok_or("an empty event")?;
    let object = event.remove("object").ok_or("an event without an object")?;
    Ok(match event.text_at(&["type"]) {
        "ADDED" | "MODIFIED" => WatchEvent::Applied(object.into_owned()),
        "DELETED" => WatchEvent::Deleted(object.into_owned()),
        "BOOKMARK" => {
            WatchEvent::Bookmark(object.text_at(&["metadata", "resourceVersion"]).to_owned())
        }
        "ERROR" => {
            let code = object.get("code").and_then(Node::as_int).unwrap_or_default();
            WatchEvent::Error(code, object.text_at(&["message"]).to_owned())
        }
        other => return Err(format!("an event of the unknown type {other:?}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_in_pieces() {
        let mut lines = Lines::default();
        lines.push(b"one\ntw");
        assert_eq!(lines.next().as_deref(), Some("one"));
        assert_eq!(lines.next(), None);
        lines.push(b"o\n\n\nthree\n");
        assert_eq!(lines.next().as_deref(), Some("two"));
        assert_eq!(lines.next().as_deref(), Some("three"));
        assert_eq!((lines.next(), lines.buffered()), (None, 0));
    }

    #[test]
    fn events_are_told_apart() {
        let parsed = |text: &str| parse(text).unwrap();
        let object = r#""object":{"metadata":{"name":"a","resourceVersion":"7"}}"#;
        assert!(matches!(
            parsed(&format!(r#"{{"type":"ADDED",{object}}}"#)),
            WatchEvent::Applied(_)
        ));
        assert!(matches!(
            parsed(&format!(r#"{{"type":"DELETED",{object}}}"#)),
            WatchEvent::Deleted(node) if node.text_at(&["metadata", "name"]) == "a"
        ));
        assert!(matches!(
            parsed(&format!(r#"{{"type":"BOOKMARK",{object}}}"#)),
            WatchEvent::Bookmark(version) if version == "7"
        ));
        let error = r#"{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}"#;
        assert!(matches!(parsed(error), WatchEvent::Error(410, why) if why == "too old"));
        assert!(parse("{").is_err() && parse("{}").is_err() && parse("").is_err());
        assert!(parse(&format!(r#"{{"type":"DANCED",{object}}}"#)).is_err());
    }
}
