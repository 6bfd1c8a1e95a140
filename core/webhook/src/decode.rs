//! Decoding of answers into the API types of reviews, with the errors of Go's decoder.

use crate::review::ReviewVersion;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{
    Limits, Node, OPTIONS_KINDS, UNVERSIONED_KINDS, Value, decode, decode_base64, decode_json,
    go_syntax,
};

/// The type of a field.
enum Shape {
    /// A string of this Go type.
    Text(&'static str),
    /// The same, of a type in the package of the review.
    ReviewText(&'static str),
    Bool,
    Int32,
    Int64,
    Bytes,
    TextMap,
    TextList,
    /// A struct, or a pointer to one.
    Struct(&'static Struct),
    /// A list of structs.
    Structs(&'static Struct),
    /// An object whose content does not matter.
    Object(&'static str),
    /// A list of this Go type, whose items do not matter.
    AnyList(&'static str),
}

/// A Go struct; fields that it does not have are ignored.
struct Struct {
    name: &'static str,
    /// Whether it is in the package of the review; otherwise it is in that of the metadata.
    is_versioned: bool,
    fields: &'static [(&'static str, Shape)],
}

/// The reviews of one group, in both versions.
pub(crate) struct Family {
    group: &'static str,
    kind: &'static str,
    review: &'static Struct,
    /// Other kinds in the packages of these reviews.
    others: &'static [&'static str],
}

/// Reviews of admission webhooks.
pub(crate) static ADMISSION: Family =
    Family { group: "admission.k8s.io", kind: "AdmissionReview", review: &REVIEW, others: &[] };

/// Reviews of conversion webhooks.
pub(crate) static CONVERSION: Family = Family {
    group: "apiextensions.k8s.io",
    kind: "ConversionReview",
    review: &CONVERSION_REVIEW,
    others: &["CustomResourceDefinition", "CustomResourceDefinitionList"],
};

impl Family {
    /// The `apiVersion` of a review.
    pub(crate) fn api_version(&self, version: ReviewVersion) -> String {
        format!("{}/{}", self.group, version.as_str())
    }

    /// The kind of reviews.
    pub(crate) fn kind(&self) -> &'static str {
        self.kind
    }
}

static CONVERSION_REVIEW: Struct = Struct {
    name: "ConversionReview",
    is_versioned: true,
    fields: &[
        ("request", Shape::Object("ConversionRequest")),
        ("response", Shape::Struct(&CONVERSION_RESPONSE)),
    ],
};

static CONVERSION_RESPONSE: Struct = Struct {
    name: "ConversionResponse",
    is_versioned: true,
    fields: &[
        ("uid", Shape::Text("types.UID")),
        ("convertedObjects", Shape::AnyList("[]runtime.RawExtension")),
        ("result", Shape::Struct(&STATUS)),
    ],
};

static REVIEW: Struct = Struct {
    name: "AdmissionReview",
    is_versioned: true,
    fields: &[
        ("request", Shape::Object("AdmissionRequest")),
        ("response", Shape::Struct(&RESPONSE)),
    ],
};

static RESPONSE: Struct = Struct {
    name: "AdmissionResponse",
    is_versioned: true,
    fields: &[
        ("uid", Shape::Text("types.UID")),
        ("allowed", Shape::Bool),
        ("status", Shape::Struct(&STATUS)),
        ("patch", Shape::Bytes),
        ("patchType", Shape::ReviewText("PatchType")),
        ("auditAnnotations", Shape::TextMap),
        ("warnings", Shape::TextList),
    ],
};

static STATUS: Struct = Struct {
    name: "Status",
    is_versioned: false,
    fields: &[
        ("kind", Shape::Text("string")),
        ("apiVersion", Shape::Text("string")),
        ("metadata", Shape::Struct(&LIST_META)),
        ("status", Shape::Text("string")),
        ("message", Shape::Text("string")),
        ("reason", Shape::Text("v1.StatusReason")),
        ("details", Shape::Struct(&STATUS_DETAILS)),
        ("code", Shape::Int32),
    ],
};

static LIST_META: Struct = Struct {
    name: "ListMeta",
    is_versioned: false,
    fields: &[
        ("selfLink", Shape::Text("string")),
        ("resourceVersion", Shape::Text("string")),
        ("continue", Shape::Text("string")),
        ("remainingItemCount", Shape::Int64),
    ],
};

static STATUS_DETAILS: Struct = Struct {
    name: "StatusDetails",
    is_versioned: false,
    fields: &[
        ("name", Shape::Text("string")),
        ("group", Shape::Text("string")),
        ("kind", Shape::Text("string")),
        ("uid", Shape::Text("types.UID")),
        ("causes", Shape::Structs(&STATUS_CAUSE)),
        ("retryAfterSeconds", Shape::Int32),
    ],
};

static STATUS_CAUSE: Struct = Struct {
    name: "StatusCause",
    is_versioned: false,
    fields: &[
        ("reason", Shape::Text("v1.CauseType")),
        ("message", Shape::Text("string")),
        ("field", Shape::Text("string")),
    ],
};

/// What an answer turns out to be.
pub(crate) enum Decoded {
    /// A review of the expected version.
    Review(Node<'static>),
    /// A Status in the place of a review.
    Status(Node<'static>),
    /// Another kind that is known: its Go type.
    Other(String),
}

/// Decodes an answer; a kind and a version that it does not say are those of `expected`, of which the version alone is
/// known where there is no review to expect. The error is the decoder's.
pub(crate) fn decode_answer(
    body: &[u8],
    family: &'static Family,
    expected: Option<ReviewVersion>,
) -> Result<Decoded, String> {
    let node = parse(body)?;
    let (group, version, kind) = type_of(&node, family, expected)?;
    let known_version = match (group == family.group, version.as_str()) {
        (true, "v1") => Some(ReviewVersion::V1),
        (true, "v1beta1") => Some(ReviewVersion::V1Beta1),
        _ => None,
    };
    match (known_version, kind.as_str()) {
        (Some(found), kind) if kind == family.kind => {
            Walk { package: found.as_str(), path: Vec::new() }.check(&node, family.review)?;
            match expected == Some(found) {
                true => Ok(Decoded::Review(node)),
                false => Ok(Decoded::Other(format!("{}.{kind}", found.as_str()))),
            }
        }
        (Some(found), kind) if family.others.contains(&kind) => {
            Ok(Decoded::Other(format!("{}.{kind}", found.as_str())))
        }
        (_, "Status") => {
            Walk { package: "v1", path: Vec::new() }.check(&node, &STATUS)?;
            Ok(Decoded::Status(node))
        }
        // The client of webhooks knows these, too, and some whatever their version is.
        (_, kind) if UNVERSIONED_KINDS.contains(&kind) => Ok(Decoded::Other(format!("v1.{kind}"))),
        (Some(_), kind) if OPTIONS_KINDS.contains(&kind) => {
            Ok(Decoded::Other(format!("v1.{kind}")))
        }
        (_, kind) => {
            let version =
                if group.is_empty() { version.clone() } else { format!("{group}/{version}") };
            Err(format!(
                "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"k8s.io/apiserver/pkg/util/webhook/client.go:71\""
            ))
        }
    }
}

const LIMITS: Limits = Limits { bytes: crate::call::MAX_RESPONSE_BYTES, ..Limits::DEFAULT };

/// Parses JSON, or YAML where the text does not begin like an object.
fn parse(body: &[u8]) -> Result<Node<'static>, String> {
    const UNKNOWN: &str = "couldn't get version/kind; ";
    // Go replaces what is no UTF-8.
    let text = String::from_utf8_lossy(body);
    let is_json = text.trim_start().starts_with('{');
    let decoded = if is_json { decode_json(&text, LIMITS) } else { decode(&text, LIMITS) };
    let mut documents = match decoded {
        Ok(decoded) => decoded.documents,
        Err(error) if is_json => {
            let why = go_syntax::explain_or(&text, &error.message);
            return Err(format!("{UNKNOWN}json parse error: {why}"));
        }
        Err(error) => return Err(format!("yaml: {error}")),
    };
    if is_json && documents.len() > 1 {
        return Err(format!("{UNKNOWN}json parse error: {}", go_syntax::explain(&text)));
    }
    let node = match documents.is_empty() {
        true => Node::empty_map(),
        false => documents.swap_remove(0).into_owned(),
    };
    match node.value {
        Value::Null => Ok(Node::empty_map()),
        Value::Map(_) => Ok(node),
        _ => Err(format!("{UNKNOWN}{}", go_syntax::not_an_object(&node))),
    }
}

/// Group, version and kind of an answer.
fn type_of(
    node: &Node<'_>,
    family: &'static Family,
    expected: Option<ReviewVersion>,
) -> Result<(String, String, String), String> {
    for name in ["apiVersion", "kind"] {
        let value = node.get(name).filter(|value| !value.is_null() && value.text().is_none());
        if let Some(value) = value {
            let found = value.type_name();
            return Err(format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go struct field .{name} of type string"
            ));
        }
    }
    let api_version = node.text_at(&["apiVersion"]);
    let (group, version) = match api_version.matches('/').count() {
        _ if api_version == "/" => ("", ""),
        0 => ("", api_version),
        1 => api_version.split_once('/').unwrap_or(("", api_version)),
        _ => return Err(format!("unexpected GroupVersion string: {api_version}")),
    };
    let kind = node.text_at(&["kind"]);
    let (default_group, default_version, default_kind) = match expected {
        Some(version) => (family.group, version.as_str(), family.kind),
        None => ("", "v1", ""),
    };
    let kind = if kind.is_empty() { default_kind } else { kind };
    let (group, version) = match (group, version) {
        ("", "") => (default_group, default_version),
        (group, "") if group == default_group => (group, default_version),
        other => other,
    };
    let body = || node.to_json();
    if kind.is_empty() {
        return Err(format!("Object 'Kind' is missing in '{}'", body()));
    }
    if version.is_empty() {
        return Err(format!("Object 'apiVersion' is missing in '{}'", body()));
    }
    Ok((group.to_string(), version.to_string(), kind.to_string()))
}

/// A walk through an answer, in the order of its members.
struct Walk<'n> {
    package: &'static str,
    path: Vec<&'n str>,
}

impl<'n> Walk<'n> {
    fn check(&mut self, node: &'n Node<'n>, ty: &'static Struct) -> Result<(), String> {
        for entry in node.entries() {
            let field = ty.fields.iter().find(|(name, _)| *name == entry.key);
            if let Some((_, shape)) = field {
                self.path.push(&entry.key);
                self.value(&entry.node, shape, ty)?;
                self.path.pop();
            }
        }
        Ok(())
    }

    fn value(
        &mut self,
        node: &'n Node<'n>,
        shape: &'static Shape,
        owner: &'static Struct,
    ) -> Result<(), String> {
        let wrong = |walk: &Self, node: &Node<'_>, ty: &str| {
            let number = match (&node.value, shape) {
                (Value::Int(number), Shape::Int32) => format!("number {number}"),
                (Value::Float(number), Shape::Int32 | Shape::Int64) => format!("number {number:?}"),
                _ => node.type_name().to_string(),
            };
            let (name, path) = (owner.name, walk.path.join("."));
            Err(format!(
                "json: cannot unmarshal {number} into Go struct field {name}.{path} of type {ty}"
            ))
        };
        match (shape, &node.value) {
            (_, Value::Null)
            | (Shape::Text(_) | Shape::ReviewText(_), Value::Text(_))
            | (Shape::Bool, Value::Bool(_))
            | (Shape::Int64, Value::Int(_))
            | (Shape::Object(_), Value::Map(_))
            | (Shape::AnyList(_), Value::List(_)) => Ok(()),
            (Shape::Int32, Value::Int(number)) if i32::try_from(*number).is_ok() => Ok(()),
            (Shape::Bytes, Value::Text(text)) => match decode_base64(text) {
                Ok(_) => Ok(()),
                Err(offset) => Err(format!("illegal base64 data at input byte {offset}")),
            },
            (Shape::Struct(inner), Value::Map(_)) => self.check(node, inner),
            (Shape::Structs(inner), Value::List(items)) => {
                items.iter().try_for_each(|item| match item.value {
                    Value::Map(_) => self.check(item, inner),
                    Value::Null => Ok(()),
                    _ => wrong(self, item, &format!("v1.{}", inner.name)),
                })
            }
            (Shape::TextMap, Value::Map(entries)) => {
                let other = entries.iter().map(|entry| &entry.node).find(|node| !is_text(node));
                other.map_or(Ok(()), |node| wrong(self, node, "string"))
            }
            (Shape::TextList, Value::List(items)) => {
                let other = items.iter().find(|node| !is_text(node));
                other.map_or(Ok(()), |node| wrong(self, node, "string"))
            }
            (Shape::Text(ty) | Shape::AnyList(ty), _) => wrong(self, node, ty),
            (Shape::ReviewText(ty) | Shape::Object(ty), _) => {
                wrong(self, node, &format!("{}.{ty}", self.package))
            }
            (Shape::Bool, _) => wrong(self, node, "bool"),
            (Shape::Int32, _) => wrong(self, node, "int32"),
            (Shape::Int64, _) => wrong(self, node, "int64"),
            (Shape::Bytes, _) => wrong(self, node, "[]uint8"),
            (Shape::TextMap, _) => wrong(self, node, "map[string]string"),
            (Shape::TextList, _) => wrong(self, node, "[]string"),
            (Shape::Struct(inner), _) => {
                let package = if inner.is_versioned { self.package } else { "v1" };
                wrong(self, node, &format!("{package}.{}", inner.name))
            }
            (Shape::Structs(inner), _) => wrong(self, node, &format!("[]v1.{}", inner.name)),
        }
    }
}

fn is_text(node: &Node<'_>) -> bool {
    matches!(node.value, Value::Text(_) | Value::Null)
}
