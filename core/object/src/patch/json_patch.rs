//! JSON patch, RFC 6902, as the patch requests of the API take it.

use super::PatchError;
use super::operations::{JsonPatchError, apply_operations};
use crate::{Entry, Node, Value};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The most operations of a patch.
const MAX_OPERATIONS: usize = 10_000;

/// The members of an operation.
const FIELDS: [&str; 4] = ["op", "path", "from", "value"];

/// Applies a JSON patch.
///
/// Quirks of the reference: negative indices count from the end, replacing an absent member adds
/// it, copying an absent one copies `null`, and testing for absence is testing for `null`.
pub fn json_patch(original: Node<'static>, patch: &Node<'_>) -> Result<Node<'static>, PatchError> {
    apply_operations(original, operations(patch)?).map_err(|error| match error {
        JsonPatchError::TestFailed(text) | JsonPatchError::Failed(text) => {
            PatchError::Unprocessable(text)
        }
        JsonPatchError::TooLarge(text) => PatchError::TooLarge(text),
    })
}

/// Warnings of strict decoding, in the API server's wording: unknown members of operations.
#[must_use]
pub fn json_patch_warnings(patch: &Node<'_>) -> Vec<String> {
    let items = patch.items().iter().enumerate();
    let unknown = items.flat_map(|(index, item)| {
        let unknown = item.entries().iter().filter(|entry| !FIELDS.contains(&&*entry.key));
        unknown.map(move |entry| format!("json patch unknown field \"[{index}].{}\"", entry.key))
    });
    unknown.take(100).collect()
}

fn operations<'p, 't>(patch: &'p Node<'t>) -> Result<&'p [Node<'t>], PatchError> {
    let wrong = |node: &Node<'_>, into: &str| {
        let name = node.type_name();
        let text = format!("error decoding patch: json: cannot unmarshal {name} into Go {into}");
        Err(PatchError::BadRequest(text))
    };
    let operations = match &patch.value {
        Value::Null => return Ok(&[]),
        Value::List(items) => items,
        _ => return wrong(patch, "value of type []handlers.jsonPatchOp"),
    };
    for operation in operations {
        if !matches!(operation.value, Value::Map(_) | Value::Null) {
            return wrong(operation, "value of type handlers.jsonPatchOp");
        }
        for Entry { key, node, .. } in operation.entries() {
            let is_text = matches!(node.value, Value::Text(_) | Value::Null);
            if !is_text && matches!(&**key, "op" | "path" | "from") {
                return wrong(node, &format!("struct field jsonPatchOp.{key} of type string"));
            }
        }
    }
    if operations.len() > MAX_OPERATIONS {
        return Err(PatchError::TooLarge(format!(
            "The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {}",
            operations.len()
        )));
    }
    Ok(operations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};
    use alloc::string::ToString;
    use alloc::vec;
    use proptest::prelude::*;

    fn parse(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn patched(original: &str, patch: &str) -> String {
        json_patch(parse(original), &parse(patch))
            .map_or_else(|error| error.to_string(), |n| n.to_json())
    }

    fn code(original: &str, patch: &str) -> u16 {
        json_patch(parse(original), &parse(patch)).map_or_else(|error| error.code(), |_| 200)
    }

    #[test]
    fn operations_do_what_they_say() {
        for (original, operation, result) in [
            (r#"{"a":1}"#, r#"{"op":"add","path":"/b","value":[2]}"#, r#"{"a":1,"b":[2]}"#),
            (r#"{"a":1}"#, r#"{"op":"add","path":"/a","value":2}"#, r#"{"a":2}"#),
            (r#"{"a":[1,2]}"#, r#"{"op":"add","path":"/a/1","value":9}"#, r#"{"a":[1,9,2]}"#),
            (r#"{"a":[1,2]}"#, r#"{"op":"add","path":"/a/-","value":9}"#, r#"{"a":[1,2,9]}"#),
            (r#"{"a":[1,2]}"#, r#"{"op":"add","path":"/a/2","value":9}"#, r#"{"a":[1,2,9]}"#),
            (r#"{"a":[1,2]}"#, r#"{"op":"add","path":"/a/-1","value":9}"#, r#"{"a":[1,2,9]}"#),
            (r#"{"a":[1,2]}"#, r#"{"op":"add","path":"/a/-3","value":9}"#, r#"{"a":[9,1,2]}"#),
            (r#"{"a":1}"#, r#"{"op":"add","path":"/b"}"#, r#"{"a":1,"b":null}"#),
            (r#"{"a":{"b":1}}"#, r#"{"op":"remove","path":"/a/b"}"#, r#"{"a":{}}"#),
            (r#"{"a":[1,2]}"#, r#"{"op":"remove","path":"/a/-1"}"#, r#"{"a":[1]}"#),
            (r#"{"a":1}"#, r#"{"op":"replace","path":"/a","value":"x"}"#, r#"{"a":"x"}"#),
            (r#"{}"#, r#"{"op":"replace","path":"/a","value":"x"}"#, r#"{"a":"x"}"#),
            (r#"{"a":1}"#, r#"{"op":"replace","path":"","value":{"b":2}}"#, r#"{"b":2}"#),
            (r#"{"a":{"b":1}}"#, r#"{"op":"move","from":"/a/b","path":"/c"}"#, r#"{"a":{},"c":1}"#),
            (r#"{"a":[1,2]}"#, r#"{"op":"move","from":"/a/0","path":"/a/1"}"#, r#"{"a":[2,1]}"#),
            (
                r#"{"a":{"b":1}}"#,
                r#"{"op":"copy","from":"/a","path":"/c"}"#,
                r#"{"a":{"b":1},"c":{"b":1}}"#,
            ),
            (r#"{}"#, r#"{"op":"copy","from":"/a","path":"/c"}"#, r#"{"c":null}"#),
            (r#"{"a":1}"#, r#"{"op":"test","path":"/a","value":1}"#, r#"{"a":1}"#),
            (r#"{"a":1}"#, r#"{"op":"test","path":"","value":{"a":1}}"#, r#"{"a":1}"#),
            (r#"{"a":1}"#, r#"{"op":"test","path":"/b","value":null}"#, r#"{"a":1}"#),
            (r#"{"a":1}"#, r#"{"op":"test","path":"/b"}"#, r#"{"a":1}"#),
            (r#"{"a/b":{"c~d":1}}"#, r#"{"op":"remove","path":"/a~1b/c~0d"}"#, r#"{"a/b":{}}"#),
        ] {
            assert_eq!(patched(original, &format!("[{operation}]")), result, "{operation}");
        }
        assert_eq!(patched(r#"{"a":1}"#, "null"), r#"{"a":1}"#);
        assert_eq!(patched(r#"{"a":1}"#, "[]"), r#"{"a":1}"#);
    }

    #[test]
    fn what_does_not_apply_is_rejected_without_details() {
        for operation in [
            r#"{"op":"add","path":"/x/y","value":1}"#,
            r#"{"op":"add","path":"","value":1}"#,
            r#"{"op":"add","path":"a","value":1}"#,
            r#"{"op":"add","value":1}"#,
            r#"{"op":"add","path":"/l/4","value":1}"#,
            r#"{"op":"add","path":"/l/x","value":1}"#,
            r#"{"op":"add","path":"/l/-5","value":1}"#,
            r#"{"op":"add","path":"/s/x","value":1}"#,
            r#"{"op":"add","path":"/n/x","value":1}"#,
            r#"{"op":"remove","path":"/x"}"#,
            r#"{"op":"remove","path":"/l/-"}"#,
            r#"{"op":"remove","path":""}"#,
            r#"{"op":"replace","path":"/l/9","value":1}"#,
            r#"{"op":"replace","path":"/x/y","value":1}"#,
            r#"{"op":"replace","path":"","value":1}"#,
            r#"{"op":"replace","path":""}"#,
            r#"{"op":"move","path":"/y","from":"/x"}"#,
            r#"{"op":"move","path":"/y"}"#,
            r#"{"op":"move","from":"/s"}"#,
            r#"{"op":"move","path":"/m/y/z","from":"/m/y"}"#,
            r#"{"op":"copy","path":"/y","from":"/x/y"}"#,
            r#"{"op":"test","path":"/s","value":"b"}"#,
            r#"{"op":"test","path":"/s"}"#,
            r#"{"op":"test","path":"/x","value":1}"#,
            r#"{"op":"test","path":"/i","value":1.0}"#,
            r#"{"op":"test","path":""}"#,
            r#"{"op":"nonsense","path":"/s"}"#,
            r#"{"path":"/s"}"#,
            r#"null"#,
        ] {
            let original = r#"{"l":[1,2,3],"s":"a","n":null,"i":1,"m":{"y":{}}}"#;
            assert_eq!(code(original, &format!("[{operation}]")), 422, "{operation}");
        }
    }

    #[test]
    fn what_is_no_patch_is_refused_in_the_apis_words() {
        for (patch, text) in [
            ("{}", "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
            ("[1]", "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"),
            (
                r#"[{"op":1}]"#,
                "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
            ),
        ] {
            let error = json_patch(parse("{}"), &parse(patch)).unwrap_err();
            assert_eq!(error, PatchError::BadRequest(format!("error decoding patch: {text}")));
        }
    }

    #[test]
    fn a_scalar_has_nothing_in_it() {
        let add = Node::list(vec![parse(r#"{"op":"add","path":"/a","value":1}"#)]);
        assert_eq!(json_patch(Node::int(1), &add).unwrap_err().code(), 422);
    }

    #[test]
    fn strict_reading_names_unknown_members() {
        let patch = parse(r#"[{"op":"add","path":"/a","value":1},{"op":"x","foo":1}]"#);
        assert_eq!(json_patch_warnings(&patch), ["json patch unknown field \"[1].foo\""]);
    }

    #[test]
    fn ten_thousand_operations_are_the_most() {
        let test = parse(r#"{"op":"test","path":"/a","value":1}"#);
        let many = |count| Node::list(vec![test.clone(); count]);
        assert!(json_patch(parse(r#"{"a":1}"#), &many(10_000)).is_ok());
        let error = json_patch(parse(r#"{"a":1}"#), &many(10_001)).unwrap_err();
        assert_eq!(
            error.message(),
            "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
        );
    }

    #[test]
    fn copies_cannot_make_it_large_or_deep() {
        let copy = parse(r#"{"op":"copy","from":"/a","path":"/a/-"}"#);
        let original = parse(&format!(r#"{{"a":["{}"]}}"#, "x".repeat(1000)));
        let error = json_patch(original, &Node::list(vec![copy; 40])).unwrap_err();
        assert_eq!(error.code(), 422);
        let deeper = parse(r#"{"op":"copy","from":"/a","path":"/a/a"}"#);
        let error = json_patch(parse(r#"{"a":{}}"#), &Node::list(vec![deeper; 300])).unwrap_err();
        assert_eq!(error.code(), 413);
        let path = "/a".repeat(300);
        let nested = (1..300).map(|at| {
            parse(&format!(r#"{{"op":"add","path":"{}","value":{{}}}}"#, &path[..at * 2]))
        });
        let error = json_patch(parse("{}"), &Node::list(nested.collect())).unwrap_err();
        assert_eq!(error.code(), 413);
    }

    #[test]
    fn endless_shifting_is_refused() {
        let original = Node::map([("a", Node::list(vec![Node::int(1); 100_000]))]);
        let first = parse(r#"{"op":"add","path":"/a/0","value":1}"#);
        let error = json_patch(original, &Node::list(vec![first; 10_000])).unwrap_err();
        assert_eq!(error.code(), 413);
    }

    proptest! {
        #[test]
        fn what_was_added_can_be_removed(
            names in prop::collection::btree_map("[a-z~/]{0,3}", 0..9_i64, 0..6),
            name in "[A-Z][A-Z~/]{0,3}",
            value in 0..9_i64,
        ) {
            let original = Node::map(names.into_iter().map(|(name, at)| (name, Node::int(at))));
            let path = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            let operation = |op: &'static str| {
                Node::map([("op", Node::string(op)), ("path", Node::string(path.clone())), ("value", Node::int(value))])
            };
            let added = json_patch(original.clone(), &Node::list(vec![operation("add")])).unwrap();
            prop_assert_eq!(added.get(&name), Some(&Node::int(value)));
            let tested = Node::list(vec![operation("test"), operation("remove")]);
            prop_assert_eq!(json_patch(added, &tested).unwrap(), original);
        }

        #[test]
        fn items_too(items in prop::collection::vec(0..9_i64, 0..6), at in -7..7_i64) {
            let original = Node::list(items.iter().copied().map(Node::int).collect());
            let operation = |op: &'static str, at: i64| Node::map([
                ("op", Node::string(op)), ("path", Node::string(format!("/{at}"))), ("value", Node::int(42)),
            ]);
            let added = json_patch(original.clone(), &Node::list(vec![operation("add", at)]));
            let most = items.len() as i64;
            prop_assert_eq!(added.is_ok(), (-most - 1..=most).contains(&at));
            if let Ok(added) = added {
                let removed = json_patch(added, &Node::list(vec![operation("remove", at)]));
                prop_assert_eq!(removed.unwrap(), original);
            }
        }
    }
}
