//! Controller that creates the service account `default` in every namespace.

use crate::{
    BoxFuture, Client, Failure, Outcome, Reconcile, RetryDelay, Row, Setup, Shared, Store,
};
use ratchet_object::{Node, percent_encode};
use std::sync::Arc;

pub(crate) const ROW: Row = Row {
    name: "serviceaccount-controller",
    aliases: &["serviceaccount"],
    on_by_default: true,
    retry_delay: RetryDelay::DEFAULT,
    workers: 1,
    start,
};

const NAMESPACES: &str = "/api/v1/namespaces";
const ACCOUNTS: &str = "/api/v1/serviceaccounts";
const NAME: &str = "default";

struct Accounts {
    client: Client,
    namespaces: Arc<Store>,
    accounts: Arc<Store>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let (namespaces, accounts) = (setup.collection(NAMESPACES), setup.collection(ACCOUNTS));
    let queue = setup.queue.clone();
    setup.listen(NAMESPACES, move |change| {
        if change.new.is_some() {
            queue.add(&change.key);
        }
    });
    let queue = setup.queue.clone();
    setup.listen(ACCOUNTS, move |change| {
        // A deleted account of a remaining namespace is created again.
        if change.new.is_none()
            && let Some((namespace, NAME)) = change.key.split_once('/')
        {
            queue.add(namespace);
        }
    });
    Box::new(Accounts { client: setup.client.clone(), namespaces, accounts })
}

impl Reconcile for Accounts {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            let is_missing =
                self.namespaces.get(key).is_some_and(|namespace| is_active(&namespace))
                    && self.accounts.get(&format!("{key}/{NAME}")).is_none();
            if is_missing {
                let path = format!("{NAMESPACES}/{}/serviceaccounts", percent_encode(key));
                match self.client.post(&path, &account()).await {
                    // Created by somebody else, or the namespace is being deleted.
                    Err(failure) if failure.is_conflict() || failure.is_not_found() => {}
                    Err(failure) if failure.message.contains("being terminated") => {}
                    result => drop(result?),
                }
            }
            Ok(Outcome::Done)
        })
    }
}

fn is_active(namespace: &Shared) -> bool {
    namespace.find(&["metadata", "deletionTimestamp"]).is_none()
}

fn account() -> Node<'static> {
    Node::map([
        ("apiVersion", Node::string("v1")),
        ("kind", Node::string("ServiceAccount")),
        ("metadata", Node::map([("name", Node::string(NAME))])),
    ])
}
