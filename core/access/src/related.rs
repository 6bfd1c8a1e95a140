//! Which objects belong to a node: its pods, and what these use.

use crate::Resource;
use alloc::format;
use alloc::vec::Vec;
use ratchet_object::Node;

/// Where a pod names objects of its namespace that it uses.
const USES: [(&str, &[&str]); 5] = [
    (
        "secrets",
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
        "configmaps",
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
    ("persistentvolumeclaims", &["spec.volumes.persistentVolumeClaim.claimName"]),
    ("serviceaccounts", &["spec.serviceAccountName"]),
    (
        "resourceclaims",
        &[
            "spec.resourceClaims.resourceClaimName",
            "status.resourceClaimStatuses.resourceClaimName",
            "status.extendedResourceClaimStatus.resourceClaimName",
        ],
    ),
];

/// Where a persistent volume names a secret, and whether the secret is one of the claim's namespace
/// if no other is named. What only controllers need is not here.
const VOLUME_SECRETS: [(&str, bool); 10] = [
    ("spec.cephfs.secretRef", true),
    ("spec.flexVolume.secretRef", true),
    ("spec.iscsi.secretRef", true),
    ("spec.rbd.secretRef", true),
    ("spec.scaleIO.secretRef", true),
    ("spec.cinder.secretRef", false),
    ("spec.storageos.secretRef", false),
    ("spec.csi.nodePublishSecretRef", false),
    ("spec.csi.nodeStageSecretRef", false),
    ("spec.csi.nodeExpandSecretRef", false),
];

/// Whether the target of a node's attempt belongs to the node. `object` is the target as it is
/// stored, `pods` are the pods of the node (those of others do no harm), `volumes` the persistent
/// volumes.
pub fn belongs_to_node<'n, 't: 'n>(
    node: &str,
    target: &Resource<'_>,
    object: Option<&Node<'_>>,
    pods: impl IntoIterator<Item = &'n Node<'t>>,
    volumes: impl IntoIterator<Item = &'n Node<'t>>,
) -> bool {
    let is_on = |object: &Node<'_>| object.text_at(&["spec", "nodeName"]) == node;
    let mut pods = pods.into_iter().filter(|pod| is_on(pod));
    match target.resource {
        "pods" | "volumeattachments" | "resourceslices" => object.is_some_and(is_on),
        "persistentvolumes" => {
            let claim = object.and_then(claim_of);
            claim.is_some_and(|claim| pods.any(|pod| uses(pod, &claim)))
        }
        "secrets" => {
            let pods: Vec<_> = pods.collect();
            let used = |target: &Resource<'_>| pods.iter().any(|pod| uses(pod, target));
            let through = |volume: &Node<'_>| {
                names_secret(volume, target) && claim_of(volume).is_some_and(|claim| used(&claim))
            };
            used(target) || volumes.into_iter().any(through)
        }
        _ => pods.any(|pod| uses(pod, target)),
    }
}

/// Whether the pod names the object. Pods that a node made itself give it nothing.
fn uses(pod: &Node<'_>, target: &Resource<'_>) -> bool {
    const MIRROR: [&str; 3] = ["metadata", "annotations", "kubernetes.io/config.mirror"];
    if pod.text_at(&["metadata", "namespace"]) != target.namespace || pod.find(&MIRROR).is_some() {
        return false;
    }
    let row = USES.iter().find(|(resource, _)| *resource == target.resource);
    let named = row.is_some_and(|(_, paths)| paths.iter().any(|path| says(pod, path, target.name)));
    named || target.resource == "persistentvolumeclaims" && makes_claim(pod, target.name)
}

/// Whether the claim is one that a volume of the pod brings along.
fn makes_claim(pod: &Node<'_>, claim: &str) -> bool {
    let pod_name = pod.text_at(&["metadata", "name"]);
    let volumes = pod.find(&["spec", "volumes"]).map(Node::items).unwrap_or_default();
    let brought = volumes.iter().filter(|volume| volume.get("ephemeral").is_some());
    let mut names = brought.map(|volume| format!("{pod_name}-{}", volume.text_at(&["name"])));
    names.any(|name| name == claim)
}

/// The claim that a persistent volume is for.
fn claim_of<'n>(volume: &'n Node<'_>) -> Option<Resource<'n>> {
    let claim = volume.find(&["spec", "claimRef"])?;
    let (namespace, name) = (claim.text_at(&["namespace"]), claim.text_at(&["name"]));
    let rest = Resource::default();
    Some(Resource { resource: "persistentvolumeclaims", namespace, name, ..rest })
}

/// Whether the persistent volume names the secret for use on nodes.
fn names_secret(volume: &Node<'_>, secret: &Resource<'_>) -> bool {
    let claimed = volume.text_at(&["spec", "claimRef", "namespace"]);
    let is = |namespace: &str, name: &str, may_be_claimed: bool| {
        let namespace = if namespace.is_empty() && may_be_claimed { claimed } else { namespace };
        !name.is_empty() && (namespace, name) == (secret.namespace, secret.name)
    };
    let azure = |field: &str| volume.text_at(&["spec", "azureFile", field]);
    if is(azure("secretNamespace"), azure("secretName"), true) {
        return true;
    }
    VOLUME_SECRETS.iter().any(|(path, may_be_claimed)| {
        let reference = path.split('.').try_fold(volume, |node, name| node.get(name));
        reference.is_some_and(|reference| {
            is(reference.text_at(&["namespace"]), reference.text_at(&["name"]), *may_be_claimed)
        })
    })
}

/// Whether the path, through all items of lists on its way, leads to the text.
fn says(node: &Node<'_>, path: &str, text: &str) -> bool {
    if !node.items().is_empty() {
        return node.items().iter().any(|item| says(item, path, text));
    }
    match path.split_once('.') {
        Some((name, rest)) => node.get(name).is_some_and(|node| says(node, rest, text)),
        None => !text.is_empty() && node.text_at(&[path]) == text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    fn pod() -> Node<'static> {
        node(
            "{metadata: {name: p, namespace: a}, spec: {nodeName: n1, serviceAccountName: bot,
              imagePullSecrets: [{name: pull}], resourceClaims: [{name: r, resourceClaimName: gpu}],
              containers: [{env: [{valueFrom: {configMapKeyRef: {name: settings}}}]}, {envFrom: [{secretRef: {name: env}}]}],
              volumes: [{name: v1, projected: {sources: [{secret: {name: mounted}}]}},
                {name: v2, persistentVolumeClaim: {claimName: disk}}, {name: v3, ephemeral: {}}]}}",
        )
    }

    fn belongs(resource: &str, namespace: &str, name: &str) -> bool {
        let volume = node(
            "{metadata: {name: pv}, spec: {claimRef: {namespace: a, name: disk}, csi: {nodeStageSecretRef: {namespace: b, name: stage}, controllerPublishSecretRef: {namespace: b, name: publish}}}}",
        );
        let loose = node(
            "{metadata: {name: loose}, spec: {claimRef: {namespace: a, name: other}, rbd: {secretRef: {name: rbd}}}}",
        );
        let mut stranger = pod();
        stranger.below("spec").set("nodeName", Node::string("n2"));
        stranger.below("spec").set("serviceAccountName", Node::string("other"));
        let pods = [stranger, pod()];
        let volumes = [volume, loose];
        let object = match resource {
            "pods" => pods.iter().rfind(|pod| pod.text_at(&["metadata", "name"]) == name),
            _ => volumes.iter().find(|volume| volume.text_at(&["metadata", "name"]) == name),
        };
        let target = Resource { resource, namespace, name, ..Resource::default() };
        belongs_to_node("n1", &target, object, &pods, &volumes)
    }

    #[test]
    fn what_a_pod_names_belongs_to_its_node() {
        for (resource, name) in [
            ("secrets", "pull"),
            ("secrets", "env"),
            ("secrets", "mounted"),
            ("configmaps", "settings"),
            ("persistentvolumeclaims", "disk"),
            ("persistentvolumeclaims", "p-v3"),
            ("serviceaccounts", "bot"),
            ("resourceclaims", "gpu"),
            ("pods", "p"),
        ] {
            assert!(belongs(resource, "a", name), "{resource} {name}");
            assert!(!belongs(resource, "a", "other"), "{resource}");
            assert!(resource == "pods" || !belongs(resource, "b", name), "{resource} {name}");
        }
        assert!(!belongs("configmaps", "a", "mounted"));
        assert!(!belongs("secrets", "a", ""));
        assert!(!belongs("persistentvolumeclaims", "a", "p-v1"));
    }

    #[test]
    fn volumes_belong_by_their_claims() {
        assert!(belongs("persistentvolumes", "", "pv"));
        assert!(!belongs("persistentvolumes", "", "loose"));
        assert!(belongs("secrets", "b", "stage"));
        assert!(!belongs("secrets", "b", "publish"));
        assert!(!belongs("secrets", "a", "rbd"));
    }

    #[test]
    fn attachments_belong_to_the_node_they_name() {
        let target = Resource { resource: "volumeattachments", name: "x", ..Resource::default() };
        let object = node("{spec: {nodeName: n1}}");
        let none: [Node<'_>; 0] = [];
        assert!(belongs_to_node("n1", &target, Some(&object), &none, &none));
        assert!(!belongs_to_node("n2", &target, Some(&object), &none, &none));
        assert!(!belongs_to_node("n1", &target, None, &none, &none));
    }

    #[test]
    fn pods_that_a_node_made_give_it_nothing() {
        let mut pod = pod();
        pod.below("metadata")
            .below("annotations")
            .set("kubernetes.io/config.mirror", Node::string(""));
        let target =
            Resource { resource: "secrets", namespace: "a", name: "pull", ..Resource::default() };
        assert!(!uses(&pod, &target));
    }
}
