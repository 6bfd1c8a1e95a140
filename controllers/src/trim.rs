//! Trimming of objects that are many: only the fields that controllers use are stored.

use crate::pod::can_be_endpoint;
use crate::slices::PODS;
use ratchet_object::{Node, Value};

/// A retained part of an object: a member, and what is retained below it; everything if that is
/// empty. Applies to each item of a list.
struct Part(&'static str, &'static [Self]);

/// The retained fields of a Pod. No controller writes a Pod from an informer.
const POD: &[Part] = &[
    Part(
        "metadata",
        &[
            Part("name", &[]),
            Part("namespace", &[]),
            Part("uid", &[]),
            Part("resourceVersion", &[]),
            Part("creationTimestamp", &[]),
            Part("deletionTimestamp", &[]),
            Part("labels", &[]),
            Part("ownerReferences", &[]),
        ],
    ),
    Part(
        "spec",
        &[
            Part("nodeName", &[]),
            Part("hostname", &[]),
            Part("subdomain", &[]),
            Part("containers", CONTAINER),
            Part("initContainers", CONTAINER),
        ],
    ),
    Part(
        "status",
        &[
            Part("phase", &[]),
            Part("podIP", &[]),
            Part("podIPs", &[]),
            Part(
                "conditions",
                &[Part("type", &[]), Part("status", &[]), Part("lastTransitionTime", &[])],
            ),
        ],
    ),
];
const CONTAINER: &[Part] = &[Part("ports", &[]), Part("restartPolicy", &[])];

/// A collection whose objects are trimmed, and to what.
struct Trim {
    path: &'static str,
    /// Without this text in its JSON, nothing is retained of an object.
    needs: &'static str,
    /// What is retained of an object, if it is any.
    parts: fn(&Node<'_>) -> Option<&'static [Part]>,
}

const TRIMMED: &[Trim] = &[Trim { path: PODS, needs: "\"podIP", parts: parts_of_pod }];

/// Most pods of some clusters wait for a node, or have ended: no controller looks at them before they have an address.
fn parts_of_pod(pod: &Node<'_>) -> Option<&'static [Part]> {
    can_be_endpoint(pod).then_some(POD)
}

/// What is stored of an object.
#[derive(Debug, PartialEq)]
pub(crate) enum Trimmed<'t> {
    /// All of it.
    Whole(Node<'t>),
    /// Only the fields that controllers use, because such objects are many.
    Part(Node<'t>),
    /// Nothing: to controllers it is as if there were no such object.
    Nothing,
}

/// The object without the fields that no controller uses, by the collection at `path`.
pub(crate) fn trim_object<'t>(path: &str, mut node: Node<'t>) -> Trimmed<'t> {
    match TRIMMED.iter().find(|row| row.path == path) {
        None => Trimmed::Whole(node),
        Some(row) => match (row.parts)(&node) {
            Some(parts) => {
                trim(&mut node, parts);
                Trimmed::Part(node)
            }
            None => Trimmed::Nothing,
        },
    }
}

/// Whether the JSON of an object of the collection at `path` tells that nothing of it is stored.
pub(crate) fn is_left_out(path: &str, json: &str) -> bool {
    TRIMMED.iter().any(|row| row.path == path && !json.contains(row.needs))
}

fn trim(node: &mut Node<'_>, parts: &[Part]) {
    match &mut node.value {
        _ if parts.is_empty() => {}
        Value::List(items) => items.iter_mut().for_each(|item| trim(item, parts)),
        Value::Map(entries) => entries.retain_mut(|entry| {
            let part = parts.iter().find(|part| entry.key == part.0);
            part.is_some_and(|part| {
                trim(&mut entry.node, part.1);
                true
            })
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    #[test]
    fn only_what_is_looked_at_is_kept_and_only_of_pods() {
        let text = "{kind: Pod, metadata: {name: p, labels: {a: b}, annotations: {c: d}, managedFields: [{}]}, spec: {nodeName: n1, volumes: [{}], containers: [{image: x, ports: [{name: web, containerPort: 80}]}]}, status: {phase: Running, hostIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}], conditions: [{type: Ready, status: 'True', message: long}]}}";
        let retained = "{metadata: {name: p, labels: {a: b}}, spec: {nodeName: n1, containers: [{ports: [{name: web, containerPort: 80}]}]}, status: {phase: Running, podIPs: [{ip: 10.0.0.1}], conditions: [{type: Ready, status: 'True'}]}}";
        assert_eq!(trim_object(PODS, node(text)), Trimmed::Part(node(retained)));
        assert_eq!(trim_object("/api/v1/services", node(text)), Trimmed::Whole(node(text)));
        let odd = "{spec: null, status: {podIP: 10.0.0.1}}";
        assert_eq!(trim_object(PODS, node(odd)), Trimmed::Part(node(odd)));
    }

    #[test]
    fn a_pod_that_is_no_endpoint_is_left_out() {
        let pod = |status: &str| {
            node(&format!(
                "{{metadata: {{name: p, uid: u, labels: {{a: b}}}}, spec: {{nodeName: n}}, {status}}}"
            ))
        };
        for status in [
            "status: {phase: Pending}",
            "status: {phase: Succeeded, podIP: 10.0.0.1}",
            "status: {phase: Failed, podIPs: [{ip: 10.0.0.1}]}",
            "status: 7",
        ] {
            assert_eq!(trim_object(PODS, pod(status)), Trimmed::Nothing, "{status}");
        }
        assert!(is_left_out(PODS, &pod("status: {phase: Pending}").to_json()));
        assert!(!is_left_out("/api/v1/services", "{}"));
        for status in ["status: {podIP: 10.0.0.1}", "status: {podIPs: [{ip: 10.0.0.1}]}"] {
            assert!(!is_left_out(PODS, &pod(status).to_json()), "{status}");
        }
        let running = "status: {phase: Running, podIP: 10.0.0.1}";
        assert_eq!(trim_object(PODS, pod(running)), Trimmed::Part(pod(running)));
    }
}
