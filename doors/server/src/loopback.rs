//! Requests from within the process: the same pipeline, without a wire.

use crate::app::App;
use crate::server::{Caller, Source, serve};
use bytes::Bytes;
use http::{HeaderValue, Request, header};
use http_body_util::{BodyExt, Collected};
use ratchet_access::User;
use ratchet_http::{Body, Peer};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// What a request says about what it wants and what it brings; empty if it says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Types {
    /// The form of the answer.
    pub accept: &'static str,
    /// The type of the body.
    pub content: &'static str,
}

/// A client inside the server: what it may do is decided as for any other.
#[derive(Clone)]
pub struct LoopbackClient {
    app: Arc<App>,
    peer: Arc<Peer>,
}

impl LoopbackClient {
    /// A client of this server.
    pub fn new(app: Arc<App>) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self { app, peer: Arc::new(Peer { address, certificates: Arc::from([]) }) }
    }

    /// Asks as `user`: status code and body.
    pub async fn request(
        &self,
        user: &User,
        method: &str,
        path: &str,
        types: Types,
        body: Bytes,
    ) -> (u16, Bytes) {
        let Some(response) = self.send(user, method, path, types, body).await else {
            return (400, Bytes::new());
        };
        let code = response.status().as_u16();
        let body = response.into_body().collect().await.map(Collected::to_bytes);
        (code, body.unwrap_or_default())
    }

    /// Watches as `user`: the stream, or the status code of a refusal.
    pub async fn watch(&self, user: &User, path: &str, accept: &'static str) -> Result<Body, u16> {
        let types = Types { accept, content: "" };
        let response = self.send(user, "GET", path, types, Bytes::new()).await.ok_or(400_u16)?;
        match response.status().as_u16() {
            200 => Ok(response.into_body()),
            code => Err(code),
        }
    }

    async fn send(
        &self,
        user: &User,
        method: &str,
        path: &str,
        types: Types,
        body: Bytes,
    ) -> Option<http::Response<Body>> {
        let agent = HeaderValue::from_static("ratchet-controllers");
        let mut request =
            Request::builder().method(method).uri(path).header(header::USER_AGENT, agent);
        let said = [(header::CONTENT_TYPE, types.content), (header::ACCEPT, types.accept)];
        for (name, value) in said.into_iter().filter(|(_, value)| !value.is_empty()) {
            request = request.header(name, HeaderValue::from_static(value));
        }
        let (parts, ()) = request.body(()).ok()?.into_parts();
        Some(
            serve(&self.app, parts, Source::Here(body), &self.peer, Caller::Known(user.clone()))
                .await,
        )
    }
}
