//! Deletion of definitions: all their objects go first, then they do.

use super::commit::commit;
use super::known::{Known, key};
use crate::app::App;
use crate::registry::custom::Definition;
use crate::registry::metadata;
use crate::status::StatusError;
use crate::storage::cache::{Item, ROOT, ResourceCache, storable, storable_as};
use jiff::Timestamp;
use ratchet_crd::definition::{
    CLEANUP_FINALIZER, Termination, set_condition, terminating_condition,
};
use ratchet_object::Node;
use ratchet_store::{Guard, Revision, Write};
use std::sync::Arc;

/// How many objects are deleted in one commit.
const BATCH: usize = 500;

/// How many commits one step makes for a definition, before others have their turn.
const BATCHES: usize = 20;

/// How long the reference waits for objects to go before it says so, in seconds.
const PATIENCE: i64 = 60;

/// The reason of a definition whose objects cannot be read, and so cannot be deleted.
const FAILED: &str = "InstanceDeletionFailed";

/// What a step did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// Whether it wrote anything: the next step looks at the result.
    pub(super) has_written: bool,
    /// Whether finalizers hold objects.
    pub(super) is_held: bool,
}

/// One step in the deletion of all definitions that are being deleted.
pub(super) async fn step(app: &Arc<App>, known: &Known) -> Result<Progress, StatusError> {
    let mut progress = Progress::default();
    for definition in known.deleted() {
        match advance(app, definition).await? {
            Advance::Written => progress.has_written = true,
            Advance::Held => progress.is_held = true,
        }
    }
    Ok(progress)
}

enum Advance {
    Written,
    Held,
}

async fn advance(app: &Arc<App>, definition: &Definition) -> Result<Advance, StatusError> {
    let reason = terminating_reason(definition);
    if !matches!(reason, "InstanceDeletionInProgress" | "InstanceDeletionCheck" | FAILED) {
        // From here on, nothing can be created: whoever creates an object makes sure that the definition is still the
        // one of before.
        write(app, definition, &Termination::InProgress).await?;
        return Ok(Advance::Written);
    }
    if definition.overlaps_built_in() {
        return finish(app, definition, &definition.overlapping_end()).await;
    }
    if !definition.view.is_established() {
        return finish(app, definition, &Termination::NeverEstablished).await;
    }
    // Everything that was created before is in the cache.
    app.cache.fresh().await?;
    let objects = app.cache.resource_cache(&definition.storage_name());
    if let Some(found) = objects.now().unreadable_within("") {
        if reason == FAILED {
            return Ok(Advance::Held);
        }
        let error = StatusError::from(found);
        let why = format!("could not list instances: {}", error.message);
        tracing::error!(definition = definition.view.name, why, "objects cannot be deleted");
        write(app, definition, &Termination::Failed(why)).await?;
        return Ok(Advance::Written);
    }
    if delete_objects(app, definition, &objects).await? {
        return Ok(Advance::Written);
    }
    if objects.is_empty() {
        return finish(app, definition, &Termination::Completed).await;
    }
    let since: Option<Timestamp> = definition.deleted_at.parse().ok();
    let waited = since.map_or(0, |since| app.seconds().saturating_sub(since.as_second()));
    if reason == "InstanceDeletionInProgress" && waited > PATIENCE {
        let why = Termination::Unconfirmed("context deadline exceeded".to_owned());
        write(app, definition, &why).await?;
        return Ok(Advance::Written);
    }
    Ok(Advance::Held)
}

fn terminating_reason(definition: &Definition) -> &str {
    let conditions = &definition.view.conditions;
    let condition = conditions.iter().find(|condition| condition.condition_type == "Terminating");
    condition.map_or("", |condition| &condition.reason)
}

/// Deletes objects, or marks those that finalizers hold; returns whether there were any to delete or to mark.
async fn delete_objects(
    app: &Arc<App>,
    definition: &Definition,
    objects: &ResourceCache,
) -> Result<bool, StatusError> {
    let snapshot = objects.now();
    if !definition.has_news(snapshot.revision) {
        return Ok(false);
    }
    let root = format!("{ROOT}{}/", definition.storage_name());
    let (mut has_written, now) = (false, app.now());
    let mut items = snapshot.items.values();
    for _ in 0..BATCHES {
        let mut writes = Vec::new();
        for item in items.by_ref() {
            writes.extend(deletion(&root, item, &definition.view.group, &now)?);
            if writes.len() == BATCH {
                break;
            }
        }
        if writes.is_empty() {
            break;
        }
        has_written = true;
        commit(&app.cache, writes).await?;
    }
    if !has_written {
        definition.set_held_at(snapshot.revision);
    }
    Ok(has_written)
}

/// The write that deletes an object, or records that it is to be deleted; none if that is recorded already.
fn deletion(root: &str, item: &Item, group: &str, now: &str) -> Result<Option<Write>, StatusError> {
    let (key, guard) = (format!("{root}{}", item.key), Guard::At(Revision(item.revision)));
    let (has_finalizers, is_terminating) =
        item.read(|node| (metadata::has_finalizers(node), metadata::is_terminating(node)));
    if !has_finalizers {
        return Ok(Some(Write::delete(&key, guard)));
    }
    if is_terminating {
        return Ok(None);
    }
    let mut node = item.node();
    let generation = node.metadata().generation().unwrap_or_default();
    let metadata = node.map_mut("metadata");
    metadata.set("deletionTimestamp", Node::string(now.to_owned()));
    metadata.set("deletionGracePeriodSeconds", Node::int(0));
    metadata.set("generation", Node::int(generation.saturating_add(1)));
    let value = match item.version() {
        Some(version) => storable_as(&node, &format!("{group}/{version}"))?,
        None => storable(&node)?,
    };
    Ok(Some(Write::put(&key, guard, value.bytes())))
}

/// Writes the condition of a deletion.
async fn write(
    app: &Arc<App>,
    definition: &Definition,
    termination: &Termination,
) -> Result<(), StatusError> {
    let mut node = definition.node();
    set_condition(&mut node, &terminating_condition(termination), &app.now());
    let guard = Guard::At(Revision(definition.revision()));
    let write = Write::put(&key(&definition.view.name), guard, storable(&node)?.bytes());
    commit(&app.cache, vec![write]).await.map(drop)
}

/// Takes the finalizer off, and with the last one the definition.
async fn finish(
    app: &Arc<App>,
    definition: &Definition,
    termination: &Termination,
) -> Result<Advance, StatusError> {
    let mut node = definition.node();
    set_condition(&mut node, &terminating_condition(termination), &app.now());
    let metadata = node.map_mut("metadata");
    let mut finalizers = metadata.remove("finalizers").unwrap_or_else(|| Node::list(Vec::new()));
    if let Some(items) = finalizers.items_mut() {
        items.retain(|finalizer| finalizer.text() != Some(CLEANUP_FINALIZER));
    }
    let is_last = finalizers.items().is_empty();
    if !is_last {
        metadata.set("finalizers", finalizers);
    }
    let (key, guard) = (key(&definition.view.name), Guard::At(Revision(definition.revision())));
    let write = match is_last {
        true => Write::delete(&key, guard),
        false => Write::put(&key, guard, storable(&node)?.bytes()),
    };
    commit(&app.cache, vec![write]).await?;
    Ok(Advance::Written)
}
