//! Paths and bodies of the requests for an object, and the JSON patches.

use ratchet_rewrite::ObjectRef;
use ratchet_rewrite::live::Replace;
use serde_json::{Value, json};

/// The path of an object on the API server.
pub(super) fn path(object: &ObjectRef, resource: &str, subresource: &str) -> String {
    let root = match object.api_version.contains('/') {
        true => format!("/apis/{}", object.api_version),
        false => format!("/api/{}", object.api_version),
    };
    let namespace = match object.namespace.as_str() {
        "" => String::new(),
        namespace => format!("/namespaces/{namespace}"),
    };
    format!("{root}{namespace}/{resource}/{}{subresource}", object.name)
}

/// The JSON patch that tests every old value, then replaces it.
pub(super) fn patch(replaces: &[Replace]) -> Value {
    let operations = replaces.iter().flat_map(|replace| {
        let Replace { pointer, old, new, .. } = replace;
        [
            json!({"op": "test", "path": pointer, "value": old}),
            json!({"op": "replace", "path": pointer, "value": new}),
        ]
    });
    Value::Array(operations.collect())
}

/// `Kind namespace/name`.
pub(super) fn describe(object: &ObjectRef) -> String {
    match object.namespace.as_str() {
        "" => format!("{} {}", object.kind, object.name),
        namespace => format!("{} {namespace}/{}", object.kind, object.name),
    }
}
