//! Decoding of custom objects: they have no Go type, so that kind and version are what the object says.

use super::body::{BodyType, DecodeError, DecodedBody, ExpectedKind, parse, summary, unrecognized};
use super::go_syntax;
use crate::status::{NOT_MARSHALABLE, StatusError};
use bytes::Bytes;
use ratchet_object::{Node, Repeated, Value};
use ratchet_pipeline::FieldValidation;

/// Decodes a body as an object of the wanted kind. That the kind is another one is found out by validation.
pub(super) fn decode_body(
    bytes: &Bytes,
    media: BodyType,
    wanted: ExpectedKind<'_>,
    strictness: FieldValidation,
) -> Result<DecodedBody, StatusError> {
    let unhandled = |kind: &str, version: &str, text: &str| {
        let own = wanted.kind;
        StatusError::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {own}: {text}"
        ))
    };
    if media == BodyType::Protobuf {
        return Err(unhandled(wanted.kind, wanted.version, NOT_MARSHALABLE));
    }
    let (mut node, repeated) = parse(bytes, media, wanted.kind)?;
    match node.value {
        Value::Map(_) => {}
        Value::Null => node = Node::empty_map(),
        _ => return Err(unrecognized(wanted.kind, &go_syntax::not_an_object(&node), bytes)),
    }
    for name in ["apiVersion", "kind"] {
        if let Some(found) = node.get(name).filter(|node| node.text().is_none() && !node.is_null())
        {
            let found = found.type_name();
            let why = format!(
                "json parse error: json: cannot unmarshal {found} into Go struct field .{name} of type string"
            );
            return Err(unrecognized(wanted.kind, &why, bytes));
        }
    }
    let kind = node.text_at(&["kind"]).to_owned();
    if kind.is_empty() {
        let (own, body) = (wanted.kind, String::from_utf8_lossy(bytes));
        return Err(StatusError::bad_request(format!(
            "the object provided is unrecognized (must be of type {own}): {} ({})",
            missing_kind(&body),
            summary(bytes)
        )));
    }
    let (api_version, expected) = (node.text_at(&["apiVersion"]).to_owned(), wanted.api_version());
    if api_version != expected {
        return Err(StatusError::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        )));
    }
    decode(node, &repeated, wanted, strictness).map_err(|error| match error {
        DecodeError::WrongType(text) | DecodeError::Strict(text) => {
            unhandled(&kind, wanted.version, &text)
        }
    })
}

/// The error for an object without a kind.
pub(crate) fn missing_kind(body: &str) -> String {
    format!("Object 'Kind' is missing in '{body}'")
}

/// Checks the metadata of an object, and prunes what its version does not specify. An object of another kind or version
/// has no schema: it will be refused.
pub(crate) fn decode(
    mut node: Node<'static>,
    repeated: &[Repeated],
    wanted: ExpectedKind<'_>,
    strictness: FieldValidation,
) -> Result<DecodedBody, DecodeError> {
    let is_own = node.text_at(&["kind"]) == wanted.kind
        && node.text_at(&["apiVersion"]) == wanted.api_version();
    if !is_own {
        return Ok(DecodedBody { node, warnings: Vec::new() });
    }
    let warnings = wanted.decode(&mut node, repeated).accept(strictness)?;
    Ok(DecodedBody { node, warnings })
}
