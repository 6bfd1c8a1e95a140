//! Policies for KEP-4858: one for each kind in the table of fields, and for each resource with pods or pod templates.

use super::path::{Values, quantify};
use super::policy::{Policy, Resources, Validation};
use ratchet_engine::{Class, FIELDS, Field, Ratchet};

/// The resources that contain a kind, and the paths of its fields in them.
struct Target {
    name: &'static str,
    kind: &'static str,
    what: &'static str,
    resources: &'static [Resources],
    /// The path of the kind's root in these resources.
    root_prefix: &'static str,
    /// The prefix of the field paths that these resources have.
    path_prefix: &'static str,
    /// Whether a value is stored if any field of the old object has it, not only its own.
    pooled: bool,
}

const fn group(
    group: &'static str,
    version: &'static str,
    names: &'static [&'static str],
) -> Resources {
    Resources { group, version, names }
}

const TARGETS: &[Target] = &[
    Target {
        name: "strict-ips-in-services",
        kind: "Service",
        what: "Services have addresses and networks that cannot be misread.",
        resources: &[group("", "v1", &["services", "services/status"])],
        root_prefix: "",
        path_prefix: "",
        pooled: false,
    },
    Target {
        name: "strict-ips-in-pods",
        kind: "Pod",
        what: "Pods have addresses that cannot be misread.",
        resources: &[group("", "v1", &["pods", "pods/status"])],
        root_prefix: "",
        path_prefix: "",
        pooled: false,
    },
    Target {
        name: "strict-ips-in-pod-templates",
        kind: "Pod",
        what: "Workloads make pods whose addresses cannot be misread.",
        resources: &[
            group("apps", "v1", &["deployments", "replicasets", "statefulsets", "daemonsets"]),
            group("batch", "v1", &["jobs"]),
            group("", "v1", &["replicationcontrollers"]),
        ],
        root_prefix: "spec.template.",
        path_prefix: "spec.",
        pooled: false,
    },
    Target {
        name: "strict-ips-in-cron-jobs",
        kind: "Pod",
        what: "Cron jobs make pods whose addresses cannot be misread.",
        resources: &[group("batch", "v1", &["cronjobs"])],
        root_prefix: "spec.jobTemplate.spec.template.",
        path_prefix: "spec.",
        pooled: false,
    },
    Target {
        name: "strict-ips-in-stored-pod-templates",
        kind: "Pod",
        what: "Stored templates describe pods whose addresses cannot be misread.",
        resources: &[group("", "v1", &["podtemplates"])],
        root_prefix: "template.",
        path_prefix: "spec.",
        pooled: false,
    },
    Target {
        name: "strict-ips-in-network-policies",
        kind: "NetworkPolicy",
        what: "Network policies have networks that cannot be misread.",
        resources: &[group("networking.k8s.io", "v1", &["networkpolicies"])],
        root_prefix: "",
        path_prefix: "",
        pooled: true,
    },
    Target {
        name: "strict-ips-in-nodes",
        kind: "Node",
        what: "Nodes have networks that cannot be misread.",
        resources: &[group("", "v1", &["nodes", "nodes/status"])],
        root_prefix: "",
        path_prefix: "",
        pooled: false,
    },
    Target {
        name: "strict-ips-in-endpoints",
        kind: "Endpoints",
        what: "Endpoints have addresses that cannot be misread.",
        resources: &[group("", "v1", &["endpoints"])],
        root_prefix: "",
        path_prefix: "",
        pooled: false,
    },
    Target {
        name: "strict-ips-in-endpoint-slices",
        kind: "EndpointSlice",
        what: "Endpoint slices have addresses that cannot be misread.",
        resources: &[group("discovery.k8s.io", "v1", &["endpointslices"])],
        root_prefix: "",
        path_prefix: "",
        pooled: false,
    },
    Target {
        name: "strict-ips-in-ingresses",
        kind: "Ingress",
        what: "Ingresses have addresses that cannot be misread.",
        resources: &[group("networking.k8s.io", "v1", &["ingresses/status"])],
        root_prefix: "",
        path_prefix: "",
        pooled: false,
    },
];

/// Additional values of fields besides those of their class.
const ALSO: &[(&str, &str)] = &[("spec.clusterIPs[]", "None")];

/// Fields whose values are trimmed before parsing.
const TRIMMED: &[&str] = &["spec.loadBalancerSourceRanges[]"];

/// Fields that are validated only under a condition: path, condition.
const ONLY_WHERE: &[(&str, &str)] =
    &[("endpoints[].addresses[]", "object.addressType in [\"IPv4\", \"IPv6\"]")];

/// The policies of KEP-4858.
pub(super) fn policies() -> Vec<Policy> {
    TARGETS.iter().map(policy).collect()
}

fn policy(target: &Target) -> Policy {
    let fields: Vec<&Field> = FIELDS
        .iter()
        .copied()
        .filter(|field| field.kind == target.kind && field.path.starts_with(target.path_prefix))
        .filter(|field| matches!(field.class, Class::LegacyAddress | Class::LegacyNetwork))
        .collect();
    let mut validations: Vec<Validation> =
        fields.iter().map(|field| validation(target, field, &fields)).collect();
    if target.kind == "Service" {
        validations.push(annotation());
    }
    Policy {
        name: target.name,
        is_alternative: false,
        what: target.what,
        proposal: "KEP-4858",
        limitations: limitations(target, &fields),
        since: "1.30",
        parameters: None,
        resources: target.resources.to_vec(),
        conditions: Vec::new(),
        variables: Vec::new(),
        validations,
    }
}

fn limitations(target: &Target, fields: &[&Field]) -> Vec<String> {
    let mut lines =
        vec!["It names the field, and not which item of a list it is that is wrong.".to_owned()];
    if fields.iter().any(|field| field.ratchet == Ratchet::WholeField) {
        lines.push("Objects that a controller manages are refused like any other.".to_owned());
    }
    if target.kind == "Service" {
        lines.push("Of a cluster IP, the server has refused what it cannot allocate before any policy is asked.".to_owned());
    }
    if target.root_prefix.starts_with("spec.template") {
        lines.push("Custom resources that make pods have other paths.".to_owned());
    }
    lines
}

fn validation(target: &Target, field: &Field, all: &[&Field]) -> Validation {
    let path = format!("{}{}", target.root_prefix, field.path);
    let is_valid = |name: &str| is_valid(field, name);
    let (expression, message_expression) = match field.ratchet {
        Ratchet::ByValue => {
            let pool: Vec<&Field> = match target.pooled {
                true => all.to_vec(),
                false => vec![field],
            };
            let is_stored = |name: &str| is_stored(target, &pool, name);
            let expression = quantify(Values::All, "object", &path, &|name| {
                format!("{} || {}", is_valid(name), is_stored(name))
            });
            (
                expression,
                bad_values_message(&path, &|name| {
                    format!("!({} || {})", is_valid(name), is_stored(name))
                }),
            )
        }
        Ratchet::WholeField => {
            let whole = path.split("[]").next().unwrap_or(&path);
            let same = format!("(oldObject != null && object.?{whole} == oldObject.?{whole})");
            (format!("{same} || {}", quantify(Values::All, "object", &path, &is_valid)), None)
        }
        // No address field has one of the ratchets of other rules.
        Ratchet::Never | Ratchet::ByList | Ratchet::SignificantChange => {
            (quantify(Values::All, "object", &path, &is_valid), None)
        }
    };
    let only = ONLY_WHERE.iter().find(|(path, _)| *path == field.path);
    let expression = match only {
        Some((_, condition)) => format!("!({condition}) || {expression}"),
        None => expression,
    };
    Validation { expression, message: message(field, &path), message_expression, reason: "Invalid" }
}

/// The annotation with source ranges, which applies where the field is empty.
const RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";

/// The annotation is validated as a whole, and only if it changed, as the API server does.
fn annotation() -> Validation {
    let of = |root: &str| format!("{root}.metadata.?annotations[?\"{RANGES}\"]");
    let (new, old) = (of("object"), of("oldObject"));
    let is_valid = "isCIDR(b.trim()) && cidr(b.trim()) == cidr(b.trim()).masked()";
    let expression = format!(
        "object.?spec.?loadBalancerSourceRanges.orValue([]).size() > 0 || (oldObject != null && {new} == {old}) || {new}.optMap(a, a.trim() == \"\" || a.split(\",\").all(b, {is_valid})).orValue(true)"
    );
    let message = format!(
        "metadata.annotations[{RANGES}]: every value must be a network in CIDR notation without leading zeros, without bits beyond its length, and not an IPv4-mapped IPv6 one"
    );
    Validation { expression, message, message_expression: None, reason: "Invalid" }
}

/// An expression that is true for a strictly valid value.
fn is_valid(field: &Field, name: &str) -> String {
    let trimmed = match TRIMMED.contains(&field.path) {
        true => format!("{name}.trim()"),
        false => name.to_owned(),
    };
    let strict = match field.class {
        Class::LegacyNetwork => {
            format!("(isCIDR({trimmed}) && cidr({trimmed}) == cidr({trimmed}).masked())")
        }
        _ => format!("isIP({trimmed})"),
    };
    match ALSO.iter().find(|(path, _)| *path == field.path) {
        Some((_, also)) => format!("{name} == \"{also}\" || {strict}"),
        None => strict,
    }
}

/// An expression that is true for a value that the old object has.
fn is_stored(target: &Target, pool: &[&Field], name: &str) -> String {
    let among = pool.iter().map(|field| {
        let path = format!("{}{}", target.root_prefix, field.path);
        let trim_call = if TRIMMED.contains(&field.path) { ".trim()" } else { "" };
        quantify(Values::Any, "oldObject", &path, &|old| {
            format!("{old}{trim_call} == {name}{trim_call}")
        })
    });
    format!("(oldObject != null && ({}))", among.collect::<Vec<_>>().join(" || "))
}

/// A message expression that lists the invalid values, for a list that is not nested in another.
fn bad_values_message(path: &str, wrong: &dyn Fn(&str) -> String) -> Option<String> {
    let list = path.strip_suffix("[]").filter(|list| !list.contains("[]"))?;
    let field: String = list.split('.').map(|step| format!(".?{step}")).collect();
    Some(format!(
        "\"{list}: not strictly valid: \" + object{field}.orValue([]).filter(a, {}).join(\", \")",
        wrong("a")
    ))
}

fn message(field: &Field, path: &str) -> String {
    let wanted = match field.class {
        Class::LegacyNetwork => {
            "a network in CIDR notation without leading zeros, without bits beyond its length, and not an IPv4-mapped IPv6 one"
        }
        _ => "an address without leading zeros, and not an IPv4-mapped IPv6 one",
    };
    format!("{path}: every new value must be {wanted}")
}
