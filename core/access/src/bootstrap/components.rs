//! The default cluster roles of components: the scheduler, nodes, proxies, discovery.

use super::row::{CORE, EVENTS, READ, Role, on, role, urls};

/// Sorted by name.
pub(super) const ROLES: &[Role] = &[
    role(
        "system:auth-delegator",
        &[
            on("create", "authentication.k8s.io", "tokenreviews"),
            on("create", "authorization.k8s.io", "subjectaccessreviews"),
        ],
    ),
    role(
        "system:basic-user",
        &[
            on(
                "create",
                "authorization.k8s.io",
                "selfsubjectaccessreviews selfsubjectrulesreviews",
            ),
            on("create", "authentication.k8s.io", "selfsubjectreviews"),
        ],
    ),
    role(
        "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
        &[on("create", "certificates.k8s.io", "certificatesigningrequests/nodeclient")],
    ),
    role(
        "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
        &[on("create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient")],
    ),
    role(
        "system:certificates.k8s.io:kube-apiserver-client-approver",
        &[on("approve", "certificates.k8s.io", "signers")
            .named("kubernetes.io/kube-apiserver-client")],
    ),
    role(
        "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver",
        &[on("approve", "certificates.k8s.io", "signers")
            .named("kubernetes.io/kube-apiserver-client-kubelet")],
    ),
    role(
        "system:certificates.k8s.io:kubelet-serving-approver",
        &[on("approve", "certificates.k8s.io", "signers").named("kubernetes.io/kubelet-serving")],
    ),
    role(
        "system:certificates.k8s.io:legacy-unknown-approver",
        &[on("approve", "certificates.k8s.io", "signers").named("kubernetes.io/legacy-unknown")],
    ),
    role(
        "system:discovery",
        &[urls(
            "get",
            "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/",
        )],
    ),
    role(
        "system:heapster",
        &[on(READ, CORE, "events namespaces nodes pods"), on(READ, "extensions", "deployments")],
    ),
    role("system:kube-aggregator", &[on(READ, CORE, "endpoints services")]),
    role(
        "system:kube-controller-manager",
        &[
            EVENTS,
            on("create", "coordination.k8s.io", "leases"),
            on("get update", "coordination.k8s.io", "leases").named("kube-controller-manager"),
            on("create", CORE, "secrets serviceaccounts"),
            on("delete", CORE, "secrets"),
            on("get", CORE, "configmaps namespaces secrets serviceaccounts"),
            on("update", CORE, "secrets serviceaccounts"),
            on("create", "authentication.k8s.io", "tokenreviews"),
            on("create", "authorization.k8s.io", "subjectaccessreviews"),
            on("list watch", "*", "*"),
            on("create", CORE, "serviceaccounts/token"),
        ],
    ),
    role("system:kube-dns", &[on("list watch", CORE, "endpoints services")]),
    role(
        "system:kube-scheduler",
        &[
            EVENTS,
            on("create", "coordination.k8s.io", "leases"),
            on("get list update watch", "coordination.k8s.io", "leases").named("kube-scheduler"),
            on(
                "create delete deletecollection get list patch update watch",
                "coordination.k8s.io",
                "leasecandidates",
            ),
            on(READ, CORE, "nodes"),
            on("delete get list watch", CORE, "pods"),
            on("create", CORE, "bindings pods/binding"),
            on("patch update", CORE, "pods/status"),
            on(READ, CORE, "replicationcontrollers services"),
            on(READ, "apps extensions", "replicasets"),
            on(READ, "apps", "statefulsets"),
            on(READ, "policy", "poddisruptionbudgets"),
            on(READ, CORE, "persistentvolumeclaims persistentvolumes"),
            on("create", "authentication.k8s.io", "tokenreviews"),
            on("create", "authorization.k8s.io", "subjectaccessreviews"),
            on(READ, "storage.k8s.io", "csinodes"),
            on(READ, "storage.k8s.io", "volumeattachments"),
            on(READ, CORE, "namespaces"),
            on(READ, "storage.k8s.io", "csidrivers"),
            on(READ, "storage.k8s.io", "csistoragecapacities"),
            on(READ, "resource.k8s.io", "deviceclasses"),
            on("get list patch update watch", "resource.k8s.io", "resourceclaims"),
            on("get list patch update watch", "resource.k8s.io", "resourceclaims/status"),
            on("update", CORE, "pods/finalizers"),
            on(READ, "resource.k8s.io", "resourceslices"),
            on("create delete", "resource.k8s.io", "resourceclaims"),
            on("patch update", "resource.k8s.io", "resourceclaims/binding"),
        ],
    ),
    role(
        "system:kubelet-api-admin",
        &[
            on(READ, CORE, "nodes"),
            on("proxy", CORE, "nodes"),
            on("*", CORE, "nodes/log nodes/metrics nodes/proxy nodes/stats"),
            on("*", CORE, "nodes/configz nodes/healthz nodes/pods"),
        ],
    ),
    role(
        "system:monitoring",
        &[
            urls(
                "get",
                "/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz",
            ),
            on("get", CORE, "nodes/metrics"),
        ],
    ),
    role(
        "system:node",
        &[
            on("create", "authentication.k8s.io", "tokenreviews"),
            on("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
            on(READ, CORE, "services"),
            on("create get list watch", CORE, "nodes"),
            on("patch update", CORE, "nodes/status"),
            on("patch update", CORE, "nodes"),
            EVENTS,
            on(READ, CORE, "pods"),
            on("create delete", CORE, "pods"),
            on("patch update", CORE, "pods/status"),
            on("create", CORE, "pods/eviction"),
            on(READ, CORE, "configmaps secrets"),
            on("get", CORE, "persistentvolumeclaims persistentvolumes"),
            on("get", CORE, "endpoints"),
            on("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
            on("create delete get patch update", "coordination.k8s.io", "leases"),
            on("get", "storage.k8s.io", "volumeattachments"),
            on("create", CORE, "serviceaccounts/token"),
            on("get patch update", CORE, "persistentvolumeclaims/status"),
            on(READ, "storage.k8s.io", "csidrivers"),
            on("create delete get patch update", "storage.k8s.io", "csinodes"),
            on(READ, "node.k8s.io", "runtimeclasses"),
            on("get", "resource.k8s.io", "resourceclaims"),
            on("deletecollection", "resource.k8s.io", "resourceslices"),
            on("get", CORE, "serviceaccounts"),
        ],
    ),
    role(
        "system:node-bootstrapper",
        &[on("create get list watch", "certificates.k8s.io", "certificatesigningrequests")],
    ),
    role(
        "system:node-problem-detector",
        &[on("get", CORE, "nodes"), on("patch", CORE, "nodes/status"), EVENTS],
    ),
    role(
        "system:node-proxier",
        &[
            on("list watch", CORE, "endpoints services"),
            on(READ, CORE, "nodes"),
            EVENTS,
            on("list watch", "networking.k8s.io", "servicecidrs"),
            on("list watch", "discovery.k8s.io", "endpointslices"),
        ],
    ),
    role(
        "system:persistent-volume-provisioner",
        &[
            on("create delete get list watch", CORE, "persistentvolumes"),
            on("get list update watch", CORE, "persistentvolumeclaims"),
            on(READ, "storage.k8s.io", "storageclasses"),
            on("watch", CORE, "events"),
            EVENTS,
        ],
    ),
    role("system:public-info-viewer", &[urls("get", "/healthz /livez /readyz /version /version/")]),
    role(
        "system:service-account-issuer-discovery",
        &[urls(
            "get",
            "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/",
        )],
    ),
    role(
        "system:volume-scheduler",
        &[
            on("get list patch update watch", CORE, "persistentvolumes"),
            on(READ, "storage.k8s.io", "storageclasses"),
            on("get list patch update watch", CORE, "persistentvolumeclaims"),
        ],
    ),
];
