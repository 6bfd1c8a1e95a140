//! Controller that signs approved requests for the built-in signers, or marks them as failed.

use super::signer::Signing;
use super::{
    REQUESTS, RETRY_DELAY, has_condition, is_issued, listen, parse_csr, subresource_path, typed,
    usages, with_condition,
};
use crate::{BoxFuture, Client, Failure, Idle, Outcome, Reconcile, Row, Setup, Store};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use ratchet_certificate::Signer;
use ratchet_object::Node;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const ROW: Row = Row {
    name: "certificatesigningrequest-signing-controller",
    aliases: &["csrsigning"],
    on_by_default: true,
    retry_delay: RETRY_DELAY,
    workers: 5,
    start,
};

/// The shortest lifetime, whatever is requested: `notBefore` is five minutes before signing.
const SHORTEST: Duration = Duration::from_secs(10 * 60);

struct Signatures {
    client: Client,
    requests: Arc<Store>,
    signing: Signing,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let Some(signing) = setup.settings.signing.clone() else { return Box::new(Idle) };
    let requests = setup.collection(REQUESTS);
    listen(setup);
    Box::new(Signatures { client: setup.client.clone(), requests, signing })
}

impl Reconcile for Signatures {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            let Some(request) = self.requests.get(key) else { return Ok(Outcome::Done) };
            if let Some(updated) = self.updated_request(&request).map_err(Failure::new)? {
                match self.client.put(&subresource_path(key, "status"), &updated).await {
                    // Deleted since: nobody waits for a certificate.
                    Err(failure) if failure.is_not_found() => {}
                    result => drop(result?),
                }
            }
            Ok(Outcome::Done)
        })
    }
}

impl Signatures {
    /// The request with its certificate or a `Failed` condition; `None` if it is not for this
    /// controller to answer.
    fn updated_request(&self, request: &Node<'static>) -> Result<Option<Node<'static>>, String> {
        let is_pending = has_condition(request, "Approved")
            && !has_condition(request, "Denied")
            && !is_failed(request);
        let Some(signer) = Signer::named(request.text_at(&["spec", "signerName"])) else {
            return Ok(None);
        };
        if !is_pending || is_issued(request) {
            return Ok(None);
        }
        let (csr, usages) = (parse_csr(request)?, usages(request));
        if let Err(why) = signer.check(&csr, &usages) {
            return Ok(Some(with_condition(request, failed_condition(why))));
        }
        let lifetime = lifetime(request, self.signing.longest);
        let signed = self.signing.signer.sign(&csr, &usages, lifetime);
        let pem = signed.map_err(|why| format!("error auto signing csr: {why}"))?;
        let mut new = typed(request);
        new.map_mut("status").set("certificate", Node::string(BASE64_STANDARD.encode(pem)));
        Ok(Some(new))
    }
}

fn is_failed(request: &Node<'_>) -> bool {
    super::conditions(request).iter().any(|condition| {
        condition.text_at(&["type"]) == "Failed"
            && matches!(condition.text_at(&["status"]), "" | "True")
    })
}

fn failed_condition(why: String) -> Node<'static> {
    let now = Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default();
    Node::map([
        ("type", Node::string("Failed")),
        ("status", Node::string("True")),
        ("reason", Node::string("SignerValidationFailure")),
        ("message", Node::string(why)),
        ("lastUpdateTime", Node::string(now.to_string())),
        ("lastTransitionTime", Node::string(now.to_string())),
    ])
}

/// The lifetime of the certificate: as requested, but neither longer than allowed nor too short to
/// be of use.
fn lifetime(request: &Node<'_>, longest: Duration) -> Duration {
    let Some(requested) = request.find(&["spec", "expirationSeconds"]).and_then(Node::as_int)
    else {
        return longest;
    };
    let requested = Duration::from_secs(u64::try_from(requested).unwrap_or(0));
    if requested > longest { longest } else { requested.max(SHORTEST) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    #[test]
    fn lives_are_between_ten_minutes_and_the_longest() {
        let lives = |requested: &str, longest: u64| {
            let request = node(&format!("{{spec: {{{requested}}}}}"));
            lifetime(&request, Duration::from_secs(longest)).as_secs()
        };
        assert_eq!(lives("", 7200), 7200);
        assert_eq!(lives("expirationSeconds: 3600", 7200), 3600);
        assert_eq!(lives("expirationSeconds: 9000", 7200), 7200);
        assert_eq!(lives("expirationSeconds: 60", 7200), 600);
        assert_eq!(lives("expirationSeconds: -1", 7200), 600);
    }
}
