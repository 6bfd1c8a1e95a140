//! Entries in few bytes: what a cache keeps of `managedFields`, which is often larger than the object itself.
//!
//! Objects that were made alike have the same field sets and managers, so that their texts are kept once for all.

use crate::entry::{FIELDS_TYPE, RawEntry};
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt::Write;
use ratchet_object::{Node, Value, write_text};

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
    /// The text before the time.
    head: Arc<str>,
    /// The digits of the time; zero if there is none.
    time: u64,
    /// The text after the time: the fields, and the subresource.
    tail: Arc<str>,
}

/// Fewer texts than these are not worth a search.
const MIN_SWEEP: usize = 1024;

impl FieldsPool {
    /// Packs the value of `managedFields`; none if it is not written as this crate writes it.
    pub fn pack(&mut self, entries: &Node<'_>) -> Option<PackedManagedFields> {
        let Value::List(items) = &entries.value else { return None };
        let packed: Option<Box<[PackedEntry]>> =
            items.iter().map(|item| self.pack_entry(RawEntry(item))).collect();
        let packed = PackedManagedFields(packed?);
        // What is written differently is kept as it is: clients may count on what they have seen.
        (packed.to_json() == entries.to_json()).then_some(packed)
    }

    fn pack_entry(&mut self, entry: RawEntry<'_>) -> Option<PackedEntry> {
        let mut head = String::from("{");
        for (name, before) in [
            ("manager", "\"manager\":"),
            ("operation", ",\"operation\":"),
            ("apiVersion", ",\"apiVersion\":"),
        ] {
            head.push_str(before);
            write_text(&mut head, entry.text(name)).ok()?;
        }
        let mut tail = String::new();
        write!(tail, ",\"fieldsType\":\"{FIELDS_TYPE}\",\"fieldsV1\":{}", entry.fields()?).ok()?;
        if !entry.text("subresource").is_empty() {
            tail.push_str(",\"subresource\":");
            write_text(&mut tail, entry.text("subresource")).ok()?;
        }
        tail.push('}');
        let time = match entry.time() {
            Some(time) => pack_time(time)?,
            None => 0,
        };
        Some(PackedEntry { head: self.share(&head), time, tail: self.share(&tail) })
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
    pub fn write_json(&self, out: &mut String) {
        for (index, entry) in self.0.iter().enumerate() {
            out.push(if index == 0 { '[' } else { ',' });
            out.push_str(&entry.head);
            if entry.time != 0 {
                out.push_str(",\"time\":\"");
                write_time(entry.time, out);
                out.push('"');
            }
            out.push_str(&entry.tail);
        }
        out.push_str(if self.0.is_empty() { "[]" } else { "]" });
    }

    /// The value of `managedFields` as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }
}

/// A time as the server writes it, with a digit at each zero.
const TIME: &str = "0000-00-00T00:00:00Z";

fn pack_time(time: &str) -> Option<u64> {
    let is_like = |(letter, like): (u8, u8)| {
        if like == b'0' { letter.is_ascii_digit() } else { letter == like }
    };
    if time.len() != TIME.len() || !time.bytes().zip(TIME.bytes()).all(is_like) {
        return None;
    }
    let digits = time.bytes().filter(u8::is_ascii_digit);
    Some(digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))).filter(|&n| n != 0)
}

fn write_time(time: u64, out: &mut String) {
    let mut divisor = 10_u64.pow(13);
    for letter in TIME.chars() {
        if letter != '0' {
            out.push(letter);
            continue;
        }
        let digit = time / divisor % 10;
        out.push(char::from_digit(u32::try_from(digit).unwrap_or_default(), 10).unwrap_or('0'));
        divisor = (divisor / 10).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::vec::Vec;
    use ratchet_object::{Limits, decode_json};

    fn list(text: &str) -> Node<'_> {
        decode_json(text, Limits::DEFAULT).unwrap().documents.remove(0)
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
        for text in
            ["[]", &long, &entry("m", "9999-12-31T23:59:59Z"), &entry("m", "0001-01-01T00:00:00Z")]
        {
            assert_eq!(pool.pack(&list(text)).unwrap().to_json(), text);
        }
    }

    #[test]
    fn what_would_be_written_differently_is_not_packed() {
        let mut pool = FieldsPool::default();
        for text in [
            "{}",
            "[7]",
            "[{}]",
            &entry("m", "2026-01-02T03:04:05+02:00"),
            &entry("m", "0000-00-00T00:00:00Z"),
            r#"[{"operation":"Apply","manager":"m","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{}}]"#,
        ] {
            assert_eq!(pool.pack(&list(text)), None, "{text}");
        }
    }

    #[test]
    fn objects_that_are_alike_share_their_texts() {
        let mut pool = FieldsPool::default();
        let packed: Vec<_> = (0..1000)
            .map(|n| {
                let text = entry("m", &format!("2026-01-02T03:{:02}:{:02}Z", n / 60, n % 60));
                pool.pack(&list(&text)).unwrap()
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
            pool.pack(&list(&entry(&format!("m{n}"), "2026-01-02T03:04:05Z"))).unwrap();
        }
        assert!(pool.len() <= MIN_SWEEP, "{}", pool.len());
        assert!(!pool.is_empty());
    }
}
