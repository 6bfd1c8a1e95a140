//! Policies are told what is likely wrong with their expressions, by the types of the objects they are about.

use crate::client::escaped;
use crate::{Client, Failure, Outcome, Pace, Reconcile, Row, Setup, Store, Waiting};
use ratchet_object::Node;
use ratchet_policy::{is_unchecked, status};
use std::sync::Arc;

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "validatingadmissionpolicy-status-controller",
    aliases: &[],
    on_by_default: true,
    pace: Pace::DEFAULT,
    workers: 1,
    start,
};

const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";

struct PolicyStatus {
    client: Client,
    policies: Arc<Store>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let policies = setup.collection(POLICIES);
    let queue = setup.queue.clone();
    setup.listen(POLICIES, move |change| queue.add(&change.key));
    Box::new(PolicyStatus { client: setup.client.clone(), policies })
}

impl Reconcile for PolicyStatus {
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            if let Some(policy) = self.policies.get(key).as_deref().and_then(wanted) {
                let path = format!("{POLICIES}/{}/status?fieldManager={MANAGER}", escaped(key));
                match self.client.put(&path, &policy).await {
                    // Gone since: then nobody reads its status.
                    Err(failure) if failure.is_not_found() => {}
                    answered => drop(answered?),
                }
            }
            Ok(Outcome::Done)
        })
    }
}

const MANAGER: &str = "validatingadmissionpolicy-status";

/// The policy with its status as it should be, if nobody has looked at this generation yet. It keeps its resource
/// version, so that a policy that was changed meanwhile is looked at again.
fn wanted(policy: &Node<'static>) -> Option<Node<'static>> {
    if !is_unchecked(policy) {
        return None;
    }
    let mut new = policy.clone();
    new.set("apiVersion", Node::string("admissionregistration.k8s.io/v1"));
    new.set("kind", Node::string("ValidatingAdmissionPolicy"));
    new.set("status", status(policy));
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    #[test]
    fn a_generation_is_looked_at_once() {
        let read =
            |text: &str| decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
        let policy = read("{metadata: {name: p, generation: 2, resourceVersion: '7'}, spec: {}}");
        let new = wanted(&policy).unwrap();
        assert_eq!(new.find(&["status", "observedGeneration"]).and_then(Node::as_int), Some(2));
        assert_eq!(new.text_at(&["metadata", "resourceVersion"]), "7");
        assert!(new.find(&["status", "typeChecking"]).is_some());
        assert_eq!(wanted(&new), None);
    }
}
