//! A file of any size, read as a stream of documents, each small enough to be judged.

use crate::items;
use crate::lists::ListHead;
use ratchet_object::Limits;
use std::io::{self, Read};
use std::sync::Arc;

/// One document of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    /// Its text, or why it has none.
    pub(crate) text: Result<String, Unfit>,
    /// How many lines of the file stand before it.
    pub(crate) line: u32,
    /// How many letters of its first line stand before it.
    pub(crate) column: u32,
    /// Where it begins in the file.
    pub(crate) offset: u64,
    /// What its list says of it, if it is an item of a list that was taken apart.
    pub(crate) list: Option<Arc<ListHead>>,
}

/// A document as those who judge it see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DocumentRef<'a> {
    /// Its text, or why it has none.
    pub(crate) text: Result<&'a str, Unfit>,
    /// How many lines of the file stand before it.
    pub(crate) line: u32,
    /// How many letters of its first line stand before it.
    pub(crate) column: u32,
    /// Where it begins in the file.
    pub(crate) offset: u64,
    /// What its list says of it, if it is an item of a list that was taken apart.
    pub(crate) list: Option<&'a ListHead>,
}

impl Document {
    pub(crate) fn sheet(&self) -> DocumentRef<'_> {
        let text = self.text.as_deref().map_err(|unfit| *unfit);
        DocumentRef {
            text,
            line: self.line,
            column: self.column,
            offset: self.offset,
            list: self.list.as_deref(),
        }
    }
}

/// Calls `each` with the documents of a file that is held whole. A file that is not all UTF-8
/// loses only the documents that are not.
pub(crate) fn sheets(bytes: &[u8], mut each: impl FnMut(DocumentRef<'_>)) {
    let Ok(text) = core::str::from_utf8(bytes) else {
        let mut documents = Documents::new(bytes);
        while let Ok(Some(document)) = documents.next() {
            each(document.sheet());
        }
        return;
    };
    for piece in ratchet_object::pieces(text) {
        let offset = piece.offset as u64;
        each(DocumentRef { text: Ok(piece.text), line: piece.line, column: 0, offset, list: None });
    }
}

/// Why a part of a file is not a text that can be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It is larger than the API takes.
    TooLarge,
    /// It is not UTF-8.
    NotUtf8,
}

/// Above this size a document is looked at for being a list that can be taken apart.
const LARGE: usize = 1 << 20;
/// Above this size a document is refused, as the API refuses it.
const LIMIT: usize = Limits::DEFAULT.bytes;
const BLOCK: usize = 256 << 10;

/// Reads documents one after another, holding no more than one of them.
pub(crate) struct Documents<R> {
    input: R,
    buffer: Vec<u8>,
    /// How much of `buffer` was given out already; it is moved only when more is read.
    given: usize,
    /// How much of what is held was looked at for a separator in vain.
    searched: usize,
    ended: bool,
    line: u32,
    column: u32,
    offset: u64,
    mode: Mode,
}

enum Mode {
    /// Documents between separator lines.
    Whole,
    /// Items of a list that is being taken apart.
    Items(items::Splitter),
    /// What stands behind the items of such a list.
    Tail(items::Splitter),
    /// The rest of a document that is too large, up to the next separator.
    Skipping,
    /// Everything was given out.
    Over,
}

impl<R: Read> Documents<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            given: 0,
            searched: 0,
            ended: false,
            line: 0,
            column: 0,
            offset: 0,
            mode: Mode::Whole,
        }
    }

    fn held(&self) -> &[u8] {
        self.buffer.get(self.given..).unwrap_or_default()
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.given);
        self.given = 0;
        let before = self.buffer.len();
        self.buffer.resize(before + BLOCK, 0);
        let read = loop {
            match self.input.read(self.buffer.get_mut(before..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.buffer.truncate(before + read);
        self.ended = read == 0;
        Ok(())
    }

    /// The next document, or none at the end of the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<Document>> {
        loop {
            match &mut self.mode {
                Mode::Over => return Ok(None),
                Mode::Whole => {
                    if let Some((end, next)) = separator(self.held(), self.searched, self.ended) {
                        let document = self.give(end, next);
                        self.column = 0;
                        return Ok(Some(document));
                    }
                    if self.ended {
                        self.mode = Mode::Over;
                        let all = self.held().len();
                        return Ok(Some(self.give(all, all)));
                    }
                    // The last line may still become a separator.
                    self.searched = last_line(self.held());
                    if self.held().len() > LARGE
                        && let Some(splitter) = items::Splitter::find(self.held())
                    {
                        self.mode = Mode::Items(splitter);
                        continue;
                    }
                    if self.held().len() > LIMIT {
                        return Ok(Some(self.give_up()));
                    }
                    self.fill()?;
                }
                Mode::Items(splitter) => match splitter
                    .next(self.buffer.get(self.given..).unwrap_or_default(), self.ended)
                {
                    items::Next::Item { start, end, rest } => {
                        let (blanks, head) = (splitter.blanks(), Arc::clone(&splitter.head));
                        self.pass(start);
                        let mut document = self.give(end - start, rest - start);
                        document.list = Some(head);
                        if let Ok(text) = &mut document.text {
                            blanks.apply(text);
                        }
                        return Ok(Some(document));
                    }
                    items::Next::More if self.held().len() > LIMIT => {
                        return Ok(Some(self.give_up()));
                    }
                    items::Next::More => self.fill()?,
                    items::Next::Over { rest } => {
                        if let Mode::Items(splitter) = std::mem::replace(&mut self.mode, Mode::Over)
                        {
                            self.mode = Mode::Tail(splitter);
                        }
                        self.pass(rest);
                    }
                },
                Mode::Tail(splitter) => {
                    let held = self.buffer.get(self.given..).unwrap_or_default();
                    let cut = separator(held, 0, self.ended);
                    let document_end = cut.map(|cut| cut.0).or(self.ended.then_some(held.len()));
                    match splitter.end(held, document_end).or(self.ended.then_some(held.len())) {
                        Some(end) => {
                            let is_list = splitter.is_list(held.get(..end).unwrap_or_default());
                            let next = cut.filter(|cut| cut.0 == end).map_or(end, |cut| cut.1);
                            let over = self.ended && next == held.len();
                            self.mode = if over { Mode::Over } else { Mode::Whole };
                            // What was taken for a list and is none was not judged as what it is.
                            let unfit = (!is_list).then(|| self.document(Err(Unfit::TooLarge)));
                            self.pass(next);
                            self.column = 0;
                            if unfit.is_some() {
                                return Ok(unfit);
                            }
                        }
                        None if held.len() > LIMIT => return Ok(Some(self.give_up())),
                        None => self.fill()?,
                    }
                }
                Mode::Skipping => match separator(self.held(), 0, self.ended) {
                    Some((_, next)) => {
                        self.pass(next);
                        self.mode = Mode::Whole;
                    }
                    None if self.ended => {
                        self.mode = Mode::Over;
                    }
                    None => {
                        let seen = last_line(self.held());
                        self.pass(if seen == 0 { self.held().len() } else { seen });
                        self.fill()?;
                    }
                },
            }
        }
    }

    /// Passes over the rest of a document that is too large.
    fn give_up(&mut self) -> Document {
        self.mode = Mode::Skipping;
        self.document(Err(Unfit::TooLarge))
    }

    /// Gives out the first `end` bytes, and passes over the first `next`.
    fn give(&mut self, end: usize, next: usize) -> Document {
        let bytes = self.held().get(..end).unwrap_or_default().to_vec();
        let document = self.document(String::from_utf8(bytes).map_err(|_| Unfit::NotUtf8));
        self.pass(next);
        document
    }

    fn document(&self, text: Result<String, Unfit>) -> Document {
        Document { text, line: self.line, column: self.column, offset: self.offset, list: None }
    }

    fn pass(&mut self, count: usize) {
        let passed = self.held().get(..count).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', passed).count();
        let last = memchr::memrchr(b'\n', passed).map_or(0, |at| at + 1);
        let tail = passed.get(last..).unwrap_or_default();
        let letters =
            u32::try_from(String::from_utf8_lossy(tail).chars().count()).unwrap_or(u32::MAX);
        let count = passed.len();
        self.column = if lines > 0 { letters } else { self.column.saturating_add(letters) };
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.offset += count as u64;
        self.given += count;
        self.searched = 0;
    }
}

/// Where the line break before the last line stands.
fn last_line(held: &[u8]) -> usize {
    memchr::memrchr(b'\n', held).unwrap_or(0)
}

/// The next separator line: where it begins, and where the text after it does. A line that is not
/// complete yet is not a separator yet.
fn separator(held: &[u8], from: usize, ended: bool) -> Option<(usize, usize)> {
    let mut at = from;
    if from == 0
        && held.starts_with(b"---")
        && let Some(found) = separator_at(held, 0, ended)
    {
        return Some(found);
    }
    loop {
        let begin = at + memchr::memmem::find(held.get(at..)?, b"\n---")? + 1;
        if let Some(found) = separator_at(held, begin, ended) {
            return Some(found);
        }
        at = begin + 2;
    }
}

fn separator_at(held: &[u8], begin: usize, ended: bool) -> Option<(usize, usize)> {
    let after = held.get(begin + 3..)?;
    let line = memchr::memchr(b'\n', after);
    if line.is_none() && !ended {
        return None;
    }
    let tail = after.get(..line.unwrap_or(after.len()))?;
    let trimmed = tail.trim_ascii();
    let is_separator = trimmed.is_empty() || (trimmed.starts_with(b"#") && !tail.starts_with(b"#"));
    is_separator.then(|| (begin, line.map_or(held.len(), |at| begin + 3 + at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time, as a slow pipe does.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            let (now, later) = self.0.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    fn read(input: impl Read) -> Vec<(Result<String, Unfit>, u32, u32)> {
        let mut documents = Documents::new(input);
        let mut all = Vec::new();
        while let Some(document) = documents.next().unwrap() {
            all.push((document.text, document.line, document.column));
        }
        all
    }

    #[test]
    fn a_stream_is_cut_the_same_however_it_arrives() {
        let text = "a: 1\n---\nb: |\n  --- \n---x: 1\n--- # c\r\nd: 4\n---";
        let whole: Vec<(Result<String, Unfit>, u32, u32)> = ratchet_object::pieces(text)
            .map(|piece| (Ok(piece.text.to_owned()), piece.line, 0))
            .collect();
        for size in [1, 2, 3, 7, 1000] {
            assert_eq!(read(Slowly(text.as_bytes(), size)), whole, "{size} bytes at a time");
        }
    }

    #[test]
    fn a_document_that_is_too_large_costs_only_itself() {
        let mut text = "a: 1\n---\nb: ".to_owned();
        text.push_str(&"x".repeat(LIMIT + BLOCK));
        text.push_str("\n---\nc: 3\n");
        let all = read(text.as_bytes());
        assert_eq!(all.len(), 3);
        assert_eq!(all[1], (Err(Unfit::TooLarge), 2, 0));
        assert_eq!(all[2], (Ok("c: 3\n".into()), 4, 0));
    }

    #[test]
    fn what_is_not_utf_8_is_told() {
        assert_eq!(read(&b"a: \xff\n---\nb: 1\n"[..])[0].0, Err(Unfit::NotUtf8));
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
        while let Some(document) = documents.next().unwrap() {
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
                Some(Err(Unfit::TooLarge)),
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
        let all = read(Slowly(text.as_bytes(), 100_000));
        assert_eq!((all.len(), all[3000].0.as_deref()), (3001, Ok("\n")));
        assert_eq!(all[0], (Ok(item.clone()), 2, 2));
        assert_eq!(all[2999], (Ok(item), 3001, 2));
    }
}
