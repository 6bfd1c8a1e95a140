//! Effects of the use of a service account token: annotations, warnings, metrics and the usage label of its secret.

use crate::app::App;
use crate::audit_record::AuditRecord;
use crate::loopback::{LoopbackClient, MediaTypes};
use crate::warnings::Warnings;
use bytes::Bytes;
use ratchet_access::{MASTERS, User};
use ratchet_identity::{SecretUsage, TokenUsage};
use ratchet_object::Node;
use std::pin::Pin;
use std::sync::Arc;

/// Records the use of a token in metrics, in `request` where given, and in the label of its secret.
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
        // A separate task, so that a client that disconnects does not cancel the write.
        let _ = tokio::spawn(label_secret(Arc::clone(app), secret)).await;
    }
}

/// Writes the day of use into the label of a secret. A failure is logged and does not fail the request.
///
/// Boxed because handling a request leads to another request: the future's type would be recursive.
fn label_secret(app: Arc<App>, secret: SecretUsage) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        let SecretUsage { namespace, name, uid, day } = secret;
        let path = format!("/api/v1/namespaces/{namespace}/secrets/{name}");
        let labels = Node::map([(SecretUsage::LABEL, Node::string(day))]);
        let metadata = Node::map([("uid", Node::string(uid)), ("labels", labels)]);
        let patch = Bytes::from(Node::map([("metadata", metadata)]).to_json());
        let types =
            MediaTypes { accept: "application/json", content: "application/merge-patch+json" };
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
