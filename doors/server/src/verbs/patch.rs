//! JSON patch, merge patch and strategic merge patch.

use crate::app::resource_request::ResourceRequest;
use crate::request::body::{self, ExpectedKind, content_type};
use crate::request::go_syntax;
use crate::request::options::{OptionsKind, WriteOptions};
use crate::status::StatusError;
use crate::verbs::restored::restored;
use ratchet_object::patch::{self, GoText, PatchError};
use ratchet_object::{Limits, Node, Value};
use ratchet_pipeline::{
    Decoded, FieldValidation, InvalidFields, LEGACY_SCHEME, ObjectType, StrictErrors,
};

/// Where the reference keeps the Scale of custom objects, as its errors name the place.
const SCALE_SCHEME: &str = "k8s.io/client-go/scale/util.go:146";

/// The supported patch types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatchType {
    Json,
    Merge,
    Strategic,
}

/// The patch types by their content types.
const PATCH_TYPES: [(&str, PatchType); 3] = [
    ("application/json-patch+json", PatchType::Json),
    ("application/merge-patch+json", PatchType::Merge),
    ("application/strategic-merge-patch+json", PatchType::Strategic),
];

impl PatchType {
    fn from_headers(request: &ResourceRequest<'_>) -> Result<Self, StatusError> {
        let (sent, accepted) = (content_type(request.headers), request.resource.media_types());
        let found = PATCH_TYPES.iter().find(|(name, _)| *name == sent);
        match found.filter(|(name, _)| accepted.patches.contains(name)) {
            Some((_, patch_type)) => Ok(*patch_type),
            None => Err(StatusError::unsupported_media(accepted.unknown_patch)),
        }
    }
}

/// A decoded patch.
pub(crate) struct Patch {
    patch_type: PatchType,
    node: Node<'static>,
    fields: FieldValidation,
    strict: StrictErrors,
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
        let strict = match patch_type {
            PatchType::Json => StrictErrors::of_json_patch(&node, &decoded.repeated),
            _ => StrictErrors::of_merge_patch(&decoded.repeated),
        };
        Ok(Self { patch_type, node, fields: options.fields, strict, dry_run: options.dry_run })
    }

    /// Applies the patch; the result must be an object of the wanted kind.
    pub(crate) fn apply(
        &self,
        request: &ResourceRequest<'_>,
        old: &Node<'static>,
        wanted: ExpectedKind<'_>,
    ) -> Result<Node<'static>, StatusError> {
        let object_type = wanted.object_type();
        let object_type = object_type.as_type();
        let patched = self.patched(old, object_type).map_err(patch_error)?;
        let decoded = Decoded::sent(object_type, patched, &[]).map_err(|error| {
            let text = self.display(old, object_type);
            let why = error.message(&text);
            // The reference decodes the Scale of a custom object elsewhere.
            let why = match request.resource.has_go_type() {
                true => why,
                false => why.replace(LEGACY_SCHEME, SCALE_SCHEME),
            };
            invalid_patch(&text, &why)
        })?;
        let decoded = decoded.with_strict_errors(self.strict.clone());
        let (patched, warnings) = decoded.accept(self.fields).map_err(|error| {
            invalid_patch(&self.display(old, object_type), &self.explain(&error))
        })?;
        warnings.into_iter().for_each(|warning| request.warnings.add(warning));
        Ok(patched)
    }

    /// What the patch makes of an object.
    fn patched(
        &self,
        old: &Node<'static>,
        object_type: &dyn ObjectType,
    ) -> Result<Node<'static>, PatchError> {
        let mut patched = match (self.patch_type, object_type.merge_type()) {
            (PatchType::Json, _) => patch::json_patch(old.clone(), &self.node),
            (PatchType::Strategic, Some(merge_type)) => {
                patch::strategic_merge(old.clone(), &self.node, merge_type)
            }
            (PatchType::Merge, _) | (PatchType::Strategic, None) => {
                patch::merge_patch(old.clone(), &self.node)
            }
        }?;
        if self.patch_type == PatchType::Strategic && matches!(patched.value, Value::Map(_)) {
            // The reference patches the Go type, which has no kind that could change.
            for name in ["apiVersion", "kind"] {
                if let Some(value) = old.get(name) {
                    patched.set(name, value.clone());
                }
            }
        }
        Ok(patched)
    }

    /// The error about fields of the result, as the reference words it.
    fn explain(&self, error: &InvalidFields) -> String {
        match error {
            // The reference decodes base64 while it converts a strategic patch's values.
            InvalidFields::WrongType(text)
                if self.patch_type == PatchType::Strategic
                    && text.starts_with("illegal base64") =>
            {
                format!("error decoding from json: {text}")
            }
            InvalidFields::WrongType(text) if self.patch_type == PatchType::Strategic => {
                restored(text.clone())
            }
            InvalidFields::WrongType(_) | InvalidFields::Strict(_) => error.message(),
        }
    }

    /// The patch, or the object that it leaves, as the reference prints it in an error message.
    fn display(&self, old: &Node<'static>, object_type: &dyn ObjectType) -> String {
        match self.patch_type {
            PatchType::Strategic => GoText(&self.node).to_string(),
            PatchType::Json | PatchType::Merge => {
                let patched = self.patched(old, object_type);
                patched.map_or_else(
                    |_| String::new(),
                    |mut node| {
                        object_type.normalize_patched(&mut node);
                        node.to_json()
                    },
                )
            }
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
