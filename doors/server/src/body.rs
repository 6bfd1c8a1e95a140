//! The body of a request becomes an object of the kind that the endpoint takes.

use crate::go_syntax;
use crate::options::FieldValidation;
use crate::registry::ServedResource;
use crate::status::StatusError;
use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use ratchet_object::{
    Limits, Node, Object, Repeated, Value, ViolationKind, decode, misfits, proto, prune, schema,
};
use ratchet_policy::KindName;

/// Requests larger than this are refused.
pub(crate) const LIMIT: usize = 3 << 20;

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyType {
    /// JSON, also assumed where nothing is said.
    Json,
    /// YAML.
    Yaml,
    /// Kubernetes' protobuf envelope.
    Protobuf,
}

/// The content type without its parameters.
pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}

impl BodyType {
    /// Reads the content type.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Result<Self, StatusError> {
        match content_type(headers) {
            "" | "application/json" => Ok(Self::Json),
            "application/yaml" => Ok(Self::Yaml),
            "application/vnd.kubernetes.protobuf" => Ok(Self::Protobuf),
            _ => Err(StatusError::unknown_body_type()),
        }
    }
}

/// What a body held.
pub(crate) struct Received {
    /// The object, typed and pruned by its schema, with kind and version set.
    pub node: Node<'static>,
    /// What its writer is to be told.
    pub warnings: Vec<String>,
}

/// What an endpoint takes.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// API group.
    pub group: &'a str,
    /// API version.
    pub version: &'a str,
    /// The kind.
    pub kind: &'a str,
}

impl<'a> Wanted<'a> {
    /// What the main endpoint of a resource takes.
    pub(crate) fn of(resource: &'a ServedResource) -> Self {
        Self { group: resource.row.group, version: resource.row.version, kind: resource.row.kind }
    }

    /// Its full name.
    pub(crate) fn name(&self) -> KindName<'a> {
        KindName { group: self.group, version: self.version, kind: self.kind }
    }

    /// `group/version` as objects write it.
    pub(crate) fn api_version(&self) -> String {
        match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }
}

/// Decodes a body as the kind that is wanted.
pub(crate) fn receive(
    bytes: &Bytes,
    media: BodyType,
    wanted: Wanted<'_>,
    strictness: FieldValidation,
) -> Result<Received, StatusError> {
    let (node, repeated) = parse(bytes, media, wanted.kind)?;
    let Value::Map(_) = node.value else {
        return Err(unrecognized(wanted.kind, &go_syntax::not_an_object(&node), bytes));
    };
    check_kind(&node, wanted)?;
    typed(node, repeated, wanted, strictness).map_err(|error| match error {
        Mistyped::WrongType(text) => {
            let (kind, version) = (wanted.kind, wanted.version);
            StatusError::bad_request(format!(
                "{kind} in version \"{version}\" cannot be handled as a {kind}: {text}"
            ))
        }
        Mistyped::Strict(text) => {
            let (kind, version) = (wanted.kind, wanted.version);
            StatusError::bad_request(format!(
                "{kind} in version \"{version}\" cannot be handled as a {kind}: {text}"
            ))
        }
    })
}

/// Why a tree is not an object of its kind.
pub(crate) enum Mistyped {
    /// A value has the wrong type.
    WrongType(String),
    /// A field is unknown or repeated, and the writer asked for strictness.
    Strict(String),
}

/// Sets the kind, checks all types, and drops what the schema does not know.
pub(crate) fn typed(
    mut node: Node<'static>,
    repeated: Vec<Repeated>,
    wanted: Wanted<'_>,
    strictness: FieldValidation,
) -> Result<Received, Mistyped> {
    node.set("apiVersion", Node::string(wanted.api_version()));
    node.set("kind", Node::string(wanted.kind.to_owned()));
    let object = Object::new(node);
    let mut odd: Vec<(u32, String)> = Vec::new();
    for misfit in misfits(&object) {
        match misfit.oddity {
            ViolationKind::WrongType(text) => return Err(Mistyped::WrongType(text)),
            ViolationKind::Unknown => {
                odd.push((misfit.span.start, format!("unknown field \"{}\"", misfit.path)));
            }
        }
    }
    for again in repeated {
        odd.push((again.span.start, format!("duplicate field \"{}\"", again.path)));
    }
    odd.sort_by_key(|(at, _)| *at);
    let mut texts: Vec<String> = odd.into_iter().map(|(_, text)| text).collect();
    match strictness {
        FieldValidation::Ignore => texts.clear(),
        FieldValidation::Warn => {}
        FieldValidation::Strict if texts.is_empty() => {}
        FieldValidation::Strict => {
            let text = format!("strict decoding error: {}", texts.join(", "));
            return Err(Mistyped::Strict(text));
        }
    }
    let mut node = object.into_node();
    if let Some(row) = schema::kind(wanted.group, wanted.version, wanted.kind) {
        prune(&mut node, row.ty);
    }
    Ok(Received { node, warnings: texts })
}

/// Reads a body as a tree; `kind` is what is wanted, and named where it cannot be read.
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
    let Ok(text) = std::str::from_utf8(bytes) else {
        let error = "json parse error: invalid UTF-8 in the body";
        return Err(unrecognized(kind, error, bytes));
    };
    let decoded = match media {
        BodyType::Yaml => decode(text, Limits::DEFAULT),
        _ => ratchet_object::decode_json(text, Limits::DEFAULT),
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

fn unrecognized(kind: &str, why: &str, bytes: &[u8]) -> StatusError {
    StatusError::bad_request(format!(
        "the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; {why} ({})",
        summary(bytes)
    ))
}

/// The beginning of a body, as the API shows it: text if it looks like JSON, else hexadecimal.
fn summary(bytes: &[u8]) -> String {
    const SHOWN: usize = 30;
    let start = bytes.get(..SHOWN.min(bytes.len())).unwrap_or_default();
    let more = if bytes.len() > SHOWN { " ..." } else { "" };
    match bytes.first() {
        None => "<empty>".into(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(start)),
        Some(_) => {
            let hex: String = start.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{hex}{more}")
        }
    }
}

/// Refuses a body that names another kind than the endpoint takes.
fn check_kind(node: &Node<'_>, wanted: Wanted<'_>) -> Result<(), StatusError> {
    let Some((named, why)) = mismatch(node, wanted) else { return Ok(()) };
    Err(StatusError::bad_request(format!("{named} cannot be handled as a {}: {why}", wanted.kind)))
}

/// What an object claims to be, and why that is not what is wanted; none if it is, or says nothing.
pub(crate) fn mismatch(node: &Node<'_>, wanted: Wanted<'_>) -> Option<(String, String)> {
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
        let internal = if wanted.group.is_empty() { "core" } else { short(wanted.group) };
        format!("converting ({version}.{kind}) to ({internal}.{}): unknown conversion", wanted.kind)
    } else {
        let shown =
            if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        format!(
            "no kind \"{kind}\" is registered for version \"{shown}\" in scheme \"pkg/api/legacyscheme/scheme.go:30\""
        )
    };
    Some((format!("{kind} in version \"{version}\""), why))
}

fn short(group: &str) -> &str {
    group.split('.').next().unwrap_or(group)
}
