//! Patches: three ways to tell only the difference.

use crate::body::{self, Mistyped, Wanted, content_type};
use crate::resource_request::ResourceRequest;
use crate::go_syntax;
use crate::options::{FieldValidation, OptionsKind, WriteOptions};
use crate::status::StatusError;
use ratchet_object::patch::{self, GoText, PatchError};
use ratchet_object::{Limits, Node, Value, schema};

/// The sorts of patch that are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Json,
    Merge,
    Strategic,
}

impl Sort {
    fn read(request: &ResourceRequest<'_>) -> Result<Self, StatusError> {
        match content_type(request.headers) {
            "application/json-patch+json" => Ok(Self::Json),
            "application/merge-patch+json" => Ok(Self::Merge),
            "application/strategic-merge-patch+json" => Ok(Self::Strategic),
            "application/apply-patch+yaml" | "application/apply-patch+cbor" => {
                Err(StatusError::unsupported_media(
                    "server-side apply (application/apply-patch+yaml) is not supported by this server yet; \
                     use client-side apply (kubectl apply --server-side=false)",
                ))
            }
            _ => Err(StatusError::unsupported_media("415: Unsupported Media Type")),
        }
    }
}

/// A patch as it was received.
pub(crate) struct Patch {
    sort: Sort,
    node: Node<'static>,
    fields: FieldValidation,
    /// Whether everything happens but the writing.
    pub dry_run: bool,
}

impl Patch {
    /// Reads the patch of a request.
    pub(crate) fn read(request: &ResourceRequest<'_>) -> Result<Self, StatusError> {
        let sort = Sort::read(request)?;
        let options = WriteOptions::read(request.params, OptionsKind::Patch)?;
        let malformed = |why: &str| match sort {
            // The API says no more about a strategic patch than its reader did.
            Sort::Strategic => StatusError::bad_request(why.to_owned()),
            Sort::Json | Sort::Merge => {
                StatusError::bad_request(format!("error decoding patch: {why}"))
            }
        };
        let text = std::str::from_utf8(request.body).map_err(|_| malformed("invalid UTF-8"))?;
        let decoded = ratchet_object::decode_json(text, Limits::DEFAULT)
            .map_err(|error| malformed(&go_syntax::explain_or(text, &error.message)))?;
        let [node] = decoded.documents.as_slice() else {
            return Err(malformed(&go_syntax::explain(text)));
        };
        let node = node.clone().into_owned();
        let is_list = matches!(node.value, Value::List(_));
        if is_list != (sort == Sort::Json) {
            let what = node.type_name();
            let into = match sort {
                Sort::Json => "[]handlers.jsonPatchOp",
                _ => "map[string]interface {}",
            };
            let why = format!("json: cannot unmarshal {what} into Go value of type {into}");
            return Err(malformed(&why));
        }
        Ok(Self { sort, node, fields: options.fields, dry_run: options.dry_run })
    }

    /// The patched object, of the kind that is wanted.
    pub(crate) fn apply(
        &self,
        request: &ResourceRequest<'_>,
        old: &Node<'static>,
        wanted: Wanted<'_>,
    ) -> Result<Node<'static>, StatusError> {
        let row = schema::kind(wanted.group, wanted.version, wanted.kind);
        let patched = match (self.sort, row) {
            (Sort::Json, _) => patch::json_patch(old.clone(), &self.node),
            (Sort::Strategic, Some(row)) => {
                patch::strategic_merge(old.clone(), &self.node, schema::type_of(row.ty))
            }
            (Sort::Merge, _) | (Sort::Strategic, None) => {
                patch::merge_patch(old.clone(), &self.node)
            }
        };
        let mut patched = patched.map_err(refused)?;
        if self.sort == Sort::Strategic && matches!(patched.value, Value::Map(_)) {
            // The object is patched in its Go type, which has no kind that could change.
            for name in ["apiVersion", "kind"] {
                if let Some(value) = old.get(name) {
                    patched.set(name, value.clone());
                }
            }
        }
        let refuse = |text: String| {
            let cause = format!("Invalid value: {}: {text}", ratchet_net::Quoted(&self.shown(old)));
            StatusError::invalid("", "", "patch", "FieldValueInvalid", &cause)
        };
        body::mismatch(&patched, wanted).map_or(Ok(()), |(_, why)| Err(refuse(why)))?;
        let received = body::typed(patched, Vec::new(), wanted, self.fields).map_err(|error| {
            let text = match error {
                // A strategic patch is made of Go's values, not of text, and bytes are read on the way.
                Mistyped::WrongType(text)
                    if self.sort == Sort::Strategic && text.starts_with("illegal base64") =>
                {
                    format!("error decoding from json: {text}")
                }
                Mistyped::WrongType(text) | Mistyped::Strict(text) => text,
            };
            refuse(text)
        })?;
        for warning in received.warnings {
            request.warnings.add(warning);
        }
        Ok(received.node)
    }

    /// The patch as the API shows it in a refusal.
    fn shown(&self, old: &Node<'static>) -> String {
        match self.sort {
            Sort::Strategic => GoText(&self.node).to_string(),
            Sort::Json => patch::json_patch(old.clone(), &self.node)
                .map_or_else(|_| String::new(), |node| node.to_json()),
            Sort::Merge => patch::merge_patch(old.clone(), &self.node)
                .map_or_else(|_| String::new(), |node| node.to_json()),
        }
    }
}

fn refused(error: PatchError) -> StatusError {
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
