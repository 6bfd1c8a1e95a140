//! `EventEncoder`: what a watch sees of an object or a change, as the bytes that it sends.

use super::frames::frame;
use crate::app::App;
use crate::app::compute::SMALL;
use crate::app::resource_request::ResourceRequest;
use crate::registry::ServedResource;
use crate::request::{Form, Media, Output, ResourcePath};
use crate::response::render::{self, Rows};
use crate::status::StatusError;
use crate::storage::cache::{Change, EventType, Item, event_line};
use crate::verbs::selection::Selection;
use bytes::Bytes;
use ratchet_http::metrics::Counter;
use ratchet_object::Node;
use std::sync::Arc;

/// Why a watch ends early.
pub(super) enum Stop {
    /// With an ERROR event.
    Error(StatusError),
    /// Without a word: the client cannot have the event in the form that it wants.
    Formless,
}

impl From<StatusError> for Stop {
    fn from(error: StatusError) -> Self {
        Self::Error(error)
    }
}

/// Selects and encodes the events of one watch.
pub(super) struct EventEncoder {
    pub(super) app: Arc<App>,
    pub(super) resource: Arc<ServedResource>,
    selection: Selection,
    path: ResourcePath,
    /// The prefix of the keys of the watched collection.
    pub(super) prefix: String,
    output: Output,
    /// Whether objects are sent as they are stored, in events that all such watches share.
    is_plain: bool,
    api_version: String,
    rows: Rows,
    /// The number of events that were sent to all watches of the resource.
    sent: Arc<Counter>,
}

impl EventEncoder {
    pub(super) fn new(request: &ResourceRequest<'_>, selection: Selection) -> Self {
        Self {
            app: request.app.clone(),
            resource: request.resource.clone(),
            selection,
            path: request.path.clone(),
            prefix: prefix(request.resource, request.path),
            output: request.output,
            is_plain: request.output == Output::PLAIN && !request.resource.is_converted(),
            api_version: request.resource.api_version(),
            rows: Rows::from_params(request.params),
            sent: request.app.metrics.watch_events(request.resource),
        }
    }

    /// The objects of a batch that the watch sees, as ADDED events.
    pub(super) async fn added(
        &mut self,
        mut batch: Vec<Arc<Item>>,
        events: &mut Vec<Bytes>,
    ) -> Result<(), Stop> {
        let converts = self.selection.reads_converted(&self.resource);
        batch.retain(|item| if converts { self.is_within(item) } else { self.matches(item) });
        let served = match self.output.form {
            // A webhook converts many objects with one call.
            _ if converts => self.selection.select_converted(&self.resource, batch).await?,
            Form::Metadata | Form::MetadataList => batch,
            Form::Whole | Form::Table => self.resource.serve(batch).await?,
        };
        for item in served {
            let event = self.encode(EventType::Added, &item);
            events.push(self.framed(event).await?);
        }
        Ok(())
    }

    /// The event of a change, if the watch sees it.
    pub(super) async fn changed(&mut self, change: &Change) -> Result<Option<Bytes>, Stop> {
        match self.event_of(change).await? {
            Some(event) => Ok(Some(self.framed(event).await?)),
            None => Ok(None),
        }
    }

    /// The bookmark of a revision.
    pub(super) async fn bookmarked(
        &mut self,
        revision: u64,
        is_initial_end: bool,
    ) -> Result<Bytes, Stop> {
        let bookmark = self.bookmark(revision, is_initial_end);
        self.framed(bookmark).await
    }

    /// The ERROR event, if it has a form that the client wants.
    pub(super) async fn error(&self, error: &StatusError) -> Option<Bytes> {
        let status = error.to_json();
        let event = format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n");
        self.framed_any(event.into()).await.ok()
    }

    async fn framed(&self, event: Bytes) -> Result<Bytes, Stop> {
        // No event is a list: the reference ends such a watch at its first event.
        match self.output.form {
            Form::MetadataList => Err(Stop::Formless),
            Form::Whole | Form::Table | Form::Metadata => self.framed_any(event).await,
        }
    }

    /// An event in the media type of the watch.
    async fn framed_any(&self, event: Bytes) -> Result<Bytes, Stop> {
        let event = match self.output.media {
            Media::Protobuf if event.len() > SMALL => {
                self.app.compute.run(|| frame(&event)).await.ok_or(Stop::Formless)?
            }
            Media::Protobuf => frame(&event).ok_or(Stop::Formless)?,
            Media::Json { .. } | Media::Yaml => event,
        };
        self.sent.inc();
        Ok(event)
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
        let (before, after) = (change.before.as_ref(), Some(&change.item));
        let after = after.filter(|_| !change.is_deletion);
        if !self.selection.reads_converted(&self.resource) {
            let matches = |item: Option<&Arc<Item>>| item.is_some_and(|item| self.matches(item));
            return Ok((matches(before), matches(after)));
        }
        let before = match before.filter(|item| self.is_within(item)) {
            Some(item) => {
                let last = Arc::new(item.as_of(change.revision));
                self.matches(&self.resource.serve_change(change, last, true).await?)
            }
            None => false,
        };
        let after = match after.filter(|item| self.is_within(item)) {
            Some(item) => {
                self.matches(&self.resource.serve_change(change, item.clone(), false).await?)
            }
            None => false,
        };
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
        let is_as_stored = Arc::ptr_eq(&served, &change.item);
        if self.is_plain && event == change.event_type() && is_as_stored {
            let kind = self.resource.row().kind;
            return Ok(Some(change.encoded(event, &self.api_version, kind)));
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
        let (version, kind) = (&self.api_version, self.resource.row().kind);
        match self.output.form {
            Form::Whole if self.resource.is_converted() => {
                let mut node = item.node();
                self.resource.convert_stored(&mut node);
                event_line(event, &[render::whole(node, version, kind).into()])
            }
            Form::Whole => event_line(event, &item.whole(version, kind)),
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
            Form::Whole => (self.api_version.clone(), self.resource.row().kind),
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

fn prefix(resource: &ServedResource, path: &ResourcePath) -> String {
    match path.namespace.as_str() {
        namespace if resource.row().namespaced && !namespace.is_empty() => format!("{namespace}/"),
        _ => String::new(),
    }
}
