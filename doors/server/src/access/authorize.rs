//! Authorization: the modes of the server in turn; the first with an opinion decides.

use crate::access::node_relations::NodeRelations;
use crate::request::{RequestInfo, ResourcePath, Target};
use crate::status::{About, StatusError};
use crate::storage::cache::{Cache, ResourceCache};
use arc_swap::ArcSwap;
use ratchet_access::{
    Attributes, Decision, NODES, RbacAuthorizer, Resource, Rule, Rules, Target as AuthzTarget,
    User, decide_node, forbidden_message, is_superuser,
};
use ratchet_object::Node;
use std::sync::Arc;

/// An authorization mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Allows everything.
    AlwaysAllow,
    /// Denies everything.
    AlwaysDeny,
    /// Allows a node what its pods need.
    Node,
    /// Decides by roles and bindings.
    Rbac,
}

/// The authorization modes, with the RBAC rules as of the last change of a role or binding.
pub struct Authorizer {
    modes: Vec<Mode>,
    /// The caches of ClusterRoles, Roles, ClusterRoleBindings and RoleBindings.
    resource_caches: [Arc<ResourceCache>; 4],
    rbac: ArcSwap<RbacSnapshot>,
    /// The graph of the Node mode.
    nodes: Arc<NodeRelations>,
}

/// The RBAC rules, and the revisions of the four caches from which they were built. One number would not do: a commit
/// to two caches is visible in one of them first, and both may then have the same newest revision.
#[derive(Default)]
pub(crate) struct RbacSnapshot {
    revisions: Option<[u64; 4]>,
    /// Roles and bindings as of these revisions.
    pub(crate) rules: RbacAuthorizer,
}

const GROUP: &str = "rbac.authorization.k8s.io";

impl Authorizer {
    /// Uses the caches of roles and bindings.
    pub(crate) fn new(modes: Vec<Mode>, cache: &Cache, nodes: Arc<NodeRelations>) -> Self {
        let resource_cache = |plural: &str| cache.resource_cache(&format!("{plural}.{GROUP}"));
        let resource_caches =
            ["clusterroles", "roles", "clusterrolebindings", "rolebindings"].map(resource_cache);
        Self { modes, resource_caches, rbac: ArcSwap::default(), nodes }
    }

    /// Whether the RBAC mode is enabled.
    pub fn has_rbac(&self) -> bool {
        self.modes.contains(&Mode::Rbac)
    }

    /// The current RBAC rules.
    pub(crate) fn rbac(&self) -> Arc<RbacSnapshot> {
        let snapshots = self.resource_caches.each_ref().map(|cache| cache.now());
        let revisions = Some(snapshots.each_ref().map(|snapshot| snapshot.revision));
        let known = self.rbac.load_full();
        if known.revisions == revisions {
            return known;
        }
        let nodes: [Vec<Node<'static>>; 4] =
            snapshots.map(|snapshot| snapshot.items.values().map(|item| item.node()).collect());
        let [cluster_roles, roles, cluster_bindings, bindings] = &nodes;
        let rules = RbacAuthorizer::new(cluster_roles, roles, cluster_bindings, bindings);
        let rbac = Arc::new(RbacSnapshot { revisions, rules });
        self.rbac.store(rbac.clone());
        rbac
    }

    /// Decides an attempt.
    pub fn decide(&self, attributes: &Attributes<'_>) -> Decision {
        if is_superuser(attributes.user) {
            return Decision::Allow { reason: String::new() };
        }
        let mut reasons = Vec::new();
        for mode in &self.modes {
            let decision = match mode {
                Mode::AlwaysAllow => Decision::Allow { reason: String::new() },
                Mode::AlwaysDeny => {
                    Decision::NoOpinion { reason: "Everything is forbidden.".into() }
                }
                Mode::Node => {
                    decide_node(attributes, &|node, target| self.nodes.is_related(node, target))
                }
                Mode::Rbac => self.rbac().rules.decide(attributes),
            };
            match decision {
                Decision::NoOpinion { reason } if reason.is_empty() => {}
                Decision::NoOpinion { reason } => reasons.push(reason),
                decided => return decided,
            }
        }
        Decision::NoOpinion { reason: reasons.join("\n") }
    }

    /// The rules of a user in a namespace, as far as the modes can list them. `system:masters` needs no special case: a
    /// cluster role grants it the same.
    pub(crate) fn rules_for(&self, user: &User, namespace: &str) -> ResolvedRules {
        let mut resolved = ResolvedRules::default();
        for mode in &self.modes {
            match mode {
                Mode::AlwaysDeny => {}
                Mode::AlwaysAllow => resolved.rules.rules.extend(everything()),
                Mode::Node if is_node(user) => {
                    resolved.incomplete = true;
                    let why = "node authorizer does not support user rule resolution";
                    resolved.rules.missing.push(why.into());
                }
                Mode::Node => {}
                Mode::Rbac => {
                    let Rules { rules, missing } = self.rbac().rules.rules_for(user, namespace);
                    resolved.rules.rules.extend(rules);
                    resolved.rules.missing.extend(missing);
                }
            }
        }
        resolved
    }

    /// The reason why an attempt is allowed, or a `Forbidden` error.
    pub fn check(&self, attributes: &Attributes<'_>) -> Result<String, StatusError> {
        match self.decide(attributes) {
            Decision::Allow { reason } => Ok(reason),
            Decision::Deny { reason } | Decision::NoOpinion { reason } => {
                let message = forbidden_message(attributes, &reason);
                let about = match attributes.resource() {
                    Some(resource) => About {
                        group: resource.group,
                        resource: resource.resource,
                        name: resource.name,
                    },
                    None => About { group: "", resource: "", name: "" },
                };
                Err(StatusError::forbidden_message(about, message))
            }
        }
    }
}

/// The result of `rules_for`.
#[derive(Default)]
pub(crate) struct ResolvedRules {
    /// The rules, and errors for bindings to missing roles.
    pub(crate) rules: Rules,
    /// Whether a mode may allow more than it can list.
    pub(crate) incomplete: bool,
}

/// Whether the Node mode treats the user as a node.
fn is_node(user: &User) -> bool {
    user.is_in(NODES) && user.name.starts_with("system:node:")
}

/// The rules of the AlwaysAllow mode.
fn everything() -> [Rule; 2] {
    let all = || vec!["*".to_owned()];
    let resources = Rule { verbs: all(), groups: all(), resources: all(), ..Rule::default() };
    [resources, Rule { verbs: all(), urls: all(), ..Rule::default() }]
}

/// The authorizer attributes of a request.
pub(crate) fn attributes<'a>(user: &'a User, info: &'a RequestInfo) -> Attributes<'a> {
    let target = match &info.target {
        Target::Resource(path) => target(path, &info.field_selector),
        Target::Path(path) => AuthzTarget::Path(path),
    };
    Attributes { user, verb: info.verb, target }
}

/// The authorizer attributes of a resource path.
pub(crate) fn target<'a>(path: &'a ResourcePath, field_selector: &'a str) -> AuthzTarget<'a> {
    AuthzTarget::Resource(Resource {
        group: &path.group,
        version: &path.version,
        resource: &path.resource,
        subresource: &path.subresource,
        namespace: &path.namespace,
        name: &path.name,
        field_selector,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Params;
    use crate::storage::cache::{Item, ObjectState};

    fn put(resource_cache: &ResourceCache, revision: u64, name: &str, value: &str) {
        let item = Item::stored(name.into(), revision, value.as_bytes()).unwrap();
        resource_cache.apply(vec![(revision, name.into(), ObjectState::Item(item))]);
    }

    fn all_pods() -> RequestInfo {
        let uri = http::Uri::from_static("/api/v1/pods");
        RequestInfo::parse(&http::Method::GET, &uri, &Params::parse(None)).unwrap()
    }

    fn may_list(authorizer: &Authorizer) -> bool {
        let user = User { name: "alice".into(), ..User::default() };
        authorizer.decide(&attributes(&user, &all_pods())).is_allowed()
    }

    #[test]
    fn roles_and_bindings_of_one_commit_are_both_seen() {
        let resource_caches: [Arc<ResourceCache>; 4] = std::array::from_fn(|_| Arc::default());
        let authorizer = Authorizer {
            modes: vec![Mode::Rbac],
            resource_caches: resource_caches.clone(),
            rbac: ArcSwap::default(),
            nodes: Arc::default(),
        };
        assert!(!may_list(&authorizer));
        let role = r#"{"metadata":{"name":"r"},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["list"]}]}"#;
        put(&resource_caches[0], 7, "r", role);
        assert!(!may_list(&authorizer), "somebody asks between the two");
        let binding = r#"{"metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"r"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"alice"}]}"#;
        put(&resource_caches[2], 7, "b", binding);
        assert!(may_list(&authorizer));
    }

    #[test]
    fn what_a_mode_cannot_list_is_told() {
        let with = |modes: Vec<Mode>| Authorizer {
            modes,
            resource_caches: std::array::from_fn(|_| Arc::default()),
            rbac: ArcSwap::default(),
            nodes: Arc::default(),
        };
        let user = |name: &str, groups: &[&str]| User {
            name: name.into(),
            groups: groups.iter().map(ToString::to_string).collect(),
            ..User::default()
        };
        let resolved = |modes: Vec<Mode>, user: &User| {
            let found = with(modes).rules_for(user, "a");
            (found.rules.rules.len(), found.incomplete, found.rules.errors())
        };
        let (alice, node) = (user("alice", &[]), user("system:node:n", &["system:nodes"]));
        let modes = || vec![Mode::Node, Mode::Rbac];
        assert_eq!(resolved(modes(), &alice), (0, false, String::new()));
        let why = "node authorizer does not support user rule resolution".to_owned();
        assert_eq!(resolved(modes(), &node), (0, true, why));
        assert_eq!(resolved(vec![Mode::AlwaysAllow], &alice), (2, false, String::new()));
        assert_eq!(resolved(vec![Mode::AlwaysDeny], &alice), (0, false, String::new()));
    }

    #[test]
    fn a_binding_to_nothing_is_an_error_but_hides_nothing() {
        let resource_caches: [Arc<ResourceCache>; 4] = std::array::from_fn(|_| Arc::default());
        let authorizer = Authorizer {
            modes: vec![Mode::Rbac],
            resource_caches: resource_caches.clone(),
            rbac: ArcSwap::default(),
            nodes: Arc::default(),
        };
        let binding = r#"{"metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"gone"},"subjects":[{"kind":"User","name":"alice"}]}"#;
        put(&resource_caches[2], 7, "b", binding);
        let user = User { name: "alice".into(), ..User::default() };
        let found = authorizer.rules_for(&user, "a");
        assert!(!found.incomplete);
        let missing = r#"clusterrole.rbac.authorization.k8s.io "gone" not found"#;
        assert_eq!(found.rules.errors(), missing);
    }

    #[test]
    fn modes_are_asked_in_turn() {
        let with = |modes: Vec<Mode>| Authorizer {
            modes,
            resource_caches: std::array::from_fn(|_| Arc::default()),
            rbac: ArcSwap::default(),
            nodes: Arc::default(),
        };
        assert!(may_list(&with(vec![Mode::Rbac, Mode::AlwaysAllow])));
        assert!(!may_list(&with(vec![Mode::Node, Mode::Rbac])));
        assert!(!may_list(&with(Vec::new())));
        let user = User { name: "alice".into(), ..User::default() };
        let info = all_pods();
        let error = with(vec![Mode::AlwaysDeny]).check(&attributes(&user, &info)).unwrap_err();
        assert!(error.message.ends_with("Everything is forbidden."), "{}", error.message);
    }
}
