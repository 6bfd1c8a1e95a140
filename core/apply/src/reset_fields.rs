//! Reset fields: what an endpoint ignores is neither owned through it nor changed.

/// A filter of field sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter<'a> {
    /// Leaves out the fields at these paths of field names, and all below them.
    Exclude(&'a [&'a [&'a str]]),
    /// Leaves only the fields at or below these paths, whose elements are separated by dots; `*` is any element.
    Include(&'a [&'a str]),
}

/// The fields that an endpoint ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResetFields<'a> {
    /// What it takes away from field sets.
    pub filter: Filter<'a>,
    /// The only version whose fields it knows; all if none. The main endpoint of a custom resource knows its own.
    pub api_version: Option<&'a str>,
}

impl<'a> ResetFields<'a> {
    /// The filter for sets of a version.
    pub(crate) fn filter(&self, api_version: &str) -> Option<Filter<'a>> {
        let is_known = self.api_version.is_none_or(|version| version == api_version);
        is_known.then_some(self.filter)
    }

    /// The main endpoint of a custom resource, in a version with a status subresource.
    #[must_use]
    pub const fn custom_resource(api_version: &'a str) -> Self {
        Self { filter: STATUS, api_version: Some(api_version) }
    }

    /// The status endpoint of a custom resource.
    #[must_use]
    pub const fn custom_resource_status() -> Self {
        Self { filter: SPEC_METADATA, api_version: None }
    }

    /// An endpoint of a built-in resource; none if it ignores nothing.
    #[must_use]
    pub fn of(group: &str, resource: &str, subresource: &str) -> Option<ResetFields<'static>> {
        let key = (group, resource, subresource);
        let index = TABLE.binary_search_by(|row| (row.0, row.1, row.2).cmp(&key)).ok()?;
        let row = TABLE.get(index)?;
        Some(ResetFields { filter: row.3, api_version: None })
    }
}

const STATUS: Filter<'static> = Filter::Exclude(&[&["status"]]);
const SPEC: Filter<'static> = Filter::Exclude(&[&["spec"]]);
const SPEC_METADATA: Filter<'static> = Filter::Exclude(&[&["metadata"], &["spec"]]);

const RESIZE: Filter<'static> = Filter::Include(&[
    "spec.containers.*.resources",
    "spec.containers.*.resizePolicy",
    "spec.initContainers.*.resources",
    "spec.initContainers.*.resizePolicy",
]);

/// Group, resource, subresource and filter of every endpoint that ignores something, sorted.
#[rustfmt::skip]
static TABLE: &[(&str, &str, &str, Filter<'static>)] = &[
    ("", "namespaces", "", STATUS),
    ("", "namespaces", "finalize", STATUS),
    ("", "namespaces", "status", SPEC),
    ("", "nodes", "", STATUS),
    ("", "nodes", "status", SPEC),
    ("", "persistentvolumeclaims", "", STATUS),
    ("", "persistentvolumeclaims", "status", SPEC),
    ("", "persistentvolumes", "", STATUS),
    ("", "persistentvolumes", "status", SPEC),
    ("", "pods", "", STATUS),
    ("", "pods", "ephemeralcontainers", Filter::Include(&["spec.ephemeralContainers"])),
    ("", "pods", "resize", RESIZE),
    ("", "pods", "status", Filter::Exclude(&[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]])),
    ("", "replicationcontrollers", "", STATUS),
    ("", "replicationcontrollers", "status", SPEC),
    ("", "resourcequotas", "", STATUS),
    ("", "resourcequotas", "status", SPEC),
    ("", "services", "", STATUS),
    ("", "services", "status", SPEC),
    ("admissionregistration.k8s.io", "validatingadmissionpolicies", "", STATUS),
    ("admissionregistration.k8s.io", "validatingadmissionpolicies", "status", SPEC_METADATA),
    ("apiextensions.k8s.io", "customresourcedefinitions", "", STATUS),
    ("apiextensions.k8s.io", "customresourcedefinitions", "status", SPEC),
    ("apiregistration.k8s.io", "apiservices", "", STATUS),
    ("apiregistration.k8s.io", "apiservices", "status", SPEC_METADATA),
    ("apps", "daemonsets", "", STATUS),
    ("apps", "daemonsets", "status", SPEC),
    ("apps", "deployments", "", STATUS),
    ("apps", "deployments", "status", Filter::Exclude(&[&["spec"], &["metadata", "labels"]])),
    ("apps", "replicasets", "", STATUS),
    ("apps", "replicasets", "status", SPEC),
    ("apps", "statefulsets", "", STATUS),
    ("apps", "statefulsets", "status", SPEC),
    ("autoscaling", "horizontalpodautoscalers", "", STATUS),
    ("autoscaling", "horizontalpodautoscalers", "status", SPEC),
    ("batch", "cronjobs", "", STATUS),
    ("batch", "cronjobs", "status", SPEC),
    ("batch", "jobs", "", STATUS),
    ("batch", "jobs", "status", SPEC),
    ("certificates.k8s.io", "certificatesigningrequests", "", Filter::Exclude(&[&["spec"], &["status"]])),
    ("certificates.k8s.io", "certificatesigningrequests", "approval", Filter::Exclude(&[&["spec"], &["status", "certificate"]])),
    ("certificates.k8s.io", "certificatesigningrequests", "status", Filter::Exclude(&[&["spec"], &["status", "conditions"]])),
    ("certificates.k8s.io", "podcertificaterequests", "status", SPEC),
    ("flowcontrol.apiserver.k8s.io", "flowschemas", "", STATUS),
    ("flowcontrol.apiserver.k8s.io", "flowschemas", "status", SPEC_METADATA),
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", "", STATUS),
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", "status", SPEC_METADATA),
    ("internal.apiserver.k8s.io", "storageversions", "", STATUS),
    ("internal.apiserver.k8s.io", "storageversions", "status", SPEC_METADATA),
    ("networking.k8s.io", "ingresses", "", STATUS),
    ("networking.k8s.io", "ingresses", "status", SPEC),
    ("networking.k8s.io", "servicecidrs", "", STATUS),
    ("networking.k8s.io", "servicecidrs", "status", SPEC_METADATA),
    ("policy", "poddisruptionbudgets", "", STATUS),
    ("policy", "poddisruptionbudgets", "status", SPEC),
    ("resource.k8s.io", "devicetaintrules", "", STATUS),
    ("resource.k8s.io", "devicetaintrules", "status", SPEC_METADATA),
    ("resource.k8s.io", "resourceclaims", "", STATUS),
    ("resource.k8s.io", "resourceclaims", "status", SPEC_METADATA),
    ("resource.k8s.io", "resourcepoolstatusrequests", "", STATUS),
    ("resource.k8s.io", "resourcepoolstatusrequests", "status", SPEC_METADATA),
    ("scheduling.k8s.io", "podgroups", "status", SPEC_METADATA),
    ("storage.k8s.io", "volumeattachments", "", STATUS),
    ("storage.k8s.io", "volumeattachments", "status", SPEC_METADATA),
    ("storagemigration.k8s.io", "storageversionmigrations", "", STATUS),
    ("storagemigration.k8s.io", "storageversionmigrations", "status", SPEC_METADATA),
];

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::schema::KINDS;

    #[test]
    fn rows_are_sorted_and_of_resources_that_exist() {
        assert!(TABLE.is_sorted_by(|a, b| (a.0, a.1, a.2) < (b.0, b.1, b.2)));
        for (group, resource, subresource, filter) in TABLE {
            let exists = KINDS.iter().any(|row| row.group == *group && row.plural == *resource);
            assert!(exists, "{group} {resource}");
            let found = ResetFields::of(group, resource, subresource).map(|row| row.filter);
            assert_eq!(found, Some(*filter));
        }
        assert_eq!(ResetFields::of("", "configmaps", ""), None);
    }

    #[test]
    fn a_custom_resource_knows_the_fields_of_its_version() {
        let main = ResetFields::custom_resource("example.com/v1");
        assert_eq!(main.filter("example.com/v1"), Some(STATUS));
        assert_eq!(main.filter("example.com/v2"), None);
        let status = ResetFields::custom_resource_status();
        assert_eq!(status.filter("example.com/v2"), Some(SPEC_METADATA));
    }
}
