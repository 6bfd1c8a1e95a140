//! Block scalars behind `|` and `>`.

use super::Parser;
use super::source::END;
use crate::{Node, Span, Value};
use alloc::borrow::Cow;
use alloc::string::String;

/// The full parser treats deeper block scalars differently, and nobody writes them.
const MAX_INDENT: usize = 100;

/// The chomping of the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

impl Parser<'_> {
    /// Parses the block scalar whose `|` or `>` is at `at`, inside a collection at `column`, and
    /// returns the start of the line after it.
    pub(super) fn block(&mut self, at: usize, column: usize) -> Option<usize> {
        let source = self.source;
        let is_folded = source.byte(at) == b'>';
        let (tail, header) = match source.byte(at + 1) {
            b'-' => (Chomping::Strip, at + 2),
            b'+' => (Chomping::Keep, at + 2),
            _ => (Chomping::Clip, at + 1),
        };
        let mut line = source.rest_is_empty(header)?;

        // The first line with content sets the indentation.
        let (mut breaks, mut widest) = (0, 0);
        let (indent, start) = loop {
            let content = source.blanks(line);
            widest = widest.max(content - line);
            match source.byte(content) {
                b'\n' | b'\r' => line = source.next_line(content)?,
                END => return None,
                _ => break (content - line, content),
            }
            breaks += 1;
        };
        // An empty scalar has a different span; leading blank lines that are too wide are an error.
        if indent <= column || indent < widest || indent > MAX_INDENT {
            return None;
        }

        let mut text = String::new();
        let mut content = start;
        let (mut after_break, mut after_blank) = (false, false);
        let end = loop {
            let is_blank = matches!(source.byte(content), b' ' | b'\t');
            if after_break && !(is_folded && !after_blank && !is_blank) {
                text.push('\n');
            } else if after_break && breaks == 0 {
                text.push(' ');
            }
            push_breaks(&mut text, breaks);
            after_blank = is_blank;
            breaks = 0;
            let line_end = source.line_end(content);
            text.push_str(source.slice(content, line_end)?);
            after_break = source.byte(line_end) != END;
            line = source.next_line(line_end)?;
            if !after_break {
                break line;
            }
            // Blank lines, or lines with less than the indentation.
            content = loop {
                let spaces = source.blanks(line) - line;
                let content = line + spaces.min(indent);
                match source.byte(content) {
                    b'\n' | b'\r' => line = source.next_line(content)?,
                    _ => break content,
                }
                breaks += 1;
            };
            if content - line < indent || source.byte(content) == END {
                break content;
            }
        };
        if tail != Chomping::Strip {
            text.push('\n');
        }
        if tail == Chomping::Keep {
            push_breaks(&mut text, breaks);
        }
        let node = Node { value: Value::Text(Cow::Owned(text)), span: Span::new(start, end) };
        self.scalar(node)?;
        Some(line)
    }
}

fn push_breaks(text: &mut String, breaks: usize) {
    for _ in 0..breaks {
        text.push('\n');
    }
}
