//! `Strategy`: what a kind does on create, update and delete, as data.

use ratchet_access::User;
use ratchet_engine::Gates;
use ratchet_object::Node;

/// When `metadata.generation` is incremented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// The kind has no generation.
    Absent,
    /// Always one.
    One,
    /// On every change of this field.
    Of(&'static str),
    /// On every change of this field; not set on create.
    Later(&'static str),
    /// On every change of the spec or the annotations.
    OfSpecAndAnnotations,
    /// On every change of this field, also from an absent list to an empty one: some strategies of the
    /// reference compare with `reflect.DeepEqual`.
    OfExactly(&'static str),
    /// On every change of labels, or outside of metadata and status.
    OfContentAndLabels,
}

/// The default of a deletion for the dependents of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependents {
    /// They are deleted.
    Delete,
    /// They are orphaned, unless the options say otherwise.
    Orphan,
    /// There are none; the propagation policy is ignored.
    None,
}

/// How an object of a kind is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// At once, unless it has finalizers.
    AtOnce,
    /// After the grace period in which the kubelet ends the containers of a Pod.
    Graceful,
    /// In a phase of its own, until the finalizers in the spec of a Namespace are gone.
    Phased,
    /// After all objects of a CustomResourceDefinition, for which it gets a finalizer.
    Cleaned,
}

/// The inputs of a create strategy beside the object.
pub(crate) struct CreateContext<'a> {
    /// The feature gates, which decide which fields are kept.
    pub gates: &'a Gates,
    /// The requesting user.
    pub user: &'a User,
    /// The current time as a `metav1.Time`.
    pub now: &'a str,
}

/// Prepares a new object.
type PrepareCreate = fn(&mut Node<'static>, &CreateContext<'_>);

/// Prepares a new object from the stored one, at a time.
type PrepareUpdate = fn(&mut Node<'static>, &Node<'_>, &str);

/// The create, update and delete strategy of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Strategy {
    /// API group.
    pub group: &'static str,
    /// The kind, which with the group is the key of the row.
    pub kind: &'static str,
    /// When the generation is incremented.
    pub generation: Generation,
    /// `AllowCreateOnUpdate`: whether a PUT creates a missing object.
    pub allows_create_on_update: bool,
    /// Whether an update requires `resourceVersion` (not `AllowUnconditionalUpdate`).
    pub requires_version: bool,
    /// Whether a deletion returns the deleted object.
    pub returns_deleted: bool,
    /// Whether the status is kept on create.
    pub keeps_status_on_create: bool,
    /// Whether updates of the main resource cannot change the spec.
    pub restores_spec: bool,
    /// The default for dependents on deletion.
    pub dependents: Dependents,
    /// Whether `generateName` is used as the name, without a random suffix.
    pub uses_name_as_is: bool,
    /// Metadata fields that a status update cannot change.
    pub status_restores: &'static [&'static str],
    /// How an object is deleted.
    pub deletion: Deletion,
    /// Whether a deletion without a propagation policy warns that it orphans dependents.
    pub warns_of_orphans: bool,
    /// Whether objects expire after `--event-ttl`.
    pub expires: bool,
    /// Whether objects claim cluster IPs and node ports.
    pub allocates: bool,
    /// What the kind's version always has, but only the server sets: without it, its fields cannot be compared.
    pub(super) on_tracking: Option<fn(&mut Node<'static>)>,
    /// The kind's own part of `PrepareForCreate`.
    pub(super) on_create: Option<PrepareCreate>,
    /// What is added to a new object that is valid: warnings are about the object without it.
    pub(super) on_valid: Option<fn(&mut Node<'static>)>,
    /// The kind's own part of `PrepareForUpdate`.
    pub(super) on_update: Option<PrepareUpdate>,
    /// The same for the status.
    pub(super) on_status_update: Option<PrepareUpdate>,
    /// The same for the approval of a CertificateSigningRequest.
    pub(super) on_approval: Option<PrepareUpdate>,
}

/// The metadata fields that status updates of most newer kinds cannot change.
pub(super) const ALL_METADATA: &[&str] =
    &["annotations", "finalizers", "labels", "ownerReferences"];

/// The default strategy.
pub(super) const PLAIN: Strategy = Strategy {
    group: "",
    kind: "",
    generation: Generation::Absent,
    allows_create_on_update: false,
    requires_version: false,
    returns_deleted: false,
    keeps_status_on_create: false,
    restores_spec: false,
    dependents: Dependents::Delete,
    uses_name_as_is: false,
    status_restores: &[],
    deletion: Deletion::AtOnce,
    warns_of_orphans: false,
    expires: false,
    allocates: false,
    on_tracking: None,
    on_create: None,
    on_valid: None,
    on_update: None,
    on_status_update: None,
    on_approval: None,
};

/// The default strategy for a kind.
pub(super) const fn row(group: &'static str, kind: &'static str) -> Strategy {
    Strategy { group, kind, ..PLAIN }
}

impl Strategy {
    pub(super) const fn counts(self, generation: Generation) -> Self {
        Self { generation, ..self }
    }

    pub(super) const fn allows_create_on_update(self) -> Self {
        Self { allows_create_on_update: true, ..self }
    }

    pub(super) const fn requires_version(self) -> Self {
        Self { requires_version: true, ..self }
    }

    pub(super) const fn returns_deleted(self) -> Self {
        Self { returns_deleted: true, ..self }
    }

    pub(super) const fn status_restores(self, status_restores: &'static [&'static str]) -> Self {
        Self { status_restores, ..self }
    }

    pub(super) const fn keeps_status_on_create(self) -> Self {
        Self { keeps_status_on_create: true, ..self }
    }

    pub(super) const fn dependents(self, dependents: Dependents) -> Self {
        Self { dependents, ..self }
    }

    pub(super) const fn uses_name_as_is(self) -> Self {
        Self { uses_name_as_is: true, ..self }
    }

    pub(super) const fn restores_spec(self) -> Self {
        Self { restores_spec: true, ..self }
    }

    pub(super) const fn deletion(self, deletion: Deletion) -> Self {
        Self { deletion, ..self }
    }

    pub(super) const fn warns_of_orphans(self) -> Self {
        Self { warns_of_orphans: true, ..self }
    }

    pub(super) const fn expires(self) -> Self {
        Self { expires: true, ..self }
    }

    pub(super) const fn allocates(self) -> Self {
        Self { allocates: true, ..self }
    }

    /// Adds what the kind's version always has.
    pub(crate) fn complete_for_tracking(&self, node: &mut Node<'static>) {
        if let Some(complete) = self.on_tracking {
            complete(node);
        }
    }

    /// Whether nothing but its canonical form is made of an object before owners of its fields are found.
    pub(crate) fn is_tracked_as_sent(&self) -> bool {
        self.on_tracking.is_none()
    }

    pub(super) const fn on_tracking(self, complete: fn(&mut Node<'static>)) -> Self {
        Self { on_tracking: Some(complete), ..self }
    }

    pub(super) const fn on_valid(self, complete: fn(&mut Node<'static>)) -> Self {
        Self { on_valid: Some(complete), ..self }
    }

    /// Completes a new object that is valid.
    pub(crate) fn complete_valid(&self, node: &mut Node<'static>) {
        if let Some(complete) = self.on_valid {
            complete(node);
        }
    }

    pub(super) const fn on_create(self, prepare: PrepareCreate) -> Self {
        Self { on_create: Some(prepare), ..self }
    }

    pub(super) const fn on_update(self, prepare: PrepareUpdate) -> Self {
        Self { on_update: Some(prepare), ..self }
    }

    pub(super) const fn on_status_update(self, prepare: PrepareUpdate) -> Self {
        Self { on_status_update: Some(prepare), ..self }
    }

    pub(super) const fn on_approval(self, prepare: PrepareUpdate) -> Self {
        Self { on_approval: Some(prepare), ..self }
    }
}
