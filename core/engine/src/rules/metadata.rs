//! Rule RTC-API-013: metadata of every object beside its name: labels, annotations, owners, finalizers, managed fields.

use super::{immutable, labels, names};
use crate::context::ValidationContext;
use crate::{
    Cause, Change, FieldError, Origin, Ratchet, Rule, Verdict, format_value, name_format,
    name_format::NameFormat,
};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::LazyCell;
use ratchet_object::{At, Node};

pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-013",
    fields: &[
        "metadata.annotations of every kind and of every pod template",
        "metadata.finalizers, metadata.ownerReferences, metadata.managedFields of every kind",
        "metadata.generation of every kind",
    ],
    title: "malformed metadata",
    origin: Origin::Api,
    demands: "Annotations have keys like labels and at most 256 KiB in all; finalizers have a domain before their name, and none is added once an object is being deleted; owners are named in full, and one of them at most controls.",
    why: "Controllers and the garbage collector act on these fields alone: an object with a finalizer that nobody knows never goes away.",
    fix: "Spell keys and finalizers as `example.com/name`; give owners apiVersion, kind, name and uid.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

const MOST_ANNOTATIONS: usize = 256 * 1024;
pub(crate) const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];
const LONGEST_MANAGER: usize = 128;
const LONGEST_SUBRESOURCE: usize = 256;

/// How often the strategy of a kind itself validates the metadata of an update: as of a new object, and as of an
/// update. Other kinds validate it once, as of an update.
const VALIDATION_COUNTS: [(&str, &str, u8, u8); 37] = [
    ("", "ConfigMap", 1, 1),
    ("", "Endpoints", 1, 1),
    ("", "Event", 0, 0),
    ("", "LimitRange", 1, 0),
    ("", "Namespace", 1, 1),
    ("", "Node", 1, 1),
    ("", "PersistentVolume", 2, 0),
    ("", "PersistentVolumeClaim", 1, 1),
    ("", "Pod", 1, 1),
    ("", "Secret", 1, 1),
    ("", "ServiceAccount", 1, 1),
    ("batch", "Job", 1, 1),
    ("certificates.k8s.io", "ClusterTrustBundle", 1, 1),
    ("discovery.k8s.io", "EndpointSlice", 1, 0),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema", 1, 0),
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", 1, 0),
    ("internal.apiserver.k8s.io", "StorageVersion", 0, 0),
    ("networking.k8s.io", "Ingress", 1, 1),
    ("networking.k8s.io", "IngressClass", 1, 1),
    ("node.k8s.io", "RuntimeClass", 1, 1),
    ("policy", "PodDisruptionBudget", 0, 0),
    ("rbac.authorization.k8s.io", "ClusterRole", 1, 1),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", 1, 1),
    ("rbac.authorization.k8s.io", "Role", 1, 1),
    ("rbac.authorization.k8s.io", "RoleBinding", 1, 1),
    ("resource.k8s.io", "DeviceClass", 1, 1),
    ("resource.k8s.io", "ResourceClaim", 1, 1),
    ("resource.k8s.io", "ResourceClaimTemplate", 1, 1),
    ("storage.k8s.io", "StorageClass", 1, 1),
    ("storagemigration.k8s.io", "StorageVersionMigration", 1, 1),
    ("storage.k8s.io", "CSINode", 1, 0),
    ("storage.k8s.io", "VolumeAttachment", 1, 0),
    ("storage.k8s.io", "VolumeAttributesClass", 1, 1),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration", 1, 0),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", 1, 0),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", 1, 0),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", 1, 0),
];

/// Groups whose objects may have finalizers without a domain.
const LOOSE_FINALIZERS: [&str; 6] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "policy",
];

/// Validates metadata as often as the API does, because each pass reports its errors again.
pub(crate) fn check(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let change = ctx.change;
    if !names::are_stored(change) {
        return;
    }
    let metadata = change.new_root().field("metadata");
    let Some(old) = change.old_root() else {
        names::check_new(ctx, verdict);
        check_generation(&metadata, verdict);
        check_common(&metadata, verdict);
        check_finalizers(&metadata, verdict);
        if is_strict(change) {
            check_domains(&metadata, verdict);
        }
        return;
    };
    let old = old.field("metadata");
    let (create_count, update_count) = validation_counts(change);
    for pass in 0..=create_count {
        // The first pass is that of every kind, which knows no form of names.
        names::check_prefix(ctx, pass > 0, verdict);
        check_common(&metadata, verdict);
        check_finalizers(&metadata, verdict);
    }
    for _ in 0..=update_count {
        check_common(&metadata, verdict);
        check_update(&metadata, &old, verdict);
    }
    if is_strict(change) {
        for _ in 0..create_count + update_count {
            check_domains(&metadata, verdict);
        }
    }
}

/// Validates the metadata of an object inside another one; the fields of its errors are relative to it.
pub fn check_embedded(metadata: &Node<'_>, verdict: &mut Verdict) {
    let metadata = At::root(metadata);
    let (name, prefix) = (metadata.field("name"), metadata.field("generateName"));
    name_format::prefix_faults(NameFormat::PathSegment, prefix.text_or_empty(), |detail| {
        verdict.add_error(FieldError::invalid(&RULE, &prefix, prefix.text_or_empty(), detail));
    });
    let namespace = metadata.field("namespace");
    for (at, format) in [(name, NameFormat::PathSegment), (namespace, NameFormat::Label)] {
        let text = at.text_or_empty();
        if !text.is_empty() {
            name_format::faults(format, text, |detail| {
                verdict.add_error(FieldError::invalid(&RULE, &at, text, detail));
            });
        }
    }
    check_common(&metadata, verdict);
    check_finalizers(&metadata, verdict);
}

fn validation_counts(change: &Change<'_>) -> (u8, u8) {
    let row = VALIDATION_COUNTS
        .iter()
        .find(|row| (row.0, row.1) == (change.kind.group, change.kind.name));
    // A status is validated as an update only.
    match row.filter(|_| change.part != crate::Part::STATUS) {
        Some(row) => (row.2, row.3),
        None => (0, 1),
    }
}

fn is_strict(change: &Change<'_>) -> bool {
    let group = change.kind.group;
    let is_builtin = ratchet_object::schema::KINDS.iter().any(|row| row.group == group);
    // Nothing puts finalizers on events.
    let is_event = (group, change.kind.name) == ("", "Event");
    is_builtin && !is_event && !LOOSE_FINALIZERS.contains(&group)
}

/// Checks the generation of an object that a server has filled in: it gives most kinds a generation of its own, whatever
/// a manifest says.
fn check_generation(metadata: &At<'_>, verdict: &mut Verdict) {
    let generation = metadata.field("generation");
    let is_filled_in = !metadata.field("uid").text_or_empty().is_empty();
    if let Some(number) = generation.int().filter(|number| is_filled_in && *number < 0) {
        let detail = "must be greater than or equal to 0";
        let error = FieldError::new(&RULE, Cause::Invalid, &generation, detail);
        verdict.add_error(error.with_value(format!("{number}")));
    }
}

fn check_common(metadata: &At<'_>, verdict: &mut Verdict) {
    labels::check_map(&metadata.field("labels"), verdict);
    check_annotations(&metadata.field("annotations"), verdict);
    check_owners(&metadata.field("ownerReferences"), verdict);
    check_managers(&metadata.field("managedFields"), verdict);
}

/// Checks the annotations of an object, or of a pod template.
pub(crate) fn check_annotations(annotations: &At<'_>, verdict: &mut Verdict) {
    let mut size = 0;
    for (key, at) in annotations.entries() {
        size += key.len() + at.text_or_empty().len();
        let at = at.with_path(*annotations.path());
        // Annotation keys are case-insensitive here.
        labels::key_faults(&key.to_ascii_lowercase(), |detail| {
            verdict.add_error(FieldError::invalid(&RULE, &at, key, detail));
        });
    }
    if size > MOST_ANNOTATIONS {
        let detail = format!("may not be more than {MOST_ANNOTATIONS} bytes");
        verdict.add_error(FieldError::new(&RULE, Cause::TooLong, annotations, detail));
    }
}

fn check_owners(owners: &At<'_>, verdict: &mut Verdict) {
    let mut controller: Option<String> = None;
    let all = LazyCell::new(|| {
        let all: Vec<String> = owners.items().map(|at| format_value::owner(&at)).collect();
        format!("[{}]", all.join(","))
    });
    for owner in owners.items() {
        let at = |name: &'static str| owner.field(name).with_path(owners.path().field(name));
        let version = owner.field("apiVersion").text_or_empty();
        let kind = owner.field("kind").text_or_empty();
        // What is no group and version counts as neither.
        if version.is_empty() || version.ends_with('/') || version.matches('/').count() > 1 {
            let detail = "version must not be empty";
            verdict.add_error(FieldError::invalid(&RULE, &at("apiVersion"), version, detail));
        }
        for name in ["kind", "name", "uid"] {
            if owner.field(name).text_or_empty().is_empty() {
                verdict.add_error(FieldError::invalid(&RULE, &at(name), "", "must not be empty"));
            }
        }
        if (version, kind) == ("v1", "Event") {
            let detail = "/v1, Kind=Event is disallowed from being an owner";
            let error = FieldError::new(&RULE, Cause::Invalid, owners, detail);
            verdict.add_error(error.with_value(format_value::owner(&owner)));
        }
        if owner.field("controller").is_true() {
            let reference = format!("{kind}/{}", owner.field("name").text_or_empty());
            match &controller {
                None => controller = Some(reference),
                Some(first) => verdict.add_errors(1, || {
                    let detail = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {reference}"
                    );
                    FieldError::new(&RULE, Cause::Invalid, owners, detail).with_value(all.as_str())
                }),
            }
        }
    }
}

fn check_finalizers(metadata: &At<'_>, verdict: &mut Verdict) {
    let list = metadata.field("finalizers");
    for at in list.items() {
        let (text, at) = (at.text_or_empty(), at.with_path(*list.path()));
        name_format::faults(NameFormat::Qualified, text, |detail| {
            verdict.add_error(FieldError::invalid(&RULE, &at, text, detail));
        });
    }
    let has = |name: &str| list.items().any(|at| at.text_or_empty() == name);
    if has("orphan") && has("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        let error = FieldError::new(&RULE, Cause::Invalid, &list, detail);
        verdict.add_error(error.with_value(format_value::tree(list.node())));
    }
}

fn check_domains(metadata: &At<'_>, verdict: &mut Verdict) {
    for at in metadata.field("finalizers").items() {
        let text = at.text_or_empty();
        if !text.contains('/') && !STANDARD_FINALIZERS.contains(&text) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            verdict.add_error(FieldError::invalid(&RULE, &at, text, detail));
        }
    }
}

fn check_managers(list: &At<'_>, verdict: &mut Verdict) {
    for entry in list.items() {
        let operation = entry.field("operation");
        if !matches!(operation.text_or_empty(), "Apply" | "Update") {
            let detail = "must be `Apply` or `Update`";
            verdict.add_error(FieldError::invalid(
                &RULE,
                &operation,
                operation.text_or_empty(),
                detail,
            ));
        }
        let kind = entry.field("fieldsType");
        if !matches!(kind.text_or_empty(), "" | "FieldsV1") {
            let detail = "must be `FieldsV1`";
            verdict.add_error(FieldError::invalid(&RULE, &kind, kind.text_or_empty(), detail));
        }
        let manager = entry.field("manager");
        let text = manager.text_or_empty();
        for (at, letter) in text.char_indices().filter(|(_, letter)| !is_printable(*letter)) {
            verdict.add_errors(1, || {
                let detail =
                    format!("invalid character U+{:04X} (at position {at})", u32::from(letter));
                FieldError::invalid(&RULE, &manager, text, detail)
            });
        }
        for (name, most) in [("manager", LONGEST_MANAGER), ("subresource", LONGEST_SUBRESOURCE)] {
            if entry.field(name).text_or_empty().len() > most {
                let detail = format!("may not be more than {most} bytes");
                verdict.add_error(FieldError::new(
                    &RULE,
                    Cause::TooLong,
                    &entry.field(name),
                    detail,
                ));
            }
        }
    }
}

/// Whether Go calls a character printable: then quoting does not escape it.
fn is_printable(letter: char) -> bool {
    if letter.is_ascii() {
        return matches!(letter, ' '..='~');
    }
    let mut buffer = [0; 4];
    let text = letter.encode_utf8(&mut buffer);
    format!("{}", ratchet_net::Quoted(text)).len() == text.len() + 2
}

/// Checks immutable metadata, and finalizers added to an object that is being deleted. The server fills in fields that
/// the client leaves out.
fn check_update(metadata: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    let list = metadata.field("finalizers");
    if old.field("deletionTimestamp").is_set() {
        let before = old.field("finalizers");
        let before: BTreeSet<_> = before.items().map(|at| at.text()).collect();
        let is_new = |at: &At<'_>| !before.contains(&at.text());
        let mut added: Vec<&str> =
            list.items().filter(is_new).map(|at| at.text_or_empty()).collect();
        added.sort_unstable();
        added.dedup();
        if !added.is_empty() {
            let texts: Vec<String> =
                added.iter().map(|text| format!("{}", ratchet_net::Quoted(text))).collect();
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                texts.join(", ")
            );
            verdict.add_error(FieldError::new(&RULE, Cause::Forbidden, &list, detail));
        }
    }
    for name in ["name", "namespace", "uid"] {
        let at = metadata.field(name);
        let before = old.field(name).text_or_empty();
        if !at.text_or_empty().is_empty() && !before.is_empty() && at.text_or_empty() != before {
            immutable::changed(
                &at,
                format!("{}", ratchet_net::Quoted(at.text_or_empty())),
                verdict,
            );
        }
    }
    // The server preserves these once they are set; before that no client may set them.
    let grace = metadata.field("deletionGracePeriodSeconds");
    let before = old.field("deletionGracePeriodSeconds");
    if grace.is_set() && grace.int() != before.int() {
        immutable::changed(&grace, format_value::tree(grace.node()), verdict);
    }
    let deleted = metadata.field("deletionTimestamp");
    if deleted.is_set() && !old.field("deletionTimestamp").is_set() {
        immutable::changed(&deleted, format_value::tree(deleted.node()), verdict);
    }
}
