//! What is there before anybody asks: namespaces, the `kubernetes` Service, roles, priority classes.

use crate::app::App;
use crate::cache::storable;
use crate::lifecycle::{habits, metadata};
use crate::refusal::Refusal;
use crate::served::Served;
use ratchet_object::{Node, defaults};
use ratchet_store::{Commit, Guard, Revision, Write};
use std::sync::Arc;
use tokio::task::JoinSet;

const NAMESPACES: &[&str] = &["default", "kube-system", "kube-public", "kube-node-lease"];

/// Makes what is missing; what is there and was changed by people stays, but for roles that ask to be kept up to date.
pub async fn run(app: &Arc<App>) -> Result<(), Refusal> {
    let mut objects: Vec<Node<'static>> = NAMESPACES.iter().map(|name| namespace(name)).collect();
    objects.extend(priority_classes());
    objects.extend(crate::services::bootstrap_objects(app));
    if app.authorizer.has_rbac() {
        objects.extend(ratchet_access::bootstrap_objects());
    }
    // All at once: the store writes what waits together, and the disk is waited for once or twice instead of often.
    let mut waiting = JoinSet::new();
    for object in objects {
        let app = app.clone();
        waiting.spawn(async move { ensure(&app, object).await });
    }
    while let Some(done) = waiting.join_next().await {
        done.map_err(Refusal::internal)??;
    }
    Ok(())
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
                let Some(new) = ratchet_access::reconcile(&old, &node) else { return Ok(()) };
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
