//! Effects of the use of a service account token: annotations, warnings, metrics and the usage label of its secret.

use crate::app::metrics::Metrics;
use crate::request::audit_record::AuditRecord;
use crate::request::warnings::Warnings;
use ratchet_identity::{SecretUsage, TokenUsage};
use std::pin::Pin;
use std::sync::Arc;

/// Writes the day of use into the label of a secret, by a request of its own.
pub(crate) trait SecretLabeler: Send + Sync {
    /// Labels the secret. A failure is logged and does not fail the request that used the token.
    ///
    /// Boxed because handling a request leads to another request: the future's type would be recursive.
    fn label(&self, secret: SecretUsage) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// What the use of a token is recorded in.
pub(crate) struct TokenRecorder {
    /// The counters of token uses.
    pub(crate) metrics: Arc<Metrics>,
    /// The writer of the labels.
    pub(crate) labeler: Box<dyn SecretLabeler>,
}

impl TokenRecorder {
    /// Records the use of a token in metrics, in `request` where given, and in the label of its secret.
    pub(crate) async fn record(
        &self,
        usage: TokenUsage,
        request: Option<(&Warnings, &AuditRecord)>,
    ) {
        let TokenUsage { annotations, warnings, counters, secret } = usage;
        for counter in counters {
            self.metrics.token_used(counter);
        }
        if let Some((request_warnings, audit)) = request {
            annotations.into_iter().for_each(|(key, text)| audit.annotate(key, text));
            warnings.into_iter().for_each(|text| request_warnings.add(text));
        }
        if let Some(secret) = secret {
            // A separate task, so that a client that disconnects does not cancel the write.
            let _ = tokio::spawn(self.labeler.label(secret)).await;
        }
    }
}
