//! `Auditing`: the audit events of requests, from the policy's level to the log.

use crate::app::guarded_body::with_guard;
use crate::request::audit_record::AuditRecord;
use crate::request::{RequestInfo, Target};
use bytes::Bytes;
use http::request::Parts;
use http::{Method, Response};
use jiff::Timestamp;
use ratchet_access::User;
use ratchet_audit_log::{
    Attributes, Counts, Level, ObjectReference, Policy, Request, Rotation, Sink, Trail,
    User as AuditUser, source_ips,
};
use ratchet_http::{Body, Peer};
use ratchet_object::{Limits, decode, proto};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The audit policy and log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// The policy file.
    pub policy: PathBuf,
    /// The log; `-` is standard output.
    pub log: PathBuf,
    /// The size in megabytes at which the log is rotated; zero means never.
    pub max_megabytes: u64,
    /// The number of rotated files to keep; zero means all.
    pub max_files: u64,
    /// The age in days after which rotated files are deleted; zero means never.
    pub max_days: u64,
}

/// The audit policy and the log that events are written to.
pub(crate) struct Auditing {
    policy: Policy,
    sink: Arc<Sink>,
}

fn audit_user(user: &User) -> AuditUser {
    AuditUser {
        username: user.name.clone(),
        uid: user.uid.clone(),
        groups: user.groups.clone(),
        extra: user.extra.iter().cloned().collect(),
    }
}

impl Auditing {
    /// Loads the audit policy and opens the log.
    pub(crate) fn open(config: &Audit) -> Result<Self, String> {
        let policy = Policy::load(&config.policy)?;
        let rotation = Rotation {
            max_size_megabytes: config.max_megabytes,
            max_backups: usize::try_from(config.max_files).unwrap_or(usize::MAX),
            max_age_days: u32::try_from(config.max_days).unwrap_or(u32::MAX),
        };
        let path = config.log.display().to_string();
        let sink = Sink::open(&path, rotation);
        let sink = sink.map_err(|why| format!("open audit log {path}: {why}"))?;
        Ok(Self { policy, sink: Arc::new(sink) })
    }

    /// Counters for metrics.
    pub(crate) fn counts(&self) -> &Counts {
        self.sink.counts()
    }

    /// Waits up to two seconds until all events are written.
    pub(crate) fn flush(&self) {
        self.sink.flush(Duration::from_secs(2));
    }

    /// Starts the audit trail of a request; none if the policy says level `None`.
    pub(crate) fn begin(
        &self,
        parts: &Parts,
        info: &RequestInfo,
        audit_id: &str,
        user: &User,
        peer: &Peer,
    ) -> Option<Trail> {
        let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let mut about = ObjectReference::default();
        let mut path = parts.uri.path();
        if let Target::Resource(resource_path) = &info.target {
            about = ObjectReference {
                resource: resource_path.resource.clone(),
                namespace: resource_path.namespace.clone(),
                name: resource_path.name.clone(),
                api_group: resource_path.group.clone(),
                api_version: resource_path.version.clone(),
                subresource: resource_path.subresource.clone(),
                ..ObjectReference::default()
            };
            path = "";
        }
        let is_resource_request = path.is_empty();
        let detail = self.policy.level(&Attributes {
            user: Some(&user.name),
            groups: &user.groups,
            verb: info.verb,
            is_resource_request,
            api_group: &about.api_group,
            api_version: &about.api_version,
            resource: &about.resource,
            subresource: &about.subresource,
            namespace: &about.namespace,
            name: &about.name,
            path,
        });
        let request = Request {
            audit_id: audit_id.to_owned(),
            uri: parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
            verb: info.verb.to_owned(),
            user: audit_user(user),
            source_ips: source_ips(
                header("x-forwarded-for"),
                header("x-real-ip"),
                peer.address.ip(),
            ),
            user_agent: header("user-agent").unwrap_or_default().to_owned(),
            object: is_resource_request.then_some(about),
            received: Timestamp::now(),
            is_long_running: info.is_long(),
        };
        Trail::begin(&self.sink, detail, request)
    }
}

/// Drops `guard` when an upgraded connection closes.
pub(crate) fn until_end<G: Send + 'static>(mut ends: watch::Receiver<()>, guard: G) {
    tokio::spawn(async move {
        // Nothing is ever sent; the sender is dropped with the connection.
        let _ = ends.changed().await;
        drop(guard);
    });
}

/// Records the impersonated user.
pub(crate) fn impersonated(trail: &mut Option<Trail>, user: &User, constraint: &str) {
    if let Some(trail) = trail {
        trail.impersonated(audit_user(user), constraint);
    }
}

/// Writes the final audit event; for a stream it is written when the stream ends.
pub(crate) fn complete(
    trail: Option<Trail>,
    method: &Method,
    record: &AuditRecord,
    response: Response<Body>,
) -> Response<Body> {
    let Some(mut trail) = trail else { return response };
    for (key, text) in record.annotations() {
        trail.annotate(key, text);
    }
    log_request_body(&mut trail, method, &record.request_body());
    // The failure status is logged at every level.
    if trail.level() == Level::RequestResponse || record.is_failure() {
        log_response_body(&mut trail, &record.response_body());
    }
    trail.status_code(response.status().as_u16());
    if let Some(ends) = record.tunnel() {
        trail.response_started();
        until_end(ends, trail);
        return response;
    }
    if !record.is_stream() {
        trail.finish();
        return response;
    }
    trail.response_started();
    response.map(|body| with_guard(body, trail))
}

fn log_response_body(trail: &mut Trail, body: &Bytes) {
    if proto::is_enveloped(body) {
        if let Ok(node) = proto::decode(body, Limits::STORED) {
            trail.response_object(&node);
        }
    } else if let Ok(text) = std::str::from_utf8(body)
        && !text.is_empty()
    {
        trail.response_json(text);
    }
}

fn log_request_body(trail: &mut Trail, method: &Method, body: &Bytes) {
    if proto::is_enveloped(body) {
        if let Ok(node) = proto::decode(body, Limits::DEFAULT) {
            trail.request_object(&node);
        }
        return;
    }
    let Ok(text) = std::str::from_utf8(body) else { return };
    if text.is_empty() {
        return;
    }
    if *method == Method::PATCH {
        trail.request_patch(text);
    } else if let Ok(decoded) = decode(text, Limits::DEFAULT)
        && let Some(node) = decoded.documents.first()
    {
        trail.request_object(node);
    }
}
