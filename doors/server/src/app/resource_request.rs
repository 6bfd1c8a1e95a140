//! `ResourceRequest`, the input of every verb handler, and the `Reply` that a handler returns.

use crate::app::App;
use crate::registry::ServedResource;
use crate::request::audit_record::AuditRecord;
use crate::request::body::{self, BodyType, ExpectedKind};
use crate::request::warnings::Warnings;
use crate::request::{Output, Params, ResourcePath};
use crate::status::StatusError;
use crate::storage::cache::{Item, RevisionLine};
use bytes::Bytes;
use http::HeaderMap;
use ratchet_access::User;
use ratchet_http::Body;
use ratchet_object::Node;
use ratchet_pipeline::FieldValidation;
use std::sync::Arc;
use std::time::Instant;

/// A request for a resource, after authentication and authorisation.
pub(crate) struct ResourceRequest<'a> {
    /// Shared server state.
    pub app: &'a Arc<App>,
    /// The requested resource.
    pub resource: &'a Arc<ServedResource>,
    /// The parsed URL path: group, version, namespace, name, subresource.
    pub path: &'a ResourcePath,
    /// Query parameters.
    pub params: &'a Params,
    /// Request headers.
    pub headers: &'a HeaderMap,
    /// The request body, decompressed.
    pub body: &'a Bytes,
    /// The authenticated user, after impersonation.
    pub user: &'a User,
    /// The negotiated response format.
    pub output: Output,
    /// Warnings for the client, sent as `Warning` headers.
    pub warnings: &'a Warnings,
    /// Facts for the audit log.
    pub audit: &'a AuditRecord,
    /// When the time of the request is over.
    pub deadline: Option<Instant>,
}

/// A successful response before it is encoded.
pub(crate) struct Reply {
    /// HTTP status code.
    pub code: u16,
    /// Response body.
    pub content: Content,
}

/// The body of a `Reply`.
pub(crate) enum Content {
    /// One stored object.
    Item(Arc<Item>),
    /// A list of stored objects.
    List(List),
    /// A JSON document that is not a stored object.
    Json(String),
    /// Watch events, until the client or the server ends the stream.
    Stream(Body),
}

/// Stored objects with the list metadata.
pub(crate) struct List {
    /// The objects of the page, in the order of their keys.
    pub items: Vec<Arc<Item>>,
    /// `metadata.resourceVersion`.
    pub revision: u64,
    /// `metadata.continue`; empty on the last page.
    pub next: String,
    /// `metadata.remainingItemCount`.
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

/// The result type of verb handlers.
pub(crate) type HandlerResult = Result<Reply, StatusError>;

impl ResourceRequest<'_> {
    /// Decodes the body as an object of the resource's own kind.
    pub(crate) fn object(&self, strictness: FieldValidation) -> Result<Node<'static>, StatusError> {
        self.object_of(ExpectedKind::of(self.resource), strictness)
    }

    /// Decodes the body as an object of the kind of a subresource; unknown and duplicate fields become warnings.
    pub(crate) fn object_of(
        &self,
        wanted: ExpectedKind<'_>,
        strictness: FieldValidation,
    ) -> Result<Node<'static>, StatusError> {
        let media = BodyType::from_headers(self.headers)?;
        let received = body::decode_body(self.body, media, wanted, strictness)?;
        for warning in received.warnings {
            self.warnings.add(warning);
        }
        Ok(received.node)
    }

    /// The store of the resource, and how far the cache is behind it.
    pub(crate) fn line(&self) -> &RevisionLine {
        self.app.cache.line_of(&self.resource.cache)
    }

    /// The named object, read after the cache has caught up with the store.
    pub(crate) async fn current(&self) -> Result<Arc<Item>, StatusError> {
        self.line().fresh().await?;
        let key = self.resource.cache_key(&self.path.namespace, &self.path.name);
        let item = self.resource.cache.find(&key)?;
        item.ok_or_else(|| StatusError::not_found(self.resource.about(&self.path.name)))
    }
}
