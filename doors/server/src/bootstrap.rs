//! What is there before anybody asks: namespaces, the `kubernetes` Service, roles, priority classes.

use crate::app::App;
use crate::cache::storable;
use crate::config::ProxyFiles;
use crate::lifecycle::{habits, metadata};
use crate::refusal::Refusal;
use crate::served::Served;
use ratchet_object::{Node, defaults, same};
use ratchet_store::{Commit, Guard, Revision, Write};
use std::sync::Arc;

const NAMESPACES: &[&str] = &["default", "kube-system", "kube-public", "kube-node-lease"];

/// Makes what is missing; what is there and was changed by people stays, but for roles that ask to be kept up to date.
pub(crate) async fn run(app: &Arc<App>, known: &Known) -> Result<(), Refusal> {
    for name in NAMESPACES {
        ensure(app, namespace(name)).await?;
    }
    for class in priority_classes() {
        ensure(app, class).await?;
    }
    for object in crate::services::bootstrap_objects(app) {
        ensure(app, object).await?;
    }
    for map in [known.authentication(), token_tracking(app)] {
        ensure(app, map).await?;
    }
    if known.own_endpoints {
        for object in crate::services::own_endpoints(app) {
            ensure(app, object).await?;
        }
    }
    if app.authorizer.has_rbac() {
        for object in ratchet_access::bootstrap_objects() {
            ensure(app, object).await?;
        }
    }
    Ok(())
}

/// What the flags say about the server, and other programs want to know.
pub(crate) struct Known {
    /// The authorities of clients, in PEM.
    pub(crate) client_ca: String,
    /// The proxies that are believed, and their authorities in PEM.
    pub(crate) proxy: Option<(ProxyFiles, String)>,
    /// Whether the server keeps the endpoints of its own Service.
    pub(crate) own_endpoints: bool,
}

impl Known {
    /// How programs beside the server authenticate clients as it does.
    fn authentication(&self) -> Node<'static> {
        let mut data = Node::map([("client-ca-file", Node::string(self.client_ca.clone()))]);
        if let Some((proxy, authorities)) = &self.proxy {
            let list = |texts: &[String]| {
                Node::string(Node::list(texts.iter().cloned().map(Node::string).collect()).to_json())
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

/// Since when the use of old service account tokens is noted.
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

/// What a stored object becomes when the server is started again; none if it stays.
fn renewed(old: &Node<'static>, wanted: &Node<'static>) -> Option<Node<'static>> {
    let is_own = match wanted.text_at(&["metadata", "name"]) {
        "extension-apiserver-authentication" => "data",
        "kubernetes" if wanted.text_at(&["kind"]) == "Endpoints" => "subsets",
        "kubernetes" if wanted.text_at(&["kind"]) == "EndpointSlice" => "endpoints",
        _ => return ratchet_access::reconcile(old, wanted),
    };
    if same(old.get(is_own), wanted.get(is_own)) {
        return None;
    }
    let mut new = old.clone();
    new.set(is_own, wanted.get(is_own).cloned()?);
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

/// Stores an object if none of its name is there.
async fn ensure(app: &Arc<App>, mut node: Node<'static>) -> Result<(), Refusal> {
    let api_version = node.text_at(&["apiVersion"]).to_owned();
    let kind = node.text_at(&["kind"]).to_owned();
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", &api_version));
    let Some(row) = ratchet_catalog::of_kind(group, version, &kind) else { return Ok(()) };
    let Some(served) = app.registry.find(group, version, row.plural) else { return Ok(()) };
    defaults::apply(group, version, &kind, &mut node);
    let name = node.text_at(&["metadata", "name"]).to_owned();
    let namespace = node.text_at(&["metadata", "namespace"]).to_owned();
    for _ in 0..8 {
        let stored = served.shelf.get(&served.shelf_key(&namespace, &name));
        let (value, guard) = match &stored {
            None => (made(app, served, node.clone()), Guard::Absent),
            Some(item) => {
                let old = item.node();
                let Some(new) = renewed(&old, &node) else { return Ok(()) };
                (new, Guard::At(Revision(item.revision)))
            }
        };
        let key = served.key(&namespace, &name);
        let mut writes = vec![Write::put(&key, guard, storable(value.clone()))];
        if stored.is_none() {
            writes.extend(crate::services::bootstrap_claims(app, &value));
        }
        match app.cache.store().commit(writes).await? {
            Commit::Done(revision) => return app.cache.wait_for(revision.0).await,
            Commit::Refused { .. } => {
                app.cache.fresh().await?;
                if served.shelf.get(&served.shelf_key(&namespace, &name)).is_some()
                    && stored.is_none()
                {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

fn made(app: &App, served: &Served, mut node: Node<'static>) -> Node<'static> {
    let habits = habits(served.row.group, served.row.kind);
    metadata::birth(&mut node, habits, app.new_uid(), app.now());
    node
}
