//! What follows from the use of a service account's token: notes, counters, and a mark on the secret that holds it.

use crate::app::App;
use crate::audit_record::AuditRecord;
use crate::loopback::{LoopbackClient, Types};
use crate::warnings::Warnings;
use bytes::Bytes;
use ratchet_access::{MASTERS, User};
use ratchet_identity::{SecretUsage, TokenUsage};
use ratchet_object::Node;
use std::pin::Pin;
use std::sync::Arc;

/// Counts the use of a token, tells of it where there is somebody to tell, and marks its secret.
pub(crate) async fn record(
    app: &Arc<App>,
    usage: TokenUsage,
    request: Option<(&Warnings, &AuditRecord)>,
) {
    let TokenUsage { annotations, warnings, counters, secret } = usage;
    for counter in counters {
        app.metrics.token_used(counter);
    }
    if let Some((request_warnings, audit)) = request {
        annotations.into_iter().for_each(|(key, text)| audit.annotate(key, text));
        warnings.into_iter().for_each(|text| request_warnings.add(text));
    }
    if let Some(secret) = secret {
        // A task of its own: a client that goes away leaves no write half done.
        let _ = tokio::spawn(mark(Arc::clone(app), secret)).await;
    }
}

/// Writes into a secret on which day its token was used. What fails here fails nobody's request.
///
/// A request leads to this one, so that its type must end somewhere.
fn mark(app: Arc<App>, secret: SecretUsage) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        let SecretUsage { namespace, name, uid, day } = secret;
        let path = format!("/api/v1/namespaces/{namespace}/secrets/{name}");
        let labels = Node::map([(SecretUsage::LABEL, Node::string(day))]);
        let metadata = Node::map([("uid", Node::string(uid)), ("labels", labels)]);
        let patch = Bytes::from(Node::map([("metadata", metadata)]).to_json());
        let types = Types { accept: "application/json", content: "application/merge-patch+json" };
        let user = User {
            name: "system:apiserver".into(),
            groups: vec![MASTERS.into()],
            ..User::default()
        };
        let (code, _) = LoopbackClient::new(app).request(&user, "PATCH", &path, types, patch).await;
        if code >= 300 {
            tracing::error!(namespace, name, code, "a secret could not be marked as used");
        }
    })
}
