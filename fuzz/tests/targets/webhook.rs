//! Fuzz target `webhook`: whatever a webhook answers, a decision follows, the same each time.

use ratchet_access::User;
use ratchet_fuzz::node;
use ratchet_object::{NoCluster, Node, encode_base64};
use ratchet_policy::{
    Attributes, GroupVersionKind, GroupVersionResource, Operation, Reader, decode_built_in,
};
use ratchet_webhook::{
    AdmissionType, Answer, Context, MutatingDispatch, Next, ReinvocationContext,
    ValidatingDispatch, WebhookConfiguration, Webhooks,
};
use std::sync::LazyLock;

const WORDS: &[&str] = &[
    "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"response\":{\"uid\":\"u\",\"allowed\":true,",
    "\"response\":",
    "\"uid\":",
    "\"u\"",
    "\"allowed\":",
    "true",
    "false",
    "\"status\":",
    "\"code\":",
    "429",
    "\"message\":",
    "\"reason\":",
    "\"details\":",
    "\"causes\":",
    "\"patch\":",
    "\"patchType\":",
    "\"JSONPatch\"",
    "\"W10=\"",
    "\"warnings\":",
    "\"auditAnnotations\":",
    "\"a\"",
    "null",
    "1",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"kind\":\"Status\"",
    "[{\"op\":\"add\",\"path\":\"/data/x\",\"value\":\"y\"}]",
    "\"op\":",
    "\"path\":",
    "\"/data\"",
    "\"remove\"",
    "\"value\":",
];

const KIND: GroupVersionKind<'_> = GroupVersionKind { group: "", version: "v1", kind: "ConfigMap" };

/// Webhooks that fail closed, and such that fail open.
static WEBHOOKS: LazyLock<Vec<(AdmissionType, bool, Webhooks)>> = LazyLock::new(|| {
    let types = [AdmissionType::Mutating, AdmissionType::Validating];
    let reader = Reader::new((1, 36));
    let webhooks = |(admission, ignores): (AdmissionType, bool)| {
        let policy = if ignores { "Ignore" } else { "Fail" };
        let configuration = node(&format!(
            "{{metadata: {{name: c}}, webhooks: [{{name: a.b.c, failurePolicy: {policy}, sideEffects: None,
                admissionReviewVersions: [v1], clientConfig: {{url: 'https://h/'}}, rules: [{{apiGroups: ['*'],
                apiVersions: ['*'], resources: ['*'], operations: ['*']}}]}}]}}"
        ));
        let configuration = WebhookConfiguration::compile(&configuration, admission, &reader);
        (admission, ignores, Webhooks::new(admission, vec![configuration.into()]))
    };
    types.into_iter().flat_map(|ty| [(ty, false), (ty, true)]).map(webhooks).collect()
});

static OBJECT: LazyLock<Node<'static>> = LazyLock::new(|| {
    node("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}, data: {k: v}}")
});

#[test]
fn webhook_anything() {
    ratchet_fuzz::fuzz!("webhook", WORDS, check);
}

fn check(text: &str) {
    let review = |patch: &str| {
        let patch = encode_base64(patch.as_bytes());
        format!(
            "{{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\",\"response\":{{\"uid\":\"u\",\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\"{patch}\"}}}}"
        )
    };
    for (status, body) in [(200, text.to_owned()), (500, text.to_owned()), (200, review(text))] {
        let answer = Answer::Response {
            status,
            content_type: String::from("text/plain"),
            body: body.into_bytes(),
        };
        for (admission, ignores, webhooks) in WEBHOOKS.iter() {
            let once = decision(*admission, webhooks, &answer);
            if !*ignores {
                assert_eq!(once, decision(*admission, webhooks, &answer), "alike each time");
            }
            let is_failure = once.contains("failed calling webhook");
            assert!(!(is_failure && *ignores), "{once}");
        }
    }
}

/// What follows from an answer, in words.
fn decision(admission: AdmissionType, webhooks: &Webhooks, answer: &Answer) -> String {
    let object = &*OBJECT;
    let attributes = Attributes {
        operation: Operation::Create,
        kind: KIND,
        resource: GroupVersionResource { group: "", version: "v1", resource: "configmaps" },
        subresource: "",
        name: "a",
        namespace: "b",
        object: Some(object),
        old: None,
        options: None,
        user: &User::anonymous(),
        dry_run: false,
    };
    let new_uid = || String::from("u");
    let context = Context {
        attributes: &attributes,
        objects: &NoCluster,
        new_uid: &new_uid,
        is_overdue: false,
    };
    if admission == AdmissionType::Validating {
        let Ok((mut dispatch, calls)) = ValidatingDispatch::start(webhooks, &context) else {
            return String::from("not started");
        };
        calls.iter().for_each(|call| dispatch.answer(call, answer.clone(), &context));
        let (rejection, report) = dispatch.finish();
        return format!("{:?} {report:?}", rejection.map(|one| one.status(&attributes).to_json()));
    }
    let mut reinvocation = ReinvocationContext::default();
    let mut dispatch =
        MutatingDispatch::start(webhooks, Some(object.clone()), &attributes, &mut reinvocation);
    let mut given = None;
    loop {
        match dispatch.next(given.take(), &context, &mut reinvocation) {
            Next::WebhookCall(_) => given = Some(answer.clone()),
            Next::Rejected(rejection) => return rejection.status(&attributes).to_json(),
            Next::Done(object) => {
                let object = object.unwrap_or_else(Node::empty_map);
                let again = decode_built_in(object.clone(), &KIND, true);
                assert_eq!(
                    again.as_ref(),
                    Ok(&object),
                    "what a patch makes is an object of its kind"
                );
                return format!("{} {:?}", object.to_json(), dispatch.take_report());
            }
        }
    }
}
