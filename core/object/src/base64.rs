//! Base64 as Go decodes it, with the offset that Go reports for corrupt input.

use crate::Node;
use alloc::string::String;
use alloc::vec::Vec;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Encodes bytes as Go's `StdEncoding` does.
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Decodes base64, or gives the offset that Go's `CorruptInputError` reports.
///
/// As in Go, line ends are ignored, and so are the unused low bits of the last letter.
pub fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut group, mut length) = (0u32, 0usize);
    let mut letters = text.bytes().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    while let Some((at, byte)) = letters.next() {
        if let Some(bits) = bits(byte) {
            group = group << 6 | bits;
            length += 1;
            if length == 4 {
                out.extend(group.to_be_bytes().into_iter().skip(1));
                (group, length) = (0, 0);
            }
            continue;
        }
        if byte != b'=' || length < 2 {
            return Err(at);
        }
        if length == 2 {
            match letters.next() {
                Some((_, b'=')) => {}
                Some((at, _)) => return Err(at - 1),
                None => return Err(text.len()),
            }
        }
        // Two letters encode one byte, three encode two.
        let whole = group << (6 * (4 - length));
        out.extend(whole.to_be_bytes().into_iter().skip(1).take(length - 1));
        return letters.next().map_or(Ok(out), |(at, _)| Err(at));
    }
    if length == 0 { Ok(out) } else { Err(text.len() - length) }
}

/// The bytes of a list of numbers, which Go accepts as well; none if a number is not a byte.
pub(crate) fn of_numbers(items: &[Node<'_>]) -> Option<Vec<u8>> {
    let byte =
        |item: &Node<'_>| if item.is_null() { Some(0) } else { u8::try_from(item.as_int()?).ok() };
    items.iter().map(byte).collect()
}

fn bits(letter: u8) -> Option<u32> {
    let number = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn offsets_are_those_of_go() {
        for (text, offset) in [
            ("!", 0),
            ("a", 0),
            ("ab", 0),
            ("abc", 0),
            ("abcde", 4),
            ("abc!", 3),
            ("=", 0),
            ("a=", 1),
            ("ab=", 3),
            ("ab=c", 2),
            ("ab==c", 4),
            ("abc=d", 4),
            ("not base64", 3),
            ("aGVsbG8", 4),
            ("YWJj\nYQ", 5),
            ("YQ=\n", 4),
        ] {
            assert_eq!(decode(text), Err(offset), "{text}");
        }
    }

    #[test]
    fn line_ends_and_spare_bits_do_not_count() {
        assert_eq!(decode("YW\r\nJj\n"), Ok(b"abc".to_vec()));
        assert_eq!(decode("YR=\n="), Ok(b"a".to_vec()));
        assert_eq!(decode("YWI="), Ok(b"ab".to_vec()));
        assert_eq!(decode(""), Ok(Vec::new()));
    }

    #[test]
    fn bytes_may_be_numbers() {
        let list = |numbers: &[i64]| numbers.iter().copied().map(Node::int).collect::<Vec<_>>();
        assert_eq!(of_numbers(&list(&[])), Some(Vec::new()));
        assert_eq!(of_numbers(&list(&[0, 255])), Some(alloc::vec![0, 255]));
        assert_eq!(of_numbers(&list(&[256])), None);
        assert_eq!(of_numbers(&list(&[-1])), None);
        assert_eq!(of_numbers(&[Node::string("a")]), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(bytes: Vec<u8>) {
            prop_assert_eq!(decode(&encode(&bytes)), Ok(bytes));
        }

        #[test]
        fn whatever_another_reader_takes_is_taken(text in "[a-d0+/=\r\n]{0,12}") {
            let plain = text.replace(['\r', '\n'], "");
            if let Ok(bytes) = STANDARD.decode(plain) {
                prop_assert_eq!(decode(&text), Ok(bytes));
            }
        }

        #[test]
        fn an_offset_is_within_the_text(text in "\\PC*") {
            if let Err(at) = decode(&text) {
                prop_assert!(at <= text.len());
            }
        }
    }
}
