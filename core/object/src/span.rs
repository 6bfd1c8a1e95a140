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

/// The line starts of a text, computed once when something has to be reported.
#[derive(Clone, Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<u32>,
}

impl<'t> LineIndex<'t> {
    /// Indexes the lines of `text`.
    pub fn new(text: &'t str) -> Self {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = core::iter::once(0)
            .chain(breaks.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX)))
            .collect();
        Self { text, starts }
    }

    /// The line and column of a byte offset.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = self
            .text
            .get(start as usize..offset as usize)
            .map_or(offset.saturating_sub(start) as usize, |before| before.chars().count());
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        LineColumn { line: count(line), column: count(column).saturating_add(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let index = LineIndex::new("a\nüb\n\nc");
        for (offset, line, column) in [(0, 1, 1), (2, 2, 1), (4, 2, 2), (6, 3, 1), (7, 4, 1)] {
            assert_eq!(index.line_column(offset), LineColumn { line, column }, "offset {offset}");
        }
    }
}
