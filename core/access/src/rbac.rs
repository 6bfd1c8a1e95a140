//! A snapshot of all roles and bindings, indexed by subject.

use crate::user::is_service_account;
use crate::{Attributes, Decision, Rule, User};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::Node;

/// A snapshot of all roles and bindings, built from the stored objects. A decision costs as much as
/// the bindings of the user, not of the cluster.
#[derive(Clone, Debug, Default)]
pub struct RbacAuthorizer {
    /// The rules of roles by namespace and name; cluster roles have no namespace.
    roles: BTreeMap<String, BTreeMap<String, Vec<Rule>>>,
    /// Bindings by namespace; cluster role bindings have none.
    bindings: BTreeMap<String, Bindings>,
}

/// The bindings of one namespace, or of the cluster.
#[derive(Clone, Debug, Default)]
struct Bindings {
    all: Vec<Binding>,
    by_user: BTreeMap<String, Vec<usize>>,
    by_group: BTreeMap<String, Vec<usize>>,
}

#[derive(Clone, Debug)]
struct Binding {
    name: String,
    role_kind: String,
    role_name: String,
    subjects: Vec<Subject>,
}

#[derive(Clone, Debug)]
struct Subject {
    kind: String,
    namespace: String,
    name: String,
}

/// The rules of a user in a namespace, as `SelfSubjectRulesReview` returns them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The rules that were found.
    pub rules: Vec<Rule>,
    /// Errors of bindings to roles that do not exist. Empty if there are none.
    pub missing: Vec<String>,
}

/// The lookup of roles, which determines the message for a missing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// By the authorizer, from memory: the message has the kind in lower case.
    Authorizer,
    /// By the storage of roles and bindings: the message has the resource.
    Storage,
}

impl Rules {
    /// The errors as one text.
    pub fn errors(&self) -> String {
        aggregated(&self.missing)
    }

    /// The rules for resources.
    pub fn resource_rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| !rule.resources.is_empty())
    }

    /// The rules for non-resource URLs.
    pub fn path_rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| !rule.urls.is_empty())
    }
}

impl RbacAuthorizer {
    /// Indexes these stored objects.
    pub fn new<'n, 't: 'n>(
        cluster_roles: impl IntoIterator<Item = &'n Node<'t>>,
        roles: impl IntoIterator<Item = &'n Node<'t>>,
        cluster_role_bindings: impl IntoIterator<Item = &'n Node<'t>>,
        role_bindings: impl IntoIterator<Item = &'n Node<'t>>,
    ) -> Self {
        let mut rbac = Self::default();
        for role in cluster_roles.into_iter().chain(roles) {
            let own = rbac.roles.entry(namespace(role).into()).or_default();
            own.insert(name(role).into(), Rule::all_of(role));
        }
        for binding in cluster_role_bindings.into_iter().chain(role_bindings) {
            let namespace = namespace(binding);
            rbac.bindings.entry(namespace.into()).or_default().add(binding, namespace);
        }
        rbac
    }

    /// Whether a rule allows the attempt; RBAC never denies, it only has no opinion.
    pub fn decide(&self, attributes: &Attributes<'_>) -> Decision {
        let mut missing = Vec::new();
        for (namespace, binding) in self.bindings_of(attributes.user, attributes.namespace()) {
            let role = (binding.role_kind.as_str(), binding.role_name.as_str());
            match self.referenced(role, namespace, Lookup::Authorizer) {
                Err(error) => missing.push(error),
                Ok(rules) if rules.iter().any(|rule| rule.allows(attributes)) => {
                    let source = binding.describe(attributes.user, namespace);
                    return Decision::Allow { reason: format!("RBAC: allowed by {source}") };
                }
                Ok(_) => {}
            }
        }
        let errors = aggregated(&missing);
        let reason = if errors.is_empty() { errors } else { format!("RBAC: {errors}") };
        Decision::NoOpinion { reason }
    }

    /// The rules of `user` in `namespace` (empty: only those of cluster role bindings).
    pub fn rules_for(&self, user: &User, namespace: &str) -> Rules {
        self.rules_with_errors(user, namespace, Lookup::Authorizer)
    }

    /// The same, with the errors of this lookup.
    pub(crate) fn rules_with_errors(&self, user: &User, namespace: &str, lookup: Lookup) -> Rules {
        let mut rules_result = Rules::default();
        for (namespace, binding) in self.bindings_of(user, namespace) {
            let role = (binding.role_kind.as_str(), binding.role_name.as_str());
            match self.referenced(role, namespace, lookup) {
                Ok(rules) => rules_result.rules.extend_from_slice(rules),
                Err(error) => rules_result.missing.push(error),
            }
        }
        rules_result
    }

    /// The rules of the cluster role `name`, or of the role of `namespace` if that is not empty.
    pub(crate) fn role(&self, namespace: &str, name: &str) -> Option<&[Rule]> {
        self.roles.get(namespace)?.get(name).map(Vec::as_slice)
    }

    /// The bindings of `user`, the cluster's first, each with its namespace.
    fn bindings_of<'a>(
        &'a self,
        user: &User,
        namespace: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a Binding)> {
        let cluster = self.bindings.get("").map(|own| ("", own));
        let local = self.bindings.get(namespace).filter(|_| !namespace.is_empty());
        let both = cluster.into_iter().chain(local.map(|own| (namespace, own)));
        let user_bindings: Vec<_> =
            both.map(|(namespace, own)| (namespace, own.of(user), own)).collect();
        user_bindings.into_iter().flat_map(|(namespace, indices, own)| {
            indices.into_iter().filter_map(move |at| Some((namespace, own.all.get(at)?)))
        })
    }

    fn referenced(
        &self,
        (kind, name): (&str, &str),
        namespace: &str,
        lookup: Lookup,
    ) -> Result<&[Rule], String> {
        let (space, resource) = match (kind, lookup) {
            ("Role", Lookup::Storage) if namespace.is_empty() => {
                return Err("Namespace parameter required.".into());
            }
            ("Role", Lookup::Storage) => (namespace, "roles"),
            ("Role", Lookup::Authorizer) => (namespace, "role"),
            ("ClusterRole", Lookup::Storage) => ("", "clusterroles"),
            ("ClusterRole", Lookup::Authorizer) => ("", "clusterrole"),
            _ => return Err(format!("unsupported role reference kind: {}", Quoted(kind))),
        };
        let missing = || {
            let name = Quoted(name);
            format!("{resource}.rbac.authorization.k8s.io {name} not found")
        };
        // A role without namespace is no cluster role.
        let is_nowhere = kind == "Role" && namespace.is_empty();
        self.role(space, name).filter(|_| !is_nowhere).ok_or_else(missing)
    }
}

impl Bindings {
    fn add(&mut self, node: &Node<'_>, namespace: &str) {
        let at = self.all.len();
        let subjects = node.get("subjects").map(Node::items).unwrap_or_default();
        let subjects: Vec<_> = subjects.iter().map(Subject::from_node).collect();
        for subject in &subjects {
            if let Some((is_group, name)) = subject.key(namespace) {
                let index = if is_group { &mut self.by_group } else { &mut self.by_user };
                index.entry(name).or_default().push(at);
            }
        }
        self.all.push(Binding {
            name: name(node).into(),
            role_kind: node.text_at(&["roleRef", "kind"]).into(),
            role_name: node.text_at(&["roleRef", "name"]).into(),
            subjects,
        });
    }

    /// The indices of the bindings of `user`, in the order in which they were added.
    fn of(&self, user: &User) -> Vec<usize> {
        let groups = user.groups.iter().filter_map(|group| self.by_group.get(group));
        let binding_indices = self.by_user.get(&user.name).into_iter().chain(groups);
        let mut indices: Vec<_> = binding_indices.flatten().copied().collect();
        indices.sort_unstable();
        indices.dedup();
        indices
    }
}

impl Binding {
    /// The binding in the reason for the audit log.
    fn describe(&self, user: &User, namespace: &str) -> String {
        let (kind, name) = match namespace {
            "" => ("ClusterRoleBinding", self.name.clone()),
            _ => ("RoleBinding", format!("{}/{namespace}", self.name)),
        };
        let name = Quoted(&name);
        let (role_kind, role) = (&self.role_kind, Quoted(&self.role_name));
        let subject = self.subjects.iter().find(|subject| subject.is(user, namespace));
        let subject = subject.map(|subject| subject.describe(namespace)).unwrap_or_default();
        format!("{kind} {name} of {role_kind} {role} to {subject}")
    }
}

impl Subject {
    fn from_node(node: &Node<'_>) -> Self {
        let text = |name: &str| node.text_at(&[name]).to_string();
        Self { kind: text("kind"), namespace: text("namespace"), name: text("name") }
    }

    /// Whether the subject is a group, and the name of the group or user.
    fn key(&self, binding_namespace: &str) -> Option<(bool, String)> {
        match self.kind.as_str() {
            "User" => Some((false, self.name.clone())),
            "Group" => Some((true, self.name.clone())),
            "ServiceAccount" => {
                let namespace = self.namespace_in(binding_namespace);
                let user = User::service_account(namespace, &self.name).name;
                (!namespace.is_empty()).then_some((false, user))
            }
            _ => None,
        }
    }

    fn is(&self, user: &User, binding_namespace: &str) -> bool {
        match self.kind.as_str() {
            "User" => user.name == self.name,
            "Group" => user.is_in(&self.name),
            "ServiceAccount" => {
                let namespace = self.namespace_in(binding_namespace);
                !namespace.is_empty() && is_service_account(&user.name, namespace, &self.name)
            }
            _ => false,
        }
    }

    fn describe(&self, binding_namespace: &str) -> String {
        let name = match self.kind.as_str() {
            "ServiceAccount" => {
                format!("{}/{}", self.name, self.namespace_in(binding_namespace))
            }
            _ => self.name.clone(),
        };
        format!("{} {}", self.kind, Quoted(&name))
    }

    /// A service account without a namespace is in the binding's.
    fn namespace_in<'a>(&'a self, binding_namespace: &'a str) -> &'a str {
        if self.namespace.is_empty() { binding_namespace } else { &self.namespace }
    }
}

/// Aggregates errors as Go does, each once.
fn aggregated(errors: &[String]) -> String {
    let mut once: Vec<&str> = Vec::new();
    for error in errors {
        if !once.contains(&error.as_str()) {
            once.push(error);
        }
    }
    match once.as_slice() {
        [] => String::new(),
        [only] => (*only).to_string(),
        several => format!("[{}]", several.join(", ")),
    }
}

fn name<'n>(node: &'n Node<'_>) -> &'n str {
    node.metadata().name()
}

fn namespace<'n>(node: &'n Node<'_>) -> &'n str {
    node.metadata().namespace()
}

#[cfg(test)]
mod tests;
