//! A streaming reader that splits a file of any size into documents, each small enough to check.

use crate::items;
use crate::lists::{ListHead, objects_of};
use ratchet_object::{Limits, Node};
use std::io::{self, Read};
use std::sync::Arc;

/// One document of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The text, or why it cannot be used.
    pub text: Result<String, DocumentError>,
    /// Number of lines in the file before the document.
    pub line: u32,
    /// Number of characters on its first line before the document.
    pub column: u32,
    /// Byte offset of the document in the file.
    pub offset: u64,
    /// Head of the list that the document is an item of, if a list was split.
    pub list: Option<Arc<ListHead>>,
}

/// A borrowed `Document`.
#[derive(Clone, Copy, Debug)]
pub struct DocumentRef<'a> {
    /// The text, or why it cannot be used.
    pub text: Result<&'a str, DocumentError>,
    /// Number of lines in the file before the document.
    pub line: u32,
    /// Number of characters on its first line before the document.
    pub column: u32,
    /// Byte offset of the document in the file.
    pub offset: u64,
    /// Head of the list that the document is an item of, if a list was split.
    pub list: Option<&'a ListHead>,
}

impl Document {
    /// The document, borrowed.
    pub fn as_document_ref(&self) -> DocumentRef<'_> {
        let text = self.text.as_deref().map_err(|error| *error);
        DocumentRef {
            text,
            line: self.line,
            column: self.column,
            offset: self.offset,
            list: self.list.as_deref(),
        }
    }
}

/// Calls `each` with every document of a file that is in memory. In a file that is not all UTF-8, only the documents
/// that are not UTF-8 are lost.
pub fn for_each_document(bytes: &[u8], mut each: impl FnMut(DocumentRef<'_>)) {
    let Ok(text) = core::str::from_utf8(bytes) else {
        let mut documents = Documents::new(bytes);
        while let Ok(Some(document)) = documents.next_document() {
            each(document.as_document_ref());
        }
        return;
    };
    for piece in ratchet_object::split_documents(text) {
        let offset = piece.offset as u64;
        each(DocumentRef { text: Ok(piece.text), line: piece.line, column: 0, offset, list: None });
    }
}

/// The objects of a document; items of a list get its kind and apiVersion.
pub fn objects_in<'t>(document: &DocumentRef<'_>, documents: Vec<Node<'t>>) -> Vec<Node<'t>> {
    let apply = |node| match document.list {
        Some(head) => head.apply(node),
        None => node,
    };
    documents.into_iter().map(apply).flat_map(objects_of).collect()
}

/// Why a document's text cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentError {
    /// Larger than the API server accepts.
    TooLarge,
    /// Not UTF-8.
    NotUtf8,
}

impl std::fmt::Display for DocumentError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::TooLarge => "the document is larger than 3 MiB, which is all that the API takes",
            Self::NotUtf8 => "the document is not UTF-8",
        })
    }
}

/// Above this size a document is split if it is a list.
const LARGE: usize = 1 << 20;
/// Above this size a document is refused, as the API server refuses it.
const LIMIT: usize = Limits::DEFAULT.bytes;
const BLOCK: usize = 256 << 10;

/// A reader of consecutive documents that buffers at most one of them.
pub struct Documents<R> {
    input: R,
    buffer: Vec<u8>,
    /// Number of bytes of `buffer` already returned; `fill` drops them.
    consumed: usize,
    /// Number of pending bytes already searched for a separator without success.
    searched: usize,
    eof: bool,
    line: u32,
    column: u32,
    offset: u64,
    mode: Mode,
}

enum Mode {
    /// Documents between separator lines.
    Whole,
    /// Items of a list that is being split.
    Items(items::Splitter),
    /// The members after the items of such a list.
    Tail(items::Splitter),
    /// The rest of a document that is too large, up to the next separator.
    SkipOversized,
    /// The input is exhausted.
    End,
}

impl<R: Read> Documents<R> {
    /// A reader of the documents of `input`.
    pub fn new(input: R) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            consumed: 0,
            searched: 0,
            eof: false,
            line: 0,
            column: 0,
            offset: 0,
            mode: Mode::Whole,
        }
    }

    fn pending(&self) -> &[u8] {
        self.buffer.get(self.consumed..).unwrap_or_default()
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.consumed);
        self.consumed = 0;
        let before = self.buffer.len();
        self.buffer.resize(before + BLOCK, 0);
        let read = loop {
            match self.input.read(self.buffer.get_mut(before..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.buffer.truncate(before + read);
        self.eof = read == 0;
        Ok(())
    }

    /// The next document, or none at the end of the file.
    pub fn next_document(&mut self) -> io::Result<Option<Document>> {
        loop {
            match &mut self.mode {
                Mode::End => return Ok(None),
                Mode::Whole => {
                    if let Some((end, next)) = separator(self.pending(), self.searched, self.eof) {
                        let document = self.take(end, next);
                        self.column = 0;
                        return Ok(Some(document));
                    }
                    if self.eof {
                        self.mode = Mode::End;
                        let all = self.pending().len();
                        return Ok(Some(self.take(all, all)));
                    }
                    // The last line may still become a separator.
                    self.searched = last_line(self.pending());
                    if self.pending().len() > LARGE
                        && let Some(splitter) = items::Splitter::find(self.pending())
                    {
                        self.mode = Mode::Items(splitter);
                        continue;
                    }
                    if self.pending().len() > LIMIT {
                        return Ok(Some(self.skip_oversized()));
                    }
                    self.fill()?;
                }
                Mode::Items(splitter) => match splitter
                    .next(self.buffer.get(self.consumed..).unwrap_or_default(), self.eof)
                {
                    items::Next::Item { start, end, rest } => {
                        let (blanks, head) = (splitter.blanks(), Arc::clone(&splitter.head));
                        self.advance(start);
                        let mut document = self.take(end - start, rest - start);
                        document.list = Some(head);
                        if let Ok(text) = &mut document.text {
                            blanks.apply(text);
                        }
                        return Ok(Some(document));
                    }
                    items::Next::NeedMore if self.pending().len() > LIMIT => {
                        return Ok(Some(self.skip_oversized()));
                    }
                    items::Next::NeedMore => self.fill()?,
                    items::Next::End { rest } => {
                        if let Mode::Items(splitter) = std::mem::replace(&mut self.mode, Mode::End)
                        {
                            self.mode = Mode::Tail(splitter);
                        }
                        self.advance(rest);
                    }
                },
                Mode::Tail(splitter) => {
                    let pending = self.buffer.get(self.consumed..).unwrap_or_default();
                    let cut = separator(pending, 0, self.eof);
                    let document_end = cut.map(|cut| cut.0).or(self.eof.then_some(pending.len()));
                    match splitter.end(pending, document_end).or(self.eof.then_some(pending.len()))
                    {
                        Some(end) => {
                            let is_list = splitter.is_list(pending.get(..end).unwrap_or_default());
                            let next = cut.filter(|cut| cut.0 == end).map_or(end, |cut| cut.1);
                            let at_end = self.eof && next == pending.len();
                            self.mode = if at_end { Mode::End } else { Mode::Whole };
                            // A document that only looked like a list was not checked as the object it is.
                            let oversized =
                                (!is_list).then(|| self.document(Err(DocumentError::TooLarge)));
                            self.advance(next);
                            self.column = 0;
                            if oversized.is_some() {
                                return Ok(oversized);
                            }
                        }
                        None if pending.len() > LIMIT => return Ok(Some(self.skip_oversized())),
                        None => self.fill()?,
                    }
                }
                Mode::SkipOversized => match separator(self.pending(), 0, self.eof) {
                    Some((_, next)) => {
                        self.advance(next);
                        self.mode = Mode::Whole;
                    }
                    None if self.eof => {
                        self.mode = Mode::End;
                    }
                    None => {
                        let seen = last_line(self.pending());
                        self.advance(if seen == 0 { self.pending().len() } else { seen });
                        self.fill()?;
                    }
                },
            }
        }
    }

    /// Starts to skip the rest of a document that is too large.
    fn skip_oversized(&mut self) -> Document {
        self.mode = Mode::SkipOversized;
        self.document(Err(DocumentError::TooLarge))
    }

    /// Returns the first `end` bytes as a document and advances by `next` bytes.
    fn take(&mut self, end: usize, next: usize) -> Document {
        let bytes = self.pending().get(..end).unwrap_or_default().to_vec();
        let document = self.document(String::from_utf8(bytes).map_err(|_| DocumentError::NotUtf8));
        self.advance(next);
        document
    }

    fn document(&self, text: Result<String, DocumentError>) -> Document {
        Document { text, line: self.line, column: self.column, offset: self.offset, list: None }
    }

    fn advance(&mut self, count: usize) {
        let skipped = self.pending().get(..count).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', skipped).count();
        let last = memchr::memrchr(b'\n', skipped).map_or(0, |at| at + 1);
        let tail = skipped.get(last..).unwrap_or_default();
        let chars =
            u32::try_from(String::from_utf8_lossy(tail).chars().count()).unwrap_or(u32::MAX);
        let count = skipped.len();
        self.column = if lines > 0 { chars } else { self.column.saturating_add(chars) };
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.offset += count as u64;
        self.consumed += count;
        self.searched = 0;
    }
}

/// The offset of the line break before the last line.
fn last_line(pending: &[u8]) -> usize {
    memchr::memrchr(b'\n', pending).unwrap_or(0)
}

/// The next separator line: its offset and the offset of the text after it. An incomplete line is not a separator yet.
fn separator(pending: &[u8], from: usize, eof: bool) -> Option<(usize, usize)> {
    let mut at = from;
    if from == 0
        && pending.starts_with(b"---")
        && let Some(found) = separator_at(pending, 0, eof)
    {
        return Some(found);
    }
    loop {
        let begin = at + memchr::memmem::find(pending.get(at..)?, b"\n---")? + 1;
        if let Some(found) = separator_at(pending, begin, eof) {
            return Some(found);
        }
        at = begin + 2;
    }
}

fn separator_at(pending: &[u8], begin: usize, eof: bool) -> Option<(usize, usize)> {
    let after = pending.get(begin + 3..)?;
    let line = memchr::memchr(b'\n', after);
    if line.is_none() && !eof {
        return None;
    }
    let tail = after.get(..line.unwrap_or(after.len()))?;
    let trimmed = tail.trim_ascii();
    let is_separator = trimmed.is_empty() || (trimmed.starts_with(b"#") && !tail.starts_with(b"#"));
    is_separator.then(|| (begin, line.map_or(pending.len(), |at| begin + 3 + at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns a few bytes at a time, as a slow pipe does.
    struct SlowReader<'a>(&'a [u8], usize);

    impl Read for SlowReader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            let (now, later) = self.0.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    fn read(input: impl Read) -> Vec<(Result<String, DocumentError>, u32, u32)> {
        let mut documents = Documents::new(input);
        let mut all = Vec::new();
        while let Some(document) = documents.next_document().unwrap() {
            all.push((document.text, document.line, document.column));
        }
        all
    }

    #[test]
    fn a_stream_is_cut_the_same_however_it_arrives() {
        let text = "a: 1\n---\nb: |\n  --- \n---x: 1\n--- # c\r\nd: 4\n---";
        let whole: Vec<(Result<String, DocumentError>, u32, u32)> =
            ratchet_object::split_documents(text)
                .map(|piece| (Ok(piece.text.to_owned()), piece.line, 0))
                .collect();
        for size in [1, 2, 3, 7, 1000] {
            assert_eq!(read(SlowReader(text.as_bytes(), size)), whole, "{size} bytes at a time");
        }
    }

    #[test]
    fn a_document_that_is_too_large_costs_only_itself() {
        let mut text = "a: 1\n---\nb: ".to_owned();
        text.push_str(&"x".repeat(LIMIT + BLOCK));
        text.push_str("\n---\nc: 3\n");
        let all = read(text.as_bytes());
        assert_eq!(all.len(), 3);
        assert_eq!(all[1], (Err(DocumentError::TooLarge), 2, 0));
        assert_eq!(all[2], (Ok("c: 3\n".into()), 4, 0));
    }

    #[test]
    fn what_is_not_utf_8_is_told() {
        assert_eq!(read(&b"a: \xff\n---\nb: 1\n"[..])[0].0, Err(DocumentError::NotUtf8));
    }

    #[test]
    fn a_large_yaml_list_is_taken_apart() {
        let item = format!(
            "- apiVersion: v1\n  kind: ConfigMap\n  data:\n    k: \"{}\"\n",
            "y".repeat(900)
        );
        let mut text = "apiVersion: v1\nitems:\n".to_owned();
        for _ in 0..3000 {
            text.push_str(&item);
        }
        text.push_str("kind: List\n---\nlast: 1\n");
        let all = read(text.as_bytes());
        assert_eq!(all.len(), 3001);
        let first = all[0].0.as_ref().unwrap();
        assert!(first.starts_with("  apiVersion: v1\n  kind: ConfigMap"), "{first}");
        assert_eq!(all[1].1, 6);
        assert_eq!(all[3000].0, Ok("last: 1\n".into()));
    }

    #[test]
    fn what_stands_behind_a_large_list_is_read() {
        let items = vec![format!("{{\"a\": \"{}\"}}", "y".repeat(900)); 2000].join(",");
        let text = format!(
            "{{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"items\": [{items}], \"metadata\": {{}}}}\n{{\"b\": 1}}\n---\nc: 1\n"
        );
        let mut documents = Documents::new(text.as_bytes());
        let mut all = Vec::new();
        while let Some(document) = documents.next_document().unwrap() {
            all.push(document);
        }
        assert_eq!(all.len(), 2002);
        assert_eq!(all[0].list.as_ref().unwrap().kind, "Pod");
        assert_eq!(all[2000].text.as_ref().unwrap().trim(), "{\"b\": 1}");
        assert_eq!(all[2001].text, Ok("c: 1\n".into()));
    }

    #[test]
    fn what_only_looks_like_a_list_is_not_passed_over() {
        let item = format!("- k: \"{}\"\n", "y".repeat(900));
        let head = "apiVersion: v1\nitems:\n".to_owned() + &item.repeat(2000);
        for tail in ["kind: Service\nspec: {}\n", "kind: PodList\nspec: {}\n", ""] {
            let all = read((head.clone() + tail).as_bytes());
            assert_eq!(
                all.last().map(|last| last.0.clone()),
                Some(Err(DocumentError::TooLarge)),
                "{tail:?}"
            );
        }
        let named = format!("# {}\nkind: Service\nitems:\n- a\nspec: {{}}\n", "y".repeat(LARGE));
        assert_eq!(read(named.as_bytes()).len(), 1);
    }

    #[test]
    fn a_large_json_list_is_taken_apart() {
        let item = format!(
            "{{\"kind\": \"ConfigMap\", \"data\": {{\"k\": \"]}}{}\\\"\"}}}}",
            "y".repeat(900)
        );
        let items = vec![item.clone(); 3000].join(",\n  ");
        let text = format!(
            "{{\n\"apiVersion\": \"v1\", \"items\": [\n  {items}\n], \"kind\": \"List\"}}\n"
        );
        let all = read(SlowReader(text.as_bytes(), 100_000));
        assert_eq!((all.len(), all[3000].0.as_deref()), (3001, Ok("\n")));
        assert_eq!(all[0], (Ok(item.clone()), 2, 2));
        assert_eq!(all[2999], (Ok(item), 3001, 2));
    }
}
