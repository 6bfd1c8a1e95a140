//! How controllers reach the API: like any client, through the whole pipeline.

use bytes::Bytes;
use std::future::Future;
use std::pin::Pin;

/// A future that can wait on any thread.
pub type Waiting<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A request to the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiRequest {
    /// The controller that asks, for those who give each its own user; empty if the answer is
    /// shared by several.
    pub controller: &'static str,
    /// `GET`, `PUT`, `POST`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// The path, with its query.
    pub path: String,
    /// How much of objects is wanted.
    pub shown: Shown,
    /// The type of the body; empty if there is no body.
    pub content_type: &'static str,
    /// The body.
    pub body: Bytes,
}

/// How much of objects is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// All of it.
    #[default]
    Whole,
    /// The metadata only, as `PartialObjectMetadata`.
    Metadata,
}

/// What the API answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiAnswer {
    /// The status code; 0 if no answer came.
    pub status: u16,
    /// The body, in JSON.
    pub body: Bytes,
}

/// The lines of a watch.
pub trait Lines: Send {
    /// The next complete line of JSON; none at the end.
    fn next(&mut self) -> Waiting<'_, Option<Bytes>>;
}

/// How controllers reach the API: as a named user, who is checked like any other.
pub trait Api: Send + Sync + 'static {
    /// Sends a request and waits for the whole answer.
    fn send(&self, request: ApiRequest) -> Waiting<'_, ApiAnswer>;

    /// Begins a watch at `path` (with its query); a refusal is the status code, 0 if none came.
    fn watch(&self, path: &str, shown: Shown) -> Waiting<'_, Result<Box<dyn Lines>, u16>>;
}
