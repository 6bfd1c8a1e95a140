//! Decoding of request bodies into objects of the kind that an endpoint accepts.

use crate::registry::ServedResource;
use crate::request::{go_syntax, media_type};
use crate::status::{NOT_MARSHALABLE, StatusError};
use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use ratchet_object::{
    GroupVersionKind, Limits, Node, Repeated, Value, decode, decode_json, proto, split_documents,
};
use ratchet_pipeline::{
    BuiltInType, Decoded, FieldValidation, ObjectType, StrictErrors, TypeMetaError, UnknownType,
};
use std::borrow::Cow;

/// The maximum size of a request body.
pub(crate) const LIMIT: usize = 3 << 20;

/// The mark that some editors put before a text; JSON must not have it.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';
/// What Go says of it: it reads bytes.
pub(crate) const MARKED: &str = "invalid character 'ï' looking for beginning of value";

/// The group of CustomResourceDefinitions, and a version of it that is still known, though it is not served.
const DEFINITIONS: (&str, &str) = ("apiextensions.k8s.io", "apiextensions.k8s.io/v1beta1");

/// The media type of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyType {
    /// JSON, also the default without a content type.
    Json,
    /// `application/yaml`.
    Yaml,
    /// The Kubernetes protobuf envelope.
    Protobuf,
}

/// The content type without its parameters, in lower case.
pub(crate) fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

impl BodyType {
    /// Parses the content type, parameters included: what is malformed is unknown.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Result<Self, StatusError> {
        let whole = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let whole = whole.unwrap_or_default();
        if !media_type::is_well_formed(whole) {
            return Err(StatusError::unknown_body_type());
        }
        match content_type(headers).as_str() {
            "" if whole.is_empty() => Ok(Self::Json),
            "application/json" => Ok(Self::Json),
            "application/yaml" => Ok(Self::Yaml),
            "application/vnd.kubernetes.protobuf" => Ok(Self::Protobuf),
            _ => Err(StatusError::unknown_body_type()),
        }
    }
}

/// What a body is accepted as.
pub(crate) struct DecodedBody {
    /// The object, type-checked and pruned by its schema, with `kind` and `apiVersion` set.
    pub node: Node<'static>,
    /// Warnings about unknown and duplicate fields.
    pub warnings: Vec<String>,
}

/// The kind that an endpoint accepts.
#[derive(Clone, Copy)]
pub(crate) struct ExpectedKind<'a> {
    /// API group.
    pub group: &'a str,
    /// API version.
    pub version: &'a str,
    /// The name of the kind.
    pub kind: &'a str,
    /// How its objects are decoded; `None` for a built-in kind that is no resource of its own.
    served_type: Option<&'a dyn ObjectType>,
    /// Whether there is a protobuf message.
    has_protobuf: bool,
}

/// The type of an expected kind.
pub(crate) enum ExpectedType<'a> {
    OfResource(&'a dyn ObjectType),
    BuiltIn(BuiltInType),
    Unknown(UnknownType<'a>),
}

impl ExpectedType<'_> {
    pub(crate) fn as_type(&self) -> &dyn ObjectType {
        match self {
            Self::OfResource(object_type) => *object_type,
            Self::BuiltIn(built_in) => built_in,
            Self::Unknown(unknown) => unknown,
        }
    }
}

impl<'a> ExpectedKind<'a> {
    /// The kind of a resource's main endpoint.
    pub(crate) fn of(resource: &'a ServedResource) -> Self {
        let served_type = Some(resource.object_type().as_ref());
        let has_protobuf = resource.media_types().has_protobuf;
        Self { served_type, has_protobuf, ..Self::of_kind(resource.row().gvk()) }
    }

    /// A built-in kind.
    pub(crate) const fn of_kind(gvk: GroupVersionKind<'a>) -> Self {
        let GroupVersionKind { group, version, kind } = gvk;
        Self { group, version, kind, served_type: None, has_protobuf: true }
    }

    /// How objects of the kind are decoded.
    pub(crate) fn object_type(&self) -> ExpectedType<'a> {
        if let Some(served_type) = self.served_type {
            return ExpectedType::OfResource(served_type);
        }
        let built_in = BuiltInType::of(self.name()).map(ExpectedType::BuiltIn);
        built_in.unwrap_or(ExpectedType::Unknown(UnknownType(self.name())))
    }

    /// Whether the kind has a Go type; custom objects have none.
    pub(crate) fn has_go_type(&self) -> bool {
        self.has_protobuf
    }

    /// The same as a `GroupVersionKind`.
    pub(crate) fn name(&self) -> GroupVersionKind<'a> {
        GroupVersionKind { group: self.group, version: self.version, kind: self.kind }
    }

    /// The `apiVersion` of its objects.
    pub(crate) fn api_version(&self) -> String {
        match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }
}

/// Decodes a body as the wanted kind. Only validation finds out that an object without a Go type is of another kind.
pub(crate) fn decode_body(
    bytes: &Bytes,
    media: BodyType,
    wanted: ExpectedKind<'_>,
    strictness: FieldValidation,
) -> Result<DecodedBody, StatusError> {
    let unhandled = |kind: &str, version: &str, why: &str| {
        let own = wanted.kind;
        StatusError::bad_request(format!(
            "{kind} in version {} cannot be handled as a {own}: {why}",
            ratchet_net::Quoted(version)
        ))
    };
    let unexpected = |stated: &str| {
        let expected = wanted.api_version();
        StatusError::bad_request(format!(
            "the API version in the data ({stated}) does not match the expected API version ({expected})"
        ))
    };
    if media == BodyType::Protobuf && !wanted.has_protobuf {
        return Err(unhandled(wanted.kind, wanted.version, NOT_MARSHALABLE));
    }
    let (mut node, repeated, strict) = parse(bytes, media, wanted.kind)?;
    match node.value {
        Value::Map(_) => {}
        // In Go nothing is an object without members.
        Value::Null => node = Node::empty_map(),
        _ => return Err(untyped(wanted.kind, &go_syntax::not_an_object(&node), bytes)),
    }
    let is_old = (wanted.group, node.text_at(&["apiVersion"])) == DEFINITIONS;
    let object_type = wanted.object_type();
    let decoded = Decoded::sent(object_type.as_type(), node, &repeated);
    let decoded = decoded.map_err(|error| match error {
        TypeMetaError::OtherKind { .. } if is_old => unexpected(DEFINITIONS.1),
        TypeMetaError::OtherKind { kind, version, why } => unhandled(&kind, &version, &why),
        TypeMetaError::MissingKind if strictness == FieldValidation::Ignore => {
            unhandled(wanted.kind, wanted.version, &error.message(&String::from_utf8_lossy(bytes)))
        }
        TypeMetaError::NotText { .. }
        | TypeMetaError::NotAVersion(_)
        | TypeMetaError::MissingKind => {
            unrecognized(wanted.kind, &error.message(&String::from_utf8_lossy(bytes)), bytes)
        }
    })?;
    let stated = decoded.object().api_version();
    if stated != wanted.api_version() {
        return Err(unexpected(stated));
    }
    let accepted = decoded.with_strict_errors(strict).accept(strictness);
    let accepted = accepted.map(|(node, warnings)| DecodedBody { node, warnings });
    accepted.map_err(|error| unhandled(wanted.kind, wanted.version, &error.message()))
}

/// Parses a body into a node; `kind` is the wanted kind for the error message.
pub(crate) fn parse(
    bytes: &Bytes,
    media: BodyType,
    kind: &str,
) -> Result<(Node<'static>, Vec<Repeated>, StrictErrors), StatusError> {
    if media == BodyType::Protobuf {
        let node = proto::decode(bytes, Limits::DEFAULT);
        let node = node.map_err(|error| StatusError::bad_request(error.to_string()))?;
        return Ok((node, Vec::new(), StrictErrors::default()));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) if media == BodyType::Json => Cow::Owned(replace_invalid(bytes)),
        Err(_) => return Err(untyped(kind, "yaml: invalid UTF-8 in the body", bytes)),
    };
    let text = text.as_ref();
    if media == BodyType::Json && text.starts_with(BYTE_ORDER_MARK) {
        return Err(untyped(kind, &format!("json parse error: {MARKED}"), bytes));
    }
    // The reference reads the first document and nothing behind it.
    let (document, line) = match media {
        BodyType::Yaml => first_document(text),
        _ => (text, 0),
    };
    let decoded = match media {
        BodyType::Yaml => decode(document, Limits::DEFAULT),
        _ => decode_json(document, Limits::DEFAULT),
    };
    match decoded {
        Ok(mut decoded) if decoded.documents.len() == 1 => {
            let node = decoded.documents.remove(0).into_interned();
            Ok(match media {
                BodyType::Yaml => {
                    let strict = StrictErrors::of_yaml(document, line, &decoded.repeated);
                    (node, Vec::new(), strict)
                }
                _ => (node, decoded.repeated, StrictErrors::default()),
            })
        }
        Ok(_) if media == BodyType::Yaml => {
            Ok((Node::empty_map(), Vec::new(), StrictErrors::default()))
        }
        Ok(_) => {
            Err(untyped(kind, &format!("json parse error: {}", go_syntax::explain(text)), bytes))
        }
        Err(error) => {
            let why = match media {
                BodyType::Yaml => format!("yaml: {error}"),
                _ => go_syntax::explain_or(text, &error.message),
            };
            Err(untyped(kind, &format!("json parse error: {why}"), bytes))
        }
    }
}

/// The first document of a stream that has more than comments and directives, and the number of lines before it.
pub(crate) fn first_document(text: &str) -> (&str, u32) {
    let says_something =
        |line: &str| !matches!(line.trim_start().bytes().next(), None | Some(b'#' | b'%'));
    let mut documents = split_documents(text).map(|document| (document.text, document.line));
    documents.find(|(document, _)| document.lines().any(says_something)).unwrap_or_default()
}

/// The text of JSON that is not UTF-8: as in Go, every byte that is no part of a character becomes U+FFFD.
fn replace_invalid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

/// 400 for a body that says nothing about its kind.
fn untyped(kind: &str, why: &str, bytes: &[u8]) -> StatusError {
    unrecognized(kind, &format!("couldn't get version/kind; {why}"), bytes)
}

/// 400 for a body that the decoder cannot make an object of.
fn unrecognized(kind: &str, why: &str, bytes: &[u8]) -> StatusError {
    StatusError::bad_request(format!(
        "the object provided is unrecognized (must be of type {kind}): {why} ({})",
        summary(bytes)
    ))
}

/// The first bytes of a body for an error message: text if it looks like JSON, else hexadecimal.
pub(super) fn summary(bytes: &[u8]) -> String {
    const SUMMARY_LENGTH: usize = 30;
    let start = bytes.get(..SUMMARY_LENGTH.min(bytes.len())).unwrap_or_default();
    let more = if bytes.len() > SUMMARY_LENGTH { " ..." } else { "" };
    match bytes.first() {
        None => "<empty>".into(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(start)),
        Some(_) => {
            let hex: String = start.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{hex}{more}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG_MAP: ExpectedKind<'static> =
        ExpectedKind::of_kind(GroupVersionKind { group: "", version: "v1", kind: "ConfigMap" });

    fn decoded(
        text: &'static str,
        media: BodyType,
        wanted: ExpectedKind<'_>,
        strictness: FieldValidation,
    ) -> Result<(String, Vec<String>), String> {
        decode_body(&Bytes::from_static(text.as_bytes()), media, wanted, strictness)
            .map(|body| (body.node.to_json(), body.warnings))
            .map_err(|error| error.message)
    }

    #[test]
    fn nothing_is_an_empty_object() {
        let (node, _) =
            decoded("null", BodyType::Json, CONFIG_MAP, FieldValidation::Strict).unwrap();
        assert_eq!(node, r#"{"apiVersion":"v1","kind":"ConfigMap"}"#);
    }

    #[test]
    fn kind_and_version_are_texts() {
        let error = decoded(r#"{"kind":[]}"#, BodyType::Json, CONFIG_MAP, FieldValidation::Warn);
        assert_eq!(
            error.unwrap_err(),
            r#"the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string ({"kind":[]})"#
        );
    }

    #[test]
    fn definitions_have_a_scheme_of_their_own() {
        let wanted = ExpectedKind::of_kind(GroupVersionKind {
            group: "apiextensions.k8s.io",
            version: "v1",
            kind: "CustomResourceDefinition",
        });
        let error =
            |text| decoded(text, BodyType::Json, wanted, FieldValidation::Warn).unwrap_err();
        assert!(error(r#"{"kind":"X"}"#).contains("pkg/apiserver/apiserver.go:55"));
        assert_eq!(
            error(r#"{"apiVersion":"apiextensions.k8s.io/v1beta1"}"#),
            "the API version in the data (apiextensions.k8s.io/v1beta1) does not match the expected API version (apiextensions.k8s.io/v1)"
        );
    }

    #[test]
    fn repeated_keys_of_yaml_are_named_with_their_lines() {
        let text = "# x\n---\ndata:\n  a: b\n  a: c\n";
        let (_, warnings) =
            decoded(text, BodyType::Yaml, CONFIG_MAP, FieldValidation::Warn).unwrap();
        assert_eq!(warnings, [r#"line 5: key "a" already set in map"#]);
    }
}
