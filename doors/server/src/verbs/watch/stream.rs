//! `WatchStream`: the events of one watch in their order, and its end.

use super::Start;
use super::encoder::{EventEncoder, Stop};
use crate::app::App;
use crate::app::metrics::Running;
use crate::registry::ServedResource;
use crate::status::StatusError;
use crate::storage::cache::{Change, Past, Scope, Snapshot, Subscription};
use bytes::Bytes;
use futures_util::FutureExt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// The interval of bookmarks.
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);

/// The number of initial objects that are looked at, and converted, at once.
const BATCH: usize = 64;

/// About the most bytes that they have together: they may be large, and a slow client holds them.
const BATCH_BYTES: usize = 64 * 1024;

/// About the most bytes that are copied together: a connection holds a dozen pieces for a client that does not read.
const PIECE: usize = 8 * 1024;

/// The pause of a watch after changes, for each watch that is told of the same ones. Waking a watch takes about a fifth
/// of this, so that all of them together take a fifth of a core, however fast changes come; those of a pause go out
/// together.
const PAUSE_EACH: Duration = Duration::from_micros(50);

/// Shorter pauses are not worth a timer.
const MIN_PAUSE: Duration = Duration::from_millis(1);

/// Nobody waits longer.
const MAX_PAUSE: Duration = Duration::from_millis(100);

/// A watch. Everything happens when its client takes more, so that a slow client costs nothing but its position.
pub(super) struct WatchStream {
    encoder: EventEncoder,
    subscription: Subscription,
    /// The current objects, as long as not all of them are sent.
    objects: Option<Objects>,
    /// The changes that are to be sent next.
    found: Found,
    /// The revision up to which the client has all changes.
    at: u64,
    /// Whether there may be changes after `at`: from the start until all that happened before it are sent.
    is_behind: bool,
    /// When changes were last sent.
    sent: Option<Instant>,
    /// When the next bookmark is due, if the client wants any.
    bookmark: Option<Pin<Box<Sleep>>>,
    /// Completes when the time of the watch is up.
    ending: Pin<Box<dyn Future<Output = ()> + Send>>,
    is_ending: bool,
    is_over: bool,
    _running: Running,
}

/// The objects with which a watch begins.
struct Objects {
    snapshot: Arc<Snapshot>,
    scope: Scope,
    /// The key of the last one that was looked at.
    after: Option<Arc<str>>,
    /// Whether a bookmark follows them.
    has_bookmark: bool,
}

/// Changes to send.
#[derive(Default)]
struct Found {
    changes: std::vec::IntoIter<Arc<Change>>,
    /// The revision up to which they are complete.
    upto: u64,
    /// Whether there were others behind them.
    has_more: bool,
    /// Held while the changes are.
    _permit: Option<OwnedSemaphorePermit>,
}

impl WatchStream {
    /// A watch from `start` on, for at most `limit`.
    pub(super) fn new(
        encoder: EventEncoder,
        scope: Scope,
        start: Start,
        has_bookmarks: bool,
        limit: Duration,
    ) -> Self {
        let (app, resource) = (&encoder.app, &encoder.resource);
        // Before the state is read, so that no change is missed between the two.
        let subscription = resource.cache.subscribe(scope.clone());
        let reached = app.cache.line_of(&resource.cache).reached();
        let (at, objects) = match start {
            Start::After(revision) => (revision, None),
            Start::Objects | Start::ObjectsAndBookmark(_) => {
                let snapshot = resource.cache.now();
                let at = snapshot.revision.max(reached);
                let has_bookmark = matches!(start, Start::ObjectsAndBookmark(_));
                (at, Some(Objects { snapshot, scope, after: None, has_bookmark }))
            }
        };
        Self {
            subscription,
            objects,
            found: Found::default(),
            at,
            is_behind: true,
            sent: None,
            bookmark: has_bookmarks.then(|| Box::pin(sleep(BOOKMARK_EVERY))),
            ending: Box::pin(ending(app.clone(), resource.clone(), limit)),
            is_ending: false,
            is_over: false,
            _running: app.metrics.watching(resource),
            encoder,
        }
    }

    /// The next events; none at the end.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        while !self.is_over {
            let mut events = Vec::new();
            let collected = match self.objects.take() {
                Some(objects) => self.collect_objects(objects, &mut events).await,
                None => self.collect_changes(&mut events).await,
            };
            if let Err(stop) = collected {
                self.is_over = true;
                if let Stop::Error(error) = stop {
                    events.extend(self.encoder.error(&error).await);
                }
            }
            if !events.is_empty() {
                return Some(join(events));
            }
        }
        None
    }

    /// Collects the next initial objects.
    async fn collect_objects(
        &mut self,
        mut objects: Objects,
        events: &mut Vec<Bytes>,
    ) -> Result<(), Stop> {
        // A selector may skip many objects before there is something to send.
        tokio::task::consume_budget().await;
        if let Some(found) = objects.snapshot.unreadable_within(&self.encoder.prefix) {
            return Err(StatusError::from(found).into());
        }
        let mut candidates = objects.snapshot.candidates(&objects.scope, objects.after.as_deref());
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < BATCH
            && bytes < BATCH_BYTES
            && let Some(item) = candidates.next()
        {
            bytes += item.size();
            batch.push(item.clone());
        }
        let is_last = candidates.next().is_none();
        drop(candidates);
        objects.after = batch.last().map(|item| item.key.clone());
        self.encoder.added(batch, events).await?;
        if !is_last {
            self.objects = Some(objects);
        } else if objects.has_bookmark {
            events.push(self.encoder.bookmarked(self.at, true).await?);
        }
        Ok(())
    }

    /// Collects the next changes, or waits for some if there are none.
    async fn collect_changes(&mut self, events: &mut Vec<Bytes>) -> Result<(), Stop> {
        if self.found.changes.as_slice().is_empty() {
            self.find().await?;
        }
        let mut size = 0;
        while let Some(change) = self.found.changes.next() {
            if let Some(event) = self.encoder.changed(&change).await? {
                size += event.len();
                events.push(event);
            }
            if size >= PIECE && !self.found.changes.as_slice().is_empty() {
                return Ok(());
            }
        }
        let Found { upto, .. } = std::mem::take(&mut self.found);
        self.at = self.at.max(upto);
        if !events.is_empty() {
            self.sent = Some(Instant::now());
        }
        if self.is_ending {
            self.is_over = true;
            if self.bookmark.is_some() {
                events.push(self.encoder.bookmarked(self.at, false).await?);
            }
            return Ok(());
        }
        if self.is_behind {
            // Who is never up to date does not wait, but others have their turn, and it has an end.
            tokio::task::consume_budget().await;
            self.is_ending = (&mut self.ending).now_or_never().is_some();
            return Ok(());
        }
        if let Some(timer) = self.bookmark.as_mut().filter(|timer| timer.is_elapsed()) {
            timer.as_mut().reset(Instant::now() + BOOKMARK_EVERY);
            events.push(self.encoder.bookmarked(self.at, false).await?);
        }
        if events.is_empty() {
            self.wait().await;
        }
        Ok(())
    }

    /// Looks for changes after `at`. There may be none.
    async fn find(&mut self) -> Result<(), StatusError> {
        let resource = &self.encoder.resource;
        // Read before the changes, so that a bookmark never runs ahead of them.
        let reached = self.encoder.app.cache.line_of(&resource.cache).reached();
        if let Some(first) = self.subscription.take() {
            // Who was up to date looks at nothing before the first change that concerns it.
            self.at = if self.is_behind { self.at } else { self.at.max(first.saturating_sub(1)) };
            self.is_behind = true;
        }
        if !self.is_behind {
            self.found.upto = reached;
        } else if !self.is_ending {
            self.found = next_changes(&self.encoder.app, resource, self.at, reached).await?;
            // Of what comes later the subscription tells.
            self.is_behind = self.found.has_more;
        }
        Ok(())
    }

    /// Waits for a change, the next bookmark, or the end.
    async fn wait(&mut self) {
        let Self { subscription, bookmark, ending, sent, .. } = self;
        let pause = pause(subscription.group_size());
        let resume = sent.map(|sent| sent + pause).filter(|_| !pause.is_zero());
        let changed = async {
            if let Some(resume) = resume.filter(|resume| *resume > Instant::now()) {
                sleep_until(resume).await;
            }
            subscription.changed().await;
        };
        let bookmark_is_due = async {
            match bookmark {
                Some(timer) => timer.as_mut().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = changed => {}
            () = bookmark_is_due => {}
            () = ending => self.is_ending = true,
        }
    }
}

/// The pause of a watch after changes that concern so many watches.
fn pause(watches: usize) -> Duration {
    let pause = PAUSE_EACH.saturating_mul(u32::try_from(watches).unwrap_or(u32::MAX));
    if pause < MIN_PAUSE { Duration::ZERO } else { pause.min(MAX_PAUSE) }
}

/// Waits for the end of a watch.
async fn ending(app: Arc<App>, resource: Arc<ServedResource>, limit: Duration) {
    tokio::select! {
        () = sleep(limit) => {}
        () = app.drain.wait() => {}
        // The definition changed: what follows looks otherwise, so the client begins again.
        () = resource.replaced() => {}
    }
}

/// The next changes after a revision: those that the cache has, or else those of the store's history. If there are none,
/// there are none up to `reached`.
async fn next_changes(
    app: &App,
    resource: &ServedResource,
    at: u64,
    reached: u64,
) -> Result<Found, StatusError> {
    let (cache, root) = (&resource.cache, resource.prefix(""));
    loop {
        let too_old = match cache.since(at) {
            Ok(changes) => {
                let last = changes.last().map(|last| last.revision);
                let has_more = last.is_some_and(|last| last < cache.revision());
                let (upto, changes) = (last.unwrap_or(reached), changes.into_iter());
                return Ok(Found { changes, upto, has_more, _permit: None });
            }
            Err(too_old) => too_old,
        };
        match app.cache.past(cache, &root, at, too_old).await {
            Ok(Past::Cached) => {}
            Ok(Past::Read { changes, upto, permit }) => {
                let (has_more, changes) = (upto < cache.revision(), changes.into_iter());
                return Ok(Found { changes, upto, has_more, _permit: Some(permit) });
            }
            Err(too_old) => {
                let oldest = too_old.oldest;
                let text = format!("too old resource version: {at} ({oldest})");
                return Err(StatusError::expired(text));
            }
        }
    }
}

/// Events as one piece: one frame, one TLS record and one system call for all of them.
fn join(mut events: Vec<Bytes>) -> Bytes {
    match events.len() {
        1 => events.pop().unwrap_or_default(),
        _ => events.concat().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_pauses_and_a_few_do_not() {
        let pauses =
            [1, 19, 20, 1000, 2000, 5000, usize::MAX].map(|watches| pause(watches).as_millis());
        assert_eq!(pauses, [0, 0, 1, 50, 100, 100, 100]);
    }

    #[test]
    fn one_event_is_not_copied() {
        let event = Bytes::from_static(b"one\n");
        assert_eq!(join(vec![event.clone()]).as_ptr(), event.as_ptr());
        assert_eq!(join(vec![event.clone(), event]), "one\none\n");
    }
}
