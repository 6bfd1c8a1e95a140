//! The API as controllers reach it: like any client, through the whole request pipeline.

use bytes::Bytes;
use std::future::Future;
use std::pin::Pin;

/// A boxed future that is `Send`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One request to the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiRequest {
    /// The controller that sends the request, for implementations that give each its own user;
    /// empty if several controllers share the response.
    pub controller: &'static str,
    /// `GET`, `PUT`, `POST`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// The path, with its query.
    pub path: String,
    /// Whether whole objects are wanted or only their metadata.
    pub representation: Representation,
    /// The type of the body; empty if there is no body.
    pub content_type: &'static str,
    /// The encoded object, patch or options; empty if there is none.
    pub body: Bytes,
}

/// How much of each object a request asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Representation {
    /// The whole object.
    #[default]
    Whole,
    /// The metadata only, as `PartialObjectMetadata`.
    Metadata,
    /// Of discovery all groups at once, as `APIGroupDiscoveryList`; a server may answer with the plain list of groups.
    Discovery,
    /// The metadata of a list's objects, as `PartialObjectMetadataList`.
    MetadataList,
}

/// What the server answered to a request of a controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiResponse {
    /// The status code; 0 if there was no response.
    pub status: u16,
    /// The body, in JSON.
    pub body: Bytes,
}

/// The lines of a watch response.
pub trait Lines: Send {
    /// The next complete line of JSON; `None` at the end.
    fn next(&mut self) -> BoxFuture<'_, Option<Bytes>>;
}

/// Access to the API as a named user, authenticated and authorized like any other.
pub trait Api: Send + Sync + 'static {
    /// Sends a request and waits for the whole response.
    fn send(&self, request: ApiRequest) -> BoxFuture<'_, ApiResponse>;

    /// Starts a watch at `path` (with its query); a refusal is the status code, 0 if there was no
    /// response.
    fn watch(
        &self,
        path: &str,
        representation: Representation,
    ) -> BoxFuture<'_, Result<Box<dyn Lines>, u16>>;
}
