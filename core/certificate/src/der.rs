//! DER elements: strict parsing, and encoding.

use alloc::vec;
use alloc::vec::Vec;

pub(crate) const BOOLEAN: u8 = 0x01;
pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const BIT_STRING: u8 = 0x03;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(crate) const UTF8_STRING: u8 = 0x0c;
pub(crate) const UTC_TIME: u8 = 0x17;
pub(crate) const GENERALIZED_TIME: u8 = 0x18;
pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;

/// One element: its tag, its length in the shortest form, and its content.
pub(crate) fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match u8::try_from(content.len()) {
        Ok(short) if short < 0x80 => out.push(short),
        _ => {
            let length = content.len().to_be_bytes();
            let length: Vec<u8> = length.into_iter().skip_while(|&byte| byte == 0).collect();
            // A length has at most eight bytes.
            out.push(0x80 | u8::try_from(length.len()).unwrap_or(0x7f));
            out.extend(length);
        }
    }
    out.extend_from_slice(content);
    out
}

/// Several elements within one.
pub(crate) fn elements(tag: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    element(tag, &parts.concat())
}

/// The content of the single element in these bytes.
pub(crate) fn only(mut bytes: &[u8], tag: u8) -> Option<&[u8]> {
    let content = next_of(&mut bytes, tag)?;
    bytes.is_empty().then_some(content)
}

/// The content of the next element, which must have this tag.
pub(crate) fn next_of<'a>(bytes: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    next(bytes).and_then(|(actual, content)| (actual == tag).then_some(content))
}

/// Takes the next element: its tag and content. Lengths must be in the shortest form, as DER
/// requires.
pub(crate) fn next<'a>(bytes: &mut &'a [u8]) -> Option<(u8, &'a [u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81 => {
            let (&length, rest) = rest.split_first().filter(|(length, _)| **length >= 0x80)?;
            (usize::from(length), rest)
        }
        0x82 => {
            let (length, rest) = rest.split_first_chunk::<2>()?;
            let length = u16::from_be_bytes(*length);
            (usize::from(length), (length >= 0x100).then_some(rest)?)
        }
        // No valid subject is longer than 64 KiB.
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    // A multi-byte tag would hide what its first byte seems to be.
    (tag & 0x1f != 0x1f).then_some((tag, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for length in [0, 1, 0x7f, 0x80, 0xff, 0x100, 0xffff] {
            let content = vec![7; length];
            let written = element(OCTET_STRING, &content);
            assert_eq!(only(&written, OCTET_STRING), Some(content.as_slice()), "{length}");
        }
    }

    #[test]
    fn lengths_have_one_form() {
        for invalid in [&[4, 0x81, 1, 7][..], &[4, 0x82, 0, 1, 7], &[4, 0x80, 7, 0, 0], &[4, 2, 7]]
        {
            assert_eq!(only(invalid, OCTET_STRING), None, "{invalid:?}");
        }
    }
}
