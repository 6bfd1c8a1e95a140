//! Controller that fills the rules of aggregated cluster roles from the roles they select.

use crate::{
    BoxFuture, Client, Failure, Outcome, Reconcile, RetryDelay, Row, Setup, Shared, Store,
};
use ratchet_access::{Rule, aggregate};
use ratchet_object::{Node, percent_encode};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) const ROW: Row = Row {
    name: "clusterrole-aggregation-controller",
    aliases: &["clusterrole-aggregation"],
    on_by_default: true,
    retry_delay: RetryDelay::DEFAULT,
    workers: 1,
    start,
};

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

struct Aggregation {
    client: Client,
    roles: Arc<Store>,
    /// The uids of roles that have aggregated rules: these are no longer the rules the role was
    /// created with.
    aggregated: Mutex<BTreeSet<String>>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let roles = setup.collection(ROLES);
    let (queue, all_roles) = (setup.queue.clone(), roles.clone());
    // Any role may be part of any other, and few roles aggregate: each change enqueues all of them.
    setup.listen(ROLES, move |_| {
        all_roles
            .all()
            .iter()
            .filter(|(_, role)| aggregates(role))
            .for_each(|(key, _)| queue.add(key));
    });
    Box::new(Aggregation { client: setup.client.clone(), roles, aggregated: Mutex::default() })
}

impl Reconcile for Aggregation {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            if let Some(role) = self.updated_role(key) {
                let path = format!("{ROLES}/{}?fieldManager={}", percent_encode(key), ROW.name);
                match self.client.put(&path, &role).await {
                    // Deleted since: it needs no rules.
                    Err(failure) if failure.is_not_found() => {}
                    result => drop(result?),
                }
            }
            Ok(Outcome::Done)
        })
    }
}

impl Aggregation {
    /// The role as it should be, or `None` if it already is. It keeps its resource version, so that
    /// a concurrent change is not overwritten but reconciled again.
    fn updated_role(&self, key: &str) -> Option<Node<'static>> {
        let role = self.roles.get(key)?;
        let all = self.roles.all();
        let all: Vec<&Node<'_>> = all.iter().map(|(_, role)| &**role).collect();
        let rules = aggregate(&role, &all)?;
        let mut aggregated = self.aggregated.lock().unwrap_or_else(PoisonError::into_inner);
        let uid = role.metadata().uid();
        // A role that aggregates nothing keeps the rules it was created with, unless its rules were
        // aggregated before and their sources are gone now.
        if rules.is_empty() && !aggregated.contains(uid) {
            return None;
        }
        aggregated.insert(uid.to_owned());
        if rules == Rule::all_of(&role) {
            return None;
        }
        let mut new = Node::clone(&role);
        new.set("apiVersion", Node::string("rbac.authorization.k8s.io/v1"));
        new.set("kind", Node::string("ClusterRole"));
        new.set("rules", Node::list(rules.iter().map(Rule::to_node).collect()));
        Some(new)
    }
}

fn aggregates(role: &Shared) -> bool {
    role.get("aggregationRule").is_some_and(|rule| !rule.is_null())
}
