//! What the API offers: every resource, in every version.

use crate::{Client, Failure};
use ratchet_object::Node;
use std::collections::BTreeMap;

/// A resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    /// The group; empty for the core.
    pub(crate) group: String,
    /// The version.
    pub(crate) version: String,
    /// The name in paths.
    pub(crate) name: String,
    /// The kind of its objects.
    pub(crate) kind: String,
    /// Whether its objects stand in namespaces.
    pub(crate) namespaced: bool,
    verbs: Vec<String>,
}

impl Resource {
    /// Whether this can be done with it.
    pub(crate) fn offers(&self, verb: &str) -> bool {
        self.verbs.iter().any(|offered| offered == verb)
    }

    /// Where its objects in a namespace are, or all of them if the namespace is empty.
    pub(crate) fn path(&self, namespace: &str) -> String {
        let root = root(&self.group, &self.version);
        match namespace {
            "" => format!("{root}/{}", self.name),
            namespace => format!("{root}/namespaces/{namespace}/{}", self.name),
        }
    }

    /// Group and version, as objects have them.
    pub(crate) fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Whether these are the pods.
    pub(crate) fn is_pods(&self) -> bool {
        self.group.is_empty() && self.version == "v1" && self.name == "pods"
    }
}

/// What discovery said, and what it could not say.
#[derive(Debug, Default)]
pub(crate) struct Discovered {
    /// The resources, each in its preferred version.
    pub(crate) resources: Vec<Resource>,
    /// The resources in every version.
    pub(crate) all: Vec<Resource>,
    /// What failed.
    pub(crate) failure: Option<String>,
    /// How many groups and versions failed; none if discovery failed as a whole.
    pub(crate) failing: usize,
    /// The first group and version that cannot be understood.
    pub(crate) unparsed: Option<String>,
}

/// A group and version that the API offers.
struct Offered {
    group: String,
    version: String,
    spelled: String,
    preferred: bool,
}

impl Discovered {
    /// Asks the API. What fails for one group leaves the others as they are.
    pub(crate) async fn read(client: &Client) -> Self {
        let offered = match offered(client).await {
            Ok(offered) => offered,
            Err(why) => return Self { failure: Some(why.message), ..Self::default() },
        };
        let mut found = Self::default();
        let (mut failures, mut chosen) = (Vec::new(), BTreeMap::new());
        for offer in offered {
            match client.get(&root(&offer.group, &offer.version)).await {
                Ok(list) if offer.spelled.matches('/').count() <= 1 => {
                    found.all.extend(offer.choose(&list, &mut chosen));
                }
                Ok(_) => {
                    let why = format!("unexpected GroupVersion string: {}", offer.spelled);
                    found.unparsed.get_or_insert(why);
                }
                Err(why) => failures.push(format!("{}: {why}", offer.spelled)),
            }
        }
        failures.sort();
        found.failing = failures.len();
        found.failure = (!failures.is_empty()).then(|| {
            let failures = failures.join(", ");
            format!("unable to retrieve the complete list of server APIs: {failures}")
        });
        found.resources = chosen.into_values().collect();
        found
    }
}

impl Offered {
    /// All resources of this version. Those that no other version has given yet are chosen; the
    /// preferred version's always are.
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

/// Every group and version that the API names.
async fn offered(client: &Client) -> Result<Vec<Offered>, Failure> {
    let (core, groups) = (optional(client, "/api").await?, optional(client, "/apis").await?);
    let mut all = Vec::new();
    for version in core.get("versions").map(Node::items).unwrap_or_default() {
        let version = version.text().unwrap_or_default().to_owned();
        let (group, spelled) = (String::new(), version.clone());
        all.push(Offered { group, version, spelled, preferred: all.is_empty() });
    }
    for group in groups.get("groups").map(Node::items).unwrap_or_default() {
        let preferred = group.text_at(&["preferredVersion", "version"]);
        for row in group.get("versions").map(Node::items).unwrap_or_default() {
            let version = row.text_at(&["version"]);
            all.push(Offered {
                group: group.text_at(&["name"]).to_owned(),
                version: version.to_owned(),
                spelled: row.text_at(&["groupVersion"]).to_owned(),
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
        answered => answered,
    }
}

fn root(group: &str, version: &str) -> String {
    if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::read;

    fn offer(version: &str, preferred: bool) -> Offered {
        let (group, spelled) = ("g".to_owned(), format!("g/{version}"));
        Offered { group, version: version.to_owned(), spelled, preferred }
    }

    fn list(text: &str) -> Node<'static> {
        read(text.as_bytes()).expect("reads").into_owned()
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
                offer(version, preferred).choose(&list(text), &mut chosen);
            }
            let chosen: Vec<_> = chosen.into_values().collect();
            let names: Vec<_> =
                chosen.iter().map(|r| (&*r.name, &*r.version, r.offers("list"))).collect();
            assert_eq!(names, [("a", "v1", true), ("b", "v2", false)]);
        }
    }

    #[test]
    fn paths_of_the_core_and_of_groups() {
        let row = list(r#"{"name":"a","namespaced":true,"verbs":["delete"]}"#);
        let mut resource = offer("v1", true).resource(&row);
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
