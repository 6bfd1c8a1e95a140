//! `scale`: the replica count of workloads as an `autoscaling/v1` Scale.

use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::request::body::ExpectedKind;
use crate::status::StatusError;
use crate::storage::cache::Item;
use crate::storage::convert::scale_from;
use crate::verbs::update_body::UpdateBody;
use crate::verbs::write;
use ratchet_crd::ScaleError;
use ratchet_engine::Part;
use ratchet_object::{GroupVersionKind, Node};
use std::sync::Arc;

const SCALE: ExpectedKind<'static> =
    ExpectedKind::of_kind(GroupVersionKind { group: "autoscaling", version: "v1", kind: "Scale" });

/// Handles a request for the scale of an object.
pub(super) async fn answer(request: &ResourceRequest<'_>, verb: &str) -> HandlerResult {
    let item = match verb {
        "get" => request.resource.serve_one(request.current().await?).await?,
        _ => save(request, verb).await?,
    };
    let object = write::to_request_version(request, &item);
    let scale = match request.resource.object_type().custom() {
        // Who asks for it wants to know that there is none; who has just set it knows.
        Some((_, strategy)) => custom(strategy.read_scale(&object))?,
        None => scale_from(&object),
    };
    Ok(Reply::json(200, scale.to_json()))
}

/// The Scale of a custom object, whose definition says where it stands.
fn custom<S>(scale: Option<Result<S, ScaleError>>) -> Result<S, StatusError> {
    scale.ok_or_else(StatusError::no_resource)?.map_err(StatusError::internal)
}

async fn save(request: &ResourceRequest<'_>, verb: &str) -> Result<Arc<Item>, StatusError> {
    let sent = UpdateBody::decode(request, verb, SCALE)?;
    if let Some((_, strategy)) = request.resource.object_type().custom() {
        let edit = |old: &Node<'static>| {
            let (_, current) = custom(strategy.scale_of(old))?;
            let (scale, conditions) = sent.apply_to(request, &current)?;
            let mut new = old.clone();
            request.resource.write_scale(&mut new, &scale);
            Ok((new, conditions))
        };
        return write::change(request, Part::Sub("scale"), sent.dry_run, edit).await;
    }
    let edit = |old: &Node<'static>| {
        let (scale, conditions) = sent.apply_to(request, &scale_from(old))?;
        check(request, &scale)?;
        let mut new = old.clone();
        request.resource.write_scale(&mut new, &scale);
        Ok((new, conditions))
    };
    write::change(request, Part::Sub("scale"), sent.dry_run, edit).await
}

fn check(request: &ResourceRequest<'_>, scale: &Node<'_>) -> Result<(), StatusError> {
    let replicas = scale.find(&["spec", "replicas"]).and_then(Node::as_int).unwrap_or(0);
    if replicas >= 0 {
        return Ok(());
    }
    let cause = ratchet_engine::StatusCause {
        reason: "FieldValueInvalid",
        message: format!("Invalid value: {replicas}: must be greater than or equal to 0"),
        field: "spec.replicas".into(),
    };
    Err(StatusError::invalid_object("Scale", "autoscaling", &request.path.name, vec![cause]))
}
