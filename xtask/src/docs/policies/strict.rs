//! KEP-4858 as policies: one for each kind in the table of fields, and for each place where pods are written.

use super::path::{Values, ask};
use super::policy::{Policy, Resources, Validation};
use ratchet_engine::{Class, FIELDS, Field, Ratchet};

/// Where the objects of a kind are written, and where their fields are found.
struct Place {
    name: &'static str,
    kind: &'static str,
    what: &'static str,
    resources: &'static [Resources],
    /// What stands before the path of a field; a field elsewhere is not in this place.
    prefix: &'static str,
    /// The beginning of the paths that are found here.
    begins: &'static str,
    /// Whether a value may come from any field of the old object, and not only from its own.
    pooled: bool,
}

const fn group(
    group: &'static str,
    version: &'static str,
    names: &'static [&'static str],
) -> Resources {
    Resources { group, version, names }
}

const PLACES: &[Place] = &[
    Place {
        name: "strict-ips-in-services",
        kind: "Service",
        what: "Services have addresses and networks that cannot be misread.",
        resources: &[group("", "v1", &["services", "services/status"])],
        prefix: "",
        begins: "",
        pooled: false,
    },
    Place {
        name: "strict-ips-in-pods",
        kind: "Pod",
        what: "Pods have addresses that cannot be misread.",
        resources: &[group("", "v1", &["pods", "pods/status"])],
        prefix: "",
        begins: "",
        pooled: false,
    },
    Place {
        name: "strict-ips-in-pod-templates",
        kind: "Pod",
        what: "Workloads make pods whose addresses cannot be misread.",
        resources: &[
            group("apps", "v1", &["deployments", "replicasets", "statefulsets", "daemonsets"]),
            group("batch", "v1", &["jobs"]),
            group("", "v1", &["replicationcontrollers"]),
        ],
        prefix: "spec.template.",
        begins: "spec.",
        pooled: false,
    },
    Place {
        name: "strict-ips-in-cron-jobs",
        kind: "Pod",
        what: "Cron jobs make pods whose addresses cannot be misread.",
        resources: &[group("batch", "v1", &["cronjobs"])],
        prefix: "spec.jobTemplate.spec.template.",
        begins: "spec.",
        pooled: false,
    },
    Place {
        name: "strict-ips-in-stored-pod-templates",
        kind: "Pod",
        what: "Stored templates describe pods whose addresses cannot be misread.",
        resources: &[group("", "v1", &["podtemplates"])],
        prefix: "template.",
        begins: "spec.",
        pooled: false,
    },
    Place {
        name: "strict-ips-in-network-policies",
        kind: "NetworkPolicy",
        what: "Network policies have networks that cannot be misread.",
        resources: &[group("networking.k8s.io", "v1", &["networkpolicies"])],
        prefix: "",
        begins: "",
        pooled: true,
    },
    Place {
        name: "strict-ips-in-nodes",
        kind: "Node",
        what: "Nodes have networks that cannot be misread.",
        resources: &[group("", "v1", &["nodes", "nodes/status"])],
        prefix: "",
        begins: "",
        pooled: false,
    },
    Place {
        name: "strict-ips-in-endpoints",
        kind: "Endpoints",
        what: "Endpoints have addresses that cannot be misread.",
        resources: &[group("", "v1", &["endpoints"])],
        prefix: "",
        begins: "",
        pooled: false,
    },
    Place {
        name: "strict-ips-in-endpoint-slices",
        kind: "EndpointSlice",
        what: "Endpoint slices have addresses that cannot be misread.",
        resources: &[group("discovery.k8s.io", "v1", &["endpointslices"])],
        prefix: "",
        begins: "",
        pooled: false,
    },
    Place {
        name: "strict-ips-in-ingresses",
        kind: "Ingress",
        what: "Ingresses have addresses that cannot be misread.",
        resources: &[group("networking.k8s.io", "v1", &["ingresses/status"])],
        prefix: "",
        begins: "",
        pooled: false,
    },
];

/// What may stand in a field beside what its class says: a field is one row.
const ALSO: &[(&str, &str)] = &[("spec.clusterIPs[]", "None")];

/// Fields whose values are read without the spaces around them.
const TRIMMED: &[&str] = &["spec.loadBalancerSourceRanges[]"];

/// Fields that are only read where another says so: path, condition.
const ONLY_WHERE: &[(&str, &str)] =
    &[("endpoints[].addresses[]", "object.addressType in [\"IPv4\", \"IPv6\"]")];

/// The policies.
pub(super) fn policies() -> Vec<Policy> {
    PLACES.iter().map(policy).collect()
}

fn policy(place: &Place) -> Policy {
    let fields: Vec<&Field> = FIELDS
        .iter()
        .copied()
        .filter(|field| field.kind == place.kind && field.path.starts_with(place.begins))
        .filter(|field| matches!(field.class, Class::LegacyAddress | Class::LegacyNetwork))
        .collect();
    let mut validations: Vec<Validation> =
        fields.iter().map(|field| validation(place, field, &fields)).collect();
    if place.kind == "Service" {
        validations.push(annotation());
    }
    Policy {
        name: place.name,
        is_alternative: false,
        what: place.what,
        proposal: "KEP-4858",
        cannot: cannot(place, &fields),
        since: "1.30",
        parameters: None,
        resources: place.resources.to_vec(),
        conditions: Vec::new(),
        variables: Vec::new(),
        validations,
    }
}

fn cannot(place: &Place, fields: &[&Field]) -> Vec<String> {
    let mut lines =
        vec!["It names the field, and not which item of a list it is that is wrong.".to_owned()];
    if fields.iter().any(|field| field.ratchet == Ratchet::WholeField) {
        lines.push("Objects that a controller manages are refused like any other.".to_owned());
    }
    if place.kind == "Service" {
        lines.push("Of a cluster IP, the server has refused what it cannot allocate before any policy is asked.".to_owned());
    }
    if place.prefix.starts_with("spec.template") {
        lines.push("Custom resources that make pods have other paths.".to_owned());
    }
    lines
}

fn validation(place: &Place, field: &Field, all: &[&Field]) -> Validation {
    let path = format!("{}{}", place.prefix, field.path);
    let good = |name: &str| good(field, name);
    let (expression, says) = match field.ratchet {
        Ratchet::ByValue => {
            let pool: Vec<&Field> = match place.pooled {
                true => all.to_vec(),
                false => vec![field],
            };
            let stays = |name: &str| stays(place, &pool, name);
            let expression = ask(Values::All, "object", &path, &|name| {
                format!("{} || {}", good(name), stays(name))
            });
            (expression, says(&path, &|name| format!("!({} || {})", good(name), stays(name))))
        }
        Ratchet::WholeField => {
            let whole = path.split("[]").next().unwrap_or(&path);
            let same = format!("(oldObject != null && object.?{whole} == oldObject.?{whole})");
            (format!("{same} || {}", ask(Values::All, "object", &path, &good)), None)
        }
        // No address in the table ratchets in the ways of other rules.
        Ratchet::Never | Ratchet::ByList | Ratchet::SignificantChange => {
            (ask(Values::All, "object", &path, &good), None)
        }
    };
    let only = ONLY_WHERE.iter().find(|(path, _)| *path == field.path);
    let expression = match only {
        Some((_, condition)) => format!("!({condition}) || {expression}"),
        None => expression,
    };
    Validation { expression, message: message(field, &path), says, reason: "Invalid" }
}

/// Source ranges in an annotation, which count where the field has none.
const RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";

/// The annotation is read as a whole, and only if it is new: so does the API server.
fn annotation() -> Validation {
    let of = |root: &str| format!("{root}.metadata.?annotations[?\"{RANGES}\"]");
    let (new, old) = (of("object"), of("oldObject"));
    let good = "isCIDR(b.trim()) && cidr(b.trim()) == cidr(b.trim()).masked()";
    let expression = format!(
        "object.?spec.?loadBalancerSourceRanges.orValue([]).size() > 0 || (oldObject != null && {new} == {old}) || {new}.optMap(a, a.trim() == \"\" || a.split(\",\").all(b, {good})).orValue(true)"
    );
    let message = format!(
        "metadata.annotations[{RANGES}]: every value must be a network in CIDR notation without leading zeros, without bits beyond its length, and not an IPv4-mapped IPv6 one"
    );
    Validation { expression, message, says: None, reason: "Invalid" }
}

/// The value cannot be misread.
fn good(field: &Field, name: &str) -> String {
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

/// The object has the value already.
fn stays(place: &Place, pool: &[&Field], name: &str) -> String {
    let among = pool.iter().map(|field| {
        let path = format!("{}{}", place.prefix, field.path);
        let read = if TRIMMED.contains(&field.path) { ".trim()" } else { "" };
        ask(Values::Any, "oldObject", &path, &|old| format!("{old}{read} == {name}{read}"))
    });
    format!("(oldObject != null && ({}))", among.collect::<Vec<_>>().join(" || "))
}

/// Lists the values that are wrong, where the field is a list in no other list.
fn says(path: &str, wrong: &dyn Fn(&str) -> String) -> Option<String> {
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
