//! `WebhookConverter`: conversion by the webhook of a definition, a call for many objects.

use super::converter::{Conversion, Converter};
use crate::registry::clock;
use crate::registry::own_webhook::{self, OwnWebhook};
use crate::status::StatusError;
use ratchet_http::metrics::{CounterVec, HistogramVec, Registry, Stability};
use ratchet_kubelet::{CallTimeout, WebhookClient};
use ratchet_object::Node;
use ratchet_webhook::{
    CONVERSION_TIMEOUT_SECONDS, ConversionCall, ConversionError, ConversionWebhook,
};
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;
use std::time::Instant;

/// The most objects of one call.
const MAX_OBJECTS: usize = 256;

/// The most bytes of the objects of one call, unless a single one is larger: the answer may be larger, and is limited.
const MAX_BYTES: usize = 1 << 20;

/// The upper bounds of durations, in seconds.
const BUCKETS: &[f64] =
    &[0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0];

/// Calls conversion webhooks, and counts the calls.
pub(crate) struct ConversionClient {
    client: WebhookClient,
    own: Arc<dyn OwnWebhook>,
    requests: CounterVec,
    durations: HistogramVec,
}

impl Debug for ConversionClient {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConversionClient").finish_non_exhaustive()
    }
}

impl ConversionClient {
    /// Uses a client of webhooks, and one of this server itself, and registers metrics.
    pub(crate) fn new(
        client: WebhookClient,
        own: Arc<dyn OwnWebhook>,
        registry: &Registry,
    ) -> Arc<Self> {
        const LABELS: &[&str] = &["result", "failure_type"];
        let requests = registry.counter(
            "apiserver_conversion_webhook_request_total",
            Stability::Alpha,
            "Calls of conversion webhooks, by their success and the sort of their failure.",
            LABELS,
        );
        let durations = registry.histogram(
            "apiserver_conversion_webhook_duration_seconds",
            Stability::Alpha,
            "How long calls of conversion webhooks took, in seconds.",
            LABELS,
            BUCKETS,
        );
        Arc::new(Self { client, own, requests, durations })
    }

    async fn call(&self, call: ConversionCall) -> Result<Vec<Node<'static>>, ConversionError> {
        let started = Instant::now();
        let timeout = CallTimeout::of_seconds(CONVERSION_TIMEOUT_SECONDS);
        let (config, body) = (call.client_config(), call.body().into());
        let answer = match own_webhook::is_own(config) {
            true => own_webhook::ask(&*self.own, config, body, timeout).await,
            false => self.client.ask(config, body, timeout).await,
        };
        let converted = call.finish(answer);
        let labels = match &converted {
            Ok(_) => ["success", ""],
            Err(error) => ["failure", error.failure.as_str()],
        };
        self.requests.with(&labels).inc();
        self.durations.with(&labels).observe(started.elapsed().as_secs_f64());
        converted
    }
}

/// Converts the objects of one definition.
#[derive(Debug)]
pub(crate) struct WebhookConverter {
    webhook: ConversionWebhook,
    client: Arc<ConversionClient>,
}

impl WebhookConverter {
    /// The converter of a definition; `None` if it has no webhook.
    pub(crate) fn of(
        definition: &Node<'_>,
        client: &Arc<ConversionClient>,
    ) -> Option<Arc<dyn Converter>> {
        let webhook = ConversionWebhook::of(definition.find(&["spec", "conversion"])?)?;
        Some(Arc::new(Self { webhook, client: client.clone() }))
    }

    async fn call(
        &self,
        objects: Vec<Node<'static>>,
        api_version: &str,
    ) -> Result<Vec<Node<'static>>, StatusError> {
        let call = ConversionCall::new(&self.webhook, objects, api_version, clock::new_uid());
        let converted = match call {
            Ok(call) => self.client.call(call).await,
            Err(error) => Err(error),
        };
        converted.map_err(|error| StatusError::unclassified(error.message))
    }
}

impl Converter for WebhookConverter {
    fn convert<'a>(&'a self, objects: Vec<Node<'static>>, api_version: &'a str) -> Conversion<'a> {
        Box::pin(async move {
            let mut converted = Vec::with_capacity(objects.len());
            for batch in batches(objects) {
                converted.extend(self.call(batch, api_version).await?);
            }
            Ok(converted)
        })
    }
}

/// Objects in the order in which they are sent, so many at a time.
fn batches(objects: Vec<Node<'static>>) -> Vec<Vec<Node<'static>>> {
    let mut batches: Vec<Vec<Node<'static>>> = Vec::new();
    let mut size = usize::MAX;
    for object in objects {
        let added = object.to_json().len();
        match batches.last_mut() {
            Some(batch) if batch.len() < MAX_OBJECTS && size.saturating_add(added) <= MAX_BYTES => {
                size += added;
                batch.push(object);
            }
            _ => {
                size = added;
                batches.push(vec![object]);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_objects_are_sent_together() {
        let object = |size: usize| Node::map([("data", Node::string("x".repeat(size)))]);
        let sizes = |objects: Vec<Node<'static>>| -> Vec<usize> {
            batches(objects).iter().map(Vec::len).collect()
        };
        assert_eq!(sizes(Vec::new()), [0_usize; 0]);
        assert_eq!(sizes((0..600).map(|_| object(10)).collect()), [256, 256, 88]);
        assert_eq!(sizes(vec![object(MAX_BYTES), object(1), object(1)]), [1, 2]);
        assert_eq!(
            sizes(vec![object(MAX_BYTES / 2), object(MAX_BYTES / 4), object(MAX_BYTES / 2)]),
            [2, 1]
        );
    }
}
