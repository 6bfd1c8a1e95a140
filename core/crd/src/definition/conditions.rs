//! Conditions of definitions, as functions of a definition and of the others.

use super::{
    ApprovalState, Condition, ConditionStatus, CustomResourceDefinition, Names, approval,
    is_protected_group,
};
use crate::errors::quoted;
use crate::path::Path;
use crate::schema::{JsonSchemaProps, structural_error, validate_structural};
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Node, Value};

impl Condition {
    fn new(
        condition_type: &'static str,
        status: ConditionStatus,
        reason: &'static str,
        message: impl Into<String>,
    ) -> Self {
        let message = message.into();
        Self { condition_type: condition_type.into(), status, reason: reason.into(), message }
    }
}

/// What the names of a definition get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamesReview {
    /// `status.acceptedNames`
    pub accepted_names: Names,
    /// `NamesAccepted`
    pub names_accepted: Condition,
    /// `Established`; to be followed by [`established_condition`] once the objects are served.
    pub established: Condition,
}

/// Reviews the names of a definition against those that others of its group have (`others` may contain it itself).
/// `None` if there is nothing to do: all its names are accepted.
pub fn review_names<'d>(
    definition: &CustomResourceDefinition,
    others: impl IntoIterator<Item = &'d CustomResourceDefinition>,
) -> Option<NamesReview> {
    let (requested, accepted) = (&definition.names, &definition.accepted_names);
    if requested == accepted {
        return None;
    }
    let mut resources: BTreeSet<&str> = BTreeSet::new();
    let mut kinds: BTreeSet<&str> = BTreeSet::new();
    let names = others.into_iter().filter(|other| other.group == definition.group);
    for names in names.map(|other| &other.accepted_names).chain([accepted]) {
        resources.extend([names.plural.as_str(), names.singular.as_str()]);
        resources.extend(names.short_names.iter().map(String::as_str));
        kinds.extend([names.kind.as_str(), names.list_kind.as_str()]);
    }
    let mut review = accepted.clone();
    let mut conflict: Option<(&'static str, String)> = None;
    let mut check = |requested: &str, accepted: &str, used: &BTreeSet<&str>, reason| {
        let is_free = requested == accepted || !used.contains(requested);
        if !is_free {
            conflict = Some((reason, in_use(requested)));
        }
        is_free
    };
    if check(&requested.plural, &accepted.plural, &resources, "PluralConflict") {
        review.plural = requested.plural.clone();
    }
    if check(&requested.singular, &accepted.singular, &resources, "SingularConflict") {
        review.singular = requested.singular.clone();
    }
    let taken: Vec<&String> = requested
        .short_names
        .iter()
        .filter(|name| !accepted.short_names.contains(name) && resources.contains(name.as_str()))
        .collect();
    if taken.is_empty() {
        review.short_names = requested.short_names.clone();
    } else {
        conflict = Some(("ShortNamesConflict", aggregate(&taken)));
    }
    let mut check = |requested: &str, accepted: &str, reason| {
        let is_free = requested == accepted || !kinds.contains(requested);
        if !is_free {
            conflict = Some((reason, in_use(requested)));
        }
        is_free
    };
    if check(&requested.kind, &accepted.kind, "KindConflict") {
        review.kind = requested.kind.clone();
    }
    if check(&requested.list_kind, &accepted.list_kind, "ListKindConflict") {
        review.list_kind = requested.list_kind.clone();
    }
    review.categories = requested.categories.clone();
    let names_accepted = match conflict {
        Some((reason, message)) => {
            Condition::new("NamesAccepted", ConditionStatus::False, reason, message)
        }
        None => Condition::new(
            "NamesAccepted",
            ConditionStatus::True,
            "NoConflicts",
            "no conflicts found",
        ),
    };
    let established = established(definition, &names_accepted);
    Some(NamesReview { accepted_names: review, names_accepted, established })
}

fn in_use(name: &str) -> String {
    alloc::format!("{} is already in use", quoted(name))
}

/// Several errors as one text: different ones in brackets.
fn aggregate(names: &[&String]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for name in names {
        let text = in_use(name);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [only] => only.clone(),
        all => alloc::format!("[{}]", all.join(", ")),
    }
}

/// What `Established` is right after a review of names.
fn established(definition: &CustomResourceDefinition, names_accepted: &Condition) -> Condition {
    let old = definition
        .conditions
        .iter()
        .find(|condition| condition.condition_type == "Established")
        .cloned();
    let current = old.unwrap_or_else(|| {
        Condition::new(
            "Established",
            ConditionStatus::False,
            "NotAccepted",
            "not all names are accepted",
        )
    });
    if current.status != ConditionStatus::True && names_accepted.status == ConditionStatus::True {
        const ACCEPTED: &str = "the initial names have been accepted";
        return Condition::new("Established", ConditionStatus::False, "Installing", ACCEPTED);
    }
    current
}

/// What `Established` becomes once names are accepted; `None` if it stays as it is. `ca_bundle_is_valid` says whether
/// the bundle of the conversion webhook, if it has one, is valid.
pub fn established_condition(
    definition: &CustomResourceDefinition,
    ca_bundle_is_valid: bool,
) -> Option<Condition> {
    if !definition.is_true("NamesAccepted") || definition.is_established() {
        return None;
    }
    Some(match ca_bundle_is_valid {
        true => Condition::new(
            "Established",
            ConditionStatus::True,
            "InitialNamesAccepted",
            "the initial names have been accepted",
        ),
        false => Condition::new(
            "Established",
            ConditionStatus::False,
            "InvalidCABundle",
            "The conversion webhook CABundle is invalid",
        ),
    })
}

/// `KubernetesAPIApprovalPolicyConformant`; `None` for groups that do not belong to Kubernetes.
pub fn approval_condition(definition: &CustomResourceDefinition) -> Option<Condition> {
    if !is_protected_group(&definition.group) {
        return None;
    }
    let (state, message) = approval(&definition.approved);
    let (status, reason) = match state {
        ApprovalState::Approved => (ConditionStatus::True, "ApprovedAnnotation"),
        ApprovalState::Bypassed => (ConditionStatus::False, "UnapprovedAnnotation"),
        ApprovalState::Missing => (ConditionStatus::False, "MissingAnnotation"),
        ApprovalState::Invalid => (ConditionStatus::False, "InvalidAnnotation"),
    };
    Some(Condition::new("KubernetesAPIApprovalPolicyConformant", status, reason, message))
}

/// `NonStructuralSchema` of the tree of a definition; `None` if all its schemas are structural.
pub fn structural_condition(definition: &Node<'_>) -> Option<Condition> {
    const TYPE: &str = "NonStructuralSchema";
    let mut texts: Vec<String> = Vec::new();
    let preserves = definition.find(&["spec", "preserveUnknownFields"]).and_then(Node::as_bool);
    if preserves == Some(true) {
        texts.push("spec.preserveUnknownFields: Invalid value: true: must be false".into());
    }
    let spec = Path::root("spec");
    let versions_path = spec.child("versions");
    let versions = definition.find(&["spec", "versions"]).map(Node::items).unwrap_or_default();
    for (index, version) in versions.iter().enumerate() {
        let Some(node) = version.find(&["schema", "openAPIV3Schema"]) else { continue };
        let schema = JsonSchemaProps::decode(node);
        if let Some(error) = structural_error(&schema) {
            let name = version.text_at(&["name"]);
            let message =
                alloc::format!("failed to check validation schema for version {name}: {error}");
            return Some(Condition::new(
                TYPE,
                ConditionStatus::Unknown,
                "StructuralError",
                message,
            ));
        }
        let version_path = versions_path.index(index);
        let schema_path = version_path.child("schema");
        let errors = validate_structural(&schema_path.child("openAPIV3Schema"), &schema);
        let text = |error: &ratchet_engine::FieldError| {
            alloc::format!("{}: {}", error.field, error.message())
        };
        texts.extend(errors.0.iter().map(text));
    }
    if texts.is_empty() {
        return None;
    }
    let message = match texts.as_slice() {
        [only] => only.clone(),
        all => alloc::format!("[{}]", all.join(", ")),
    };
    Some(Condition::new(TYPE, ConditionStatus::True, "Violations", message))
}

/// How far the deletion of a definition has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Termination {
    /// It was asked for.
    Pending,
    /// Objects are being deleted.
    InProgress,
    /// Objects could not be listed or deleted, for this reason.
    Failed(String),
    /// Objects remain, for this reason.
    Unconfirmed(String),
    /// All objects are gone.
    Completed,
    /// There were never any objects.
    NeverEstablished,
    /// Objects in the storage are those of a built-in resource, which stay.
    Overlapping,
}

/// The condition `Terminating` of a definition that is being deleted; it ends with the last object.
pub fn terminating_condition(termination: &Termination) -> Condition {
    const TYPE: &str = "Terminating";
    let holds =
        |reason, message: &str| Condition::new(TYPE, ConditionStatus::True, reason, message);
    let ends =
        |reason, message: &str| Condition::new(TYPE, ConditionStatus::False, reason, message);
    match termination {
        Termination::Pending => holds(
            "InstanceDeletionPending",
            "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        ),
        Termination::InProgress => {
            holds("InstanceDeletionInProgress", "CustomResource deletion is in progress")
        }
        Termination::Failed(message) => holds("InstanceDeletionFailed", message),
        Termination::Unconfirmed(error) => {
            let message =
                alloc::format!("could not confirm zero CustomResources remaining: {error}");
            holds("InstanceDeletionCheck", &message)
        }
        Termination::Completed => ends("InstanceDeletionCompleted", "removed all instances"),
        Termination::NeverEstablished => ends("NeverEstablished", "resource was never established"),
        Termination::Overlapping => ends(
            "OverlappingBuiltInResource",
            "instances overlap with built-in resources in storage",
        ),
    }
}

/// Sets a condition in the tree of a definition; the time of its last transition is `now` if its status changed.
pub fn set_condition(definition: &mut Node<'_>, condition: &Condition, now: &str) {
    let status = definition.map_mut("status");
    if status.get("conditions").is_none_or(|conditions| !matches!(conditions.value, Value::List(_)))
    {
        status.set("conditions", Node::list(Vec::new()));
    }
    let Some(conditions) = status.get_mut("conditions").and_then(Node::items_mut) else { return };
    let position =
        conditions.iter().position(|old| old.text_at(&["type"]) == condition.condition_type);
    let old = position.and_then(|position| conditions.get(position));
    let same_since = old
        .filter(|old| old.text_at(&["status"]) == condition.status.as_str())
        .map(|old| old.text_at(&["lastTransitionTime"]))
        .filter(|time| !time.is_empty());
    let time = String::from(same_since.unwrap_or(now));
    let node: Node<'static> = Node::map([
        ("type", Node::string(condition.condition_type.clone().into_owned())),
        ("status", Node::string(condition.status.as_str())),
        ("lastTransitionTime", Node::string(time)),
        ("reason", Node::string(condition.reason.clone().into_owned())),
        ("message", Node::string(condition.message.clone())),
    ]);
    match position.and_then(|position| conditions.get_mut(position)) {
        Some(old) => *old = node,
        None => conditions.push(node),
    }
}

#[cfg(test)]
mod tests;
