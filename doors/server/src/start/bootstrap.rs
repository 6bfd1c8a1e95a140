//! Bootstrap objects: namespaces, the `kubernetes` Service, RBAC roles, priority classes, published configuration.

use crate::app::App;
use crate::registry::{ServedResource, metadata};
use crate::start::config::ProxyFiles;
use crate::start::kubernetes_service;
use crate::status::StatusError;
use crate::storage::cache::{START_LIMIT, storable};
use crate::verbs::managed_fields;
use ratchet_flow_control::{DanglingCondition, bootstrap_objects};
use ratchet_object::{Equality, Node, equal_at};
use ratchet_store::{Commit, Guard, Revision, Write};
use std::sync::Arc;

const NAMESPACES: &[&str] = &["default", "kube-system", "kube-public", "kube-node-lease"];

/// Who owns what the server creates.
const MANAGER: &str = "kube-apiserver";

/// Who owns the FlowSchemas and priority levels that the server creates.
pub(super) const FLOW_CONTROL_MANAGER: &str = "api-priority-and-fairness-config-producer-v1";

/// Creates the missing objects in one commit and reconciles those that the server owns; other changes by users stay.
pub(crate) async fn run(app: &Arc<App>, config: &PublishedConfig) -> Result<(), StatusError> {
    let mut objects = objects(app, config);
    for attributes in 0..4 {
        app.cache.fresh_within(START_LIMIT).await?;
        let mut needed = Vec::new();
        for object in &objects {
            needed.push(writes(app, object)?);
        }
        needed.retain(|writes| !writes.is_empty());
        if needed.is_empty() {
            return Ok(());
        }
        match app.cache.commit_parts(needed, START_LIMIT).await? {
            Commit::Done(_) => return Ok(()),
            Commit::Refused { key, .. } => {
                // Another server was faster, or the first address of the range is taken.
                tracing::warn!(%key, attributes, "what must be there could not be made at once");
                objects.retain(|object| attributes == 0 || object.text_at(&["kind"]) != "Service");
            }
        }
    }
    Ok(())
}

fn objects(app: &App, config: &PublishedConfig) -> Vec<Node<'static>> {
    let mut objects: Vec<Node<'static>> = NAMESPACES.iter().copied().map(namespace).collect();
    objects.extend(priority_classes());
    objects.extend(flow_control_objects(app));
    objects.extend(kubernetes_service::bootstrap_objects(app));
    objects.extend([config.authentication(), token_tracking(app)]);
    if config.own_endpoints {
        objects.extend(kubernetes_service::own_endpoints(app));
    }
    if app.authorizer.has_rbac() {
        objects.extend(ratchet_access::bootstrap_objects());
    }
    objects
}

/// Priority levels and FlowSchemas, whose status says from the start that their levels exist.
fn flow_control_objects(app: &App) -> Vec<Node<'static>> {
    let objects: Vec<_> = bootstrap_objects().into_iter().map(|object| object.node).collect();
    let level = |name: &str| objects.iter().find(|object| object.metadata().name() == name);
    let with_status = |object: &Node<'static>| {
        let mut object = object.clone();
        if object.text_at(&["kind"]) == "FlowSchema"
            && let Some(condition) = DanglingCondition::needed(&object, level)
            && let Some(status) = condition.to_apply("", app.now()).remove("status")
        {
            object.set("status", status);
        }
        object
    };
    objects.iter().map(with_status).collect()
}

/// Flags of the server that other programs need.
pub(crate) struct PublishedConfig {
    /// The client CAs in PEM.
    pub(crate) client_ca: String,
    /// The request-header proxy configuration, and its CAs in PEM.
    pub(crate) proxy: Option<(ProxyFiles, String)>,
    /// Whether the server reconciles the endpoints of the `kubernetes` Service.
    pub(crate) own_endpoints: bool,
}

impl PublishedConfig {
    /// The ConfigMap with which extension API servers authenticate clients as this server does.
    fn authentication(&self) -> Node<'static> {
        let mut data = Node::map([("client-ca-file", Node::string(self.client_ca.clone()))]);
        if let Some((proxy, authorities)) = &self.proxy {
            let list = |texts: &[String]| {
                Node::string(
                    Node::list(texts.iter().cloned().map(Node::string).collect()).to_json(),
                )
            };
            data.set("requestheader-client-ca-file", Node::string(authorities.clone()));
            data.set("requestheader-allowed-names", list(&proxy.allowed_names));
            data.set("requestheader-username-headers", list(&proxy.user_headers));
            data.set("requestheader-uid-headers", list(&proxy.uid_headers));
            data.set("requestheader-group-headers", list(&proxy.group_headers));
            data.set("requestheader-extra-headers-prefix", list(&proxy.extra_prefixes));
        }
        config_map("extension-apiserver-authentication", data)
    }
}

/// The ConfigMap with the day since which the use of legacy tokens is tracked.
fn token_tracking(app: &App) -> Node<'static> {
    let today: String = app.now().chars().take(10).collect();
    let data = Node::map([("since", Node::string(today))]);
    config_map("kube-apiserver-legacy-service-account-token-tracking", data)
}

fn config_map(name: &'static str, data: Node<'static>) -> Node<'static> {
    let metadata =
        Node::map([("name", Node::string(name)), ("namespace", Node::string("kube-system"))]);
    Node::map([
        ("apiVersion", Node::string("v1")),
        ("kind", Node::string("ConfigMap")),
        ("metadata", metadata),
        ("data", data),
    ])
}

/// The reconciled form of a stored object; none if it needs no change.
fn reconciled(old: &Node<'static>, wanted: &Node<'static>) -> Option<Node<'static>> {
    let owned_member = match wanted.text_at(&["metadata", "name"]) {
        "extension-apiserver-authentication" => "data",
        "kubernetes" if wanted.text_at(&["kind"]) == "Endpoints" => "subsets",
        "kubernetes" if wanted.text_at(&["kind"]) == "EndpointSlice" => "endpoints",
        // Requests of the server to itself restore them.
        _ if is_flow_control(wanted) => return None,
        _ => return ratchet_access::reconcile(old, wanted),
    };
    if equal_at(wanted, old, &[owned_member], Equality::Semantic) {
        return None;
    }
    let mut new = old.clone();
    new.set(owned_member, wanted.get(owned_member).cloned()?);
    Some(new)
}

fn namespace(name: &'static str) -> Node<'static> {
    let metadata = Node::map([("name", Node::string(name))]);
    let finalizers = Node::list(vec![Node::string("kubernetes")]);
    Node::map([
        ("apiVersion", Node::string("v1")),
        ("kind", Node::string("Namespace")),
        ("metadata", metadata),
        ("spec", Node::map([("finalizers", finalizers)])),
        ("status", Node::map([("phase", Node::string("Active"))])),
    ])
}

fn priority_classes() -> impl Iterator<Item = Node<'static>> {
    const CLASSES: &[(&str, i64, &str)] = &[
        (
            "system-cluster-critical",
            2_000_000_000,
            "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
        ),
        (
            "system-node-critical",
            2_000_001_000,
            "Used for system critical pods that must not be moved from their current node.",
        ),
    ];
    CLASSES.iter().map(|(name, value, description)| {
        Node::map([
            ("apiVersion", Node::string("scheduling.k8s.io/v1")),
            ("kind", Node::string("PriorityClass")),
            ("metadata", Node::map([("name", Node::string(*name))])),
            ("value", Node::int(*value)),
            ("description", Node::string(*description)),
        ])
    })
}

/// The writes that create an object or reconcile the stored one.
fn writes(app: &App, object: &Node<'static>) -> Result<Vec<Write>, StatusError> {
    let mut node = object.clone();
    let api_version = node.text_at(&["apiVersion"]).to_owned();
    let kind = node.text_at(&["kind"]).to_owned();
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", &api_version));
    let row = ratchet_catalog::of_kind(group, version, &kind);
    let Some(resource) = row.and_then(|row| app.registry.find(group, version, row.plural)) else {
        return Ok(Vec::new());
    };
    resource.apply_defaults(&mut node);
    let (name, namespace) =
        (node.text_at(&["metadata", "name"]), node.text_at(&["metadata", "namespace"]));
    let key = resource.key(namespace, name);
    let Some(item) = resource.cache.find(&resource.cache_key(namespace, name))? else {
        let new = with_system_fields(app, &resource, node);
        let mut writes = app.services().bootstrap_claims(&resource, &new)?;
        writes.push(Write::put(&key, Guard::Absent, storable(&new)?.bytes()));
        return Ok(writes);
    };
    let Some(new) = reconciled(&item.node(), &node) else { return Ok(Vec::new()) };
    let guard = Guard::At(Revision(item.revision));
    Ok(vec![Write::put(&key, guard, storable(&new)?.bytes())])
}

fn is_flow_control(object: &Node<'_>) -> bool {
    matches!(object.text_at(&["kind"]), "FlowSchema" | "PriorityLevelConfiguration")
}

fn with_system_fields(
    app: &App,
    resource: &ServedResource,
    mut node: Node<'static>,
) -> Node<'static> {
    let manager = if is_flow_control(&node) { FLOW_CONTROL_MANAGER } else { MANAGER };
    managed_fields::track_new(app, resource, &mut node, manager, &app.now());
    metadata::fill_system_fields(&mut node, resource.strategy(), app.new_uid(), app.now());
    node
}
