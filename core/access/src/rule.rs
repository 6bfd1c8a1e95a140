//! A policy rule: the attempts it allows, and its conversion from and to objects.

use crate::quote::quoted_list;
use crate::{Attributes, Resource, Target};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::Node;

/// A policy rule of a role.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// The verbs, or `*`.
    pub verbs: Vec<String>,
    /// The API groups, or `*`; the core group is the empty string.
    pub groups: Vec<String>,
    /// The resources: `*`, `pods`, `pods/log` or `*/log`.
    pub resources: Vec<String>,
    /// The names of objects; empty means all.
    pub names: Vec<String>,
    /// Non-resource paths; `*` at the end matches any suffix.
    pub urls: Vec<String>,
}

impl Rule {
    /// Parses a rule of a stored object.
    pub fn from_node(node: &Node<'_>) -> Self {
        let texts = |name: &str| {
            let items = node.get(name).map(Node::items).unwrap_or_default();
            items.iter().filter_map(Node::text).map(ToString::to_string).collect()
        };
        Self {
            verbs: texts("verbs"),
            groups: texts("apiGroups"),
            resources: texts("resources"),
            names: texts("resourceNames"),
            urls: texts("nonResourceURLs"),
        }
    }

    /// All rules of a role.
    pub fn all_of(role: &Node<'_>) -> Vec<Self> {
        let rules = role.get("rules").map(Node::items).unwrap_or_default();
        rules.iter().map(Self::from_node).collect()
    }

    /// The rule as a node; empty parts are omitted, verbs are always present.
    pub fn to_node(&self) -> Node<'static> {
        let parts = [
            ("verbs", &self.verbs),
            ("apiGroups", &self.groups),
            ("resources", &self.resources),
            ("resourceNames", &self.names),
            ("nonResourceURLs", &self.urls),
        ];
        let texts = |part: &[String]| part.iter().cloned().map(Node::string).collect();
        let filled = parts.into_iter().filter(|(name, part)| *name == "verbs" || !part.is_empty());
        Node::map(filled.map(|(name, part)| (name, Node::list(texts(part)))))
    }

    /// The rule as in messages about missing permissions.
    pub fn describe(&self) -> String {
        let parts = [
            ("APIGroups", &self.groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.urls),
            ("ResourceNames", &self.names),
            ("Verbs", &self.verbs),
        ];
        let filled = parts.into_iter().filter(|(_, part)| !part.is_empty());
        let spelled = filled.map(|(name, part)| format!("{name}:{}", quoted_list(part)));
        format!("{{{}}}", spelled.collect::<Vec<_>>().join(", "))
    }

    /// Whether the rule allows the attempt.
    pub fn allows(&self, attributes: &Attributes<'_>) -> bool {
        holds(&self.verbs, attributes.verb)
            && match &attributes.target {
                Target::Resource(resource) => self.allows_resource(resource),
                Target::Path(path) => self.urls.iter().any(|url| url_covers(url, path)),
            }
    }

    fn allows_resource(&self, target: &Resource<'_>) -> bool {
        holds(&self.groups, target.group)
            && self.resources.iter().any(|own| resource_matches(own, target))
            && (self.names.is_empty() || self.names.iter().any(|name| name == target.name))
    }
}

/// Whether the list contains the item, or `*`.
pub(crate) fn holds(list: &[String], item: &str) -> bool {
    list.iter().any(|own| own == "*" || own == item)
}

/// `*` matches everything, `pods` only pods, `pods/log` and `*/log` subresources.
fn resource_matches(own: &str, target: &Resource<'_>) -> bool {
    if own == "*" {
        return true;
    }
    if target.subresource.is_empty() {
        return own == target.resource;
    }
    match own.strip_suffix(target.subresource).and_then(|rest| rest.strip_suffix('/')) {
        Some(resource) => resource == "*" || resource == target.resource,
        None => false,
    }
}

/// Whether the pattern matches the path: it is equal, or ends with `*` and is a prefix.
pub(crate) fn url_covers(pattern: &str, path: &str) -> bool {
    pattern == path || (pattern.ends_with('*') && path.starts_with(pattern.trim_end_matches('*')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::User;

    fn split_list(text: &str) -> Vec<String> {
        text.split(',').map(ToString::to_string).collect()
    }

    fn rule(verbs: &str, groups: &str, resources: &str, names: Option<&str>) -> Rule {
        let names = names.map(split_list).unwrap_or_default();
        let (verbs, groups, resources) =
            (split_list(verbs), split_list(groups), split_list(resources));
        Rule { verbs, groups, resources, names, urls: Vec::new() }
    }

    fn allows(rule: &Rule, verb: &str, group: &str, resource: &str, name: &str) -> bool {
        let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        let target = Resource { group, resource, subresource, name, ..Resource::default() };
        let user = User::default();
        rule.allows(&Attributes { user: &user, verb, target: Target::Resource(target) })
    }

    #[test]
    fn every_part_must_match() {
        let pods = rule("get,list", "", "pods,pods/log,*/scale", None);
        assert!(allows(&pods, "get", "", "pods", "x"));
        assert!(allows(&pods, "list", "", "pods/log", "x"));
        assert!(allows(&pods, "get", "", "replicasets/scale", ""));
        assert!(!allows(&pods, "get", "", "pods/exec", ""));
        assert!(!allows(&pods, "watch", "", "pods", ""));
        assert!(!allows(&pods, "get", "apps", "pods", ""));
        assert!(!allows(&pods, "get", "", "scale", ""));
        assert!(!allows(&pods, "get", "", "configmaps", ""));
    }

    #[test]
    fn a_resource_does_not_bring_its_subresources() {
        let pods = rule("*", "*", "pods", None);
        assert!(allows(&pods, "delete", "any", "pods", ""));
        assert!(!allows(&pods, "get", "", "pods/log", ""));
        assert!(allows(&rule("*", "*", "*", None), "get", "", "pods/log", ""));
        assert!(!allows(&rule("*", "*", "*/*", None), "get", "", "pods/log", ""));
    }

    #[test]
    fn names_keep_out_everything_without_a_name() {
        let rule_with_names = rule("*", "", "pods", Some("a,b"));
        assert!(allows(&rule_with_names, "get", "", "pods", "b"));
        assert!(!allows(&rule_with_names, "get", "", "pods", "c"));
        assert!(!allows(&rule_with_names, "create", "", "pods", ""));
    }

    #[test]
    fn paths_match_by_beginning() {
        let user = User::default();
        let urls = Rule {
            verbs: split_list("get"),
            urls: split_list("/healthz/*,/api"),
            ..Rule::default()
        };
        let allows =
            |verb, path| urls.allows(&Attributes { user: &user, verb, target: Target::Path(path) });
        assert!(allows("get", "/healthz/etcd"));
        assert!(allows("get", "/api"));
        assert!(!allows("get", "/healthz"));
        assert!(!allows("post", "/api"));
        assert!(!allows("get", "/apis"));
    }

    #[test]
    fn rules_are_read_written_and_described() {
        let rule_with_names = rule("get,list", "", "pods", Some("a"));
        assert_eq!(
            rule_with_names.to_node().to_json(),
            r#"{"verbs":["get","list"],"apiGroups":[""],"resources":["pods"],"resourceNames":["a"]}"#
        );
        assert_eq!(Rule::from_node(&rule_with_names.to_node()), rule_with_names);
        assert_eq!(
            rule_with_names.describe(),
            r#"{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}"#
        );
    }
}
