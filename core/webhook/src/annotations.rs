//! Audit annotations: those of webhooks under their names, and those about what happened to the object.

use crate::call::WebhookCall;
use crate::configuration::Webhook;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::selector::label_key_faults;
use ratchet_object::{Entry, Node, write_text};

/// The audit level from which on an annotation is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AuditLevel {
    /// With the metadata of the request.
    Metadata,
    /// With the body of the request: the annotation shows parts of it.
    Request,
}

/// An annotation of the audit event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditAnnotation {
    /// The key: a domain, a slash and a name.
    pub key: String,
    /// Text of a webhook, or JSON of the server.
    pub value: String,
    /// The level from which on it is logged.
    pub level: AuditLevel,
}

/// Annotations with distinct keys.
pub(crate) trait Annotations {
    /// Adds an annotation with a well-formed key; the first value of a key stays.
    fn add(&mut self, annotation: AuditAnnotation);
}

impl Annotations for Vec<AuditAnnotation> {
    fn add(&mut self, annotation: AuditAnnotation) {
        let key = &annotation.key;
        let is_qualified = key.matches('/').count() == 1 && label_key_faults(key).is_empty();
        if is_qualified && !self.iter().any(|own| own.key == *key) {
            self.push(annotation);
        }
    }
}

fn metadata(key: String, value: String) -> AuditAnnotation {
    AuditAnnotation { key, value, level: AuditLevel::Metadata }
}

/// The annotation that a webhook wants, under its name.
pub(crate) fn of_webhook(webhook: &Webhook, key: &str, value: &str) -> AuditAnnotation {
    metadata(format!("{}/{key}", webhook.name), value.into())
}

/// That a validating webhook failed open.
pub(crate) fn validating_failed_open(webhook: &Webhook, index: usize) -> AuditAnnotation {
    const PREFIX: &str = "failed-open.validating.webhook.admission.k8s.io/";
    metadata(format!("{PREFIX}round_0_index_{index}"), webhook.name.clone())
}

/// That a mutating webhook failed open.
pub(crate) fn mutating_failed_open(call: &WebhookCall, round: u8) -> AuditAnnotation {
    const PREFIX: &str = "failed-open.mutation.webhook.admission.k8s.io/";
    metadata(format!("{PREFIX}round_{round}_index_{}", call.index), call.webhook.name.clone())
}

/// Whether a mutating webhook changed the object.
pub(crate) fn mutation(call: &WebhookCall, round: u8, is_mutated: bool) -> AuditAnnotation {
    let mut value = start(&call.webhook);
    value.push_str(&format!(",\"mutated\":{is_mutated}}}"));
    let key = format!("mutation.webhook.admission.k8s.io/round_{round}_index_{}", call.index);
    metadata(key, value)
}

/// The patch of a mutating webhook.
pub(crate) fn patch(call: &WebhookCall, round: u8, operations: &[Node<'_>]) -> AuditAnnotation {
    let mut value = start(&call.webhook);
    value.push_str(",\"patch\":[");
    for (index, operation) in operations.iter().enumerate() {
        if index > 0 {
            value.push(',');
        }
        // The library keeps operations in maps, which Go writes with sorted keys.
        let mut members: Vec<&Entry<'_>> = operation.entries().iter().collect();
        members.sort_by(|one, other| one.key.cmp(&other.key));
        let sorted = members.into_iter().map(|entry| (entry.key.clone(), entry.node.clone()));
        match operation.is_null() {
            true => value.push_str("null"),
            false => Node::map(sorted).write_json(&mut value),
        }
    }
    value.push_str("],\"patchType\":\"JSONPatch\"}");
    let key = format!("patch.webhook.admission.k8s.io/round_{round}_index_{}", call.index);
    AuditAnnotation { key, value, level: AuditLevel::Request }
}

/// The beginning of both values: `{"configuration":…,"webhook":…`.
fn start(webhook: &Webhook) -> String {
    let mut value = String::from("{\"configuration\":");
    // Writing to a String cannot fail.
    let _ = write_text(&mut value, &webhook.configuration);
    value.push_str(",\"webhook\":");
    let _ = write_text(&mut value, &webhook.name);
    value
}
