//! PEM decoding as in Go's `encoding/pem`: text around blocks and malformed blocks are skipped.

use alloc::string::String;
use alloc::vec::Vec;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// One `-----BEGIN …-----` of a file, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PemBlock {
    /// The type: `CERTIFICATE`.
    pub label: String,
    /// Whether it has `name: value` headers.
    pub has_headers: bool,
    /// The decoded contents.
    pub contents: Vec<u8>,
}

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";

/// The first block of a text, and the rest after it.
pub fn first_pem_block(text: &[u8]) -> Option<(PemBlock, &[u8])> {
    let mut rest = text;
    loop {
        rest = after(rest, BEGIN)?;
        let (line, body) = line(rest);
        let Some(label) = line.strip_suffix(DASHES) else { continue };
        if let Some(found) = block(label, body) {
            return Some(found);
        }
        rest = body;
    }
}

/// The text after a marker at the beginning of a line.
fn after<'t>(text: &'t [u8], marker: &[u8]) -> Option<&'t [u8]> {
    let at = start_of(text, marker)?;
    text.get(at + marker.len()..)
}

/// The position of a line that begins with a marker.
fn start_of(text: &[u8], marker: &[u8]) -> Option<usize> {
    if text.starts_with(marker) {
        return Some(0);
    }
    let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let mut starts = breaks.map(|(at, _)| at + 1);
    starts.find(|start| text.get(*start..).is_some_and(|rest| rest.starts_with(marker)))
}

/// The first line without trailing blanks, and the rest.
fn line(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| *byte == b'\n');
    let (line, rest) = match end {
        Some(end) => (text.get(..end), text.get(end + 1..)),
        None => (Some(text), None),
    };
    let line = line.unwrap_or_default();
    let last_visible = line.iter().rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    (
        line.get(..last_visible.map_or(0, |last| last + 1)).unwrap_or_default(),
        rest.unwrap_or_default(),
    )
}

fn block<'t>(label: &[u8], text: &'t [u8]) -> Option<(PemBlock, &'t [u8])> {
    let mut body = text;
    let mut has_headers = false;
    loop {
        let (header, next) = line(body);
        if !header.contains(&b':') || next.is_empty() {
            break;
        }
        has_headers = true;
        body = next;
    }
    let end = start_of(body, END)?;
    let (last, rest) = line(body.get(end + END.len()..)?);
    if last.strip_suffix(DASHES) != Some(label) {
        return None;
    }
    let inner = body.get(..end)?.iter().filter(|byte| !byte.is_ascii_whitespace());
    let contents = BASE64_STANDARD.decode(inner.copied().collect::<Vec<u8>>()).ok()?;
    let label = String::from_utf8_lossy(label).into_owned();
    Some((PemBlock { label, has_headers, contents }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::format;
    use proptest::prelude::*;

    fn labels(text: &str) -> Vec<(String, bool, usize)> {
        let (mut found, mut rest) = (Vec::new(), text.as_bytes());
        while let Some((block, next)) = first_pem_block(rest) {
            found.push((block.label, block.has_headers, block.contents.len()));
            rest = next;
        }
        found
    }

    #[test]
    fn blocks_are_found_among_other_lines() {
        let text = "hello\n-----BEGIN A-----\nAAEC\nAwQF\n-----END A-----\nmore\r\n-----BEGIN B C-----\r\nkey: value\r\n\r\nAA==\r\n-----END B C-----\r\n-----BEGIN D-----\n-----END D-----";
        let wanted = [("A", false, 6), ("B C", true, 1), ("D", false, 0)];
        assert_eq!(
            labels(text),
            wanted.map(|(label, headers, len)| (label.to_owned(), headers, len))
        );
    }

    #[test]
    fn broken_blocks_are_skipped() {
        let good = "-----BEGIN A-----\nAA==\n-----END A-----\n";
        for bad in [
            "",
            "-----BEGIN A-----",
            "-----BEGIN A\nAA==\n-----END A-----\n",
            "-----BEGIN A-----\n*\n-----END A-----\n",
            "-----BEGIN A-----\nAA==\n-----END B-----\n",
            " -----BEGIN A-----\nAA==\n-----END A-----\n",
        ] {
            assert!(labels(bad).is_empty(), "{bad}");
            assert_eq!(labels(&format!("{bad}\n{good}")).len(), 1, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_not(text in "(-----BEGIN |-----END |A|-----|\n|:|=| |\r){0,30}") {
            let mut rest = text.as_bytes();
            while let Some((_, next)) = first_pem_block(rest) {
                prop_assert!(next.len() < rest.len());
                rest = next;
            }
        }
    }
}
