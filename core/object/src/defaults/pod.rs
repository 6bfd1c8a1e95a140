//! Pods, wherever they stand: as objects, and as the templates of other kinds.

use super::fill::{Fill, Gap, each, fill, inside, is_list_or_nil, is_zero, nil, put, within, zero};
use super::{image, resources, volumes};
use crate::Node;

const POD: &[Gap] = &[nil("enableServiceLinks", Fill::Bool(true))];

const SPEC: &[Gap] = &[
    zero("dnsPolicy", Fill::Text("ClusterFirst")),
    zero("restartPolicy", Fill::Text("Always")),
    nil("securityContext", Fill::Map),
    nil("terminationGracePeriodSeconds", Fill::Int(30)),
    zero("schedulerName", Fill::Text("default-scheduler")),
];

const CONTAINER: &[Gap] = &[
    zero("terminationMessagePath", Fill::Text("/dev/termination-log")),
    zero("terminationMessagePolicy", Fill::Text("File")),
];

const PORT: &[Gap] = &[zero("protocol", Fill::Text("TCP"))];
const FIELD_REF: &[Gap] = &[zero("apiVersion", Fill::Text("v1"))];
const FILE_KEY_REF: &[Gap] = &[nil("optional", Fill::Bool(false))];

const PROBE: &[Gap] = &[
    zero("timeoutSeconds", Fill::Int(1)),
    zero("periodSeconds", Fill::Int(10)),
    zero("successThreshold", Fill::Int(1)),
    zero("failureThreshold", Fill::Int(3)),
];

const HTTP_GET: &[Gap] = &[zero("path", Fill::Text("/")), zero("scheme", Fill::Text("HTTP"))];
const GRPC: &[Gap] = &[nil("service", Fill::Text(""))];

/// The lists of containers that a pod starts with.
const STARTED: [&str; 2] = ["containers", "initContainers"];

/// Annotations that fields replaced long ago; they would contradict the fields.
const INIT_ANNOTATIONS: [&str; 4] = [
    "pod.beta.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-container-statuses",
];

/// A Pod.
pub(super) fn pod(node: &mut Node<'_>) {
    drop_init_annotations(node);
    inside(node, "spec", |spec| {
        only_in_pods(spec);
        pod_spec(spec);
    });
    within(node, "status", status);
}

/// A PodTemplate.
pub(super) fn pod_template(node: &mut Node<'_>) {
    inside(node, "template", template);
}

/// A pod in another kind.
pub(super) fn template(node: &mut Node<'_>) {
    drop_init_annotations(node);
    inside(node, "spec", pod_spec);
}

fn drop_init_annotations(node: &mut Node<'_>) {
    if let Some(annotations) = node.find_mut(&["metadata", "annotations"]) {
        for name in INIT_ANNOTATIONS {
            annotations.remove(name);
        }
    }
}

/// What a template leaves open until a pod is made from it.
fn only_in_pods(spec: &mut Node<'_>) {
    for list in STARTED {
        each(spec, list, resources::requests_follow_limits);
    }
    resources::pod_level(spec);
    fill(spec, POD);
    if spec.get("hostNetwork").and_then(Node::as_bool) == Some(true) {
        for list in STARTED {
            each(spec, list, |container| each(container, "ports", host_port));
        }
    }
    if spec.get("terminationGracePeriodSeconds").and_then(Node::as_int).is_some_and(|n| n < 0) {
        put(spec, "terminationGracePeriodSeconds", Node::int(1));
    }
}

/// In the network of the host, a port of the container is a port of the host.
fn host_port(port: &mut Node<'_>) {
    if is_zero(port, "hostPort")
        && let Some(number) = port.get("containerPort").and_then(Node::as_int)
        && number != 0
    {
        put(port, "hostPort", Node::int(number));
    }
}

fn pod_spec(spec: &mut Node<'_>) {
    fill(spec, SPEC);
    service_account(spec);
    each(spec, "volumes", volumes::volume);
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        each(spec, list, container);
    }
    resources::round(spec, &["overhead"]);
    resources::round_requirements(spec);
}

/// The old name of the field follows the new one, and stands in for it.
fn service_account(spec: &mut Node<'_>) {
    let name = match spec.text_at(&["serviceAccountName"]) {
        "" if is_zero(spec, "serviceAccountName") => spec.get("serviceAccount"),
        _ => spec.get("serviceAccountName"),
    };
    let Some(name) = name.filter(|name| name.text().is_some_and(|text| !text.is_empty())).cloned()
    else {
        return;
    };
    put(spec, "serviceAccountName", name.clone());
    put(spec, "serviceAccount", name);
}

fn container(node: &mut Node<'_>) {
    if is_zero(node, "imagePullPolicy") {
        put(node, "imagePullPolicy", pull_policy(node.text_at(&["image"])));
    }
    fill(node, CONTAINER);
    each(node, "ports", |port| fill(port, PORT));
    each(node, "env", |variable| within(variable, "valueFrom", env_source));
    resources::round_requirements(node);
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        within(node, name, probe);
    }
    within(node, "lifecycle", |lifecycle| {
        for name in ["postStart", "preStop"] {
            within(lifecycle, name, |handler| within(handler, "httpGet", http_get));
        }
    });
}

/// How often an image is pulled, by its tag.
pub(super) fn pull_policy<'t>(image: &str) -> Node<'t> {
    Node::string(if image::is_latest(image) { "Always" } else { "IfNotPresent" })
}

fn env_source(source: &mut Node<'_>) {
    within(source, "fieldRef", field_ref);
    within(source, "fileKeyRef", |file| fill(file, FILE_KEY_REF));
}

/// A reference to a field of the pod itself.
pub(super) fn field_ref(node: &mut Node<'_>) {
    fill(node, FIELD_REF);
}

fn probe(probe: &mut Node<'_>) {
    fill(probe, PROBE);
    within(probe, "httpGet", http_get);
    within(probe, "grpc", |grpc| fill(grpc, GRPC));
}

fn http_get(node: &mut Node<'_>) {
    fill(node, HTTP_GET);
}

fn status(status: &mut Node<'_>) {
    pod_ips(status);
    for list in ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"] {
        each(status, list, allocated);
    }
    allocated(status);
}

fn allocated(node: &mut Node<'_>) {
    resources::round(node, &["allocatedResources"]);
    resources::round_requirements(node);
}

/// The single address and the first of the list are one; where they differ, the single one wins.
fn pod_ips(status: &mut Node<'_>) {
    let first = status.get("podIPs").and_then(|list| list.items().first());
    let first = first.map(|item| item.text_at(&["ip"]));
    let single = status.text_at(&["podIP"]);
    if !single.is_empty() && first != Some(single) && is_list_or_nil(status, "podIPs") {
        let single = status.get("podIP").cloned().into_iter();
        let list = single.map(|ip| Node::map([("ip", ip)])).collect();
        put(status, "podIPs", Node::list(list));
    } else if let Some(first) = first
        && !first.is_empty()
        && is_zero(status, "podIP")
        && let Some(ip) = status.get("podIPs").and_then(|list| list.items().first()?.get("ip"))
    {
        let ip = ip.clone();
        put(status, "podIP", ip);
    }
}
