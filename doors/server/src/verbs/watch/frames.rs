//! Length-prefixed protobuf frames of watch events.

use bytes::Bytes;
use ratchet_object::{Limits, decode, proto};

/// Encodes an event, given as a line of JSON, as a protobuf frame.
///
/// None if the object has no protobuf form; the watch cannot continue then.
pub(super) fn frame(line: &Bytes) -> Option<Bytes> {
    let decoded = decode(std::str::from_utf8(line).ok()?, Limits::STORED).ok()?;
    let event = decoded.documents.first()?;
    let object = proto::encode(event.get("object")?).ok()?;
    // WatchEvent { type = 1, object = 2 { raw = 1 } }
    let mut raw = Vec::with_capacity(object.len() + 8);
    put_field(&mut raw, 1, &object);
    let mut message = Vec::with_capacity(raw.len() + 24);
    put_field(&mut message, 1, event.text_at(&["type"]).as_bytes());
    put_field(&mut message, 2, &raw);
    let length = u32::try_from(message.len()).ok()?;
    Some([length.to_be_bytes().as_slice(), &message].concat().into())
}

/// Appends a length-delimited field.
fn put_field(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    out.push(number << 3 | 2);
    let mut length = bytes.len();
    while length > 127 {
        out.push(u8::try_from(length & 127).unwrap_or_default() | 128);
        length >>= 7;
    }
    out.push(u8::try_from(length).unwrap_or_default());
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_its_length_its_type_and_an_enveloped_object() {
        let line = r#"{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}}}"#;
        let encoded = frame(&Bytes::from(line)).unwrap();
        let (length, message) = encoded.split_at(4);
        assert_eq!(length, u32::try_from(message.len()).unwrap().to_be_bytes());
        assert!(message.starts_with(b"\x0a\x05ADDED\x12"));
        assert!(message.windows(4).any(|bytes| bytes == b"k8s\0"));
    }

    #[test]
    fn lengths_of_more_than_one_byte() {
        let mut out = Vec::new();
        put_field(&mut out, 2, &[7; 300]);
        assert_eq!(out.get(..3), Some([0x12, 0xac, 0x02].as_slice()));
        assert_eq!(out.len(), 303);
    }

    #[test]
    fn what_has_no_protobuf_form_has_no_frame() {
        assert_eq!(frame(&Bytes::from_static(b"{}")), None);
        let odd = r#"{"type":"ADDED","object":{"kind":"Odd","apiVersion":"example.com/v1"}}"#;
        assert_eq!(frame(&Bytes::from(odd)), None);
    }
}
