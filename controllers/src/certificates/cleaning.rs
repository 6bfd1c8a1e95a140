//! Controller that deletes certificate signing requests some time after they were answered, or
//! ignored.

use super::{REQUESTS, conditions, is_issued, listen};
use crate::{
    BoxFuture, Client, Deletion, Failure, Outcome, Reconcile, RetryDelay, Row, Setup, Store,
};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::{SignedDuration, Timestamp};
use ratchet_certificate::Facts;
use ratchet_object::{Node, percent_encode};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const ROW: Row = Row {
    name: "certificatesigningrequest-cleaner-controller",
    aliases: &["csrcleaner"],
    on_by_default: true,
    retry_delay: RetryDelay::DEFAULT,
    workers: 1,
    start,
};

/// How long an answered request stays, so that the client can fetch the certificate.
const ANSWERED: SignedDuration = SignedDuration::from_hours(1);

/// How long a request waits for an answer.
const UNANSWERED: SignedDuration = SignedDuration::from_hours(24);

struct Cleaner {
    client: Client,
    requests: Arc<Store>,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let requests = setup.collection(REQUESTS);
    listen(setup);
    Box::new(Cleaner { client: setup.client.clone(), requests })
}

impl Reconcile for Cleaner {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            let Some(request) = self.requests.get(key) else { return Ok(Outcome::Done) };
            let Some(deletion_time) = deletion_time(&request) else { return Ok(Outcome::Done) };
            let remaining = deletion_time.duration_since(Timestamp::now());
            if let Ok(remaining) = Duration::try_from(remaining)
                && !remaining.is_zero()
            {
                return Ok(Outcome::RequeueAfter(remaining));
            }
            let uid = request.metadata().uid().to_owned();
            let deletion = Deletion { uid: Some(uid), ..Deletion::default() };
            match self
                .client
                .delete_with(&format!("{REQUESTS}/{}", percent_encode(key)), &deletion)
                .await
            {
                // Deleted, or replaced by another of the same name, for which there will be an
                // event.
                Err(failure) if failure.is_not_found() || failure.is_conflict() => {}
                result => result?,
            }
            Ok(Outcome::Done)
        })
    }
}

/// When a request is deleted: the earliest of all reasons.
fn deletion_time(request: &Node<'_>) -> Option<Timestamp> {
    let is_issued = is_issued(request);
    let mut times = Vec::new();
    for condition in conditions(request) {
        let lifetime = match condition.text_at(&["type"]) {
            "Denied" | "Failed" => ANSWERED,
            "Approved" if is_issued => ANSWERED,
            "Approved" => UNANSWERED,
            _ => continue,
        };
        times.extend(after(condition.text_at(&["lastUpdateTime"]), lifetime));
        if condition.text_at(&["type"]) == "Approved" {
            times.extend(expiry(request.text_at(&["status", "certificate"])));
        }
    }
    if conditions(request).is_empty() {
        times.extend(after(request.metadata().creation_timestamp(), UNANSWERED));
    }
    times.into_iter().min()
}

fn after(time: &str, lifetime: SignedDuration) -> Option<Timestamp> {
    time.parse::<Timestamp>().ok()?.checked_add(lifetime).ok()
}

/// When a certificate expires: nobody fetches it afterwards.
fn expiry(certificate: &str) -> Option<Timestamp> {
    let pem = BASE64_STANDARD.decode(certificate).ok()?;
    let facts = Facts::from_pem(&pem).ok()?;
    Timestamp::from_second(facts.not_after).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    fn ends(status: &str) -> String {
        let request = node(&format!(
            "{{metadata: {{creationTimestamp: '2026-01-01T00:00:00Z'}}, status: {status}}}"
        ));
        deletion_time(&request).map(|deletion_time| deletion_time.to_string()).unwrap_or_default()
    }

    fn condition(kind: &str) -> String {
        format!("{{type: {kind}, status: 'True', lastUpdateTime: '2026-01-02T00:00:00Z'}}")
    }

    #[test]
    fn what_was_answered_goes_after_an_hour_and_what_waits_after_a_day() {
        assert_eq!(ends("{}"), "2026-01-02T00:00:00Z");
        let with = |kinds: &[&str], certificate: &str| {
            let all: Vec<String> = kinds.iter().map(|kind| condition(kind)).collect();
            ends(&format!("{{conditions: [{}]{certificate}}}", all.join(", ")))
        };
        assert_eq!(with(&["Denied"], ""), "2026-01-02T01:00:00Z");
        assert_eq!(with(&["Approved", "Failed"], ""), "2026-01-02T01:00:00Z");
        assert_eq!(with(&["Approved"], ""), "2026-01-03T00:00:00Z");
        assert_eq!(with(&["Approved"], ", certificate: eA=="), "2026-01-02T01:00:00Z");
        // An unknown condition does not count, nor does one without a time.
        assert_eq!(with(&["Odd"], ""), "");
        assert_eq!(ends("{conditions: [{type: Denied, status: 'True'}]}"), "");
    }
}
