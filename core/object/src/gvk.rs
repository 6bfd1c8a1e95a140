//! The identity of kinds and resources: group, version and kind, or group, version and resource.

use core::fmt;

/// A group, version and kind. Displayed as in Go: `apps/v1, Kind=Deployment`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupVersionKind<'a> {
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The version in the group.
    pub version: &'a str,
    /// The name of the kind.
    pub kind: &'a str,
}

impl<'a> GroupVersionKind<'a> {
    /// The kind of an object, from its `apiVersion` and `kind`.
    pub fn from_api_version(api_version: &'a str, kind: &'a str) -> Self {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        Self { group, version, kind }
    }
}

impl fmt::Display for GroupVersionKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

/// A group, version and resource. Displayed as in Go: `apps/v1, Resource=deployments`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupVersionResource<'a> {
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The version in the group.
    pub version: &'a str,
    /// The plural name in URLs, in lower case.
    pub resource: &'a str,
}

impl<'a> GroupVersionResource<'a> {
    /// A resource whose version does not matter, since a reader takes the stored one.
    pub const fn any_version(group: &'a str, resource: &'a str) -> Self {
        Self { group, version: "", resource }
    }
}

impl fmt::Display for GroupVersionResource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Resource={}", self.group, self.version, self.resource)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn kinds_are_parsed_from_api_versions_and_displayed_as_in_go() {
        let deployment = GroupVersionKind::from_api_version("apps/v1", "Deployment");
        assert_eq!((deployment.group, deployment.version), ("apps", "v1"));
        assert_eq!(deployment.to_string(), "apps/v1, Kind=Deployment");
        let pod = GroupVersionKind::from_api_version("v1", "Pod");
        assert_eq!((pod.group, pod.version, pod.kind), ("", "v1", "Pod"));
        let pods = GroupVersionResource { group: "", version: "v1", resource: "pods" };
        assert_eq!(pods.to_string(), "/v1, Resource=pods");
    }
}
