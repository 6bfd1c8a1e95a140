//! `excerpt`: the beginning of a text that somebody else chose, for places where a long one would do harm.

use std::borrow::Cow;

/// What stands for the rest of a text.
const MORE: &str = "...";

/// A text of at most `most` bytes: the whole one, or its beginning and three dots.
pub(crate) fn excerpt(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(most.saturating_sub(MORE.len()));
    let (start, _) = text.split_at(end);
    Cow::Owned(format!("{start}{MORE}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_at_a_letter() {
        assert_eq!(excerpt("short", 5), "short");
        assert_eq!(excerpt("longer", 5), "lo...");
        assert_eq!(excerpt("äöüäöü", 8), "äö...");
        assert_eq!(excerpt("äöü", 1), "...");
    }
}
