//! Kept by hand: the resources that Kubernetes v1.36 serves by default, and which of them are stored.

use super::{GroupVersionKind, Names, Resource, Subresource};

/// A group and a version.
pub(super) type Gv = (&'static str, &'static str);

const CORE: Gv = ("", "v1");
const APIREGISTRATION: Gv = ("apiregistration.k8s.io", "v1");
const APPS: Gv = ("apps", "v1");
const EVENTS: Gv = ("events.k8s.io", "v1");
const AUTHENTICATION: Gv = ("authentication.k8s.io", "v1");
const AUTHORIZATION: Gv = ("authorization.k8s.io", "v1");
const AUTOSCALING_V2: Gv = ("autoscaling", "v2");
const AUTOSCALING_V1: Gv = ("autoscaling", "v1");
const BATCH: Gv = ("batch", "v1");
const CERTIFICATES: Gv = ("certificates.k8s.io", "v1");
const NETWORKING: Gv = ("networking.k8s.io", "v1");
const POLICY: Gv = ("policy", "v1");
const RBAC_AUTHORIZATION: Gv = ("rbac.authorization.k8s.io", "v1");
const STORAGE: Gv = ("storage.k8s.io", "v1");
const ADMISSIONREGISTRATION: Gv = ("admissionregistration.k8s.io", "v1");
const APIEXTENSIONS: Gv = ("apiextensions.k8s.io", "v1");
const SCHEDULING: Gv = ("scheduling.k8s.io", "v1");
const COORDINATION: Gv = ("coordination.k8s.io", "v1");
const NODE: Gv = ("node.k8s.io", "v1");
const DISCOVERY: Gv = ("discovery.k8s.io", "v1");
const RESOURCE: Gv = ("resource.k8s.io", "v1");
const FLOWCONTROL_APISERVER: Gv = ("flowcontrol.apiserver.k8s.io", "v1");

/// All verbs of stored objects.
const ALL: &[&str] =
    &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const NO_COLLECTION: &[&str] = &["create", "delete", "get", "list", "patch", "update", "watch"];
const CREATE: &[&str] = &["create"];
const EDIT: &[&str] = &["get", "patch", "update"];
const GET: &[&str] = &["get"];
const PROXY: &[&str] = &["create", "delete", "get", "patch", "update"];
const READ: &[&str] = &["get", "list"];
const STREAM: &[&str] = &["create", "get"];
const UPDATE: &[&str] = &["update"];

/// The verbs of resources that are defined at run time, in the order of their discovery.
pub const CUSTOM_VERBS: &[&str] =
    &["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// The verbs of such resources while their definition is being deleted.
pub const TERMINATING_VERBS: &[&str] = &["delete", "deletecollection", "get", "list", "watch"];

/// The `scale` subresource.
pub const SCALE: Subresource = subresource_row("scale", AUTOSCALING_V1, "Scale", EDIT);

/// The `status` subresource.
pub const STATUS: Subresource = Subresource { name: "status", kind: None, verbs: EDIT };

/// All built-in resources: groups in the order of discovery, within a version sorted by name.
pub static RESOURCES: &[Resource<'static>] = &[
    // v1
    namespaced(CORE, "Binding", "bindings", "binding").not_stored(CREATE),
    cluster(CORE, "ComponentStatus", "componentstatuses", "componentstatus")
        .not_stored(READ)
        .short(&["cs"]),
    namespaced(CORE, "ConfigMap", "configmaps", "configmap").short(&["cm"]),
    namespaced(CORE, "Endpoints", "endpoints", "endpoints").short(&["ep"]),
    namespaced(CORE, "Event", "events", "event").short(&["ev"]),
    namespaced(CORE, "LimitRange", "limitranges", "limitrange").short(&["limits"]),
    cluster(CORE, "Namespace", "namespaces", "namespace")
        .verbs(NO_COLLECTION)
        .short(&["ns"])
        .with(&[subresource_row("finalize", CORE, "Namespace", UPDATE), STATUS]),
    cluster(CORE, "Node", "nodes", "node")
        .short(&["no"])
        .with(&[subresource_row("proxy", CORE, "NodeProxyOptions", PROXY), STATUS]),
    namespaced(CORE, "PersistentVolumeClaim", "persistentvolumeclaims", "persistentvolumeclaim")
        .short(&["pvc"])
        .with(&[STATUS]),
    cluster(CORE, "PersistentVolume", "persistentvolumes", "persistentvolume")
        .short(&["pv"])
        .with(&[STATUS]),
    namespaced(CORE, "Pod", "pods", "pod").short(&["po"]).in_categories(&["all"]).with(&[
        subresource_row("attach", CORE, "PodAttachOptions", STREAM),
        subresource_row("binding", CORE, "Binding", CREATE),
        subresource_row("ephemeralcontainers", CORE, "Pod", EDIT),
        subresource_row("eviction", POLICY, "Eviction", CREATE),
        subresource_row("exec", CORE, "PodExecOptions", STREAM),
        subresource_row("log", CORE, "Pod", GET),
        subresource_row("portforward", CORE, "PodPortForwardOptions", STREAM),
        subresource_row("proxy", CORE, "PodProxyOptions", PROXY),
        subresource_row("resize", CORE, "Pod", EDIT),
        STATUS,
    ]),
    namespaced(CORE, "PodTemplate", "podtemplates", "podtemplate"),
    namespaced(CORE, "ReplicationController", "replicationcontrollers", "replicationcontroller")
        .short(&["rc"])
        .in_categories(&["all"])
        .with(&[SCALE, STATUS]),
    namespaced(CORE, "ResourceQuota", "resourcequotas", "resourcequota")
        .short(&["quota"])
        .with(&[STATUS]),
    namespaced(CORE, "Secret", "secrets", "secret"),
    namespaced(CORE, "ServiceAccount", "serviceaccounts", "serviceaccount")
        .short(&["sa"])
        .with(&[subresource_row("token", AUTHENTICATION, "TokenRequest", CREATE)]),
    namespaced(CORE, "Service", "services", "service")
        .short(&["svc"])
        .in_categories(&["all"])
        .with(&[subresource_row("proxy", CORE, "ServiceProxyOptions", PROXY), STATUS]),
    // apiregistration.k8s.io/v1
    cluster(APIREGISTRATION, "APIService", "apiservices", "apiservice")
        .in_categories(&["api-extensions"])
        .with(&[STATUS]),
    // apps/v1
    namespaced(APPS, "ControllerRevision", "controllerrevisions", "controllerrevision"),
    namespaced(APPS, "DaemonSet", "daemonsets", "daemonset")
        .short(&["ds"])
        .in_categories(&["all"])
        .with(&[STATUS]),
    namespaced(APPS, "Deployment", "deployments", "deployment")
        .short(&["deploy"])
        .in_categories(&["all"])
        .with(&[SCALE, STATUS]),
    namespaced(APPS, "ReplicaSet", "replicasets", "replicaset")
        .short(&["rs"])
        .in_categories(&["all"])
        .with(&[SCALE, STATUS]),
    namespaced(APPS, "StatefulSet", "statefulsets", "statefulset")
        .short(&["sts"])
        .in_categories(&["all"])
        .with(&[SCALE, STATUS]),
    // events.k8s.io/v1
    namespaced(EVENTS, "Event", "events", "event").short(&["ev"]).stored_as(CORE),
    // authentication.k8s.io/v1
    cluster(AUTHENTICATION, "SelfSubjectReview", "selfsubjectreviews", "selfsubjectreview")
        .not_stored(CREATE),
    cluster(AUTHENTICATION, "TokenReview", "tokenreviews", "tokenreview").not_stored(CREATE),
    // authorization.k8s.io/v1
    namespaced(
        AUTHORIZATION,
        "LocalSubjectAccessReview",
        "localsubjectaccessreviews",
        "localsubjectaccessreview",
    )
    .not_stored(CREATE),
    cluster(
        AUTHORIZATION,
        "SelfSubjectAccessReview",
        "selfsubjectaccessreviews",
        "selfsubjectaccessreview",
    )
    .not_stored(CREATE),
    cluster(
        AUTHORIZATION,
        "SelfSubjectRulesReview",
        "selfsubjectrulesreviews",
        "selfsubjectrulesreview",
    )
    .not_stored(CREATE),
    cluster(AUTHORIZATION, "SubjectAccessReview", "subjectaccessreviews", "subjectaccessreview")
        .not_stored(CREATE),
    // autoscaling/v2
    namespaced(
        AUTOSCALING_V2,
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        "horizontalpodautoscaler",
    )
    .short(&["hpa"])
    .in_categories(&["all"])
    .with(&[STATUS]),
    // autoscaling/v1
    namespaced(
        AUTOSCALING_V1,
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        "horizontalpodautoscaler",
    )
    .short(&["hpa"])
    .in_categories(&["all"])
    .stored_as(AUTOSCALING_V2)
    .with(&[STATUS]),
    // batch/v1
    namespaced(BATCH, "CronJob", "cronjobs", "cronjob")
        .short(&["cj"])
        .in_categories(&["all"])
        .with(&[STATUS]),
    namespaced(BATCH, "Job", "jobs", "job").in_categories(&["all"]).with(&[STATUS]),
    // certificates.k8s.io/v1
    cluster(
        CERTIFICATES,
        "CertificateSigningRequest",
        "certificatesigningrequests",
        "certificatesigningrequest",
    )
    .short(&["csr"])
    .with(&[subresource_row("approval", CERTIFICATES, "CertificateSigningRequest", EDIT), STATUS]),
    // networking.k8s.io/v1
    cluster(NETWORKING, "IngressClass", "ingressclasses", "ingressclass"),
    namespaced(NETWORKING, "Ingress", "ingresses", "ingress").short(&["ing"]).with(&[STATUS]),
    cluster(NETWORKING, "IPAddress", "ipaddresses", "ipaddress").short(&["ip"]),
    namespaced(NETWORKING, "NetworkPolicy", "networkpolicies", "networkpolicy").short(&["netpol"]),
    cluster(NETWORKING, "ServiceCIDR", "servicecidrs", "servicecidr").with(&[STATUS]),
    // policy/v1
    namespaced(POLICY, "PodDisruptionBudget", "poddisruptionbudgets", "poddisruptionbudget")
        .short(&["pdb"])
        .with(&[STATUS]),
    // rbac.authorization.k8s.io/v1
    cluster(RBAC_AUTHORIZATION, "ClusterRoleBinding", "clusterrolebindings", "clusterrolebinding"),
    cluster(RBAC_AUTHORIZATION, "ClusterRole", "clusterroles", "clusterrole"),
    namespaced(RBAC_AUTHORIZATION, "RoleBinding", "rolebindings", "rolebinding"),
    namespaced(RBAC_AUTHORIZATION, "Role", "roles", "role"),
    // storage.k8s.io/v1
    cluster(STORAGE, "CSIDriver", "csidrivers", "csidriver"),
    cluster(STORAGE, "CSINode", "csinodes", "csinode"),
    namespaced(STORAGE, "CSIStorageCapacity", "csistoragecapacities", "csistoragecapacity"),
    cluster(STORAGE, "StorageClass", "storageclasses", "storageclass").short(&["sc"]),
    cluster(STORAGE, "VolumeAttachment", "volumeattachments", "volumeattachment").with(&[STATUS]),
    cluster(STORAGE, "VolumeAttributesClass", "volumeattributesclasses", "volumeattributesclass")
        .short(&["vac"]),
    // admissionregistration.k8s.io/v1
    cluster(
        ADMISSIONREGISTRATION,
        "MutatingAdmissionPolicy",
        "mutatingadmissionpolicies",
        "mutatingadmissionpolicy",
    )
    .in_categories(&["api-extensions"])
    .stored_as(("admissionregistration.k8s.io", "v1beta1")),
    cluster(
        ADMISSIONREGISTRATION,
        "MutatingAdmissionPolicyBinding",
        "mutatingadmissionpolicybindings",
        "mutatingadmissionpolicybinding",
    )
    .in_categories(&["api-extensions"])
    .stored_as(("admissionregistration.k8s.io", "v1beta1")),
    cluster(
        ADMISSIONREGISTRATION,
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        "mutatingwebhookconfiguration",
    )
    .in_categories(&["api-extensions"]),
    cluster(
        ADMISSIONREGISTRATION,
        "ValidatingAdmissionPolicy",
        "validatingadmissionpolicies",
        "validatingadmissionpolicy",
    )
    .in_categories(&["api-extensions"])
    .with(&[STATUS]),
    cluster(
        ADMISSIONREGISTRATION,
        "ValidatingAdmissionPolicyBinding",
        "validatingadmissionpolicybindings",
        "validatingadmissionpolicybinding",
    )
    .in_categories(&["api-extensions"]),
    cluster(
        ADMISSIONREGISTRATION,
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        "validatingwebhookconfiguration",
    )
    .in_categories(&["api-extensions"]),
    // apiextensions.k8s.io/v1
    cluster(
        APIEXTENSIONS,
        "CustomResourceDefinition",
        "customresourcedefinitions",
        "customresourcedefinition",
    )
    .short(&["crd", "crds"])
    .in_categories(&["api-extensions"])
    .stored_as(("apiextensions.k8s.io", "v1beta1"))
    .with(&[STATUS]),
    // scheduling.k8s.io/v1
    cluster(SCHEDULING, "PriorityClass", "priorityclasses", "priorityclass").short(&["pc"]),
    // coordination.k8s.io/v1
    namespaced(COORDINATION, "Lease", "leases", "lease"),
    // node.k8s.io/v1
    cluster(NODE, "RuntimeClass", "runtimeclasses", "runtimeclass"),
    // discovery.k8s.io/v1
    namespaced(DISCOVERY, "EndpointSlice", "endpointslices", "endpointslice"),
    // resource.k8s.io/v1
    cluster(RESOURCE, "DeviceClass", "deviceclasses", "deviceclass"),
    namespaced(RESOURCE, "ResourceClaim", "resourceclaims", "resourceclaim").with(&[STATUS]),
    namespaced(
        RESOURCE,
        "ResourceClaimTemplate",
        "resourceclaimtemplates",
        "resourceclaimtemplate",
    ),
    cluster(RESOURCE, "ResourceSlice", "resourceslices", "resourceslice"),
    // flowcontrol.apiserver.k8s.io/v1
    cluster(FLOWCONTROL_APISERVER, "FlowSchema", "flowschemas", "flowschema").with(&[STATUS]),
    cluster(
        FLOWCONTROL_APISERVER,
        "PriorityLevelConfiguration",
        "prioritylevelconfigurations",
        "prioritylevelconfiguration",
    )
    .with(&[STATUS]),
];

type Text = &'static str;
type Texts = &'static [Text];

pub(super) const fn cluster(gv: Gv, kind: Text, plural: Text, singular: Text) -> Resource<'static> {
    let (group, version) = gv;
    Resource {
        group,
        version,
        kind,
        plural,
        singular,
        namespaced: false,
        verbs: ALL,
        short_names: Names::Table(&[]),
        categories: Names::Table(&[]),
        subresources: &[],
        storage: Some(GroupVersionKind { group, version, kind }),
    }
}

pub(super) const fn namespaced(
    gv: Gv,
    kind: Text,
    plural: Text,
    singular: Text,
) -> Resource<'static> {
    Resource { namespaced: true, ..cluster(gv, kind, plural, singular) }
}

const fn subresource_row(name: Text, gv: Gv, kind: Text, verbs: Texts) -> Subresource {
    let (group, version) = gv;
    Subresource { name, kind: Some(GroupVersionKind { group, version, kind }), verbs }
}

/// Modifiers of a row.
impl Resource<'static> {
    const fn verbs(self, verbs: Texts) -> Self {
        Self { verbs, ..self }
    }

    /// Answered at once, never stored.
    const fn not_stored(self, verbs: Texts) -> Self {
        Self { verbs, storage: None, ..self }
    }

    /// Stored in another version than this one.
    pub(super) const fn stored_as(self, gv: Gv) -> Self {
        let (group, version) = gv;
        Self { storage: Some(GroupVersionKind { group, version, kind: self.kind }), ..self }
    }

    pub(super) const fn short(self, short_names: Texts) -> Self {
        Self { short_names: Names::Table(short_names), ..self }
    }

    pub(super) const fn in_categories(self, categories: Texts) -> Self {
        Self { categories: Names::Table(categories), ..self }
    }

    pub(super) const fn with(self, subresources: &'static [Subresource]) -> Self {
        Self { subresources, ..self }
    }
}
