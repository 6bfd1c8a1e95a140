//! Tests of the policy step: what policies refuse becomes one Status, whatever door asks.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

use ratchet_access::User;
use ratchet_engine::Status;
use ratchet_object::{ClusterReader, Limits, NoCluster, Node, RestMapping, decode};
use ratchet_pipeline::{evaluate_policies, mutation_status};
use ratchet_policy::{
    Attributes, Binding, GroupVersionKind, GroupVersionResource, MutationFailure, Operation,
    Policies, Policy, PolicyContext, PolicyError,
};

fn tree(text: &str) -> Node<'_> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0)
}

/// Two policies about deployments that `reason` says why they deny, and one that only warns.
fn policies(reason: &str) -> Policies {
    let rules = "resourceRules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: ['*']}]";
    let policy = |name: &str| {
        let text = format!(
            "{{metadata: {{name: {name}}}, spec: {{matchConstraints: {{{rules}}}, validations: [{{expression: 'false', message: not {name}, reason: {reason}}}]}}}}"
        );
        Policy::compile(&tree(&text), (1, 36)).into()
    };
    let binding = |name: &str, action: &str| {
        let text = format!(
            "{{metadata: {{name: of-{name}}}, spec: {{policyName: {name}, validationActions: [{action}]}}}}"
        );
        Binding::from_object(&tree(&text)).into()
    };
    Policies::new(
        vec![policy("a"), policy("b"), policy("c")],
        vec![binding("a", "Warn"), binding("b", "Deny"), binding("c", "Deny")],
    )
}

fn attributes<'a>(object: &'a Node<'a>, user: &'a User) -> Attributes<'a> {
    Attributes {
        operation: Operation::Create,
        kind: GroupVersionKind { group: "apps", version: "v1", kind: "Deployment" },
        resource: GroupVersionResource { group: "apps", version: "v1", resource: "deployments" },
        subresource: "",
        name: object.text_at(&["metadata", "name"]),
        namespace: object.text_at(&["metadata", "namespace"]),
        object: Some(object),
        old: None,
        options: None,
        user,
        dry_run: false,
    }
}

/// A cluster without namespaces.
struct Empty;

impl ClusterReader for Empty {
    fn get(&self, _: &GroupVersionResource<'_>, _: &str, _: &str) -> Option<Node<'static>> {
        None
    }

    fn list(&self, _: &GroupVersionResource<'_>, _: &str, _: usize) -> Vec<Node<'static>> {
        Vec::new()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}

impl PolicyContext for Empty {}

fn evaluated(reason: &str, metadata: &str) -> (Option<Status>, Vec<String>) {
    evaluated_in(&NoCluster, reason, metadata)
}

fn evaluated_in(
    cluster: &dyn PolicyContext,
    reason: &str,
    metadata: &str,
) -> (Option<Status>, Vec<String>) {
    let text = format!("{{apiVersion: apps/v1, kind: Deployment, metadata: {metadata}}}");
    let (object, user) = (tree(&text), User::anonymous());
    let attributes = attributes(&object, &user);
    let verdict = evaluate_policies(&policies(reason), &attributes, cluster);
    (verdict.status, verdict.result.warnings)
}

#[test]
fn the_first_denial_is_the_answer() {
    let cause = "ValidatingAdmissionPolicy 'b' with binding 'of-b' denied request: not b";
    for (reason, code) in [("Invalid", 422), ("Forbidden", 403), ("RequestEntityTooLarge", 413)] {
        let (status, warnings) = evaluated(reason, "{name: web}");
        let status = status.unwrap();
        assert_eq!((status.code, status.reason), (code, reason));
        assert_eq!(
            status.message,
            format!("deployments.apps \"web\" is forbidden: {cause}"),
            "{reason}"
        );
        assert_eq!((&*status.kind, &*status.group, &*status.name), ("deployments", "apps", "web"));
        let causes: Vec<&str> = status.causes.iter().map(|cause| cause.message.as_str()).collect();
        assert_eq!(causes, [cause]);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }
    let (status, _) = evaluated("Forbidden", "{generateName: web-}");
    assert!(status.unwrap().message.starts_with("deployments.apps \"Unknown\" is forbidden: "));
}

#[test]
fn a_namespace_that_is_not_there_is_not_found() {
    let (status, _) = evaluated_in(&Empty, "Forbidden", "{name: web, namespace: gone}");
    let status = status.unwrap();
    assert_eq!((status.code, status.reason), (404, "NotFound"));
    assert_eq!(status.message, "namespaces \"gone\" not found");
    assert_eq!((&*status.kind, &*status.group, &*status.name), ("namespaces", "", "gone"));
}

#[test]
fn what_no_policy_matches_is_admitted() {
    let (object, user) =
        (tree("{apiVersion: v1, kind: Pod, metadata: {name: a}}"), User::default());
    let pods = GroupVersionResource { group: "", version: "v1", resource: "pods" };
    let attributes = Attributes { resource: pods, ..attributes(&object, &user) };
    let verdict = evaluate_policies(&policies("Invalid"), &attributes, &NoCluster);
    assert_eq!(verdict.status, None);
    assert!(verdict.result.admits());
}

#[test]
fn failures_of_mutating_policies_have_a_status() {
    let (object, user) = (tree("{metadata: {name: web}}"), User::default());
    let attributes = attributes(&object, &user);
    let error = |policy: &str, reason| PolicyError {
        policy: policy.to_owned(),
        binding: Some("b".to_owned()),
        words: "no".to_owned(),
        reason,
    };
    let denied = MutationFailure::Denied(vec![error("p", "Invalid"), error("q", "Forbidden")]);
    let status = mutation_status(&denied, &attributes);
    // The code stays that of an admission error, whatever the reason is.
    assert_eq!((status.code, status.reason), (403, "Invalid"));
    assert_eq!(status.message, "policy 'p' with binding 'b' denied request: no");
    assert_eq!((&*status.kind, &*status.group, &*status.name), ("deployments", "apps", "web"));
    assert_eq!(status.causes.len(), 2);
    let status = mutation_status(&MutationFailure::Internal("why".into()), &attributes);
    assert_eq!((status.code, &*status.message), (500, "Internal error occurred: why"));
    assert_eq!(status.causes[0].message, "why");
    let status = mutation_status(&MutationFailure::MissingNamespace("gone".into()), &attributes);
    assert_eq!((status.code, &*status.message), (404, "namespaces \"gone\" not found"));
}
