//! Escalation checks: roles and bindings may only grant what their writer has.

use crate::covers::compact;
use crate::quote::quoted_list;
use crate::rbac::Lookup;
use crate::rule::Rule;
use crate::{Attributes, RbacAuthorizer, Resource, Target, covers, is_superuser};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::{Equality, Node, equal_at};

/// A write of a role or binding.
#[derive(Clone, Copy, Debug)]
pub struct Grant<'a> {
    /// The attributes of the request.
    pub attributes: Attributes<'a>,
    /// The new object.
    pub new: &'a Node<'a>,
    /// The stored object, for updates.
    pub old: Option<&'a Node<'a>>,
}

/// Why a write of a role or binding is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EscalationError {
    /// 403: the text after `clusterroles.rbac.authorization.k8s.io "x" is forbidden: `.
    Forbidden(String),
    /// 404: a binding to a role that does not exist.
    NotFound {
        /// `clusterroles` or `roles`; the message is `<resource>.rbac.authorization.k8s.io "<name>" not found`.
        resource: &'static str,
        /// The name of the role.
        name: String,
    },
    /// 400: a cluster role binding to a namespaced role.
    BadRequest(String),
    /// 500: a binding to an unsupported role kind.
    Internal(String),
}

impl RbacAuthorizer {
    /// Checks that the writer may grant what the object grants. `allowed` is called for the verbs
    /// `escalate` and `bind`: it represents all authorizers of the server, not only RBAC.
    pub fn escalation(
        &self,
        grant: &Grant<'_>,
        allowed: &dyn Fn(&Attributes<'_>) -> bool,
    ) -> Result<(), EscalationError> {
        let Some(resource) = grant.attributes.resource() else { return Ok(()) };
        let gives_rules = matches!(resource.resource, "roles" | "clusterroles");
        let gives_role = matches!(resource.resource, "rolebindings" | "clusterrolebindings");
        if !(gives_rules || gives_role) || is_superuser(grant.attributes.user) {
            return Ok(());
        }
        if gives_rules && allowed(&as_verb(&grant.attributes, "escalate", *resource)) {
            return Ok(());
        }
        if grant.old.is_some_and(|old| only_ownership_differs(grant.new, old)) {
            return Ok(());
        }
        if gives_rules { self.role_write(grant) } else { self.binding_write(grant, allowed) }
    }

    fn role_write(&self, grant: &Grant<'_>) -> Result<(), EscalationError> {
        self.holds_all(&grant.attributes, &Rule::all_of(grant.new))?;
        let is_aggregated = |role: &Node<'_>| {
            let selectors = role.find(&["aggregationRule", "clusterRoleSelectors"]);
            selectors.is_some_and(|selectors| !selectors.items().is_empty())
        };
        if is_aggregated(grant.new) || grant.old.is_some_and(is_aggregated) {
            // What it aggregates can be anything, now or later.
            let everything = self.holds_all(&grant.attributes, &everything());
            return everything.map_err(|_| {
                let text = "must have cluster-admin privileges to use the aggregationRule";
                EscalationError::Forbidden(text.into())
            });
        }
        Ok(())
    }

    fn binding_write(
        &self,
        grant: &Grant<'_>,
        allowed: &dyn Fn(&Attributes<'_>) -> bool,
    ) -> Result<(), EscalationError> {
        let namespace = grant.attributes.namespace();
        let reference = |name: &str| grant.new.text_at(&["roleRef", name]);
        let (kind, name) = (reference("kind"), reference("name"));
        let resource = match kind {
            "ClusterRole" => "clusterroles",
            "Role" => "roles",
            _ => {
                let text = format!("unsupported role reference kind: {}", Quoted(kind));
                return Err(EscalationError::Internal(text));
            }
        };
        let rest = Resource { group: reference("apiGroup"), namespace, ..Resource::default() };
        let target = Resource { resource, name, ..rest };
        if allowed(&as_verb(&grant.attributes, "bind", target)) {
            return Ok(());
        }
        if kind == "Role" && namespace.is_empty() {
            return Err(EscalationError::BadRequest("Namespace parameter required.".into()));
        }
        let space = if kind == "Role" { namespace } else { "" };
        let missing = || EscalationError::NotFound { resource, name: name.into() };
        self.holds_all(&grant.attributes, self.role(space, name).ok_or_else(missing)?)
    }

    /// Checks that the writer has all these rules in the scope of the write.
    fn holds_all(
        &self,
        attributes: &Attributes<'_>,
        required: &[Rule],
    ) -> Result<(), EscalationError> {
        let user = attributes.user;
        let owned = self.rules_with_errors(user, attributes.namespace(), Lookup::Storage);
        let Err(missing) = covers(&owned.rules, required) else { return Ok(()) };
        let missing: BTreeSet<_> = compact(missing).iter().map(Rule::describe).collect();
        let missing: Vec<_> = missing.into_iter().collect();
        let mut text = format!(
            "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
            Quoted(&user.name),
            quoted_list(&user.groups),
            missing.join("\n"),
        );
        if !owned.missing.is_empty() {
            text = format!("{text}; resolution errors: [{}]", owned.errors());
        }
        Err(EscalationError::Forbidden(text))
    }
}

/// The same attempt with another verb, on the object itself, in any version.
fn as_verb<'a>(attributes: &Attributes<'a>, verb: &'a str, target: Resource<'a>) -> Attributes<'a> {
    let target = Resource { version: "*", subresource: "", field_selector: "", ..target };
    Attributes { user: attributes.user, verb, target: Target::Resource(target) }
}

/// The rules that allow everything.
fn everything() -> [Rule; 2] {
    let star = || vec![String::from("*")];
    [
        Rule { verbs: star(), groups: star(), resources: star(), ..Rule::default() },
        Rule { verbs: star(), urls: star(), ..Rule::default() },
    ]
}

/// Whether the write only changes metadata that the garbage collector updates.
fn only_ownership_differs(new: &Node<'_>, old: &Node<'_>) -> bool {
    const OWNERSHIP: [&str; 4] = ["ownerReferences", "finalizers", "selfLink", "managedFields"];
    let bare = |node: &Node<'_>| {
        let mut node = node.clone().into_owned();
        for name in OWNERSHIP {
            node.map_mut("metadata").remove(name);
        }
        node
    };
    equal_at(&bare(new), &bare(old), &[], Equality::Semantic)
}

#[cfg(test)]
mod tests;
