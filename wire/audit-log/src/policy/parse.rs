//! Parser of a policy: the structure of the file, and unknown fields.

use std::collections::BTreeSet;

use ratchet_object::{Decoded, Limits, Node, Value, decode};

use super::{GroupResources, Level, Policy, Rule, Stages, check};

const API_VERSION: &str = "audit.k8s.io/v1";

/// The fields of each type; others are logged and ignored.
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
    let empty = Node::empty_map();
    let root = documents.first().unwrap_or(&empty);
    expect_policy(root).map_err(|why| format!("failed decoding: {why}"))?;

    let mut warnings: BTreeSet<String> = repeated
        .iter()
        .map(|duplicate| format!("key {:?} already set in map", duplicate.path))
        .collect();
    let parsed = ParsedPolicy::parse(root, &mut warnings)
        .map_err(|why| format!("failed decoding: {why}"))?;
    if !warnings.is_empty() {
        let warnings = warnings.into_iter().collect::<Vec<_>>().join(", ");
        tracing::warn!(
            "Audit policy contains errors, falling back to lenient decoding: strict decoding error: {warnings}"
        );
    }
    check::policy(&parsed)?;
    if parsed.rules.is_empty() {
        return Err("loaded illegal policy with 0 rules".to_owned());
    }
    Ok(parsed.finish())
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

/// A policy as in the file, before validation.
pub(super) struct ParsedPolicy {
    pub(super) rules: Vec<ParsedRule>,
    pub(super) omit_stages: Vec<String>,
    omit_managed_fields: bool,
}

pub(super) struct ParsedRule {
    pub(super) level: String,
    users: Vec<String>,
    user_groups: Vec<String>,
    verbs: Vec<String>,
    pub(super) resources: Vec<ParsedResources>,
    pub(super) namespaces: Vec<String>,
    pub(super) non_resource_urls: Vec<String>,
    pub(super) omit_stages: Vec<String>,
    omit_managed_fields: Option<bool>,
}

pub(super) struct ParsedResources {
    pub(super) group: String,
    pub(super) resources: Vec<String>,
    pub(super) resource_names: Vec<String>,
}

impl ParsedPolicy {
    fn parse(root: &Node<'_>, warnings: &mut BTreeSet<String>) -> Result<Self, String> {
        let map = MapNode { node: root, path: String::new() };
        map.warn_unknown_fields(POLICY, warnings);
        let mut rules = Vec::new();
        for rule in map.maps("rules")? {
            rules.push(ParsedRule::parse(&rule, warnings)?);
        }
        let omit_managed_fields = map.bool("omitManagedFields")?.unwrap_or(false);
        Ok(Self { rules, omit_stages: map.texts("omitStages")?, omit_managed_fields })
    }

    fn finish(self) -> Policy {
        Policy {
            rules: self.rules.into_iter().map(ParsedRule::finish).collect(),
            omit_stages: stages(&self.omit_stages),
            omit_managed_fields: self.omit_managed_fields,
        }
    }
}

impl ParsedRule {
    fn parse(map: &MapNode<'_>, warnings: &mut BTreeSet<String>) -> Result<Self, String> {
        map.warn_unknown_fields(RULE, warnings);
        let mut resources = Vec::new();
        for group in map.maps("resources")? {
            group.warn_unknown_fields(GROUP_RESOURCES, warnings);
            resources.push(ParsedResources {
                group: group.text("group")?,
                resources: group.texts("resources")?,
                resource_names: group.texts("resourceNames")?,
            });
        }
        Ok(Self {
            level: map.text("level")?,
            users: map.texts("users")?,
            user_groups: map.texts("userGroups")?,
            verbs: map.texts("verbs")?,
            resources,
            namespaces: map.texts("namespaces")?,
            non_resource_urls: map.texts("nonResourceURLs")?,
            omit_stages: map.texts("omitStages")?,
            omit_managed_fields: map.bool("omitManagedFields")?,
        })
    }

    fn finish(self) -> Rule {
        let level = Level::ALL.into_iter().find(|level| level.name() == self.level);
        let resources = self.resources.into_iter().map(|parsed| {
            let ParsedResources { group, resources, resource_names } = parsed;
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

/// A map and its path.
struct MapNode<'n> {
    node: &'n Node<'n>,
    path: String,
}

impl<'n> MapNode<'n> {
    fn below(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn warn_unknown_fields(&self, allowed: &[&str], warnings: &mut BTreeSet<String>) {
        let unknown = self.node.entries().iter().filter(|entry| !allowed.contains(&&*entry.key));
        warnings.extend(unknown.map(|entry| format!("unknown field {:?}", self.below(&entry.key))));
    }

    /// The field, unless it is absent or null.
    fn field(&self, name: &str) -> Option<&'n Node<'n>> {
        self.node.get(name).filter(|node| !node.is_null())
    }

    fn type_error(&self, name: &str, node: &Node<'_>, expected: &str) -> String {
        format!(
            "json: cannot unmarshal {} into field {} of type {expected}",
            node.type_name(),
            self.below(name)
        )
    }

    fn text(&self, name: &str) -> Result<String, String> {
        let Some(node) = self.field(name) else { return Ok(String::new()) };
        node.text().map(str::to_owned).ok_or_else(|| self.type_error(name, node, "string"))
    }

    fn bool(&self, name: &str) -> Result<Option<bool>, String> {
        let Some(node) = self.field(name) else { return Ok(None) };
        node.as_bool().map(Some).ok_or_else(|| self.type_error(name, node, "bool"))
    }

    fn list(&self, name: &str, expected: &str) -> Result<&'n [Node<'n>], String> {
        match self.field(name) {
            None => Ok(&[]),
            Some(Node { value: Value::List(items), .. }) => Ok(items),
            Some(other) => Err(self.type_error(name, other, expected)),
        }
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let text = |node: &Node<'_>| match &node.value {
            Value::Null => Ok(String::new()),
            Value::Text(text) => Ok(text.clone().into_owned()),
            _ => Err(self.type_error(name, node, "string")),
        };
        self.list(name, "[]string")?.iter().map(text).collect()
    }

    fn maps(&self, name: &str) -> Result<Vec<Self>, String> {
        let map_node = |(index, node): (usize, &'n Node<'n>)| match node.value {
            Value::Map(_) | Value::Null => {
                Ok(Self { node, path: format!("{}[{index}]", self.below(name)) })
            }
            _ => Err(self.type_error(name, node, "object")),
        };
        self.list(name, "[]object")?.iter().enumerate().map(map_node).collect()
    }
}
