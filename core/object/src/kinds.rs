//! Kept by hand: the kinds that rules name; rows of all other built-in kinds are derived from the schema, and rows of
//! custom resources are made by the code that reads their definitions.

use crate::schema;

/// Whether objects of a kind are namespaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Unique by name in the cluster.
    Cluster,
    /// Unique by name in a namespace.
    Namespaced,
}

/// The fields that lead from an object to the `metadata` and `spec` of the pod it describes. They are empty for
/// a Pod itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodPlace<'k>(pub &'k [&'k str]);

/// A row of the table: a kind's names, scope and subresources. It borrows its strings, so that the row of a
/// custom resource can be made at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind<'k> {
    /// API group; empty for the core group.
    pub group: &'k str,
    /// The versions with one and the same schema, the preferred one first.
    pub versions: &'k [&'k str],
    /// The kind, such as `Pod`.
    pub name: &'k str,
    /// The plural resource name in URLs, such as `pods`.
    pub plural: &'k str,
    /// Cluster-scoped or namespaced.
    pub scope: Scope,
    /// The path of the pod template, if the kind has one.
    pub pod: Option<PodPlace<'k>>,
    /// The names of its subresources.
    pub subresources: &'k [&'k str],
}

impl<'k> Kind<'k> {
    /// `Deployment.apps`, or `Pod` in the core group: the name of the kind in errors.
    pub fn qualified(&self) -> impl core::fmt::Display + use<'k> {
        Qualified(self.name, self.group)
    }

    /// `deployments.apps`, or `pods` in the core group: the name of the resource in errors.
    pub fn resource(&self) -> impl core::fmt::Display + use<'k> {
        Qualified(self.plural, self.group)
    }
}

struct Qualified<'k>(&'k str, &'k str);

impl core::fmt::Display for Qualified<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.1 {
            "" => f.write_str(self.0),
            group => write!(f, "{}.{group}", self.0),
        }
    }
}

const POD: Option<PodPlace<'static>> = Some(PodPlace(&[]));
const TEMPLATE: Option<PodPlace<'static>> = Some(PodPlace(&["spec", "template"]));

/// Every kind that a rule names, sorted by group and name.
pub static KINDS: &[Kind<'static>] = &[
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

const CRON_JOB: Option<PodPlace<'static>> =
    Some(PodPlace(&["spec", "jobTemplate", "spec", "template"]));
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
    pod: Option<PodPlace<'static>>,
    subresources: &'static [&'static str],
) -> Kind<'static> {
    Kind { group, versions, name, plural, scope: Scope::Namespaced, pod, subresources }
}

const fn cluster_kind(
    group: &'static str,
    versions: &'static [&'static str],
    name: &'static str,
    plural: &'static str,
    subresources: &'static [&'static str],
) -> Kind<'static> {
    Kind { group, versions, name, plural, scope: Scope::Cluster, pod: None, subresources }
}

/// The row of `apiVersion: api_version`, `kind: name`, if the kind is built in.
pub fn find(api_version: &str, name: &str) -> Option<Kind<'static>> {
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let matches_kind =
        |row: &&Kind<'_>| row.name == name && row.group == group && row.versions.contains(&version);
    KINDS.iter().find(matches_kind).copied().or_else(|| from_schema(group, version, name))
}

/// The row of a built-in kind that no rule names.
fn from_schema(group: &str, version: &str, name: &str) -> Option<Kind<'static>> {
    let row = schema::kind(group, version, name).filter(|row| !row.subresource)?;
    Some(Kind {
        group: row.group,
        versions: core::slice::from_ref(&row.version),
        name: row.kind,
        plural: row.plural,
        scope: if row.namespaced { Scope::Namespaced } else { Scope::Cluster },
        pod: None,
        subresources: &[],
    })
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
    fn every_built_in_kind_has_a_row_and_custom_ones_can_be_made() {
        let map = find("v1", "ConfigMap").unwrap();
        assert_eq!((map.plural, map.scope, map.pod), ("configmaps", Scope::Namespaced, None));
        assert_eq!(
            find("rbac.authorization.k8s.io/v1", "ClusterRole").map(|row| row.scope),
            Some(Scope::Cluster)
        );
        for row in KINDS {
            let schema = schema::kind(row.group, row.versions[0], row.name).unwrap();
            assert_eq!(
                (schema.plural, schema.namespaced),
                (row.plural, row.scope == Scope::Namespaced),
                "{}",
                row.name
            );
        }
        let group = alloc::string::String::from("example.com");
        let custom = Kind { group: &group, name: "Widget", ..map };
        assert_eq!(custom.qualified().to_string(), "Widget.example.com");
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
