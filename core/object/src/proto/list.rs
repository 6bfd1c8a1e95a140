//! Encoding of a protobuf list item by item, so that a long list is never held in memory as a whole.

use super::response_types::LIST_META;
use super::table::{self, Body};
use super::{MAGIC, ProtoError, encoder, unknown, wire};
use crate::Node;
use alloc::string::String;
use alloc::vec::Vec;

/// Encodes the body of one list: its start, its items, its end.
///
/// The envelope holds the length of the message inside. So every item is encoded twice: once to learn its length, and
/// once to send it.
#[derive(Clone, Debug)]
pub struct ListEncoder {
    api_version: String,
    kind: String,
    item: u16,
    /// The field numbers of the metadata and the items.
    numbers: (u8, u8),
}

impl ListEncoder {
    /// The bytes behind the last item: two fields of the envelope that Go writes even when they are empty.
    pub const END: [u8; 4] = [0x1a, 0, 0x22, 0];

    /// An encoder for lists of this kind, such as `v1` and `PodList`.
    pub fn new(api_version: &str, kind: &str) -> Result<Self, ProtoError> {
        match table::body(api_version, kind) {
            Some(body @ (Body::Many(item) | Body::ItemsFirst(item))) => {
                let numbers = body.list_numbers();
                Ok(Self { api_version: api_version.into(), kind: kind.into(), item, numbers })
            }
            _ => Err(unknown(api_version, kind)),
        }
    }

    /// Encodes one item with its tag and length.
    pub fn item(&self, node: &Node<'_>) -> Result<Vec<u8>, ProtoError> {
        let mut out = Vec::new();
        wire::put_bytes(&mut out, self.numbers.1, &encoder::object(node, self.item)?);
        Ok(out)
    }

    /// Encodes what precedes the first item; `items` is the encoded length of all items together.
    pub fn start(&self, metadata: Option<&Node<'_>>, items: usize) -> Result<Vec<u8>, ProtoError> {
        let mut type_meta = Vec::new();
        wire::put_bytes(&mut type_meta, 1, self.api_version.as_bytes());
        wire::put_bytes(&mut type_meta, 2, self.kind.as_bytes());
        let mut message = Vec::new();
        if let Some(metadata) = metadata {
            let metadata = encoder::object(metadata, LIST_META);
            let metadata = metadata.map_err(|error| error.below("metadata"))?;
            wire::put_bytes(&mut message, self.numbers.0, &metadata);
        }
        let mut out = MAGIC.to_vec();
        wire::put_bytes(&mut out, 1, &type_meta);
        wire::put_length(&mut out, 2, message.len() + items);
        out.extend(message);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::encode;
    use crate::{Limits, decode};
    use alloc::format;
    use alloc::vec;

    #[test]
    fn item_by_item_is_the_same_as_at_once() {
        let item =
            |name: usize| format!(r#"{{"metadata":{{"name":"n{name}"}},"data":{{"a":"b"}}}}"#);
        for count in [0, 1, 200] {
            let items: Vec<_> = (0..count).map(item).collect();
            let text = format!(
                r#"{{"kind":"ConfigMapList","apiVersion":"v1","metadata":{{"resourceVersion":"7"}},"items":[{}]}}"#,
                items.join(",")
            );
            let whole = decode(&text, Limits::DEFAULT).unwrap().documents.remove(0);
            let list = ListEncoder::new("v1", "ConfigMapList").unwrap();
            let items: Vec<Vec<u8>> = whole
                .get("items")
                .unwrap()
                .items()
                .iter()
                .map(|item| list.item(item).unwrap())
                .collect();
            let length = items.iter().map(Vec::len).sum();
            let mut out = list.start(whole.get("metadata"), length).unwrap();
            out.extend(items.concat());
            out.extend(ListEncoder::END);
            assert_eq!(out, encode(&whole).unwrap(), "{count} items");
        }
    }

    #[test]
    fn lists_of_metadata_are_the_same_item_by_item() {
        for version in ["meta.k8s.io/v1", "meta.k8s.io/v1beta1"] {
            let text = format!(
                r#"{{"kind":"PartialObjectMetadataList","apiVersion":"{version}","metadata":{{"resourceVersion":"7"}},"items":[{{"kind":"PartialObjectMetadata","apiVersion":"{version}","metadata":{{"name":"a"}}}}]}}"#
            );
            let whole = decode(&text, Limits::DEFAULT).unwrap().documents.remove(0);
            let list = ListEncoder::new(version, "PartialObjectMetadataList").unwrap();
            let item = list.item(&whole.get("items").unwrap().items()[0]).unwrap();
            // Neither kind nor version: those of an item are in no message.
            assert_eq!(item[1..], [5, 0x0a, 3, 0x0a, 1, b'a']);
            let mut out = list.start(whole.get("metadata"), item.len()).unwrap();
            out.extend(item);
            out.extend(ListEncoder::END);
            assert_eq!(out, encode(&whole).unwrap());
        }
    }

    #[test]
    fn only_lists_that_have_a_form_are_written() {
        for (version, kind) in [("v1", "ConfigMap"), ("example.com/v1", "OddList"), ("v1", "")] {
            assert!(ListEncoder::new(version, kind).is_err(), "{version} {kind}");
        }
        let list = ListEncoder::new("v1", "ConfigMapList").unwrap();
        assert!(list.item(&Node::list(vec![])).is_err());
    }
}
