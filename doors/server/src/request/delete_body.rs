//! Types of the members of `DeleteOptions` in a JSON body, which the reference decodes without the words of other bodies.

use super::body::{BodyType, parse, summary};
use super::go_syntax;
use crate::status::StatusError;
use bytes::Bytes;
use ratchet_object::{Node, Value};

const KIND: &str = "DeleteOptions";

/// A type of Go.
#[derive(Clone, Copy)]
enum GoType {
    Int64,
    Bool,
    /// A text, by the name of its type.
    Text(&'static str),
    Texts,
    Preconditions,
}

/// The members, by name.
const MEMBERS: [(&str, GoType); 6] = [
    ("dryRun", GoType::Texts),
    ("gracePeriodSeconds", GoType::Int64),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", GoType::Bool),
    ("orphanDependents", GoType::Bool),
    ("preconditions", GoType::Preconditions),
    ("propagationPolicy", GoType::Text("v1.DeletionPropagation")),
];

/// The members of `preconditions`.
const PRECONDITIONS: [(&str, GoType); 2] =
    [("uid", GoType::Text("types.UID")), ("resourceVersion", GoType::Text("string"))];

/// Checks a JSON body: its syntax, the types of `kind` and `apiVersion`, and, if it is of this kind, those of its members.
pub(crate) fn check(bytes: &Bytes) -> Result<(), StatusError> {
    let node = match parse(bytes, BodyType::Json, KIND) {
        Ok((node, ..)) => node,
        Err(error) => return Err(plain(error, bytes)),
    };
    let why = match &node.value {
        Value::Null => None,
        Value::Map(_) => untyped(&node).or_else(|| type_error(&node)),
        _ => Some(format!("couldn't get version/kind; {}", go_syntax::not_an_object(&node))),
    };
    why.map_or(Ok(()), |why| Err(StatusError::bad_request(why)))
}

/// The error without what is said about bodies of other kinds.
fn plain(error: StatusError, bytes: &Bytes) -> StatusError {
    let start = format!("the object provided is unrecognized (must be of type {KIND}): ");
    let end = format!(" ({})", summary(bytes));
    let inner = error.message.strip_prefix(&start).and_then(|rest| rest.strip_suffix(&end));
    inner.map(StatusError::bad_request).unwrap_or(error)
}

fn untyped(node: &Node<'_>) -> Option<String> {
    let mut members = node.entries().iter();
    let entry = members.find(|entry| {
        let is_text = entry.node.is_null() || entry.node.text().is_some();
        (entry.is_named("kind") || entry.is_named("apiVersion")) && !is_text
    })?;
    let (what, name) = (entry.node.type_name(), &entry.key);
    Some(format!(
        "couldn't get version/kind; json parse error: json: cannot unmarshal {what} into Go struct field .{name} of type string"
    ))
}

/// The first member whose value does not fit.
fn type_error(node: &Node<'_>) -> Option<String> {
    if !matches!(node.text_at(&["kind"]), "" | KIND) {
        return None;
    }
    node.entries().iter().find_map(|entry| {
        let (name, ty) = MEMBERS.iter().find(|(name, _)| entry.is_named(name))?;
        type_error_of(&entry.node, *ty, KIND, name)
    })
}

fn type_error_of(value: &Node<'_>, ty: GoType, holder: &str, path: &str) -> Option<String> {
    let message = |value: &Node<'_>, name: &str| {
        let what = match (&value.value, ty) {
            (Value::Float(number), GoType::Int64) => format!("number {number}"),
            _ => value.type_name().to_owned(),
        };
        format!("json: cannot unmarshal {what} into Go struct field {holder}.{path} of type {name}")
    };
    match (ty, &value.value) {
        (_, Value::Null)
        | (GoType::Int64, Value::Int(_))
        | (GoType::Bool, Value::Bool(_))
        | (GoType::Text(_), Value::Text(_)) => None,
        (GoType::Int64, _) => Some(message(value, "int64")),
        (GoType::Bool, _) => Some(message(value, "bool")),
        (GoType::Text(name), _) => Some(message(value, name)),
        (GoType::Texts, Value::List(items)) => {
            let is_text = |item: &&Node<'_>| item.is_null() || item.text().is_some();
            items.iter().find(|item| !is_text(item)).map(|item| message(item, "string"))
        }
        (GoType::Texts, _) => Some(message(value, "[]string")),
        (GoType::Preconditions, Value::Map(entries)) => entries.iter().find_map(|entry| {
            let (name, ty) = PRECONDITIONS.iter().find(|(name, _)| entry.is_named(name))?;
            type_error_of(&entry.node, *ty, "Preconditions", &format!("preconditions.{name}"))
        }),
        (GoType::Preconditions, _) => Some(message(value, "v1.Preconditions")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &'static str) -> String {
        check(&Bytes::from_static(text.as_bytes()))
            .err()
            .map(|error| error.message)
            .unwrap_or_default()
    }

    #[test]
    fn members_that_do_not_fit_are_told_by_their_types() {
        for text in [
            "null",
            "{}",
            r#"{"dryRun":["All"],"preconditions":{"uid":"a"}}"#,
            r#"{"kind":"Pod","dryRun":1}"#,
        ] {
            assert_eq!(error(text), "", "{text}");
        }
        let into = "into Go struct field";
        for (text, end) in [
            (
                r#"{"gracePeriodSeconds":"x"}"#,
                format!("string {into} DeleteOptions.gracePeriodSeconds of type int64"),
            ),
            (
                r#"{"gracePeriodSeconds":1.5}"#,
                format!("number 1.5 {into} DeleteOptions.gracePeriodSeconds of type int64"),
            ),
            (
                r#"{"preconditions":"x"}"#,
                format!("string {into} DeleteOptions.preconditions of type v1.Preconditions"),
            ),
            (
                r#"{"preconditions":{"uid":5}}"#,
                format!("number {into} Preconditions.preconditions.uid of type types.UID"),
            ),
            (
                r#"{"preconditions":{"resourceVersion":7}}"#,
                format!("number {into} Preconditions.preconditions.resourceVersion of type string"),
            ),
            (
                r#"{"propagationPolicy":1}"#,
                format!(
                    "number {into} DeleteOptions.propagationPolicy of type v1.DeletionPropagation"
                ),
            ),
            (
                r#"{"orphanDependents":"a"}"#,
                format!("string {into} DeleteOptions.orphanDependents of type bool"),
            ),
            (r#"{"dryRun":"All"}"#, format!("string {into} DeleteOptions.dryRun of type []string")),
            (
                r#"{"kind":"DeleteOptions","dryRun":[1],"orphanDependents":1}"#,
                format!("number {into} DeleteOptions.dryRun of type string"),
            ),
        ] {
            assert_eq!(error(text), format!("json: cannot unmarshal {end}"), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_is_told_without_its_bytes() {
        let start = "couldn't get version/kind; json parse error: ";
        let wanted = r#"Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;
        assert_eq!(error("[]"), format!("{start}json: cannot unmarshal array into {wanted}"));
        assert_eq!(error("{"), format!("{start}unexpected end of JSON input"));
        assert_eq!(error("{}x"), format!("{start}invalid character 'x' after top-level value"));
        let kind = "json: cannot unmarshal number into Go struct field .kind of type string";
        assert_eq!(error(r#"{"kind":5}"#), format!("{start}{kind}"));
    }
}
