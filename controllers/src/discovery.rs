//! API discovery: every resource that the server offers, in every version.

use crate::{Client, Failure};
use ratchet_object::Node;
use std::collections::BTreeMap;

/// One resource of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    /// The group; empty for the core group.
    pub(crate) group: String,
    pub(crate) version: String,
    /// The plural name that paths use.
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) namespaced: bool,
    verbs: Vec<String>,
}

impl Resource {
    /// Whether the server supports this verb.
    pub(crate) fn supports(&self, verb: &str) -> bool {
        self.verbs.iter().any(|supported| supported == verb)
    }

    /// The path of the collection in a namespace, or across all namespaces if `namespace` is empty.
    pub(crate) fn path(&self, namespace: &str) -> String {
        let root = root(&self.group, &self.version);
        match namespace {
            "" => format!("{root}/{}", self.name),
            namespace => format!("{root}/namespaces/{namespace}/{}", self.name),
        }
    }

    /// `group/version`, or the version alone for the core group, as `apiVersion` has it.
    pub(crate) fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }

    pub(crate) fn is_pods(&self) -> bool {
        self.group.is_empty() && self.version == "v1" && self.name == "pods"
    }
}

/// The result of discovery, which may be incomplete.
#[derive(Debug, Default)]
pub(crate) struct DiscoveredResources {
    /// The resources, each in its preferred version.
    pub(crate) resources: Vec<Resource>,
    /// The resources in every version.
    pub(crate) all: Vec<Resource>,
    /// Why discovery is incomplete, if it is.
    pub(crate) failure: Option<String>,
    /// How many group versions failed; 0 if discovery failed as a whole.
    pub(crate) failing: usize,
    /// The first group version that cannot be parsed.
    pub(crate) unparsed: Option<String>,
}

/// A group version that the server offers.
struct GroupVersion {
    group: String,
    version: String,
    text: String,
    preferred: bool,
}

impl DiscoveredResources {
    /// Queries the server. A failure for one group does not affect the others.
    pub(crate) async fn fetch(client: &Client) -> Self {
        let group_versions = match group_versions(client).await {
            Ok(group_versions) => group_versions,
            Err(why) => return Self { failure: Some(why.message), ..Self::default() },
        };
        let mut discovered = Self::default();
        let (mut failures, mut chosen) = (Vec::new(), BTreeMap::new());
        for group_version in group_versions {
            match client.get(&root(&group_version.group, &group_version.version)).await {
                Ok(list) if group_version.text.matches('/').count() <= 1 => {
                    discovered.all.extend(group_version.choose(&list, &mut chosen));
                }
                Ok(_) => {
                    let why = format!("unexpected GroupVersion string: {}", group_version.text);
                    discovered.unparsed.get_or_insert(why);
                }
                Err(why) => failures.push(format!("{}: {why}", group_version.text)),
            }
        }
        failures.sort();
        discovered.failing = failures.len();
        discovered.failure = (!failures.is_empty()).then(|| {
            let failures = failures.join(", ");
            format!("unable to retrieve the complete list of server APIs: {failures}")
        });
        discovered.resources = chosen.into_values().collect();
        discovered
    }
}

impl GroupVersion {
    /// All resources of this group version. Adds to `chosen` those that no other version has
    /// provided yet; the preferred version always wins.
    fn choose(
        &self,
        list: &Node<'_>,
        chosen: &mut BTreeMap<(String, String), Resource>,
    ) -> Vec<Resource> {
        let rows = list.get("resources").map(Node::items).unwrap_or_default();
        let rows = rows.iter().filter(|row| !row.text_at(&["name"]).contains('/'));
        let all: Vec<_> = rows.map(|row| self.resource(row)).collect();
        for resource in &all {
            let key = (self.group.clone(), resource.name.clone());
            if self.preferred || !chosen.contains_key(&key) {
                chosen.insert(key, resource.clone());
            }
        }
        all
    }

    fn resource(&self, row: &Node<'_>) -> Resource {
        let verbs = row.get("verbs").map(Node::items).unwrap_or_default();
        Resource {
            group: self.group.clone(),
            version: self.version.clone(),
            name: row.text_at(&["name"]).to_owned(),
            kind: row.text_at(&["kind"]).to_owned(),
            namespaced: row.get("namespaced").and_then(Node::as_bool) == Some(true),
            verbs: verbs.iter().filter_map(Node::text).map(str::to_owned).collect(),
        }
    }
}

/// All group versions that the server lists.
async fn group_versions(client: &Client) -> Result<Vec<GroupVersion>, Failure> {
    let (core, groups) = (optional(client, "/api").await?, optional(client, "/apis").await?);
    let mut all = Vec::new();
    for version in core.get("versions").map(Node::items).unwrap_or_default() {
        let version = version.text().unwrap_or_default().to_owned();
        let (group, text) = (String::new(), version.clone());
        all.push(GroupVersion { group, version, text, preferred: all.is_empty() });
    }
    for group in groups.get("groups").map(Node::items).unwrap_or_default() {
        let preferred = group.text_at(&["preferredVersion", "version"]);
        for row in group.get("versions").map(Node::items).unwrap_or_default() {
            let version = row.text_at(&["version"]);
            all.push(GroupVersion {
                group: group.text_at(&["name"]).to_owned(),
                version: version.to_owned(),
                text: row.text_at(&["groupVersion"]).to_owned(),
                preferred: version == preferred,
            });
        }
    }
    if all.is_empty() {
        return Err(Failure::new("the server offers no API at all"));
    }
    Ok(all)
}

/// A server may lack one of the two roots.
async fn optional(client: &Client, path: &str) -> Result<Node<'static>, Failure> {
    match client.get(path).await {
        Err(failure) if failure.is_not_found() => Ok(Node::empty_map()),
        result => result,
    }
}

fn root(group: &str, version: &str) -> String {
    if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::parse_json;

    fn group_version(version: &str, preferred: bool) -> GroupVersion {
        let (group, text) = ("g".to_owned(), format!("g/{version}"));
        GroupVersion { group, version: version.to_owned(), text, preferred }
    }

    fn list(text: &str) -> Node<'static> {
        parse_json(text.as_bytes()).expect("reads").into_owned()
    }

    #[test]
    fn each_resource_comes_in_its_preferred_version_or_the_first_that_has_it() {
        let both = r#"{"resources":[{"name":"a","namespaced":true,"verbs":["delete","list"]},
            {"name":"a/status","namespaced":true,"verbs":["delete"]}]}"#;
        let more = r#"{"resources":[{"name":"a","namespaced":true,"verbs":["delete","deletecollection"]},
            {"name":"b","namespaced":true,"verbs":["delete"]}]}"#;
        for order in [[("v1", true), ("v2", false)], [("v2", false), ("v1", true)]] {
            let mut chosen = BTreeMap::new();
            for (version, preferred) in order {
                let text = if preferred { both } else { more };
                group_version(version, preferred).choose(&list(text), &mut chosen);
            }
            let chosen: Vec<_> = chosen.into_values().collect();
            let names: Vec<_> =
                chosen.iter().map(|r| (&*r.name, &*r.version, r.supports("list"))).collect();
            assert_eq!(names, [("a", "v1", true), ("b", "v2", false)]);
        }
    }

    #[test]
    fn paths_of_the_core_and_of_groups() {
        let row = list(r#"{"name":"a","namespaced":true,"verbs":["delete"]}"#);
        let mut resource = group_version("v1", true).resource(&row);
        assert_eq!(resource.path("shop"), "/apis/g/v1/namespaces/shop/a");
        assert_eq!(
            (resource.path("").as_str(), &*resource.api_version()),
            ("/apis/g/v1/a", "g/v1")
        );
        resource.group.clear();
        assert_eq!(resource.path("shop"), "/api/v1/namespaces/shop/a");
        assert_eq!(resource.api_version(), "v1");
    }
}
