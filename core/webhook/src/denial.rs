//! `DeniedStatus`: the Status of a webhook that denied a request, with what the server adds to it.

use crate::configuration::Webhook;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::{Entry, Node, Value};

/// The Status of a denial.
#[derive(Clone, Debug, PartialEq)]
pub struct DeniedStatus {
    node: Node<'static>,
}

/// The fields of a Status that a webhook determines, in the order of the API type; the server sets the others.
const METADATA: &[&str] = &["selfLink", "resourceVersion", "continue", "remainingItemCount"];
const DETAILS: &[&str] = &["name", "group", "kind", "uid"];
const CAUSE: &[&str] = &["reason", "message", "field"];

impl DeniedStatus {
    /// The Status that a webhook gave, none if it gave none: its types have been checked.
    pub(crate) fn new(webhook: &Webhook, given: Option<&Node<'_>>) -> Self {
        let text = |name: &str| given.map_or("", |given| given.text_at(&[name]));
        let denied_by = format!("admission webhook {} denied the request", Quoted(&webhook.name));
        let message = match (text("message"), text("reason")) {
            ("", "") => format!("{denied_by} without explanation"),
            ("", reason) => format!("{denied_by}: {reason}"),
            (message, _) => format!("{denied_by}: {message}"),
        };
        let status = match text("status") {
            "" | "Success" => "Failure",
            other => other,
        };
        let code = given.and_then(|given| given.get("code")).and_then(Node::as_int);
        let metadata = given.and_then(|given| given.get("metadata"));
        let mut members = alloc::vec![
            entry("kind", Node::string("Status")),
            entry("apiVersion", Node::string("v1")),
            entry("metadata", Node::new(Value::Map(known(metadata, METADATA)))),
            entry("status", Node::string(status.to_string())),
            entry("message", Node::string(message)),
        ];
        if !text("reason").is_empty() {
            members.push(entry("reason", Node::string(text("reason").to_string())));
        }
        let details = given.and_then(|given| given.get("details"));
        if let Some(details) = details.filter(|details| !details.is_null()) {
            members.push(entry("details", details_of(details)));
        }
        members.push(entry("code", Node::int(code.unwrap_or_default().max(400))));
        Self { node: Node::new(Value::Map(members)) }
    }

    /// The whole Status.
    pub fn node(&self) -> &Node<'static> {
        &self.node
    }

    /// The HTTP status code, 400 at least; nothing bounds it from above.
    pub fn code(&self) -> i64 {
        self.node.get("code").and_then(Node::as_int).unwrap_or(400)
    }

    /// The reason; empty if the webhook gave none.
    pub fn reason(&self) -> &str {
        self.node.text_at(&["reason"])
    }

    /// `message`, which names the webhook.
    pub fn message(&self) -> &str {
        self.node.text_at(&["message"])
    }

    /// The seconds after which the client may try again: the header `Retry-After`.
    pub fn retry_after_seconds(&self) -> Option<i64> {
        let seconds = self.node.find(&["details", "retryAfterSeconds"]).and_then(Node::as_int);
        seconds.filter(|seconds| *seconds > 0)
    }
}

fn entry(name: &'static str, node: Node<'static>) -> Entry<'static> {
    Entry::new(name, node)
}

/// The members of these names that say something.
fn known(node: Option<&Node<'_>>, names: &[&'static str]) -> Vec<Entry<'static>> {
    let member = |name: &&'static str| {
        let value = node?.get(name).filter(|value| !is_empty(value))?;
        Some(entry(name, value.clone().into_owned()))
    };
    names.iter().filter_map(member).collect()
}

fn is_empty(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::Int(number) => *number == 0,
        _ => false,
    }
}

fn details_of(details: &Node<'_>) -> Node<'static> {
    let mut members = known(Some(details), DETAILS);
    let causes: Vec<Node<'static>> = details
        .get("causes")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .map(|cause| Node::new(Value::Map(known(Some(cause), CAUSE))))
        .collect();
    if !causes.is_empty() {
        members.push(entry("causes", Node::list(causes)));
    }
    members.extend(known(Some(details), &["retryAfterSeconds"]));
    Node::new(Value::Map(members))
}

/// The text of a Status that a webhook answered instead of a review.
pub(crate) fn message_of(status: &Node<'_>) -> String {
    status.text_at(&["message"]).to_string()
}
