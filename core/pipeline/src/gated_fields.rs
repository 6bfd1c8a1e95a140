//! Kept by hand: the fields that feature gates decide, and dropping of those whose gates are off, before validation.

use ratchet_engine::Gates;
use ratchet_object::{Kind, Node, Value};

/// Where a field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldOwner {
    /// In a pod, also in one that a template describes.
    Pod,
    /// In each container of such a pod.
    Container,
    /// In a ResourceClaim, also in one that a template describes.
    Claim,
    /// In a kind: its group and name.
    Kind(&'static str, &'static str),
}

impl FieldOwner {
    /// Whether objects of a kind may have it.
    fn is_in(self, kind: &Kind<'_>) -> bool {
        match self {
            Self::Pod | Self::Container => kind.pod.is_some(),
            Self::Claim => kind.group == "resource.k8s.io",
            Self::Kind(group, name) => (group, name) == (kind.group, kind.name),
        }
    }
}

/// The fields of one feature. A stored object that has one of them keeps all.
struct GatedFields {
    gate: &'static str,
    owner: FieldOwner,
    /// Paths with dots; a step ends with `[]` for the items of a list, with `{}` for the values of a map, with `?` for a
    /// struct that goes when nothing is left in it, and with a member in parentheses for a struct that goes with it.
    paths: &'static [&'static str],
}

const fn fields(
    gate: &'static str,
    owner: FieldOwner,
    paths: &'static [&'static str],
) -> GatedFields {
    GatedFields { gate, owner, paths }
}

#[rustfmt::skip] // one path a line
static GATED_FIELDS: &[GatedFields] = &[
    fields("ClusterTrustBundleProjection", FieldOwner::Pod, &[
        "spec.volumes[].projected.sources[].clusterTrustBundle",
    ]),
    fields("PodCertificateRequest", FieldOwner::Pod, &[
        "spec.volumes[].projected.sources[].podCertificate",
    ]),
    fields("GenericWorkload", FieldOwner::Pod, &[
        "spec.schedulingGroup",
    ]),
    fields("CoordinatedLeaderElection", FieldOwner::Kind("coordination.k8s.io", "Lease"), &[
        "spec.preferredHolder",
        "spec.strategy",
    ]),
    fields("HostnameOverride", FieldOwner::Pod, &[
        "spec.hostnameOverride",
    ]),
    fields("PodLevelResources", FieldOwner::Pod, &[
        "spec.resources",
    ]),
    fields("MatchLabelKeysInPodTopologySpread", FieldOwner::Pod, &[
        "spec.topologySpreadConstraints[].matchLabelKeys",
    ]),
    fields("SELinuxChangePolicy", FieldOwner::Pod, &[
        "spec.securityContext.seLinuxChangePolicy",
    ]),
    fields("SupplementalGroupsPolicy", FieldOwner::Pod, &[
        "spec.securityContext.supplementalGroupsPolicy",
    ]),
    fields("UserNamespacesSupport", FieldOwner::Pod, &[
        "spec.hostUsers",
    ]),
    fields("ContainerStopSignals", FieldOwner::Container, &[
        "lifecycle?.stopSignal",
    ]),
    fields("EnvFiles", FieldOwner::Container, &[
        "env[].valueFrom.fileKeyRef",
    ]),
    fields("InPlacePodVerticalScaling", FieldOwner::Container, &[
        "resizePolicy",
    ]),
    fields("MaxUnavailableStatefulSet", FieldOwner::Kind("apps", "StatefulSet"), &[
        "spec.updateStrategy.rollingUpdate.maxUnavailable",
    ]),
    fields("HPAConfigurableTolerance", FieldOwner::Kind("autoscaling", "HorizontalPodAutoscaler"), &[
        "spec.behavior.scaleDown.tolerance",
        "spec.behavior.scaleUp.tolerance",
    ]),
    fields("JobManagedBy", FieldOwner::Kind("batch", "Job"), &[
        "spec.managedBy",
    ]),
    fields("VolumeAttributesClass", FieldOwner::Kind("", "PersistentVolumeClaim"), &[
        "spec.volumeAttributesClassName",
    ]),
    fields("CrossNamespaceVolumeDataSource", FieldOwner::Kind("", "PersistentVolumeClaim"), &[
        "spec.dataSourceRef(namespace)",
    ]),
    fields("VolumeAttributesClass", FieldOwner::Kind("", "PersistentVolume"), &[
        "spec.volumeAttributesClassName",
    ]),
    fields("DRAExtendedResource", FieldOwner::Kind("resource.k8s.io", "DeviceClass"), &[
        "spec.extendedResourceName",
    ]),
    fields("DRAPrioritizedList", FieldOwner::Claim, &[
        "spec.devices.requests[].firstAvailable",
    ]),
    fields("DRADeviceTaints", FieldOwner::Claim, &[
        "spec.devices.requests[].exactly.tolerations",
        "spec.devices.requests[].tolerations",
        "spec.devices.requests[].firstAvailable[].tolerations",
    ]),
    fields("DRAAdminAccess", FieldOwner::Claim, &[
        "spec.devices.requests[].exactly.adminAccess",
        "spec.devices.requests[].adminAccess",
    ]),
    fields("DRAConsumableCapacity", FieldOwner::Claim, &[
        "spec.devices.constraints[].distinctAttribute",
        "spec.devices.requests[].exactly.capacity",
        "spec.devices.requests[].capacity",
        "spec.devices.requests[].firstAvailable[].capacity",
    ]),
    fields("DRADeviceTaints", FieldOwner::Kind("resource.k8s.io", "ResourceSlice"), &[
        "spec.devices[].taints",
        "spec.devices[].basic.taints",
    ]),
    fields("DRAPartitionableDevices", FieldOwner::Kind("resource.k8s.io", "ResourceSlice"), &[
        "spec.sharedCounters",
        "spec.perDeviceNodeSelection",
        "spec.devices[].consumesCounters",
        "spec.devices[].basic.consumesCounters",
        "spec.devices[].nodeName",
        "spec.devices[].basic.nodeName",
        "spec.devices[].nodeSelector",
        "spec.devices[].basic.nodeSelector",
        "spec.devices[].allNodes",
        "spec.devices[].basic.allNodes",
    ]),
    fields("DRADeviceBindingConditions", FieldOwner::Kind("resource.k8s.io", "ResourceSlice"), &[
        "spec.devices[].bindingConditions",
        "spec.devices[].basic.bindingConditions",
        "spec.devices[].bindingFailureConditions",
        "spec.devices[].basic.bindingFailureConditions",
        "spec.devices[].bindsToNode",
        "spec.devices[].basic.bindsToNode",
    ]),
    fields("DRAResourceClaimDeviceStatus", FieldOwner::Kind("resource.k8s.io", "ResourceSlice"), &[
        "spec.devices[].bindingConditions",
        "spec.devices[].basic.bindingConditions",
        "spec.devices[].bindingFailureConditions",
        "spec.devices[].basic.bindingFailureConditions",
        "spec.devices[].bindsToNode",
        "spec.devices[].basic.bindsToNode",
    ]),
    fields("DRAConsumableCapacity", FieldOwner::Kind("resource.k8s.io", "ResourceSlice"), &[
        "spec.devices[].allowMultipleAllocations",
        "spec.devices[].basic.allowMultipleAllocations",
        "spec.devices[].capacity{}.requestPolicy",
        "spec.devices[].basic.capacity{}.requestPolicy",
    ]),
    fields("DRANodeAllocatableResources", FieldOwner::Kind("resource.k8s.io", "ResourceSlice"), &[
        "spec.devices[].nodeAllocatableResourceMappings",
        "spec.devices[].basic.nodeAllocatableResourceMappings",
    ]),
    fields("DRAListTypeAttributes", FieldOwner::Kind("resource.k8s.io", "ResourceSlice"), &[
        "spec.devices[].attributes{}.bools",
        "spec.devices[].basic.attributes{}.bools",
        "spec.devices[].attributes{}.ints",
        "spec.devices[].basic.attributes{}.ints",
        "spec.devices[].attributes{}.strings",
        "spec.devices[].basic.attributes{}.strings",
        "spec.devices[].attributes{}.versions",
        "spec.devices[].basic.attributes{}.versions",
    ]),
    fields("TopologyAwareWorkloadScheduling", FieldOwner::Kind("scheduling.k8s.io", "PodGroup"), &[
        "spec.schedulingConstraints",
    ]),
    fields("TopologyAwareWorkloadScheduling", FieldOwner::Kind("scheduling.k8s.io", "Workload"), &[
        "spec.podGroupTemplates[].schedulingConstraints",
    ]),
    fields("DRAWorkloadResourceClaims", FieldOwner::Kind("scheduling.k8s.io", "PodGroup"), &[
        "spec.resourceClaims",
    ]),
    fields("DRAWorkloadResourceClaims", FieldOwner::Kind("scheduling.k8s.io", "Workload"), &[
        "spec.podGroupTemplates[].resourceClaims",
    ]),
    fields("WorkloadAwarePreemption", FieldOwner::Kind("scheduling.k8s.io", "PodGroup"), &[
        "spec.disruptionMode",
    ]),
    fields("WorkloadAwarePreemption", FieldOwner::Kind("scheduling.k8s.io", "Workload"), &[
        "spec.podGroupTemplates[].disruptionMode",
    ]),
    fields("WorkloadAwarePreemption", FieldOwner::Kind("scheduling.k8s.io", "PodGroup"), &[
        "spec.priorityClassName",
    ]),
    fields("WorkloadAwarePreemption", FieldOwner::Kind("scheduling.k8s.io", "Workload"), &[
        "spec.podGroupTemplates[].priorityClassName",
    ]),
    fields("WorkloadAwarePreemption", FieldOwner::Kind("scheduling.k8s.io", "PodGroup"), &[
        "spec.priority",
    ]),
    fields("WorkloadAwarePreemption", FieldOwner::Kind("scheduling.k8s.io", "Workload"), &[
        "spec.podGroupTemplates[].priority",
    ]),
    fields("SELinuxMountReadWriteOncePod", FieldOwner::Kind("storage.k8s.io", "CSIDriver"), &[
        "spec.seLinuxMount",
    ]),
    fields("MutableCSINodeAllocatableCount", FieldOwner::Kind("storage.k8s.io", "CSIDriver"), &[
        "spec.nodeAllocatableUpdatePeriodSeconds",
    ]),
    fields("CSIServiceAccountTokenSecrets", FieldOwner::Kind("storage.k8s.io", "CSIDriver"), &[
        "spec.serviceAccountTokenInSecrets",
    ]),
    fields("VolumeLimitScaling", FieldOwner::Kind("storage.k8s.io", "CSIDriver"), &[
        "spec.preventPodSchedulingIfMissing",
    ]),
    fields("NodeDeclaredFeatures", FieldOwner::Kind("", "Node"), &[
        "status.declaredFeatures",
    ]),
];

/// The lists of containers in a pod.
const CONTAINERS: [&[&str]; 3] =
    [&[SPEC, "containers[]"], &[SPEC, "initContainers[]"], &[SPEC, "ephemeralContainers[]"]];
const SPEC: &str = "spec";

/// Drops the fields whose gates are off from a new object, unless the stored one has them.
pub fn drop_gated_fields(
    new: &mut Node<'_>,
    old: Option<&Node<'_>>,
    kind: &Kind<'_>,
    gates: &Gates,
) {
    for row in GATED_FIELDS {
        // Most rows are about other kinds, most gates are on, and most objects have none of the fields.
        if !row.owner.is_in(kind) || gates.is_on(row.gate) {
            continue;
        }
        let is_used = |node: &Node<'_>| paths(row, kind).any(|path| has(node, path));
        if !is_used(new) || old.is_some_and(is_used) {
            continue;
        }
        for path in paths(row, kind) {
            remove(new, path);
        }
    }
}

/// The steps of every path of a row from the root of an object of this kind; none if the row is about another kind.
fn paths<'k>(
    row: &GatedFields,
    kind: &Kind<'k>,
) -> impl Iterator<Item = impl Iterator<Item = &'k str> + Clone> {
    let pod = kind.pod.map(|place| place.0);
    let root = |is_it: bool, base: &'static [&'static str]| is_it.then_some((&[][..], base));
    let is_kind = |group: &str, name: &str| (group, name) == (kind.group, kind.name);
    // A path begins with two parts, where the kind has its pod and where the pod has the field.
    let bases: [Option<(&'k [&'k str], &'k [&'k str])>; 3] = match row.owner {
        FieldOwner::Pod => [pod.map(|pod| (pod, &[][..])), None, None],
        FieldOwner::Container => CONTAINERS.map(|list| pod.map(|pod| (pod, list))),
        FieldOwner::Claim => [
            root(is_kind("resource.k8s.io", "ResourceClaim"), &[]),
            root(is_kind("resource.k8s.io", "ResourceClaimTemplate"), &["spec"]),
            None,
        ],
        FieldOwner::Kind(group, name) => [root(is_kind(group, name), &[]), None, None],
    };
    let paths = row.paths;
    bases.into_iter().flatten().flat_map(move |(first, second)| {
        let base = first.iter().chain(second).copied();
        paths.iter().map(move |path| base.clone().chain(path.split('.')))
    })
}

/// Whether something is set at a path: a value that is neither `null` nor an empty list.
fn has<'p>(node: &Node<'_>, mut path: impl Iterator<Item = &'p str> + Clone) -> bool {
    let Some(step) = path.next() else {
        return !node.is_null() && !matches!(&node.value, Value::List(items) if items.is_empty());
    };
    if let Some(list) = step.strip_suffix("[]") {
        let items = node.get(list).map_or(&[][..], Node::items);
        return items.iter().any(|item| has(item, path.clone()));
    }
    if let Some(map) = step.strip_suffix("{}") {
        let entries = node.get(map).map_or(&[][..], Node::entries);
        return entries.iter().any(|entry| has(&entry.node, path.clone()));
    }
    if let Some((name, member)) = with_member(step) {
        let member = node.get(name).and_then(|holder| holder.get(member));
        return member.is_some_and(|member| !member.is_null() && member.text() != Some(""));
    }
    node.get(step.trim_end_matches('?')).is_some_and(|member| has(member, path))
}

/// The struct and the member of a step with parentheses.
fn with_member(step: &str) -> Option<(&str, &str)> {
    step.strip_suffix(')')?.split_once('(')
}

/// Removes what stands at a path.
fn remove<'p>(node: &mut Node<'_>, mut path: impl Iterator<Item = &'p str> + Clone) {
    let Some(step) = path.next() else { return };
    if path.clone().next().is_none() {
        node.remove(with_member(step).map_or(step, |(name, _)| name));
    } else if let Some(list) = step.strip_suffix("[]") {
        let items = node.get_mut(list).and_then(Node::items_mut);
        items.into_iter().flatten().for_each(|item| remove(item, path.clone()));
    } else if let Some(map) = step.strip_suffix("{}") {
        let entries = node.get_mut(map).and_then(Node::entries_mut);
        entries.into_iter().flatten().for_each(|entry| remove(&mut entry.node, path.clone()));
    } else {
        let name = step.trim_end_matches('?');
        let Some(member) = node.get_mut(name) else { return };
        remove(member, path);
        if step.ends_with('?') && member.entries().is_empty() {
            node.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;
    use ratchet_engine::Release;
    use ratchet_engine::gates::DECIDING;
    use ratchet_object::{Limits, decode, find, schema};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn gates(set: &str) -> Gates {
        let mut gates = Gates::of(Release::REFERENCE);
        gates.apply(&[set]).unwrap();
        gates
    }

    /// What is left of an object.
    fn after_dropping(kind: (&str, &str), text: &str, old: Option<&str>, set: &str) -> String {
        let kind = find(kind.0, kind.1).unwrap();
        let mut new = node(text);
        drop_gated_fields(&mut new, old.map(node).as_ref(), &kind, &gates(set));
        new.to_json()
    }

    #[test]
    fn fields_follow_their_gates_and_stored_ones_stay() {
        let text = r#"{"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":2}}}}"#;
        let without = r#"{"spec":{"updateStrategy":{"rollingUpdate":{}}}}"#;
        let kind = ("apps/v1", "StatefulSet");
        assert_eq!(after_dropping(kind, text, None, ""), without);
        assert_eq!(after_dropping(kind, text, Some(without), ""), without);
        assert_eq!(after_dropping(kind, text, Some(text), ""), text);
        assert_eq!(after_dropping(kind, text, None, "MaxUnavailableStatefulSet=true"), text);
        let scaler = r#"{"spec":{"behavior":{"scaleUp":{"tolerance":"1"}}}}"#;
        let kind = ("autoscaling/v2", "HorizontalPodAutoscaler");
        assert_eq!(after_dropping(kind, scaler, None, ""), scaler);
        let off = "HPAConfigurableTolerance=false";
        assert_eq!(
            after_dropping(kind, scaler, None, off),
            r#"{"spec":{"behavior":{"scaleUp":{}}}}"#
        );
    }

    #[test]
    fn pods_and_templates_lose_the_same_fields() {
        let spec = r#"{"schedulingGroup":{"podGroupName":"g"},"containers":[{"name":"a","lifecycle":{"stopSignal":"SIGTERM"}}],"initContainers":[{"lifecycle":{"stopSignal":"SIGTERM","preStop":{}}}],"volumes":[{"projected":{"sources":[{"clusterTrustBundle":{"path":"a"}},{"podCertificate":{"keyPath":"k"}},{"serviceAccountToken":{"path":"t"}}]}}]}"#;
        let left = r#"{"containers":[{"name":"a"}],"initContainers":[{"lifecycle":{"preStop":{}}}],"volumes":[{"projected":{"sources":[{},{},{"serviceAccountToken":{"path":"t"}}]}}]}"#;
        let pod = |spec: &str| alloc::format!(r#"{{"spec":{spec}}}"#);
        let set = |spec: &str| alloc::format!(r#"{{"spec":{{"template":{{"spec":{spec}}}}}}}"#);
        assert_eq!(after_dropping(("v1", "Pod"), &pod(spec), None, ""), pod(left));
        assert_eq!(after_dropping(("apps/v1", "ReplicaSet"), &set(spec), None, ""), set(left));
        let on = "ClusterTrustBundle=true,ClusterTrustBundleProjection=true,PodCertificateRequest=true,GenericWorkload=true,ContainerStopSignals=true";
        assert_eq!(after_dropping(("v1", "Pod"), &pod(spec), None, on), pod(spec));
    }

    #[test]
    fn devices_lose_their_fields_in_every_version() {
        let kind = ("resource.k8s.io/v1beta1", "ResourceSlice");
        let text = r#"{"spec":{"devices":[{"basic":{"attributes":{"a":{"strings":["x"]},"b":{"int":1}},"nodeAllocatableResourceMappings":{"cpu":{}}}}]}}"#;
        let left = r#"{"spec":{"devices":[{"basic":{"attributes":{"a":{},"b":{"int":1}}}}]}}"#;
        assert_eq!(after_dropping(kind, text, None, ""), left);
        let flat = |text: &str| text.replace(r#"{"basic":"#, "").replace("}}]}}", "}]}}");
        let kind = ("resource.k8s.io/v1", "ResourceSlice");
        assert_eq!(after_dropping(kind, &flat(text), None, ""), flat(left));
    }

    #[test]
    fn claims_and_their_templates_lose_the_same_fields() {
        let claim = |request: &str| {
            alloc::format!(r#"{{"spec":{{"devices":{{"requests":[{{"exactly":{request}}}]}}}}}}"#)
        };
        let template = |claim: &str| alloc::format!(r#"{{"spec":{claim}}}"#);
        let (text, left) =
            (claim(r#"{"count":1,"capacity":{"requests":{"a":"1"}}}"#), claim(r#"{"count":1}"#));
        let off = "DRAConsumableCapacity=false";
        let kind = |name| ("resource.k8s.io/v1", name);
        assert_eq!(after_dropping(kind("ResourceClaim"), &text, None, off), left);
        let kind = kind("ResourceClaimTemplate");
        assert_eq!(after_dropping(kind, &template(&text), None, off), template(&left));
        assert_eq!(after_dropping(kind, &template(&text), None, ""), template(&text));
    }

    #[test]
    fn every_path_leads_to_a_field_and_every_gate_decides() {
        for row in GATED_FIELDS {
            assert!(DECIDING.contains(&row.gate), "{}", row.gate);
            let of_kind = |group: &str, name: &str| -> Vec<u16> {
                let is_it = |kind: &&schema::KindRow| (kind.group, kind.kind) == (group, name);
                schema::KINDS.iter().filter(is_it).map(|kind| kind.ty).collect()
            };
            let roots: Vec<u16> = match row.owner {
                FieldOwner::Pod => {
                    schema::kind("", "v1", "Pod").map(|kind| kind.ty).into_iter().collect()
                }
                FieldOwner::Container => {
                    schema::type_index("io.k8s.api.core.v1.Container").into_iter().collect()
                }
                FieldOwner::Claim => of_kind("resource.k8s.io", "ResourceClaim"),
                FieldOwner::Kind(group, name) => of_kind(group, name),
            };
            for path in row.paths {
                let steps: Vec<&str> = path.split('.').collect();
                assert!(roots.iter().any(|root| leads(*root, &steps)), "{} {path}", row.gate);
            }
        }
    }

    /// Whether a path leads from a type to a field.
    fn leads(ty: u16, path: &[&str]) -> bool {
        let Some((step, rest)) = path.split_first() else { return false };
        if let Some((name, member)) = with_member(step) {
            return leads(ty, &[name, member]);
        }
        let name = step.trim_end_matches(['[', ']', '{', '}', '?']);
        let Some(field) = schema::type_of(ty).field(name) else { return false };
        rest.is_empty() || object_in(&field.shape).is_some_and(|next| leads(next, rest))
    }

    fn object_in(shape: &schema::Shape) -> Option<u16> {
        match shape {
            schema::Shape::Object(ty) => Some(*ty),
            schema::Shape::List(item) | schema::Shape::Map(item) => object_in(item),
            _ => None,
        }
    }
}
