//! `Reviewer`: leads the objects of a request through the pipeline that every door shares.

use crate::canonicalize;
use crate::configuration::Configuration;
use crate::error::ReviewError;
use crate::findings;
use crate::mode::{Mode, RuleModes};
use crate::request::AdmissionRequest;
use crate::response::AdmissionResponse;
use ratchet_engine::{ApiConfig, Part, RULES, Rule};
use ratchet_object::{ClusterReader, GroupVersionResource, Kind, Node, Operation, Scope};
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

const NAMESPACES: GroupVersionResource<'_> = GroupVersionResource::any_version("", "namespaces");

/// Reviews requests by the rules that a configuration puts in force.
#[derive(Clone, Debug)]
pub struct Reviewer {
    api_config: ApiConfig,
    configuration: Configuration,
}

impl Reviewer {
    /// A reviewer that enforces these rules.
    pub fn new(api_config: ApiConfig) -> Self {
        Self::with_configuration(api_config, Configuration::default())
    }

    /// A reviewer by these rules, with the modes, exemptions and allowances of a configuration.
    pub fn with_configuration(mut api_config: ApiConfig, configuration: Configuration) -> Self {
        api_config.unenforced = unenforced(&configuration, &RuleModes::default());
        if let Some(allowances) = &configuration.external_ips {
            api_config.plugins.deny_external_ips = true;
            api_config.external_ips.clone_from(allowances);
        }
        Self { api_config, configuration }
    }

    /// The answer to a request. What the verdict needs to know of the cluster comes from `cluster`.
    pub fn review(
        &self,
        request: AdmissionRequest<'_>,
        cluster: &dyn ClusterReader,
    ) -> Result<AdmissionResponse, ReviewError> {
        if let Some(reason) = self.configuration.exemptions.reason(&request) {
            return Ok(AdmissionResponse::exempt(request.uid, reason));
        }
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
        let (modes, bad_labels) = self.modes_in(&namespace, cluster);
        let own_config = (!modes.is_empty()).then(|| ApiConfig {
            unenforced: unenforced(&self.configuration, &modes),
            ..self.api_config.clone()
        });
        let api_config = own_config.as_ref().unwrap_or(&self.api_config);
        let mut judged = paired.judge(api_config, cluster, Some(&user.name));
        let mode_of = |rule: &'static Rule| self.configuration.mode_of(rule.id, &modes);
        let mut response = findings::apply(uid, &mut judged, &mode_of);
        if !bad_labels.is_empty() {
            let text =
                format!("labels of the namespace that set no mode: {}", bad_labels.join(", "));
            response.audit_annotations.push(("label-error".to_owned(), text));
        }
        Ok(response)
    }

    /// The answer to a request that may be changed: addresses that chosen controllers write become canonical.
    pub fn mutate(&self, request: AdmissionRequest<'_>) -> Result<AdmissionResponse, ReviewError> {
        if let Some(reason) = self.configuration.exemptions.reason(&request) {
            return Ok(AdmissionResponse::exempt(request.uid, reason));
        }
        let is_chosen = self.configuration.canonicalizes(&request.user.name);
        let object_type = BuiltInType::of(request.kind()).filter(|_| is_chosen);
        let kind = object_type.as_ref().and_then(ObjectType::kind);
        let is_written = kind.is_some_and(|kind| part_of(&request, &kind).is_some());
        let patch = request.object.as_ref().filter(|_| is_written).and_then(|object| {
            canonicalize::patch(request.kind().kind, object, request.old.as_ref())
        });
        Ok(AdmissionResponse { patch, ..AdmissionResponse::allowed(request.uid) })
    }

    /// The modes that the labels of a namespace set, and the labels that set none.
    fn modes_in(&self, namespace: &str, cluster: &dyn ClusterReader) -> (RuleModes, Vec<String>) {
        if namespace.is_empty() || !self.configuration.namespace_labels {
            return Default::default();
        }
        let namespace = cluster.get(&NAMESPACES, "", namespace);
        let labels = namespace.as_ref().and_then(|node| node.find(&["metadata", "labels"]));
        self.configuration.modes_of_namespace(labels)
    }
}

/// The rules that refuse nothing in a namespace with these modes.
fn unenforced(configuration: &Configuration, namespace: &RuleModes) -> Vec<&'static str> {
    let ids = RULES.iter().map(|rule| rule.id);
    ids.filter(|id| configuration.mode_of(id, namespace) != Mode::Enforce).collect()
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
