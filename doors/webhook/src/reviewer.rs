//! `Reviewer`: leads the objects of a request through the pipeline that every door shares.

use crate::error::ReviewError;
use crate::request::AdmissionRequest;
use crate::response::AdmissionResponse;
use ratchet_engine::{ApiConfig, Part};
use ratchet_object::{ClusterReader, Kind, Node, Operation, Scope};
use ratchet_pipeline::{BuiltInType, Decoded, Defaulted, FieldValidation, ObjectType};

/// Subresources through which an object itself is written. Through all others something else is sent (a Scale, a
/// Binding, options), whose kind the request names.
const PARTS: &[(&str, Part)] = &[
    ("", Part::Main),
    ("status", Part::STATUS),
    ("approval", Part::Sub("approval")),
    ("ephemeralcontainers", Part::Sub("ephemeralcontainers")),
    ("finalize", Part::Sub("finalize")),
    ("resize", Part::Sub("resize")),
];

/// Reviews requests by the rules that a configuration puts in force.
#[derive(Clone, Debug)]
pub struct Reviewer {
    api_config: ApiConfig,
}

impl Reviewer {
    /// A reviewer by these rules.
    pub fn new(api_config: ApiConfig) -> Self {
        Self { api_config }
    }

    /// The answer to a request. What the verdict needs to know of the cluster comes from `cluster`.
    pub fn review(
        &self,
        request: AdmissionRequest<'_>,
        cluster: &dyn ClusterReader,
    ) -> Result<AdmissionResponse, ReviewError> {
        // Custom kinds are validated by their definitions, which the API server has.
        let Some(object_type) = BuiltInType::of(request.kind()) else {
            return Ok(AdmissionResponse::allowed(request.uid));
        };
        let part = object_type.kind().and_then(|kind| part_of(&request, &kind));
        let AdmissionRequest { uid, namespace, user, object, old, .. } = request;
        let (Some(part), Some(object)) = (part, object) else {
            return Ok(AdmissionResponse::allowed(uid));
        };
        let new = defaulted(&object_type, object, &namespace, "request.object")?;
        let old = old.map(|old| defaulted(&object_type, old, &namespace, "request.oldObject"));
        let paired = new.pair_through(part, old.transpose()?);
        let judged = paired.judge(&self.api_config, cluster, Some(&user.name));
        Ok(AdmissionResponse::of(uid, judged.verdict(), judged.status()))
    }
}

/// The part of an object that a request writes; `None` if nothing is judged: a deletion, a connection, a subresource
/// that is not known here or takes something else.
fn part_of(request: &AdmissionRequest<'_>, kind: &Kind<'_>) -> Option<Part> {
    if !matches!(request.operation, Operation::Create | Operation::Update) {
        return None;
    }
    let resource = request.resource();
    let is_own = (kind.group, kind.plural) == (resource.group, resource.resource);
    let known = PARTS.iter().find(|(name, _)| *name == request.subresource);
    known.map(|(_, part)| *part).filter(|part| is_own || *part == Part::Main)
}

/// An object of a request with its defaults. The API server has validated its fields; those that a newer one has are
/// unknown here, and are dropped.
fn defaulted<'t, 'k>(
    object_type: &'k BuiltInType,
    node: Node<'t>,
    namespace: &'t str,
    field: &'static str,
) -> Result<Defaulted<'t, 'k>, ReviewError> {
    let undecodable = |why| ReviewError::Undecodable { field, why };
    let decoded = Decoded::sent(object_type, node, &[]);
    let decoded = decoded.map_err(|error| undecodable(error.message("")))?;
    let is_namespaced = object_type.kind().is_some_and(|kind| kind.scope == Scope::Namespaced);
    let decoded = if is_namespaced { decoded.in_namespace(namespace) } else { decoded };
    let accepted = decoded.accept(FieldValidation::Ignore);
    let (node, _) = accepted.map_err(|error| undecodable(error.message()))?;
    Ok(Defaulted::new(object_type, node))
}
