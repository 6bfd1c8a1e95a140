//! Byte spans in a source text, and their lines and columns.

use alloc::vec::Vec;

/// A range of bytes in the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span from byte offsets; texts are limited far below 4 GiB, so the conversion never saturates.
    pub fn new(start: usize, end: usize) -> Self {
        let clip = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: clip(start), end: clip(end) }
    }
}

/// A line and a column, both counted from one; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line, from one.
    pub line: u32,
    /// The column in characters, from one.
    pub column: u32,
}

impl LineColumn {
    /// The line and column of a byte offset, counted from the start of the text. A [`LineIndex`] is faster for many
    /// offsets, or for one that is far from the start.
    pub fn of(text: &str, offset: u32) -> Self {
        let bytes = text.as_bytes();
        let before = bytes.get(..offset as usize).unwrap_or(bytes);
        let line = memchr::memchr_iter(b'\n', before).count();
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        let column = column(text, start, offset);
        Self { line: count(line).saturating_add(1), column }
    }
}

/// The column of an offset in the line that begins at `start`.
fn column(text: &str, start: u32, offset: u32) -> u32 {
    let before = text.get(start as usize..offset as usize);
    let before =
        before.map_or(offset.saturating_sub(start) as usize, |before| before.chars().count());
    count(before).saturating_add(1)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The line starts of a text, computed once when something has to be reported.
#[derive(Clone, Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<u32>,
}

impl<'t> LineIndex<'t> {
    /// Indexes the lines of `text`.
    pub fn new(text: &'t str) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
        let starts = core::iter::once(0).chain(breaks.map(|at| count(at + 1))).collect();
        Self { text, starts }
    }

    /// The line and column of a byte offset.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        LineColumn { line: count(line), column: column(self.text, start, offset) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let text = "a\nüb\n\nc";
        let index = LineIndex::new(text);
        for (offset, line, column) in [(0, 1, 1), (2, 2, 1), (4, 2, 2), (6, 3, 1), (7, 4, 1)] {
            assert_eq!(index.line_column(offset), LineColumn { line, column }, "offset {offset}");
        }
        for offset in 0..12 {
            assert_eq!(LineColumn::of(text, offset), index.line_column(offset), "offset {offset}");
        }
    }
}
