//! Entries in few bytes: what a cache keeps of `managedFields`, which is often larger than the object itself.
//!
//! Objects that were made alike have the same field sets and managers, so that their texts are kept once for all.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_object::CompactJson;

/// The texts that objects share.
#[derive(Debug, Default)]
pub struct FieldsPool {
    texts: BTreeSet<Arc<str>>,
    /// The number of texts at which those that nobody uses any more are looked for.
    sweep_at: usize,
}

/// The entries of an object; the parts that other objects have as well are shared with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedManagedFields(Box<[PackedEntry]>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct PackedEntry {
    /// The text before the time, or all of it.
    head: Arc<str>,
    /// The digits of the time, four bits each; zero if there is none.
    time: u64,
    /// The text after the time: the fields, and the subresource; empty if there is no time.
    tail: Arc<str>,
}

/// What stands before the time of an entry, which is never its first member.
const BEFORE_TIME: &str = ",\"time\":";

/// Fewer texts than these are not worth a search.
const MIN_SWEEP: usize = 1024;

impl FieldsPool {
    /// Packs the list at the path `names` of an object, `managedFields` as they are written, and returns where they stand,
    /// too. None if there is no list, or if a time is written otherwise than this crate writes it.
    pub fn pack<'t>(
        &mut self,
        object: CompactJson<'t>,
        names: &[&str],
    ) -> Option<(PackedManagedFields, CompactJson<'t>)> {
        let mut packed = Some(Vec::new());
        let entries = object.each_item_at(names, |item| {
            let entry = self.pack_entry(item);
            packed = packed.take().zip(entry).map(|(mut packed, entry)| {
                packed.push(entry);
                packed
            });
        })?;
        Some((PackedManagedFields(packed?.into_boxed_slice()), entries))
    }

    /// Packs entries that were found already.
    pub fn pack_entries<'t>(
        &mut self,
        entries: impl Iterator<Item = CompactJson<'t>>,
    ) -> Option<PackedManagedFields> {
        let packed: Option<Box<[PackedEntry]>> =
            entries.map(|entry| self.pack_entry(entry)).collect();
        packed.map(PackedManagedFields)
    }

    fn pack_entry(&mut self, entry: CompactJson<'_>) -> Option<PackedEntry> {
        let text = entry.as_str();
        let (head, time, tail) = match entry.member("time") {
            None => (text, 0, ""),
            Some(time) => {
                let (before, rest) = text.split_at_checked(time.start() - entry.start())?;
                let tail = rest.strip_prefix(time.as_str())?;
                (before.strip_suffix(BEFORE_TIME)?, pack_time(time.plain_text()?)?, tail)
            }
        };
        Some(PackedEntry { head: self.share(head), time, tail: self.share(tail) })
    }

    fn share(&mut self, text: &str) -> Arc<str> {
        if let Some(shared) = self.texts.get(text) {
            return shared.clone();
        }
        if self.texts.len() >= self.sweep_at.max(MIN_SWEEP) {
            self.texts.retain(|text| Arc::strong_count(text) > 1);
            self.sweep_at = self.texts.len() * 2;
        }
        let shared: Arc<str> = text.into();
        self.texts.insert(shared.clone());
        shared
    }

    /// The number of texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no texts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

impl PackedManagedFields {
    /// Appends the value of `managedFields` as JSON.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        for (index, entry) in self.0.iter().enumerate() {
            out.push(if index == 0 { b'[' } else { b',' });
            out.extend_from_slice(entry.head.as_bytes());
            if entry.time != 0 {
                out.extend_from_slice(BEFORE_TIME.as_bytes());
                out.extend_from_slice(&quoted_time(entry.time));
            }
            out.extend_from_slice(entry.tail.as_bytes());
        }
        out.extend_from_slice(if self.0.is_empty() { b"[]" } else { b"]" });
    }
}

/// A time as the server writes it, with a digit at each zero.
const TIME: &str = "0000-00-00T00:00:00Z";
const QUOTED: &[u8; 22] = b"\"0000-00-00T00:00:00Z\"";

fn pack_time(time: &str) -> Option<u64> {
    let is_like = |(letter, like): (u8, u8)| {
        if like == b'0' { letter.is_ascii_digit() } else { letter == like }
    };
    if time.len() != TIME.len() || !time.bytes().zip(TIME.bytes()).all(is_like) {
        return None;
    }
    let digits = time.bytes().filter(u8::is_ascii_digit);
    Some(digits.fold(0, |packed, digit| packed << 4 | u64::from(digit - b'0'))).filter(|&n| n != 0)
}

/// The time in quotes.
fn quoted_time(mut packed: u64) -> [u8; QUOTED.len()] {
    let mut text = *QUOTED;
    for letter in text.iter_mut().rev().filter(|letter| **letter == b'0') {
        *letter |= (packed & 0xf) as u8;
        packed >>= 4;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;

    fn json(packed: &PackedManagedFields) -> String {
        let mut out = Vec::new();
        packed.write_json(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn pack(pool: &mut FieldsPool, entries: &str) -> Option<PackedManagedFields> {
        let text = format!(r#"{{"managedFields":{entries}}}"#);
        let object = CompactJson::object(&text)?;
        let packed = pool.pack(object, &["managedFields"]).map(|(packed, _)| packed);
        let mut found = Vec::new();
        object.member("managedFields")?.each_item(|item| found.push(item))?;
        assert_eq!(pool.pack_entries(found.into_iter()), packed);
        packed
    }

    fn entry(manager: &str, time: &str) -> String {
        format!(
            r#"[{{"manager":"{manager}","operation":"Update","apiVersion":"v1","time":"{time}","fieldsType":"FieldsV1","fieldsV1":{{"f:data":{{"f:a":{{}}}}}},"subresource":"status"}}]"#
        )
    }

    #[test]
    fn what_is_packed_is_written_alike() {
        let mut pool = FieldsPool::default();
        let long = format!(
            r#"[{{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{{}}}},{}"#,
            entry("a\\u003cb", "2026-01-02T03:04:05Z").trim_start_matches('[')
        );
        for text in [
            "[]",
            "[7]",
            "[{}]",
            r#"[{"operation":"Apply","manager":"m"}]"#,
            &long,
            &entry("m", "9999-12-31T23:59:59Z"),
            &entry("m", "0001-01-01T00:00:00Z"),
        ] {
            assert_eq!(json(&pack(&mut pool, text).unwrap()), text);
        }
    }

    #[test]
    fn what_would_be_written_differently_is_not_packed() {
        let mut pool = FieldsPool::default();
        for text in [
            "{}",
            &entry("m", "2026-01-02T03:04:05+02:00"),
            &entry("m", "0000-00-00T00:00:00Z"),
            r#"[{"time":"2026-01-02T03:04:05Z","manager":"m"}]"#,
            r#"[{"manager":"m","time":7}]"#,
        ] {
            assert_eq!(pack(&mut pool, text), None, "{text}");
        }
    }

    #[test]
    fn objects_that_are_alike_share_their_texts() {
        let mut pool = FieldsPool::default();
        let packed: Vec<_> = (0..1000)
            .map(|n| {
                let text = entry("m", &format!("2026-01-02T03:{:02}:{:02}Z", n / 60, n % 60));
                pack(&mut pool, &text).unwrap()
            })
            .collect();
        assert_eq!(pool.len(), 2);
        let [first, .., last] = packed.as_slice() else { panic!() };
        assert!(Arc::ptr_eq(&first.0[0].tail, &last.0[0].tail));
    }

    #[test]
    fn texts_that_nobody_uses_are_forgotten() {
        let mut pool = FieldsPool::default();
        for n in 0..5000 {
            pack(&mut pool, &entry(&format!("m{n}"), "2026-01-02T03:04:05Z")).unwrap();
        }
        assert!(pool.len() <= MIN_SWEEP, "{}", pool.len());
        assert!(!pool.is_empty());
    }
}
