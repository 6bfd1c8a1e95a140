//! The task that follows the definitions: conditions, resources and deletions, until nothing is left to do.

use super::commit::commit;
use super::known::Known;
use super::{cleanup, conditions};
use crate::app::App;
use crate::status::StatusError;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How often objects that finalizers hold are looked at again.
const HELD_INTERVAL: Duration = Duration::from_millis(250);

/// How long nothing is tried after the store failed.
const FAILED_INTERVAL: Duration = Duration::from_secs(2);

/// How many writes may follow each other before waiting requests are answered.
const STEPS: usize = 32;

/// What is left to do after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// Nothing until a definition changes.
    Nothing,
    /// Objects are held, or there is more to delete.
    Objects,
    /// What failed.
    Everything,
}

impl Rest {
    /// When to go on, though no definition changed.
    fn interval(self) -> Option<Duration> {
        match self {
            Self::Nothing => None,
            Self::Objects => Some(HELD_INTERVAL),
            Self::Everything => Some(FAILED_INTERVAL),
        }
    }
}

/// Follows the definitions until the server is drained.
pub(crate) async fn run(app: Arc<App>) {
    let definitions = &app.definitions;
    let mut changed = definitions.cache.changes();
    // After a start: whatever was not finished when the server stopped.
    let known = definitions.known.load_full();
    let mut dirty = conditions::unsettled(&known);
    loop {
        changed.mark_unchanged();
        let rest = match round(&app, &mut dirty).await {
            Ok(rest) => rest,
            Err(error) => {
                tracing::warn!(
                    error = error.message,
                    "definitions could not be brought up to date"
                );
                Rest::Everything
            }
        };
        let interval = rest.interval();
        tokio::select! {
            more = changed.changed() => {
                if more.is_err() {
                    break;
                }
            }
            () = tokio::time::sleep(interval.unwrap_or_default()), if interval.is_some() => {}
            () = app.drain.wait() => break,
        }
    }
    // The server stops: nobody waits for what the next one will do.
    definitions.settled.send_replace(u64::MAX);
}

/// Brings conditions, resources and deletions up to date with the cache; `dirty` are the definitions whose conditions may
/// have to change.
async fn round(app: &Arc<App>, dirty: &mut BTreeSet<Arc<str>>) -> Result<Rest, StatusError> {
    let definitions = &app.definitions;
    let mut rest = Rest::Nothing;
    // What was written here is up to date.
    let mut written = 0;
    // The definitions up to this revision are in force.
    let mut in_force = None;
    for _ in 0..STEPS {
        let snapshot = definitions.cache.now();
        let changes = app.compute.run(|| definitions.refresh(&snapshot)).await;
        let mut known = definitions.known.load_full();
        let is_news = |known: &Known, name: &Arc<str>| {
            known.get(name).is_none_or(|definition| definition.revision() != written)
        };
        dirty.extend(changes.unsettled(&known).filter(|name| is_news(&known, name)));
        let groups = dirty.iter().filter_map(|name| known.get(name)).map(|one| &*one.view.group);
        let naming = definitions.naming.lock_all(groups).await;
        // Whoever created a definition of these groups is done, and may have got a name that was free before. Those of
        // other groups have their turn in the next round.
        let mut later = BTreeSet::new();
        let newer = definitions.cache.now();
        if newer.revision != snapshot.revision {
            let changes = app.compute.run(|| definitions.refresh(&newer)).await;
            known = definitions.known.load_full();
            later.extend(changes.unsettled(&known).filter(|name| is_news(&known, name)));
        }
        definitions.without_established(&known, [dirty, &mut later]);
        let writes = app.compute.run(|| conditions::writes(&known, dirty, &app.now())).await?;
        let has_written = match writes.is_empty() {
            true => false,
            false => match commit(&app.cache, writes).await {
                Ok(Some(revision)) => {
                    written = revision;
                    true
                }
                // Another write was faster, or the store failed: what was dirty still is.
                refused => {
                    dirty.append(&mut later);
                    refused?;
                    continue;
                }
            },
        };
        drop(naming);
        *dirty = later;
        if has_written {
            continue;
        }
        definitions.install(&app.registry, &app.cache);
        in_force = Some(snapshot.revision);
        let progress = cleanup::step(app, &known).await?;
        if !progress.has_written {
            rest = if progress.is_held { Rest::Objects } else { Rest::Nothing };
            definitions.settled.send_replace(snapshot.revision);
            return Ok(rest);
        }
        rest = Rest::Objects;
    }
    // Others wait, too; the next round goes on. What came after the last installation is not in force yet.
    if let Some(revision) = in_force {
        definitions.settled.send_replace(revision);
    }
    Ok(rest)
}
