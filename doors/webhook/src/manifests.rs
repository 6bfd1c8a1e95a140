//! `WebhookManifest`: the webhook configuration that sends what the rules are about, and nothing else.

use crate::canonicalize::is_of_controllers;
use ratchet_engine::FIELDS;
use ratchet_object::{KINDS, Kind, Node, PodPlace, Scope, to_yaml};

/// Fields that rules look at beside those of `FIELDS`: kind and path.
const MORE_FIELDS: &[(&str, &str)] = &[
    ("Pod", "spec.dnsConfig.searches[]"),
    ("Service", "spec.loadBalancerIP"),
    // Source ranges can stand in an annotation.
    ("Service", "metadata.annotations"),
];

/// Subresources of pods through which what Pod Security looks at is written.
const POD_PARTS: &[&str] = &["", "ephemeralcontainers"];

/// What a configuration is made of.
#[derive(Clone, Debug)]
pub struct WebhookManifest {
    /// The namespace of the webhook's Service.
    pub namespace: String,
    /// The name of the Service, and of the configuration.
    pub service: String,
    /// The port of the Service.
    pub port: u16,
    /// The authority of the certificate, in base64; without one something else must put it in.
    pub ca_bundle: Option<String>,
    /// Whether requests are refused while the webhook does not answer.
    pub fails_closed: bool,
    /// The time that the API server waits.
    pub timeout_seconds: u8,
    /// Whether all pods and workloads are sent, for Pod Security.
    pub pod_security: bool,
    /// Namespaces whose objects are not sent.
    pub exempt_namespaces: Vec<String>,
    /// With users: a MutatingWebhookConfiguration that sends what they write to be made canonical. A `*` at the end of a
    /// name stands for any rest.
    pub canonicalized_users: Vec<String>,
}

/// A resource that is sent, and the condition under which it is.
struct Sent<'k> {
    kind: &'k Kind<'static>,
    subresource: &'static str,
    /// CEL expressions, one of which must hold; none sends everything.
    conditions: Vec<String>,
}

impl WebhookManifest {
    /// The configuration as YAML.
    pub fn to_yaml(&self) -> String {
        to_yaml(&self.to_node())
    }

    fn to_node(&self) -> Node<'static> {
        let kind = match self.is_mutating() {
            true => "MutatingWebhookConfiguration",
            false => "ValidatingWebhookConfiguration",
        };
        let webhooks = self.sent().iter().map(|sent| self.webhook(sent)).collect();
        Node::map([
            ("apiVersion", Node::string("admissionregistration.k8s.io/v1")),
            ("kind", Node::string(kind)),
            ("metadata", Node::map([("name", text(&self.service))])),
            ("webhooks", Node::list(webhooks)),
        ])
    }

    fn is_mutating(&self) -> bool {
        !self.canonicalized_users.is_empty()
    }

    /// Every resource that a rule looks at, in the order of the tables.
    fn sent(&self) -> Vec<Sent<'static>> {
        let mut all: Vec<Sent<'static>> = Vec::new();
        let is_mutating = self.is_mutating();
        let fields = FIELDS.iter().filter(|field| !is_mutating || is_of_controllers(field));
        let more = MORE_FIELDS.iter().copied().filter(|_| !is_mutating);
        for (name, path) in fields.map(|field| (field.kind, field.path)).chain(more) {
            let subresource = if path.starts_with("status.") { "status" } else { "" };
            for kind in kinds_of(name, subresource) {
                let place = kind.pod.filter(|_| subresource.is_empty());
                add(&mut all, kind, subresource, condition(place, path));
            }
        }
        for kind in KINDS.iter().filter(|kind| self.pod_security && !is_mutating && is_judged(kind))
        {
            let parts = if is_pod(kind) { POD_PARTS } else { &[""] };
            parts.iter().for_each(|part| add(&mut all, kind, part, None));
        }
        all
    }

    fn webhook(&self, sent: &Sent<'_>) -> Node<'static> {
        let Self { namespace, service, .. } = self;
        let Kind { plural, .. } = sent.kind;
        let (prefix, resource) = match sent.subresource {
            "" => (plural.to_string(), plural.to_string()),
            part => (format!("{part}.{plural}"), format!("{plural}/{part}")),
        };
        let mut webhook = Node::map([
            ("name", Node::string(format!("{prefix}.{service}.{namespace}.svc"))),
            ("admissionReviewVersions", texts(["v1"])),
            ("sideEffects", Node::string("None")),
            ("failurePolicy", Node::string(if self.fails_closed { "Fail" } else { "Ignore" })),
            ("matchPolicy", Node::string("Equivalent")),
            ("timeoutSeconds", Node::int(self.timeout_seconds.into())),
            ("clientConfig", self.client_config()),
            ("rules", Node::list(vec![rule(sent, resource)])),
        ]);
        if sent.kind.scope == Scope::Namespaced {
            webhook.set("namespaceSelector", self.namespace_selector());
        }
        let conditions = self.match_conditions(sent);
        if !conditions.is_empty() {
            webhook.set("matchConditions", Node::list(conditions));
        }
        webhook
    }

    /// The conditions under which the API server calls the webhook; all must hold.
    fn match_conditions(&self, sent: &Sent<'_>) -> Vec<Node<'static>> {
        let users: Vec<String> =
            self.canonicalized_users.iter().map(|name| is_user(name)).collect();
        let conditions = [("is-controller", &users), ("has-fields", &sent.conditions)];
        let conditions = conditions.into_iter().filter(|(_, any)| !any.is_empty());
        let condition = |(name, any): (&'static str, &Vec<String>)| {
            let expression = Node::string(any.join(" || "));
            Node::map([("name", Node::string(name)), ("expression", expression)])
        };
        conditions.map(condition).collect()
    }

    fn client_config(&self) -> Node<'static> {
        let mut config = Node::map([(
            "service",
            Node::map([
                ("namespace", text(&self.namespace)),
                ("name", text(&self.service)),
                ("path", Node::string(if self.is_mutating() { "/mutate" } else { "/validate" })),
                ("port", Node::int(self.port.into())),
            ]),
        )]);
        if let Some(bundle) = &self.ca_bundle {
            config.set("caBundle", text(bundle));
        }
        config
    }

    /// All namespaces but the exempt ones and the webhook's own.
    fn namespace_selector(&self) -> Node<'static> {
        let mut names: Vec<&str> = self.exempt_namespaces.iter().map(String::as_str).collect();
        if !names.contains(&self.namespace.as_str()) {
            names.push(&self.namespace);
        }
        let expression = Node::map([
            ("key", Node::string("kubernetes.io/metadata.name")),
            ("operator", Node::string("NotIn")),
            ("values", texts(names)),
        ]);
        Node::map([("matchExpressions", Node::list(vec![expression]))])
    }
}

/// The kinds that a row names: `Pod` stands for every kind that has a pod in it, but for the status.
fn kinds_of(name: &str, subresource: &str) -> Vec<&'static Kind<'static>> {
    let has_pod = |kind: &&Kind<'_>| kind.pod.is_some();
    match (name, subresource) {
        ("Pod", "") => KINDS.iter().filter(has_pod).collect(),
        _ => KINDS.iter().filter(|kind| kind.name == name).collect(),
    }
}

fn is_pod(kind: &Kind<'_>) -> bool {
    kind.pod == Some(PodPlace(&[]))
}

/// Whether Pod Security looks at a kind.
fn is_judged(kind: &Kind<'_>) -> bool {
    kind.pod.is_some() || kind.name == "Namespace"
}

/// Adds a condition to a resource; one without a condition is always sent.
fn add(
    all: &mut Vec<Sent<'static>>,
    kind: &'static Kind<'static>,
    subresource: &'static str,
    condition: Option<String>,
) {
    let is_same = |sent: &&mut Sent<'_>| sent.kind == kind && sent.subresource == subresource;
    match (all.iter_mut().find(is_same), condition) {
        (None, condition) => {
            all.push(Sent { kind, subresource, conditions: condition.into_iter().collect() });
        }
        (Some(sent), None) => sent.conditions.clear(),
        (Some(sent), Some(condition)) => {
            if !sent.conditions.is_empty() && !sent.conditions.contains(&condition) {
                sent.conditions.push(condition);
            }
        }
    }
}

/// Whether an object has a field, as CEL; `None` if it always has. A list in the path is as far as this looks.
fn condition(place: Option<PodPlace<'static>>, path: &str) -> Option<String> {
    if path == "metadata.name" {
        return None;
    }
    let place = place.map_or(&[][..], |place| place.0);
    let list = path.split('.').position(|segment| segment.ends_with("[]"));
    let segments = path.split('.').take(list.map_or(usize::MAX, |at| at + 1));
    let mut object = "object".to_owned();
    let mut steps = Vec::new();
    for name in place.iter().copied().chain(segments.map(|segment| segment.trim_end_matches("[]")))
    {
        object = format!("{object}.{name}");
        steps.push(format!("has({object})"));
    }
    Some(format!("({})", steps.join(" && ")))
}

/// Whether a user made the request, as CEL.
fn is_user(name: &str) -> String {
    let quoted = |text: &str| text.replace('\\', r"\\").replace('"', "\\\"");
    match name.strip_suffix('*') {
        Some(start) => format!("request.userInfo.username.startsWith(\"{}\")", quoted(start)),
        None => format!("request.userInfo.username == \"{}\"", quoted(name)),
    }
}

fn rule(sent: &Sent<'_>, resource: String) -> Node<'static> {
    let scope = match sent.kind.scope {
        Scope::Cluster => "Cluster",
        Scope::Namespaced => "Namespaced",
    };
    // The status of an object and its other parts are only ever updated.
    let operations =
        if sent.subresource.is_empty() { &["CREATE", "UPDATE"][..] } else { &["UPDATE"] };
    Node::map([
        ("apiGroups", texts([sent.kind.group])),
        ("apiVersions", texts(sent.kind.versions.iter().copied())),
        ("operations", texts(operations.iter().copied())),
        ("resources", Node::list(vec![Node::string(resource)])),
        ("scope", Node::string(scope)),
    ])
}

fn text(text: &str) -> Node<'static> {
    Node::string(text.to_owned())
}

fn texts<'a>(all: impl IntoIterator<Item = &'a str>) -> Node<'static> {
    Node::list(all.into_iter().map(text).collect())
}
