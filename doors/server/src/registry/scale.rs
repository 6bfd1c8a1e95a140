//! The Scale of a resource's objects: that of workloads, or where a definition says.

use super::ServedResource;
use crate::status::StatusError;
use crate::storage::convert::scale_from;
use ratchet_crd::ScaleError;
use ratchet_engine::StatusCause;
use ratchet_object::Node;

/// The number that stands for replicas that are not set: a patch that leaves it does not set them either.
const UNSET: i64 = -2_147_483_648;

impl ServedResource {
    /// The Scale of an object for a client that asks for it. That no replicas are set is an error, if the definition
    /// says where they should be.
    pub(crate) fn read_scale(&self, object: &Node<'static>) -> Result<Node<'static>, StatusError> {
        match self.defined() {
            Some(defined) => checked(defined.strategy().read_scale(object)),
            None => Ok(scale_from(object)),
        }
    }

    /// The Scale of an object that is about to be scaled.
    pub(crate) fn old_scale(&self, object: &Node<'static>) -> Result<Node<'static>, StatusError> {
        let Some(defined) = self.defined() else { return Ok(scale_from(object)) };
        let (is_set, mut scale) = checked(defined.strategy().scale_of(object))?;
        if !is_set {
            scale.map_mut("spec").set("replicas", Node::int(UNSET));
        }
        Ok(scale)
    }

    /// Checks that replicas are set where an object of a definition had none.
    pub(crate) fn check_replicas_set(&self, scale: &Node<'_>) -> Result<(), StatusError> {
        let Some(defined) = self.defined() else { return Ok(()) };
        let replicas = scale.find(&["spec", "replicas"]).and_then(Node::as_int);
        if replicas != Some(UNSET) {
            return Ok(());
        }
        let path = defined.strategy().scale.as_ref().map(|scale| scale.spec_replicas_path.as_str());
        let path = ratchet_net::Quoted(path.unwrap_or_default());
        Err(StatusError::bad_request(format!("the spec replicas field {path} cannot be empty")))
    }

    /// The Scale of an object as admission sees it.
    pub(crate) fn scale_of(&self, object: &Node<'static>) -> Node<'static> {
        let scale = self.defined().map(|defined| checked(defined.strategy().scale_of(object)));
        match scale {
            Some(Ok((_, scale))) => scale,
            _ => scale_from(object),
        }
    }

    /// What is wrong with a Scale. Replicas that a definition has a place for are validated there.
    pub(crate) fn validate_scale(&self, scale: &Node<'_>) -> Option<StatusCause> {
        let replicas = scale.find(&["spec", "replicas"]).and_then(Node::as_int).unwrap_or(0);
        (replicas < 0 && self.defined().is_none()).then(|| StatusCause {
            reason: "FieldValueInvalid",
            message: format!("Invalid value: {replicas}: must be greater than or equal to 0"),
            field: "spec.replicas".into(),
        })
    }

    /// Takes the number of replicas over from a Scale.
    pub(crate) fn write_scale(&self, object: &mut Node<'static>, scale: &Node<'static>) {
        if let Some(defined) = self.defined() {
            return defined.strategy().write_scale(object, scale);
        }
        let replicas = scale.find(&["spec", "replicas"]).and_then(Node::as_int).unwrap_or(0);
        object.map_mut("spec").set("replicas", Node::int(replicas));
    }
}

/// A definition without a scale has no such subresource.
fn checked<S>(scale: Option<Result<S, ScaleError>>) -> Result<S, StatusError> {
    scale.ok_or_else(StatusError::no_resource)?.map_err(StatusError::internal)
}
