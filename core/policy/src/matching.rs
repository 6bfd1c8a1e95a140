//! Whether a policy, or one of its bindings, is about an attempt.

use crate::{Attempt, Equivalent, KindName, Operation, ResourceName, Surroundings};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::Node;
use ratchet_object::selector::LabelSelector;

/// Which attempts are meant: `matchConstraints` of a policy, `matchResources` of a binding.
#[derive(Clone, Debug)]
pub(crate) struct Criteria {
    namespaces: Result<LabelSelector, String>,
    objects: Result<LabelSelector, String>,
    rules: Vec<Rule>,
    excluded: Vec<Rule>,
    equivalent: bool,
}

/// One rule; `*` in a list stands for everything.
#[derive(Clone, Debug)]
struct Rule {
    groups: Vec<String>,
    versions: Vec<String>,
    resources: Vec<String>,
    operations: Vec<String>,
    scope: String,
    names: Vec<String>,
}

/// How an attempt is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    /// It is not meant.
    No,
    /// It is meant as it is.
    Yes,
    /// It is meant under another name of its resource.
    As(Equivalent),
}

/// The texts of a list.
pub(crate) fn texts(list: Option<&Node<'_>>) -> Vec<String> {
    let items = list.map(Node::items).unwrap_or_default();
    items.iter().filter_map(Node::text).map(str::to_owned).collect()
}

impl Rule {
    fn read(node: &Node<'_>) -> Self {
        Self {
            groups: texts(node.get("apiGroups")),
            versions: texts(node.get("apiVersions")),
            resources: texts(node.get("resources")),
            operations: texts(node.get("operations")),
            scope: node.text_at(&["scope"]).to_owned(),
            names: texts(node.get("resourceNames")),
        }
    }

    fn covers(&self, attempt: &Attempt<'_>, resource: &ResourceName<'_>) -> bool {
        let named = |list: &[String], name: &str| list.iter().any(|own| own == "*" || own == name);
        self.covers_scope(attempt, resource)
            && named(&self.operations, attempt.operation.word())
            && named(&self.groups, resource.group)
            && named(&self.versions, resource.version)
            && self.resources.iter().any(|own| {
                let (name, part) = own.split_once('/').unwrap_or((own, ""));
                (name == "*" || name == resource.resource)
                    && (part == "*" || part == attempt.subresource)
            })
    }

    fn covers_scope(&self, attempt: &Attempt<'_>, resource: &ResourceName<'_>) -> bool {
        const NAMESPACES: ResourceName<'_> =
            ResourceName { group: "", version: "v1", resource: "namespaces" };
        let is_clusterwide = *resource == NAMESPACES || attempt.space().is_empty();
        match self.scope.as_str() {
            "" | "*" => true,
            "Namespaced" => !is_clusterwide,
            "Cluster" => is_clusterwide,
            _ => false,
        }
    }

    fn covers_name(&self, attempt: &Attempt<'_>) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| name == attempt.name)
    }
}

impl Criteria {
    /// Reads what has its defaults.
    pub(crate) fn read(node: &Node<'_>) -> Self {
        let rules = |name: &str| {
            let rows = node.get(name).map(Node::items).unwrap_or_default();
            rows.iter().map(Rule::read).collect()
        };
        let selector = |name: &str, short: &str| match node.get(name) {
            None => Err(format!(
                "a nil {short} selector was passed, please ensure selectors are initialized properly"
            )),
            some => LabelSelector::from_tree(some)
                .map_err(|why| format!("Internal error occurred: {why}")),
        };
        Self {
            namespaces: selector("namespaceSelector", "namespace"),
            objects: selector("objectSelector", "object"),
            rules: rules("resourceRules"),
            excluded: rules("excludeResourceRules"),
            equivalent: node.text_at(&["matchPolicy"]) == "Equivalent",
        }
    }

    /// Whether anything that is done to a resource under this name, or to a part of it, can be meant.
    pub(crate) fn may_mean(&self, group: &str, resource: &str) -> bool {
        let named = |list: &[String], name: &str| list.iter().any(|own| own == "*" || own == name);
        let by_name = |rule: &Rule| {
            let mut names = rule.resources.iter().map(|own| own.split('/').next().unwrap_or(own));
            named(&rule.groups, group) && names.any(|own| own == "*" || own == resource)
        };
        self.rules.is_empty() || self.rules.iter().any(by_name)
    }

    /// Whether an attempt is meant. What cannot be told about one that is not meant anyway is no error.
    pub(crate) fn meets(
        &self,
        attempt: &Attempt<'_>,
        around: &dyn Surroundings,
    ) -> Result<Met, String> {
        let labels = self.meets_objects(attempt);
        if labels == Ok(false) {
            return Ok(Met::No);
        }
        // Rules are cheaper than the labels of a namespace, and have no errors that would be told first.
        let met = match self.rules.is_empty() {
            true => Met::Yes,
            false => self.by_rules(&self.rules, attempt, around)?,
        };
        if met == Met::No {
            return Ok(Met::No);
        }
        let namespace = self.meets_namespace(attempt, around);
        if namespace == Ok(false) || self.by_rules(&self.excluded, attempt, around)? != Met::No {
            return Ok(Met::No);
        }
        namespace?;
        labels?;
        Ok(met)
    }

    fn meets_objects(&self, attempt: &Attempt<'_>) -> Result<bool, String> {
        let selector = self.objects.as_ref().map_err(Clone::clone)?;
        let matches = |object: Option<&Node<'_>>| {
            object.is_some_and(|object| selector.matches_object(object))
        };
        Ok(selector.is_everything() || matches(attempt.object) || matches(attempt.old))
    }

    fn meets_namespace(
        &self,
        attempt: &Attempt<'_>,
        around: &dyn Surroundings,
    ) -> Result<bool, String> {
        let (space, resource) = (attempt.space(), attempt.resource.resource);
        if space.is_empty() && resource != "namespaces" {
            return Ok(true);
        }
        let selector = self.namespaces.as_ref().map_err(Clone::clone)?;
        if selector.is_everything() {
            return Ok(true);
        }
        let is_written = matches!(attempt.operation, Operation::Create | Operation::Update);
        if resource == "namespaces" && attempt.subresource.is_empty() && is_written {
            return Ok(attempt.object.is_some_and(|object| selector.matches_object(object)));
        }
        let namespace = around.namespace(space);
        let namespace =
            namespace.ok_or_else(|| format!("namespaces {} not found", Quoted(space)))?;
        Ok(selector.matches_object(&namespace))
    }

    fn by_rules(
        &self,
        rules: &[Rule],
        attempt: &Attempt<'_>,
        around: &dyn Surroundings,
    ) -> Result<Met, String> {
        let resource = &attempt.resource;
        let meant = |rule: &&Rule| rule.covers(attempt, resource) && rule.covers_name(attempt);
        if rules.iter().any(|rule| meant(&rule)) {
            return Ok(Met::Yes);
        }
        if !self.equivalent || rules.is_empty() {
            return Ok(Met::No);
        }
        let others = around.equivalents(resource, attempt.subresource);
        for rule in rules {
            for other in &others {
                let name = other.name();
                if name == *resource || !rule.covers(attempt, &name) {
                    continue;
                }
                if other.kind_name().kind.is_empty() {
                    let name = name.to_string();
                    return Err(format!("unable to convert to {name}: unknown kind"));
                }
                if rule.covers_name(attempt) {
                    return Ok(Met::As(other.clone()));
                }
            }
        }
        Ok(Met::No)
    }
}

impl Equivalent {
    /// The resource's name.
    pub(crate) fn name(&self) -> ResourceName<'_> {
        ResourceName { group: &self.group, version: &self.version, resource: &self.resource }
    }

    /// The kind's name.
    pub(crate) fn kind_name(&self) -> KindName<'_> {
        let (group, version, kind) = &self.kind;
        KindName { group, version, kind }
    }
}
