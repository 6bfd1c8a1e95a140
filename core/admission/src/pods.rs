//! Accessors for fields of pods.

use ratchet_object::{Node, Value};

/// The annotation of mirror pods.
pub(crate) const MIRROR: &str = "kubernetes.io/config.mirror";

/// The lists of containers, in the order in which they are visited.
pub(crate) const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// The containers of one list.
pub(crate) fn containers<'n, 't>(pod: &'n Node<'t>, list: &str) -> &'n [Node<'t>] {
    pod.find(&["spec", list]).map(Node::items).unwrap_or_default()
}

/// All containers.
pub(crate) fn all<'n, 't>(pod: &'n Node<'t>) -> impl Iterator<Item = &'n Node<'t>> {
    LISTS.into_iter().flat_map(|list| containers(pod, list))
}

/// The items of a list below a node.
pub(crate) fn items<'n, 't>(node: &'n Node<'t>, names: &[&str]) -> &'n [Node<'t>] {
    node.find(names).map(Node::items).unwrap_or_default()
}

/// The list `name` below a node, created if it is absent.
pub(crate) fn list_mut<'n>(
    node: &'n mut Node<'static>,
    name: &'static str,
) -> &'n mut alloc::vec::Vec<Node<'static>> {
    let list = node.map_mut(name);
    if !matches!(list.value, Value::List(_)) {
        list.value = Value::List(alloc::vec::Vec::new());
    }
    match &mut list.value {
        Value::List(items) => items,
        _ => unreachable!("made a list above"),
    }
}

/// An annotation of an object.
pub(crate) fn annotation<'n>(node: &'n Node<'_>, name: &str) -> Option<&'n str> {
    node.find(&["metadata", "annotations", name])?.text()
}

/// Whether a member is set and not null.
pub(crate) fn has(node: &Node<'_>, name: &str) -> bool {
    node.get(name).is_some_and(|member| !member.is_null())
}

/// Whether a pod is a mirror pod.
pub(crate) fn is_mirror(pod: &Node<'_>) -> bool {
    annotation(pod, MIRROR).is_some()
}

/// Whether a pod references secrets, other than by projected service account tokens.
pub(crate) fn uses_secrets(pod: &Node<'_>) -> bool {
    let volumes = items(pod, &["spec", "volumes"]);
    !items(pod, &["spec", "imagePullSecrets"]).is_empty()
        || from_environment(pod, "secretKeyRef", "secretRef")
        || volumes.iter().any(volume_has_secret)
}

/// Whether a pod references config maps.
pub(crate) fn uses_config_maps(pod: &Node<'_>) -> bool {
    let volumes = items(pod, &["spec", "volumes"]);
    let projects = |volume: &Node<'_>| {
        items(volume, &["projected", "sources"]).iter().any(|source| has(source, "configMap"))
    };
    from_environment(pod, "configMapKeyRef", "configMapRef")
        || volumes.iter().any(|volume| has(volume, "configMap") || projects(volume))
}

fn from_environment(pod: &Node<'_>, key: &str, whole: &str) -> bool {
    all(pod).any(|container| {
        items(container, &["env"]).iter().any(|env| env.find(&["valueFrom", key]).is_some())
            || items(container, &["envFrom"]).iter().any(|env| has(env, whole))
    })
}

/// The volume sources that reference a secret, and the field that does.
const SECRETS: &[(&str, &str)] = &[
    ("azureFile", "secretName"),
    ("cephfs", "secretRef"),
    ("cinder", "secretRef"),
    ("csi", "nodePublishSecretRef"),
    ("flexVolume", "secretRef"),
    ("iscsi", "secretRef"),
    ("rbd", "secretRef"),
    ("scaleIO", "secretRef"),
    ("secret", "secretName"),
    ("storageos", "secretRef"),
];

fn volume_has_secret(volume: &Node<'_>) -> bool {
    SECRETS.iter().any(|(source, member)| {
        volume.find(&[source, member]).is_some_and(|secret| !secret.is_null())
    }) || items(volume, &["projected", "sources"]).iter().any(|source| has(source, "secret"))
}
