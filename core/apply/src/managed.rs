//! The managers of an object: who owns which fields in which version.

use crate::entry::{ManagedFieldsEntry, Operation, RawEntry, order};
use crate::field_set::FieldSet;
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::{Node, Value, write_text};

/// What identifies an entry: a manager that applies in another version replaces its entry, one that updates does not.
#[derive(Clone, Debug)]
pub(crate) struct ManagerId<'a> {
    pub(crate) manager: Cow<'a, str>,
    pub(crate) operation: Operation,
    /// Empty for those that apply.
    pub(crate) api_version: Cow<'a, str>,
    pub(crate) subresource: Cow<'a, str>,
}

impl<'a> ManagerId<'a> {
    pub(crate) fn new(
        manager: &'a str,
        operation: Operation,
        api_version: &'a str,
        subresource: &'a str,
    ) -> Self {
        let api_version = if operation == Operation::Apply { "" } else { api_version };
        Self {
            manager: manager.into(),
            operation,
            api_version: api_version.into(),
            subresource: subresource.into(),
        }
    }

    /// The identity as text: JSON, by which the reference sorts managers.
    pub(crate) fn key(&self) -> String {
        let mut out = String::from("{");
        let members = [
            ("manager", self.manager.as_ref()),
            ("operation", self.operation.as_str()),
            ("apiVersion", &self.api_version),
            ("subresource", &self.subresource),
        ];
        for (name, text) in members.into_iter().filter(|(_, text)| !text.is_empty()) {
            out.push_str(if out.len() == 1 { "\"" } else { ",\"" });
            out.push_str(name);
            out.push_str("\":");
            // Writing to a String cannot fail.
            let _ = write_text(&mut out, text);
        }
        out.push('}');
        out
    }

    /// The manager as conflicts name it.
    pub(crate) fn describe(&self) -> String {
        let mut out = Quoted(&self.manager).to_string();
        if !self.subresource.is_empty() {
            out.push_str(" with subresource ");
            out.push_str(&Quoted(&self.subresource).to_string());
        }
        if self.operation == Operation::Update {
            out.push_str(" using ");
            out.push_str(&self.api_version);
        }
        out
    }
}

/// What a manager owns.
#[derive(Clone, Debug)]
pub(crate) struct Owner<'a> {
    pub(crate) id: ManagerId<'a>,
    pub(crate) set: FieldSet<'a>,
    /// The version of the set.
    pub(crate) api_version: Cow<'a, str>,
    pub(crate) time: Option<Cow<'a, str>>,
}

/// All managers of an object, by the text of their identity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Managed<'a> {
    pub(crate) owners: BTreeMap<String, Owner<'a>>,
}

impl<'a> Managed<'a> {
    /// Decodes the entries of an object; or what is wrong with one of them.
    pub(crate) fn decode(entries: Option<&'a Node<'a>>) -> Result<Self, String> {
        let mut managed = Self::default();
        let entries = entries.map(Node::items).unwrap_or_default();
        for (index, entry) in entries.iter().enumerate() {
            let owner = decode(RawEntry(entry), index)?;
            managed.owners.insert(owner.id.key(), owner);
        }
        Ok(managed)
    }

    /// The entries, in their order.
    pub(crate) fn encode(&self) -> Vec<ManagedFieldsEntry> {
        let mut entries: Vec<ManagedFieldsEntry> = self
            .owners
            .values()
            .map(|owner| ManagedFieldsEntry {
                manager: owner.id.manager.to_string(),
                operation: owner.id.operation,
                api_version: owner.api_version.to_string(),
                time: owner.time.as_ref().map(ToString::to_string),
                fields_v1: owner.set.encode(),
                subresource: owner.id.subresource.to_string(),
            })
            .collect();
        entries.sort_by(order);
        entries
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// Drops those who own nothing.
    pub(crate) fn drop_empty(&mut self) {
        self.owners.retain(|_, owner| !owner.set.is_empty());
    }
}

/// What is wrong with the value of `managedFields`: admission may have changed it.
pub fn validate_managed_fields(entries: Option<&Node<'_>>) -> Result<(), String> {
    Managed::decode(entries).map(|_| ())
}

fn decode<'a>(entry: RawEntry<'a>, index: usize) -> Result<Owner<'a>, String> {
    let operation = entry.operation().ok_or("operation must be `Apply` or `Update`")?;
    let api_version = entry.text("apiVersion");
    if api_version.is_empty() {
        return Err("apiVersion must not be empty".to_string());
    }
    if !entry.has_fields_type() {
        return Err(match entry.text("fieldsType") {
            "" => alloc::format!("missing fieldsType in managed fields entry {index}"),
            other => {
                let other = Quoted(other);
                alloc::format!("invalid fieldsType {other} in managed fields entry {index}")
            }
        });
    }
    let set = match entry.fields() {
        // Nothing is not the object itself.
        Some(fields) if matches!(fields.value, Value::Map(_)) => {
            FieldSet::decode(fields).ok_or("error decoding set")?
        }
        Some(_) => return Err("error decoding set".to_string()),
        None => FieldSet::EMPTY,
    };
    Ok(Owner {
        id: ManagerId::new(
            entry.text("manager"),
            operation,
            api_version,
            entry.text("subresource"),
        ),
        set,
        api_version: api_version.into(),
        time: entry.time().map(Cow::Borrowed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode as read};

    fn tree(text: &str) -> Node<'_> {
        read(text, Limits::DEFAULT).unwrap().documents.remove(0)
    }

    #[test]
    fn identities_and_how_conflicts_name_them() {
        let id = ManagerId::new("m<1>", Operation::Update, "apps/v1", "status");
        assert_eq!(
            id.key(),
            r#"{"manager":"m\u003c1\u003e","operation":"Update","apiVersion":"apps/v1","subresource":"status"}"#
        );
        assert_eq!(id.describe(), r#""m<1>" with subresource "status" using apps/v1"#);
        let id = ManagerId::new("m", Operation::Apply, "apps/v1", "");
        assert_eq!(id.key(), r#"{"manager":"m","operation":"Apply"}"#);
        assert_eq!(id.describe(), r#""m""#);
    }

    #[test]
    fn entries_are_decoded_and_encoded_in_order() {
        let entries = tree(
            "[{manager: u, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:b: {}}},
              {manager: a, operation: Apply, apiVersion: v1, time: '2026-01-02T03:04:05Z', fieldsType: FieldsV1, fieldsV1: {f:a: {}}},
              {manager: a, operation: Apply, apiVersion: v2, fieldsType: FieldsV1, fieldsV1: {f:c: {}}}]",
        );
        let managed = Managed::decode(Some(&entries)).unwrap();
        let entries: Vec<String> =
            managed.encode().into_iter().map(|entry| entry.into_node().to_json()).collect();
        assert_eq!(
            entries,
            [
                r#"{"manager":"a","operation":"Apply","apiVersion":"v2","fieldsType":"FieldsV1","fieldsV1":{"f:c":{}}}"#,
                r#"{"manager":"u","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:b":{}}}"#,
            ],
            "the last entry of one identity counts"
        );
        assert!(Managed::decode(None).unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_decoded() {
        for (entry, error) in [
            ("{}", "operation must be `Apply` or `Update`"),
            ("{operation: Patch}", "operation must be `Apply` or `Update`"),
            ("{operation: Apply}", "apiVersion must not be empty"),
            ("{operation: Apply, apiVersion: v1}", "missing fieldsType in managed fields entry 0"),
            (
                "{operation: Apply, apiVersion: v1, fieldsType: V2}",
                r#"invalid fieldsType "V2" in managed fields entry 0"#,
            ),
            (
                "{operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {banana: {}}}",
                "error decoding set",
            ),
            (
                "{operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: [1]}",
                "error decoding set",
            ),
        ] {
            let entries = alloc::format!("[{entry}]");
            let entries = tree(&entries);
            assert_eq!(
                validate_managed_fields(Some(&entries)).as_ref().err().map(String::as_str),
                Some(error),
                "{entry}"
            );
        }
    }
}
