//! A valid object of every stored kind, with as little as its validation asks for.

/// A pod template.
pub(crate) const TEMPLATE: &str =
    "{metadata: {labels: {app: shop}}, spec: {containers: [{name: main, image: i}]}}";

/// A template of a pod that ends.
pub(crate) const JOB_TEMPLATE: &str =
    "{spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}";

/// A valid object: `TEMPLATE`, `JOB` and `NAMESPACE` stand for a template, one of a Job and the namespace.
pub(crate) struct Sample {
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
    pub(crate) body: &'static str,
    /// Whether the server keeps or sets fields outside of metadata and status on updates.
    pub(crate) is_prepared: bool,
}

const fn sample(api_version: &'static str, kind: &'static str, body: &'static str) -> Sample {
    Sample { api_version, kind, name: "it", body, is_prepared: false }
}

impl Sample {
    const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    const fn prepared(self) -> Self {
        Self { is_prepared: true, ..self }
    }
}

const CORE: &str = "v1";
const ADMISSION: &str = "admissionregistration.k8s.io/v1";
const APPS: &str = "apps/v1";
const BATCH: &str = "batch/v1";
const FLOWCONTROL: &str = "flowcontrol.apiserver.k8s.io/v1";
const NETWORKING: &str = "networking.k8s.io/v1";
const RBAC: &str = "rbac.authorization.k8s.io/v1";
const RESOURCE: &str = "resource.k8s.io/v1";
const STORAGE: &str = "storage.k8s.io/v1";

pub(crate) const SAMPLES: &[Sample] = &[
    sample(CORE, "ConfigMap", "data: {a: b, c: ''}"),
    sample(
        CORE,
        "Endpoints",
        "subsets: [{addresses: [{ip: 192.0.2.7}], ports: [{port: 1}]}]",
    ),
    sample(
        CORE,
        "Event",
        "involvedObject: {kind: Pod, name: p, namespace: NAMESPACE}, reason: r, type: Normal",
    ),
    sample(CORE, "LimitRange", "spec: {limits: [{type: Container, max: {cpu: 1}}]}"),
    sample(CORE, "Namespace", "spec: {}").prepared(),
    sample(CORE, "Node", "spec: {taints: [{key: a, effect: NoSchedule}]}").prepared(),
    sample(
        CORE,
        "PersistentVolume",
        "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /a}}",
    ),
    sample(
        CORE,
        "PersistentVolumeClaim",
        "spec: {accessModes: [ReadWriteOnce], storageClassName: '', resources: {requests: {storage: 1Gi}}}",
    )
    .prepared(),
    sample(CORE, "Pod", "spec: {containers: [{name: main, image: i}]}"),
    sample(CORE, "PodTemplate", "template: TEMPLATE"),
    sample(
        CORE,
        "ReplicationController",
        "spec: {selector: {app: shop}, template: TEMPLATE}",
    ),
    sample(CORE, "ResourceQuota", "spec: {hard: {pods: 200}}"),
    sample(CORE, "Secret", "data: {a: YQ==, b: ''}"),
    sample(CORE, "Service", "spec: {ports: [{port: 1}], selector: {a: ''}}").prepared(),
    sample(CORE, "ServiceAccount", "imagePullSecrets: [{name: a}]"),
    sample(
        ADMISSION,
        "MutatingAdmissionPolicy",
        "spec: {reinvocationPolicy: Never, matchConstraints: {resourceRules: [{apiGroups: [it.example], apiVersions: [v1], operations: [CREATE], resources: [things]}]}, mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: \"remove\", path: \"/a\"}]'}}]}",
    ),
    sample(ADMISSION, "MutatingAdmissionPolicyBinding", "spec: {policyName: a}"),
    sample(
        ADMISSION,
        "MutatingWebhookConfiguration",
        "webhooks: [{name: a.it.example, clientConfig: {url: 'https://it.example/'}, sideEffects: None, admissionReviewVersions: [v1]}]",
    ),
    sample(
        ADMISSION,
        "ValidatingAdmissionPolicy",
        "spec: {matchConstraints: {resourceRules: [{apiGroups: [it.example], apiVersions: [v1], operations: [CREATE], resources: [things]}]}, validations: [{expression: 'true'}]}",
    ),
    sample(
        ADMISSION,
        "ValidatingAdmissionPolicyBinding",
        "spec: {policyName: a, validationActions: [Deny]}",
    ),
    sample(
        ADMISSION,
        "ValidatingWebhookConfiguration",
        "webhooks: [{name: a.it.example, clientConfig: {url: 'https://it.example/'}, sideEffects: None, admissionReviewVersions: [v1]}]",
    ),
    sample(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "spec: {group: it.example, scope: Namespaced, names: {plural: things, kind: Thing}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}",
    )
    .named("things.it.example")
    .prepared(),
    sample(
        "apiregistration.k8s.io/v1",
        "APIService",
        "spec: {group: other.example, version: v1, groupPriorityMinimum: 1, versionPriority: 1, service: {name: a, namespace: b}, insecureSkipTLSVerify: true}",
    )
    .named("v1.other.example"),
    sample(APPS, "ControllerRevision", "data: {a: b}, revision: 1"),
    sample(
        APPS,
        "DaemonSet",
        "spec: {selector: {matchLabels: {app: shop}}, template: TEMPLATE}",
    )
    .prepared(),
    sample(
        APPS,
        "Deployment",
        "spec: {selector: {matchLabels: {app: shop}}, template: TEMPLATE}",
    ),
    sample(
        APPS,
        "ReplicaSet",
        "spec: {selector: {matchLabels: {app: shop}}, template: TEMPLATE}",
    ),
    sample(
        APPS,
        "StatefulSet",
        "spec: {serviceName: s, selector: {matchLabels: {app: shop}}, template: TEMPLATE}",
    ),
    sample(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        "spec: {maxReplicas: 2, scaleTargetRef: {kind: Deployment, name: a, apiVersion: apps/v1}}",
    ),
    sample(BATCH, "CronJob", "spec: {schedule: '* * * * *', jobTemplate: {spec: {template: JOB}}}"),
    sample(BATCH, "Job", "spec: {template: JOB}").prepared(),
    sample("coordination.k8s.io/v1", "Lease", "spec: {holderIdentity: ''}").prepared(),
    sample(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        "addressType: IPv4, endpoints: [{addresses: [192.0.2.7]}], ports: [{name: ''}]",
    ),
    sample(
        FLOWCONTROL,
        "FlowSchema",
        "spec: {priorityLevelConfiguration: {name: exempt}, matchingPrecedence: 1000}",
    ),
    sample(
        FLOWCONTROL,
        "PriorityLevelConfiguration",
        "spec: {type: Limited, limited: {nominalConcurrencyShares: 1, limitResponse: {type: Reject}}}",
    ),
    sample(NETWORKING, "IPAddress", "spec: {parentRef: {resource: services, name: a, namespace: b}}")
        .named("192.0.2.9"),
    sample(
        NETWORKING,
        "Ingress",
        "spec: {defaultBackend: {service: {name: a, port: {number: 1}}}}",
    ),
    sample(NETWORKING, "IngressClass", "spec: {controller: it.example/a}"),
    sample(
        NETWORKING,
        "NetworkPolicy",
        "spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}",
    ),
    sample(NETWORKING, "ServiceCIDR", "spec: {cidrs: [10.9.0.0/24]}"),
    sample("node.k8s.io/v1", "RuntimeClass", "handler: a"),
    sample(
        "policy/v1",
        "PodDisruptionBudget",
        "spec: {minAvailable: 1, selector: {matchLabels: {a: ''}}}",
    ),
    sample(RBAC, "ClusterRole", "rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]"),
    sample(
        RBAC,
        "ClusterRoleBinding",
        "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: it}, subjects: [{kind: User, name: a}]",
    ),
    sample(RBAC, "Role", "rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]"),
    sample(
        RBAC,
        "RoleBinding",
        "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: it}, subjects: [{kind: User, name: a}]",
    ),
    sample(RESOURCE, "DeviceClass", "spec: {selectors: [{cel: {expression: 'true'}}]}"),
    sample(
        RESOURCE,
        "ResourceClaim",
        "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c.example}}]}}",
    ),
    sample(
        RESOURCE,
        "ResourceClaimTemplate",
        "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c.example}}]}}}",
    ),
    sample(
        RESOURCE,
        "ResourceSlice",
        "spec: {driver: d.example, nodeName: node, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: a}]}",
    ),
    sample("scheduling.k8s.io/v1", "PriorityClass", "value: 1"),
    sample(STORAGE, "CSIDriver", "spec: {attachRequired: false}"),
    sample(STORAGE, "CSINode", "spec: {drivers: [{name: d, nodeID: node, topologyKeys: [a]}]}"),
    sample(STORAGE, "CSIStorageCapacity", "storageClassName: a, capacity: 1Gi"),
    sample(STORAGE, "StorageClass", "provisioner: it.example/a, parameters: {a: ''}"),
    sample(
        STORAGE,
        "VolumeAttachment",
        "spec: {attacher: a, nodeName: node, source: {persistentVolumeName: p}}",
    ),
    sample(STORAGE, "VolumeAttributesClass", "driverName: d.example, parameters: {a: b}"),
];

/// Stored kinds of which there is no sample, and why.
pub(crate) const WITHOUT_SAMPLE: &[(&str, &str, &str)] = &[
    ("events.k8s.io/v1", "Event", "the objects of v1"),
    ("autoscaling/v1", "HorizontalPodAutoscaler", "the objects of autoscaling/v2"),
    ("certificates.k8s.io/v1", "CertificateSigningRequest", "its spec is nobody's to write again"),
];
