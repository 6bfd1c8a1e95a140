//! The kinds that the proposals touch, as a table: a kind is one row.

/// Whether objects of a kind live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One per cluster and name.
    Cluster,
    /// One per namespace and name.
    Namespaced,
}

/// Where a kind keeps the pod it describes: the fields that lead to what holds `metadata` and
/// `spec` of the pod. A Pod is its own, so its way is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodPlace(pub &'static [&'static str]);

/// One row: how a kind is called and built.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// API group; empty for the core group.
    pub group: &'static str,
    /// Versions that are read alike, the preferred one first.
    pub versions: &'static [&'static str],
    /// The kind.
    pub name: &'static str,
    /// The resource in a URL.
    pub plural: &'static str,
    /// Where its objects live.
    pub scope: Scope,
    /// Where its pod stands, if it describes one.
    pub pod: Option<PodPlace>,
    /// Its subresources.
    pub subresources: &'static [&'static str],
}

impl Kind {
    /// `Deployment.apps`, or `Pod` in the core group: how errors name a kind.
    pub fn qualified(&self) -> impl core::fmt::Display + use<> {
        Qualified(self.name, self.group)
    }

    /// `deployments.apps`, or `pods` in the core group: how errors name a resource.
    pub fn resource(&self) -> impl core::fmt::Display + use<> {
        Qualified(self.plural, self.group)
    }
}

struct Qualified(&'static str, &'static str);

impl core::fmt::Display for Qualified {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.1 {
            "" => f.write_str(self.0),
            group => write!(f, "{}.{group}", self.0),
        }
    }
}

const POD: Option<PodPlace> = Some(PodPlace(&[]));
const TEMPLATE: Option<PodPlace> = Some(PodPlace(&["spec", "template"]));

/// Every kind that a rule speaks about, sorted by group and name.
pub static KINDS: &[Kind] = &[
    kind("", &["v1"], "Endpoints", "endpoints", None, &[]),
    cluster_kind("", &["v1"], "Namespace", "namespaces", &["finalize", "status"]),
    cluster_kind("", &["v1"], "Node", "nodes", &["proxy", "status"]),
    kind("", &["v1"], "Pod", "pods", POD, POD_SUBRESOURCES),
    kind("", &["v1"], "PodTemplate", "podtemplates", Some(PodPlace(&["template"])), &[]),
    kind("", &["v1"], "ReplicationController", "replicationcontrollers", TEMPLATE, SCALED),
    kind("", &["v1"], "Service", "services", None, &["proxy", "status"]),
    kind("apps", &["v1"], "DaemonSet", "daemonsets", TEMPLATE, &["status"]),
    kind("apps", &["v1"], "Deployment", "deployments", TEMPLATE, SCALED),
    kind("apps", &["v1"], "ReplicaSet", "replicasets", TEMPLATE, SCALED),
    kind("apps", &["v1"], "StatefulSet", "statefulsets", TEMPLATE, SCALED),
    kind("batch", &["v1"], "CronJob", "cronjobs", CRON_JOB, &["status"]),
    kind("batch", &["v1"], "Job", "jobs", TEMPLATE, &["status"]),
    kind("discovery.k8s.io", &["v1"], "EndpointSlice", "endpointslices", None, &[]),
    cluster_kind("networking.k8s.io", &["v1", "v1beta1"], "IPAddress", "ipaddresses", &[]),
    kind("networking.k8s.io", &["v1"], "Ingress", "ingresses", None, &["status"]),
    kind("networking.k8s.io", &["v1"], "NetworkPolicy", "networkpolicies", None, &[]),
    cluster_kind("networking.k8s.io", &["v1", "v1beta1"], "ServiceCIDR", "servicecidrs", STATUS),
    kind("resource.k8s.io", RESOURCE_VERSIONS, "ResourceClaim", "resourceclaims", None, STATUS),
];

const CRON_JOB: Option<PodPlace> = Some(PodPlace(&["spec", "jobTemplate", "spec", "template"]));
const SCALED: &[&str] = &["scale", "status"];
const STATUS: &[&str] = &["status"];
const RESOURCE_VERSIONS: &[&str] = &["v1", "v1beta2", "v1beta1"];
const POD_SUBRESOURCES: &[&str] = &[
    "attach",
    "binding",
    "ephemeralcontainers",
    "eviction",
    "exec",
    "log",
    "portforward",
    "proxy",
    "resize",
    "status",
];

const fn kind(
    group: &'static str,
    versions: &'static [&'static str],
    name: &'static str,
    plural: &'static str,
    pod: Option<PodPlace>,
    subresources: &'static [&'static str],
) -> Kind {
    Kind { group, versions, name, plural, scope: Scope::Namespaced, pod, subresources }
}

const fn cluster_kind(
    group: &'static str,
    versions: &'static [&'static str],
    name: &'static str,
    plural: &'static str,
    subresources: &'static [&'static str],
) -> Kind {
    Kind { group, versions, name, plural, scope: Scope::Cluster, pod: None, subresources }
}

/// The row of `apiVersion: api_version`, `kind: name`.
pub fn find(api_version: &str, name: &str) -> Option<&'static Kind> {
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    KINDS
        .iter()
        .find(|row| row.name == name && row.group == group && row.versions.contains(&version))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn rows_are_sorted_and_unique() {
        let keys = KINDS.iter().map(|row| (row.group, row.name));
        assert!(keys.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_kind_is_found_in_each_of_its_versions_only() {
        assert_eq!(find("v1", "Pod").map(|row| row.plural), Some("pods"));
        assert_eq!(
            find("resource.k8s.io/v1beta1", "ResourceClaim").map(|row| row.group),
            Some("resource.k8s.io")
        );
        for (api_version, name) in
            [("v2", "Pod"), ("apps/v1", "Pod"), ("v1", "Deployment"), ("", "")]
        {
            assert_eq!(find(api_version, name), None, "{api_version} {name}");
        }
    }

    #[test]
    fn errors_name_kinds_with_their_group() {
        let names = |name| {
            KINDS
                .iter()
                .find(|row| row.name == name)
                .map(|row| (row.qualified().to_string(), row.resource().to_string()))
        };
        assert_eq!(
            names("Deployment"),
            Some(("Deployment.apps".into(), "deployments.apps".into()))
        );
        assert_eq!(names("Pod"), Some(("Pod".into(), "pods".into())));
    }
}
