//! Owners: who can change an object, by labels and annotations of tools, `managedFields` and controllers.

use crate::finding::{Manager, ObjectId};
use crate::managed_fields;
use ratchet_object::Node;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The tool or person behind an object.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OwnerKind {
    /// A release of Helm.
    Helm,
    /// An application of Argo CD.
    Argocd,
    /// A Kustomization or a HelmRelease of Flux.
    Flux,
    /// A controller that was not seen itself.
    Controller,
    /// `kubectl apply`.
    Applied,
    /// A field manager.
    Manager,
    /// Nothing says whose it is.
    None,
}

/// An owner, by the name that people know.
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Owner {
    /// The kind of owner.
    pub by: OwnerKind,
    /// Its name.
    pub name: String,
}

impl Owner {
    /// The owner in words.
    pub fn title(&self) -> String {
        let Self { by, name } = self;
        match by {
            OwnerKind::Helm => format!("Helm release {name}"),
            OwnerKind::Argocd => format!("Argo CD application {name}"),
            OwnerKind::Flux => format!("Flux {name}"),
            OwnerKind::Controller => name.clone(),
            OwnerKind::Applied => format!("kubectl apply in {name}"),
            OwnerKind::Manager => format!("field manager {name}"),
            OwnerKind::None => "nobody known".to_owned(),
        }
    }
}

/// Where an object stands among others: its owner, and its controller.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Link {
    /// A hash of kind, namespace and name.
    pub(crate) key: u64,
    /// `Deployment web`.
    pub(crate) title: String,
    pub(crate) owner: Owner,
    /// The controller's hash and title.
    pub(crate) parent: Option<(u64, String)>,
}

/// Kinds that control others, and so are remembered.
const CONTROLLERS: [&str; 8] = [
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "ReplicaSet",
    "ReplicationController",
    "Service",
    "StatefulSet",
];

/// Annotation of kubectl with the configuration that it applied last.
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

impl Link {
    /// The link of an object.
    pub(crate) fn of(object: &Node<'_>, id: &ObjectId) -> Self {
        let title = format!("{} {}", id.kind, id.name);
        Self {
            key: key(&id.kind, &id.namespace, &id.name),
            title,
            owner: owner_of(object, id),
            parent: parent(object, id),
        }
    }

    /// Whether objects of its kind control others.
    pub(crate) fn is_controller(id: &ObjectId) -> bool {
        CONTROLLERS.contains(&id.kind.as_str())
    }
}

/// The controller of an object: its controlling owner reference, or the Service that Endpoints have the name of.
fn parent(object: &Node<'_>, id: &ObjectId) -> Option<(u64, String)> {
    let references = object.metadata().owner_references();
    let is_controller =
        |row: &&Node<'_>| row.get("controller").and_then(Node::as_bool).unwrap_or(false);
    let found = references.iter().find(is_controller);
    let (kind, name) = match found {
        Some(row) => (row.text_at(&["kind"]), row.text_at(&["name"])),
        None if id.kind == "Endpoints" => ("Service", id.name.as_str()),
        None => return None,
    };
    let namespace = if kind == "Node" { "" } else { id.namespace.as_str() };
    Some((key(kind, namespace, name), format!("{kind} {name}")))
}

fn key(kind: &str, namespace: &str, name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kind, namespace, name).hash(&mut hasher);
    hasher.finish()
}

/// The owner by what an object says of itself.
fn owner_of(object: &Node<'_>, id: &ObjectId) -> Owner {
    let metadata = object.metadata();
    let label = |name: &str| metadata.label(name).filter(|text| !text.is_empty());
    let annotation = |name: &str| metadata.annotation(name).filter(|text| !text.is_empty());
    let owner = |by: OwnerKind, name: String| Owner { by, name };
    let tracked = annotation("argocd.argoproj.io/tracking-id")
        .map(|id| id.split_once(':').map_or(id, |(app, _)| app))
        .or_else(|| label("argocd.argoproj.io/instance"));
    if let Some(app) = tracked {
        return owner(OwnerKind::Argocd, app.to_owned());
    }
    for (prefix, kind) in [
        ("helm.toolkit.fluxcd.io", "HelmRelease"),
        ("kustomize.toolkit.fluxcd.io", "Kustomization"),
    ] {
        if let Some(name) = label(&format!("{prefix}/name")) {
            let namespace = label(&format!("{prefix}/namespace")).unwrap_or(&id.namespace);
            return owner(OwnerKind::Flux, format!("{kind} {namespace}/{name}"));
        }
    }
    if let Some(name) = annotation("meta.helm.sh/release-name") {
        let namespace = annotation("meta.helm.sh/release-namespace").unwrap_or(&id.namespace);
        return owner(OwnerKind::Helm, format!("{namespace}/{name}"));
    }
    let by_helm = label("app.kubernetes.io/managed-by") == Some("Helm");
    if let Some(name) = label("app.kubernetes.io/instance").filter(|_| by_helm) {
        return owner(OwnerKind::Helm, format!("{}/{name}", id.namespace));
    }
    if annotation(LAST_APPLIED).is_some() {
        let place = if id.namespace.is_empty() { "the cluster" } else { id.namespace.as_str() };
        return owner(OwnerKind::Applied, place.to_owned());
    }
    let managers = managed_fields::all(object);
    let own = managers.iter().filter(|row| row.subresource.is_empty());
    match own.max_by(|a, b| a.time.cmp(&b.time)) {
        Some(Manager { manager, .. }) => owner(OwnerKind::Manager, manager.clone()),
        None => owner(OwnerKind::None, String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn title(text: &str) -> String {
        let node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let id =
            ObjectId { kind: "Service".into(), namespace: "shop".into(), ..Default::default() };
        Link::of(&node, &id).owner.title()
    }

    #[test]
    fn the_tool_that_writes_an_object_owns_it() {
        let cases = [
            (
                "{metadata: {annotations: {meta.helm.sh/release-name: web}}}",
                "Helm release shop/web",
            ),
            (
                "{metadata: {labels: {helm.toolkit.fluxcd.io/name: web, helm.toolkit.fluxcd.io/namespace: flux}, annotations: {meta.helm.sh/release-name: web}}}",
                "Flux HelmRelease flux/web",
            ),
            (
                "{metadata: {annotations: {argocd.argoproj.io/tracking-id: 'till:/Service:shop/web'}}}",
                "Argo CD application till",
            ),
            (
                "{metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}'}}}",
                "kubectl apply in shop",
            ),
            (
                "{metadata: {managedFields: [{manager: old, time: '2020-01-01T00:00:00Z'}, {manager: new, time: '2021-01-01T00:00:00Z'}, {manager: kubelet, subresource: status, time: '2022-01-01T00:00:00Z'}]}}",
                "field manager new",
            ),
            ("{metadata: {}}", "nobody known"),
        ];
        for (text, wanted) in cases {
            assert_eq!(title(text), wanted, "{text}");
        }
    }
}
