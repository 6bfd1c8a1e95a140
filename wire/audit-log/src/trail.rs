//! What is told about one request, from its coming to its end.

mod line;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;
use ratchet_object::{Limits, Node, Value, decode};

use crate::policy::{Detail, Level, Stage};
use crate::redact::{self, Sensitive};
use crate::sink::Sink;

/// Bodies are read again to be told; lists may be larger than anything that can be sent.
const LIMITS: Limits = Limits { bytes: 64 << 20, depth: 250, nodes: 1 << 22 };

/// Longer names of programs are cut.
const MOST_USER_AGENT: usize = 1024;

/// Who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub username: String,
    /// The uid, or empty.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// What else is known.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// What a request is about; what is not known is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectReference {
    /// The resource in its plural.
    pub resource: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// The group of the resource.
    pub api_group: String,
    /// The version of the group.
    pub api_version: String,
    /// The version of the object.
    pub resource_version: String,
    /// What of the resource.
    pub subresource: String,
}

/// What is known of a request when it comes.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The answer's `Audit-Id`.
    pub audit_id: String,
    /// Path and query as they were sent.
    pub uri: String,
    /// `get`, `list`, `create`, …
    pub verb: String,
    /// Who asks.
    pub user: User,
    /// See [`crate::source_ips`].
    pub source_ips: Vec<IpAddr>,
    /// What the client calls itself.
    pub user_agent: String,
    /// What it is about; nothing for paths such as `/healthz`.
    pub object: Option<ObjectReference>,
    /// When it came.
    pub received: Timestamp,
    /// Whether it goes on after its answer has begun, as a watch does.
    pub is_long_running: bool,
}

/// Follows one request and tells of it; when it is dropped the request has ended.
///
/// A request whose client went away is dropped in the middle and told all the same, and so is one that panicked.
#[derive(Debug)]
pub struct Trail {
    sink: Arc<Sink>,
    detail: Detail,
    request: Request,
    sensitive: Option<&'static Sensitive>,
    impersonated: Option<User>,
    impersonation_constraint: String,
    status: Option<Status>,
    /// Bodies in JSON, without what is secret.
    request_object: Option<String>,
    response_object: Option<String>,
    annotations: BTreeMap<String, String>,
    started: bool,
    ended: bool,
}

/// How a request ended.
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
    /// Begins to follow a request and tells that it has come; nothing when the policy wants nothing told.
    pub fn begin(sink: &Arc<Sink>, detail: Detail, mut request: Request) -> Option<Self> {
        sink.counts().count_level(detail.level);
        if detail.level == Level::None {
            return None;
        }
        request.uri = redact::uri(&request.uri);
        shorten(&mut request.user_agent);
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
        trail.tell(Stage::RequestReceived, trail.request.received);
        Some(trail)
    }

    /// How much is told, so that nobody prepares what is not wanted.
    pub fn level(&self) -> Level {
        self.detail.level
    }

    /// Somebody speaks for somebody else; the constraint is the verb that allowed it, or empty.
    pub fn impersonated(&mut self, user: User, constraint: &str) {
        self.impersonated = Some(user);
        constraint.clone_into(&mut self.impersonation_constraint);
    }

    /// Adds an annotation; the first value of a key stays.
    pub fn annotate(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.annotations.entry(key.into()).or_insert_with(|| value.into());
    }

    /// The object that was sent.
    pub fn request_object(&mut self, object: &Node<'_>) {
        self.learn(object);
        if self.detail.level >= Level::Request {
            self.request_object = Some(self.body(object.clone(), redact::request));
        }
    }

    /// The patch that was sent, as text; what is not JSON or YAML is not told.
    pub fn request_patch(&mut self, patch: &str) {
        if self.detail.level >= Level::Request {
            self.request_object = first(patch).map(|node| self.body(node, redact::request));
        }
    }

    /// The object that is answered; a Status says also how the request ended.
    pub fn response_object(&mut self, object: &Node<'_>) {
        if object.text_at(&["kind"]) == "Status" {
            self.status = Some(self.read_status(object));
        }
        if self.detail.level >= Level::RequestResponse {
            self.response_object = Some(self.body(object.clone(), redact::response));
        }
    }

    /// The same as [`Trail::response_object`] for bytes that are sent as they were stored.
    pub fn response_json(&mut self, text: &str) {
        if let Some(node) = first(text) {
            self.response_object(&node);
        }
    }

    /// The code of the answer.
    pub fn status_code(&mut self, code: u16) {
        self.status.get_or_insert_default().code = code.into();
    }

    /// The answer of a long request has begun.
    pub fn response_started(&mut self) {
        self.started = true;
        self.tell(Stage::ResponseStarted, Timestamp::now());
    }

    /// We failed; this ends the trail.
    pub fn panicked(mut self, what: &str) {
        self.end_in_panic(what);
    }

    /// The last byte of the answer is sent; the same as dropping the trail.
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
        self.tell(Stage::Panic, Timestamp::now());
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
        self.tell(Stage::ResponseComplete, Timestamp::now());
    }

    fn tell(&mut self, stage: Stage, now: Timestamp) {
        if !self.detail.omit_stages.contains(stage) {
            self.sink.counts().count_event();
            self.sink.write(line::write(self, stage, now));
        }
    }

    /// What the object knows about itself and the URL did not say.
    fn learn(&mut self, object: &Node<'_>) {
        let reference = self.request.object.get_or_insert_default();
        for (known, name) in [
            (&mut reference.namespace, "namespace"),
            (&mut reference.name, "name"),
            (&mut reference.uid, "uid"),
            (&mut reference.resource_version, "resourceVersion"),
        ] {
            if known.is_empty() {
                object.text_at(&["metadata", name]).clone_into(known);
            }
        }
    }

    fn body(
        &self,
        mut object: Node<'_>,
        hide: impl Fn(&mut Node<'_>, Option<&'static Sensitive>),
    ) -> String {
        if self.detail.omit_managed_fields {
            omit_managed_fields(&mut object);
        }
        hide(&mut object, self.sensitive);
        object.to_json()
    }

    fn read_status(&self, object: &Node<'_>) -> Status {
        let mut object = object.clone();
        if self.sensitive.is_some() {
            redact::hide_words(&mut object);
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

fn first(text: &str) -> Option<Node<'_>> {
    decode(text, LIMITS).ok()?.documents.into_iter().next()
}

fn shorten(user_agent: &mut String) {
    if user_agent.len() > MOST_USER_AGENT {
        user_agent.truncate(user_agent.floor_char_boundary(MOST_USER_AGENT));
        user_agent.push_str("...TRUNCATED");
    }
}

/// Out of the object itself, the items of a list, and the objects of a table.
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
