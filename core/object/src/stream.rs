//! Splitting a YAML stream into documents at its `---` lines, without parsing them.

/// The text of one document of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YamlDocument<'t> {
    /// The document without separator lines.
    pub text: &'t str,
    /// The number of bytes before it in the stream.
    pub offset: usize,
    /// The number of lines before it in the stream.
    pub line: u32,
}

/// The documents of a stream, in order. A `---` at the beginning of a line always separates: no
/// YAML value can contain such a line.
pub fn split_documents(text: &str) -> impl Iterator<Item = YamlDocument<'_>> {
    let mut rest = Some(YamlDocument { text, offset: 0, line: 0 });
    core::iter::from_fn(move || {
        let current = rest.take()?;
        let Some((end, next)) = separator(current.text.as_bytes()) else {
            return Some(current);
        };
        let passed = current.text.get(..next).unwrap_or_default();
        let lines = passed.bytes().filter(|&byte| byte == b'\n').count();
        rest = Some(YamlDocument {
            text: current.text.get(next..).unwrap_or_default(),
            offset: current.offset + next,
            line: current.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX)),
        });
        Some(YamlDocument { text: current.text.get(..end).unwrap_or_default(), ..current })
    })
}

/// The start of the first separator line in `bytes`, and the start of the text after it.
pub(crate) fn separator(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let rest = bytes.get(from..)?;
        let begin = if from == 0 && rest.starts_with(b"---") {
            0
        } else {
            from + memchr::memmem::find(rest, b"\n---")? + 1
        };
        let after = bytes.get(begin + 3..).unwrap_or_default();
        let line = memchr::memchr(b'\n', after);
        let tail = after.get(..line.unwrap_or(after.len())).unwrap_or_default();
        if is_separator_tail(tail) {
            let next = line.map_or(bytes.len(), |at| begin + 3 + at + 1);
            return Some((begin, next));
        }
        from = begin + 3;
    }
}

/// Whether only blanks and a comment follow `---`, as in a separator line.
fn is_separator_tail(tail: &[u8]) -> bool {
    let trimmed = tail.trim_ascii();
    trimmed.is_empty() || (trimmed.starts_with(b"#") && !tail.starts_with(b"#"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn cut(text: &str) -> Vec<(&str, u32)> {
        split_documents(text).map(|piece| (piece.text, piece.line)).collect()
    }

    #[test]
    fn a_stream_is_cut_at_separator_lines() {
        assert_eq!(cut("a: 1\n---\nb: 2\n"), [("a: 1\n", 0), ("b: 2\n", 2)]);
        assert_eq!(cut("---\na: 1\n--- # next\r\nb: 2"), [("", 0), ("a: 1\n", 1), ("b: 2", 3)]);
        assert_eq!(cut("a: 1\n---"), [("a: 1\n", 0), ("", 1)]);
        assert_eq!(cut(""), [("", 0)]);
    }

    #[test]
    fn other_dashes_do_not_separate() {
        for text in
            ["a: |\n  x\n  ---\n  y\n", "---a: 1\n", "a: 1\n----\n", "a\n --- \n", "a: ---\n"]
        {
            assert_eq!(cut(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_document_may_begin_on_its_separator_line() {
        // `--- {a: 1}` is one document with a directive end; it is left to the parser.
        assert_eq!(cut("--- {a: 1}\n").len(), 1);
    }
}
