//! Cluster roles made of other cluster roles get their rules.

use crate::client::escaped;
use crate::{Client, Failure, Outcome, Pace, Reconcile, Row, Setup, Shared, Store, Waiting};
use ratchet_access::{Rule, aggregate};
use ratchet_object::Node;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "clusterrole-aggregation-controller",
    aliases: &["clusterrole-aggregation"],
    on_by_default: true,
    pace: Pace::DEFAULT,
    workers: 1,
    start,
};

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

struct Aggregation {
    client: Client,
    roles: Arc<Store>,
    /// The uids of roles that have gathered something: their rules are no longer those of who made them.
    gathered: Mutex<BTreeSet<String>>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let roles = setup.collection(ROLES);
    let (queue, known) = (setup.queue.clone(), roles.clone());
    // Any role may be part of any other, and there are few that gather: all of them are looked at.
    setup.listen(ROLES, move |_| {
        known.all().iter().filter(|(_, role)| gathers(role)).for_each(|(key, _)| queue.add(key));
    });
    Box::new(Aggregation { client: setup.client.clone(), roles, gathered: Mutex::default() })
}

impl Reconcile for Aggregation {
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            if let Some(role) = self.wanted(key) {
                let path = format!("{ROLES}/{}?fieldManager={}", escaped(key), ROW.name);
                match self.client.put(&path, &role).await {
                    // Gone since: then it needs no rules.
                    Err(failure) if failure.is_not_found() => {}
                    answered => drop(answered?),
                }
            }
            Ok(Outcome::Done)
        })
    }
}

impl Aggregation {
    /// The role as it should be, if it is not so already. It keeps its resource version, so that
    /// a role that others changed meanwhile is not overwritten but looked at again.
    fn wanted(&self, key: &str) -> Option<Node<'static>> {
        let role = self.roles.get(key)?;
        let all = self.roles.all();
        let all: Vec<&Node<'_>> = all.iter().map(|(_, role)| &**role).collect();
        let rules = aggregate(&role, &all)?;
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let uid = role.text_at(&["metadata", "uid"]);
        // Who gathers nothing claims nothing: the rules are those that it was made with, unless they were gathered
        // and their parts are gone now.
        if rules.is_empty() && !gathered.contains(uid) {
            return None;
        }
        gathered.insert(uid.to_owned());
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

fn gathers(role: &Shared) -> bool {
    role.get("aggregationRule").is_some_and(|rule| !rule.is_null())
}
