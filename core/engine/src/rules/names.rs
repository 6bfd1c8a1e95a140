//! Rules RTC-API-012 and RTC-API-015: name formats of objects, by kind, and of names inside objects.

use crate::composed_names;
use crate::context::ValidationContext;
use crate::name_format::{self, NameFormat};
use crate::rules::ineffective_setting;
use crate::{Cause, Change, FieldError, Origin, Ratchet, Release, Rule, Verdict, Warning};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

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

/// Rule for names inside objects.
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

/// Kinds whose name format is not a DNS subdomain.
const FORMATS: [(&str, &str, NameFormat); 14] = [
    ("", "Event", NameFormat::PathSegment),
    ("", "Namespace", NameFormat::Label),
    ("", "Service", NameFormat::Label),
    ("apps", "StatefulSet", NameFormat::Label),
    ("apiregistration.k8s.io", "APIService", NameFormat::PathSegment),
    ("certificates.k8s.io", "CertificateSigningRequest", NameFormat::PathSegment),
    ("certificates.k8s.io", "ClusterTrustBundle", NameFormat::PathSegment),
    ("coordination.k8s.io", "LeaseCandidate", NameFormat::ConfigKey),
    ("internal.apiserver.k8s.io", "StorageVersion", NameFormat::PathSegment),
    ("policy", "PodDisruptionBudget", NameFormat::PathSegment),
    ("rbac.authorization.k8s.io", "ClusterRole", NameFormat::PathSegment),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", NameFormat::PathSegment),
    ("rbac.authorization.k8s.io", "Role", NameFormat::PathSegment),
    ("rbac.authorization.k8s.io", "RoleBinding", NameFormat::PathSegment),
];

/// Kinds whose names become host names, and the warning when one is no DNS label.
const HOST_NAMES: [(&str, &str); 6] = [
    ("Pod", "this is used in the Pod's hostname"),
    ("CronJob", WORKLOAD),
    ("Deployment", WORKLOAD),
    ("Job", WORKLOAD),
    ("ReplicaSet", WORKLOAD),
    ("ReplicationController", WORKLOAD),
];
const WORKLOAD: &str = "this is used in Pod names and hostnames";

/// Warns about a new object whose name becomes a host name but is no DNS label.
pub(crate) fn warn_host_name(change: &Change<'_>, verdict: &mut Verdict) {
    let name = change.new_root().field("metadata").field("name");
    let text = name.text_or_empty();
    let row = HOST_NAMES.iter().find(|row| row.0 == change.kind.name);
    // A generated name is not known yet.
    let Some((_, used)) = row.filter(|_| change.is_create() && !text.is_empty()) else { return };
    let mut faults: Vec<Cow<'static, str>> = Vec::new();
    name_format::faults(NameFormat::Label, text, |fault| faults.push(fault));
    if !faults.is_empty() {
        let faults = faults.join(" ");
        let message = format!(
            "metadata.name: {used}, which can result in surprising behavior; a DNS label is recommended: [{faults}]"
        );
        verdict.warn(Warning::new(&ineffective_setting::RULE, &name, message));
    }
}

/// Kinds whose names are validated elsewhere, or not at all.
const NOT_CHECKED: [(&str, &str); 5] = [
    ("", "Binding"),
    ("", "ComponentStatus"),
    ("autoscaling", "Scale"),
    ("networking.k8s.io", "IPAddress"),
    ("policy", "Eviction"),
];

/// Groups of review APIs, whose objects are not stored.
const REVIEW_GROUPS: [&str; 2] = ["authentication.k8s.io", "authorization.k8s.io"];

/// Whether objects of the kind are stored, and so have metadata to validate.
pub(crate) fn are_stored(change: &Change<'_>) -> bool {
    const UNSTORED: [(&str, &str); 4] = [
        ("", "Binding"),
        ("", "ComponentStatus"),
        ("autoscaling", "Scale"),
        ("policy", "Eviction"),
    ];
    let (group, name) = (change.kind.group, change.kind.name);
    !REVIEW_GROUPS.contains(&group) && !UNSTORED.contains(&(group, name))
}

fn format_of(change: &Change<'_>, release: Release) -> Option<NameFormat> {
    let (group, name) = (change.kind.group, change.kind.name);
    if NOT_CHECKED.contains(&(group, name)) || REVIEW_GROUPS.contains(&group) {
        return None;
    }
    if (group, name) == ("", "Service") && !release.since(36) {
        return Some(NameFormat::Label1035);
    }
    let row = FORMATS.iter().find(|row| (row.0, row.1) == (group, name));
    Some(row.map_or(NameFormat::Subdomain, |row| row.2))
}

/// Kinds that check the name that was made, and leave what it was made from to the checks of every kind.
const FREE_PREFIX: [(&str, &str); 2] =
    [("", "ReplicationController"), ("resource.k8s.io", "DeviceClass")];

/// The format of `generateName` where names have this one.
fn prefix_format(change: &Change<'_>, format: NameFormat) -> NameFormat {
    match FREE_PREFIX.contains(&(change.kind.group, change.kind.name)) {
        true => NameFormat::PathSegment,
        false => format,
    }
}

/// Checks `name`, `generateName` and `namespace` of a new object.
pub(crate) fn check_new(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let Some(format) = format_of(ctx.change, ctx.config.release) else { return };
    let metadata = ctx.change.new_root().field("metadata");
    let (name, generate_name) = (metadata.field("name"), metadata.field("generateName"));
    let (text, prefix) = (name.text_or_empty(), generate_name.text_or_empty());
    if !prefix.is_empty() {
        check_name(ctx, &generate_name, (prefix_format(ctx.change, format), true), verdict);
        check_derived(ctx, &generate_name, verdict);
    }
    // A server has generated the name by now; behind other doors there is none to check.
    if !text.is_empty() {
        check_name(ctx, &name, (format, false), verdict);
        check_derived(ctx, &name, verdict);
    } else if prefix.is_empty() {
        let detail = "name or generateName is required";
        verdict.add_error(FieldError::new(&RULE, Cause::Required, &name, detail));
    }
    check_namespace(&metadata.field("namespace"), verdict);
}

/// Checks `generateName` of a stored object, in the form of its kind or of any name.
pub(crate) fn check_prefix(ctx: &ValidationContext<'_>, is_of_kind: bool, verdict: &mut Verdict) {
    let format = match is_of_kind {
        true => format_of(ctx.change, ctx.config.release)
            .map(|format| prefix_format(ctx.change, format)),
        false => Some(NameFormat::PathSegment),
    };
    let metadata = ctx.change.new_root().field("metadata");
    let prefix = metadata.field("generateName");
    let text = prefix.text_or_empty();
    if let Some(format) = format.filter(|_| !text.is_empty()) {
        match is_of_kind {
            true => check_name(ctx, &prefix, (format, true), verdict),
            false => name_format::prefix_faults(format, text, |detail| {
                verdict.add_error(FieldError::invalid(&RULE, &prefix, text, detail));
            }),
        }
    }
    // Other names are what they were, but these depend on the rest of the object.
    if is_of_kind && composed_names::of_kind(ctx.change).is_some() {
        check_name(ctx, &metadata.field("name"), (NameFormat::PathSegment, false), verdict);
    }
}

/// Checks a name, or the beginning of one, in a format or as its kind composes it.
fn check_name(
    ctx: &ValidationContext<'_>,
    at: &At<'_>,
    (format, is_prefix): (NameFormat, bool),
    verdict: &mut Verdict,
) {
    let text = at.text_or_empty();
    let mut report = |detail: Cow<'static, str>| {
        verdict.add_error(FieldError::invalid(&RULE, at, text, detail));
    };
    match composed_names::of_kind(ctx.change) {
        Some(faults) => faults(ctx.change, text, is_prefix, &mut report),
        None if is_prefix => name_format::prefix_faults(format, text, report),
        None => name_format::faults(format, text, report),
    }
}

/// Checks names that derive from the spec.
fn check_derived(ctx: &ValidationContext<'_>, name: &At<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let text = |names: &[&'static str]| spec.descend(names).text_or_empty();
    let (expected, detail) = match (ctx.change.kind.group, ctx.change.kind.name) {
        ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            let expected = format!("{}.{}", text(&["names", "plural"]), text(&["group"]));
            (expected, String::from("must be spec.names.plural+\".\"+spec.group"))
        }
        ("apiregistration.k8s.io", "APIService") => {
            let expected = format!("{}.{}", text(&["version"]), text(&["group"]));
            let formatted = ratchet_net::Quoted(&expected);
            let detail = format!("must be `spec.version+\".\"+spec.group`: {formatted}");
            (expected, detail)
        }
        _ => return,
    };
    if name.text_or_empty() != expected {
        verdict.add_error(FieldError::invalid(&RULE, name, name.text_or_empty(), detail));
    }
}

/// Checks the format of `metadata.namespace`, if set.
fn check_namespace(at: &At<'_>, verdict: &mut Verdict) {
    if !at.text_or_empty().is_empty() {
        check_format(at, at.text_or_empty(), NameFormat::Label, verdict);
    }
}

fn check_format(at: &At<'_>, text: &str, format: NameFormat, verdict: &mut Verdict) {
    name_format::faults(format, text, |detail| {
        verdict.add_error(FieldError::invalid(&RULE, at, text, detail));
    });
}

/// Kinds whose updates must state `resourceVersion` (`AllowUnconditionalUpdate` is false).
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

/// Whether an update must state `resourceVersion`. A server refuses one that does not, with
/// `metadata.resourceVersion: Invalid value: 0: must be specified for an update`; custom resources must state it too.
pub fn demands_version(group: &str, kind: &str) -> bool {
    VERSIONED.contains(&(group, kind))
        || !ratchet_object::schema::KINDS.iter().any(|row| row.group == group)
}
