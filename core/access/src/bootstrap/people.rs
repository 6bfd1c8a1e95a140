//! The default user-facing cluster roles: `admin`, `edit`, `view` and others.

use super::row::{CORE, READ, Role, WRITE, aggregated, on, role, urls};

/// Sorted by name.
pub(super) const ROLES: &[Role] = &[
    aggregated("admin"),
    role("cluster-admin", &[
        on("*", "*", "*"),
        urls("*", "*"),
    ]),
    aggregated("edit").aggregated_to("admin"),
    role("system:aggregate-to-admin", &[
        on("create", "authorization.k8s.io", "localsubjectaccessreviews"),
        on("create delete deletecollection get list patch update watch", "rbac.authorization.k8s.io", "rolebindings roles"),
    ]).aggregated_to("admin"),
    role("system:aggregate-to-edit", &[
        on(READ, CORE, "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
        on("impersonate", CORE, "serviceaccounts"),
        on(WRITE, CORE, "pods pods/attach pods/exec pods/portforward pods/proxy"),
        on("create", CORE, "pods/eviction"),
        on(WRITE, CORE, "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy"),
        on("create", CORE, "serviceaccounts/token"),
        on(WRITE, "core events.k8s.io", "events"),
        on(WRITE, "apps", "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale"),
        on(WRITE, "autoscaling", "horizontalpodautoscalers"),
        on(WRITE, "batch", "cronjobs jobs"),
        on(WRITE, "extensions", "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale"),
        on(WRITE, "policy", "poddisruptionbudgets"),
        on(WRITE, "networking.k8s.io", "ingresses networkpolicies"),
        on("create delete deletecollection get list patch update watch", "coordination.k8s.io", "leases"),
        on(WRITE, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
    ]).aggregated_to("edit"),
    role("system:aggregate-to-view", &[
        on(READ, CORE, "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status"),
        on(READ, CORE, "bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status"),
        on(READ, CORE, "namespaces"),
        on(READ, "core events.k8s.io", "events"),
        on(READ, "discovery.k8s.io", "endpointslices"),
        on(READ, "apps", "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status"),
        on(READ, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
        on(READ, "batch", "cronjobs cronjobs/status jobs jobs/status"),
        on(READ, "extensions", "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale"),
        on(READ, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
        on(READ, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
        on(READ, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
    ]).aggregated_to("view"),
    aggregated("view").aggregated_to("edit"),
];
