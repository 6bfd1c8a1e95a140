//! One request on its way through the server, and what it is answered.

use crate::app::App;
use crate::body::{self, BodyType, Wanted};
use crate::cache::Item;
use crate::long_running::Permit;
use crate::options::FieldValidation;
use crate::request::{Output, Params, ResourcePath};
use crate::served::ServedResource;
use crate::status::StatusError;
use bytes::Bytes;
use http::HeaderMap;
use ratchet_access::User;
use ratchet_http::Body;
use ratchet_object::Node;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::watch;

/// A request for a resource, after authentication and authorisation.
pub(crate) struct ResourceRequest<'a> {
    /// The server.
    pub app: &'a Arc<App>,
    /// The resource.
    pub served: &'a Arc<ServedResource>,
    /// The object or collection.
    pub place: &'a ResourcePath,
    /// The query.
    pub params: &'a Params,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The body.
    pub body: &'a Bytes,
    /// Who asks.
    pub user: &'a User,
    /// In which form the answer is wanted.
    pub output: Output,
    /// What is told beside the answer.
    pub told: &'a Told,
}

/// What is collected while a request is served: warnings for its writer, annotations for the audit log.
#[derive(Debug, Default)]
pub(crate) struct Told {
    warnings: Mutex<Vec<String>>,
    annotations: Mutex<Vec<(String, String)>>,
    sent: OnceLock<Bytes>,
    answered: OnceLock<Bytes>,
    stream: AtomicBool,
    refused: AtomicBool,
    tunnel: Mutex<Option<watch::Receiver<()>>>,
    wants_answer: AtomicBool,
    permit: OnceLock<Arc<Permit>>,
}

impl Told {
    /// Tells the writer something, once.
    pub(crate) fn warn(&self, text: impl Into<String>) {
        let text = text.into();
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&text) {
            warnings.push(text);
        }
    }

    /// Forgets the warnings of an attempt that is made again.
    pub(crate) fn rewind(&self, length: usize) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).truncate(length);
    }

    /// How many warnings there are.
    pub(crate) fn len(&self) -> usize {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Tells the audit log something.
    pub(crate) fn annotate(&self, key: impl Into<String>, text: impl Into<String>) {
        let mut annotations = self.annotations.lock().unwrap_or_else(PoisonError::into_inner);
        annotations.push((key.into(), text.into()));
    }

    /// Notes the body of the request, for those who tell of it.
    pub(crate) fn note_sent(&self, body: &Bytes) {
        let _ = self.sent.set(body.clone());
    }

    /// Notes that somebody will tell of the answer.
    pub(crate) fn want_answer(&self) {
        self.wants_answer.store(true, Ordering::Relaxed);
    }

    /// Whether somebody will tell of the answer.
    pub(crate) fn wants_answer(&self) -> bool {
        self.wants_answer.load(Ordering::Relaxed)
    }

    /// Notes that the request counts as a long-running one until the last who has its permit drops it.
    pub(crate) fn note_permit(&self, permit: Permit) {
        let _ = self.permit.set(Arc::new(permit));
    }

    /// The permit of a long-running request.
    pub(crate) fn permit(&self) -> Option<Arc<Permit>> {
        self.permit.get().cloned()
    }

    /// Notes the answer in JSON, for those who tell of it.
    pub(crate) fn note_answered(&self, pieces: &[Bytes]) {
        let _ = self.answered.set(pieces.concat().into());
    }

    /// Notes a refusal in JSON, which is told in part wherever anything is told.
    pub(crate) fn note_refused(&self, json: String) {
        self.refused.store(true, Ordering::Relaxed);
        let _ = self.answered.set(json.into());
    }

    /// Whether the answer is a refusal.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Notes that the answer goes on.
    pub(crate) fn note_stream(&self) {
        self.stream.store(true, Ordering::Relaxed);
    }

    /// Notes that the connection is now another protocol's, and when that ends.
    pub(crate) fn note_tunnel(&self, ends: watch::Receiver<()>) {
        self.note_stream();
        *self.tunnel.lock().unwrap_or_else(PoisonError::into_inner) = Some(ends);
    }

    /// When the connection ends, if it is another protocol's now.
    pub(crate) fn tunnel(&self) -> Option<watch::Receiver<()>> {
        self.tunnel.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The body of the request.
    pub(crate) fn sent(&self) -> Bytes {
        self.sent.get().cloned().unwrap_or_default()
    }

    /// The answer in JSON, if somebody wanted it noted.
    pub(crate) fn answered(&self) -> Bytes {
        self.answered.get().cloned().unwrap_or_default()
    }

    /// Whether the answer goes on after it has begun.
    pub(crate) fn is_stream(&self) -> bool {
        self.stream.load(Ordering::Relaxed)
    }

    /// All warnings, in order.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All annotations.
    pub(crate) fn annotations(&self) -> Vec<(String, String)> {
        self.annotations.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What a request is answered.
pub(crate) struct Reply {
    /// HTTP status code.
    pub code: u16,
    /// What stands in the body.
    pub content: Content,
}

/// The body of an answer.
pub(crate) enum Content {
    /// One stored object.
    Item(Arc<Item>),
    /// Stored objects.
    List(List),
    /// A JSON document that is no stored object.
    Json(String),
    /// Events until somebody has enough.
    Stream(Body),
}

/// Stored objects and what a list says about itself.
pub(crate) struct List {
    /// The objects.
    pub items: Vec<Arc<Item>>,
    /// The revision that the list shows.
    pub revision: u64,
    /// With what the list goes on.
    pub next: String,
    /// How many objects are not in it.
    pub remaining: Option<usize>,
}

impl Reply {
    /// 200 with an object.
    pub(crate) fn item(item: Arc<Item>) -> Self {
        Self { code: 200, content: Content::Item(item) }
    }

    /// 201 with an object.
    pub(crate) fn created(item: Arc<Item>) -> Self {
        Self { code: 201, content: Content::Item(item) }
    }

    /// A JSON document.
    pub(crate) fn json(code: u16, text: impl Into<String>) -> Self {
        Self { code, content: Content::Json(text.into()) }
    }
}

/// What handlers answer.
pub(crate) type Answered = Result<Reply, StatusError>;

impl ResourceRequest<'_> {
    /// The object in the body, of the kind that the resource has.
    pub(crate) fn object(&self, strictness: FieldValidation) -> Result<Node<'static>, StatusError> {
        self.object_of(Wanted::of(self.served), strictness)
    }

    /// The object in the body, of a kind that a subresource has; its writer is told what is odd about it.
    pub(crate) fn object_of(
        &self,
        wanted: Wanted<'_>,
        strictness: FieldValidation,
    ) -> Result<Node<'static>, StatusError> {
        let media = BodyType::read(self.headers)?;
        let received = body::receive(self.body, media, wanted, strictness)?;
        for warning in received.warnings {
            self.told.warn(warning);
        }
        Ok(received.node)
    }

    /// The object that the request names, as fresh as can be.
    pub(crate) async fn current(&self) -> Result<Arc<Item>, StatusError> {
        self.app.cache.fresh().await?;
        let key = self.served.shelf_key(&self.place.namespace, &self.place.name);
        let item = self.served.shelf.find(&key)?;
        item.ok_or_else(|| StatusError::not_found(self.served.about(&self.place.name)))
    }
}
