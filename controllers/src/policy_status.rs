//! Controller that type-checks the expressions of validating admission policies and writes their
//! status.

use crate::discovery::DiscoveredResources;
use crate::{BoxFuture, Client, Failure, Outcome, Reconcile, RetryDelay, Row, Setup, Store};
use ratchet_object::{Node, percent_encode};
use ratchet_policy::{ServedKind, ServedKinds, is_unchecked, status};
use std::sync::Arc;

pub(crate) const ROW: Row = Row {
    name: "validatingadmissionpolicy-status-controller",
    aliases: &[],
    on_by_default: true,
    retry_delay: RetryDelay::DEFAULT,
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
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            let unchecked = self.policies.get(key).filter(|policy| is_unchecked(policy));
            if let Some(policy) = unchecked {
                let policy = with_status(&policy, &self.served_kinds(&policy).await);
                let path =
                    format!("{POLICIES}/{}/status?fieldManager={MANAGER}", percent_encode(key));
                match self.client.put(&path, &policy).await {
                    // Deleted since: nobody reads its status.
                    Err(failure) if failure.is_not_found() => {}
                    result => drop(result?),
                }
            }
            Ok(Outcome::Done)
        })
    }
}

const MANAGER: &str = "validatingadmissionpolicy-status";

impl PolicyStatus {
    /// The kinds beside the built-in ones that a policy names, as the server describes them now. What cannot be found
    /// out gives no warnings.
    async fn served_kinds(&self, policy: &Node<'_>) -> ServedKinds {
        let discovered = DiscoveredResources::fetch(&self.client).await;
        let mut served = ServedKinds::new(discovered.all.into_iter().map(|resource| ServedKind {
            group: resource.group,
            version: resource.version,
            resource: resource.name,
            kind: resource.kind,
        }));
        for (group, version) in served.missing(policy) {
            let (group, version) = (percent_encode(&group), percent_encode(&version));
            let path = match group.as_str() {
                "" => format!("/openapi/v3/api/{version}"),
                group => format!("/openapi/v3/apis/{group}/{version}"),
            };
            if let Ok(document) = self.client.get(&path).await {
                served.describe(policy, &document);
            }
        }
        served
    }
}

/// The policy with its new status. It keeps its resource version, so that a concurrent change is
/// checked again.
fn with_status(policy: &Node<'static>, served: &ServedKinds) -> Node<'static> {
    let mut new = policy.clone();
    new.set("apiVersion", Node::string("admissionregistration.k8s.io/v1"));
    new.set("kind", Node::string("ValidatingAdmissionPolicy"));
    new.set("status", status(policy, served));
    new
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    #[test]
    fn a_generation_is_looked_at_once() {
        let parse =
            |text: &str| decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
        let policy = parse("{metadata: {name: p, generation: 2, resourceVersion: '7'}, spec: {}}");
        assert!(is_unchecked(&policy));
        let new = with_status(&policy, &ServedKinds::default());
        assert_eq!(new.find(&["status", "observedGeneration"]).and_then(Node::as_int), Some(2));
        assert_eq!(new.metadata().resource_version(), "7");
        assert!(new.find(&["status", "typeChecking"]).is_some());
        assert!(!is_unchecked(&new));
    }
}
