//! Every case of the engine gets the engine's verdict through the webhook, verbatim (law five).
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

#[path = "../../../core/engine/tests/case_file/mod.rs"]
#[allow(dead_code, reason = "only what is to be judged is used here")]
mod case_file;

mod api_server;

use api_server::{NAME, Seen, ask};
use case_file::{Proposal, Subject, cases};
use ratchet_engine::{Existing, Namespace, Part, Status, Verdict, judge, warning_headers};
use ratchet_object::{ClusterReader, GroupVersionKind, GroupVersionResource, Node, RestMapping};
use ratchet_webhook_server::{AdmissionRequest, Reviewer};

/// Cases whose objects are never sent to webhooks.
const BEYOND_A_REVIEW: [&str; 2] =
    ["RTC-API-014/refuses-scale.yaml", "RTC-IP-001/refuses-frozen-scale.yaml"];

/// The cluster of a case: its namespace and the pods there.
struct CaseCluster {
    labels: Option<Node<'static>>,
    pods: Vec<Node<'static>>,
}

impl CaseCluster {
    fn of(proposal: &Proposal) -> Self {
        let facts = proposal.facts();
        let labels = match facts.namespace {
            Namespace::Labels(labels) => labels.map(|labels| labels.clone().into_owned()),
            Namespace::Missing(_) | Namespace::NotNeeded => None,
        };
        let pods = match facts.existing_pods {
            Existing::Pods { pods, .. } => {
                pods.into_iter().map(|pod| pod.node().clone().into_owned()).collect()
            }
            Existing::Unlisted => Vec::new(),
        };
        Self { labels, pods }
    }
}

impl ClusterReader for CaseCluster {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        _: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        if resource.resource != "namespaces" {
            return None;
        }
        let mut metadata = Node::map([("name", Node::string(name.to_owned()))]);
        if let Some(labels) = &self.labels {
            metadata.set("labels", labels.clone());
        }
        Some(Node::map([("metadata", metadata)]))
    }

    fn list(
        &self,
        resource: &GroupVersionResource<'_>,
        _: &str,
        limit: usize,
    ) -> Vec<Node<'static>> {
        let is_pods = resource.resource == "pods";
        self.pods.iter().filter(|_| is_pods).take(limit).cloned().collect()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}

#[test]
fn the_webhook_says_what_the_engine_says() {
    let (mut judged, mut refused, mut warned) = (0, 0, 0);
    let (mut beyond, mut wrong) = (Vec::new(), Vec::new());
    for case in cases() {
        let case = case.unwrap();
        let Subject::Change(proposal) = &case.subject else { continue };
        let change = proposal.change().unwrap();
        let reviewer = Reviewer::new(proposal.config().clone());
        let answer = |review: &str| {
            let request = AdmissionRequest::decode(review.as_bytes()).unwrap();
            reviewer.review(request, &CaseCluster::of(proposal)).unwrap().to_json()
        };
        // A Scale is sent instead of the workload.
        let is_scale = change.part == Part::Sub("scale");
        let seen = if is_scale { None } else { ask(&change, answer) };
        let Some(seen) = seen else {
            beyond.push(case.name);
            continue;
        };
        judged += 1;
        let verdict = judge(&change, &proposal.facts(), proposal.config());
        refused += usize::from(!verdict.admits());
        warned += usize::from(!verdict.warnings.is_empty());
        let wanted = wanted(&verdict, Status::of(&verdict, &change));
        if seen != wanted {
            wrong.push(format!("{}:\n  wanted {wanted:?}\n  got    {seen:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "of {judged} cases:\n{}", wrong.join("\n"));
    assert!(judged > 550 && refused > 250 && warned > 80, "{judged} {refused} {warned}");
    assert_eq!(beyond, BEYOND_A_REVIEW);
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
