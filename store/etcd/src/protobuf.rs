//! Protobuf on the wire: fields written to a buffer, fields read from bytes.

use bytes::{Buf, Bytes};

/// The message cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// A message that is being written. Fields with the default value are left out.
#[derive(Debug, Default)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while let low @ 0x80.. = value {
            // The low seven bits, and a mark that more follow.
            self.0.push((low & 0x7f) as u8 | 0x80);
            value = low >> 7;
        }
        self.0.push(value as u8);
    }

    /// A number that is written even if it is zero, as a member of a `oneof` must be.
    pub(crate) fn number_always(mut self, field: u32, value: u64) -> Self {
        self.varint(u64::from(field) << 3);
        self.varint(value);
        self
    }

    pub(crate) fn number(self, field: u32, value: u64) -> Self {
        if value == 0 { self } else { self.number_always(field, value) }
    }

    pub(crate) fn flag(self, field: u32, value: bool) -> Self {
        self.number(field, u64::from(value))
    }

    /// Bytes or a nested message that are written even if they are empty.
    pub(crate) fn bytes_always(mut self, field: u32, value: &[u8]) -> Self {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub(crate) fn bytes(self, field: u32, value: &[u8]) -> Self {
        if value.is_empty() { self } else { self.bytes_always(field, value) }
    }

    pub(crate) fn nested(self, field: u32, value: Self) -> Self {
        self.bytes_always(field, &value.0)
    }
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Number(u64),
    Bytes(Bytes),
    /// Of a type that etcd does not use: skipped.
    Other,
}

impl Value {
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Bytes(_) | Self::Other => 0,
        }
    }

    pub(crate) fn flag(self) -> bool {
        self.number() != 0
    }

    pub(crate) fn bytes(self) -> Bytes {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Number(_) | Self::Other => Bytes::new(),
        }
    }
}

/// Hands every field of a message with its number to `take`.
pub(crate) fn fields(
    mut message: Bytes,
    mut take: impl FnMut(u32, Value) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    while message.has_remaining() {
        let tag = read_varint(&mut message)?;
        let field = u32::try_from(tag >> 3).map_err(|_| Malformed)?;
        let value = match tag & 7 {
            0 => Value::Number(read_varint(&mut message)?),
            1 => skip(&mut message, 8)?,
            2 => {
                let length = usize::try_from(read_varint(&mut message)?).map_err(|_| Malformed)?;
                if length > message.remaining() {
                    return Err(Malformed);
                }
                Value::Bytes(message.split_to(length))
            }
            5 => skip(&mut message, 4)?,
            _ => return Err(Malformed),
        };
        take(field, value)?;
    }
    Ok(())
}

fn skip(message: &mut Bytes, length: usize) -> Result<Value, Malformed> {
    if length > message.remaining() {
        return Err(Malformed);
    }
    message.advance(length);
    Ok(Value::Other)
}

fn read_varint(message: &mut Bytes) -> Result<u64, Malformed> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = message.try_get_u8().map_err(|_| Malformed)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(u32, Value)>, Malformed> {
        let mut found = Vec::new();
        fields(Bytes::copy_from_slice(bytes), |field, value| {
            found.push((field, value));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn what_is_written_is_read() {
        for number in [1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let bytes = Message::default().number(64, number).into_bytes();
            assert_eq!(read(&bytes), Ok(vec![(64, Value::Number(number))]));
        }
        let nested = Message::default().bytes(1, b"key").flag(2, true);
        let bytes = Message::default().nested(3, nested).number(1, 0).bytes(2, b"").into_bytes();
        let found = read(&bytes).unwrap();
        assert_eq!(found.len(), 1, "defaults are left out");
        let inner = read(&found[0].1.clone().bytes()).unwrap();
        assert_eq!(inner, [(1, Value::Bytes("key".into())), (2, Value::Number(1))]);
        assert_eq!(Message::default().number_always(5, 0).into_bytes(), [0x28, 0]);
    }

    #[test]
    fn what_is_cut_or_of_no_type_is_refused() {
        let bytes = Message::default().bytes(1, b"value").number(2, 300).into_bytes();
        for end in 0..bytes.len() {
            let whole = [0, 7].contains(&end);
            assert_eq!(read(&bytes[..end]).is_ok(), whole, "{end}");
        }
        assert_eq!(read(&[0x0b]), Err(Malformed));
        assert_eq!(
            read(&[0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]),
            Err(Malformed)
        );
        assert_eq!(read(&[0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x0d, 1, 2, 3, 4]).unwrap().len(), 2);
    }
}
