//! Who may do what: the modes of the server are asked in turn, the first that has an opinion wins.

use crate::cache::{Cache, Shelf};
use crate::refusal::{About, Refusal};
use crate::request::{Ask, Target};
use arc_swap::ArcSwap;
use ratchet_access::{
    Attempt, Decision, Resource, Rulebook, Target as What, User, decide_node, forbidden_message,
    is_superuser,
};
use ratchet_object::Node;
use std::sync::Arc;

/// A way to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Everybody may everything.
    AlwaysAllow,
    /// Nobody may anything.
    AlwaysDeny,
    /// Nodes may what their pods need.
    Node,
    /// Roles and bindings decide.
    Rbac,
}

/// The modes of this server, and the rulebook of RBAC as of the last change of a role or binding.
pub struct Authorizer {
    modes: Vec<Mode>,
    /// Cluster roles, roles, cluster role bindings, role bindings.
    shelves: [Arc<Shelf>; 4],
    book: ArcSwap<(u64, Rulebook)>,
}

const GROUP: &str = "rbac.authorization.k8s.io";

impl Authorizer {
    /// Reads roles and bindings from the cache.
    pub fn new(modes: Vec<Mode>, cache: &Cache) -> Self {
        let shelf = |plural: &str| cache.shelf(&format!("{plural}.{GROUP}")).unwrap_or_default();
        let shelves = ["clusterroles", "roles", "clusterrolebindings", "rolebindings"].map(shelf);
        Self { modes, shelves, book: ArcSwap::from_pointee((u64::MAX, Rulebook::default())) }
    }

    /// Whether roles and bindings count at all.
    pub fn has_rbac(&self) -> bool {
        self.modes.contains(&Mode::Rbac)
    }

    /// The roles and bindings as they are now.
    pub fn book(&self) -> Arc<(u64, Rulebook)> {
        let snapshots = self.shelves.each_ref().map(|shelf| shelf.now());
        let newest = snapshots.iter().map(|snapshot| snapshot.revision).max().unwrap_or(0);
        let known = self.book.load_full();
        if known.0 == newest {
            return known;
        }
        let nodes: [Vec<Node<'static>>; 4] =
            snapshots.map(|snapshot| snapshot.items.values().map(|item| item.node()).collect());
        let [cluster_roles, roles, cluster_bindings, bindings] = &nodes;
        let book =
            Arc::new((newest, Rulebook::new(cluster_roles, roles, cluster_bindings, bindings)));
        self.book.store(book.clone());
        book
    }

    /// Whether somebody may do something.
    pub fn decide(&self, attempt: &Attempt<'_>) -> Decision {
        if is_superuser(attempt.user) {
            return Decision::Allow { reason: String::new() };
        }
        let mut reasons = Vec::new();
        for mode in &self.modes {
            let decision = match mode {
                Mode::AlwaysAllow => Decision::Allow { reason: String::new() },
                Mode::AlwaysDeny => {
                    Decision::NoOpinion { reason: "Everything is forbidden.".into() }
                }
                Mode::Node => decide_node(attempt, &|_, _| true),
                Mode::Rbac => self.book().1.decide(attempt),
            };
            match decision {
                Decision::NoOpinion { reason } if reason.is_empty() => {}
                Decision::NoOpinion { reason } => reasons.push(reason),
                decided => return decided,
            }
        }
        Decision::NoOpinion { reason: reasons.join("\n") }
    }

    /// Refuses what is not allowed; otherwise the reason why it is.
    pub fn check(&self, attempt: &Attempt<'_>) -> Result<String, Refusal> {
        match self.decide(attempt) {
            Decision::Allow { reason } => Ok(reason),
            Decision::Deny { reason } | Decision::NoOpinion { reason } => {
                let message = forbidden_message(attempt, &reason);
                let about = match attempt.resource() {
                    Some(resource) => About {
                        group: resource.group,
                        resource: resource.resource,
                        name: resource.name,
                    },
                    None => About { group: "", resource: "", name: "" },
                };
                Err(Refusal::forbidden_message(about, message))
            }
        }
    }
}

/// What a request is to the authorizers.
pub(crate) fn attempt<'a>(user: &'a User, ask: &'a Ask, field_selector: &'a str) -> Attempt<'a> {
    let target = match &ask.target {
        Target::Resource(place) => What::Resource(Resource {
            group: &place.group,
            version: &place.version,
            resource: &place.resource,
            subresource: &place.subresource,
            namespace: &place.namespace,
            name: &place.name,
            field_selector,
        }),
        Target::Path(path) => What::Path(path),
    };
    Attempt { user, verb: ask.verb, target }
}
