//! `LoopbackClient`: requests from within the process, through the full handler chain and without a network.

use crate::aggregate::Requests;
use crate::app::App;
use crate::app::token_usage::SecretLabeler;
use crate::handler::server::serve;
use crate::registry::own_webhook::OwnWebhook;
use crate::request::{Caller, Source};
use bytes::Bytes;
use http::{HeaderValue, Request, header};
use http_body_util::{BodyExt, Collected};
use ratchet_access::{MASTERS, User};
use ratchet_http::{Body, Peer};
use ratchet_identity::SecretUsage;
use ratchet_object::Node;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Weak};

/// The media types of a request; empty means that the header is absent.
#[derive(Clone, Copy, Debug, Default)]
pub struct MediaTypes {
    /// What the client asks for: `Accept`.
    pub accept: &'static str,
    /// What it sends: `Content-Type`.
    pub content: &'static str,
}

/// A client inside the server; its requests are authorized like all others.
#[derive(Clone)]
pub struct LoopbackClient {
    app: Arc<App>,
    peer: Arc<Peer>,
    agent: HeaderValue,
}

/// The user agents of the server itself, and of its controllers. `managedFields` have the part before the slash, by
/// which tools know them.
const SERVER_AGENT: &str = "kube-apiserver/ratchet";
const WEBHOOK_AGENT: &str = "kube-apiserver-admission";
const CONTROLLER_AGENT: &str = "kube-controller-manager/ratchet";

impl LoopbackClient {
    /// Creates a client of this server for its controllers.
    pub fn new(app: Arc<App>) -> Self {
        Self::named(app, CONTROLLER_AGENT)
    }

    fn named(app: Arc<App>, agent: &'static str) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let peer = Arc::new(Peer { address, certificates: Arc::from([]) });
        Self { app, peer, agent: HeaderValue::from_static(agent) }
    }

    /// Sends a request as `user` and returns status code and body.
    pub async fn request(
        &self,
        user: &User,
        method: &str,
        path: &str,
        types: MediaTypes,
        body: Bytes,
    ) -> (u16, Bytes) {
        let Some(response) = self.send(user, method, path, types, body).await else {
            return (400, Bytes::new());
        };
        let code = response.status().as_u16();
        let body = response.into_body().collect().await.map(Collected::to_bytes);
        (code, body.unwrap_or_default())
    }

    /// Starts a watch as `user`: the stream, or the status code of an error.
    pub async fn watch(&self, user: &User, path: &str, accept: &'static str) -> Result<Body, u16> {
        let types = MediaTypes { accept, content: "" };
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
        types: MediaTypes,
        body: Bytes,
    ) -> Option<http::Response<Body>> {
        let agent = self.agent.clone();
        let mut request =
            Request::builder().method(method).uri(path).header(header::USER_AGENT, agent);
        let content_headers =
            [(header::CONTENT_TYPE, types.content), (header::ACCEPT, types.accept)];
        for (name, value) in content_headers.into_iter().filter(|(_, value)| !value.is_empty()) {
            request = request.header(name, HeaderValue::from_static(value));
        }
        let (parts, ()) = request.body(()).ok()?.into_parts();
        Some(
            serve(
                &self.app,
                parts,
                Source::Memory(body),
                &self.peer,
                Caller::Internal(user.clone()),
            )
            .await,
        )
    }
}

/// The requests of the controllers of APIServices, as the server itself.
impl Requests for LoopbackClient {
    fn send(
        &self,
        method: &'static str,
        path: String,
        body: Bytes,
    ) -> Pin<Box<dyn Future<Output = (u16, Bytes)> + Send + '_>> {
        Box::pin(async move {
            let types = MediaTypes { accept: "application/json", content: "application/json" };
            self.request(&own_user(), method, &path, types, body).await
        })
    }
}

/// Webhooks that this server itself answers, or an extension server behind it. The server owns it, so it keeps no server
/// alive.
pub(crate) struct LoopbackWebhook(pub(crate) Weak<App>);

impl OwnWebhook for LoopbackWebhook {
    fn call(
        &self,
        path: String,
        body: Bytes,
    ) -> Pin<Box<dyn Future<Output = http::Response<Body>> + Send>> {
        let client = self.0.upgrade().map(|app| LoopbackClient::named(app, WEBHOOK_AGENT));
        Box::pin(async move {
            let accept = "application/json, */*";
            let types = MediaTypes { accept, content: "application/json" };
            let response = match client {
                Some(client) => client.send(&own_user(), "POST", &path, types, body).await,
                None => None,
            };
            response.unwrap_or_else(|| {
                let mut response = http::Response::new(ratchet_http::empty());
                *response.status_mut() = http::StatusCode::BAD_REQUEST;
                response
            })
        })
    }
}

/// The server itself.
pub(crate) fn own_user() -> User {
    User { name: "system:apiserver".into(), groups: vec![MASTERS.into()], ..User::default() }
}

/// Labels secrets by requests of the server to itself. The server owns it, so it keeps no server alive.
pub(crate) struct LoopbackLabeler(pub(crate) Weak<App>);

impl SecretLabeler for LoopbackLabeler {
    fn label(&self, secret: SecretUsage) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let app = self.0.upgrade();
        Box::pin(async move {
            let Some(app) = app else { return };
            let SecretUsage { namespace, name, uid, day } = secret;
            let path = format!("/api/v1/namespaces/{namespace}/secrets/{name}");
            let labels = Node::map([(SecretUsage::LABEL, Node::string(day))]);
            let metadata = Node::map([("uid", Node::string(uid)), ("labels", labels)]);
            let patch = Bytes::from(Node::map([("metadata", metadata)]).to_json());
            let types =
                MediaTypes { accept: "application/json", content: "application/merge-patch+json" };
            let client = LoopbackClient::named(app, SERVER_AGENT);
            let (code, _) = client.request(&own_user(), "PATCH", &path, types, patch).await;
            if code >= 300 {
                tracing::error!(namespace, name, code, "a secret could not be marked as used");
            }
        })
    }
}
