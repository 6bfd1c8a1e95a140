//! JSON patch, merge patch and strategic merge patch.

use crate::app::resource_request::ResourceRequest;
use crate::request::body::{self, DecodeError, ExpectedKind, content_type};
use crate::request::options::{OptionsKind, WriteOptions};
use crate::request::{go_syntax, unstructured};
use crate::status::StatusError;
use crate::verbs::restored::restored;
use ratchet_object::patch::{self, GoText, PatchError};
use ratchet_object::{Limits, Node, Value};
use ratchet_pipeline::FieldValidation;

/// The answer to other patches of custom objects, which have no Go type and thus no strategic merge.
const CUSTOM_TYPES: &str = "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";

/// The supported patch types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatchType {
    Json,
    Merge,
    Strategic,
}

impl PatchType {
    fn from_headers(request: &ResourceRequest<'_>) -> Result<Self, StatusError> {
        let is_custom = request.resource.defined().is_some();
        match content_type(request.headers).as_str() {
            "application/json-patch+json" => Ok(Self::Json),
            "application/merge-patch+json" => Ok(Self::Merge),
            "application/strategic-merge-patch+json" if !is_custom => Ok(Self::Strategic),
            _ if is_custom => Err(StatusError::unsupported_media(CUSTOM_TYPES)),
            _ => Err(StatusError::unsupported_media("415: Unsupported Media Type")),
        }
    }
}

/// A decoded patch.
pub(crate) struct Patch {
    patch_type: PatchType,
    node: Node<'static>,
    fields: FieldValidation,
    /// `dryRun=All`.
    pub dry_run: bool,
}

impl Patch {
    /// Decodes the patch of a request.
    pub(crate) fn decode(request: &ResourceRequest<'_>) -> Result<Self, StatusError> {
        let patch_type = PatchType::from_headers(request)?;
        let options = WriteOptions::from_params(request.params, OptionsKind::Patch)?;
        let malformed = |why: &str| match patch_type {
            // The reference reports a malformed strategic patch without a prefix.
            PatchType::Strategic => StatusError::bad_request(why.to_owned()),
            PatchType::Json | PatchType::Merge => {
                StatusError::bad_request(format!("error decoding patch: {why}"))
            }
        };
        let text = std::str::from_utf8(request.body).map_err(|_| malformed("invalid UTF-8"))?;
        if text.starts_with(body::BYTE_ORDER_MARK) {
            return Err(malformed(body::MARKED));
        }
        let decoded = ratchet_object::decode_json(text, Limits::DEFAULT)
            .map_err(|error| malformed(&go_syntax::explain_or(text, &error.message)))?;
        let [node] = decoded.documents.as_slice() else {
            return Err(malformed(&go_syntax::explain(text)));
        };
        let mut node = node.clone().into_owned();
        if patch_type == PatchType::Json && node.is_null() {
            // In Go nothing is a list without operations.
            node = Node::list(Vec::new());
        }
        let is_list = matches!(node.value, Value::List(_));
        if is_list != (patch_type == PatchType::Json) {
            let what = node.type_name();
            let into = match patch_type {
                PatchType::Json => "[]handlers.jsonPatchOp",
                _ => "map[string]interface {}",
            };
            let why = format!("json: cannot unmarshal {what} into Go value of type {into}");
            return Err(malformed(&why));
        }
        Ok(Self { patch_type, node, fields: options.fields, dry_run: options.dry_run })
    }

    /// Applies the patch; the result must be an object of the wanted kind.
    pub(crate) fn apply(
        &self,
        request: &ResourceRequest<'_>,
        old: &Node<'static>,
        wanted: ExpectedKind<'_>,
    ) -> Result<Node<'static>, StatusError> {
        let patched = match (self.patch_type, wanted.merge_type()) {
            (PatchType::Json, _) => patch::json_patch(old.clone(), &self.node),
            (PatchType::Strategic, Some(merge_type)) => {
                patch::strategic_merge(old.clone(), &self.node, merge_type)
            }
            (PatchType::Merge, _) | (PatchType::Strategic, None) => {
                patch::merge_patch(old.clone(), &self.node)
            }
        };
        let mut patched = patched.map_err(patch_error)?;
        if self.patch_type == PatchType::Strategic && matches!(patched.value, Value::Map(_)) {
            // The reference patches the Go type, which has no kind that could change.
            for name in ["apiVersion", "kind"] {
                if let Some(value) = old.get(name) {
                    patched.set(name, value.clone());
                }
            }
        }
        if wanted.is_unstructured {
            return self.decode_custom(request, patched, wanted);
        }
        let invalid_patch = |text: String| invalid_patch(&self.display(old), &text);
        body::mismatch(&patched, wanted).map_or(Ok(()), |(_, why)| Err(invalid_patch(why)))?;
        let received =
            body::check_types(patched, Vec::new(), wanted, self.fields).map_err(|error| {
                let text = match error {
                    // The reference decodes base64 while it converts a strategic patch's values.
                    DecodeError::WrongType(text)
                        if self.patch_type == PatchType::Strategic
                            && text.starts_with("illegal base64") =>
                    {
                        format!("error decoding from json: {text}")
                    }
                    DecodeError::WrongType(text) if self.patch_type == PatchType::Strategic => {
                        restored(text)
                    }
                    DecodeError::WrongType(text) | DecodeError::Strict(text) => text,
                };
                invalid_patch(text)
            })?;
        for warning in received.warnings {
            request.warnings.add(warning);
        }
        Ok(received.node)
    }

    /// The result of a patch of a custom object.
    fn decode_custom(
        &self,
        request: &ResourceRequest<'_>,
        mut patched: Node<'static>,
        wanted: ExpectedKind<'_>,
    ) -> Result<Node<'static>, StatusError> {
        request.resource.canonicalize(&mut patched);
        let text = patched.to_json();
        if patched.text_at(&["kind"]).is_empty() {
            return Err(invalid_patch(&text, &unstructured::missing_kind(&text)));
        }
        let received = unstructured::decode(patched, &[], wanted, self.fields);
        let received = received.map_err(|error| match error {
            DecodeError::WrongType(why) | DecodeError::Strict(why) => invalid_patch(&text, &why),
        })?;
        for warning in received.warnings {
            request.warnings.add(warning);
        }
        Ok(received.node)
    }

    /// The patch as the reference prints it in an error message.
    fn display(&self, old: &Node<'static>) -> String {
        match self.patch_type {
            PatchType::Strategic => GoText(&self.node).to_string(),
            PatchType::Json => patch::json_patch(old.clone(), &self.node)
                .map_or_else(|_| String::new(), |node| node.to_json()),
            PatchType::Merge => patch::merge_patch(old.clone(), &self.node)
                .map_or_else(|_| String::new(), |node| node.to_json()),
        }
    }
}

/// 422 for a patch whose result is no object of the kind.
fn invalid_patch(patched: &str, why: &str) -> StatusError {
    let cause = format!("Invalid value: {}: {why}", ratchet_net::Quoted(patched));
    StatusError::invalid("", "", "patch", "FieldValueInvalid", &cause)
}

fn patch_error(error: PatchError) -> StatusError {
    match error {
        PatchError::Unprocessable(_) => StatusError::unprocessable(),
        other => StatusError {
            code: other.code(),
            reason: other.reason(),
            message: other.message(),
            ..StatusError::default()
        },
    }
}
