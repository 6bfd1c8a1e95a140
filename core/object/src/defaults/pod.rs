//! Defaults of pods, as objects and as templates of other kinds.

use super::fields::{
    DefaultValue, FieldDefault, each, is_list_or_nil, is_zero, nil, pointer_field, put,
    set_defaults, struct_field, zero,
};
use super::{image, resources, volumes};
use crate::{CONTAINER_LISTS, Node};

const POD: &[FieldDefault] = &[nil("enableServiceLinks", DefaultValue::Bool(true))];

const SPEC: &[FieldDefault] = &[
    zero("dnsPolicy", DefaultValue::Text("ClusterFirst")),
    zero("restartPolicy", DefaultValue::Text("Always")),
    nil("securityContext", DefaultValue::Map),
    nil("terminationGracePeriodSeconds", DefaultValue::Int(30)),
    zero("schedulerName", DefaultValue::Text("default-scheduler")),
];

const CONTAINER: &[FieldDefault] = &[
    zero("terminationMessagePath", DefaultValue::Text("/dev/termination-log")),
    zero("terminationMessagePolicy", DefaultValue::Text("File")),
];

const PORT: &[FieldDefault] = &[zero("protocol", DefaultValue::Text("TCP"))];
const FIELD_REF: &[FieldDefault] = &[zero("apiVersion", DefaultValue::Text("v1"))];
const FILE_KEY_REF: &[FieldDefault] = &[nil("optional", DefaultValue::Bool(false))];

const PROBE: &[FieldDefault] = &[
    zero("timeoutSeconds", DefaultValue::Int(1)),
    zero("periodSeconds", DefaultValue::Int(10)),
    zero("successThreshold", DefaultValue::Int(1)),
    zero("failureThreshold", DefaultValue::Int(3)),
];

const HTTP_GET: &[FieldDefault] =
    &[zero("path", DefaultValue::Text("/")), zero("scheme", DefaultValue::Text("HTTP"))];
const GRPC: &[FieldDefault] = &[nil("service", DefaultValue::Text(""))];

/// The container lists that defaults apply to.
const STARTED: [&str; 2] = ["containers", "initContainers"];

/// Annotations that were replaced by fields long ago; they would contradict the fields.
const INIT_ANNOTATIONS: [&str; 4] = [
    "pod.beta.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-container-statuses",
];

/// Defaults of a Pod.
pub(super) fn pod(node: &mut Node<'_>) {
    drop_init_annotations(node);
    struct_field(node, "spec", |spec| {
        only_in_pods(spec);
        pod_spec(spec);
    });
    pointer_field(node, "status", status);
}

/// Defaults of a PodTemplate.
pub(super) fn pod_template(node: &mut Node<'_>) {
    struct_field(node, "template", template);
}

/// A pod template in another kind.
pub(super) fn template(node: &mut Node<'_>) {
    drop_init_annotations(node);
    struct_field(node, "spec", pod_spec);
}

fn drop_init_annotations(node: &mut Node<'_>) {
    if let Some(annotations) = node.find_mut(&["metadata", "annotations"]) {
        for name in INIT_ANNOTATIONS {
            annotations.remove(name);
        }
    }
}

/// Defaults that a template does not get, only a pod.
fn only_in_pods(spec: &mut Node<'_>) {
    for list in STARTED {
        each(spec, list, resources::requests_follow_limits);
    }
    resources::pod_level(spec);
    set_defaults(spec, POD);
    if spec.get("hostNetwork").and_then(Node::as_bool) == Some(true) {
        for list in STARTED {
            each(spec, list, |container| each(container, "ports", host_port));
        }
    }
    if spec.get("terminationGracePeriodSeconds").and_then(Node::as_int).is_some_and(|n| n < 0) {
        put(spec, "terminationGracePeriodSeconds", Node::int(1));
    }
}

/// In the host network, a container port is also a host port.
fn host_port(port: &mut Node<'_>) {
    if is_zero(port, "hostPort")
        && let Some(number) = port.get("containerPort").and_then(Node::as_int)
        && number != 0
    {
        put(port, "hostPort", Node::int(number));
    }
}

fn pod_spec(spec: &mut Node<'_>) {
    set_defaults(spec, SPEC);
    service_account(spec);
    each(spec, "volumes", volumes::volume);
    for list in CONTAINER_LISTS {
        each(spec, list, container);
    }
    resources::round(spec, &["overhead"]);
    resources::round_requirements(spec);
}

/// `serviceAccount` mirrors `serviceAccountName`, and stands in for it.
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
    set_defaults(node, CONTAINER);
    each(node, "ports", |port| set_defaults(port, PORT));
    each(node, "env", |variable| pointer_field(variable, "valueFrom", env_source));
    resources::round_requirements(node);
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        pointer_field(node, name, probe);
    }
    pointer_field(node, "lifecycle", |lifecycle| {
        for name in ["postStart", "preStop"] {
            pointer_field(lifecycle, name, |handler| pointer_field(handler, "httpGet", http_get));
        }
    });
}

/// The image pull policy, by the tag of the image.
pub(super) fn pull_policy<'t>(image: &str) -> Node<'t> {
    Node::string(if image::is_latest(image) { "Always" } else { "IfNotPresent" })
}

fn env_source(source: &mut Node<'_>) {
    pointer_field(source, "fieldRef", field_ref);
    pointer_field(source, "fileKeyRef", |file| set_defaults(file, FILE_KEY_REF));
}

/// A reference to a field of the pod itself.
pub(super) fn field_ref(node: &mut Node<'_>) {
    set_defaults(node, FIELD_REF);
}

fn probe(probe: &mut Node<'_>) {
    set_defaults(probe, PROBE);
    pointer_field(probe, "httpGet", http_get);
    pointer_field(probe, "grpc", |grpc| set_defaults(grpc, GRPC));
}

fn http_get(node: &mut Node<'_>) {
    set_defaults(node, HTTP_GET);
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

/// `podIP` and the first of `podIPs` are kept equal; where they differ, `podIP` wins.
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
