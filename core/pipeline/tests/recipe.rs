//! Tests of the recipe: built-in and custom objects go through the same stages.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

use ratchet_crd::{CustomResource, Environments};
use ratchet_engine::{ApiConfig, Behavior, Release};
use ratchet_object::{GroupVersionKind, Limits, NoCluster, Node, decode};
use ratchet_pipeline::{
    BuiltInType, CustomType, Decoded, Defaulted, FieldValidation, InvalidFields, ObjectType,
    TypeMetaError, UnknownType,
};
use std::sync::Arc;

fn tree(text: &str) -> Node<'_> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0)
}

/// A definition with two versions; `conversion` is its strategy.
fn resource(conversion: &str) -> Arc<CustomResource> {
    let schema = "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, default: 3, x-kubernetes-validations: [{rule: self < 5, message: too big}]}, fixed: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}}}, status: {type: object}}}}, subresources: {status: {}}";
    let text = format!(
        "{{spec: {{group: example.com, scope: Namespaced, names: {{plural: widgets, kind: Widget}}, conversion: {conversion}, versions: [{{name: v1, served: true, storage: true, {schema}}}, {{name: v2, served: true, {schema}}}]}}}}"
    );
    let environments = Environments::of_release(36);
    Arc::new(CustomResource::compile(&tree(&text), &environments))
}

fn widgets() -> CustomType {
    CustomType::new(resource("{strategy: None}"), "v1").unwrap()
}

fn widget(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {spec}\n")
}

fn config() -> ApiConfig {
    ApiConfig::of(Release::REFERENCE, Behavior::Released)
}

/// The messages and warnings of a change.
fn judged(
    object_type: &dyn ObjectType,
    old: Option<&str>,
    new: &str,
) -> (Vec<String>, Vec<String>) {
    let old = old.map(|old| Defaulted::stored(object_type, tree(old)).unwrap());
    let new = Decoded::located(object_type, tree(new), &[]).with_defaults().unwrap();
    let paired = new.prepared(old.as_ref()).pair(old);
    let judged = paired.judge(&config(), &NoCluster, None);
    let errors = judged.verdict().errors.iter();
    let warnings = judged.verdict().warnings.iter();
    (
        errors.map(|error| format!("{}: {}", error.field, error.message())).collect(),
        warnings.map(|warning| warning.text.clone()).collect(),
    )
}

#[test]
fn fields_of_custom_objects_are_located() {
    let object_type = widgets();
    let text = widget("{size: 1, sise: 2}");
    let decoded = Decoded::located(&object_type, tree(&text), &[]);
    let violations = &decoded.fields().violations;
    assert_eq!(violations.len(), 1);
    let span = violations[0].span;
    assert_eq!(text.get(span.start as usize..span.end as usize), Some("sise"));
    assert_eq!(decoded.object().node().find(&["spec", "sise"]), None);
    let error = decoded.accept(FieldValidation::Strict).unwrap_err();
    assert_eq!(error.message(), "strict decoding error: unknown field \"spec.sise\"");
    let (_, warnings) =
        Decoded::new(&object_type, tree(&text), &[]).accept(FieldValidation::Warn).unwrap();
    assert_eq!(warnings, ["unknown field \"spec.sise\""]);
}

#[test]
fn what_cannot_be_decoded_goes_no_further() {
    let text = widget("{}").replace("{name: a}", "{name: a, labels: 3}");
    let object_type = widgets();
    let stuck = Decoded::located(&object_type, tree(&text), &[]).with_defaults().unwrap_err();
    assert_eq!(stuck.fields().mismatches[0].path, "metadata");
    assert!(matches!(stuck.accept(FieldValidation::Ignore), Err(InvalidFields::WrongType(_))));
    let pods = BuiltInType::find("v1", "Pod").unwrap();
    let text = "{apiVersion: v1, kind: Pod, spec: {hostNetwork: 1}}";
    assert!(Decoded::new(&pods, tree(text), &[]).with_defaults().is_err());
    assert!(BuiltInType::find("v2", "Pod").is_none());
}

#[test]
fn both_sides_of_an_update_get_defaults() {
    let object_type = widgets();
    let bad = widget("{size: 7}");
    assert_eq!(judged(&object_type, None, &bad).0, ["spec.size: Invalid value: 7: too big"]);
    assert_eq!(judged(&object_type, None, &widget("{}")).0, [""; 0]);
    let (errors, warnings) = judged(&object_type, Some(&bad), &bad);
    assert_eq!((errors.len(), warnings.len()), (0, 1), "{errors:?} {warnings:?}");
    let (errors, _) = judged(&object_type, Some(&bad), &widget("{size: 8}"));
    assert_eq!(errors, ["spec.size: Invalid value: 8: too big"]);
    let (fixed, moved) = (widget("{fixed: a}"), widget("{fixed: b}"));
    assert_eq!(judged(&object_type, Some(&fixed), &moved).0.len(), 1);
    assert_eq!(judged(&object_type, Some(&fixed), &fixed).0.len(), 0);
}

#[test]
fn a_status_is_not_the_clients() {
    let object_type = widgets();
    let text = widget("{}") + "status: text\n";
    assert_eq!(judged(&object_type, None, &text).0, [""; 0]);
}

#[test]
fn stored_versions_are_converted_where_no_webhook_is_needed() {
    let stored = widget("{size: 7}");
    let other = CustomType::new(resource("{strategy: None}"), "v2").unwrap();
    let old = Defaulted::stored(&other, tree(&stored)).unwrap();
    assert_eq!(old.text_at(&["apiVersion"]), "example.com/v2");
    let webhook = resource("{strategy: Webhook, webhook: {clientConfig: {url: 'https://a'}}}");
    let other = CustomType::new(Arc::clone(&webhook), "v2").unwrap();
    assert!(Defaulted::stored(&other, tree(&stored)).is_none());
    let same = CustomType::new(webhook, "v1").unwrap();
    assert!(Defaulted::stored(&same, tree(&stored)).is_some());
    let unknown = stored.replace("/v1", "/v0");
    assert!(Defaulted::stored(&same, tree(&unknown)).is_none());
}

#[test]
fn nothing_is_said_of_an_unknown_kind() {
    let text = widget("{size: 7, any: [1]}");
    let name = GroupVersionKind { group: "example.com", version: "v1", kind: "Widget" };
    let unknown = UnknownType(name);
    let decoded = Decoded::located(&unknown, tree(&text), &[]);
    let paired = decoded.with_defaults().unwrap().pair(None);
    assert_eq!(paired.new_object().node(), &tree(&text));
    let judged = paired.judge(&config(), &NoCluster, None);
    assert!(judged.verdict().admits() && judged.change().is_none() && judged.status().is_none());
}

#[test]
fn null_members_go_and_positions_stay() {
    let services = BuiltInType::find("v1", "Service").unwrap();
    let text = "{apiVersion: v1, kind: Service, metadata: {name: a, labels: null}, spec: {ports: [{port: 80}]}}";
    let object = Decoded::located(&services, tree(text), &[]).with_defaults().unwrap();
    assert_eq!(object.find(&["metadata", "labels"]), None);
    let port = object.find(&["spec", "ports"]).unwrap().items()[0].get("port").unwrap();
    assert_eq!(text.get(port.span.start as usize..port.span.end as usize), Some("80"));
    assert_eq!(object.text_at(&["spec", "type"]), "ClusterIP");
}

/// What becomes of an object that is sent to the endpoint of a type: its kind and the number of unknown fields.
fn sent(object_type: &dyn ObjectType, text: &str) -> Result<(String, usize), TypeMetaError> {
    let decoded = Decoded::sent(object_type, tree(text), &[])?;
    Ok((decoded.object().kind_name().to_owned(), decoded.fields().violations.len()))
}

#[test]
fn an_endpoint_completes_the_kind_of_what_has_a_go_type() {
    let services = BuiltInType::find("v1", "Service").unwrap();
    for text in ["{spec: {nope: 1}}", "{apiVersion: v1, kind: Service, spec: {nope: 1}}"] {
        assert_eq!(sent(&services, text), Ok(("Service".to_owned(), 1)), "{text}");
    }
    let error = sent(&services, "{kind: Pod}").unwrap_err();
    assert!(matches!(error, TypeMetaError::OtherKind { .. }), "{error:?}");
}

#[test]
fn an_endpoint_takes_the_word_of_what_has_none() {
    let widgets = widgets();
    assert_eq!(sent(&widgets, &widget("{nope: 1}")), Ok(("Widget".to_owned(), 1)));
    assert_eq!(sent(&widgets, "{spec: {nope: 1}}"), Err(TypeMetaError::MissingKind));
    // Nothing is compared with a schema that is not the object's own; validation refuses it.
    let other = widget("{nope: 1}").replace("kind: Widget", "kind: Gadget");
    assert_eq!(sent(&widgets, &other), Ok(("Gadget".to_owned(), 0)));
}

#[test]
fn no_endpoint_takes_a_kind_that_is_no_text() {
    let services = BuiltInType::find("v1", "Service").unwrap();
    for object_type in [&services as &dyn ObjectType, &widgets()] {
        let error = sent(object_type, "{apiVersion: [v1], kind: Service}").unwrap_err();
        assert_eq!(error, TypeMetaError::NotText { field: "apiVersion", found: "array" });
    }
}

#[test]
fn an_applied_object_loses_what_its_type_does_not_have() {
    let services = BuiltInType::find("v1", "Service").unwrap();
    let text = "{apiVersion: v1, kind: Service, metadata: {name: a, labels: null}, nope: 1}";
    let (object, warnings) =
        Decoded::applied(&services, tree(text)).accept(FieldValidation::Strict).unwrap();
    assert_eq!(object, tree("{apiVersion: v1, kind: Service, metadata: {name: a}}"));
    assert_eq!(warnings, [""; 0]);
    // Null stays in a custom object, for validation to refuse.
    let text = widget("{size: null}").replace("{name: a}", "{name: a, labels: null}");
    let (object, _) =
        Decoded::applied(&widgets(), tree(&text)).accept(FieldValidation::Strict).unwrap();
    assert_eq!(object, tree(&widget("{size: null}")));
}
