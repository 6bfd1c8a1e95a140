//! Protobuf's wire format: varints, and fields with a number and a value.

use super::error::{ProtoError, ProtoResult};
use alloc::format;
use alloc::vec::Vec;

/// A wire value, by wire type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire<'b> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'b [u8]),
}

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;
const FIXED32: u64 = 5;

impl<'b> Wire<'b> {
    pub(super) fn varint(self) -> Result<u64, ProtoError> {
        match self {
            Self::Varint(number) => Ok(number),
            other => Err(other.wire_type_error("a whole number or a truth value")),
        }
    }

    pub(super) fn double(self) -> Result<f64, ProtoError> {
        match self {
            Self::Fixed64(bits) => Ok(f64::from_bits(bits)),
            other => Err(other.wire_type_error("a number of 64 bits")),
        }
    }

    pub(super) fn bytes(self) -> Result<&'b [u8], ProtoError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            other => Err(other.wire_type_error("a text, bytes or a message")),
        }
    }

    pub(super) fn text(self) -> Result<&'b str, ProtoError> {
        core::str::from_utf8(self.bytes()?).map_err(|_| ProtoError::new("text that is not UTF-8"))
    }

    fn wire_type_error(self, expected: &str) -> ProtoError {
        let wire_type = match self {
            Self::Varint(_) => VARINT,
            Self::Fixed64(_) => FIXED64,
            Self::Bytes(_) => BYTES,
            Self::Fixed32(_) => FIXED32,
        };
        ProtoError::new(format!("wire type {wire_type} where {expected} belongs"))
    }
}

/// An iterator over the fields of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'b> {
    rest: &'b [u8],
}

impl<'b> Fields<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The number and value of the next field.
    pub(super) fn next(&mut self) -> Result<Option<(u32, Wire<'b>)>, ProtoError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|number| (1..1 << 29).contains(number));
        let number = number.ok_or_else(|| ProtoError::new("a field number that cannot be"))?;
        let wire = match tag & 7 {
            VARINT => Wire::Varint(self.varint()?),
            FIXED64 => Wire::Fixed64(u64::from_le_bytes(self.array()?)),
            FIXED32 => Wire::Fixed32(u32::from_le_bytes(self.array()?)),
            BYTES => {
                let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
                Wire::Bytes(self.take(length)?)
            }
            other => {
                let message = format!("wire type {other} of field {number}, which is not read");
                return Err(ProtoError::new(message));
            }
        };
        Ok(Some((number, wire)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// A varint: groups of seven bits, the lowest first.
    pub(super) fn varint(&mut self) -> Result<u64, ProtoError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(ProtoError::new("a number longer than 64 bits"))
    }

    pub(super) fn double(&mut self) -> Result<f64, ProtoError> {
        Ok(f64::from_bits(u64::from_le_bytes(self.array()?)))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ProtoError> {
        let (first, rest) = self.rest.split_first_chunk().ok_or_else(truncated)?;
        self.rest = rest;
        Ok(*first)
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], ProtoError> {
        let (first, rest) = self.rest.split_at_checked(length).ok_or_else(truncated)?;
        self.rest = rest;
        Ok(first)
    }
}

fn truncated() -> ProtoError {
    ProtoError::new("unexpected end of the message")
}

/// Calls `visit` with the fields of a message in wire order.
pub(super) fn each<'b>(
    bytes: &'b [u8],
    mut visit: impl FnMut(u32, Wire<'b>) -> ProtoResult<()>,
) -> ProtoResult<()> {
    let mut fields = Fields::new(bytes);
    while let Some((number, wire)) = fields.next()? {
        visit(number, wire)?;
    }
    Ok(())
}

/// Appends a varint.
pub(super) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    loop {
        let low = number.to_le_bytes()[0] & 0x7f;
        number >>= 7;
        if number == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

/// Appends an integer field; a negative one takes ten bytes, as everywhere in proto2.
pub(super) fn put_int(out: &mut Vec<u8>, number: u8, value: i64) {
    put_varint(out, u64::from(number) << 3 | VARINT);
    put_varint(out, value.cast_unsigned());
}

/// Appends a 64-bit floating-point field.
pub(super) fn put_double(out: &mut Vec<u8>, number: u8, value: f64) {
    put_varint(out, u64::from(number) << 3 | FIXED64);
    out.extend(value.to_bits().to_le_bytes());
}

/// Appends a field with a string, bytes or a message.
pub(super) fn put_bytes(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    put_length(out, number, bytes.len());
    out.extend_from_slice(bytes);
}

/// Appends the tag and length of a field of so many bytes, which are to follow.
pub(super) fn put_length(out: &mut Vec<u8>, number: u8, length: usize) {
    put_varint(out, u64::from(number) << 3 | BYTES);
    put_varint(out, u64::try_from(length).unwrap_or(u64::MAX));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_lengths() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut out = Vec::new();
            put_varint(&mut out, number);
            assert_eq!(Fields::new(&out).varint().unwrap(), number);
        }
        let mut out = Vec::new();
        put_int(&mut out, 1, -1);
        assert_eq!(out.len(), 11);
        assert_eq!(Fields::new(&out).next().unwrap(), Some((1, Wire::Varint(u64::MAX))));
    }

    #[test]
    fn what_cannot_be_read() {
        let wire_type_error = |bytes: &[u8]| Fields::new(bytes).next().unwrap_err().message;
        assert_eq!(wire_type_error(&[0x0a, 5, 1]), "unexpected end of the message");
        assert_eq!(wire_type_error(&[0x80]), "unexpected end of the message");
        assert_eq!(wire_type_error(&[0x0b]), "wire type 3 of field 1, which is not read");
        assert_eq!(wire_type_error(&[0x00, 0]), "a field number that cannot be");
        assert_eq!(wire_type_error(&[0xff; 11]), "a number longer than 64 bits");
        assert_eq!(
            wire_type_error(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
            "unexpected end of the message"
        );
    }
}
