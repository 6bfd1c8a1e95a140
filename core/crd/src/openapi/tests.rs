//! Published schemas, as the reference publishes them.

use super::*;
use crate::testing::tree;

fn published(schema: &str, open_api: OpenApi) -> PublishedSchemas {
    let text = format!(
        "{{spec: {{group: shop.example.com, names: {{plural: widgets, kind: Widget, listKind: WidgetList}}, versions: [{{name: v1, selectableFields: [{{jsonPath: .spec.a}}], schema: {{openAPIV3Schema: {schema}}}}}]}}}}"
    );
    PublishedSchemas::of(&tree(&text), "v1", open_api).unwrap()
}

fn spec(fields: &str, open_api: OpenApi) -> String {
    let schema = format!("{{type: object, properties: {{spec: {fields}}}}}");
    published(&schema, open_api).object.find(&["properties", "spec"]).unwrap().to_json()
}

#[test]
fn models_are_named_by_group_version_and_kind() {
    let schemas = published("{type: object}", OpenApi::V3);
    assert_eq!(schemas.name, "com.example.shop.v1.Widget");
    assert_eq!(schemas.list_name, "com.example.shop.v1.WidgetList");
    let list = schemas.list;
    assert_eq!(list.text_at(&["description"]), "WidgetList is a list of Widget");
    assert_eq!(
        list.find(&["properties", "items", "items"]).unwrap().to_json(),
        r##"{"$ref":"#/components/schemas/com.example.shop.v1.Widget"}"##
    );
    assert_eq!(
        list.get("x-kubernetes-group-version-kind").unwrap().to_json(),
        r#"[{"group":"shop.example.com","version":"v1","kind":"WidgetList"}]"#
    );
    assert_eq!(
        list.get("x-kubernetes-selectable-fields").unwrap().to_json(),
        r#"[{"fieldPath":"spec.a"}]"#
    );
}

#[test]
fn every_object_has_metadata() {
    for (open_api, reference) in [
        (
            OpenApi::V2,
            r##""$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta""##,
        ),
        (
            OpenApi::V3,
            r##""allOf":[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]"##,
        ),
    ] {
        let object = published("{type: object, properties: {zz: {type: string}}}", open_api).object;
        let metadata = object.find(&["properties", "metadata"]).unwrap().to_json();
        assert_eq!(metadata, format!(r#"{{"description":"{METADATA}",{reference}}}"#));
        let names: Vec<&str> =
            object.get("properties").unwrap().entries().iter().map(|entry| &*entry.key).collect();
        assert_eq!(names, ["apiVersion", "kind", "metadata", "zz"]);
    }
}

#[test]
fn what_each_version_says() {
    let cases = [
        (
            "{type: string, description: d, maxLength: 5, default: x}",
            r#"{"description":"d","type":"string","default":"x","maxLength":5}"#,
            r#"{"description":"d","type":"string","maxLength":5}"#,
        ),
        (
            "{x-kubernetes-int-or-string: true}",
            r#"{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true}"#,
            r#"{"x-kubernetes-int-or-string":true}"#,
        ),
        (
            "{x-kubernetes-int-or-string: true, anyOf: [{pattern: x}]}",
            r#"{"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]}],"anyOf":[{"pattern":"x"}],"x-kubernetes-int-or-string":true}"#,
            r#"{"x-kubernetes-int-or-string":true}"#,
        ),
        (
            "{type: object, nullable: true, properties: {a: {type: string}}}",
            r#"{"type":"object","nullable":true,"properties":{"a":{"type":"string"}}}"#,
            "{}",
        ),
        (
            "{type: object, required: [a, b], properties: {a: {type: string, nullable: true}, b: {type: string}}}",
            r#"{"type":"object","required":["a","b"],"properties":{"a":{"type":"string","nullable":true},"b":{"type":"string"}}}"#,
            r#"{"type":"object","required":["b"],"properties":{"a":{},"b":{"type":"string"}}}"#,
        ),
        (
            "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}",
            r#"{"type":"object","properties":{"a":{"type":"string"}},"x-kubernetes-preserve-unknown-fields":true}"#,
            r#"{"x-kubernetes-preserve-unknown-fields":true}"#,
        ),
        (
            "{type: object, additionalProperties: {type: number, minimum: 1.5}}",
            r#"{"type":"object","additionalProperties":{"type":"number","minimum":1.5}}"#,
            r#"{"type":"object","additionalProperties":{"type":"number","minimum":1.5}}"#,
        ),
        (
            "{type: integer, x-kubernetes-validations: [{rule: self != 1, message: m, optionalOldSelf: false}]}",
            r#"{"type":"integer","x-kubernetes-validations":[{"rule":"self != 1","message":"m","optionalOldSelf":false}]}"#,
            r#"{"type":"integer","x-kubernetes-validations":[{"rule":"self != 1","message":"m","optionalOldSelf":false}]}"#,
        ),
    ];
    for (schema, third, second) in cases {
        assert_eq!(spec(schema, OpenApi::V3), third);
        assert_eq!(spec(schema, OpenApi::V2), second);
    }
}

#[test]
fn embedded_resources_have_metadata_too() {
    let schema =
        "{type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}";
    for open_api in [OpenApi::V2, OpenApi::V3] {
        let object =
            published(&format!("{{type: object, properties: {{spec: {schema}}}}}"), open_api)
                .object;
        let spec = object.find(&["properties", "spec"]).unwrap();
        assert_eq!(spec.get("required").unwrap().to_json(), r#"["kind","apiVersion"]"#);
        assert_eq!(spec.text_at(&["properties", "kind", "description"]), EMBEDDED_KIND);
    }
    let open = "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}";
    assert_eq!(
        spec(open, OpenApi::V2),
        r#"{"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}"#
    );
    assert!(spec(open, OpenApi::V3).contains(EMBEDDED_API_VERSION));
}

#[test]
fn kinds_that_keep_everything_say_nothing_in_version_2() {
    let schema = "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {spec: {type: string}}}";
    let object = published(schema, OpenApi::V2).object;
    assert_eq!(object.text_at(&["type"]), "object");
    assert!(
        object.get("properties").is_none()
            && object.get("x-kubernetes-preserve-unknown-fields").is_none()
    );
    assert!(published(schema, OpenApi::V3).object.find(&["properties", "spec"]).is_some());
}
