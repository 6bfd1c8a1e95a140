//! Every namespace has a service account `default`, so that pods which name none run as somebody.

use crate::client::escaped;
use crate::{Client, Failure, Outcome, Pace, Reconcile, Row, Setup, Shared, Store, Waiting};
use ratchet_object::Node;
use std::sync::Arc;

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "serviceaccount-controller",
    aliases: &["serviceaccount"],
    on_by_default: true,
    pace: Pace::DEFAULT,
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
        // Whoever deletes the account of a namespace that stays gets a new one.
        if change.new.is_none()
            && let Some((namespace, NAME)) = change.key.split_once('/')
        {
            queue.add(namespace);
        }
    });
    Box::new(Accounts { client: setup.client.clone(), namespaces, accounts })
}

impl Reconcile for Accounts {
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            let lacks = self.namespaces.get(key).is_some_and(|namespace| is_active(&namespace))
                && self.accounts.get(&format!("{key}/{NAME}")).is_none();
            if lacks {
                let path = format!("{NAMESPACES}/{}/serviceaccounts", escaped(key));
                match self.client.post(&path, &account()).await {
                    // Somebody else made it, or the namespace is on its way out.
                    Err(failure) if failure.is_conflict() || failure.is_not_found() => {}
                    Err(failure) if failure.message.contains("being terminated") => {}
                    answered => drop(answered?),
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
