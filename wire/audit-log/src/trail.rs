//! Audit events of one request, from its receipt to its end.

mod line;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;
use ratchet_object::{Limits, Node, Value, decode};

use crate::policy::{Detail, Level, Stage};
use crate::redact::{self, Sensitive};
use crate::sink::Sink;

/// Bodies are decoded again for the log; lists may be larger than any request body.
const LIMITS: Limits = Limits { bytes: 64 << 20, depth: 250, nodes: 1 << 22 };

/// The maximum length of a user agent.
const MAX_USER_AGENT: usize = 1024;

/// The user of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// The name of the user.
    pub username: String,
    /// The uid, or empty.
    pub uid: String,
    /// The groups of the user.
    pub groups: Vec<String>,
    /// Additional attributes of the user.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// The object of a request; unknown fields are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectReference {
    /// The plural name of the resource.
    pub resource: String,
    /// The namespace of the object.
    pub namespace: String,
    /// The name of the object.
    pub name: String,
    /// The uid of the object.
    pub uid: String,
    /// The group of the resource.
    pub api_group: String,
    /// The version of the group.
    pub api_version: String,
    /// The resource version of the object.
    pub resource_version: String,
    /// The subresource, such as `status`.
    pub subresource: String,
}

/// The properties of a request that are known when it is received.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The `Audit-Id` of the response.
    pub audit_id: String,
    /// Path and query as they were sent.
    pub uri: String,
    /// `get`, `list`, `create`, …
    pub verb: String,
    /// The authenticated user.
    pub user: User,
    /// See [`crate::source_ips`].
    pub source_ips: Vec<IpAddr>,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// The object of the request; `None` for paths such as `/healthz`.
    pub object: Option<ObjectReference>,
    /// The time of receipt.
    pub received: Timestamp,
    /// Whether the request continues after the response has started, as a watch does.
    pub is_long_running: bool,
}

/// Writes the events of one request; dropping it ends the request.
///
/// A request whose client disconnected is dropped midway and still logged, and so is one that
/// panicked.
#[derive(Debug)]
pub struct Trail {
    sink: Arc<Sink>,
    detail: Detail,
    request: Request,
    sensitive: Option<&'static Sensitive>,
    impersonated: Option<User>,
    impersonation_constraint: String,
    status: Option<Status>,
    /// Bodies in JSON, redacted.
    request_object: Option<String>,
    response_object: Option<String>,
    annotations: BTreeMap<String, String>,
    started: bool,
    ended: bool,
}

/// The status of a response.
#[derive(Debug, Clone, Default)]
struct Status {
    status: String,
    message: String,
    reason: String,
    /// In JSON.
    details: Option<String>,
    code: i64,
}

impl Trail {
    /// Starts a trail and writes the `RequestReceived` event; `None` when the level is `None`.
    pub fn begin(sink: &Arc<Sink>, detail: Detail, mut request: Request) -> Option<Self> {
        sink.counts().count_level(detail.level);
        if detail.level == Level::None {
            return None;
        }
        request.uri = redact::uri(&request.uri);
        truncate_user_agent(&mut request.user_agent);
        let sensitive = request.object.as_ref().and_then(|object| {
            redact::by_resource(&object.api_group, &object.resource, &object.subresource)
        });
        let mut trail = Self {
            sink: Arc::clone(sink),
            detail,
            request,
            sensitive,
            impersonated: None,
            impersonation_constraint: String::new(),
            status: None,
            request_object: None,
            response_object: None,
            annotations: BTreeMap::new(),
            started: false,
            ended: false,
        };
        trail.write_event(Stage::RequestReceived, trail.request.received);
        Some(trail)
    }

    /// The level, so that callers can skip what is not needed.
    pub fn level(&self) -> Level {
        self.detail.level
    }

    /// Records impersonation; the constraint is the verb that allowed it, or empty.
    pub fn impersonated(&mut self, user: User, constraint: &str) {
        self.impersonated = Some(user);
        constraint.clone_into(&mut self.impersonation_constraint);
    }

    /// Adds an annotation; the first value of a key stays.
    pub fn annotate(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.annotations.entry(key.into()).or_insert_with(|| value.into());
    }

    /// Records the request object.
    pub fn request_object(&mut self, object: &Node<'_>) {
        self.fill_reference(object);
        if self.detail.level >= Level::Request {
            self.request_object = Some(self.redacted_json(object.clone(), redact::request));
        }
    }

    /// Records a patch as text; one that is not JSON or YAML is not logged.
    pub fn request_patch(&mut self, patch: &str) {
        if self.detail.level >= Level::Request {
            self.request_object =
                decode_first(patch).map(|node| self.redacted_json(node, redact::request));
        }
    }

    /// Records the response object; a Status also determines the response status.
    pub fn response_object(&mut self, object: &Node<'_>) {
        if object.text_at(&["kind"]) == "Status" {
            self.status = Some(self.parse_status(object));
        }
        if self.detail.level >= Level::RequestResponse {
            self.response_object = Some(self.redacted_json(object.clone(), redact::response));
        }
    }

    /// The same as [`Trail::response_object`] for bytes that are sent as they were stored.
    pub fn response_json(&mut self, text: &str) {
        if let Some(node) = decode_first(text) {
            self.response_object(&node);
        }
    }

    /// Records the status code of the response.
    pub fn status_code(&mut self, code: u16) {
        self.status.get_or_insert_default().code = code.into();
    }

    /// Writes the `ResponseStarted` event of a long-running request.
    pub fn response_started(&mut self) {
        self.started = true;
        self.write_event(Stage::ResponseStarted, Timestamp::now());
    }

    /// Writes the `Panic` event, which ends the trail.
    pub fn panicked(mut self, what: &str) {
        self.end_in_panic(what);
    }

    /// The last byte of the response was sent; the same as dropping the trail.
    pub fn finish(self) {}

    fn end_in_panic(&mut self, what: &str) {
        self.ended = true;
        self.status = Some(Status {
            status: "Failure".to_owned(),
            message: format!("APIServer panic'd: {what}"),
            reason: "InternalError".to_owned(),
            details: None,
            code: 500,
        });
        self.write_event(Stage::Panic, Timestamp::now());
    }

    fn end(&mut self) {
        self.ended = true;
        if self.status.is_none() {
            self.status = Some(Status {
                status: "Success".to_owned(),
                message: "Connection closed early".to_owned(),
                code: 200,
                ..Status::default()
            });
            if self.request.is_long_running && !self.started {
                self.response_started();
            }
        }
        self.write_event(Stage::ResponseComplete, Timestamp::now());
    }

    fn write_event(&mut self, stage: Stage, now: Timestamp) {
        if !self.detail.omit_stages.contains(stage) {
            self.sink.counts().count_event();
            self.sink.write(line::write(self, stage, now));
        }
    }

    /// Takes fields from the object that the URL does not contain.
    fn fill_reference(&mut self, object: &Node<'_>) {
        let reference = self.request.object.get_or_insert_default();
        for (target, name) in [
            (&mut reference.namespace, "namespace"),
            (&mut reference.name, "name"),
            (&mut reference.uid, "uid"),
            (&mut reference.resource_version, "resourceVersion"),
        ] {
            if target.is_empty() {
                object.text_at(&["metadata", name]).clone_into(target);
            }
        }
    }

    fn redacted_json(
        &self,
        mut object: Node<'_>,
        redact_body: impl Fn(&mut Node<'_>, Option<&'static Sensitive>),
    ) -> String {
        if self.detail.omit_managed_fields {
            omit_managed_fields(&mut object);
        }
        redact_body(&mut object, self.sensitive);
        object.to_json()
    }

    fn parse_status(&self, object: &Node<'_>) -> Status {
        let mut object = object.clone();
        if self.sensitive.is_some() {
            redact::redact_message(&mut object);
        }
        let text = |name| object.text_at(&[name]).to_owned();
        Status {
            status: text("status"),
            message: text("message"),
            reason: text("reason"),
            details: object.get("details").filter(|node| !node.is_null()).map(Node::to_json),
            code: object.get("code").and_then(Node::as_int).unwrap_or(0),
        }
    }
}

impl Drop for Trail {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        if std::thread::panicking() {
            self.end_in_panic("the request was given up");
        } else {
            self.end();
        }
    }
}

fn decode_first(text: &str) -> Option<Node<'_>> {
    decode(text, LIMITS).ok()?.documents.into_iter().next()
}

fn truncate_user_agent(user_agent: &mut String) {
    if user_agent.len() > MAX_USER_AGENT {
        user_agent.truncate(user_agent.floor_char_boundary(MAX_USER_AGENT));
        user_agent.push_str("...TRUNCATED");
    }
}

/// Removes the field from the object itself, the items of a list, and the objects of a table.
fn omit_managed_fields(object: &mut Node<'_>) {
    fn omit(object: &mut Node<'_>) {
        if let Some(metadata) = object.get_mut("metadata") {
            metadata.remove("managedFields");
        }
    }
    omit(object);
    for (list, inner) in [("items", None), ("rows", Some("object"))] {
        let Some(Node { value: Value::List(items), .. }) = object.get_mut(list) else { continue };
        for item in items {
            match inner {
                None => omit(item),
                Some(name) => item.get_mut(name).into_iter().for_each(omit),
            }
        }
    }
}

#[cfg(test)]
mod tests;
