//! Accessors for fields of pods.

use ratchet_object::{Node, Value};

/// The annotation of mirror pods.
pub(crate) const MIRROR: &str = "kubernetes.io/config.mirror";

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

/// Whether a member is set and not null.
pub(crate) fn has(node: &Node<'_>, name: &str) -> bool {
    node.get(name).is_some_and(|member| !member.is_null())
}

/// Whether a pod is a mirror pod.
pub(crate) fn is_mirror(pod: &Node<'_>) -> bool {
    pod.metadata().annotation(MIRROR).is_some()
}

/// Whether a pod references secrets, other than by projected service account tokens.
pub(crate) fn uses_secrets(pod: &Node<'_>) -> bool {
    let volumes = pod.pod_spec().volumes();
    !items(pod, &["spec", "imagePullSecrets"]).is_empty()
        || from_environment(pod, "secretKeyRef", "secretRef")
        || volumes.iter().any(volume_has_secret)
}

/// Whether a pod references config maps.
pub(crate) fn uses_config_maps(pod: &Node<'_>) -> bool {
    let volumes = pod.pod_spec().volumes();
    let projects = |volume: &Node<'_>| {
        items(volume, &["projected", "sources"]).iter().any(|source| has(source, "configMap"))
    };
    from_environment(pod, "configMapKeyRef", "configMapRef")
        || volumes.iter().any(|volume| has(volume, "configMap") || projects(volume))
}

fn from_environment(pod: &Node<'_>, key: &str, whole: &str) -> bool {
    pod.pod_spec().containers().any(|container| {
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
