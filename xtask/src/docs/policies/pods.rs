//! Policies for KEP-4940 and KEP-4427: hosts of probes and lifecycle handlers, and DNS search paths.

use super::path::{Values, quantify};
use super::policy::{Policy, Resources, Validation};

const PODS: Resources = Resources { group: "", version: "v1", names: &["pods"] };
/// Pods and their ephemeral containers: both change what Pod Security evaluates.
const RUNNING: Resources =
    Resources { group: "", version: "v1", names: &["pods", "pods/ephemeralcontainers"] };

/// Paths of handlers in a container.
const HANDLERS: [&str; 5] =
    ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle.postStart", "lifecycle.preStop"];
/// Handler actions that have a host.
const PROBE_ACTIONS: [&str; 2] = ["httpGet", "tcpSocket"];
/// Container lists of a pod; ephemeral containers cannot have probes.
const CONTAINERS: [&str; 2] = ["initContainers", "containers"];
/// Hosts that mean the pod itself.
const SELF: &str = "[\"\", \"127.0.0.1\", \"::1\"]";

/// The policies of KEP-4940 and KEP-4427.
pub(super) fn policies() -> Vec<Policy> {
    vec![probe_hosts(), search()]
}

fn probe_hosts() -> Policy {
    let validations = CONTAINERS.into_iter().map(|containers| {
        let below = HANDLERS.into_iter().flat_map(|handler| {
            PROBE_ACTIONS.into_iter().map(move |action| {
                let field = format!("{handler}.{action}.host");
                quantify(Values::Any, "a", &field, &|host| format!("!({host} in {SELF})"))
            })
        });
        let foreign = below.collect::<Vec<_>>().join(" || ");
        let list = format!("object.spec.?{containers}.orValue([])");
        Validation {
            expression: format!("!variables.applies || !{list}.exists(a, {foreign})"),
            message: format!("spec.{containers}: no probe or lifecycle handler may name a host"),
            message_expression: Some(format!(
                "\"violates PodSecurity \\\"baseline\\\": probe or lifecycle host (containers \" + {list}.filter(a, {foreign}).map(a, a.name).join(\", \") + \")\""
            )),
            reason: "Forbidden",
        }
    });
    Policy {
        name: "pod-security-probe-hosts",
        is_alternative: false,
        what: "In namespaces that enforce baseline or restricted, probes and lifecycle handlers ask only the pod itself.",
        proposal: "KEP-4940",
        limitations: vec![
            "Exemptions of the admission plugin's configuration are unknown to it; exempt namespaces by the binding.".to_owned(),
            "Defaults of that configuration are unknown to it: only the namespace's labels count.".to_owned(),
            "Workloads are not warned of pods that will be refused.".to_owned(),
        ],
        since: "1.30",
        parameters: None,
        resources: vec![RUNNING],
        conditions: vec![("new-or-changed", new_or_changed())],
        // Match conditions cannot read the namespace; variables can.
        variables: vec![
            (
                "level",
                "namespaceObject.metadata.?labels[?\"pod-security.kubernetes.io/enforce\"].orValue(\"privileged\")".to_owned(),
            ),
            (
                "version",
                "namespaceObject.metadata.?labels[?\"pod-security.kubernetes.io/enforce-version\"].orValue(\"latest\")".to_owned(),
            ),
            (
                "applies",
                "variables.level in [\"baseline\", \"restricted\"] && !variables.version.matches(\"^v1[.]([0-9]|[12][0-9]|3[0-3])$\")".to_owned(),
            ),
        ],
        validations: validations.collect(),
    }
}

/// A match condition that skips updates without a changed image or an added container, as the admission plugin does:
/// pods that were admitted before can still be labelled.
fn new_or_changed() -> String {
    let runs = |root: &str, list: &str| {
        format!("{root}.spec.?{list}.orValue([]).map(c, c.?image.orValue(\"\"))")
    };
    let differs = ["containers", "initContainers", "ephemeralContainers"]
        .map(|list| format!("{} != {}", runs("object", list), runs("oldObject", list)));
    format!("oldObject == null || {}", differs.join(" || "))
}

fn search() -> Policy {
    let old = quantify(Values::Any, "oldObject", "spec.dnsConfig.searches[]", &|name| {
        format!("{name} == a")
    });
    let label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    let good = format!("(a.size() <= 254 && a.matches(\"^{label}([.]{label})*[.]?$\"))");
    let bad = format!("!({good} || (oldObject != null && {old}))");
    let list = "object.spec.?dnsConfig.?searches.orValue([])";
    Policy {
        name: "strict-dns-search",
        is_alternative: true,
        what: "Pods search names only below DNS subdomains, as before the proposal: no underscores, no single dot.",
        proposal: "KEP-4427",
        limitations: vec![
            "It cannot permit underscores where the server refuses them: no policy makes a rule looser.".to_owned(),
        ],
        since: "1.30",
        parameters: None,
        resources: vec![PODS],
        conditions: Vec::new(),
        variables: Vec::new(),
        validations: vec![Validation {
            expression: format!("!{list}.exists(a, {bad})"),
            message: "spec.dnsConfig.searches: every new name must be a DNS subdomain".to_owned(),
            message_expression: Some(format!(
                "\"spec.dnsConfig.searches: not a DNS subdomain: \" + {list}.filter(a, {bad}).join(\", \")"
            )),
            reason: "Invalid",
        }],
    }
}
