//! Decoding of request bodies into objects of the kind that an endpoint accepts.

use crate::registry::ServedResource;
use crate::request::{go_syntax, media_type, unstructured};
use crate::status::StatusError;
use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use ratchet_object::schema::TypeRow;
use ratchet_object::{
    GroupVersionKind, Limits, Node, Repeated, Value, decode, decode_json, proto, schema,
    split_documents,
};
pub(crate) use ratchet_pipeline::InvalidFields as DecodeError;
use ratchet_pipeline::{BuiltInType, FieldReport, FieldValidation, ObjectType, UnknownType};
use std::borrow::Cow;

/// The maximum size of a request body.
pub(crate) const LIMIT: usize = 3 << 20;

/// The mark that some editors put before a text; JSON must not have it.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';
/// What Go says of it: it reads bytes.
pub(crate) const MARKED: &str = "invalid character 'ï' looking for beginning of value";

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

/// A decoded body.
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
    /// The kind, which is set in every decoded body.
    pub kind: &'a str,
    /// How its objects are decoded; `None` for a built-in kind that is no resource of its own.
    object_type: Option<&'a dyn ObjectType>,
    /// Whether it is defined at run time: its objects have no Go type.
    pub is_unstructured: bool,
}

impl<'a> ExpectedKind<'a> {
    /// The kind of a resource's main endpoint.
    pub(crate) fn of(resource: &'a ServedResource) -> Self {
        let object_type = Some(resource.object_type().as_ref());
        let is_unstructured = resource.defined().is_some();
        Self { object_type, is_unstructured, ..Self::of_kind(resource.row().gvk()) }
    }

    /// A built-in kind.
    pub(crate) const fn of_kind(gvk: GroupVersionKind<'a>) -> Self {
        let GroupVersionKind { group, version, kind } = gvk;
        Self { group, version, kind, object_type: None, is_unstructured: false }
    }

    /// How objects of the kind are decoded; none for a built-in kind that is no resource of its own.
    pub(crate) fn object_type(&self) -> Option<&'a dyn ObjectType> {
        self.object_type
    }

    /// Drops what decoding drops: unknown fields, and `null`.
    pub(crate) fn prune(&self, node: &mut Node<'static>) {
        self.decode(node, &[]);
    }

    /// The type for strategic merge patches, if there are any of this kind.
    pub(crate) fn merge_type(&self) -> Option<&'static TypeRow> {
        match self.object_type {
            Some(object_type) => object_type.merge_type(),
            None => BuiltInType::of(self.name()).and_then(|built_in| built_in.merge_type()),
        }
    }

    /// Reports unknown, duplicate and mistyped fields, and prunes what the kind does not know.
    pub(super) fn decode(&self, node: &mut Node<'static>, repeated: &[Repeated]) -> FieldReport {
        match (self.object_type, BuiltInType::of(self.name())) {
            (Some(object_type), _) => object_type.decode(node, repeated),
            (None, Some(built_in)) => built_in.decode(node, repeated),
            (None, None) => UnknownType.decode(node, repeated),
        }
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

/// Decodes a body as the wanted kind.
pub(crate) fn decode_body(
    bytes: &Bytes,
    media: BodyType,
    wanted: ExpectedKind<'_>,
    strictness: FieldValidation,
) -> Result<DecodedBody, StatusError> {
    if wanted.is_unstructured {
        return unstructured::decode_body(bytes, media, wanted, strictness);
    }
    let (mut node, repeated) = parse(bytes, media, wanted.kind)?;
    match node.value {
        Value::Map(_) => {}
        // In Go nothing is an object without members.
        Value::Null => node = Node::empty_map(),
        _ => return Err(unrecognized(wanted.kind, &go_syntax::not_an_object(&node), bytes)),
    }
    check_kind(&node, wanted)?;
    check_types(node, repeated, wanted, strictness).map_err(|error| match error {
        DecodeError::WrongType(text) => {
            let (kind, version) = (wanted.kind, wanted.version);
            StatusError::bad_request(format!(
                "{kind} in version \"{version}\" cannot be handled as a {kind}: {text}"
            ))
        }
        DecodeError::Strict(text) => {
            let (kind, version) = (wanted.kind, wanted.version);
            StatusError::bad_request(format!(
                "{kind} in version \"{version}\" cannot be handled as a {kind}: {text}"
            ))
        }
    })
}

/// Sets `kind` and `apiVersion`, checks all types, and prunes unknown fields.
pub(crate) fn check_types(
    mut node: Node<'static>,
    repeated: Vec<Repeated>,
    wanted: ExpectedKind<'_>,
    strictness: FieldValidation,
) -> Result<DecodedBody, DecodeError> {
    node.set("apiVersion", Node::string(wanted.api_version()));
    node.set("kind", Node::string(wanted.kind.to_owned()));
    let warnings = wanted.decode(&mut node, &repeated).accept(strictness)?;
    Ok(DecodedBody { node, warnings })
}

/// Parses a body into a node; `kind` is the wanted kind for the error message.
pub(crate) fn parse(
    bytes: &Bytes,
    media: BodyType,
    kind: &str,
) -> Result<(Node<'static>, Vec<Repeated>), StatusError> {
    if media == BodyType::Protobuf {
        let node = proto::decode(bytes, Limits::DEFAULT);
        let node = node.map_err(|error| StatusError::bad_request(error.to_string()))?;
        return Ok((node, Vec::new()));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) if media == BodyType::Json => Cow::Owned(replace_invalid(bytes)),
        Err(_) => return Err(unrecognized(kind, "yaml: invalid UTF-8 in the body", bytes)),
    };
    let text = text.as_ref();
    if media == BodyType::Json && text.starts_with(BYTE_ORDER_MARK) {
        return Err(unrecognized(kind, &format!("json parse error: {MARKED}"), bytes));
    }
    let decoded = match media {
        // The reference reads the first document and nothing behind it.
        BodyType::Yaml => decode(first_document(text), Limits::DEFAULT),
        _ => decode_json(text, Limits::DEFAULT),
    };
    match decoded {
        Ok(mut decoded) if decoded.documents.len() == 1 => {
            let node = decoded.documents.remove(0).into_owned();
            Ok((node, decoded.repeated))
        }
        Ok(_) if media == BodyType::Yaml => Ok((Node::empty_map(), Vec::new())),
        Ok(_) => Err(unrecognized(
            kind,
            &format!("json parse error: {}", go_syntax::explain(text)),
            bytes,
        )),
        Err(error) => {
            let why = match media {
                BodyType::Yaml => format!("yaml: {error}"),
                _ => go_syntax::explain_or(text, &error.message),
            };
            Err(unrecognized(kind, &format!("json parse error: {why}"), bytes))
        }
    }
}

/// The first document of a stream that has more than comments and directives.
fn first_document(text: &str) -> &str {
    let says_something =
        |line: &str| !matches!(line.trim_start().bytes().next(), None | Some(b'#' | b'%'));
    let mut documents = split_documents(text).map(|document| document.text);
    documents.find(|document| document.lines().any(says_something)).unwrap_or_default()
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

pub(super) fn unrecognized(kind: &str, why: &str, bytes: &[u8]) -> StatusError {
    StatusError::bad_request(format!(
        "the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; {why} ({})",
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

/// Rejects a body of another kind than the endpoint accepts.
fn check_kind(node: &Node<'_>, wanted: ExpectedKind<'_>) -> Result<(), StatusError> {
    let Some((named, why)) = mismatch(node, wanted) else { return Ok(()) };
    Err(StatusError::bad_request(format!("{named} cannot be handled as a {}: {why}", wanted.kind)))
}

/// The stated kind and the error if it is not the wanted one; none if it matches or is absent.
pub(crate) fn mismatch(node: &Node<'_>, wanted: ExpectedKind<'_>) -> Option<(String, String)> {
    let api_version = node.text_at(&["apiVersion"]);
    let named = node.text_at(&["kind"]);
    let (group, version) = match api_version {
        "" => (wanted.group, wanted.version),
        text => text.rsplit_once('/').unwrap_or(("", text)),
    };
    let kind = if named.is_empty() { wanted.kind } else { named };
    if (group, version, kind) == (wanted.group, wanted.version, wanted.kind) {
        return None;
    }
    let known = kind.strip_suffix("List").unwrap_or(kind);
    let why = if schema::kind(group, version, known).is_some() {
        let internal = if wanted.group.is_empty() { "core" } else { group_prefix(wanted.group) };
        format!("converting ({version}.{kind}) to ({internal}.{}): unknown conversion", wanted.kind)
    } else {
        let api_version_text =
            if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        format!(
            "no kind \"{kind}\" is registered for version \"{api_version_text}\" in scheme \"pkg/api/legacyscheme/scheme.go:30\""
        )
    };
    Some((format!("{kind} in version \"{version}\""), why))
}

fn group_prefix(group: &str) -> &str {
    group.split('.').next().unwrap_or(group)
}
