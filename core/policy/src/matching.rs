//! Matching of attempts by the constraints of policies and bindings, and by the rules and selectors of webhooks.

use crate::context::NAMESPACES;
use crate::{
    Attributes, Equivalent, GroupVersionKind, GroupVersionResource, Operation, PolicyContext,
};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::Node;
use ratchet_object::selector::LabelSelector;

/// The constraints of `matchConstraints` of a policy or `matchResources` of a binding.
#[derive(Clone, Debug)]
pub(crate) struct Criteria {
    namespaces: Result<LabelSelector, String>,
    objects: Result<LabelSelector, String>,
    rules: ResourceRules,
    excluded: ResourceRules,
}

/// Rules that name resources, with the match policy that decides how they are read.
#[derive(Clone, Debug, Default)]
pub struct ResourceRules {
    rules: Vec<Rule>,
    /// Whether a rule also matches what is served under other groups and versions.
    equivalent: bool,
}

/// One rule; `*` in a list matches everything.
#[derive(Clone, Debug)]
struct Rule {
    groups: Vec<String>,
    versions: Vec<String>,
    resources: Vec<String>,
    operations: Vec<String>,
    scope: String,
    names: Vec<String>,
}

/// How an attempt matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchKind {
    /// It does not match.
    NoMatch,
    /// It matches as it is.
    Exact,
    /// It matches under an equivalent resource.
    Equivalent(Equivalent),
}

/// The strings of a list.
pub(crate) fn strings(list: Option<&Node<'_>>) -> Vec<String> {
    let items = list.map(Node::items).unwrap_or_default();
    items.iter().filter_map(Node::text).map(str::to_owned).collect()
}

impl Rule {
    fn parse(node: &Node<'_>) -> Self {
        Self {
            groups: strings(node.get("apiGroups")),
            versions: strings(node.get("apiVersions")),
            resources: strings(node.get("resources")),
            operations: strings(node.get("operations")),
            scope: node.text_at(&["scope"]).to_owned(),
            names: strings(node.get("resourceNames")),
        }
    }

    fn covers(&self, attributes: &Attributes<'_>, resource: &GroupVersionResource<'_>) -> bool {
        let contains =
            |list: &[String], name: &str| list.iter().any(|own| own == "*" || own == name);
        self.covers_scope(attributes, resource)
            && contains(&self.operations, attributes.operation.as_str())
            && contains(&self.groups, resource.group)
            && contains(&self.versions, resource.version)
            && self.resources.iter().any(|own| {
                let (name, part) = own.split_once('/').unwrap_or((own, ""));
                (name == "*" || name == resource.resource)
                    && (part == "*" || part == attributes.subresource)
            })
    }

    fn covers_scope(
        &self,
        attributes: &Attributes<'_>,
        resource: &GroupVersionResource<'_>,
    ) -> bool {
        const NAMESPACES: GroupVersionResource<'_> =
            GroupVersionResource { group: "", version: "v1", resource: "namespaces" };
        let is_clusterwide = *resource == NAMESPACES || attributes.effective_namespace().is_empty();
        match self.scope.as_str() {
            "" | "*" => true,
            "Namespaced" => !is_clusterwide,
            "Cluster" => is_clusterwide,
            _ => false,
        }
    }

    fn covers_name(&self, attributes: &Attributes<'_>) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| name == attributes.name)
    }
}

impl Criteria {
    /// Parses an object with defaults.
    pub(crate) fn parse(node: &Node<'_>) -> Self {
        let rules =
            |name: &str| ResourceRules::parse(node.get(name), node.text_at(&["matchPolicy"]));
        let selector = |name: &str, short: &str| match node.get(name) {
            None => Err(format!(
                "a nil {short} selector was passed, please ensure selectors are initialized properly"
            )),
            some => LabelSelector::from_tree(some)
                .map_err(|error| format!("Internal error occurred: {error}")),
        };
        Self {
            namespaces: selector("namespaceSelector", "namespace"),
            objects: selector("objectSelector", "object"),
            rules: rules("resourceRules"),
            excluded: rules("excludeResourceRules"),
        }
    }

    /// Whether any operation on this resource, or on a subresource of it, can match.
    pub(crate) fn may_match(&self, group: &str, resource: &str) -> bool {
        self.rules.is_empty() || self.rules.may_match(group, resource)
    }

    /// Whether an attempt matches. Errors do not count for an attempt that does not match anyway.
    pub(crate) fn matches(
        &self,
        attributes: &Attributes<'_>,
        cluster: &dyn PolicyContext,
    ) -> Result<MatchKind, String> {
        let labels = self.matches_object_selector(attributes);
        if labels == Ok(false) {
            return Ok(MatchKind::NoMatch);
        }
        // Rules are cheaper than the labels of a namespace, and have no errors that would come first.
        let matched = match self.rules.is_empty() {
            true => MatchKind::Exact,
            false => self.rules.matches(attributes, cluster)?,
        };
        if matched == MatchKind::NoMatch {
            return Ok(MatchKind::NoMatch);
        }
        let namespace = self.matches_namespace_selector(attributes, cluster);
        if namespace == Ok(false)
            || self.excluded.matches(attributes, cluster)? != MatchKind::NoMatch
        {
            return Ok(MatchKind::NoMatch);
        }
        namespace?;
        labels?;
        Ok(matched)
    }

    fn matches_object_selector(&self, attributes: &Attributes<'_>) -> Result<bool, String> {
        let selector = self.objects.as_ref().map_err(Clone::clone)?;
        Ok(matches_object_selector(selector, attributes))
    }

    fn matches_namespace_selector(
        &self,
        attributes: &Attributes<'_>,
        cluster: &dyn PolicyContext,
    ) -> Result<bool, String> {
        if !is_in_namespace(attributes) {
            return Ok(true);
        }
        let selector = self.namespaces.as_ref().map_err(Clone::clone)?;
        matches_namespace_selector(selector, attributes, cluster)
            .map_err(|name| format!("namespaces {} not found", Quoted(&name)))
    }
}

/// Whether a namespace selector can exempt an attempt: other cluster-scoped objects than namespaces it cannot.
pub fn is_in_namespace(attributes: &Attributes<'_>) -> bool {
    !attributes.effective_namespace().is_empty() || attributes.resource.resource == "namespaces"
}

/// Whether a selector matches the labels of an attempt's namespace; the error is the name of a namespace that does not
/// exist. A namespace that is written is selected by its new labels.
pub fn matches_namespace_selector(
    selector: &LabelSelector,
    attributes: &Attributes<'_>,
    cluster: &dyn PolicyContext,
) -> Result<bool, String> {
    if !is_in_namespace(attributes) || selector.is_everything() {
        return Ok(true);
    }
    let is_written = matches!(attributes.operation, Operation::Create | Operation::Update);
    let is_namespace = attributes.resource.resource == "namespaces";
    if is_namespace && attributes.subresource.is_empty() && is_written {
        return Ok(attributes.object.is_some_and(|object| selector.matches_object(object)));
    }
    let name = attributes.effective_namespace();
    let namespace = cluster.get(&NAMESPACES, "", name).ok_or_else(|| name.to_owned())?;
    Ok(selector.matches_object(&namespace))
}

/// Whether a selector matches the labels of an attempt's object or of the stored one. The options of a connection have
/// no metadata, so that only an empty selector matches them.
pub fn matches_object_selector(selector: &LabelSelector, attributes: &Attributes<'_>) -> bool {
    let has_metadata = attributes.operation != Operation::Connect;
    let matches = |object: Option<&Node<'_>>| {
        object.is_some_and(|object| has_metadata && selector.matches_object(object))
    };
    selector.is_everything() || matches(attributes.object) || matches(attributes.old)
}

impl ResourceRules {
    /// Parses a list of rules with defaults.
    pub fn parse(rules: Option<&Node<'_>>, match_policy: &str) -> Self {
        let rows = rules.map(Node::items).unwrap_or_default();
        Self {
            rules: rows.iter().map(Rule::parse).collect(),
            equivalent: match_policy == "Equivalent",
        }
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether any operation on this resource, or on a subresource of it, can match.
    pub fn may_match(&self, group: &str, resource: &str) -> bool {
        let contains =
            |list: &[String], name: &str| list.iter().any(|own| own == "*" || own == name);
        self.rules.iter().any(|rule| {
            let mut names = rule.resources.iter().map(|own| own.split('/').next().unwrap_or(own));
            contains(&rule.groups, group) && names.any(|own| own == "*" || own == resource)
        })
    }

    /// How an attempt matches: as it is, or under the first rule that names an equivalent resource.
    pub fn matches(
        &self,
        attributes: &Attributes<'_>,
        cluster: &dyn PolicyContext,
    ) -> Result<MatchKind, String> {
        let rules = &self.rules;
        let resource = &attributes.resource;
        let is_match =
            |rule: &&Rule| rule.covers(attributes, resource) && rule.covers_name(attributes);
        if rules.iter().any(|rule| is_match(&rule)) {
            return Ok(MatchKind::Exact);
        }
        if !self.equivalent || rules.is_empty() {
            return Ok(MatchKind::NoMatch);
        }
        let others = cluster.equivalents(resource, attributes.subresource);
        for rule in rules {
            for other in &others {
                let name = other.name();
                if name == *resource || !rule.covers(attributes, &name) {
                    continue;
                }
                if other.kind_name().kind.is_empty() {
                    let name = name.to_string();
                    return Err(format!("unable to convert to {name}: unknown kind"));
                }
                if rule.covers_name(attributes) {
                    return Ok(MatchKind::Equivalent(other.clone()));
                }
            }
        }
        Ok(MatchKind::NoMatch)
    }
}

impl Equivalent {
    /// The group, version and resource.
    pub fn name(&self) -> GroupVersionResource<'_> {
        GroupVersionResource {
            group: &self.group,
            version: &self.version,
            resource: &self.resource,
        }
    }

    /// The group, version and kind.
    pub fn kind_name(&self) -> GroupVersionKind<'_> {
        let (group, version, kind) = &self.kind;
        GroupVersionKind { group, version, kind }
    }
}
