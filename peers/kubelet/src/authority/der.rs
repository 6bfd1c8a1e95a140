//! Minimal DER encoding, for subjects that no library would write.

/// Wraps `content` into a tag and a length.
pub(super) fn wrap(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut whole = vec![tag];
    let length = content.len();
    let bytes = length.to_be_bytes();
    let significant = bytes.iter().skip_while(|byte| **byte == 0).copied().collect::<Vec<_>>();
    match (length, u8::try_from(length)) {
        (0..0x80, Ok(short)) => whole.push(short),
        _ => {
            whole.push(0x80 | u8::try_from(significant.len()).unwrap_or_default());
            whole.extend(significant);
        }
    }
    whole.extend_from_slice(content);
    whole
}

/// The content of a value, and the bytes after it.
pub(super) fn open(value: &[u8]) -> Option<(&[u8], &[u8])> {
    let (_, rest) = value.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..0x80 => (usize::from(first), rest),
        _ => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (digits.iter().fold(0, |sum, digit| sum << 8 | usize::from(*digit)), rest)
        }
    };
    rest.split_at_checked(length)
}

/// The consecutive values in `content`, each with its tag and length.
pub(super) fn parts(mut content: &[u8]) -> Option<Vec<&[u8]>> {
    let mut found = Vec::new();
    while !content.is_empty() {
        let (_, rest) = open(content)?;
        let (part, rest) = content.split_at_checked(content.len() - rest.len())?;
        found.push(part);
        content = rest;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_bytes_break_the_reader(bytes: Vec<u8>) {
            if let Some(parts) = parts(&bytes) {
                prop_assert_eq!(parts.concat(), bytes);
            }
        }
    }

    #[test]
    fn wraps_and_opens_short_and_long_values() {
        for length in [0, 1, 127, 128, 255, 256, 70_000] {
            let content = vec![7; length];
            let whole = wrap(0x30, &content);
            assert_eq!(open(&whole), Some((&content[..], &[][..])), "{length}");
        }
    }

    #[test]
    fn parts_keep_their_tags() {
        let pair = [wrap(2, &[1]), wrap(0x0c, b"name")].concat();
        assert_eq!(parts(&pair), Some(vec![&[2, 1, 1][..], &[0x0c, 4, b'n', b'a', b'm', b'e']]));
        assert_eq!(parts(&[2, 9, 1]), None);
    }
}
