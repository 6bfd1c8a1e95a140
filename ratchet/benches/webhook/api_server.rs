//! `ApiServer`: a connection as an API server has one to a webhook, HTTP/2 over TLS.

use crate::client::Client;
use crate::reviews::Review;
use std::net::SocketAddr;

/// A connection; its clones share it.
#[derive(Clone)]
pub(crate) struct ApiServer(Client);

impl ApiServer {
    pub(crate) async fn connect(address: SocketAddr, authority: &str) -> Self {
        Self(Client::connect(address, authority).await.unwrap())
    }

    /// The value of a metric without labels.
    pub(crate) async fn metric(&mut self, name: &str) -> Option<f64> {
        let (_, _, text) = self.0.get("/metrics").await;
        text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
    }

    /// Sends a review and reads the answer, which must be the expected one.
    pub(crate) async fn send(&mut self, review: &Review) {
        let (code, _, body) = self.0.post("/validate?timeout=10s", review.body.clone()).await;
        let verdict = if review.is_allowed { ALLOWED } else { DENIED };
        assert!(code == 200 && body.contains(verdict), "{}: {code} {body}", review.name);
    }
}

const ALLOWED: &str = r#""allowed":true"#;
const DENIED: &str = r#""allowed":false"#;
