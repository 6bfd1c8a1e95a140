//! Tests of items: their bytes at a revision, and what is read of them once.

use super::*;
use ratchet_object::{Limits, Value, decode};

fn item() -> Item {
    let text = r#"{"kind":"Pod","apiVersion":"v1","spec":{"a":1},"metadata":{"name":"x","resourceVersion":"3","labels":{"a":"b"}}}"#;
    let node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
    Item::written("ns/x".into(), 7, &storable(&node).unwrap())
}

#[test]
fn the_revision_is_put_in_and_changed() {
    let item = item();
    let body =
        r#"{"metadata":{"resourceVersion":"7","name":"x","labels":{"a":"b"}},"spec":{"a":1}}"#;
    assert_eq!(*item.body.bytes(), *body.as_bytes());
    let later = item.as_of(12);
    assert!(
        std::str::from_utf8(&later.body.bytes())
            .unwrap()
            .starts_with(r#"{"metadata":{"resourceVersion":"12","name""#)
    );
}

#[test]
fn it_is_served_with_its_kind() {
    let whole = item().whole("v1", "Pod").concat();
    let text = String::from_utf8(whole).unwrap();
    assert!(
        text.starts_with(r#"{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7""#)
    );
    assert!(decode(&text, Limits::DEFAULT).is_ok());
}

#[test]
fn an_object_without_metadata_is_served_as_json_too() {
    let item = Item::written("x".into(), 7, &storable(&Node::empty_map()).unwrap());
    assert_eq!(item.body(), r#"{"metadata":{"resourceVersion":"7"}}"#);
    assert_eq!(item.as_of(8).body(), r#"{"metadata":{"resourceVersion":"8"}}"#);
    assert_eq!(item.node().text_at(&["metadata", "resourceVersion"]), "7");
}

#[test]
fn an_object_can_do_without_its_managed_fields() {
    let text = r#"{"metadata":{"managedFields":[{"manager":"m"}],"name":"x"},"data":{}}"#;
    let stored = storable(&decode(text, Limits::DEFAULT).unwrap().documents.remove(0)).unwrap();
    let last = r#"{"metadata":{"name":"x","managedFields":[{"manager":"m"}]},"data":{}}"#;
    assert_eq!(stored.bytes(), last);
    let less = stored.without_managed_fields().unwrap();
    assert_eq!(less.bytes(), r#"{"metadata":{"name":"x"},"data":{}}"#);
    let node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
    let stored = storable_as(&node, "a.b/v1").unwrap();
    let less = stored.without_managed_fields().unwrap();
    let expected = r#"{"metadata":{"name":"x"},"data":{},"apiVersion":"a.b/v1"}"#;
    assert_eq!(less.bytes(), expected, "a custom object still says in which version it is");
}

#[test]
fn only_what_is_read_back_is_stored() {
    let deep = (0..280).fold(Node::empty_map(), |inner, _| Node::list(vec![inner]));
    let why = storable(&Node::map([("data", deep)])).unwrap_err().why;
    assert_eq!(why, "it is nested 281 levels deep, more than 270");
    let odd = Node::map([("metadata", Node::string("x"))]);
    assert_eq!(storable(&odd).unwrap_err().why, "its metadata is no object");
    let metadata = Node::map([("name", Node::string("a")), ("namespace", Node::string("n"))]);
    let twice = vec![
        Entry::new("metadata", metadata),
        Entry::new("spec", Node::int(1)),
        Entry::new("spec", Node::int(2)),
    ];
    let unstorable = storable(&Node::new(Value::Map(twice))).unwrap_err();
    assert_eq!(unstorable.name, "n/a");
    assert_eq!(unstorable.why, "it is read back as another object");
}

#[test]
fn only_what_can_be_read_becomes_an_item() {
    let deep =
        format!(r#"{{"metadata":{{"name":"x"}},"data":{}{}}}"#, "[".repeat(400), "]".repeat(400));
    for value in
        ["", "{}", r#"{"metadata":{"#, r#"{"metadata":{"name":"x"}"#, r#"{"spec":{}}"#, &deep]
    {
        assert!(Item::stored("x".into(), 7, value.as_bytes()).is_err(), "{value}");
    }
    assert!(Item::stored("x".into(), 7, b"{\"metadata\":{\"name\":\"\xff\"}}").is_err());
    assert!(Item::stored("x".into(), 7, br#"{"metadata":{"name":"x"}}"#).is_ok());
}

#[test]
fn a_custom_object_knows_the_version_in_which_it_is_stored() {
    let text = r#"{"spec":{"x":{"apiVersion":"v7"}},"metadata":{"name":"x"}}"#;
    let node = || decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
    let value = storable_as(&node(), "example.com/v2").unwrap();
    let stored = r#"{"metadata":{"name":"x"},"spec":{"x":{"apiVersion":"v7"}},"apiVersion":"example.com/v2"}"#;
    assert_eq!(value.bytes(), stored);
    let item = Item::stored("x".into(), 7, &value.bytes()).unwrap();
    let body =
        r#"{"metadata":{"resourceVersion":"7","name":"x"},"spec":{"x":{"apiVersion":"v7"}}}"#;
    assert_eq!((&*item.body.bytes(), item.version()), (body.as_bytes(), Some("v2")));
    assert_eq!(item.as_of(8).version(), Some("v2"));
    let same = item.showing(node());
    assert_eq!((same.body(), same.version()), (item.body(), Some("v2")));
    let unsaved = Item::unsaved("x".into(), &value);
    assert_eq!(unsaved.body(), r#"{"metadata":{"name":"x"},"spec":{"x":{"apiVersion":"v7"}}}"#);
    assert_eq!(unsaved.showing(unsaved.node()).body(), unsaved.body());
    // Inner objects and texts that look like it are none.
    let inner = r#"{"metadata":{"name":"x"},"spec":{"a":"b","apiVersion":"v1"}}"#;
    let inner = Item::stored("x".into(), 7, inner.as_bytes()).unwrap();
    assert!(inner.version().is_none() && inner.body().ends_with(br#""apiVersion":"v1"}}"#));
    let text = Node::map([("data", Node::string(r#","apiVersion":"v1"}"#))]);
    let text = Item::written("x".into(), 7, &storable(&text).unwrap());
    assert_eq!(text.version(), None);
}

#[test]
fn fields_are_read_once() {
    let text =
        br#"{"metadata":{"name":"x"},"spec":{"nodeName":"n1"},"status":{"phase":"Running"}}"#;
    let index = super::super::scope::index_of("pods");
    let pool = Mutex::default();
    let item = Item::cached("n/x".into(), 7, text, &pool, index).unwrap();
    let has = |selector: &str| item.has_fields(&FieldSelector::parse(selector).unwrap(), "", "Pod");
    assert!(has("metadata.name=x,metadata.namespace=n,spec.nodeName=n1") && !has("spec.nodeName="));
    assert!(item.extras.get().is_none(), "key and index suffice");
    assert!(has("status.phase=Running,spec.nodeName=n1,spec.hostNetwork=false"));
    assert!(!has("status.phase=Running,spec.nodeName=n2") && !has("spec.schedulerName=x"));
    assert!(item.extras().fields.get().is_some());
    assert_eq!(item.as_of(8).index().map(IndexValue::text), Some("n1"));
    let reads = std::cell::Cell::new(0);
    let custom = Item::stored("n/x".into(), 7, text).unwrap();
    let has = |selector: &str, serial: u64, value: &str| {
        custom.has_named_fields(&FieldSelector::parse(selector).unwrap(), serial, || {
            reads.set(reads.get() + 1);
            Some(FieldValues::of_names(serial, [("spec.color", value)].into_iter()))
        })
    };
    assert!(has("metadata.name=x", 1, "") && reads.get() == 0);
    assert!(has("spec.color=red", 1, "red") && has("spec.color!=blue,metadata.name=x", 1, "red"));
    assert_eq!(reads.get(), 1);
    assert!(has("spec.color=blue", 2, "blue") && has("spec.color=red", 1, "red"));
    assert_eq!(reads.get(), 2, "another version has other fields");
}

#[test]
fn labels_are_read_once() {
    let item = item();
    assert!(item.has_labels(&LabelSelector::parse("a=b").unwrap()));
    assert!(!item.has_labels(&LabelSelector::parse("a!=b").unwrap()));
}

#[test]
fn a_million_items_fit() {
    assert!(size_of::<Item>() <= 96, "{}", size_of::<Item>());
}

#[test]
fn what_is_kept_as_a_difference_is_served_as_it_was_stored() {
    let value = |name: &str| {
        let text = "the same in all, ".repeat(12);
        format!(
            r#"{{"metadata":{{"name":"{name}","labels":{{"of":"{name}"}},"managedFields":[{{"manager":"m","operation":"Update","apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{{"f:data":{{}}}}}}]}},"data":{{"a":"{text}","b":"{name}"}}}}"#
        )
    };
    let pool = Mutex::default();
    let item = |name: &str, revision: u64| {
        Item::cached(name.into(), revision, value(name).as_bytes(), &pool, None).unwrap()
    };
    let (first, plain) = (item("first", 7), item("second", 8));
    let mut shared = item("second", 8);
    shared.share_text(&first);
    assert!(first.body.is_shared() && !plain.body.is_shared());
    assert_eq!(shared.body(), plain.body());
    let whole = value("second").replacen(r#"{"name""#, r#"{"resourceVersion":"8","name""#, 1);
    assert_eq!(shared.body(), whole);
    assert_eq!(shared.size(), plain.size());
    assert_eq!(shared.node().to_json(), plain.node().to_json());
    assert_eq!(shared.metadata(true), plain.metadata(true));
    assert_eq!(shared.metadata(false), plain.metadata(false));
    assert_eq!(shared.as_of(900).body(), plain.as_of(900).body());
    assert!(shared.may_name("data") && shared.contains("second") && !shared.contains("first"));
    assert!(shared.has_labels(&LabelSelector::parse("of=second").unwrap()));
    assert_eq!(shared.whole("v1", "ConfigMap"), plain.whole("v1", "ConfigMap"));
}

#[test]
fn the_version_before_is_no_base_unless_others_share_it() {
    let value = format!(r#"{{"metadata":{{"name":"x"}},"data":{{"a":"{}"}}}}"#, "same ".repeat(90));
    let item = |key: &str, revision| Item::stored(key.into(), revision, value.as_bytes()).unwrap();
    let old = item("x", 1);
    let mut new = item("x", 2);
    new.share_text(&old);
    assert!(!old.body.is_shared());
    let mut other = item("y", 3);
    other.share_text(&old);
    assert!(old.body.is_shared());
    new.share_text(&old);
    drop((old, other));
    assert_eq!(new.body(), item("x", 2).body());
}

#[test]
fn what_is_known_of_a_value_is_what_is_read_of_it() {
    let entry = r#"{"manager":"m","operation":"Update","apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}"#;
    for (metadata, spec) in [
        (String::new(), r#"{"nodeName":"n1"}"#),
        (r#","managedFields":[]"#.to_owned(), "{}"),
        (r#","managedFields":[{"manager":"odd","time":"now"}]"#.to_owned(), "{}"),
        (format!(r#","managedFields":[{entry}]"#), r#"{"nodeName":"n\"2"}"#),
        (format!(r#","managedFields":[{entry},{entry}]"#), r#"{"a":"\"nodeName\""}"#),
    ] {
        let text = format!(r#"{{"metadata":{{"name":"x"{metadata}}},"spec":{spec}}}"#);
        let stored = storable(&decode_stored(&text).unwrap()).unwrap();
        let (pool, index) = (Mutex::default(), super::super::scope::index_of("pods"));
        let known = Item::known("n/x".into(), 7, &stored, &pool, index).unwrap();
        let read = Item::cached("n/x".into(), 7, &stored.bytes(), &pool, index).unwrap();
        assert_eq!(known.body(), read.body(), "{text}");
        assert_eq!(known.size(), read.size(), "{text}");
        let node = |item: &Item| item.index().map(|value| value.text().to_owned());
        assert_eq!(node(&known), node(&read), "{text}");
    }
}
