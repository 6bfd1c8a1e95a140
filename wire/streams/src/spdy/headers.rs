//! Headers of a stream, and the header block.

use crate::spdy::SpdyError;
use bytes::{Buf, BufMut};

/// Names in lower case with their values, in their order.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Headers(Vec<(String, String)>);

/// The separator of several values of one name.
const SEPARATOR: char = '\0';

impl Headers {
    /// The first value of `name`, compared without case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter()
            .find(|(existing, _)| existing.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// All names with their values; a name with several values comes once for each.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Parses an inflated block; `None` if it violates the protocol.
    pub(crate) fn parse(mut block: &[u8]) -> Option<Self> {
        let count = block.try_get_u32().ok()?;
        let mut headers = Vec::new();
        for _ in 0..count {
            let name = text(&mut block)?.to_lowercase();
            let values = text(&mut block)?;
            let existing = headers.iter().any(|(other, _): &(String, String)| *other == name);
            if name.is_empty() || existing {
                return None;
            }
            let values = values.split(SEPARATOR).map(|value| (name.clone(), value.to_owned()));
            headers.extend(values);
        }
        block.is_empty().then_some(Self(headers))
    }

    /// Writes the block of `headers`, with the values of one name joined.
    pub(crate) fn write(headers: &[(&str, &str)], limit: usize) -> Result<Vec<u8>, SpdyError> {
        let mut joined: Vec<(String, String)> = Vec::with_capacity(headers.len());
        for (name, value) in headers {
            let name = name.to_lowercase();
            match joined.iter_mut().find(|(existing, _)| *existing == name) {
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

/// A block whose lengths overflow is refused as a whole, by its size.
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
        let parsed = Headers::parse(&block).unwrap();
        let all: Vec<_> = parsed.iter().collect();
        assert_eq!(all, [("streamtype", "a"), ("streamtype", "b"), ("port", "1")]);
        assert_eq!((parsed.get("STREAMTYPE"), parsed.get("x")), (Some("a"), None));
    }

    #[test]
    fn blocks_that_break_the_protocol_are_refused() {
        let twice = b"\0\0\0\x02\0\0\0\x01a\0\0\0\0\0\0\0\x01A\0\0\0\0";
        let unnamed = b"\0\0\0\x01\0\0\0\0\0\0\0\0";
        let short = b"\0\0\0\x01\0\0\0\x09a";
        let many = b"\xff\xff\xff\xff";
        let trailing = b"\0\0\0\0x";
        for block in [&twice[..], unnamed, short, many, trailing, b"", b"\0"] {
            assert_eq!(Headers::parse(block), None, "{block:?}");
        }
        assert_eq!(Headers::parse(b"\0\0\0\0"), Some(Headers::default()));
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
            let parsed = Headers::parse(&block).unwrap();
            prop_assert_eq!(parsed.iter().collect::<Vec<_>>(), headers);
        }

        #[test]
        fn anything_is_read_or_refused(block: Vec<u8>) {
            let _ = Headers::parse(&block);
        }
    }
}
