//! Objects, and what they name inside, are called what the API can call them: one row a kind.

use crate::context::ValidationContext;
use crate::forms::{self, NameFormat};
use crate::rules::pod_notes;
use crate::{Cause, Change, FieldError, Origin, Ratchet, Release, Rule, Verdict, Warning};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

/// The row.
pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-012",
    fields: &["metadata.name, metadata.generateName and metadata.namespace of every kind"],
    title: "malformed object name",
    origin: Origin::Api,
    demands: "An object has a name or a stem for one. Most names are DNS subdomains; names of Namespaces, Services and StatefulSets are DNS labels; names in RBAC are anything that fits into a URL.",
    why: "Names become parts of URLs, host names and labels, where other letters are read in other ways.",
    fix: "Use lower case letters, digits and dashes, begin and end with a letter or a digit, and mind the length.",
    ratchet: Ratchet::Never,
    versions: "All releases. Names of Services began with a letter before 1.36.",
};

/// The row of the names inside of objects.
pub(crate) static FORMS: Rule = Rule {
    id: "RTC-API-015",
    fields: &[
        "Pod spec.containers[].{name,ports[].name,env[].name}, spec.volumes[].name, spec.serviceAccountName",
        "Service and EndpointSlice ports[].{name,appProtocol}",
        "ConfigMap and Secret data",
        "Ingress spec.rules[].host, spec.tls[].hosts",
        "finalizers, keys of annotations, names of resources",
    ],
    title: "malformed name inside an object",
    origin: Origin::Api,
    demands: "Names of containers, ports, volumes, variables, keys and of other objects have the form that their place demands.",
    why: "They end in file names, environments, URLs and DNS records, or name an object that cannot exist.",
    fix: "Spell the name as the message says.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

/// Kinds whose name is something else than a DNS subdomain.
const ODD: [(&str, &str, NameFormat); 13] = [
    ("", "Event", NameFormat::PathSegment),
    ("", "Namespace", NameFormat::Label),
    ("", "Service", NameFormat::Label),
    ("apps", "StatefulSet", NameFormat::Label),
    ("apiregistration.k8s.io", "APIService", NameFormat::PathSegment),
    ("certificates.k8s.io", "CertificateSigningRequest", NameFormat::PathSegment),
    ("certificates.k8s.io", "ClusterTrustBundle", NameFormat::PathSegment),
    ("internal.apiserver.k8s.io", "StorageVersion", NameFormat::PathSegment),
    ("policy", "PodDisruptionBudget", NameFormat::PathSegment),
    ("rbac.authorization.k8s.io", "ClusterRole", NameFormat::PathSegment),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", NameFormat::PathSegment),
    ("rbac.authorization.k8s.io", "Role", NameFormat::PathSegment),
    ("rbac.authorization.k8s.io", "RoleBinding", NameFormat::PathSegment),
];

/// Kinds whose names become host names: what is said when one is no DNS label.
const HOST_NAMES: [(&str, &str); 6] = [
    ("Pod", "this is used in the Pod's hostname"),
    ("CronJob", WORKLOAD),
    ("Deployment", WORKLOAD),
    ("Job", WORKLOAD),
    ("ReplicaSet", WORKLOAD),
    ("ReplicationController", WORKLOAD),
];
const WORKLOAD: &str = "this is used in Pod names and hostnames";

/// Tells of a new object whose name becomes a host name, and is none.
pub(crate) fn warn_host_name(change: &Change<'_>, verdict: &mut Verdict) {
    let name = change.new_root().field("metadata").field("name");
    let text = name.text_or_empty();
    let row = HOST_NAMES.iter().find(|row| row.0 == change.kind.name);
    // A name that the server makes is not known yet.
    let Some((_, used)) = row.filter(|_| change.is_create() && !text.is_empty()) else { return };
    let mut faults: Vec<Cow<'static, str>> = Vec::new();
    forms::faults(NameFormat::Label, text, |fault| faults.push(fault));
    if !faults.is_empty() {
        let faults = faults.join(" ");
        let told = format!(
            "metadata.name: {used}, which can result in surprising behavior; a DNS label is recommended: [{faults}]"
        );
        verdict.warn(Warning::new(&pod_notes::RULE, &name, told));
    }
}

/// Kinds whose names another flow, or nobody, looks at.
const ELSEWHERE: [(&str, &str); 5] = [
    ("", "Binding"),
    ("", "ComponentStatus"),
    ("autoscaling", "Scale"),
    ("networking.k8s.io", "IPAddress"),
    ("policy", "Eviction"),
];

/// Groups of questions: nothing of theirs is stored.
const QUESTIONS: [&str; 2] = ["authentication.k8s.io", "authorization.k8s.io"];

/// Whether objects of the kind have metadata to speak of.
pub(crate) fn are_stored(change: &Change<'_>) -> bool {
    let (group, name) = (change.kind.group, change.kind.name);
    !QUESTIONS.contains(&group)
        && !["Binding", "ComponentStatus", "Eviction", "Scale"].contains(&name)
}

fn form_of(change: &Change<'_>, release: Release) -> Option<NameFormat> {
    let (group, name) = (change.kind.group, change.kind.name);
    if ELSEWHERE.contains(&(group, name)) || QUESTIONS.contains(&group) {
        return None;
    }
    if (group, name) == ("", "Service") && !release.since(36) {
        return Some(NameFormat::Label1035);
    }
    let row = ODD.iter().find(|row| (row.0, row.1) == (group, name));
    Some(row.map_or(NameFormat::Subdomain, |row| row.2))
}

/// The name of a new object: what it is called, and what its name would begin with.
pub(crate) fn check_new(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let Some(form) = form_of(ctx.change, ctx.policy.release) else { return };
    let metadata = ctx.change.new_root().field("metadata");
    let (name, stem) = (metadata.field("name"), metadata.field("generateName"));
    let (text, start) = (name.text_or_empty(), stem.text_or_empty());
    if !start.is_empty() {
        forms::stem_faults(form, start, |detail| {
            verdict.problem(FieldError::invalid(&RULE, &stem, start, detail));
        });
    }
    // A server has made a name of the stem by now; behind other doors there is none to look at.
    if !text.is_empty() {
        tell(&name, text, form, verdict);
        check_derived(ctx, &name, verdict);
    } else if start.is_empty() {
        let detail = "name or generateName is required";
        verdict.problem(FieldError::new(&RULE, Cause::Required, &name, detail));
    }
    check_namespace(&metadata.field("namespace"), verdict);
}

/// Some objects are called after what they define.
fn check_derived(ctx: &ValidationContext<'_>, name: &At<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let text = |names: &[&'static str]| spec.descend(names).text_or_empty();
    let (wanted, detail) = match ctx.change.kind.name {
        "CustomResourceDefinition" => {
            let wanted = format!("{}.{}", text(&["names", "plural"]), text(&["group"]));
            (wanted, String::from("must be spec.names.plural+\".\"+spec.group"))
        }
        "APIService" => {
            let wanted = format!("{}.{}", text(&["version"]), text(&["group"]));
            let shown = ratchet_net::Quoted(&wanted);
            let detail = format!("must be `spec.version+\".\"+spec.group`: {shown}");
            (wanted, detail)
        }
        _ => return,
    };
    if name.text_or_empty() != wanted {
        verdict.problem(FieldError::invalid(&RULE, name, name.text_or_empty(), detail));
    }
}

/// A namespace, where one is named, is called what namespaces are called.
fn check_namespace(at: &At<'_>, verdict: &mut Verdict) {
    if !at.text_or_empty().is_empty() {
        tell(at, at.text_or_empty(), NameFormat::Label, verdict);
    }
}

fn tell(at: &At<'_>, text: &str, form: NameFormat, verdict: &mut Verdict) {
    forms::faults(form, text, |detail| {
        verdict.problem(FieldError::invalid(&RULE, at, text, detail));
    });
}

/// Kinds that cannot be replaced by one who does not say which version he has seen.
const VERSIONED: [(&str, &str); 21] = [
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
    ("certificates.k8s.io", "ClusterTrustBundle"),
    ("certificates.k8s.io", "PodCertificateRequest"),
    ("coordination.k8s.io", "Lease"),
    ("coordination.k8s.io", "LeaseCandidate"),
    ("internal.apiserver.k8s.io", "StorageVersion"),
    ("node.k8s.io", "RuntimeClass"),
    ("policy", "PodDisruptionBudget"),
    ("resource.k8s.io", "ResourcePoolStatusRequest"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "CSIStorageCapacity"),
    ("storage.k8s.io", "VolumeAttachment"),
    ("storagemigration.k8s.io", "StorageVersionMigration"),
];

/// Whether a replacement must name the version that it replaces. A server refuses one that does
/// not, with `metadata.resourceVersion: Invalid value: 0: must be specified for an update`; a
/// custom resource must name it too.
pub fn demands_version(group: &str, kind: &str) -> bool {
    VERSIONED.contains(&(group, kind))
        || !ratchet_object::schema::KINDS.iter().any(|row| row.group == group)
}
