//! NodeRestriction: a node may only write its own objects.

use crate::attributes::may;
use crate::resources::{CSI_DRIVERS, NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS};
use crate::{Attributes, Denial, Operation, PluginContext, pods};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_access::{NODES as NODES_GROUP, Resource};
use ratchet_net::Quoted;
use ratchet_object::{Equality, Node, equal_at};

type Rule = fn(&str, &Attributes<'_>, &Node<'_>, &dyn PluginContext) -> Result<(), Denial>;

/// The restricted resources: group, resource, rule.
static RULES: &[(&str, &str, Rule)] = &[
    ("", "nodes", node),
    ("", "persistentvolumeclaims", claim),
    ("", "pods", pod),
    ("", "serviceaccounts", token),
    ("certificates.k8s.io", "certificatesigningrequests", signing_request),
    ("coordination.k8s.io", "leases", lease),
    ("resource.k8s.io", "resourceslices", slice),
    ("storage.k8s.io", "csinodes", csi_node),
];

/// Labels that kubelets may set on their own node.
const OWN_LABELS: &[&str] = &[
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
];

/// Refuses a node's writes to objects that are not its own; for deletions the object is the stored one.
pub(crate) fn admit(
    attributes: &Attributes<'_>,
    object: &mut Node<'static>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let Some(name) = attributes.user.name.strip_prefix("system:node:") else { return Ok(()) };
    if !attributes.user.is_in(NODES_GROUP) {
        return Ok(());
    }
    if name.is_empty() {
        return deny(format!(
            "could not determine node from user {}",
            Quoted(&attributes.user.name)
        ));
    }
    let rule = RULES.iter().find(|(group, resource, _)| {
        (*group, *resource) == (attributes.group, attributes.resource)
    });
    rule.map_or(Ok(()), |(_, _, rule)| rule(name, attributes, object, cluster))
}

fn deny(text: String) -> Result<(), Denial> {
    Err(Denial::Forbidden(text))
}

fn pod(
    own: &str,
    attributes: &Attributes<'_>,
    object: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let host = |pod: &Node<'_>| String::from(pod.text_at(&["spec", "nodeName"]));
    let node_name = Quoted(own);
    match (attributes.subresource, attributes.operation) {
        ("", Operation::Create) => mirror(own, object, cluster),
        ("", Operation::Delete) if attributes.old.is_some_and(|pod| host(pod) == own) => Ok(()),
        ("", Operation::Delete) => {
            deny(format!("node {node_name} can only delete pods with spec.nodeName set to itself"))
        }
        ("", operation) => {
            let operation_name = Quoted(operation.as_str());
            deny(format!(
                "unexpected operation {operation_name}, node {node_name} can only create and delete mirror pods"
            ))
        }
        ("status", Operation::Update) => status(own, attributes, object),
        ("eviction", Operation::Create) => {
            let pod = cluster.get(&PODS, attributes.namespace, attributes.name);
            let missing = || Denial::NotFound { resource: "pods", name: attributes.name.into() };
            if host(&pod.ok_or_else(missing)?) == own {
                return Ok(());
            }
            deny(format!("node {own} can only evict pods with spec.nodeName set to itself"))
        }
        ("status" | "eviction", operation) => {
            deny(format!("unexpected operation {}", Quoted(operation.as_str())))
        }
        (other, _) => {
            let other = Quoted(other);
            deny(format!(
                "unexpected pod subresource {other}, only 'status' and 'eviction' are allowed"
            ))
        }
    }
}

/// Nodes may only create mirror pods.
fn mirror(own: &str, pod: &Node<'_>, cluster: &dyn PluginContext) -> Result<(), Denial> {
    let node_name = Quoted(own);
    if !pods::is_mirror(pod) {
        let annotation = Quoted(pods::MIRROR);
        return deny(format!(
            "pod does not have {annotation} annotation, node {node_name} can only create mirror pods"
        ));
    }
    let only = |subject: &str| {
        deny(format!("node {node_name} can only create pods with {subject} set to itself"))
    };
    if pod.text_at(&["spec", "nodeName"]) != own {
        return only("spec.nodeName");
    }
    let owner = match pods::items(pod, &["metadata", "ownerReferences"]) {
        [owner] => owner,
        [] => return only("an owner reference"),
        _ => return only("a single owner reference"),
    };
    let owner_field = |name: &str| owner.text_at(&[name]);
    if (owner_field("apiVersion"), owner_field("kind"), owner_field("name")) != ("v1", "Node", own)
    {
        return only("an owner reference");
    }
    let is = |name: &str| owner.get(name).and_then(Node::as_bool) == Some(true);
    if !is("controller") {
        return only("a controller owner reference");
    }
    if is("blockOwnerDeletion") {
        return deny(format!(
            "node {node_name} must not set blockOwnerDeletion on an owner reference"
        ));
    }
    let Some(node) = cluster.get(&NODES, "", own) else {
        return Err(Denial::NotFound { resource: "nodes", name: own.into() });
    };
    let (uid, node_uid) = (owner_field("uid"), node.metadata().uid());
    if uid != node_uid {
        return deny(format!("node {own} UID mismatch: expected {uid} got {node_uid}"));
    }
    match reference(pod) {
        Some(subject) => {
            deny(format!("node {node_name} can not create pods that reference {subject}"))
        }
        None => Ok(()),
    }
}

/// Volume sources that need the API, and the name of what they reference.
const API_SOURCES: &[(&str, &str)] = &[
    ("configMap", "configmaps (via configmap volumes)"),
    ("secret", "secrets (via secret volumes)"),
    ("csi", "csidrivers (via CSI volumes)"),
    ("glusterfs", "endpoints (via glusterFS volumes)"),
    ("persistentVolumeClaim", "persistentvolumeclaims"),
    ("ephemeral", "persistentvolumeclaims (via ephemeral volumes)"),
    ("azureFile", "secrets (via azureFile volumes)"),
];

/// The same for sources of projected volumes.
const PROJECTED_API_SOURCES: &[(&str, &str)] = &[
    ("configMap", "configmaps (via projected volumes)"),
    ("secret", "secrets (via projected volumes)"),
    ("serviceAccountToken", "serviceaccounts (via projected volumes)"),
    ("clusterTrustBundle", "clustertrustbundles"),
    ("podCertificate", "podcertificates"),
];

/// The name of the API objects that a pod references, if any.
fn reference(pod: &Node<'_>) -> Option<&'static str> {
    if !pod.text_at(&["spec", "serviceAccountName"]).is_empty() {
        return Some("serviceaccounts");
    }
    if pods::uses_secrets(pod) {
        return Some("secrets");
    }
    if pods::uses_config_maps(pod) {
        return Some("configmaps");
    }
    if !pods::items(pod, &["spec", "resourceClaims"]).is_empty() {
        return Some("resourceclaims");
    }
    let find_source = |node: &Node<'_>, rows: &'static [(&'static str, &'static str)]| {
        rows.iter().find(|(member, _)| pods::has(node, member)).map(|(_, subject)| *subject)
    };
    pod.pod_spec().volumes().iter().find_map(|volume| {
        let mut sources = pods::items(volume, &["projected", "sources"]).iter();
        find_source(volume, API_SOURCES)
            .or_else(|| sources.find_map(|source| find_source(source, PROJECTED_API_SOURCES)))
    })
}

fn status(own: &str, attributes: &Attributes<'_>, new: &Node<'_>) -> Result<(), Denial> {
    let Some(old) = attributes.old else { return Ok(()) };
    let node_name = Quoted(own);
    if old.text_at(&["spec", "nodeName"]) != own {
        return deny(format!(
            "node {node_name} can only update pod status for pods with spec.nodeName set to itself"
        ));
    }
    let changes = |names: &[&str]| !equal_at(new, old, names, Equality::Semantic);
    if changes(&["metadata", "labels"]) {
        return deny(format!("node {node_name} cannot update labels through pod status"));
    }
    if changes(&["status", "resourceClaimStatuses"]) {
        return deny(format!("node {node_name} cannot update resource claim statues"));
    }
    if changes(&["status", "extendedResourceClaimStatus"]) {
        return deny(format!("node {node_name} cannot update extended resource claim status"));
    }
    Ok(())
}

fn node(
    own: &str,
    attributes: &Attributes<'_>,
    new: &Node<'_>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    let node_name = Quoted(own);
    if attributes.name != own {
        return deny(format!(
            "node {node_name} is not allowed to modify node {}",
            Quoted(attributes.name)
        ));
    }
    let source = ["spec", "configSource"];
    match (attributes.operation, attributes.old) {
        (Operation::Create, _) => {
            if new.find(&source).is_some_and(|source| !source.is_null()) {
                return deny(format!(
                    "node {node_name} is not allowed to create pods with a non-nil configSource"
                ));
            }
            match forbidden_labels(new, None) {
                labels if labels.is_empty() => Ok(()),
                labels => deny(format!(
                    "node {node_name} is not allowed to set the following labels: {}",
                    labels.join(", ")
                )),
            }
        }
        (Operation::Update, Some(old)) => {
            let changes = |names: &[&str]| !equal_at(new, old, names, Equality::Semantic);
            if new.find(&source).is_some_and(|source| !source.is_null()) && changes(&source) {
                return deny(format!(
                    "node {node_name} is not allowed to update configSource to a new non-nil configSource"
                ));
            }
            if changes(&["spec", "taints"]) {
                return deny(format!("node {node_name} is not allowed to modify taints"));
            }
            if changes(&["metadata", "ownerReferences"]) {
                return deny(format!("node {node_name} is not allowed to modify ownerReferences"));
            }
            match forbidden_labels(new, Some(old)) {
                labels if labels.is_empty() => Ok(()),
                labels => deny(format!("is not allowed to modify labels: {}", labels.join(", "))),
            }
        }
        _ => Ok(()),
    }
}

/// The changed labels that a node may not set, in order.
fn forbidden_labels(new: &Node<'_>, old: Option<&Node<'_>>) -> Vec<String> {
    fn labels(node: Option<&Node<'_>>) -> BTreeSet<(String, String)> {
        let labels = node.and_then(|node| node.find(&["metadata", "labels"]));
        let entries = labels.map(Node::entries).unwrap_or_default().iter();
        entries
            .map(|entry| (entry.key.as_ref().into(), entry.node.text().unwrap_or_default().into()))
            .collect()
    }
    let (new, old) = (labels(Some(new)), labels(old));
    let differing: BTreeSet<String> =
        new.symmetric_difference(&old).map(|(name, _)| name.clone()).collect();
    differing.into_iter().filter(|name| is_forbidden(name)).collect()
}

fn is_forbidden(label: &str) -> bool {
    let label_domain = label.split_once('/').map_or("", |(label_domain, _)| label_domain);
    let is_in_domain = |domain: &str| {
        label_domain.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let is_reserved = is_in_domain("kubernetes.io") || is_in_domain("k8s.io");
    let is_own = OWN_LABELS.contains(&label)
        || is_in_domain("kubelet.kubernetes.io")
        || is_in_domain("node.kubernetes.io");
    is_in_domain("node-restriction.kubernetes.io") || is_reserved && !is_own
}

fn claim(
    own: &str,
    attributes: &Attributes<'_>,
    new: &Node<'_>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    if attributes.subresource != "status" {
        return deny("may only update PVC status".into());
    }
    let Some(old) = attributes.old else {
        return deny(format!("unexpected operation {}", Quoted(attributes.operation.as_str())));
    };
    let bare = |claim: &Node<'_>| {
        let mut claim = claim.clone().into_owned();
        for name in ["resourceVersion", "managedFields"] {
            claim.map_mut("metadata").remove(name);
        }
        for name in ["capacity", "conditions", "allocatedResourceStatuses", "allocatedResources"] {
            claim.map_mut("status").remove(name);
        }
        claim
    };
    if equal_at(&bare(new), &bare(old), &[], Equality::Semantic) {
        return Ok(());
    }
    let node_name = Quoted(own);
    deny(format!(
        "node {node_name} is not allowed to update fields other than status.quantity and status.conditions"
    ))
}

fn token(
    own: &str,
    attributes: &Attributes<'_>,
    token_request: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    if attributes.operation != Operation::Create || attributes.subresource != "token" {
        return Ok(());
    }
    let bound = |name: &str| token_request.text_at(&["spec", "boundObjectRef", name]);
    if (bound("apiVersion"), bound("kind")) != ("v1", "Pod") || bound("name").is_empty() {
        return deny("node requested token not bound to a pod".into());
    }
    let uid = bound("uid");
    if uid.is_empty() {
        return deny("node requested token with a pod binding without a uid".into());
    }
    let Some(pod) = cluster.get(&PODS, attributes.namespace, bound("name")) else {
        return Err(Denial::NotFound { resource: "pods", name: bound("name").into() });
    };
    if pod.metadata().uid() != uid {
        return deny(format!(
            "the UID in the bound object reference ({uid}) does not match the UID in record. The object might have been deleted and then recreated"
        ));
    }
    if pod.text_at(&["spec", "nodeName"]) != own {
        return deny("node requested token bound to a pod scheduled on a different node".into());
    }
    audience(attributes, token_request, &pod, cluster)
}

/// A node may only request tokens with the audiences that the pod's volumes need, unless it is authorized for more.
fn audience(
    attributes: &Attributes<'_>,
    token_request: &Node<'_>,
    pod: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let audience = match pods::items(token_request, &["spec", "audiences"]) {
        _ if attributes.minor < 33 => return Ok(()),
        [] => "",
        [one] => one.text().unwrap_or_default(),
        _ => return deny("node may only request 0 or 1 audiences".into()),
    };
    let volumes = pod.pod_spec().volumes();
    if volumes
        .iter()
        .any(|volume| needs_audience(volume, audience, pod, attributes.namespace, cluster))
    {
        return Ok(());
    }
    let resource = Resource {
        version: "v1",
        resource: audience,
        namespace: attributes.namespace,
        name: attributes.name,
        ..Resource::default()
    };
    let verb = "request-serviceaccounts-token-audience";
    may(cluster, attributes.user, verb, resource).or_else(|_| {
        let (quoted_audience, user) = (Quoted(audience), &attributes.user.name);
        deny(format!(
            "audience {quoted_audience} not found in pod spec volume, {user} is not authorized to request tokens for this audience"
        ))
    })
}

/// Whether a volume needs a token for an audience: by itself, or because its CSI driver does.
fn needs_audience(
    volume: &Node<'_>,
    audience: &str,
    pod: &Node<'_>,
    namespace: &str,
    cluster: &dyn PluginContext,
) -> bool {
    let sources = pods::items(volume, &["projected", "sources"]);
    let tokens = sources.iter().filter_map(|source| source.get("serviceAccountToken"));
    if tokens.into_iter().any(|token| token.text_at(&["audience"]) == audience) {
        return true;
    }
    let claim = if pods::has(volume, "ephemeral") {
        format!("{}-{}", pod.metadata().name(), volume.text_at(&["name"]))
    } else {
        volume.text_at(&["persistentVolumeClaim", "claimName"]).into()
    };
    let driver = match claim.as_str() {
        "" => String::from(volume.text_at(&["csi", "driver"])),
        claim => {
            let claim = cluster.get(&PERSISTENT_VOLUME_CLAIMS, namespace, claim);
            let name = claim.map(|claim| String::from(claim.text_at(&["spec", "volumeName"])));
            let volume = name.and_then(|name| cluster.get(&PERSISTENT_VOLUMES, "", &name));
            volume
                .map(|volume| volume.text_at(&["spec", "csi", "driver"]).into())
                .unwrap_or_default()
        }
    };
    let Some(driver) = cluster.get(&CSI_DRIVERS, "", &driver) else {
        return false;
    };
    let requests = pods::items(&driver, &["spec", "tokenRequests"]);
    requests.iter().any(|request| request.text_at(&["audience"]) == audience)
}

fn lease(
    own: &str,
    attributes: &Attributes<'_>,
    new: &Node<'_>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    if attributes.namespace != "kube-node-lease" {
        return deny("can only access leases in the \"kube-node-lease\" system namespace".into());
    }
    if name_of(attributes, new) == own {
        return Ok(());
    }
    deny("can only access node lease with the same name as the requesting node".into())
}

fn csi_node(
    own: &str,
    attributes: &Attributes<'_>,
    new: &Node<'_>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    if name_of(attributes, new) == own {
        return Ok(());
    }
    deny("can only access CSINode with the same name as the requesting node".into())
}

fn name_of<'a>(attributes: &Attributes<'a>, new: &'a Node<'_>) -> &'a str {
    if attributes.is_create() { new.metadata().name() } else { attributes.name }
}

fn slice(
    own: &str,
    attributes: &Attributes<'_>,
    new: &Node<'_>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    let (verb, slice) = match (attributes.operation, attributes.old) {
        (Operation::Create, _) => ("create", new),
        (Operation::Delete, Some(old)) => ("delete", old),
        _ => return Ok(()),
    };
    if slice.text_at(&["spec", "nodeName"]) == own {
        return Ok(());
    }
    deny(format!("can only {verb} ResourceSlice with the same NodeName as the requesting node"))
}

fn signing_request(
    own: &str,
    attributes: &Attributes<'_>,
    new: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    const SIGNERS: [&str; 2] =
        ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"];
    if !attributes.is_create() || !SIGNERS.contains(&new.text_at(&["spec", "signerName"])) {
        return Ok(());
    }
    let subject = cluster.subject_of(new.text_at(&["spec", "request"]));
    let subject =
        subject.map_err(|error| Denial::Forbidden(format!("unable to parse csr: {error}")))?;
    if subject.common_name == format!("system:node:{own}") {
        return Ok(());
    }
    deny(format!("can only create a node CSR with CN=system:node:{own}"))
}

#[cfg(test)]
#[path = "node_restriction_tests.rs"]
mod tests;
