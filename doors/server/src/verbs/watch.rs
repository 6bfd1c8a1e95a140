//! WATCH: initial events, then changes, until the client or the server ends the stream.

use crate::app::App;
use crate::app::compute::SMALL;
use crate::app::resource_request::{Content, HandlerResult, Reply, ResourceRequest};
use crate::registry::ServedResource;
use crate::request::{Form, Media, Output, ResourcePath};
use crate::response::render::{self, Rows};
use crate::status::StatusError;
use crate::storage::cache::{Change, EventType, Item, Past, Scope, event_line};
use crate::verbs::frames::frame;
use crate::verbs::list::parse_number;
use crate::verbs::selection::Selection;
use bytes::Bytes;
use ratchet_http::{Sender, channel};
use ratchet_object::Node;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep_until};

/// The interval of bookmarks.
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);

/// The time within which a client must read an event.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);

/// The number of initial objects that are converted at once.
const BATCH: usize = 64;

/// The maximum duration of a watch.
const MAX_DURATION: Duration = Duration::from_secs(7 * 24 * 3600);

/// The beginning of a watch.
enum Start {
    /// The current objects as ADDED events.
    Objects,
    /// The current objects as ADDED events, then the `initial-events-end` bookmark.
    ObjectsAndBookmark(u64),
    /// The changes after a revision.
    After(u64),
}

/// The state of a watch after its request handler has returned.
struct Watcher {
    app: Arc<App>,
    resource: Arc<ServedResource>,
    selection: Selection,
    path: ResourcePath,
    /// The prefix of the keys of the watched collection.
    prefix: String,
    scope: Scope,
    output: Output,
    bookmarks: bool,
    ends: Instant,
    rows: Rows,
}

/// Starts a watch.
pub(crate) async fn watch(request: &ResourceRequest<'_>) -> HandlerResult {
    if request.output.media == Media::Yaml {
        return Err(StatusError::no_such_stream());
    }
    let selection = Selection::parse(request)?;
    let start = start(request)?;
    let limit = limit(request)?;
    if let Start::ObjectsAndBookmark(revision) = start {
        request.line().wait_for(revision).await?;
    }
    if matches!(start, Start::Objects | Start::ObjectsAndBookmark(_)) {
        request.line().fresh().await?;
    }
    let watcher = Watcher {
        app: request.app.clone(),
        resource: request.resource.clone(),
        scope: selection.scope(request.resource, request.path),
        prefix: prefix(request.resource, request.path),
        selection,
        path: request.path.clone(),
        output: request.output,
        bookmarks: request.params.flag("allowWatchBookmarks"),
        ends: Instant::now() + limit,
        rows: Rows::from_params(request.params),
    };
    let (sender, body) = channel(16);
    tokio::spawn(async move {
        let _guard = watcher.app.metrics.watching(&watcher.resource);
        // The client is gone: there is nobody to report to.
        let _ = watcher.run(start, sender).await;
    });
    Ok(Reply { code: 200, content: Content::Stream(body) })
}

fn prefix(resource: &ServedResource, path: &ResourcePath) -> String {
    match path.namespace.as_str() {
        namespace if resource.row().namespaced && !namespace.is_empty() => format!("{namespace}/"),
        _ => String::new(),
    }
}

/// The duration of a watch: `timeoutSeconds`, or else one to two times the server's minimum, so that the watches of a
/// restarted server do not all end at once.
fn limit(request: &ResourceRequest<'_>) -> Result<Duration, StatusError> {
    let seconds = u64::try_from(parse_number(request, "timeoutSeconds")?).ok();
    let minimum = request.app.limits.watch;
    let limit = match seconds.filter(|seconds| *seconds > 0) {
        Some(seconds) => Duration::from_secs(seconds),
        None if minimum.is_zero() => MAX_DURATION,
        None => minimum.mul_f64(1.0 + fastrand::f64()),
    };
    Ok(limit.min(MAX_DURATION))
}

fn start(request: &ResourceRequest<'_>) -> Result<Start, StatusError> {
    let (version, matching) =
        (request.params.text("resourceVersion"), request.params.text("resourceVersionMatch"));
    let forbidden = |field: &str, text: &str| {
        let text = format!("Forbidden: {text}");
        Err(StatusError::invalid("ListOptions", "meta.k8s.io", field, "FieldValueForbidden", &text))
    };
    let initial = request.params.get("sendInitialEvents");
    if initial.is_none() && !matching.is_empty() {
        let text =
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
        return forbidden("resourceVersionMatch", text);
    }
    if initial.is_some() && matching != "NotOlderThan" {
        let text = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
        return forbidden("resourceVersionMatch", text);
    }
    let revision = match version {
        "" | "0" => 0,
        text => text.parse().map_err(|_| {
            let quoted = ratchet_net::Quoted(text);
            StatusError::unclassified(format!(
                "resourceVersion: Invalid value: {quoted}: strconv.ParseUint: parsing {quoted}: invalid syntax"
            ))
        })?,
    };
    Ok(match (request.params.flag("sendInitialEvents"), revision) {
        (true, revision) => Start::ObjectsAndBookmark(revision),
        (false, 0) if initial.is_none() => Start::Objects,
        (false, 0) => Start::After(request.line().reached()),
        (false, revision) => Start::After(revision),
    })
}

/// The client is gone.
struct Gone;

/// Changes to look at.
#[derive(Default)]
struct Found {
    changes: Vec<Arc<Change>>,
    /// The revision up to which they are complete; none if there are none at all.
    upto: Option<u64>,
    /// Held while the changes are.
    _permit: Option<OwnedSemaphorePermit>,
}

impl Watcher {
    async fn run(mut self, start: Start, sender: Sender) -> Result<(), Gone> {
        // Before the state is read, so that no change is missed between the two.
        let subscription = self.resource.cache.subscribe(self.scope.clone());
        let mut at = match start {
            Start::After(revision) => revision,
            Start::Objects | Start::ObjectsAndBookmark(_) => {
                let reached = self.reached();
                let snapshot = self.resource.cache.now();
                if let Some(found) = snapshot.unreadable_within(&self.prefix) {
                    return self.fail(&sender, &found.into()).await;
                }
                let converts = self.selection.reads_converted(&self.resource);
                let scope = self.scope.clone();
                let mut batch = Vec::new();
                let mut items = snapshot.candidates(&scope, None).peekable();
                while let Some(item) = items.next() {
                    // A selector may skip many objects before there is something to send.
                    tokio::task::consume_budget().await;
                    let is_candidate = match converts {
                        true => self.is_within(item),
                        false => self.matches(item),
                    };
                    if is_candidate {
                        batch.push(item.clone());
                    }
                    // A webhook converts many objects with one call.
                    if batch.len() < BATCH && items.peek().is_some() {
                        continue;
                    }
                    let batch = std::mem::take(&mut batch);
                    let served = match self.output.form {
                        _ if converts => {
                            self.selection.select_converted(&self.resource, batch).await
                        }
                        Form::Metadata | Form::MetadataList => Ok(batch),
                        Form::Whole | Form::Table => self.resource.serve(batch).await,
                    };
                    let served = match served {
                        Ok(served) => served,
                        Err(error) => return self.fail(&sender, &error).await,
                    };
                    for item in served {
                        let event = self.encode(EventType::Added, &item);
                        self.send(&sender, event).await?;
                    }
                }
                let at = snapshot.revision.max(reached);
                if matches!(start, Start::ObjectsAndBookmark(_)) {
                    let bookmark = self.bookmark(at, true);
                    self.send(&sender, bookmark).await?;
                }
                at
            }
        };
        let drain = self.app.drain.clone();
        let mut next_bookmark = Instant::now() + BOOKMARK_EVERY;
        // Whether there may be changes after `at`: from the start until all that happened before it are told.
        let mut is_behind = true;
        loop {
            // The reached revision is read before the changes, so that a bookmark never runs ahead of them.
            let reached = self.reached();
            if let Some(first) = subscription.take() {
                // Who was up to date looks at nothing before the first change that concerns it.
                at = if is_behind { at } else { at.max(first.saturating_sub(1)) };
                is_behind = true;
            }
            let found = if is_behind { self.next_changes(at).await } else { Ok(Found::default()) };
            match found {
                Ok(found) => {
                    is_behind = found.upto.is_some();
                    for change in found.changes {
                        match self.event_of(&change).await {
                            Ok(Some(event)) => self.send(&sender, event).await?,
                            Ok(None) => {}
                            Err(error) => return self.fail(&sender, &error).await,
                        }
                    }
                    at = at.max(found.upto.unwrap_or(reached));
                }
                Err(error) => return self.fail(&sender, &error).await,
            }
            let is_over = Instant::now() >= self.ends || drain.is_draining();
            if is_behind && !is_over {
                continue;
            }
            if !is_behind && self.bookmarks && Instant::now() >= next_bookmark {
                let bookmark = self.bookmark(at, false);
                self.send(&sender, bookmark).await?;
                next_bookmark = Instant::now() + BOOKMARK_EVERY;
            }
            tokio::select! {
                () = subscription.changed() => {}
                () = sleep_until(next_bookmark), if self.bookmarks => {}
                () = sleep_until(self.ends) => break,
                () = drain.wait() => break,
                // The definition changed: what follows looks otherwise, so the client begins again.
                () = self.resource.replaced() => break,
                () = sender.closed() => return Err(Gone),
            }
        }
        if self.bookmarks {
            let reached = self.reached();
            if !is_behind && subscription.take().is_none() {
                at = at.max(reached);
            }
            let bookmark = self.bookmark(at, false);
            self.send(&sender, bookmark).await?;
        }
        Ok(())
    }

    /// The revision up to which the cache has all changes of the resource.
    fn reached(&self) -> u64 {
        self.app.cache.line_of(&self.resource.cache).reached()
    }

    /// The next changes after a revision: those that the cache has, or else those of the store's history.
    async fn next_changes(&self, at: u64) -> Result<Found, StatusError> {
        let (cache, root) = (&self.resource.cache, self.resource.prefix(""));
        loop {
            let too_old = match cache.since(at) {
                Ok(changes) => {
                    let upto = changes.last().map(|last| last.revision);
                    return Ok(Found { changes, upto, _permit: None });
                }
                Err(too_old) => too_old,
            };
            match self.app.cache.past(cache, &root, at, too_old).await {
                Ok(Past::Cached) => {}
                Ok(Past::Read { changes, upto, permit }) => {
                    return Ok(Found { changes, upto: Some(upto), _permit: Some(permit) });
                }
                Err(too_old) => {
                    let oldest = too_old.oldest;
                    let text = format!("too old resource version: {at} ({oldest})");
                    return Err(StatusError::expired(text));
                }
            }
        }
    }

    /// Ends the watch with an ERROR event.
    async fn fail(&self, sender: &Sender, error: &StatusError) -> Result<(), Gone> {
        let status = error.to_json();
        let event = format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n");
        self.send_any(sender, event.into()).await
    }

    async fn send(&self, sender: &Sender, event: Bytes) -> Result<(), Gone> {
        // No event is a list: the reference ends such a watch at its first event.
        match self.output.form {
            Form::MetadataList => Err(Gone),
            Form::Whole | Form::Table | Form::Metadata => self.send_any(sender, event).await,
        }
    }

    async fn send_any(&self, sender: &Sender, event: Bytes) -> Result<(), Gone> {
        let event = match self.output.media {
            Media::Protobuf if event.len() > SMALL => {
                self.app.compute.run(|| frame(&event)).await.ok_or(Gone)?
            }
            Media::Protobuf => frame(&event).ok_or(Gone)?,
            Media::Json { .. } | Media::Yaml => event,
        };
        self.app.metrics.watch_event(&self.resource);
        // A client that does not read would keep old revisions in memory.
        let sent = tokio::time::timeout(SEND_TIMEOUT, sender.send(event)).await;
        sent.map_or(Err(Gone), |sent| sent.map_err(|_| Gone))
    }

    /// Whether an object is in the namespace, and has the name, of the watch.
    fn is_within(&self, item: &Item) -> bool {
        let key: &str = &item.key;
        let named = self.path.name.as_str();
        let is_named = named.is_empty() || key.rsplit('/').next() == Some(named);
        key.starts_with(&self.prefix) && is_named
    }

    fn matches(&self, item: &Arc<Item>) -> bool {
        self.is_within(item) && self.selection.matches(&self.resource, item)
    }

    /// Whether the object of a change matched before, and whether it does so now.
    async fn matches_of(&self, change: &Change) -> Result<(bool, bool), StatusError> {
        let (mut before, mut after) = (change.before.clone(), Some(change.item.clone()));
        if self.selection.reads_converted(&self.resource) {
            before = before.filter(|item| self.is_within(item));
            if let Some(item) = before {
                let last = Arc::new(item.as_of(change.revision));
                before = Some(self.resource.serve_change(change, last, true).await?);
            }
            after = after.filter(|item| !change.is_deletion && self.is_within(item));
            if let Some(item) = after {
                after = Some(self.resource.serve_change(change, item, false).await?);
            }
        }
        let before = before.is_some_and(|item| self.matches(&item));
        let after = after.is_some_and(|item| !change.is_deletion && self.matches(&item));
        Ok((before, after))
    }

    /// The event of a change as seen through the selectors: objects enter and leave the selection.
    async fn event_of(&mut self, change: &Change) -> Result<Option<Bytes>, StatusError> {
        let event = match self.matches_of(change).await? {
            (false, false) => return Ok(None),
            (false, true) => EventType::Added,
            (true, true) => EventType::Modified,
            (true, false) => EventType::Deleted,
        };
        if event == EventType::Deleted && !change.is_deletion {
            // The object left the selection: DELETED with its last matching state, at the new revision.
            let Some(before) = &change.before else { return Ok(None) };
            let last = Arc::new(before.as_of(change.revision));
            let last = self.served(change, last, true).await?;
            return Ok(Some(self.encode(event, &last)));
        }
        let served = self.served(change, change.item.clone(), false).await?;
        let is_plain = self.output == Output::PLAIN && !self.resource.is_converted();
        let is_as_stored = Arc::ptr_eq(&served, &change.item);
        if is_plain && event == change.event_type() && is_as_stored {
            let kind = self.resource.row().kind;
            return Ok(Some(change.encoded(event, &self.resource.api_version(), kind)));
        }
        Ok(Some(self.encode(event, &served)))
    }

    /// The object of a change as it is sent.
    async fn served(
        &self,
        change: &Change,
        item: Arc<Item>,
        is_before: bool,
    ) -> Result<Arc<Item>, StatusError> {
        match self.output.form {
            Form::Metadata | Form::MetadataList => Ok(item),
            Form::Whole | Form::Table => self.resource.serve_change(change, item, is_before).await,
        }
    }

    fn encode(&mut self, event: EventType, item: &Item) -> Bytes {
        let (version, kind) = (self.resource.api_version(), self.resource.row().kind);
        match self.output.form {
            Form::Whole if self.resource.is_converted() => {
                let mut node = item.node();
                self.resource.convert_stored(&mut node);
                event_line(event, &[render::whole(node, &version, kind).into()])
            }
            Form::Whole => event_line(event, &item.whole(&version, kind)),
            Form::Metadata | Form::MetadataList => {
                event_line(event, &[render::partial(item, self.output).into()])
            }
            Form::Table => {
                let table = render::table_of_one(
                    &self.app,
                    &self.resource,
                    item,
                    self.output,
                    &mut self.rows,
                );
                event_line(event, &[table.into()])
            }
        }
    }

    fn bookmark(&mut self, revision: u64, is_initial_end: bool) -> Bytes {
        let mut metadata = Node::map([("resourceVersion", Node::string(revision.to_string()))]);
        if is_initial_end {
            let annotation = Node::map([("k8s.io/initial-events-end", Node::string("true"))]);
            metadata.set("annotations", annotation);
        }
        let (version, kind) = match self.output.form {
            Form::Whole => (self.resource.api_version(), self.resource.row().kind),
            Form::Metadata | Form::MetadataList => {
                (format!("meta.k8s.io/{}", self.output.meta_version), "PartialObjectMetadata")
            }
            Form::Table => {
                let now = self.app.seconds();
                let table = render::table_of_bookmark(
                    &self.resource,
                    metadata,
                    self.output,
                    &mut self.rows,
                    now,
                );
                return format!("{{\"type\":\"BOOKMARK\",\"object\":{table}}}\n").into();
            }
        };
        format!(
            "{{\"type\":\"BOOKMARK\",\"object\":{{\"kind\":\"{kind}\",\"apiVersion\":\"{version}\",\"metadata\":{metadata}}}}}\n"
        )
        .into()
    }
}
