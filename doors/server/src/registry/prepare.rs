//! `PrepareForCreate` and `PrepareForUpdate`: sets or restores the fields that a client may not write.

use super::disabled;
use super::signing_request;
use super::strategy::Strategy;
use ratchet_access::User;
use ratchet_engine::Part;
use ratchet_object::{Equality, Kind, Node, Span, Value, equal_at};

/// The inputs of a create strategy beside the object.
pub(crate) struct CreateContext<'a> {
    /// The requesting user.
    pub user: &'a User,
    /// The current time as a `metav1.Time`.
    pub now: &'a str,
}

type Prepare = fn(&mut Node<'static>, &CreateContext<'_>);

/// The create strategies of kinds that do more than drop the status.
static ON_CREATE: &[(&str, &str, Prepare)] = &[
    ("", "LimitRange", |node, _| {
        // A name is optional: the default is the uid.
        if node.text_at(&["metadata", "name"]).is_empty() {
            let uid = node.text_at(&["metadata", "uid"]).to_owned();
            node.map_mut("metadata").set("name", Node::string(uid));
        }
    }),
    ("", "Namespace", namespace),
    ("", "PersistentVolume", |node, context| {
        let status = node.map_mut("status");
        status.set("phase", Node::string("Pending"));
        status.set("lastPhaseTransitionTime", Node::string(context.now.to_owned()));
    }),
    ("", "PersistentVolumeClaim", |node, _| {
        node.map_mut("status").set("phase", Node::string("Pending"));
    }),
    ("", "Pod", pod),
    ("", "Service", |node, _| {
        node.map_mut("status").set("loadBalancer", Node::empty_map());
    }),
    ("apps", "DaemonSet", |node, _| set_template_generation(node, 1)),
    ("batch", "Job", job),
    ("certificates.k8s.io", "CertificateSigningRequest", signing_request::prepare_create),
];

/// Prepares a new object, which already has its name and uid.
pub(crate) fn prepare_create(
    node: &mut Node<'static>,
    kind: &Kind<'_>,
    strategy: &Strategy,
    context: &CreateContext<'_>,
) {
    if !strategy.keeps_status_on_create && has_status(kind) {
        node.remove("status");
    }
    disabled::drop(node, kind);
    let rows =
        ON_CREATE.iter().filter(|(group, name, _)| *group == kind.group && *name == kind.name);
    for (_, _, prepare) in rows {
        prepare(node, context);
    }
}

/// Whether the kind has a status field, which only the status subresource writes.
fn has_status(kind: &Kind<'_>) -> bool {
    let row = kind
        .versions
        .iter()
        .find_map(|version| ratchet_object::schema::kind(kind.group, version, kind.name));
    row.is_some_and(|row| ratchet_object::schema::type_of(row.ty).field("status").is_some())
}

/// Prepares an update: fields outside the written part are restored from the stored object.
pub(crate) fn prepare_update(
    new: &mut Node<'static>,
    old: &Node<'_>,
    kind: &Kind<'_>,
    strategy: &Strategy,
    part: Part,
    now: &str,
) {
    match part {
        Part::Main => {
            if has_status(kind) {
                restore(new, old, "status");
            }
            disabled::drop(new, kind);
            if (kind.group, kind.name) == ("apps", "DaemonSet") {
                let changed = !equal_at(new, old, &["spec", "template"], Equality::Semantic);
                let before = old.text_at(&["metadata", "annotations", TEMPLATE_GENERATION]);
                let before = before.parse::<i64>().unwrap_or(0);
                set_template_generation(new, before + i64::from(changed));
            }
            // A Namespace's spec has an endpoint of its own; a CertificateSigningRequest's spec names the requester.
            if strategy.restores_spec {
                restore(new, old, "spec");
            }
        }
        Part::Sub("status") => {
            for member in ["spec", "data", "template"] {
                restore(new, old, member);
            }
            for member in strategy.status_restores {
                restore(new.map_mut("metadata"), old.get("metadata").unwrap_or(&NOTHING), member);
            }
            // The QoS class of a pod is set on create and does not change.
            if (kind.group, kind.name) == ("", "Pod")
                && new.text_at(&["status", "qosClass"]).is_empty()
                && let Some(class) = old.find(&["status", "qosClass"])
            {
                new.map_mut("status").set("qosClass", class.clone().into_owned());
            }
            if (kind.group, kind.name) == ("certificates.k8s.io", "CertificateSigningRequest") {
                signing_request::prepare_status(new, old, now);
            }
        }
        Part::Sub("approval") => signing_request::prepare_approval(new, old, now),
        Part::Sub(_) => {}
    }
}

static NOTHING: Node<'static> = Node { value: Value::Null, span: Span { start: 0, end: 0 } };

pub(super) fn restore(new: &mut Node<'static>, old: &Node<'_>, member: &'static str) {
    match old.get(member) {
        Some(value) => new.set(member, value.clone().into_owned()),
        None => {
            new.remove(member);
        }
    }
}

/// The annotation in which apps/v1 keeps the template generation of a DaemonSet.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

fn set_template_generation(node: &mut Node<'static>, count: i64) {
    let annotations = node.map_mut("metadata").map_mut("annotations");
    annotations.set(TEMPLATE_GENERATION, Node::string(count.to_string()));
}

fn namespace(node: &mut Node<'static>, _: &CreateContext<'_>) {
    let spec = node.map_mut("spec");
    let mut finalizers = spec.remove("finalizers").unwrap_or_else(|| Node::list(Vec::new()));
    if let Some(items) = finalizers.items_mut()
        && !items.iter().any(|item| item.text() == Some("kubernetes"))
    {
        items.push(Node::string("kubernetes"));
    }
    spec.set("finalizers", finalizers);
    node.map_mut("status").set("phase", Node::string("Active"));
}

fn pod(node: &mut Node<'static>, context: &CreateContext<'_>) {
    let class = qos_class(node);
    let gated =
        node.find(&["spec", "schedulingGates"]).is_some_and(|gates| !gates.items().is_empty());
    let status = node.map_mut("status");
    status.set("phase", Node::string("Pending"));
    if gated {
        let condition = Node::map([
            ("type", Node::string("PodScheduled")),
            ("status", Node::string("False")),
            ("lastProbeTime", Node::new(Value::Null)),
            ("lastTransitionTime", Node::string(context.now.to_owned())),
            ("reason", Node::string("SchedulingGated")),
            ("message", Node::string("Scheduling is blocked due to non-empty scheduling gates")),
        ]);
        status.set("conditions", Node::list(vec![condition]));
    }
    status.set("qosClass", Node::string(class));
}

/// The QoS class of a pod.
pub(super) fn qos_class(node: &Node<'_>) -> &'static str {
    let Some(spec) = node.get("spec") else { return "BestEffort" };
    let all = ["containers", "initContainers"];
    let containers =
        all.iter().flat_map(|list| spec.get(list).map(Node::items).unwrap_or_default());
    let mut has_resources = false;
    let mut guaranteed = true;
    let names = ["cpu", "memory"];
    let amount = |resources: Option<&Node<'_>>, side: &str, name: &str| {
        let value = resources.and_then(|node| node.find(&[side, name])).cloned();
        value
            .map(Node::into_owned)
            .filter(|value| value.text() != Some("0") && value.as_int() != Some(0))
    };
    let mut check_resources = |resources: Option<&Node<'_>>| {
        for name in names {
            let limit = amount(resources, "limits", name);
            let request = amount(resources, "requests", name);
            has_resources |= limit.is_some() || request.is_some();
            guaranteed &= limit.is_some() && (request.is_none() || request == limit);
        }
    };
    let pod_level = spec.get("resources").filter(|node| !node.entries().is_empty());
    match pod_level {
        Some(resources) => check_resources(Some(resources)),
        None => containers.for_each(|container| check_resources(container.get("resources"))),
    }
    match (has_resources, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

fn job(node: &mut Node<'static>, _: &CreateContext<'_>) {
    if node.find(&["spec", "manualSelector"]).and_then(Node::as_bool) == Some(true) {
        return;
    }
    let name = node.text_at(&["metadata", "name"]).to_owned();
    let uid = node.text_at(&["metadata", "uid"]).to_owned();
    let labels = node.map_mut("spec").map_mut("template").map_mut("metadata").map_mut("labels");
    let wanted = [
        ("job-name", &name),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("batch.kubernetes.io/controller-uid", &uid),
    ];
    for (label, value) in wanted {
        if labels.get(label).is_none() {
            labels.set(label, Node::string(value.clone()));
        }
    }
    let matched = node.map_mut("spec").map_mut("selector").map_mut("matchLabels");
    if matched.get("batch.kubernetes.io/controller-uid").is_none() {
        matched.set("batch.kubernetes.io/controller-uid", Node::string(uid));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::strategy;
    use ratchet_object::{Limits, decode, find};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn updated(api_version: &str, kind: &str, part: Part, old: &str, new: &str) -> Node<'static> {
        let mut node_new = node(new);
        let kind = find(api_version, kind).unwrap();
        let strategy = strategy(kind.group, kind.name);
        prepare_update(&mut node_new, &node(old), &kind, strategy, part, "2026-01-01T00:00:00Z");
        node_new
    }

    fn created(api_version: &str, kind: &str, text: &str) -> Node<'static> {
        let mut new = node(text);
        let kind = find(api_version, kind).unwrap();
        let user = User { name: "alice".into(), groups: vec!["g".into()], ..User::default() };
        let context = CreateContext { user: &user, now: "2026-01-01T00:00:00Z" };
        prepare_create(&mut new, &kind, strategy(kind.group, kind.name), &context);
        new
    }

    #[test]
    fn the_two_parts_of_an_object_have_their_own_writers() {
        let old = "{metadata: {labels: {a: b}}, spec: {replicas: 1}, status: {replicas: 1}}";
        let new = "{metadata: {labels: {a: c}}, spec: {replicas: 2}, status: {replicas: 2}}";
        let main = updated("apps/v1", "ReplicaSet", Part::Main, old, new);
        let wanted = "{metadata: {labels: {a: c}}, spec: {replicas: 2}, status: {replicas: 1}}";
        assert_eq!(main.to_json(), node(wanted).to_json());
        let status = updated("apps/v1", "ReplicaSet", Part::STATUS, old, new);
        let wanted = "{metadata: {labels: {a: c}}, spec: {replicas: 1}, status: {replicas: 2}}";
        assert_eq!(status.to_json(), node(wanted).to_json());
        let updated_status = updated("apps/v1", "Deployment", Part::STATUS, old, new);
        assert_eq!(updated_status.text_at(&["metadata", "labels", "a"]), "b");
    }

    #[test]
    fn what_is_nobodys_to_write_is_kept() {
        let old = "{metadata: {}, spec: {username: alice}, status: {certificate: a}}";
        let new = "{metadata: {}, spec: {username: root}, status: {certificate: b}}";
        let (version, kind) = ("certificates.k8s.io/v1", "CertificateSigningRequest");
        assert_eq!(updated(version, kind, Part::Main, old, new).to_json(), node(old).to_json());
        let (old, new) = ("{spec: {finalizers: [kubernetes]}}", "{spec: {}}");
        let space = updated("v1", "Namespace", Part::Main, old, new);
        assert_eq!(space.find(&["spec", "finalizers"]).unwrap().items().len(), 1);
    }

    #[test]
    fn a_status_is_not_born_with_its_object_unless_it_is_a_node() {
        assert_eq!(created("apps/v1", "Deployment", "{status: {replicas: 1}}").get("status"), None);
        assert!(created("v1", "Node", "{status: {phase: x}}").get("status").is_some());
        let pod = created(
            "v1",
            "Pod",
            "{spec: {schedulingGates: [{name: g}]}, status: {phase: Running}}",
        );
        assert_eq!(pod.text_at(&["status", "phase"]), "Pending");
        assert_eq!(pod.find(&["status", "conditions"]).unwrap().items().len(), 1);
    }

    #[test]
    fn requests_and_limits_decide_the_class_of_a_pod() {
        let class = |containers: &str| {
            qos_class(&node(&format!("{{spec: {{containers: [{containers}]}}}}")))
        };
        assert_eq!(class("{name: a}"), "BestEffort");
        assert_eq!(class("{resources: {requests: {cpu: '0'}}}"), "BestEffort");
        assert_eq!(class("{resources: {requests: {cpu: 1}}}"), "Burstable");
        let all = "{resources: {limits: {cpu: 1, memory: 1Gi}}}";
        assert_eq!(class(all), "Guaranteed");
        assert_eq!(class(&format!("{all}, {{name: b}}")), "Burstable");
    }
}
