//! `scale`: the replica count of workloads as an `autoscaling/v1` Scale.

use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::request::body::ExpectedKind;
use crate::status::StatusError;
use crate::storage::cache::Item;
use crate::storage::convert;
use crate::verbs::managed_fields::{self, Tracking};
use crate::verbs::update_body::UpdateBody;
use crate::verbs::write;
use ratchet_apply::{ReplicasPath, ScaleHandler, set_managed_fields};
use ratchet_engine::{Part, StatusCause};
use ratchet_object::{Node, canonicalize, schema};
use std::sync::Arc;

const SCALE: ExpectedKind<'static> = ExpectedKind::of_kind(convert::SCALE);

/// Handles a request for the scale of an object.
pub(super) async fn answer(request: &ResourceRequest<'_>, verb: &str) -> HandlerResult {
    let item = match verb {
        "get" => request.resource.serve_one(request.current().await?).await?,
        _ => save(request, verb).await?,
    };
    let object = write::to_request_version(request, &item);
    let scale = request.resource.read_scale(&object)?;
    Ok(Reply::json(200, scale.to_json()))
}

async fn save(request: &ResourceRequest<'_>, verb: &str) -> Result<Arc<Item>, StatusError> {
    let sent = UpdateBody::decode(request, verb, SCALE)?;
    let edit = |old: &Node<'static>| {
        let api_version = request.resource.api_version();
        let fields = request.resource.object_type().replicas_fields();
        let paths: Vec<Option<Vec<&str>>> = fields.iter().map(|(_, path)| names(path)).collect();
        let mappings: Vec<ReplicasPath<'_>> =
            fields.iter().zip(&paths).map(|((version, _), path)| mapping(version, path)).collect();
        let owners = ScaleHandler { parent: old, api_version: &api_version, mappings: &mappings };
        let mut old_scale = request.resource.old_scale(old)?;
        let entries = owners.to_subresource().map_err(StatusError::unclassified)?;
        set_managed_fields(&mut old_scale, entries);
        let (mut scale, conditions) = sent.apply_to(request, &old_scale)?;
        if sent.tracking() == Tracking::Update {
            track(request, &old_scale, &mut scale);
        }
        request.resource.check_replicas_set(&scale)?;
        if let Some(cause) = request.resource.validate_scale(&scale) {
            return Err(invalid(request, cause));
        }
        let mut new = old.clone();
        request.resource.write_scale(&mut new, &scale);
        let entries = owners.to_parent(&scale).map_err(StatusError::unclassified)?;
        set_managed_fields(&mut new, entries);
        Ok((new, conditions))
    };
    write::change(request, Part::Sub("scale"), sent.dry_run, Tracking::Done, edit).await
}

fn names(path: &Option<Vec<String>>) -> Option<Vec<&str>> {
    path.as_ref().map(|path| path.iter().map(String::as_str).collect())
}

fn mapping<'a>(api_version: &'a str, path: &'a Option<Vec<&'a str>>) -> ReplicasPath<'a> {
    ReplicasPath { api_version, path: path.as_deref() }
}

/// Sets the entries of a Scale that was sent whole or patched.
fn track(request: &ResourceRequest<'_>, old: &Node<'static>, new: &mut Node<'static>) {
    let mut complete = new.clone();
    if let Some(row) = schema::kind(SCALE.group, SCALE.version, SCALE.kind) {
        ratchet_object::complete(&mut complete, row.ty);
        canonicalize(&mut complete, row.ty);
    }
    managed_fields::track(request, SCALE, "scale", old, &complete, new);
}

fn invalid(request: &ResourceRequest<'_>, cause: StatusCause) -> StatusError {
    StatusError::invalid_object("Scale", "autoscaling", &request.path.name, vec![cause])
}
