//! What the manager of a new object owns, kept for structures that come again and again: as pods of one controller do.

use crate::converter::api_version;
use crate::entry::{ManagedFieldsEntry, managed_fields};
use crate::field_manager::{FieldManager, update_id};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_object::{GroupVersionKind, Node, Value};

/// All that the fields of a new object follow from, whether it is canonical or not: its kind, the names in it, the sort of
/// each value and whether it is zero, and the values in items of lists, by which items are told from each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Structure(Box<[u8]>);

/// The `fieldsV1` of new objects, by their structure.
#[derive(Debug, Default)]
pub struct CreatedFields {
    known: BTreeMap<Structure, Arc<Node<'static>>>,
    /// The bytes of all structures that are known.
    size: usize,
    /// Structures that came once of late: most objects are like no other.
    candidates: VecDeque<Structure>,
}

/// The most bytes of one structure.
const MAX_STRUCTURE: usize = 8 << 10;

/// The most bytes of all that are known; then it begins anew.
const MAX_SIZE: usize = 256 << 10;

const MAX_CANDIDATES: usize = 16;

impl CreatedFields {
    /// The fields of a new object of this structure, if they are known.
    #[must_use]
    pub fn get(&self, structure: &Structure) -> Option<Arc<Node<'static>>> {
        self.known.get(structure).cloned()
    }

    /// Tells the fields of an object whose structure was not known. They are kept when it comes a second time.
    pub fn learn(&mut self, structure: Structure, fields_v1: &Node<'static>) {
        let Some(at) = self.candidates.iter().position(|candidate| *candidate == structure) else {
            self.candidates.truncate(MAX_CANDIDATES - 1);
            self.candidates.push_front(structure);
            return;
        };
        self.candidates.remove(at);
        if self.size + structure.0.len() > MAX_SIZE {
            *self = Self::default();
        }
        self.size += structure.0.len();
        self.known.insert(structure, Arc::new(fields_v1.clone()));
    }
}

impl FieldManager<'_> {
    /// The structure of a new object; none if its fields follow from more than that: from entries that the client sent, or
    /// from a schema that may change. None, too, if it is long.
    #[must_use]
    pub fn structure(&self, new: &Node<'_>) -> Option<Structure> {
        if !self.converter.is_typed() || managed_fields(new).is_some() {
            return None;
        }
        let mut out = Writer(Vec::with_capacity(2048));
        let GroupVersionKind { group, version, kind } = self.kind;
        for text in [group, version, kind, self.subresource] {
            out.text(text);
        }
        out.value(new, Position::Inside)?;
        Some(Structure(out.0.into()))
    }

    /// The entry of a new object whose fields are known.
    #[must_use]
    pub fn created_entry(
        &self,
        fields_v1: Node<'static>,
        manager: &str,
        now: &str,
    ) -> ManagedFieldsEntry {
        let api_version = api_version(self.kind);
        let id = update_id(manager, &api_version, self.subresource);
        ManagedFieldsEntry {
            manager: id.manager.into(),
            operation: id.operation,
            api_version: id.api_version.into(),
            time: Some(now.into()),
            fields_v1,
            subresource: id.subresource.into(),
        }
    }
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// It is an item of a list.
    Item,
    /// It is a member of such an item.
    MemberOfItem,
    Inside,
}

/// Writes structures, so that no two are written alike: the first byte of a value tells its sort, and what has no fixed
/// length ends with a byte that nothing in it begins with.
struct Writer(Vec<u8>);

impl Writer {
    /// None if there is too much to write.
    fn value(&mut self, node: &Node<'_>, position: Position) -> Option<()> {
        match &node.value {
            Value::Null => self.0.push(b'n'),
            Value::Bool(truth) => self.0.push(if *truth { b't' } else { b'f' }),
            Value::Int(0) => self.0.push(b'0'),
            Value::Int(_) if position == Position::Inside => self.0.push(b'1'),
            Value::Int(number) => self.number(b'i', number.to_le_bytes()),
            Value::Float(number) => self.number(b'd', number.to_bits().to_le_bytes()),
            Value::Text(text) if text.is_empty() => self.0.push(b'e'),
            Value::Text(text) if position == Position::Inside && has_content(text) => {
                self.0.push(b's');
            }
            Value::Text(text) => {
                self.0.push(b'x');
                self.text(text);
            }
            Value::List(items) => {
                self.0.push(b'[');
                items.iter().try_for_each(|item| self.value(item, Position::Item))?;
                self.0.push(b']');
            }
            Value::Map(entries) => {
                self.0.push(b'{');
                let position = if position == Position::Item {
                    Position::MemberOfItem
                } else {
                    Position::Inside
                };
                for entry in entries {
                    self.text(&entry.key);
                    self.value(&entry.node, position)?;
                }
                self.0.push(END);
            }
        }
        (self.0.len() <= MAX_STRUCTURE).then_some(())
    }

    fn text(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(NO_TEXT);
    }

    fn number(&mut self, sort: u8, bytes: [u8; 8]) {
        self.0.push(sort);
        self.0.extend_from_slice(&bytes);
    }
}

/// Whether a text is surely not empty, also if it is base64, which may have line breaks.
fn has_content(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

/// Bytes that are in no text: the end of one, and the end of a map, where a key would begin.
const NO_TEXT: u8 = 0xff;
const END: u8 = 0xfe;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::converter::{BuiltInKind, Converter};
    use alloc::string::String;
    use ratchet_object::{Limits, decode, schema};

    const NOW: &str = "2026-01-02T03:04:05Z";

    fn tree(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn with_pods<R>(run: impl FnOnce(&FieldManager<'_>) -> R) -> R {
        let convert = |_: &Node<'_>, _: &str| Err(String::new());
        let converter = BuiltInKind { group: "", kind: "Pod", convert: &convert };
        let kind = GroupVersionKind { group: "", version: "v1", kind: "Pod" };
        run(&FieldManager { kind, subresource: "", converter: &converter, reset_fields: None })
    }

    fn pod(metadata: &str, container: &str) -> Node<'static> {
        tree(&alloc::format!(
            "{{apiVersion: v1, kind: Pod, metadata: {metadata}, spec: {{containers: [{{{container}}}]}}}}"
        ))
    }

    const METADATA: &str = "{name: a, labels: {app: web}}";
    const CONTAINER: &str = "name: c, image: i, ports: [{containerPort: 80, protocol: TCP}]";

    #[test]
    fn what_differs_in_values_alone_has_the_same_structure_and_fields() {
        with_pods(|pods| {
            let one = pod(METADATA, CONTAINER);
            let other = pod("{name: b, labels: {app: shop}}", CONTAINER);
            assert_eq!(pods.structure(&one), pods.structure(&other));
            let fields = |pod: &Node<'_>| pods.update(None, pod, "m", NOW);
            assert_eq!(fields(&one), fields(&other));
            let entry = fields(&one).remove(0);
            assert_eq!(pods.created_entry(entry.fields_v1.clone(), "m", NOW), entry);
            let unnamed = pods.update(None, &one, "", NOW).remove(0);
            assert_eq!(pods.created_entry(entry.fields_v1, "", NOW), unnamed);
        });
    }

    #[test]
    fn what_has_other_fields_has_another_structure() {
        let structures: Vec<_> = [
            pod(METADATA, CONTAINER),
            pod("{name: a, labels: {app: ''}}", CONTAINER),
            pod("{name: a, labels: {apps: web}}", CONTAINER),
            pod("{name: a, labels: {}}", CONTAINER),
            pod("{name: a, labels: null}", CONTAINER),
            pod("{name: a, finalizers: [a/b]}", CONTAINER),
            pod("{name: a, finalizers: [a/c]}", CONTAINER),
            pod("{name: a, finalizers: [a/c, a/d]}", CONTAINER),
            pod("{name: a, finalizers: ['a/c, a/d']}", CONTAINER),
            pod("{name: a, generation: 0}", CONTAINER),
            pod("{name: a, generation: 1}", CONTAINER),
            pod("{name: a, generation: 1.5}", CONTAINER),
            pod("{name: a, labels: {app: '-'}}", CONTAINER),
            pod("{name: a, labels: {app: '+'}}", CONTAINER),
            pod(METADATA, &CONTAINER.replace("c,", "d,")),
            pod(METADATA, &CONTAINER.replace("80", "81")),
            pod(METADATA, &CONTAINER.replace("TCP", "UDP")),
            pod(METADATA, &CONTAINER.replace("TCP", "''")),
            pod(METADATA, "name: c, image: i, stdin: true"),
            pod(METADATA, "name: c, image: i, stdin: false"),
            pod(METADATA, "name: c, image: i, resources: {limits: {cpu: 1}}"),
        ]
        .iter()
        .map(|pod| with_pods(|pods| pods.structure(pod).unwrap()))
        .collect();
        for (at, structure) in structures.iter().enumerate() {
            assert_eq!(structures.iter().position(|other| other == structure), Some(at), "{at}");
        }
    }

    #[test]
    fn some_have_none() {
        let entries = "{name: a, managedFields: [{manager: m}]}";
        assert_eq!(with_pods(|pods| pods.structure(&pod(entries, CONTAINER))), None);
        let long = CONTAINER.replace("c,", &alloc::format!("{},", "c".repeat(MAX_STRUCTURE)));
        assert_eq!(with_pods(|pods| pods.structure(&pod(METADATA, &long))), None);
    }

    /// A structure tells a value from zero, and nothing else that is no item.
    #[test]
    fn new_objects_have_no_values_but_zeros() {
        fn is_zero(node: &Node<'_>) -> bool {
            match &node.value {
                Value::Null | Value::Bool(false) | Value::Int(0) => true,
                Value::Bool(true) | Value::Int(_) | Value::Float(_) => false,
                Value::Text(text) => text.is_empty(),
                Value::List(items) => items.is_empty(),
                Value::Map(entries) => entries.iter().all(|entry| is_zero(&entry.node)),
            }
        }
        for row in schema::KINDS {
            let convert = |_: &Node<'_>, _: &str| Err(String::new());
            let converter = BuiltInKind { group: row.group, kind: row.kind, convert: &convert };
            let (group, version, kind) = (row.group, row.version, row.kind);
            let mut new = converter.new_object(GroupVersionKind { group, version, kind });
            // Nobody owns them.
            ["apiVersion", "kind"].iter().for_each(|name| drop(new.remove(name)));
            assert!(is_zero(&new), "{new}");
        }
    }

    #[test]
    fn fields_are_kept_for_what_comes_twice_and_not_without_end() {
        let structure =
            |number: usize| Structure(alloc::format!("{number:04096}").into_bytes().into());
        let mut created = CreatedFields::default();
        let fields = tree("{'f:a': {}}");
        created.learn(structure(0), &fields);
        assert_eq!(created.get(&structure(0)), None);
        created.learn(structure(0), &fields);
        assert_eq!(created.get(&structure(0)).as_deref(), Some(&fields));
        for number in 1..200 {
            created.learn(structure(number), &fields);
            created.learn(structure(number), &fields);
            assert!(created.get(&structure(number)).is_some());
            assert!(created.size <= MAX_SIZE && created.known.len() <= MAX_SIZE / 4096);
        }
        assert_eq!(created.get(&structure(0)), None);
        (200..300).for_each(|number| created.learn(structure(number), &fields));
        assert_eq!(created.candidates.len(), MAX_CANDIDATES);
    }
}
