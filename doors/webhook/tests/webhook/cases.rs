//! Every case of the engine gets the engine's verdict through the webhook, verbatim (law five).

use crate::api_server::{NAME, Seen, ask};
use crate::case_cluster::CaseCluster;
use crate::case_file::{Proposal, Subject, cases};
use crate::running::Running;
use ratchet_engine::{Change, Part, Status, Verdict, judge, warning_headers};
use ratchet_object::{ClusterReader, GroupVersionKind, GroupVersionResource, Node, RestMapping};
use ratchet_webhook_server::{AdmissionRequest, Reviewer};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Cases whose objects are never sent to webhooks: a Scale is sent instead of the workload.
const BEYOND_A_REVIEW: [&str; 2] =
    ["RTC-API-014/refuses-scale.yaml", "RTC-IP-001/refuses-frozen-scale.yaml"];

#[test]
fn the_webhook_says_what_the_engine_says() {
    let mut tally = Tally::default();
    for case in cases() {
        let case = case.unwrap();
        let Subject::Change(proposal) = &case.subject else { continue };
        let change = proposal.change().unwrap();
        let reviewer = Reviewer::new(proposal.config().clone());
        let answer = |review: &str| {
            let request = AdmissionRequest::decode(review.as_bytes()).unwrap();
            reviewer.review(request, &CaseCluster::of(proposal)).unwrap().to_json()
        };
        tally.add(&case.name, proposal, &change, answer);
    }
    tally.check();
}

/// The cluster of the case whose turn it is.
struct Turn(Mutex<Option<CaseCluster>>);

impl ClusterReader for Turn {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        self.0.lock().unwrap().as_ref().unwrap().get(resource, namespace, name)
    }

    fn list(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        limit: usize,
    ) -> Vec<Node<'static>> {
        self.0.lock().unwrap().as_ref().unwrap().list(resource, namespace, limit)
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn so_it_does_over_http2_and_tls() {
    // One server for all cases with the same rules.
    let mut by_rules: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for case in cases() {
        let case = case.unwrap();
        if let Subject::Change(proposal) = case.subject {
            let rules = format!("{:?}", proposal.config());
            by_rules.entry(rules).or_default().push((case.name, proposal));
        }
    }
    let mut tally = Tally::default();
    for group in by_rules.into_values() {
        let turn = Arc::new(Turn(Mutex::new(None)));
        let config = group.first().unwrap().1.config().clone();
        let running = Running::start_with(config, turn.clone()).await;
        let mut client = running.connect().await.unwrap();
        for (name, proposal) in &group {
            *turn.0.lock().unwrap() = Some(CaseCluster::of(proposal));
            let answer = |review: &str| {
                let call = client.post("/validate?timeout=10s", review.to_owned());
                let wait = || tokio::runtime::Handle::current().block_on(call);
                let (code, _, text) = tokio::task::block_in_place(wait);
                assert_eq!(code, 200, "{name}: {text}");
                text
            };
            tally.add(name, proposal, &proposal.change().unwrap(), answer);
        }
    }
    tally.beyond.sort();
    tally.check();
}

/// What came of all cases.
#[derive(Default)]
struct Tally {
    judged: usize,
    refused: usize,
    warned: usize,
    beyond: Vec<String>,
    wrong: Vec<String>,
}

impl Tally {
    /// Compares the answer to a case with the engine's verdict.
    fn add(
        &mut self,
        name: &str,
        proposal: &Proposal,
        change: &Change<'_>,
        answer: impl FnOnce(&str) -> String,
    ) {
        let is_scale = change.part == Part::Sub("scale");
        let seen = if is_scale { None } else { ask(change, answer) };
        let Some(seen) = seen else { return self.beyond.push(name.to_owned()) };
        let verdict = judge(change, &proposal.facts(), proposal.config());
        self.judged += 1;
        self.refused += usize::from(!verdict.admits());
        self.warned += usize::from(!verdict.warnings.is_empty());
        let wanted = wanted(&verdict, Status::of(&verdict, change));
        if seen != wanted {
            self.wrong.push(format!("{name}:\n  wanted {wanted:?}\n  got    {seen:?}"));
        }
    }

    fn check(self) {
        let Self { judged, refused, warned, beyond, wrong } = self;
        assert!(wrong.is_empty(), "of {judged} cases:\n{}", wrong.join("\n"));
        assert!(judged > 550 && refused > 250 && warned > 80, "{judged} {refused} {warned}");
        assert_eq!(beyond, BEYOND_A_REVIEW);
    }
}

/// What a client sees of a verdict: the API server names the webhook in messages and in annotations.
fn wanted(verdict: &Verdict, status: Option<Status>) -> Seen {
    let annotation = |(key, value): &(&'static str, String)| {
        (format!("{NAME}/{}", key.rsplit('/').next().unwrap()), value.clone())
    };
    Seen {
        causes: status.as_ref().map_or(0, |status| status.causes.len()),
        refusal: status.map(|Status { code, reason, message, .. }| {
            let message = format!("admission webhook \"{NAME}\" denied the request: {message}");
            (code.into(), reason.to_owned(), message)
        }),
        warnings: warning_headers(verdict),
        audit: verdict.audit.iter().map(annotation).collect(),
    }
}
