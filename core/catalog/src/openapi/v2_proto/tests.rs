//! Tests of OpenAPI in protobuf: parsed again and compared with the same document in JSON.

use serde_json::Value;

use super::{frame as frame_of, *};
use crate::resources::RESOURCES;

/// The fields of a message: numbers, and bytes where there are some.
fn fields(mut bytes: &[u8]) -> Vec<(u64, &[u8])> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let (first, rest) = bytes.split_first().expect("more bytes");
            *bytes = rest;
            number |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                break;
            }
        }
        number
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        if key & 7 == 1 {
            let (number, rest) = bytes.split_at(8);
            found.push((key >> 3, number));
            bytes = rest;
            continue;
        }
        let size = varint(&mut bytes);
        match key & 7 {
            0 => found.push((key >> 3, &[][..])),
            2 => {
                let (field, rest) = bytes.split_at(usize::try_from(size).expect("a size"));
                found.push((key >> 3, field));
                bytes = rest;
            }
            other => panic!("wire type {other}"),
        }
    }
    found
}

fn all(bytes: &[u8], number: u64) -> Vec<&[u8]> {
    fields(bytes).into_iter().filter(|field| field.0 == number).map(|field| field.1).collect()
}

fn one(bytes: &[u8], number: u64) -> &[u8] {
    all(bytes, number).first().copied().unwrap_or_default()
}

fn text(bytes: &[u8], number: u64) -> &str {
    core::str::from_utf8(one(bytes, number)).expect("text")
}

/// The value of a member by its name.
fn member<'b>(members: &[&'b [u8]], name: &str) -> &'b [u8] {
    let found = members.iter().find(|pair| text(pair, 1) == name);
    one(found.unwrap_or_else(|| panic!("no {name}")), 2)
}

fn rules(_: &str, field: &str) -> Option<(&'static str, &'static str)> {
    (field == "containers").then_some(("merge", "name"))
}

fn both() -> (Vec<u8>, Value) {
    let all: Vec<_> = RESOURCES.iter().map(Published::built_in).collect();
    let (json, frame) = (super::super::v2_parts(&all, Some(&rules)), super::super::v2_frame());
    let json = [&*frame.start, &*json.paths, frame.between, &*json.definitions, &*frame.end];
    let json = serde_json::from_str(&json.concat()).expect("JSON");
    let V2ProtoParts { paths, definitions } = parts(&all, Some(&rules));
    let [start, between, end] = frame_of(paths.len(), definitions.len());
    ([start, paths, between, definitions, end].concat(), json)
}

#[test]
fn both_forms_have_the_same_paths_and_definitions() {
    let (bytes, json) = both();
    assert_eq!(text(&bytes, 1), "2.0");
    let names = |members: Vec<&[u8]>| {
        members.into_iter().map(|pair| String::from(text(pair, 1))).collect::<Vec<_>>()
    };
    let keys = |name: &str| json[name].as_object().expect(name).keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(all(one(&bytes, 8), 2)), keys("paths"));
    assert_eq!(names(all(one(&bytes, 9), 1)), keys("definitions"));
    assert_eq!(names(all(one(&bytes, 10), 1)), keys("parameters"));
}

#[test]
fn types_say_the_same() {
    let (bytes, json) = both();
    for definition in all(one(&bytes, 9), 1) {
        let (name, schema) = (text(definition, 1), one(definition, 2));
        let expected = &json["definitions"][name];
        assert_eq!(text(schema, 4), expected["description"].as_str().unwrap_or_default());
        assert_eq!(text(one(schema, 22), 1), expected["type"].as_str().unwrap_or_default());
        assert_eq!(text(schema, 2), expected["format"].as_str().unwrap_or_default());
        for property in all(one(schema, 25), 1) {
            let (field, schema) = (text(property, 1), one(property, 2));
            let expected = &expected["properties"][field];
            assert_eq!(text(schema, 1), expected["$ref"].as_str().unwrap_or_default(), "{name}");
            assert_eq!(text(one(schema, 22), 1), expected["type"].as_str().unwrap_or_default());
            let items = one(one(schema, 23), 1);
            let item = expected["items"]["$ref"].as_str().unwrap_or_default();
            assert_eq!(text(items, 1), item, "{name}.{field}");
        }
    }
}

#[test]
fn kubectl_finds_what_it_looks_for() {
    let (bytes, _) = both();
    let path =
        member(&all(one(&bytes, 8), 2), "/apis/apps/v1/namespaces/{namespace}/deployments/{name}");
    let patch = one(path, 8);
    let kind = member(&all(patch, 13), "x-kubernetes-group-version-kind");
    let kind: Value = serde_json::from_str(text(kind, 2)).expect("JSON, which is YAML");
    assert_eq!(kind, serde_json::json!({"group": "apps", "version": "v1", "kind": "Deployment"}));
    let references: Vec<_> = all(patch, 8).into_iter().map(|item| text(one(item, 2), 1)).collect();
    assert!(references.contains(&"#/parameters/fieldValidation"), "{references:?}");
    let parameter = member(&all(one(&bytes, 10), 1), "fieldValidation");
    assert_eq!(text(one(one(parameter, 2), 3), 4), "fieldValidation");
    let consumes: Vec<_> = all(patch, 7);
    assert!(consumes.contains(&&b"application/strategic-merge-patch+json"[..]));
}

#[test]
fn merge_rules_are_extensions() {
    let (bytes, _) = both();
    let spec = member(&all(one(&bytes, 9), 1), "io.k8s.api.core.v1.PodSpec");
    let containers = member(&all(one(spec, 25), 1), "containers");
    let key = member(&all(containers, 31), "x-kubernetes-patch-merge-key");
    assert_eq!(text(key, 2), "name");
    assert_eq!(all(member(&all(one(spec, 25), 1), "nodeName"), 31).len(), 0);
}

#[test]
fn schemas_of_definitions_say_the_same() {
    let schema = ratchet_object::decode(
        "{type: object, description: d, required: [size], x-kubernetes-map-type: atomic, properties: {
         size: {type: integer, minimum: 1.5, maxLength: 3, enum: [1, two], default: 1},
         tags: {type: array, uniqueItems: true, items: {type: string, pattern: a}},
         more: {additionalProperties: {type: string}}, any: {additionalProperties: true}}}",
        ratchet_object::Limits::DEFAULT,
    );
    let mut message = Message::default();
    schema::write(&mut message, &schema.expect("YAML").documents[0]);
    let bytes = message.bytes;
    assert_eq!((text(&bytes, 4), text(&bytes, 19)), ("d", "size"));
    assert_eq!(text(member(&all(&bytes, 31), "x-kubernetes-map-type"), 2), "\"atomic\"");
    let properties = all(one(&bytes, 25), 1);
    let size = member(&properties, "size");
    assert_eq!(one(size, 9), 1.5_f64.to_le_bytes());
    assert_eq!(all(size, 20).iter().map(|any| text(any, 2)).collect::<Vec<_>>(), ["1", "\"two\""]);
    assert_eq!(all(size, 11).len(), 1);
    let tags = member(&properties, "tags");
    assert_eq!(text(one(one(tags, 23), 1), 13), "a");
    assert_eq!(text(one(one(one(member(&properties, "more"), 21), 1), 22), 1), "string");
    assert_eq!(all(one(member(&properties, "any"), 21), 2).len(), 1);
}
