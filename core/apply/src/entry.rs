//! Entries of `metadata.managedFields`.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ratchet_object::{Node, Value};

/// What made a manager own fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Server-side apply.
    Apply,
    /// Any other write.
    Update,
}

impl Operation {
    /// Its name in entries.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Apply, Self::Update].into_iter().find(|operation| operation.as_str() == text)
    }
}

/// One entry of `metadata.managedFields`.
#[derive(Clone, Debug, PartialEq)]
pub struct ManagedFieldsEntry {
    /// Who owns the fields.
    pub manager: String,
    /// How they came to own them.
    pub operation: Operation,
    /// The version of the fields.
    pub api_version: String,
    /// When the manager last got or changed something, in RFC 3339 with seconds; none if it never did.
    pub time: Option<String>,
    /// The fields, as `fieldsV1` has them.
    pub fields_v1: Node<'static>,
    /// The subresource through which they are owned; empty for the object itself.
    pub subresource: String,
}

pub(crate) const FIELDS_TYPE: &str = "FieldsV1";

impl ManagedFieldsEntry {
    /// The entry as JSON has it.
    #[must_use]
    pub fn into_node(self) -> Node<'static> {
        let mut node = Node::map([
            ("manager", Node::string(self.manager)),
            ("operation", Node::string(self.operation.as_str())),
            ("apiVersion", Node::string(self.api_version)),
        ]);
        if let Some(time) = self.time {
            node.set("time", Node::string(time));
        }
        node.set("fieldsType", Node::string(FIELDS_TYPE));
        node.set("fieldsV1", self.fields_v1);
        if !self.subresource.is_empty() {
            node.set("subresource", Node::string(self.subresource));
        }
        node
    }
}

/// Writes entries into the metadata of an object; without entries there is no list.
pub fn set_managed_fields(object: &mut Node<'static>, entries: Vec<ManagedFieldsEntry>) {
    if entries.is_empty() {
        object.get_mut("metadata").map(|metadata| metadata.remove("managedFields"));
        return;
    }
    let entries = entries.into_iter().map(ManagedFieldsEntry::into_node).collect();
    object.map_mut("metadata").set("managedFields", Node::list(entries));
}

/// The entries of an object as JSON has them.
pub(crate) fn managed_fields<'n, 't>(object: &'n Node<'t>) -> Option<&'n Node<'t>> {
    object.get("metadata")?.get("managedFields").filter(|node| !node.is_null())
}

/// An entry that has not been decoded: a view of JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawEntry<'n>(pub(crate) &'n Node<'n>);

impl<'n> RawEntry<'n> {
    pub(crate) fn text(self, name: &str) -> &'n str {
        self.0.get(name).and_then(Node::text).unwrap_or_default()
    }

    pub(crate) fn operation(self) -> Option<Operation> {
        Operation::parse(self.text("operation"))
    }

    pub(crate) fn has_fields_type(self) -> bool {
        self.text("fieldsType") == FIELDS_TYPE
    }

    pub(crate) fn time(self) -> Option<&'n str> {
        Some(self.text("time")).filter(|time| !time.is_empty())
    }

    /// The fields; none if there are none.
    pub(crate) fn fields(self) -> Option<&'n Node<'n>> {
        self.0.get("fieldsV1").filter(|node| !node.is_null())
    }

    /// Whether nothing is set: the entry of a client that wants all entries forgotten.
    pub(crate) fn is_blank(self) -> bool {
        const TEXTS: [&str; 6] =
            ["manager", "operation", "apiVersion", "time", "fieldsType", "subresource"];
        matches!(self.0.value, Value::Map(_))
            && TEXTS.iter().all(|name| self.text(name).is_empty())
            && self.fields().is_none()
    }
}

/// Whether a client asks for all entries to be forgotten: `[]` or `[{}]`.
pub(crate) fn is_reset(managed_fields: Option<&Node<'_>>) -> bool {
    match managed_fields.map(|node| &node.value) {
        Some(Value::List(items)) => match items.as_slice() {
            [] => true,
            [only] => RawEntry(only).is_blank(),
            _ => false,
        },
        _ => false,
    }
}

/// The seconds of a time that is written in UTC, as the server writes all; zero if there is none.
///
/// Only their order counts, so that neither months nor leap years matter.
pub(crate) fn seconds(time: Option<&str>) -> i64 {
    let Some(time) = time else { return 0 };
    let digits = time.bytes().filter(u8::is_ascii_digit).take(14);
    digits.fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
}

/// The order of entries: operation, time, manager, version, subresource.
pub(crate) fn order(one: &ManagedFieldsEntry, other: &ManagedFieldsEntry) -> Ordering {
    one.operation
        .cmp(&other.operation)
        .then_with(|| seconds(one.time.as_deref()).cmp(&seconds(other.time.as_deref())))
        .then_with(|| one.manager.cmp(&other.manager))
        .then_with(|| one.api_version.cmp(&other.api_version))
        .then_with(|| one.subresource.cmp(&other.subresource))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    #[test]
    fn a_reset_is_an_empty_list_or_an_empty_entry() {
        for (list, is_it) in [
            ("[]", true),
            ("[{}]", true),
            ("[{manager: '', time: null, fieldsV1: null}]", true),
            ("[{fieldsV1: {}}]", false),
            ("[{manager: m}]", false),
            ("[{}, {}]", false),
            ("null", false),
            ("{}", false),
        ] {
            let node = decode(list, Limits::DEFAULT).unwrap().documents.remove(0);
            assert_eq!(is_reset(Some(&node)), is_it, "{list}");
        }
        assert!(!is_reset(None));
    }

    #[test]
    fn entries_are_ordered_by_operation_time_and_names() {
        let entry = |operation, time: &str, manager: &str, subresource: &str| ManagedFieldsEntry {
            manager: manager.into(),
            operation,
            api_version: "v1".into(),
            time: Some(time.into()).filter(|time: &String| !time.is_empty()),
            fields_v1: Node::empty_map(),
            subresource: subresource.into(),
        };
        let entries = [
            entry(Operation::Apply, "", "z", ""),
            entry(Operation::Apply, "2026-01-02T03:04:05Z", "b", ""),
            entry(Operation::Apply, "2026-01-02T03:04:06Z", "a", ""),
            entry(Operation::Update, "2025-12-31T23:59:59Z", "a", ""),
            entry(Operation::Update, "2025-12-31T23:59:59Z", "a", "status"),
            entry(Operation::Update, "2025-12-31T23:59:59Z", "b", ""),
        ];
        assert!(entries.is_sorted_by(|a, b| order(a, b).is_lt()));
    }

    #[test]
    fn an_entry_is_written_in_the_order_of_its_members() {
        let mut object = Node::map([("metadata", Node::empty_map())]);
        let entry = ManagedFieldsEntry {
            manager: "m".into(),
            operation: Operation::Update,
            api_version: "apps/v1".into(),
            time: Some("2026-01-02T03:04:05Z".into()),
            fields_v1: Node::empty_map(),
            subresource: "status".into(),
        };
        set_managed_fields(&mut object, alloc::vec![entry]);
        assert_eq!(
            object.to_json(),
            r#"{"metadata":{"managedFields":[{"manager":"m","operation":"Update","apiVersion":"apps/v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{},"subresource":"status"}]}}"#
        );
        set_managed_fields(&mut object, Vec::new());
        assert_eq!(object.to_json(), r#"{"metadata":{}}"#);
    }
}
