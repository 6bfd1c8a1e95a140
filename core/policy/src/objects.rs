//! `ObjectInterfaces`: decoding and defaulting of patched objects, which the door provides for the kinds that it serves.

use crate::{GroupVersionKind, PolicyContext};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{
    NoCluster, Node, Object, Value, ViolationKind, defaults, go_syntax, prune, schema,
    schema_violations,
};

/// How patched objects become objects of their kind again (`admission.ObjectInterfaces`). The provided methods know
/// the built-in kinds.
pub trait ObjectInterfaces: PolicyContext {
    /// Decodes a patched object, whose kind is `kind` unless it says another; the error is that of the decoder.
    /// Unknown fields are dropped, or errors if it is `strict`.
    fn decode(
        &self,
        object: Node<'static>,
        kind: &GroupVersionKind<'_>,
        strict: bool,
    ) -> Result<Node<'static>, String> {
        decode_built_in(object, kind, strict)
    }

    /// Adds the defaults of the object's kind.
    fn default_object(&self, object: &mut Node<'static>, kind: &GroupVersionKind<'_>) {
        defaults::apply(kind.group, kind.version, kind.kind, object);
    }

    /// Whether a patched object of a kind is brought back to the version of its request, if a policy matched another one.
    /// Nothing does that for objects with a Go type.
    fn converts_patched(&self, kind: &GroupVersionKind<'_>) -> bool {
        schema::kind(kind.group, kind.version, kind.kind).is_none()
    }
}

impl ObjectInterfaces for NoCluster {}

/// Merges apply configurations into objects, as structured-merge-diff does.
pub trait TypeConverter {
    /// The object with the configuration merged into it: lists by key, sets extended, scalars replaced, nothing removed.
    /// Both are of the kind `kind`. The error stands behind `error applying patch: `.
    fn merge(
        &self,
        kind: &GroupVersionKind<'_>,
        object: &Node<'_>,
        configuration: &Node<'_>,
    ) -> Result<Node<'static>, String>;

    /// Why an object that fits its schema cannot be decoded into the type of its kind, such as bytes that are no base64.
    fn decode_error(&self, _kind: &GroupVersionKind<'_>, _object: &Node<'_>) -> Option<String> {
        None
    }
}

/// The `apiVersion` of a kind.
pub(crate) fn api_version(kind: &GroupVersionKind<'_>) -> String {
    match kind.group {
        "" => kind.version.to_string(),
        group => format!("{group}/{}", kind.version),
    }
}

/// An object that says its `apiVersion` and `kind`, those of `kind` if it says none; the error is that of the decoder.
pub fn with_type(
    mut object: Node<'static>,
    kind: &GroupVersionKind<'_>,
) -> Result<Node<'static>, String> {
    const UNKNOWN: &str = "couldn't get version/kind; ";
    if !matches!(object.value, Value::Map(_)) {
        return Err(format!("{UNKNOWN}{}", go_syntax::not_an_object(&object)));
    }
    for (name, default) in [("apiVersion", api_version(kind)), ("kind", kind.kind.to_string())] {
        match object.get(name).map(|node| &node.value) {
            None | Some(Value::Null) => object.set(name, Node::string(default)),
            Some(Value::Text(text)) if text.is_empty() => object.set(name, Node::string(default)),
            Some(Value::Text(_)) => {}
            Some(_) => {
                let found = object.get(name).map_or("", Node::type_name);
                return Err(format!(
                    "{UNKNOWN}json parse error: json: cannot unmarshal {found} into Go struct field .{name} of type string"
                ));
            }
        }
    }
    Ok(object)
}

/// Decodes an object of a built-in kind as the API server's JSON serializer does.
pub fn decode_built_in(
    object: Node<'static>,
    kind: &GroupVersionKind<'_>,
    strict: bool,
) -> Result<Node<'static>, String> {
    let object = with_type(object, kind)?;
    let version = object.text_at(&["apiVersion"]);
    let found = GroupVersionKind::from_api_version(version, object.text_at(&["kind"]));
    let Some(row) = schema::kind(found.group, found.version, found.kind) else {
        let kind = found.kind;
        return Err(format!(
            "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"pkg/api/legacyscheme/scheme.go:30\""
        ));
    };
    let object = Object::new(object);
    let mut unknown: Vec<String> = Vec::new();
    for violation in schema_violations(&object) {
        match violation.kind {
            ViolationKind::WrongType(message) => return Err(message),
            ViolationKind::Unknown => unknown.push(format!("unknown field \"{}\"", violation.path)),
        }
    }
    if strict && !unknown.is_empty() {
        return Err(format!("strict decoding error: {}", unknown.join(", ")));
    }
    let mut node = object.into_node();
    prune(&mut node, row.ty);
    Ok(node)
}

/// The error of a patch that changed the kind of an object, if it did: nothing converts between kinds.
pub fn changed_kind(object: &Node<'_>, kind: &GroupVersionKind<'_>) -> Option<String> {
    let version = object.text_at(&["apiVersion"]);
    let found = GroupVersionKind::from_api_version(version, object.text_at(&["kind"]));
    if (found.group, found.kind) == (kind.group, kind.kind) {
        return None;
    }
    let internal = match kind.group {
        "" => "core",
        group => group.split('.').next().unwrap_or(group),
    };
    let (version, from, to) = (found.version, found.kind, kind.kind);
    Some(format!("converting ({version}.{from}) to ({internal}.{to}): unknown conversion"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{CONFIG_MAP, node};

    fn decoded(text: &str, strict: bool) -> Result<String, String> {
        decode_built_in(node(text), &CONFIG_MAP, strict).map(|node| node.to_json())
    }

    #[test]
    fn patched_objects_are_decoded_as_the_api_server_does() {
        const MAP: &str = "apiVersion: v1, kind: ConfigMap";
        for (text, strict, result) in [
            (
                "{data: {a: b}}",
                true,
                Ok(r#"{"data":{"a":"b"},"apiVersion":"v1","kind":"ConfigMap"}"#),
            ),
            (
                "{apiVersion: v1, kind: ConfigMap, nope: 1}",
                false,
                Ok(r#"{"apiVersion":"v1","kind":"ConfigMap"}"#),
            ),
            (
                "{apiVersion: v1, kind: ConfigMap, nope: 1, metadata: {also: 2}}",
                true,
                Err(
                    r#"strict decoding error: unknown field "nope", unknown field "metadata.also""#,
                ),
            ),
            (
                "{data: {a: 1}}",
                false,
                Err(
                    "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
                ),
            ),
            ("{kind: Secret, data: {a: '!'}}", false, Err("illegal base64 data at input byte 0")),
            (
                "{apiVersion: v7, kind: ConfigMap}",
                false,
                Err(
                    r#"no kind "ConfigMap" is registered for version "v7" in scheme "pkg/api/legacyscheme/scheme.go:30""#,
                ),
            ),
            (
                "{kind: 7}",
                false,
                Err(
                    "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
                ),
            ),
        ] {
            let result = result.map(ToString::to_string).map_err(ToString::to_string);
            assert_eq!(decoded(text, strict), result, "{text}");
        }
        assert!(decoded("[]", false).unwrap_err().starts_with("couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct {"));
        assert_eq!(changed_kind(&node(&format!("{{{MAP}}}")), &CONFIG_MAP), None);
        assert_eq!(
            changed_kind(&node("{apiVersion: v1, kind: Pod}"), &CONFIG_MAP).as_deref(),
            Some("converting (v1.Pod) to (core.ConfigMap): unknown conversion")
        );
    }
}
