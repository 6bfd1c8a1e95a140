//! `Packed`: the `managedFields` of an object, kept apart from its other bytes.
//!
//! They are often larger than the object, but objects that were made alike have them in common.

use super::text::Text;
use ratchet_apply::{FieldsPool, PackedManagedFields};
use ratchet_object::CompactJson;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The text before the entries, which are never the first member.
const MEMBER: &str = r#","managedFields":"#;

/// What the resource version adds before them, apart from its digits.
const VERSION: &str = r#""resourceVersion":"","#;

/// What was cut out of an object.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    /// Where in the other bytes of the stored object, which has no resource version, it belongs.
    at: u32,
    /// The number of bytes of the entries.
    length: u32,
    fields: PackedManagedFields,
}

impl Packed {
    /// Cuts the entries out of a stored object: the rest of its text, and where in it they belong. None if there are
    /// none, or if they are not written as this server writes them.
    pub(super) fn cut(
        text: &str,
        object: CompactJson<'_>,
        pool: &Mutex<FieldsPool>,
    ) -> Option<(String, Self)> {
        let mut pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
        let (fields, entries) = pool.pack(object, &["metadata", "managedFields"])?;
        drop(pool);
        Self::around(text, entries.start()..entries.end(), fields)
    }

    /// The same where it is known at which place each entry stands.
    pub(super) fn cut_known(
        text: &str,
        entries: &[Range<usize>],
        pool: &Mutex<FieldsPool>,
    ) -> Option<(String, Self)> {
        let list = entries.first()?.start.checked_sub(1)?..entries.last()?.end + 1;
        let entries = entries.iter().map(|place| CompactJson::known(text, place));
        let mut pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
        let fields = pool.pack_entries(entries)?;
        drop(pool);
        Self::around(text, list, fields)
    }

    fn around(
        text: &str,
        list: Range<usize>,
        fields: PackedManagedFields,
    ) -> Option<(String, Self)> {
        let before = text.get(..list.start)?.strip_suffix(MEMBER)?;
        let at = before.len().try_into().ok()?;
        let packed = Self { at, length: list.len().try_into().ok()?, fields };
        Some(([before, text.get(list.end..)?].concat(), packed))
    }

    /// The number of bytes that were cut out.
    pub(super) fn size(&self) -> usize {
        MEMBER.len() + self.length as usize
    }

    /// Appends the object at a revision, with its entries.
    pub(super) fn join(&self, body: &Text, revision: u64, out: &mut Vec<u8>) {
        let digits = revision.checked_ilog10().map_or(1, |power| power as usize + 1);
        body.write_around(self.at as usize + VERSION.len() + digits, out, |out| {
            out.extend_from_slice(MEMBER.as_bytes());
            self.fields.write_json(out);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::Item;
    use super::*;

    const ENTRIES: &str = r#"[{"manager":"m","operation":"Update","apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}}}]"#;

    fn item(metadata: &str, pool: &Mutex<FieldsPool>) -> Item {
        let value = format!(r#"{{"metadata":{{{metadata}}},"data":{{"a":"1"}}}}"#);
        Item::cached("n/x".into(), 7, value.as_bytes(), pool, None).unwrap()
    }

    #[test]
    fn an_object_is_served_as_it_was_stored() {
        let pool = Mutex::default();
        for metadata in [
            format!(r#""name":"x","managedFields":{ENTRIES}"#),
            format!(r#""managedFields":{ENTRIES},"name":"x""#),
            r#""name":"x""#.to_owned(),
            r#""name":"x","managedFields":[{"manager":"odd"}]"#.to_owned(),
            r#""name":"x","managedFields":[{"manager":"odd","time":"now"}]"#.to_owned(),
        ] {
            let item = item(&metadata, &pool);
            let whole = format!(
                r#"{{"metadata":{{"resourceVersion":"7",{metadata}}},"data":{{"a":"1"}}}}"#
            );
            assert_eq!(item.body(), whole);
            assert_eq!(item.size(), whole.len());
            assert_eq!(item.node().to_json(), whole);
            let later = item.as_of(1234);
            assert_eq!(later.body(), whole.replace(r#""7""#, r#""1234""#));
            assert_eq!(later.size(), whole.len() + 3);
        }
    }

    #[test]
    fn an_object_that_knows_its_version_is_served_without() {
        let pool = Mutex::default();
        let metadata = format!(r#""name":"x","managedFields":{ENTRIES}"#);
        let value = format!(r#"{{"metadata":{{{metadata}}},"a":1,"apiVersion":"example.com/v1"}}"#);
        let item = Item::cached("n/x".into(), 1234, value.as_bytes(), &pool, None).unwrap();
        let whole = format!(r#"{{"metadata":{{"resourceVersion":"1234",{metadata}}},"a":1}}"#);
        assert_eq!(item.body(), whole);
        assert_eq!(item.as_of(7).body(), whole.replace("1234", "7"));
    }

    #[test]
    fn what_objects_have_in_common_is_kept_once() {
        let pool = Mutex::default();
        let metadata = format!(r#""name":"x","managedFields":{ENTRIES}"#);
        let item = item(&metadata, &pool);
        assert_eq!(pool.lock().unwrap().len(), 2);
        item.read(|node| assert_eq!(node.find(&["metadata", "managedFields"]), None));
        assert!(item.contains("\"data\"") && !item.contains("manager"));
    }
}
