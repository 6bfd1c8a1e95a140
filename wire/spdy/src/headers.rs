//! The headers of a stream, and the block that carries them.

use crate::SpdyError;
use bytes::{Buf, BufMut};

/// Names in lower case with their values, in the order in which they came.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Headers(Vec<(String, String)>);

/// Between the values of one name.
const SEPARATOR: char = '\0';

impl Headers {
    /// The first value of `name`, whatever its case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// All names with their values; a name that has several comes once for each.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Reads an inflated block; `None` means that it breaks the protocol.
    pub(crate) fn read(mut block: &[u8]) -> Option<Self> {
        let count = block.try_get_u32().ok()?;
        let mut headers = Vec::new();
        for _ in 0..count {
            let name = text(&mut block)?.to_lowercase();
            let values = text(&mut block)?;
            let known = headers.iter().any(|(other, _): &(String, String)| *other == name);
            if name.is_empty() || known {
                return None;
            }
            let values = values.split(SEPARATOR).map(|value| (name.clone(), value.to_owned()));
            headers.extend(values);
        }
        block.is_empty().then_some(Self(headers))
    }

    /// Writes the block of `headers`, the values of one name together.
    pub(crate) fn write(headers: &[(&str, &str)], limit: usize) -> Result<Vec<u8>, SpdyError> {
        let mut joined: Vec<(String, String)> = Vec::with_capacity(headers.len());
        for (name, value) in headers {
            let name = name.to_lowercase();
            match joined.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => {
                    values.push(SEPARATOR);
                    values.push_str(value);
                }
                None => joined.push((name, (*value).to_owned())),
            }
        }
        let mut block = Vec::new();
        put_length(&mut block, joined.len());
        for text in joined.iter().flat_map(|(name, values)| [name, values]) {
            put_length(&mut block, text.len());
            block.put_slice(text.as_bytes());
        }
        if block.len() > limit { Err(SpdyError::HeadersTooLarge) } else { Ok(block) }
    }
}

fn text(block: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(block.try_get_u32().ok()?).ok()?;
    let (text, rest) = block.split_at_checked(length)?;
    *block = rest;
    Some(String::from_utf8_lossy(text).into_owned())
}

/// A block that is too long for its numbers is refused as a whole, by its size.
fn put_length(block: &mut Vec<u8>, length: usize) {
    block.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_of_one_name_travel_together() {
        let block = Headers::write(&[("streamType", "a"), ("port", "1"), ("StreamType", "b")], 999);
        let block = block.unwrap();
        assert_eq!(block[..4], [0, 0, 0, 2]);
        let read = Headers::read(&block).unwrap();
        let all: Vec<_> = read.iter().collect();
        assert_eq!(all, [("streamtype", "a"), ("streamtype", "b"), ("port", "1")]);
        assert_eq!((read.get("STREAMTYPE"), read.get("x")), (Some("a"), None));
    }

    #[test]
    fn blocks_that_break_the_protocol_are_refused() {
        let twice = b"\0\0\0\x02\0\0\0\x01a\0\0\0\0\0\0\0\x01A\0\0\0\0";
        let unnamed = b"\0\0\0\x01\0\0\0\0\0\0\0\0";
        let short = b"\0\0\0\x01\0\0\0\x09a";
        let many = b"\xff\xff\xff\xff";
        let more = b"\0\0\0\0x";
        for block in [&twice[..], unnamed, short, many, more, b"", b"\0"] {
            assert_eq!(Headers::read(block), None, "{block:?}");
        }
        assert_eq!(Headers::read(b"\0\0\0\0"), Some(Headers::default()));
    }

    #[test]
    fn more_than_anybody_takes_is_not_written() {
        let long = "x".repeat(100);
        assert_eq!(Headers::write(&[("a", &long)], 100), Err(SpdyError::HeadersTooLarge));
        assert!(Headers::write(&[("a", &long)], 113).is_ok());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(names in proptest::collection::btree_map("[a-z-]{1,9}", "[^\0]{0,9}", 0..9)) {
            let headers: Vec<_> = names.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            let block = Headers::write(&headers, usize::MAX).unwrap();
            let read = Headers::read(&block).unwrap();
            prop_assert_eq!(read.iter().collect::<Vec<_>>(), headers);
        }

        #[test]
        fn anything_is_read_or_refused(block: Vec<u8>) {
            let _ = Headers::read(&block);
        }
    }
}
