//! Approved requests for the certificates of Kubernetes are signed, or told why not.

use super::{PACE, REQUESTS, has, is_issued, listen, part, typed, usages, wish, with_condition};
use crate::{Client, Failure, Idle, Outcome, Reconcile, Row, Setup, Store, Waiting};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use ratchet_certificate::{CertificateRequest, Signer};
use ratchet_object::Node;
use std::sync::Arc;
use std::time::Duration;

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "certificatesigningrequest-signing-controller",
    aliases: &["csrsigning"],
    on_by_default: true,
    pace: PACE,
    workers: 5,
    start,
};

/// Who signs certificates. Keys are no business of controllers.
pub trait CertificateSigner: Send + Sync + 'static {
    /// A certificate (PEM) for a request, for these usages and no others, that lives so long.
    fn sign(
        &self,
        request: &CertificateRequest,
        usages: &[&str],
        life: Duration,
    ) -> Result<String, String>;
}

/// Who signs, and for how long at most.
#[derive(Clone)]
pub struct Signing {
    /// Who signs.
    pub signer: Arc<dyn CertificateSigner>,
    /// How long a certificate lives that asks for no shorter life.
    pub longest: Duration,
}

/// No certificate lives shorter, whatever is asked for: it begins five minutes before it is made.
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
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            let Some(request) = self.requests.get(key) else { return Ok(Outcome::Done) };
            if let Some(answered) = self.answered(&request).map_err(Failure::new)? {
                match self.client.put(&part(key, "status"), &answered).await {
                    // Gone since: nobody waits for an answer.
                    Err(failure) if failure.is_not_found() => {}
                    answered => drop(answered?),
                }
            }
            Ok(Outcome::Done)
        })
    }
}

impl Signatures {
    /// The request with its certificate, or with why there is none; nothing if it is not ours to answer.
    fn answered(&self, request: &Node<'static>) -> Result<Option<Node<'static>>, String> {
        let waits = has(request, "Approved") && !has(request, "Denied") && !is_failed(request);
        let Some(signer) = Signer::named(request.text_at(&["spec", "signerName"])) else {
            return Ok(None);
        };
        if !waits || is_issued(request) {
            return Ok(None);
        }
        let (wish, usages) = (wish(request)?, usages(request));
        if let Err(why) = signer.check(&wish, &usages) {
            return Ok(Some(with_condition(request, failed(why))));
        }
        let life = life(request, self.signing.longest);
        let signed = self.signing.signer.sign(&wish, &usages, life);
        let pem = signed.map_err(|why| format!("error auto signing csr: {why}"))?;
        let mut new = typed(request);
        new.below("status").set("certificate", Node::string(BASE64_STANDARD.encode(pem)));
        Ok(Some(new))
    }
}

fn is_failed(request: &Node<'_>) -> bool {
    super::conditions(request).iter().any(|one| {
        one.text_at(&["type"]) == "Failed" && matches!(one.text_at(&["status"]), "" | "True")
    })
}

fn failed(why: String) -> Node<'static> {
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

/// How long the certificate lives: as asked, but neither longer than allowed nor too short to be of use.
fn life(request: &Node<'_>, longest: Duration) -> Duration {
    let Some(asked) = request.find(&["spec", "expirationSeconds"]).and_then(Node::as_int) else {
        return longest;
    };
    let asked = Duration::from_secs(u64::try_from(asked).unwrap_or(0));
    if asked > longest { longest } else { asked.max(SHORTEST) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    #[test]
    fn lives_are_between_ten_minutes_and_the_longest() {
        let lives = |asked: &str, longest: u64| {
            let request = node(&format!("{{spec: {{{asked}}}}}"));
            life(&request, Duration::from_secs(longest)).as_secs()
        };
        assert_eq!(lives("", 7200), 7200);
        assert_eq!(lives("expirationSeconds: 3600", 7200), 3600);
        assert_eq!(lives("expirationSeconds: 9000", 7200), 7200);
        assert_eq!(lives("expirationSeconds: 60", 7200), 600);
        assert_eq!(lives("expirationSeconds: -1", 7200), 600);
    }
}
