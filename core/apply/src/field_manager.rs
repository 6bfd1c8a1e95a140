//! The field manager of an endpoint: applies configurations, and records all other writes.

use crate::cap::cap_update_managers;
use crate::conflict::Conflict;
use crate::converter::{Converter, api_version};
use crate::entry::{ManagedFieldsEntry, Operation, is_reset, managed_fields};
use crate::error::ApplyError;
use crate::last_applied::{self, KUBECTL};
use crate::managed::{Managed, ManagerId};
use crate::reset_fields::ResetFields;
use crate::schema::TypeRef;
use crate::typed::{Duplicates, validate};
use crate::updater::{ApplyFailure, FieldConflicts, Outcome, Typed, Updater, Writer};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{GroupVersionKind, Node, Value};

/// The field manager of an endpoint.
#[derive(Clone, Copy)]
pub struct FieldManager<'a> {
    /// The kind of the endpoint's objects, in the version of the request.
    pub kind: GroupVersionKind<'a>,
    /// The subresource; empty for the object itself.
    pub subresource: &'a str,
    /// The versions of the kind.
    pub converter: &'a dyn Converter,
    /// The fields that the endpoint ignores.
    pub reset_fields: Option<ResetFields<'a>>,
}

/// Who applies, and how.
#[derive(Clone, Copy, Debug)]
pub struct ApplyOptions<'a> {
    /// `fieldManager`.
    pub manager: &'a str,
    /// Whether to take over what others own.
    pub force: bool,
    /// The time of the request, in RFC 3339 with seconds and `Z`.
    pub now: &'a str,
}

/// The outcome of an apply.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The live object with the configuration, in the version of the request. It has no `managedFields`, no defaults,
    /// and `null` where that was applied or where all parts are gone.
    pub object: Node<'static>,
    /// Whether it differs from the live object.
    pub is_changed: bool,
    /// The entries for its `managedFields`, sorted.
    pub managed_fields: Vec<ManagedFieldsEntry>,
}

/// The manager of fields that were there before the first apply.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// The manager of writes without one.
const UNKNOWN: &str = "unknown";

impl<'a> FieldManager<'a> {
    /// Applies a configuration to the live object, which is in the version of the request; none if it does not exist.
    pub fn apply(
        &self,
        live: Option<&Node<'_>>,
        config: &Node<'_>,
        options: ApplyOptions<'_>,
    ) -> Result<Applied, ApplyError> {
        check_kind(self.kind, config)?;
        check_managed_fields(config)?;
        let new = self.converter.new_object(self.kind);
        let version = api_version(self.kind);
        let attempt = Attempt {
            updater: self.updater(&version),
            new: &new,
            live: live.unwrap_or(&new),
            config,
            kind: self.kind,
            version: &version,
            subresource: self.subresource,
            options,
        };
        attempt.apply()
    }

    /// The entries after a write that is no apply; none if they were reset, or if the objects do not fit their schemas.
    ///
    /// Both objects are complete, with defaults, in the version of the request; `live` is none if the write creates the
    /// object. Entries in `new` are those that the client sent.
    #[must_use]
    pub fn update(
        &self,
        live: Option<&Node<'_>>,
        new: &Node<'_>,
        manager: &str,
        now: &str,
    ) -> Vec<ManagedFieldsEntry> {
        self.try_update(live, new, manager, now).unwrap_or_default()
    }

    /// The same, with what is wrong with the objects or the entries.
    pub fn try_update(
        &self,
        live: Option<&Node<'_>>,
        new: &Node<'_>,
        manager: &str,
        now: &str,
    ) -> Result<Vec<ManagedFieldsEntry>, String> {
        let empty = self.converter.new_object(self.kind);
        let version = api_version(self.kind);
        let managed = self.decode_live_or_new(live, new);
        // Who has reset the entries does not want them until the next apply.
        if managed.is_empty() && live.is_some() {
            return Ok(Vec::new());
        }
        let updater = self.updater(&version);
        let ty = typed(&updater, &version)?;
        let live = live.unwrap_or(&empty);
        for object in [live, new] {
            check_stored(self.converter, object, ty)?;
        }
        let states = (Typed { object: live, ty }, Typed { object: new, ty });
        let writer = Writer { id: update_id(manager, &version, self.subresource), now };
        let mut managed = updater.update(states, managed, writer)?;
        cap_update_managers(&mut managed);
        Ok(managed.encode())
    }

    /// The entries that a client sent, or those of the live object if it sent none that can be decoded.
    fn decode_live_or_new<'n>(&self, live: Option<&'n Node<'_>>, new: &'n Node<'_>) -> Managed<'n> {
        let of_live = || Managed::decode(live.and_then(managed_fields)).unwrap_or_default();
        if !self.subresource.is_empty() {
            return of_live();
        }
        let sent = managed_fields(new);
        if is_reset(sent) {
            return Managed::default();
        }
        match Managed::decode(sent) {
            Ok(managed) if !managed.is_empty() => managed,
            _ => of_live(),
        }
    }

    fn updater<'n>(&self, version: &'n str) -> Updater<'n>
    where
        'a: 'n,
    {
        Updater { converter: self.converter, reset_fields: self.reset_fields, api_version: version }
    }
}

/// Who writes without applying.
pub(crate) fn update_id<'n>(
    manager: &'n str,
    version: &'n str,
    subresource: &'n str,
) -> ManagerId<'n> {
    let manager = if manager.is_empty() { UNKNOWN } else { manager };
    ManagerId::new(manager, Operation::Update, version, subresource)
}

fn typed<'n>(updater: &Updater<'n>, version: &str) -> Result<TypeRef<'n>, String> {
    let ty = updater.converter.type_of(version);
    ty.ok_or_else(|| format!("no corresponding type for {version}"))
}

/// Checks an object that is stored, or about to be; one item may be there twice.
fn check_stored(
    converter: &dyn Converter,
    object: &Node<'_>,
    ty: TypeRef<'_>,
) -> Result<(), String> {
    if converter.is_typed() { Ok(()) } else { validate(object, ty, Duplicates::Allowed) }
}

/// One apply, of which kubectl may need a second try.
struct Attempt<'n> {
    updater: Updater<'n>,
    /// An object of which nothing is set.
    new: &'n Node<'n>,
    live: &'n Node<'n>,
    config: &'n Node<'n>,
    kind: GroupVersionKind<'n>,
    version: &'n str,
    subresource: &'n str,
    options: ApplyOptions<'n>,
}

impl<'n> Attempt<'n> {
    fn apply(&self) -> Result<Applied, ApplyError> {
        let managed = Managed::decode(managed_fields(self.live)).map_err(|error| {
            ApplyError::Internal(format!("failed to decode managed fields: {error}"))
        })?;
        let ty = typed(&self.updater, self.version).map_err(ApplyError::Internal)?;
        let managed = if managed.is_empty() { self.before_first_apply(ty)? } else { managed };
        validate(self.config, ty, Duplicates::Refused).map_err(|error| {
            let object = describe(self.config);
            ApplyError::Internal(format!("failed to create typed patch object ({object}): {error}"))
        })?;
        check_stored(self.updater.converter, self.live, ty).map_err(|error| {
            let object = describe(self.live);
            ApplyError::Internal(format!("failed to create typed live object ({object}): {error}"))
        })?;

        let retry = (self.options.manager == KUBECTL).then(|| managed.clone());
        let first = self.attempt(ty, managed, self.options.force);
        let outcome = match (first, retry) {
            (Err(ApplyFailure::Conflicts(conflicts)), Some(managed)) => {
                match self.not_from_last_applied(ty, conflicts) {
                    conflicts if conflicts.is_empty() => self.attempt(ty, managed, true),
                    conflicts => Err(ApplyFailure::Conflicts(conflicts)),
                }
            }
            (first, _) => first,
        };
        let Outcome { mut object, is_changed, managed } = outcome.map_err(into_error)?;
        // What is stored was decoded before.
        let violation = self.updater.converter.decode_error(&object, self.kind);
        if let Some(error) = violation.filter(|_| is_changed) {
            let object = describe(self.config);
            return Err(ApplyError::Internal(format!(
                "failed to convert new object ({object}) to proper version: {error}"
            )));
        }
        if self.options.manager == KUBECTL {
            last_applied::update(&mut object, self.config);
        }
        Ok(Applied { object, is_changed, managed_fields: managed.encode() })
    }

    fn attempt(
        &self,
        ty: TypeRef<'n>,
        managed: Managed<'n>,
        force: bool,
    ) -> Result<Outcome<'n>, ApplyFailure<'n>> {
        let states = (Typed { object: self.live, ty }, Typed { object: self.config, ty });
        let manager = match self.options.manager {
            "" => UNKNOWN,
            manager => manager,
        };
        let id = ManagerId::new(manager, Operation::Apply, self.version, self.subresource);
        self.updater.apply(states, managed, Writer { id, now: self.options.now }, force)
    }

    /// Everything that an object without entries has belongs to one manager.
    fn before_first_apply(&self, ty: TypeRef<'n>) -> Result<Managed<'n>, ApplyError> {
        let failed = |error: String| {
            ApplyError::Internal(format!(
                "failed to create manager for existing fields: failed to convert new object ({}) to smd typed: {error}",
                describe(self.live)
            ))
        };
        check_stored(self.updater.converter, self.live, ty).map_err(failed)?;
        let states = (Typed { object: self.new, ty }, Typed { object: self.live, ty });
        let id = update_id(BEFORE_FIRST_APPLY, self.version, self.subresource);
        let writer = Writer { id, now: self.options.now };
        self.updater.update(states, Managed::default(), writer).map_err(failed)
    }

    /// The conflicts in fields that client-side apply has not set, or that have changed since.
    fn not_from_last_applied(
        &self,
        ty: TypeRef<'n>,
        conflicts: Vec<FieldConflicts<'n>>,
    ) -> Vec<FieldConflicts<'n>> {
        let Some(applied) = last_applied::last_applied(self.live, self.version) else {
            return conflicts;
        };
        let Some(allowed) = last_applied::allowed_conflicts(&applied, self.live, ty) else {
            return conflicts;
        };
        conflicts
            .into_iter()
            .map(|conflict| FieldConflicts {
                fields: conflict.fields.difference(&allowed),
                ..conflict
            })
            .filter(|conflict| !conflict.fields.is_empty())
            .collect()
    }
}

/// The most bytes of paths in conflicts: a long name can be part of many.
const MAX_PATHS: usize = 1 << 20;

fn into_error(failure: ApplyFailure<'_>) -> ApplyError {
    let found = match failure {
        ApplyFailure::Failed(message) => return ApplyError::Internal(message),
        ApplyFailure::Conflicts(found) => found,
    };
    let mut conflicts = Vec::new();
    let mut path_bytes = 0;
    for FieldConflicts { manager, fields } in found {
        fields.for_each(&mut |path| {
            if path_bytes < MAX_PATHS {
                let (field, manager) = (path.to_string(), manager.clone());
                path_bytes += field.len() + manager.len();
                conflicts.push(Conflict { field, manager });
            }
        });
    }
    ApplyError::Conflicts(conflicts)
}

/// The kind of a configuration must be that of the endpoint.
fn check_kind(kind: GroupVersionKind<'_>, config: &Node<'_>) -> Result<(), ApplyError> {
    let api_version = config.text_at(&["apiVersion"]);
    // What cannot be parsed is nothing at all.
    let found = if crate::converter::is_group_version(api_version) {
        GroupVersionKind::from_api_version(api_version, config.text_at(&["kind"]))
    } else {
        GroupVersionKind { group: "", version: "", kind: "" }
    };
    if found == kind {
        return Ok(());
    }
    Err(ApplyError::BadRequest(format!("invalid object type: {found}")))
}

/// A configuration cannot set the entries.
fn check_managed_fields(config: &Node<'_>) -> Result<(), ApplyError> {
    let sent = config.get("metadata").and_then(|metadata| metadata.get("managedFields"));
    match sent.map(|node| &node.value) {
        Some(Value::List(items))
            if items.iter().all(|item| matches!(item.value, Value::Map(_))) =>
        {
            Err(ApplyError::BadRequest("metadata.managedFields must be nil".to_string()))
        }
        _ => Ok(()),
    }
}

/// An object as errors name it: `default/x; apps/v1, Kind=Deployment`.
fn describe(object: &Node<'_>) -> String {
    let metadata = object.metadata();
    let kind = GroupVersionKind::from_api_version(
        object.text_at(&["apiVersion"]),
        object.text_at(&["kind"]),
    );
    format!("{}/{}; {kind}", metadata.namespace(), metadata.name())
}
