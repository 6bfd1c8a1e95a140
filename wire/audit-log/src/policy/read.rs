//! Reads a policy: the shape of the file, and what no field has a place for.

use std::collections::BTreeSet;

use ratchet_object::{Decoded, Limits, Node, Value, decode};

use super::{GroupResources, Level, Policy, Rule, Stages, check};

const API_VERSION: &str = "audit.k8s.io/v1";

/// The members that each type has; others are told in the log and passed over.
const POLICY: &[&str] =
    &["apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"];
const RULE: &[&str] = &[
    "level",
    "users",
    "userGroups",
    "verbs",
    "resources",
    "namespaces",
    "nonResourceURLs",
    "omitStages",
    "omitManagedFields",
];
const GROUP_RESOURCES: &[&str] = &["group", "resources", "resourceNames"];

pub(super) fn policy(text: &str) -> Result<Policy, String> {
    let decoded =
        decode(text, Limits::DEFAULT).map_err(|error| format!("failed decoding: {error}"))?;
    let Decoded { documents, repeated } = decoded;
    let nothing = Node::empty_map();
    let root = documents.first().unwrap_or(&nothing);
    expect_policy(root).map_err(|why| format!("failed decoding: {why}"))?;

    let mut odd: BTreeSet<String> =
        repeated.iter().map(|twice| format!("key {:?} already set in map", twice.path)).collect();
    let written = Written::read(root, &mut odd).map_err(|why| format!("failed decoding: {why}"))?;
    if !odd.is_empty() {
        let odd = odd.into_iter().collect::<Vec<_>>().join(", ");
        tracing::warn!(
            "Audit policy contains errors, falling back to lenient decoding: strict decoding error: {odd}"
        );
    }
    check::policy(&written)?;
    if written.rules.is_empty() {
        return Err("loaded illegal policy with 0 rules".to_owned());
    }
    Ok(written.finish())
}

fn expect_policy(root: &Node<'_>) -> Result<(), String> {
    let text = |name| root.get(name).and_then(Node::text).unwrap_or_default();
    match (text("apiVersion"), text("kind")) {
        (_, "") => Err(format!("Object 'Kind' is missing in '{}'", root.to_json())),
        ("", _) => Err(format!("Object 'apiVersion' is missing in '{}'", root.to_json())),
        (API_VERSION, "Policy") => Ok(()),
        (version, kind) => Err(format!(
            "no kind {kind:?} is registered for version {version:?}: an audit policy is of kind \"Policy\" and version {API_VERSION:?}"
        )),
    }
}

/// A policy as it was written, its words not yet checked.
pub(super) struct Written {
    pub(super) rules: Vec<WrittenRule>,
    pub(super) omit_stages: Vec<String>,
    omit_managed_fields: bool,
}

pub(super) struct WrittenRule {
    pub(super) level: String,
    users: Vec<String>,
    user_groups: Vec<String>,
    verbs: Vec<String>,
    pub(super) resources: Vec<WrittenResources>,
    pub(super) namespaces: Vec<String>,
    pub(super) non_resource_urls: Vec<String>,
    pub(super) omit_stages: Vec<String>,
    omit_managed_fields: Option<bool>,
}

pub(super) struct WrittenResources {
    pub(super) group: String,
    pub(super) resources: Vec<String>,
    pub(super) resource_names: Vec<String>,
}

impl Written {
    fn read(root: &Node<'_>, odd: &mut BTreeSet<String>) -> Result<Self, String> {
        let at = Place { node: root, path: String::new() };
        at.note_unknown(POLICY, odd);
        let mut rules = Vec::new();
        for rule in at.maps("rules")? {
            rules.push(WrittenRule::read(&rule, odd)?);
        }
        let omit_managed_fields = at.truth("omitManagedFields")?.unwrap_or(false);
        Ok(Self { rules, omit_stages: at.texts("omitStages")?, omit_managed_fields })
    }

    fn finish(self) -> Policy {
        Policy {
            rules: self.rules.into_iter().map(WrittenRule::finish).collect(),
            omit_stages: stages(&self.omit_stages),
            omit_managed_fields: self.omit_managed_fields,
        }
    }
}

impl WrittenRule {
    fn read(at: &Place<'_>, odd: &mut BTreeSet<String>) -> Result<Self, String> {
        at.note_unknown(RULE, odd);
        let mut resources = Vec::new();
        for group in at.maps("resources")? {
            group.note_unknown(GROUP_RESOURCES, odd);
            resources.push(WrittenResources {
                group: group.text("group")?,
                resources: group.texts("resources")?,
                resource_names: group.texts("resourceNames")?,
            });
        }
        Ok(Self {
            level: at.text("level")?,
            users: at.texts("users")?,
            user_groups: at.texts("userGroups")?,
            verbs: at.texts("verbs")?,
            resources,
            namespaces: at.texts("namespaces")?,
            non_resource_urls: at.texts("nonResourceURLs")?,
            omit_stages: at.texts("omitStages")?,
            omit_managed_fields: at.truth("omitManagedFields")?,
        })
    }

    fn finish(self) -> Rule {
        let level = Level::ALL.into_iter().find(|level| level.name() == self.level);
        let resources = self.resources.into_iter().map(|written| {
            let WrittenResources { group, resources, resource_names } = written;
            GroupResources { group, resources, resource_names }
        });
        Rule {
            level: level.unwrap_or(Level::None), // checked before
            users: self.users,
            user_groups: self.user_groups,
            verbs: self.verbs,
            resources: resources.collect(),
            namespaces: self.namespaces,
            non_resource_urls: self.non_resource_urls,
            omit_stages: stages(&self.omit_stages),
            omit_managed_fields: self.omit_managed_fields,
        }
    }
}

fn stages(names: &[String]) -> Stages {
    use super::Stage;
    Stage::ALL.into_iter().filter(|stage| names.iter().any(|name| name == stage.name())).collect()
}

/// A map and where it stands.
struct Place<'n> {
    node: &'n Node<'n>,
    path: String,
}

impl<'n> Place<'n> {
    fn below(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn note_unknown(&self, known: &[&str], odd: &mut BTreeSet<String>) {
        let unknown = self.node.entries().iter().filter(|entry| !known.contains(&&*entry.key));
        odd.extend(unknown.map(|entry| format!("unknown field {:?}", self.below(&entry.key))));
    }

    /// The member, unless it is absent or null.
    fn member(&self, name: &str) -> Option<&'n Node<'n>> {
        self.node.get(name).filter(|node| !node.is_null())
    }

    fn wrong(&self, name: &str, found: &Node<'_>, wanted: &str) -> String {
        format!(
            "json: cannot unmarshal {} into field {} of type {wanted}",
            found.type_name(),
            self.below(name)
        )
    }

    fn text(&self, name: &str) -> Result<String, String> {
        let Some(node) = self.member(name) else { return Ok(String::new()) };
        node.text().map(str::to_owned).ok_or_else(|| self.wrong(name, node, "string"))
    }

    fn truth(&self, name: &str) -> Result<Option<bool>, String> {
        let Some(node) = self.member(name) else { return Ok(None) };
        node.as_bool().map(Some).ok_or_else(|| self.wrong(name, node, "bool"))
    }

    fn list(&self, name: &str, wanted: &str) -> Result<&'n [Node<'n>], String> {
        match self.member(name) {
            None => Ok(&[]),
            Some(Node { value: Value::List(items), .. }) => Ok(items),
            Some(other) => Err(self.wrong(name, other, wanted)),
        }
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let text = |node: &Node<'_>| match &node.value {
            Value::Null => Ok(String::new()),
            Value::Text(text) => Ok(text.clone().into_owned()),
            _ => Err(self.wrong(name, node, "string")),
        };
        self.list(name, "[]string")?.iter().map(text).collect()
    }

    fn maps(&self, name: &str) -> Result<Vec<Self>, String> {
        let place = |(index, node): (usize, &'n Node<'n>)| match node.value {
            Value::Map(_) | Value::Null => {
                Ok(Self { node, path: format!("{}[{index}]", self.below(name)) })
            }
            _ => Err(self.wrong(name, node, "object")),
        };
        self.list(name, "[]object")?.iter().enumerate().map(place).collect()
    }
}
