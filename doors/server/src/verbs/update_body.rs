//! `UpdateBody`: the body of a PUT or PATCH to an object or subresource.

use crate::app::resource_request::ResourceRequest;
use crate::request::body::{ExpectedKind, content_type};
use crate::request::options::{OptionsKind, WriteOptions};
use crate::status::StatusError;
use crate::verbs::apply::{APPLY_YAML, ApplyPatch};
use crate::verbs::managed_fields::Tracking;
use crate::verbs::owners::{self, DedupStage};
use crate::verbs::patch::Patch;
use crate::verbs::write::{NAMESPACE_MISMATCH, Preconditions};
use ratchet_object::Node;

/// The answer to every Scale of a custom object that cannot be decoded.
const NO_SCALE_KIND: &str = "no kind is registered for the type v1.Scale in scheme \"k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781\"";

/// A decoded PUT or PATCH body.
pub(crate) struct UpdateBody<'a> {
    body: Body,
    wanted: ExpectedKind<'a>,
    /// `dryRun=All`.
    pub(crate) dry_run: bool,
}

enum Body {
    Whole(Node<'static>),
    Patch(Patch),
    Apply(ApplyPatch),
}

impl<'a> UpdateBody<'a> {
    /// Decodes an object of the wanted kind, or a patch of one.
    pub(crate) fn decode(
        request: &ResourceRequest<'_>,
        verb: &str,
        wanted: ExpectedKind<'a>,
    ) -> Result<Self, StatusError> {
        if verb == "patch" && content_type(request.headers) == APPLY_YAML {
            let apply = ApplyPatch::decode(request)?;
            return Ok(Self { dry_run: apply.dry_run, body: Body::Apply(apply), wanted });
        }
        if verb == "patch" {
            let patch = Patch::decode(request)?;
            return Ok(Self { dry_run: patch.dry_run, body: Body::Patch(patch), wanted });
        }
        let options = WriteOptions::from_params(request.params, OptionsKind::Update)?;
        let node = request.object_of(wanted, options.fields);
        // The reference does not find the kind for the error.
        let is_custom_scale = wanted.has_go_type() && !request.resource.has_go_type();
        let mut node =
            node.map_err(|error| match is_custom_scale && error.reason == "BadRequest" {
                true => StatusError::bad_request(NO_SCALE_KIND),
                false => error,
            })?;
        check_name(request, &node)?;
        owners::deduplicate(request, &mut node, DedupStage::Request);
        Ok(Self { dry_run: options.dry_run, body: Body::Whole(node), wanted })
    }

    /// Who sets the `managedFields` of the result.
    pub(crate) fn tracking(&self) -> Tracking {
        match &self.body {
            Body::Whole(_) | Body::Patch(_) => Tracking::Update,
            Body::Apply(_) => Tracking::Done,
        }
    }

    /// Whether the body can create an object, of a kind that a PUT may create or may not.
    pub(crate) fn can_create(&self, allows_create_on_update: bool) -> bool {
        match &self.body {
            Body::Whole(_) => allows_create_on_update,
            Body::Patch(_) => false,
            Body::Apply(_) => true,
        }
    }

    /// The object that the body creates, without a `resourceVersion`, except in a dry run.
    pub(crate) fn create(
        &self,
        request: &ResourceRequest<'_>,
    ) -> Result<Node<'static>, StatusError> {
        let missing = Node::empty_map();
        match &self.body {
            Body::Patch(_) => {
                Err(StatusError::not_found(request.resource.about(&request.path.name)))
            }
            Body::Whole(node) => {
                let mut node = node.clone();
                Preconditions::of(&node).check_syntax()?;
                let version = node.map_mut("metadata").remove("resourceVersion");
                Preconditions::of(&node).check(request, &missing)?;
                // What is not stored keeps it.
                if let Some(version) = version.filter(|_| self.dry_run) {
                    node.map_mut("metadata").set("resourceVersion", version);
                }
                Ok(node)
            }
            Body::Apply(apply) => {
                let mut node = apply.apply(request, None, self.wanted)?;
                let uid = node.text_at(&["metadata", "uid"]);
                if !uid.is_empty() {
                    let why = format!(
                        "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
                    );
                    let about = request.resource.about(&request.path.name);
                    return Err(StatusError::conflict(about, &why));
                }
                check_name(request, &node)?;
                Preconditions::of(&node).check_syntax()?;
                node.map_mut("metadata").remove("resourceVersion");
                Ok(node)
            }
        }
    }

    /// Applies the body to the stored object: the new object and its preconditions.
    pub(crate) fn apply_to(
        &self,
        request: &ResourceRequest<'_>,
        old: &Node<'static>,
    ) -> Result<(Node<'static>, Preconditions), StatusError> {
        let new = match &self.body {
            Body::Whole(node) => node.clone(),
            Body::Patch(patch) => {
                let new = patch.apply(request, old, self.wanted)?;
                check_name(request, &new)?;
                new
            }
            Body::Apply(apply) => {
                let new = apply.apply(request, Some(old), self.wanted)?;
                check_name(request, &new)?;
                new
            }
        };
        let conditions = match &self.body {
            Body::Whole(_) => Preconditions::of(&new),
            // A patch that changes the uid fails validation instead.
            Body::Patch(_) | Body::Apply(_) => Preconditions::of(&new).without_uid(),
        };
        Ok((new, conditions))
    }
}

/// Checks name and namespace in the body against the URL.
fn check_name(request: &ResourceRequest<'_>, node: &Node<'_>) -> Result<(), StatusError> {
    let (name, wanted) = (node.text_at(&["metadata", "name"]), request.path.name.as_str());
    if name.is_empty() {
        return Err(StatusError::bad_request(format!(
            "the name of the object ({wanted} based on URL) was undeterminable: name must be provided"
        )));
    }
    if name != wanted {
        return Err(StatusError::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({wanted})"
        )));
    }
    let namespace = node.text_at(&["metadata", "namespace"]);
    if request.resource.row().namespaced
        && !namespace.is_empty()
        && namespace != request.path.namespace
    {
        return Err(StatusError::bad_request(NAMESPACE_MISMATCH));
    }
    Ok(())
}
