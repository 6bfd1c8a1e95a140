//! Fuzz target `apply`: any configuration applies to any object or is refused, alike each time, and twice is once.

use ratchet_apply::{
    Applied, ApplyError, ApplyOptions, BuiltInKind, Converter, CustomKind, FieldManager, FieldSet,
    FieldsPool, ManagedFieldsEntry, TypeRef, rename_version, set_managed_fields,
};
use ratchet_fuzz::{Choices, documents, grafted, tree};
use ratchet_object::{CompactJson, GroupVersionKind, Limits, Node, Value, schema};

const WORDS: &[&str] = &[
    "metadata",
    "labels",
    "finalizers",
    "ownerReferences",
    "managedFields",
    "manager",
    "operation",
    "Apply",
    "Update",
    "fieldsType",
    "FieldsV1",
    "fieldsV1",
    "f:spec",
    "f:data",
    "k:{\"name\":\"a\"}",
    "v:\"a\"",
    "i:0",
    ".",
    "spec",
    "status",
    "containers",
    "name",
    "ports",
    "containerPort",
    "properties",
    "items",
    "type",
    "object",
    "array",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "set",
    "map",
    "atomic",
    "a",
    "b",
    "null",
    "\n---\n",
    "data",
];

#[test]
fn apply() {
    ratchet_fuzz::fuzz!("apply", WORDS, check);
}

/// The first document is the live object, the others are applied; one with `type` is the schema of a custom kind.
fn check(text: &str) {
    let mut choices = Choices::hashed(text.as_bytes());
    let Some(mut documents) = documents(text) else { return };
    let other = documents.first().map(|live| grafted(live, &mut choices));
    documents.extend(other);
    let custom = documents.iter().find(|node| node.get("type").is_some()).cloned();
    for document in &documents {
        check_fields(document);
    }
    match custom {
        Some(schema) => {
            let versions = [
                ("example.com/v1", TypeRef::custom(&schema)),
                ("example.com/v2", TypeRef::custom(&schema)),
            ];
            let converter = CustomKind { versions: &versions, convert: &rename_version };
            let kind = GroupVersionKind { group: "example.com", version: "v1", kind: "Thing" };
            check_all(kind, &converter, &documents);
        }
        None => {
            let Some(row) = choices.pick(schema::KINDS) else { return };
            let convert = |_: &Node<'_>, _: &str| Err(String::from("cannot be converted"));
            let converter = BuiltInKind { group: row.group, kind: row.kind, convert: &convert };
            let kind = GroupVersionKind { group: row.group, version: row.version, kind: row.kind };
            check_all(kind, &converter, &documents);
        }
    }
}

fn check_all(kind: GroupVersionKind<'_>, converter: &dyn Converter, documents: &[Node<'static>]) {
    let manager = FieldManager { kind, subresource: "", converter, reset_fields: None };
    let (mut live, mut documents) = (None, documents.iter().cloned());
    for (index, mut config) in documents.by_ref().enumerate() {
        if matches!(config.value, Value::Map(_)) {
            config.set("apiVersion", Node::string(ratchet_apply::api_version(kind)));
            config.set("kind", Node::string(kind.kind.to_owned()));
        }
        let name = if index % 2 == 0 { "m1" } else { "m2" };
        check_update(&manager, live.as_ref(), &config, name);
        if let Some(applied) = check_apply(&manager, live.as_ref(), &config, name) {
            live = Some(applied);
        }
    }
}

fn check_apply(
    manager: &FieldManager<'_>,
    live: Option<&Node<'static>>,
    config: &Node<'static>,
    name: &str,
) -> Option<Node<'static>> {
    let options = |force| ApplyOptions { manager: name, force, now: "2026-01-02T03:04:05Z" };
    let result = manager.apply(live, config, options(false));
    assert_eq!(format!("{result:?}"), format!("{:?}", manager.apply(live, config, options(false))));
    let result = match result {
        Err(ApplyError::Conflicts(conflicts)) => {
            assert!(!conflicts.is_empty() && live.is_some());
            manager.apply(live, config, options(true))
        }
        other => other,
    };
    let applied = match result {
        Err(error) => {
            assert!(!error.to_string().is_empty() && error.code() != 409, "{error:?}");
            return None;
        }
        Ok(applied) => applied,
    };
    let object = stored(applied);
    // Nothing is bigger or deeper than both together.
    assert!(tree::count(&object) <= Limits::DEFAULT.nodes);
    tree::assert_depth(&object, Limits::DEFAULT.depth);
    let apply = |live| {
        let applied = manager.apply(Some(live), config, options(false));
        stored(applied.unwrap_or_else(|error| panic!("it was applied before: {error}")))
    };
    let twice = apply(&object);
    // What loses all its parts is nothing at first, and empty then, if the configuration says so.
    let is_whole = !object.to_json().contains("null");
    let expected = if is_owned(&object) { twice.clone() } else { without_entries(&twice) };
    assert!(expected == object || !is_whole, "twice: {config} makes {object}, then {twice}");
    let thrice = apply(&twice);
    assert!(thrice == twice, "thrice: {config} makes {twice}, then {thrice}");
    Some(object)
}

/// An empty list belongs to nobody. If nothing else was applied there are no entries, and the next apply finds fields
/// that are older than all entries.
fn is_owned(object: &Node<'_>) -> bool {
    object.get("metadata").is_some_and(|metadata| metadata.get("managedFields").is_some())
}

/// The object without the one entry that tells of fields from before the first apply.
fn without_entries(object: &Node<'static>) -> Node<'static> {
    let mut object = object.clone();
    let entries = object.get("metadata").and_then(|metadata| metadata.get("managedFields"));
    if let Some(Value::List(entries)) = entries.map(|entries| &entries.value) {
        let [entry] = entries.as_slice() else { panic!("one manager at most: {object}") };
        assert_eq!(entry.text_at(&["manager"]), "before-first-apply");
    }
    set_managed_fields(&mut object, Vec::new());
    object
}

fn stored(applied: Applied) -> Node<'static> {
    let mut object = applied.object;
    set_managed_fields(&mut object, applied.managed_fields);
    object
}

fn check_update(
    manager: &FieldManager<'_>,
    live: Option<&Node<'static>>,
    new: &Node<'static>,
    name: &str,
) {
    let update = || manager.update(live, new, name, "2026-01-02T03:04:05Z");
    let entries = update();
    assert_eq!(entries, update(), "alike each time");
    let updates =
        entries.iter().filter(|entry| entry.operation == ratchet_apply::Operation::Update);
    assert!(updates.count() <= 10, "the oldest are united");
    let nodes: Vec<Node<'static>> =
        entries.into_iter().map(ManagedFieldsEntry::into_node).collect();
    nodes.iter().filter_map(|node| node.get("fieldsV1")).for_each(check_fields);
    let text = Node::map([("managedFields", Node::list(nodes))]).to_json();
    let object = CompactJson::object(&text).unwrap_or_else(|| panic!("it was written: {text}"));
    if let Some((packed, list)) = FieldsPool::default().pack(object, &["managedFields"]) {
        let mut written = Vec::new();
        packed.write_json(&mut written);
        assert_eq!(written, list.as_str().as_bytes());
        assert_eq!(Some(list), object.member("managedFields"));
    }
}

/// What is read as a field set is written in one way.
fn check_fields(node: &Node<'static>) {
    let Some(set) = FieldSet::decode(node) else { return };
    let written = set.encode();
    let again = FieldSet::decode(&written).unwrap_or_else(|| panic!("it was written"));
    assert_eq!(again, set);
    assert_eq!(again.encode().to_json(), written.to_json());
    assert!(set.difference(&set).is_empty());
    assert_eq!(set.union(&set), set);
    assert_eq!(set.intersection(&set), set);
    let mut count = 0;
    set.for_each(&mut |_| count += 1);
    assert_eq!(count, set.len());
}
