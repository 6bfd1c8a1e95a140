//! Requests that were answered, and those that nobody answers, go after a while.

use super::{REQUESTS, conditions, is_issued, listen};
use crate::client::escaped;
use crate::{Client, Deletion, Failure, Outcome, Pace, Reconcile, Row, Setup, Store, Waiting};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::{SignedDuration, Timestamp};
use ratchet_certificate::Facts;
use ratchet_object::Node;
use std::sync::Arc;
use std::time::Duration;

/// The row of this controller.
pub(crate) const ROW: Row = Row {
    name: "certificatesigningrequest-cleaner-controller",
    aliases: &["csrcleaner"],
    on_by_default: true,
    pace: Pace::DEFAULT,
    workers: 1,
    start,
};

/// So long whoever asked has to fetch the answer.
const ANSWERED: SignedDuration = SignedDuration::from_hours(1);

/// So long a request waits for an answer.
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
    fn reconcile<'a>(&'a self, key: &'a str) -> Waiting<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            let Some(request) = self.requests.get(key) else { return Ok(Outcome::Done) };
            let Some(end) = end(&request) else { return Ok(Outcome::Done) };
            let left = end.duration_since(Timestamp::now());
            if let Ok(left) = Duration::try_from(left)
                && !left.is_zero()
            {
                return Ok(Outcome::Again(left));
            }
            let uid = request.text_at(&["metadata", "uid"]).to_owned();
            let deletion = Deletion { uid: Some(uid), ..Deletion::default() };
            match self.client.delete_with(&format!("{REQUESTS}/{}", escaped(key)), &deletion).await
            {
                // Gone, or another one of the same name, of which we hear.
                Err(failure) if failure.is_not_found() || failure.is_conflict() => {}
                answered => answered?,
            }
            Ok(Outcome::Done)
        })
    }
}

/// When a request goes: the first of all reasons that it has.
fn end(request: &Node<'_>) -> Option<Timestamp> {
    let is_issued = is_issued(request);
    let mut ends = Vec::new();
    for condition in conditions(request) {
        let life = match condition.text_at(&["type"]) {
            "Denied" | "Failed" => ANSWERED,
            "Approved" if is_issued => ANSWERED,
            "Approved" => UNANSWERED,
            _ => continue,
        };
        ends.extend(after(condition.text_at(&["lastUpdateTime"]), life));
        if condition.text_at(&["type"]) == "Approved" {
            ends.extend(expiry(request.text_at(&["status", "certificate"])));
        }
    }
    if conditions(request).is_empty() {
        ends.extend(after(request.text_at(&["metadata", "creationTimestamp"]), UNANSWERED));
    }
    ends.into_iter().min()
}

fn after(time: &str, life: SignedDuration) -> Option<Timestamp> {
    time.parse::<Timestamp>().ok()?.checked_add(life).ok()
}

/// When a certificate ends: nobody fetches it afterwards.
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
        end(&request).map(|end| end.to_string()).unwrap_or_default()
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
        // A condition of somebody else's says nothing, and one without a time neither.
        assert_eq!(with(&["Odd"], ""), "");
        assert_eq!(ends("{conditions: [{type: Denied, status: 'True'}]}"), "");
    }
}
