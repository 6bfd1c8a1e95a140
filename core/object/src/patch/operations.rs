//! The operations of JSON patches, with the quirks and the messages of the library that kube-apiserver uses.

use super::pointer::{self, Pointer};
use super::size::{Size, bounded, too_deep};
use crate::{Node, Value};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

/// The most bytes of JSON that all copies of a patch may add.
const MAX_COPIED_BYTES: usize = 3 << 20;
/// The most searching and shifting that a patch may cost; honest patches stay far below.
const MAX_WORK: usize = 1 << 24;

/// Why a JSON patch was not applied, in the words of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonPatchError {
    /// A `test` does not hold.
    TestFailed(String),
    /// An operation does not apply.
    Failed(String),
    /// The patch exceeds a limit.
    TooLarge(String),
}

impl fmt::Display for JsonPatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::TestFailed(text) | Self::Failed(text) | Self::TooLarge(text)) = self;
        f.write_str(text)
    }
}

impl core::error::Error for JsonPatchError {}

impl From<super::PatchError> for JsonPatchError {
    fn from(error: super::PatchError) -> Self {
        match error {
            super::PatchError::TooLarge(text) => Self::TooLarge(text),
            other => Self::Failed(other.to_string()),
        }
    }
}

/// The operations of a decoded patch, or the error of decoding it into the library's type. `null` is a patch without
/// operations.
pub fn decode_operations<'p, 't>(patch: &'p Node<'t>) -> Result<&'p [Node<'t>], String> {
    let wrong = |node: &Node<'_>, into: &str| {
        Err(format!("json: cannot unmarshal {} into Go value of type {into}", node.type_name()))
    };
    let operations = match &patch.value {
        Value::Null => return Ok(&[]),
        Value::List(items) => items,
        _ => return wrong(patch, "jsonpatch.Patch"),
    };
    let is_operation = |node: &&Node<'_>| matches!(node.value, Value::Map(_) | Value::Null);
    match operations.iter().find(|node| !is_operation(node)) {
        Some(node) => wrong(node, "jsonpatch.Operation"),
        None => Ok(operations),
    }
}

/// Applies the operations of a JSON patch, one after another.
pub fn apply_operations(
    original: Node<'static>,
    operations: &[Node<'_>],
) -> Result<Node<'static>, JsonPatchError> {
    let mut run = Application { document: original, copied: 0, work: 0 };
    for operation in operations {
        run.apply(operation)?;
        if run.work > MAX_WORK {
            let text = "the operations of the patch take too long on this object";
            return Err(JsonPatchError::TooLarge(text.into()));
        }
    }
    Ok(bounded(run.document)?)
}

/// The state of a patch that is being applied.
struct Application {
    document: Node<'static>,
    copied: usize,
    work: usize,
}

type Applied<T = ()> = Result<T, JsonPatchError>;

fn failed<T>(text: String) -> Applied<T> {
    Err(JsonPatchError::Failed(text))
}

/// A text of an operation; the error is the library's.
fn text_of<'n>(operation: &'n Node<'_>, name: &str, missing: &str) -> Result<&'n str, String> {
    match operation.get(name).filter(|node| !node.is_null()) {
        None => Err(missing.to_string()),
        Some(node) => node.text().ok_or_else(|| {
            format!("json: cannot unmarshal {} into Go value of type string", node.type_name())
        }),
    }
}

/// The path of an operation. Some operations hide why it cannot be read.
fn path_of<'n>(name: &str, operation: &'n Node<'_>) -> Applied<&'n str> {
    const HIDING: [&str; 3] = ["add", "remove", "copy"];
    let missing = "operation missing path field: missing value";
    text_of(operation, "path", missing).or_else(|why| {
        let why = if HIDING.contains(&name) { "missing value" } else { &why };
        failed(format!("{name} operation failed to decode path: {why}"))
    })
}

fn from_of<'n>(name: &str, operation: &'n Node<'_>) -> Applied<&'n str> {
    let missing = "operation, missing from field: missing value";
    text_of(operation, "from", missing)
        .or_else(|why| failed(format!("{name} operation failed to decode from: {why}")))
}

/// The value of an operation; `null` if it has none.
fn value_of(operation: &Node<'_>) -> Node<'static> {
    let value = operation.get("value").cloned();
    value.map_or_else(|| Node::new(Value::Null), Node::into_owned)
}

fn at_path<T>(name: &str, path: &str, result: Result<T, String>) -> Applied<T> {
    result.or_else(|error| failed(format!("error in {name} for path: '{path}': {error}")))
}

impl Application {
    fn apply(&mut self, operation: &Node<'_>) -> Applied {
        match operation.get("op").and_then(Node::text).unwrap_or("unknown") {
            "add" => {
                let path = path_of("add", operation)?;
                let missing = || {
                    format!(
                        "add operation does not apply: doc is missing path: \"{path}\": missing value"
                    )
                };
                let added = self.insert(path, value_of(operation), missing)?;
                at_path("add", path, added)
            }
            "remove" => {
                let path = path_of("remove", operation)?;
                let missing = || {
                    format!(
                        "remove operation does not apply: doc is missing path: \"{path}\": missing value"
                    )
                };
                let (pointer, container) = self.reach(path, missing)?;
                at_path("remove", path, pointer::remove(container, &pointer.last)).map(drop)
            }
            "replace" => self.replace(operation),
            "move" => self.relocate(operation),
            "test" => self.test(operation),
            "copy" => self.copy(operation),
            other => failed(format!("Unexpected kind: {other}")),
        }
    }

    /// The container of the last step of `path`.
    fn reach(
        &mut self,
        path: &str,
        missing: impl Fn() -> String,
    ) -> Applied<(Pointer, &mut Node<'static>)> {
        let Some(pointer) = Pointer::parse(path) else { return failed(missing()) };
        let container = pointer.container(&mut self.document, &mut self.work);
        let Some(container) = container else { return failed(missing()) };
        self.work += (container.entries().len() + container.items().len()) / 8 + 1;
        Ok((pointer, container))
    }

    /// Adds a value at a path; the inner error is that of the container.
    fn insert(
        &mut self,
        path: &str,
        value: Node<'static>,
        missing: impl Fn() -> String,
    ) -> Applied<Result<(), String>> {
        let size = Size::of(&value);
        let (pointer, container) = self.reach(path, missing)?;
        too_deep(pointer.depth() + size.depth)?;
        let added = pointer::add(container, &pointer.last, value);
        self.work += size.values;
        Ok(added)
    }

    fn replace(&mut self, operation: &Node<'_>) -> Applied {
        let path = path_of("replace", operation)?;
        let value = value_of(operation);
        if path.is_empty() {
            if !matches!(value.value, Value::Map(_) | Value::List(_)) {
                // The library wraps an error that it does not have.
                let text = "replace operation value must be object or array: %!w(<nil>)";
                return failed(text.into());
            }
            self.document = value;
            return Ok(());
        }
        let (pointer, container) = self.reach(path, || {
            format!("replace operation does not apply: doc is missing path: {path}: missing value")
        })?;
        too_deep(pointer.depth() + Size::of(&value).depth)?;
        match pointer::get(container, &pointer.last) {
            Err(_) => failed(format!(
                "replace operation does not apply: doc is missing key: {path}: missing value"
            )),
            Ok(Some(existing)) => {
                *existing = value;
                Ok(())
            }
            Ok(None) => {
                container.set(pointer.last, value);
                Ok(())
            }
        }
    }

    fn relocate(&mut self, operation: &Node<'_>) -> Applied {
        let from = from_of("move", operation)?;
        let (pointer, container) = self.reach(from, || {
            format!(
                "move operation does not apply: doc is missing from path: {from}: missing value"
            )
        })?;
        let removed = pointer::remove(container, &pointer.last);
        let value = at_path("move", &pointer.last, removed)?;
        let path = path_of("move", operation)?;
        let added = self.insert(path, value, || {
            format!("move operation does not apply: doc is missing destination path: {path}: missing value")
        })?;
        at_path("move", path, added)
    }

    fn copy(&mut self, operation: &Node<'_>) -> Applied {
        let from = from_of("copy", operation)?;
        let (pointer, container) = self.reach(from, || {
            format!(
                "copy operation does not apply: doc is missing from path: {from}: missing value"
            )
        })?;
        let found = match pointer::get(container, &pointer.last) {
            Ok(found) => found,
            Err(error) => return failed(format!("error in copy for from: '{from}': {error}")),
        };
        // Measured before it is copied: an excessive value is not copied even once.
        let (value, bytes) = match found {
            None => (Node::new(Value::Null), 0),
            Some(existing) if Size::of(existing).bytes > 2 * MAX_COPIED_BYTES => {
                (Node::new(Value::Null), MAX_COPIED_BYTES + 1)
            }
            Some(existing) => (existing.clone(), existing.to_json().len()),
        };
        let path = path_of("copy", operation)?;
        let missing = || {
            format!(
                "copy operation does not apply: doc is missing destination path: {path}: missing value"
            )
        };
        self.reach(path, missing)?;
        self.copied += bytes;
        if self.copied > MAX_COPIED_BYTES {
            return failed(format!(
                "Unable to complete the copy, the accumulated size increase of copy is {}, exceeding the limit {MAX_COPIED_BYTES}",
                self.copied
            ));
        }
        let added = self.insert(path, value, missing)?;
        added.or_else(|error| failed(format!("error while adding value during copy: {error}")))
    }

    fn test(&mut self, operation: &Node<'_>) -> Applied {
        let path = path_of("test", operation)?;
        let expected = operation.get("value").filter(|value| !value.is_null());
        let holds = if path.is_empty() {
            expected.is_some_and(|expected| equal(&self.document, expected))
        } else {
            let (pointer, container) = self.reach(path, || {
                format!("test operation does not apply: is missing path: {path}: missing value")
            })?;
            let found = at_path("test", path, pointer::get(container, &pointer.last))?;
            match (found.filter(|found| !found.is_null()), expected) {
                (None, None) => true,
                (Some(found), Some(expected)) => equal(found, expected),
                _ => false,
            }
        };
        if holds {
            Ok(())
        } else {
            let text = format!("testing value {path} failed: test failed");
            Err(JsonPatchError::TestFailed(text))
        }
    }
}

/// The same as `==`, but fast on maps with many members.
fn equal(one: &Node<'_>, other: &Node<'_>) -> bool {
    match (&one.value, &other.value) {
        (Value::Map(a), Value::Map(b)) => {
            if a.len() != b.len() {
                return false;
            }
            let by_name: BTreeMap<&str, &Node<'_>> =
                b.iter().map(|entry| (&*entry.key, &entry.node)).collect();
            a.iter().all(|entry| {
                by_name.get(&*entry.key).is_some_and(|existing| equal(&entry.node, existing))
            })
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};

    fn parse(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn error(operation: &str) -> String {
        let original = parse(r#"{"l":[1,2,3],"s":"a","m":{"y":{}}}"#);
        let patch = parse(&format!("[{operation}]"));
        apply_operations(original, decode_operations(&patch).unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn errors_are_those_of_the_library() {
        for (operation, text) in [
            (
                r#"{"op":"add","path":"/x/y","value":1}"#,
                r#"add operation does not apply: doc is missing path: "/x/y": missing value"#,
            ),
            (
                r#"{"op":"add","path":"data","value":1}"#,
                r#"add operation does not apply: doc is missing path: "data": missing value"#,
            ),
            (r#"{"op":"add","value":1}"#, "add operation failed to decode path: missing value"),
            (r#"{"op":"add","path":1}"#, "add operation failed to decode path: missing value"),
            (
                r#"{"op":"add","path":"/l/9","value":1}"#,
                "error in add for path: '/l/9': Unable to access invalid index: 9: invalid index referenced",
            ),
            (
                r#"{"op":"add","path":"/l/x","value":1}"#,
                r#"error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax"#,
            ),
            (
                r#"{"op":"remove","path":"/x"}"#,
                "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
            ),
            (
                r#"{"op":"remove","path":"/a/b"}"#,
                r#"remove operation does not apply: doc is missing path: "/a/b": missing value"#,
            ),
            (
                r#"{"op":"remove","path":"/l/99999999999999999999"}"#,
                r#"error in remove for path: '/l/99999999999999999999': strconv.Atoi: parsing "99999999999999999999": value out of range"#,
            ),
            (
                r#"{"op":"replace","path":"/x/y","value":1}"#,
                "replace operation does not apply: doc is missing path: /x/y: missing value",
            ),
            (
                r#"{"op":"replace","path":"/l/9","value":1}"#,
                "replace operation does not apply: doc is missing key: /l/9: missing value",
            ),
            (
                r#"{"op":"replace","value":1}"#,
                "replace operation failed to decode path: operation missing path field: missing value",
            ),
            (
                r#"{"op":"replace","path":2,"value":1}"#,
                "replace operation failed to decode path: json: cannot unmarshal number into Go value of type string",
            ),
            (
                r#"{"op":"replace","path":"","value":1}"#,
                "replace operation value must be object or array: %!w(<nil>)",
            ),
            (
                r#"{"op":"move","path":"/y"}"#,
                "move operation failed to decode from: operation, missing from field: missing value",
            ),
            (
                r#"{"op":"move","path":"/y","from":"/x"}"#,
                "error in move for path: 'x': Unable to remove nonexistent key: x: missing value",
            ),
            (
                r#"{"op":"move","path":"/y","from":"/x/z"}"#,
                "move operation does not apply: doc is missing from path: /x/z: missing value",
            ),
            (
                r#"{"op":"move","path":"/x/y","from":"/s"}"#,
                "move operation does not apply: doc is missing destination path: /x/y: missing value",
            ),
            (
                r#"{"op":"copy","path":"/y","from":"/x/y"}"#,
                "copy operation does not apply: doc is missing from path: /x/y: missing value",
            ),
            (
                r#"{"op":"copy","path":"/x/y","from":"/s"}"#,
                "copy operation does not apply: doc is missing destination path: /x/y: missing value",
            ),
            (
                r#"{"op":"copy","path":"/y","from":"/l/7"}"#,
                "error in copy for from: '/l/7': Unable to access invalid index: 7: invalid index referenced",
            ),
            (
                r#"{"op":"copy","path":"/l/7","from":"/s"}"#,
                "error while adding value during copy: Unable to access invalid index: 7: invalid index referenced",
            ),
            (r#"{"op":"test","path":"/s","value":"b"}"#, "testing value /s failed: test failed"),
            (
                r#"{"op":"test","path":"/x/y","value":"b"}"#,
                "test operation does not apply: is missing path: /x/y: missing value",
            ),
            (
                r#"{"op":"test","path":"/l/7","value":"b"}"#,
                "error in test for path: '/l/7': Unable to access invalid index: 7: invalid index referenced",
            ),
            (r#"{"op":"merge","path":"/s"}"#, "Unexpected kind: merge"),
            (r#"{"op":1,"path":"/s"}"#, "Unexpected kind: unknown"),
            ("null", "Unexpected kind: unknown"),
        ] {
            assert_eq!(error(operation), text, "{operation}");
        }
    }

    #[test]
    fn only_a_failed_test_is_a_failed_test() {
        let apply = |operation: &str| {
            let patch = parse(&format!("[{operation}]"));
            apply_operations(parse(r#"{"s":"a"}"#), patch.items())
        };
        let failed = apply(r#"{"op":"test","path":"/s","value":"b"}"#);
        assert!(matches!(failed, Err(JsonPatchError::TestFailed(_))));
        let missing = apply(r#"{"op":"test","path":"/x/y","value":"b"}"#);
        assert!(matches!(missing, Err(JsonPatchError::Failed(_))));
    }

    #[test]
    fn patches_are_decoded_as_go_decodes_them() {
        for (patch, text) in [
            ("{}", "json: cannot unmarshal object into Go value of type jsonpatch.Patch"),
            ("\"x\"", "json: cannot unmarshal string into Go value of type jsonpatch.Patch"),
            (
                "[null, 1]",
                "json: cannot unmarshal number into Go value of type jsonpatch.Operation",
            ),
        ] {
            assert_eq!(decode_operations(&parse(patch)).unwrap_err(), text);
        }
        assert_eq!(decode_operations(&parse("null")).map(<[_]>::len), Ok(0));
    }
}
