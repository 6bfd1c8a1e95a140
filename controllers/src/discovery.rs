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
    /// Its resources, or why they are not known; none if nobody has asked for them yet.
    listed: Option<Result<Vec<Resource>, String>>,
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
        for mut group_version in group_versions {
            let listed = match group_version.listed.take() {
                Some(listed) => listed,
                None => group_version.list(client).await,
            };
            match listed {
                Ok(all) if group_version.text.matches('/').count() <= 1 => {
                    group_version.choose(&all, &mut chosen);
                    discovered.all.extend(all);
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
    /// Asks for the resources of this group version alone.
    async fn list(&self, client: &Client) -> Result<Vec<Resource>, String> {
        let list = client.get(&root(&self.group, &self.version)).await;
        list.map(|list| self.resources(&list)).map_err(|why| why.to_string())
    }

    fn resources(&self, list: &Node<'_>) -> Vec<Resource> {
        let rows = list.get("resources").map(Node::items).unwrap_or_default();
        let rows = rows.iter().filter(|row| !row.text_at(&["name"]).contains('/'));
        rows.map(|row| self.resource(row)).collect()
    }

    /// Adds to `chosen` the resources that no other version has provided yet; the preferred
    /// version always wins.
    fn choose(&self, all: &[Resource], chosen: &mut BTreeMap<(String, String), Resource>) {
        for resource in all {
            let key = (self.group.clone(), resource.name.clone());
            if self.preferred || !chosen.contains_key(&key) {
                chosen.insert(key, resource.clone());
            }
        }
    }

    fn resource(&self, row: &Node<'_>) -> Resource {
        Resource {
            group: self.group.clone(),
            version: self.version.clone(),
            name: row.text_at(&["name"]).to_owned(),
            kind: row.text_at(&["kind"]).to_owned(),
            namespaced: row.get("namespaced").and_then(Node::as_bool) == Some(true),
            verbs: verbs(row),
        }
    }

    /// A version of an aggregated document.
    fn aggregated(group: &str, row: &Node<'_>, preferred: bool) -> Self {
        let version = row.text_at(&["version"]);
        let mut own = Self {
            group: group.to_owned(),
            version: version.to_owned(),
            text: match group {
                "" => version.to_owned(),
                group => format!("{group}/{version}"),
            },
            preferred,
            listed: None,
        };
        let resource = |row: &Node<'_>| Resource {
            group: own.group.clone(),
            version: own.version.clone(),
            name: row.text_at(&["resource"]).to_owned(),
            kind: row.text_at(&["responseKind", "kind"]).to_owned(),
            namespaced: row.text_at(&["scope"]) == "Namespaced",
            verbs: verbs(row),
        };
        let rows = row.get("resources").map(Node::items).unwrap_or_default();
        own.listed = Some(match row.text_at(&["freshness"]) {
            "Stale" => Err(format!("stale GroupVersion discovery: {}", own.text)),
            _ => Ok(rows.iter().map(resource).collect()),
        });
        own
    }
}

fn verbs(row: &Node<'_>) -> Vec<String> {
    let verbs = row.get("verbs").map(Node::items).unwrap_or_default();
    verbs.iter().filter_map(Node::text).map(str::to_owned).collect()
}

/// All group versions that the server lists, with their resources if it says them, too: a request
/// for each of a thousand versions would take long.
async fn group_versions(client: &Client) -> Result<Vec<GroupVersion>, Failure> {
    let client = client.aggregated_discovery();
    let (core, groups) = (optional(&client, "/api").await?, optional(&client, "/apis").await?);
    let mut all = Vec::new();
    for document in [&core, &groups] {
        if document.text_at(&["kind"]) == "APIGroupDiscoveryList" {
            for group in document.get("items").map(Node::items).unwrap_or_default() {
                let versions = group.get("versions").map(Node::items).unwrap_or_default();
                let name = group.text_at(&["metadata", "name"]);
                let is_current = |row: &Node<'_>| row.text_at(&["freshness"]) != "Stale";
                let preferred = versions.iter().position(is_current);
                let versions = versions
                    .iter()
                    .enumerate()
                    .map(|(at, row)| GroupVersion::aggregated(name, row, preferred == Some(at)));
                all.extend(versions);
            }
        }
    }
    for version in core.get("versions").map(Node::items).unwrap_or_default() {
        let version = version.text().unwrap_or_default().to_owned();
        let (group, text, preferred) = (String::new(), version.clone(), all.is_empty());
        all.push(GroupVersion { group, version, text, preferred, listed: None });
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
                listed: None,
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
        GroupVersion { group, version: version.to_owned(), text, preferred, listed: None }
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
                let group_version = group_version(version, preferred);
                group_version.choose(&group_version.resources(&list(text)), &mut chosen);
            }
            let chosen: Vec<_> = chosen.into_values().collect();
            let names: Vec<_> =
                chosen.iter().map(|r| (&*r.name, &*r.version, r.supports("list"))).collect();
            assert_eq!(names, [("a", "v1", true), ("b", "v2", false)]);
        }
    }

    #[test]
    fn one_document_says_it_all() {
        let row = list(
            r#"{"version":"v1","resources":[{"resource":"a","responseKind":{"group":"","version":"","kind":"A"},
            "scope":"Namespaced","verbs":["list"],"subresources":[{"subresource":"status"}]}],"freshness":"Current"}"#,
        );
        let found = GroupVersion::aggregated("g", &row, true);
        let all = found.listed.expect("listed").expect("current");
        assert_eq!((all.len(), found.text.as_str(), found.preferred), (1, "g/v1", true));
        assert_eq!(all[0].path("shop"), "/apis/g/v1/namespaces/shop/a");
        assert_eq!((all[0].kind.as_str(), all[0].supports("list")), ("A", true));
        let stale = list(r#"{"version":"v1","freshness":"Stale"}"#);
        let stale = GroupVersion::aggregated("g", &stale, true).listed.expect("listed");
        assert_eq!(stale, Err("stale GroupVersion discovery: g/v1".to_owned()));
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
