//! A small cluster, a scripted webhook and helpers for tests.

use crate::{
    AdmissionType, Answer, Context, MutatingDispatch, Next, ReinvocationContext, Rejection, Report,
    ValidatingDispatch, WebhookCall, WebhookConfiguration, Webhooks,
};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::Cell;
use ratchet_access::User;
use ratchet_object::{ClusterReader, Limits, Node, RestMapping, decode, encode_base64};
use ratchet_policy::{
    Attributes, Equivalent, GroupVersionKind, GroupVersionResource, ObjectInterfaces, Operation,
    PolicyContext, Reader,
};

/// Decodes YAML.
pub(crate) fn node(text: &str) -> Node<'static> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

/// A cluster with one namespace, and autoscalers in two versions; every look at the clock takes a nanosecond.
#[derive(Default)]
pub(crate) struct Cluster {
    clock: Cell<u64>,
}

impl ClusterReader for Cluster {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        _: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        let is_known = resource.resource == "namespaces" && name == "test";
        is_known.then(|| node("{metadata: {name: test, labels: {env: test}}}"))
    }

    fn list(&self, _: &GroupVersionResource<'_>, _: &str, _: usize) -> Vec<Node<'static>> {
        Vec::new()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}

impl PolicyContext for Cluster {
    fn equivalents(&self, resource: &GroupVersionResource<'_>, _: &str) -> Vec<Equivalent> {
        if resource.group != "autoscaling" {
            return Vec::new();
        }
        let name = |text: &str| text.to_string();
        let version = |version: &str| Equivalent {
            group: name("autoscaling"),
            version: name(version),
            resource: name("horizontalpodautoscalers"),
            kind: (name("autoscaling"), name(version), name("HorizontalPodAutoscaler")),
        };
        ["v1", "v2"].map(version).into()
    }

    fn converted(&self, object: &Node<'_>, kind: &GroupVersionKind<'_>) -> Option<Node<'static>> {
        let mut node = object.clone().into_owned();
        node.set("apiVersion", Node::string(format!("{}/{}", kind.group, kind.version)));
        Some(node)
    }

    fn nanoseconds(&self) -> u64 {
        self.clock.set(self.clock.get() + 1);
        self.clock.get()
    }
}

impl ObjectInterfaces for Cluster {}

/// A ConfigMap `a` in `test`.
pub(crate) fn map(data: &str) -> Node<'static> {
    node(&format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, namespace: test, labels: {{l: '1'}}}}, data: {{{data}}}}}"
    ))
}

/// The creation of a ConfigMap.
pub(crate) fn creation<'a>(user: &'a User, object: &'a Node<'a>) -> Attributes<'a> {
    Attributes {
        operation: Operation::Create,
        kind: GroupVersionKind { group: "", version: "v1", kind: "ConfigMap" },
        resource: GroupVersionResource { group: "", version: "v1", resource: "configmaps" },
        subresource: "",
        name: "a",
        namespace: "test",
        object: Some(object),
        old: None,
        options: None,
        user,
        dry_run: false,
    }
}

/// Webhooks of one configuration `c`, each valid but for its `fields`; they are called `m0.x.y`, `m1.x.y` and so on.
pub(crate) fn webhooks(admission: AdmissionType, fields: &[&str]) -> Webhooks {
    let row = |(index, fields): (usize, &&str)| {
        let mut whole = fields.to_string();
        for (name, value) in [
            ("name", format!("m{index}.x.y")),
            ("sideEffects", "None".to_string()),
            ("admissionReviewVersions", "[v1]".to_string()),
            ("clientConfig", "{url: 'https://127.0.0.1:9/hook'}".to_string()),
            (
                "rules",
                "[{apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*']}]"
                    .to_string(),
            ),
        ] {
            // No test gives a name; conditions have names of their own.
            if name == "name" || !fields.contains(&format!("{name}:")) {
                whole = format!("{name}: {value}, {whole}");
            }
        }
        format!("{{{whole}}}")
    };
    let rows: Vec<String> = fields.iter().enumerate().map(row).collect();
    let text = format!("{{metadata: {{name: c}}, webhooks: [{}]}}", rows.join(", "));
    let reader = Reader::new((1, 36));
    let configuration = WebhookConfiguration::compile(&node(&text), admission, &reader);
    Webhooks::new(admission, alloc::vec![configuration.into()])
}

/// A response with this body.
pub(crate) fn answered(body: &str) -> Answer {
    Answer::Response {
        status: 200,
        content_type: "application/json".to_string(),
        body: body.as_bytes().to_vec(),
    }
}

/// A review of v1 with these members of its response; the id is that of the call.
pub(crate) fn review(call: &WebhookCall, response: &str) -> Answer {
    let uid = call.uid();
    answered(&format!(
        r#"{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{{"uid":"{uid}",{response}}}}}"#
    ))
}

/// A review that allows the request and patches the object.
pub(crate) fn patching(call: &WebhookCall, patch: &str) -> Answer {
    let patch = encode_base64(patch.as_bytes());
    review(call, &format!(r#""allowed":true,"patchType":"JSONPatch","patch":"{patch}""#))
}

/// What came of a round of mutating webhooks.
pub(crate) struct Round {
    pub(crate) called: Vec<String>,
    pub(crate) bodies: Vec<Node<'static>>,
    pub(crate) result: Result<Option<Node<'static>>, Rejection>,
    pub(crate) report: Report,
}

/// Calls all mutating webhooks once; `script` answers.
pub(crate) fn mutate_with(
    webhooks: &Webhooks,
    attributes: &Attributes<'_>,
    object: Option<Node<'static>>,
    reinvocation: &mut ReinvocationContext,
    script: &dyn Fn(&WebhookCall, &Node<'_>) -> Answer,
) -> Round {
    let (cluster, number) = (Cluster::default(), Cell::new(0));
    let new_uid = || {
        number.set(number.get() + 1);
        format!("u-{}", number.get())
    };
    let context = Context { attributes, objects: &cluster, new_uid: &new_uid, is_overdue: false };
    let mut dispatch = MutatingDispatch::start(webhooks, object, attributes, reinvocation);
    let (mut called, mut bodies, mut answer) = (Vec::new(), Vec::new(), None);
    let result = loop {
        match dispatch.next(answer.take(), &context, reinvocation) {
            Next::WebhookCall(call) => {
                let body = node(call.body());
                called.push(call.webhook().name().to_string());
                answer = Some(script(&call, &body));
                bodies.push(body);
            }
            Next::Done(object) => break Ok(object),
            Next::Rejected(rejection) => break Err(rejection),
        }
    };
    Round { called, bodies, result, report: dispatch.take_report() }
}

/// The message of a rejection, with its code and reason.
pub(crate) fn status_text(rejection: &Rejection, attributes: &Attributes<'_>) -> String {
    let reason = rejection.reason();
    format!("{} {reason}: {}", rejection.code(), rejection.message(attributes))
}

/// Calls all validating webhooks; `script` answers.
pub(crate) fn validate_with(
    webhooks: &Webhooks,
    attributes: &Attributes<'_>,
    script: &dyn Fn(&WebhookCall) -> Answer,
) -> (Vec<Node<'static>>, Option<String>, Report) {
    let (cluster, number) = (Cluster::default(), Cell::new(0));
    let new_uid = || {
        number.set(number.get() + 1);
        format!("u-{}", number.get())
    };
    let context = Context { attributes, objects: &cluster, new_uid: &new_uid, is_overdue: false };
    match ValidatingDispatch::start(webhooks, &context) {
        Err((rejection, report)) => (Vec::new(), Some(status_text(&rejection, attributes)), report),
        Ok((mut dispatch, calls)) => {
            for call in &calls {
                dispatch.answer(call, script(call), &context);
            }
            let (rejection, report) = dispatch.finish();
            let bodies = calls.iter().map(|call| node(call.body())).collect();
            (bodies, rejection.map(|rejection| status_text(&rejection, attributes)), report)
        }
    }
}
