//! What becomes of an object before it is judged: fields that its writer may not set are set or kept.

use super::habits::Habits;
use ratchet_access::User;
use ratchet_engine::Part;
use ratchet_object::{Kind, Node, Span, Value, same};

/// What a preparation may need to know beside the object.
pub(crate) struct Moment<'a> {
    /// Who writes.
    pub user: &'a User,
    /// Now, in RFC 3339.
    pub now: &'a str,
}

type Prepare = fn(&mut Node<'static>, &Moment<'_>);

/// What a kind does on creation beside dropping its status.
static ON_CREATE: &[(&str, &str, Prepare)] = &[
    ("", "LimitRange", |node, _| {
        // It needs no name: its identity will do.
        if node.text_at(&["metadata", "name"]).is_empty() {
            let uid = node.text_at(&["metadata", "uid"]).to_owned();
            node.below("metadata").set("name", Node::string(uid));
        }
    }),
    ("", "Namespace", namespace),
    ("", "PersistentVolume", |node, moment| {
        let status = node.below("status");
        status.set("phase", Node::string("Pending"));
        status.set("lastPhaseTransitionTime", Node::string(moment.now.to_owned()));
    }),
    ("", "PersistentVolumeClaim", |node, _| {
        node.below("status").set("phase", Node::string("Pending"));
    }),
    ("", "Pod", pod),
    ("", "Service", |node, _| {
        node.below("status").set("loadBalancer", Node::empty_map());
    }),
    ("apps", "DaemonSet", |node, _| count_template(node, 1)),
    ("batch", "Job", job),
    ("certificates.k8s.io", "CertificateSigningRequest", signing_request),
];

/// Prepares a new object: it already has its name and uid.
pub(crate) fn prepare_create(
    node: &mut Node<'static>,
    kind: &Kind<'_>,
    habits: &Habits,
    moment: &Moment<'_>,
) {
    if habits.keeps_status && has_status(kind) {
        node.remove("status");
    }
    let rows =
        ON_CREATE.iter().filter(|(group, name, _)| *group == kind.group && *name == kind.name);
    for (_, _, prepare) in rows {
        prepare(node, moment);
    }
}

/// Whether the kind has a status that only its own subresource writes.
fn has_status(kind: &Kind<'_>) -> bool {
    let row = kind
        .versions
        .iter()
        .find_map(|version| ratchet_object::schema::kind(kind.group, version, kind.name));
    row.is_some_and(|row| ratchet_object::schema::type_of(row.ty).field("status").is_some())
}

/// Prepares an update: the part that is not written keeps what is stored.
pub(crate) fn prepare_update(
    new: &mut Node<'static>,
    old: &Node<'_>,
    kind: &Kind<'_>,
    habits: &Habits,
    part: Part,
) {
    match part {
        Part::Main => {
            if habits.keeps_status && has_status(kind) {
                keep(new, old, "status");
            }
            if (kind.group, kind.name) == ("apps", "DaemonSet") {
                let changed =
                    !same(new.find(&["spec", "template"]), old.find(&["spec", "template"]));
                let before = old.text_at(&["metadata", "annotations", TEMPLATE_GENERATION]);
                let before = before.parse::<i64>().unwrap_or(0);
                count_template(new, before + i64::from(changed));
            }
            if (kind.group, kind.name) == ("", "Namespace") {
                // The finalizers of a namespace have an endpoint of their own.
                keep(new, old, "spec");
            }
        }
        Part::Sub("status") => {
            for member in ["spec", "data", "template"] {
                keep(new, old, member);
            }
            for member in habits.status_keeps {
                keep(new.below("metadata"), old.get("metadata").unwrap_or(&NOTHING), member);
            }
            // The class of a pod was decided when it was made.
            if (kind.group, kind.name) == ("", "Pod")
                && new.text_at(&["status", "qosClass"]).is_empty()
                && let Some(class) = old.find(&["status", "qosClass"])
            {
                new.below("status").set("qosClass", class.clone().into_owned());
            }
        }
        Part::Sub(_) => {}
    }
}

static NOTHING: Node<'static> = Node { value: Value::Null, span: Span { start: 0, end: 0 } };

fn keep(new: &mut Node<'static>, old: &Node<'_>, member: &'static str) {
    match old.get(member) {
        Some(value) => new.set(member, value.clone().into_owned()),
        None => {
            new.remove(member);
        }
    }
}

/// Where apps/v1 tells how often the template of a daemon set has changed.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

fn count_template(node: &mut Node<'static>, count: i64) {
    let annotations = node.below("metadata").below("annotations");
    annotations.set(TEMPLATE_GENERATION, Node::string(count.to_string()));
}

fn namespace(node: &mut Node<'static>, _: &Moment<'_>) {
    let spec = node.below("spec");
    let mut finalizers = spec.remove("finalizers").unwrap_or_else(|| Node::list(Vec::new()));
    if let Some(items) = finalizers.items_mut()
        && !items.iter().any(|item| item.text() == Some("kubernetes"))
    {
        items.push(Node::string("kubernetes"));
    }
    spec.set("finalizers", finalizers);
    node.below("status").set("phase", Node::string("Active"));
}

fn pod(node: &mut Node<'static>, moment: &Moment<'_>) {
    let class = quality_of_service(node);
    let gated =
        node.find(&["spec", "schedulingGates"]).is_some_and(|gates| !gates.items().is_empty());
    let status = node.below("status");
    status.set("phase", Node::string("Pending"));
    if gated {
        let condition = Node::map([
            ("type", Node::string("PodScheduled")),
            ("status", Node::string("False")),
            ("lastProbeTime", Node::new(Value::Null)),
            ("lastTransitionTime", Node::string(moment.now.to_owned())),
            ("reason", Node::string("SchedulingGated")),
            ("message", Node::string("Scheduling is blocked due to non-empty scheduling gates")),
        ]);
        status.set("conditions", Node::list(vec![condition]));
    }
    status.set("qosClass", Node::string(class));
}

/// The class that a pod's requests and limits put it in.
pub(super) fn quality_of_service(node: &Node<'_>) -> &'static str {
    let Some(spec) = node.get("spec") else { return "BestEffort" };
    let all = ["containers", "initContainers"];
    let containers =
        all.iter().flat_map(|list| spec.get(list).map(Node::items).unwrap_or_default());
    let mut asked = false;
    let mut guaranteed = true;
    let names = ["cpu", "memory"];
    let amount = |resources: Option<&Node<'_>>, side: &str, name: &str| {
        let value = resources.and_then(|node| node.find(&[side, name])).cloned();
        value
            .map(Node::into_owned)
            .filter(|value| value.text() != Some("0") && value.as_int() != Some(0))
    };
    let mut look = |resources: Option<&Node<'_>>| {
        for name in names {
            let limit = amount(resources, "limits", name);
            let request = amount(resources, "requests", name);
            asked |= limit.is_some() || request.is_some();
            guaranteed &= limit.is_some() && (request.is_none() || request == limit);
        }
    };
    let whole = spec.get("resources").filter(|node| !node.entries().is_empty());
    match whole {
        Some(resources) => look(Some(resources)),
        None => containers.for_each(|container| look(container.get("resources"))),
    }
    match (asked, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

fn job(node: &mut Node<'static>, _: &Moment<'_>) {
    if node.find(&["spec", "manualSelector"]).and_then(Node::as_bool) == Some(true) {
        return;
    }
    let name = node.text_at(&["metadata", "name"]).to_owned();
    let uid = node.text_at(&["metadata", "uid"]).to_owned();
    let labels = node.below("spec").below("template").below("metadata").below("labels");
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
    let matched = node.below("spec").below("selector").below("matchLabels");
    if matched.get("batch.kubernetes.io/controller-uid").is_none() {
        matched.set("batch.kubernetes.io/controller-uid", Node::string(uid));
    }
}

fn signing_request(node: &mut Node<'static>, moment: &Moment<'_>) {
    let texts = |list: &[String]| Node::list(list.iter().cloned().map(Node::string).collect());
    let spec = node.below("spec");
    for name in ["username", "uid", "groups", "extra"] {
        spec.remove(name);
    }
    spec.set("username", Node::string(moment.user.name.clone()));
    if !moment.user.uid.is_empty() {
        spec.set("uid", Node::string(moment.user.uid.clone()));
    }
    spec.set("groups", texts(&moment.user.groups));
    if !moment.user.extra.is_empty() {
        let extra = moment.user.extra.iter().map(|(name, values)| (name.clone(), texts(values)));
        spec.set("extra", Node::map(extra));
    }
    node.set("status", Node::empty_map());
}
