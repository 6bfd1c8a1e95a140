//! Operations, subresources and kinds: what is judged, what is admitted unseen, and what is no request.

use ratchet_engine::{ApiConfig, Behavior, Release};
use ratchet_object::NoCluster;
use ratchet_webhook_server::{AdmissionRequest, AdmissionResponse, ReviewError, Reviewer};

/// A request about a pod with an address that is not canonical.
const BAD_POD: &str = r#"{"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]},
    "status": {"podIP": "010.0.0.1", "podIPs": [{"ip": "010.0.0.1"}]}}"#;
const GOOD_POD: &str =
    r#"{"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}"#;

fn review(
    (operation, kind, resource): (&str, [&str; 3], [&str; 2]),
    subresource: &str,
    members: &str,
) -> Result<AdmissionResponse, ReviewError> {
    let ([group, version, kind], [resource_group, resource]) = (kind, resource);
    let body = format!(
        r#"{{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {{"uid": "u",
            "operation": "{operation}", "namespace": "shop", "subResource": "{subresource}",
            "kind": {{"group": "{group}", "version": "{version}", "kind": "{kind}"}},
            "resource": {{"group": "{resource_group}", "version": "v1", "resource": "{resource}"}},
            "userInfo": {{"username": "ann"}}, {members}}}}}"#
    );
    let reviewer = Reviewer::new(ApiConfig::of(Release::REFERENCE, Behavior::Proposal));
    reviewer.review(AdmissionRequest::decode(body.as_bytes())?, &NoCluster)
}

const POD: [&str; 3] = ["", "v1", "Pod"];
const PODS: [&str; 2] = ["", "pods"];

#[test]
fn a_status_is_judged_as_a_status() {
    let update = |subresource: &str| {
        let members = format!(r#""object": {BAD_POD}, "oldObject": {GOOD_POD}"#);
        review(("UPDATE", POD, PODS), subresource, &members).unwrap()
    };
    let status = update("status").status.unwrap();
    assert_eq!((status.code, status.reason), (422, "Invalid"));
    assert!(status.causes.iter().any(|cause| cause.field == "status.podIPs[0]"), "{status:?}");
    assert!(!update("").message().contains("status.podIPs"), "the object itself has no new status");
    assert!(update("from-the-future").is_allowed());
}

#[test]
fn what_was_there_may_stay() {
    let members = format!(r#""object": {BAD_POD}, "oldObject": {BAD_POD}"#);
    assert!(review(("UPDATE", POD, PODS), "status", &members).unwrap().is_allowed());
}

#[test]
fn deletions_and_connections_are_admitted() {
    let delete = format!(r#""object": null, "oldObject": {BAD_POD}"#);
    assert!(review(("DELETE", POD, PODS), "", &delete).unwrap().is_allowed());
    let options = ["", "v1", "PodExecOptions"];
    let connect = r#""object": {"command": ["sh"]}"#;
    assert!(review(("CONNECT", options, PODS), "exec", connect).unwrap().is_allowed());
}

#[test]
fn what_is_sent_to_a_subresource_instead_of_the_object_is_admitted() {
    let scale = ["autoscaling", "v1", "Scale"];
    let members =
        r#""object": {"metadata": {"name": "w"}, "spec": {"replicas": 3}}, "oldObject": {}"#;
    let answer = review(("UPDATE", scale, ["apps", "deployments"]), "scale", members).unwrap();
    assert!(answer.is_allowed());
    let binding = ["", "v1", "Binding"];
    let members = r#""object": {"metadata": {"name": "p"}, "target": {"name": "n"}}"#;
    assert!(review(("CREATE", binding, PODS), "binding", members).unwrap().is_allowed());
    // An object of the wrong kind is not taken for the status of a pod.
    let members = r#""object": {"metadata": {"name": "-"}}, "oldObject": {}"#;
    let service = ["", "v1", "Service"];
    assert!(review(("UPDATE", service, PODS), "status", members).unwrap().is_allowed());
}

#[test]
fn kinds_that_are_not_known_are_admitted() {
    for kind in [["example.com", "v1", "Widget"], ["", "v2", "Pod"], ["resource.k8s.io", "v9", "X"]]
    {
        let answer = review(("CREATE", kind, ["x", "xs"]), "", r#""object": {"spec": 5}"#).unwrap();
        assert!(answer.is_allowed(), "{kind:?}");
    }
}

#[test]
fn fields_of_a_newer_api_are_not_looked_at() {
    let object = GOOD_POD.replacen("\"spec\": {", "\"spec\": {\"fromTheFuture\": 1, ", 1);
    let answer = review(("CREATE", POD, PODS), "", &format!("\"object\": {object}")).unwrap();
    assert!(answer.is_allowed(), "{answer:?}");
}

#[test]
fn an_object_that_is_not_what_the_request_says_gets_no_verdict() {
    for (object, wanted) in [
        (
            r#"{"apiVersion": "apps/v1", "kind": "Deployment"}"#,
            "request.object: converting (v1.Deployment) to (core.Pod): unknown conversion",
        ),
        (
            r#"{"spec": []}"#,
            "request.object: json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec",
        ),
    ] {
        let error =
            review(("CREATE", POD, PODS), "", &format!("\"object\": {object}")).unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), (400, wanted));
    }
}

trait Message {
    fn message(&self) -> String;
}

impl Message for AdmissionResponse {
    fn message(&self) -> String {
        self.status.as_ref().map(|status| status.message.clone()).unwrap_or_default()
    }
}
