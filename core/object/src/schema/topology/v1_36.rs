//! How the lists and maps of the kinds built into Kubernetes v1.36 merge.
//!
//! Generated, do not edit:
//! `cargo run --manifest-path tools/schemagen/Cargo.toml -- topology <a checkout of Kubernetes> > core/object/src/schema/topology/v1_36.rs`

use super::Topology::*;
use super::{TypeTopology, key, key_or, key_or_int, of};

/// Every type with a marker, sorted by its index.
#[rustfmt::skip]
pub static TOPOLOGIES: &[TypeTopology] = &[
    of(5, "io.k8s.api.admissionregistration.v1.MatchResources", true, &[]),
    of(9, "io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec", false, &[
        ("matchConditions", Map(&[key_or("name", "")])),
    ]),
    of(10, "io.k8s.api.admissionregistration.v1.MutatingWebhook", false, &[
        ("matchConditions", Map(&[key_or("name", "")])),
    ]),
    of(11, "io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration", false, &[
        ("webhooks", Map(&[key_or("name", "")])),
    ]),
    of(13, "io.k8s.api.admissionregistration.v1.NamedRuleWithOperations", true, &[]),
    of(14, "io.k8s.api.admissionregistration.v1.ParamKind", true, &[]),
    of(15, "io.k8s.api.admissionregistration.v1.ParamRef", true, &[]),
    of(21, "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec", false, &[
        ("validationActions", Set),
    ]),
    of(22, "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec", false, &[
        ("matchConditions", Map(&[key_or("name", "")])),
        ("variables", Map(&[key_or("name", "")])),
    ]),
    of(23, "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(24, "io.k8s.api.admissionregistration.v1.ValidatingWebhook", false, &[
        ("matchConditions", Map(&[key_or("name", "")])),
    ]),
    of(25, "io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration", false, &[
        ("webhooks", Map(&[key_or("name", "")])),
    ]),
    of(27, "io.k8s.api.admissionregistration.v1.Variable", true, &[]),
    of(32, "io.k8s.api.admissionregistration.v1alpha1.MatchResources", true, &[]),
    of(36, "io.k8s.api.admissionregistration.v1alpha1.MutatingAdmissionPolicySpec", false, &[
        ("matchConditions", Map(&[key_or("name", "")])),
    ]),
    of(38, "io.k8s.api.admissionregistration.v1alpha1.NamedRuleWithOperations", true, &[]),
    of(39, "io.k8s.api.admissionregistration.v1alpha1.ParamKind", true, &[]),
    of(40, "io.k8s.api.admissionregistration.v1alpha1.ParamRef", true, &[]),
    of(45, "io.k8s.api.admissionregistration.v1beta1.MatchResources", true, &[]),
    of(49, "io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicySpec", false, &[
        ("matchConditions", Map(&[key_or("name", "")])),
    ]),
    of(51, "io.k8s.api.admissionregistration.v1beta1.NamedRuleWithOperations", true, &[]),
    of(52, "io.k8s.api.admissionregistration.v1beta1.ParamKind", true, &[]),
    of(53, "io.k8s.api.admissionregistration.v1beta1.ParamRef", true, &[]),
    of(54, "io.k8s.api.admissionregistration.v1beta1.Variable", true, &[]),
    of(55, "io.k8s.api.apiserverinternal.v1alpha1.ServerStorageVersion", false, &[
        ("decodableVersions", Set),
        ("servedVersions", Set),
    ]),
    of(59, "io.k8s.api.apiserverinternal.v1alpha1.StorageVersionStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
        ("storageVersions", Map(&[key("apiServerID")])),
    ]),
    of(60, "io.k8s.api.apps.v1.ControllerRevision", false, &[
        ("data", Opaque),
    ]),
    of(64, "io.k8s.api.apps.v1.DaemonSetStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(69, "io.k8s.api.apps.v1.DeploymentStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(74, "io.k8s.api.apps.v1.ReplicaSetStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(83, "io.k8s.api.apps.v1.StatefulSetStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(110, "io.k8s.api.autoscaling.v1.CrossVersionObjectReference", true, &[]),
    of(128, "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(149, "io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement", false, &[
        ("values", Set),
    ]),
    of(154, "io.k8s.api.batch.v1.UncountedTerminatedPods", false, &[
        ("failed", Set),
        ("succeeded", Set),
    ]),
    of(158, "io.k8s.api.certificates.v1.CertificateSigningRequestStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(165, "io.k8s.api.certificates.v1beta1.PodCertificateRequestStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(190, "io.k8s.api.core.v1.ComponentStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(193, "io.k8s.api.core.v1.ConfigMapKeySelector", true, &[]),
    of(197, "io.k8s.api.core.v1.Container", false, &[
        ("env", Map(&[key_or("name", "")])),
        ("ports", Map(&[key_or_int("containerPort", 0), key_or("protocol", "TCP")])),
        ("volumeDevices", Map(&[key_or("devicePath", "")])),
        ("volumeMounts", Map(&[key_or("mountPath", "")])),
    ]),
    of(203, "io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes", false, &[
        ("values", Set),
    ]),
    of(208, "io.k8s.api.core.v1.ContainerStatus", false, &[
        ("allocatedResourcesStatus", Map(&[key_or("name", "")])),
        ("volumeMounts", Map(&[key_or("mountPath", "")])),
    ]),
    of(215, "io.k8s.api.core.v1.EndpointAddress", true, &[]),
    of(216, "io.k8s.api.core.v1.EndpointPort", true, &[]),
    of(222, "io.k8s.api.core.v1.EphemeralContainer", false, &[
        ("env", Map(&[key_or("name", "")])),
        ("ports", Map(&[key_or_int("containerPort", 0), key_or("protocol", "TCP")])),
        ("volumeDevices", Map(&[key_or("devicePath", "")])),
        ("volumeMounts", Map(&[key_or("mountPath", "")])),
    ]),
    of(229, "io.k8s.api.core.v1.FileKeySelector", true, &[]),
    of(256, "io.k8s.api.core.v1.LocalObjectReference", true, &[]),
    of(263, "io.k8s.api.core.v1.NamespaceStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(267, "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus", false, &[
        ("containers", Set),
    ]),
    of(275, "io.k8s.api.core.v1.NodeSelector", true, &[]),
    of(277, "io.k8s.api.core.v1.NodeSelectorTerm", true, &[]),
    of(278, "io.k8s.api.core.v1.NodeSpec", false, &[
        ("podCIDRs", Set),
    ]),
    of(279, "io.k8s.api.core.v1.NodeStatus", false, &[
        ("addresses", Map(&[key_or("type", "")])),
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(282, "io.k8s.api.core.v1.ObjectFieldSelector", true, &[]),
    of(283, "io.k8s.api.core.v1.ObjectReference", true, &[]),
    of(288, "io.k8s.api.core.v1.PersistentVolumeClaimStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(291, "io.k8s.api.core.v1.PersistentVolumeSpec", false, &[
        ("claimRef", Granular),
    ]),
    of(311, "io.k8s.api.core.v1.PodSpec", false, &[
        ("containers", Map(&[key_or("name", "")])),
        ("ephemeralContainers", Map(&[key_or("name", "")])),
        ("hostAliases", Map(&[key_or("ip", "")])),
        ("imagePullSecrets", Map(&[key_or("name", "")])),
        ("initContainers", Map(&[key_or("name", "")])),
        ("nodeSelector", Atomic),
        ("resourceClaims", Map(&[key_or("name", "")])),
        ("schedulingGates", Map(&[key_or("name", "")])),
        ("topologySpreadConstraints", Map(&[key_or("topologyKey", ""), key_or("whenUnsatisfiable", "")])),
        ("volumes", Map(&[key_or("name", "")])),
    ]),
    of(312, "io.k8s.api.core.v1.PodStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
        ("podIPs", Map(&[key_or("ip", "")])),
        ("resourceClaimStatuses", Map(&[key_or("name", "")])),
    ]),
    of(325, "io.k8s.api.core.v1.ReplicationControllerSpec", false, &[
        ("selector", Atomic),
    ]),
    of(326, "io.k8s.api.core.v1.ReplicationControllerStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(328, "io.k8s.api.core.v1.ResourceFieldSelector", true, &[]),
    of(333, "io.k8s.api.core.v1.ResourceRequirements", false, &[
        ("claims", Map(&[key_or("name", "")])),
    ]),
    of(334, "io.k8s.api.core.v1.ResourceStatus", false, &[
        ("resources", Map(&[key_or("resourceID", "")])),
    ]),
    of(338, "io.k8s.api.core.v1.ScopeSelector", true, &[]),
    of(343, "io.k8s.api.core.v1.SecretKeySelector", true, &[]),
    of(345, "io.k8s.api.core.v1.SecretReference", true, &[]),
    of(349, "io.k8s.api.core.v1.ServiceAccount", false, &[
        ("secrets", Map(&[key("name")])),
    ]),
    of(352, "io.k8s.api.core.v1.ServiceSpec", false, &[
        ("ports", Map(&[key_or_int("port", 0), key_or("protocol", "TCP")])),
        ("selector", Atomic),
    ]),
    of(353, "io.k8s.api.core.v1.ServiceStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(363, "io.k8s.api.core.v1.TopologySelectorTerm", true, &[]),
    of(365, "io.k8s.api.core.v1.TypedLocalObjectReference", true, &[]),
    of(378, "io.k8s.api.discovery.v1.Endpoint", false, &[
        ("addresses", Set),
    ]),
    of(381, "io.k8s.api.discovery.v1.EndpointPort", true, &[]),
    of(392, "io.k8s.api.flowcontrol.v1.FlowSchemaStatus", false, &[
        ("conditions", Map(&[key("type")])),
    ]),
    of(396, "io.k8s.api.flowcontrol.v1.NonResourcePolicyRule", false, &[
        ("nonResourceURLs", Set),
        ("verbs", Set),
    ]),
    of(402, "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus", false, &[
        ("conditions", Map(&[key("type")])),
    ]),
    of(404, "io.k8s.api.flowcontrol.v1.ResourcePolicyRule", false, &[
        ("apiGroups", Set),
        ("namespaces", Set),
        ("resources", Set),
        ("verbs", Set),
    ]),
    of(433, "io.k8s.api.networking.v1.ServiceBackendPort", true, &[]),
    of(436, "io.k8s.api.networking.v1.ServiceCIDRStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(442, "io.k8s.api.networking.v1beta1.ServiceCIDRStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(445, "io.k8s.api.node.v1.Scheduling", false, &[
        ("nodeSelector", Atomic),
    ]),
    of(449, "io.k8s.api.policy.v1.PodDisruptionBudgetStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(456, "io.k8s.api.rbac.v1.RoleRef", true, &[]),
    of(457, "io.k8s.api.rbac.v1.Subject", true, &[]),
    of(458, "io.k8s.api.resource.v1.AllocatedDeviceStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
        ("data", Opaque),
    ]),
    of(487, "io.k8s.api.resource.v1.OpaqueDeviceConfiguration", false, &[
        ("parameters", Opaque),
    ]),
    of(491, "io.k8s.api.resource.v1.ResourceClaimStatus", false, &[
        ("devices", Map(&[key_or("driver", ""), key_or("device", ""), key_or("pool", ""), key("shareID")])),
        ("reservedFor", Map(&[key_or("uid", "")])),
    ]),
    of(500, "io.k8s.api.resource.v1alpha3.DeviceTaintRuleStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(505, "io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequestStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(506, "io.k8s.api.resource.v1beta1.AllocatedDeviceStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
        ("data", Opaque),
    ]),
    of(535, "io.k8s.api.resource.v1beta1.OpaqueDeviceConfiguration", false, &[
        ("parameters", Opaque),
    ]),
    of(539, "io.k8s.api.resource.v1beta1.ResourceClaimStatus", false, &[
        ("devices", Map(&[key_or("driver", ""), key_or("device", ""), key_or("pool", ""), key("shareID")])),
        ("reservedFor", Map(&[key_or("uid", "")])),
    ]),
    of(545, "io.k8s.api.resource.v1beta2.AllocatedDeviceStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
        ("data", Opaque),
    ]),
    of(572, "io.k8s.api.resource.v1beta2.DeviceTaintRuleStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(578, "io.k8s.api.resource.v1beta2.OpaqueDeviceConfiguration", false, &[
        ("parameters", Opaque),
    ]),
    of(582, "io.k8s.api.resource.v1beta2.ResourceClaimStatus", false, &[
        ("devices", Map(&[key_or("driver", ""), key_or("device", ""), key_or("pool", ""), key("shareID")])),
        ("reservedFor", Map(&[key_or("uid", "")])),
    ]),
    of(596, "io.k8s.api.scheduling.v1alpha2.PodGroupSpec", false, &[
        ("resourceClaims", Map(&[key_or("name", "")])),
    ]),
    of(597, "io.k8s.api.scheduling.v1alpha2.PodGroupStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
        ("resourceClaimStatuses", Map(&[key_or("name", "")])),
    ]),
    of(598, "io.k8s.api.scheduling.v1alpha2.PodGroupTemplate", false, &[
        ("resourceClaims", Map(&[key_or("name", "")])),
    ]),
    of(604, "io.k8s.api.scheduling.v1alpha2.WorkloadSpec", false, &[
        ("podGroupTemplates", Map(&[key_or("name", "")])),
    ]),
    of(606, "io.k8s.api.storage.v1.CSIDriverSpec", false, &[
        ("volumeLifecycleModes", Set),
    ]),
    of(609, "io.k8s.api.storage.v1.CSINodeSpec", false, &[
        ("drivers", Map(&[key_or("name", "")])),
    ]),
    of(623, "io.k8s.api.storagemigration.v1beta1.StorageVersionMigrationStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(630, "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
    of(637, "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps", false, &[
        ("x-kubernetes-validations", Map(&[key_or("rule", "")])),
    ]),
    of(647, "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector", true, &[]),
    of(650, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", false, &[
        ("finalizers", Set),
        ("ownerReferences", Map(&[key_or("uid", "")])),
    ]),
    of(651, "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference", true, &[]),
    of(656, "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus", false, &[
        ("conditions", Map(&[key_or("type", "")])),
    ]),
];
