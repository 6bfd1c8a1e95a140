//! The references of objects: a pod's to what it uses, a volume's to its claim and secrets, others' to their node.

use super::{Kind, Source, Vertex};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::sync::Arc;
use ratchet_object::Node;

/// The references of an object, each once.
pub(super) enum References {
    /// A node, and what the node may read because of the object, itself included.
    Node { node: Arc<str>, from: BTreeSet<Vertex> },
    /// The claim of a volume, and the secrets that nodes need for it.
    Claim { claim: Vertex, secrets: BTreeSet<Vertex> },
}

/// The fields of a pod that name objects of its namespace.
const USES: [(Kind, &[&str]); 4] = [
    (
        Kind::Secret,
        &[
            "spec.imagePullSecrets.name",
            "spec.containers.envFrom.secretRef.name",
            "spec.containers.env.valueFrom.secretKeyRef.name",
            "spec.initContainers.envFrom.secretRef.name",
            "spec.initContainers.env.valueFrom.secretKeyRef.name",
            "spec.ephemeralContainers.envFrom.secretRef.name",
            "spec.ephemeralContainers.env.valueFrom.secretKeyRef.name",
            "spec.volumes.secret.secretName",
            "spec.volumes.projected.sources.secret.name",
            "spec.volumes.csi.nodePublishSecretRef.name",
            "spec.volumes.azureFile.secretName",
            "spec.volumes.cephfs.secretRef.name",
            "spec.volumes.cinder.secretRef.name",
            "spec.volumes.flexVolume.secretRef.name",
            "spec.volumes.iscsi.secretRef.name",
            "spec.volumes.rbd.secretRef.name",
            "spec.volumes.scaleIO.secretRef.name",
            "spec.volumes.storageos.secretRef.name",
        ],
    ),
    (
        Kind::ConfigMap,
        &[
            "spec.containers.envFrom.configMapRef.name",
            "spec.containers.env.valueFrom.configMapKeyRef.name",
            "spec.initContainers.envFrom.configMapRef.name",
            "spec.initContainers.env.valueFrom.configMapKeyRef.name",
            "spec.ephemeralContainers.envFrom.configMapRef.name",
            "spec.ephemeralContainers.env.valueFrom.configMapKeyRef.name",
            "spec.volumes.configMap.name",
            "spec.volumes.projected.sources.configMap.name",
        ],
    ),
    (Kind::PersistentVolumeClaim, &["spec.volumes.persistentVolumeClaim.claimName"]),
    (Kind::ServiceAccount, &["spec.serviceAccountName"]),
];

/// The fields of a volume that name a secret with its namespace, and whether an absent namespace means the claim's.
/// Secrets that only controllers need are not included.
const VOLUME_SECRETS: [(&str, bool); 10] = [
    ("cephfs.secretRef", true),
    ("flexVolume.secretRef", true),
    ("iscsi.secretRef", true),
    ("rbd.secretRef", true),
    ("scaleIO.secretRef", true),
    ("cinder.secretRef", false),
    ("storageos.secretRef", false),
    ("csi.nodePublishSecretRef", false),
    ("csi.nodeStageSecretRef", false),
    ("csi.nodeExpandSecretRef", false),
];

/// The annotation of mirror pods.
const MIRROR: [&str; 3] = ["metadata", "annotations", "kubernetes.io/config.mirror"];

/// The references of an object; none if it leads to no node.
pub(super) fn of(source: Source, vertex: &Vertex, object: &Node<'_>) -> Option<References> {
    if source == Source::PersistentVolume {
        return of_volume(object);
    }
    let node = object.text_at(&["spec", "nodeName"]);
    if node.is_empty() {
        return None;
    }
    let mut from = BTreeSet::from([vertex.clone()]);
    // A node must not gain access to objects by a mirror pod that it creates itself.
    if source == Source::Pod && object.find(&MIRROR).is_none() {
        used_by_pod(vertex, object, &mut from);
    }
    Some(References::Node { node: node.into(), from })
}

fn used_by_pod(vertex: &Vertex, pod: &Node<'_>, from: &mut BTreeSet<Vertex>) {
    let mut uses = |kind: Kind, name: &str| {
        if !name.is_empty() {
            from.insert(Vertex::new(kind, &vertex.namespace, name));
        }
    };
    for (kind, paths) in USES {
        for path in paths {
            each_text(pod, path, &mut |name| uses(kind, name));
        }
    }
    let list = |path: &[&str]| pod.find(path).map(Node::items).unwrap_or_default();
    for volume in list(&["spec", "volumes"]) {
        if volume.get("persistentVolumeClaim").is_none() && volume.get("ephemeral").is_some() {
            let claim = format!("{}-{}", vertex.name, volume.text_at(&["name"]));
            uses(Kind::PersistentVolumeClaim, &claim);
        }
    }
    let statuses = list(&["status", "resourceClaimStatuses"]);
    for claim in list(&["spec", "resourceClaims"]) {
        let claim_name = claim.text_at(&["resourceClaimName"]);
        uses(Kind::ResourceClaim, claim_name);
        if claim_name.is_empty() && claim.get("resourceClaimTemplateName").is_some() {
            // The claim was created from a template, with a name that only the status has.
            let name = claim.text_at(&["name"]);
            let claim_status = statuses.iter().find(|status| status.text_at(&["name"]) == name);
            uses(
                Kind::ResourceClaim,
                claim_status
                    .map_or("", |claim_status| claim_status.text_at(&["resourceClaimName"])),
            );
        }
    }
    let extended = ["status", "extendedResourceClaimStatus", "resourceClaimName"];
    uses(Kind::ResourceClaim, pod.text_at(&extended));
}

fn of_volume(volume: &Node<'_>) -> Option<References> {
    let spec = volume.get("spec")?;
    let claim = spec.get("claimRef")?;
    let claimed = claim.text_at(&["namespace"]);
    let mut secrets = BTreeSet::new();
    let mut needs = |namespace: &str, name: &str, may_be_claimed: bool| {
        let namespace = if namespace.is_empty() && may_be_claimed { claimed } else { namespace };
        if !name.is_empty() {
            secrets.insert(Vertex::new(Kind::Secret, namespace, name));
        }
    };
    let azure = |field: &str| spec.text_at(&["azureFile", field]);
    needs(azure("secretNamespace"), azure("secretName"), true);
    for (path, may_be_claimed) in VOLUME_SECRETS {
        let reference = path.split('.').try_fold(spec, |node, name| node.get(name));
        if let Some(reference) = reference {
            let (namespace, name) =
                (reference.text_at(&["namespace"]), reference.text_at(&["name"]));
            needs(namespace, name, may_be_claimed);
        }
    }
    let claim = Vertex::new(Kind::PersistentVolumeClaim, claimed, claim.text_at(&["name"]));
    Some(References::Claim { claim, secrets })
}

/// Calls `take` with every string at a path, through all items of lists on the way.
fn each_text(node: &Node<'_>, path: &str, take: &mut dyn FnMut(&str)) {
    if !node.items().is_empty() {
        return node.items().iter().for_each(|item| each_text(item, path, take));
    }
    match path.split_once('.') {
        Some((name, rest)) => {
            if let Some(node) = node.get(name) {
                each_text(node, rest, take);
            }
        }
        None => take(node.text_at(&[path])),
    }
}
