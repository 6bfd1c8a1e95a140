//! One event as one line of JSON, with the fields in the order of the API server.

use std::fmt::{self, Write};

use jiff::Timestamp;
use ratchet_object::write_text;

use super::{ObjectReference, Status, Trail, User};
use crate::policy::Stage;

/// The event of a stage, with its newline.
pub(super) fn write(trail: &Trail, stage: Stage, now: Timestamp) -> String {
    let mut out = String::with_capacity(512);
    // Writing to a string cannot fail.
    let _ = event(&mut out, trail, stage, now);
    out
}

fn event(out: &mut String, trail: &Trail, stage: Stage, now: Timestamp) -> fmt::Result {
    let request = &trail.request;
    let mut map = Members::open(out)?;
    map.text("kind", "Event")?;
    map.text("apiVersion", "audit.k8s.io/v1")?;
    map.text("level", trail.detail.level.name())?;
    map.text("auditID", &request.audit_id)?;
    map.text("stage", stage.name())?;
    map.text("requestURI", &request.uri)?;
    map.text("verb", &request.verb)?;
    user(map.name("user")?, &request.user)?;
    if let Some(impersonated) = &trail.impersonated {
        user(map.name("impersonatedUser")?, impersonated)?;
    }
    if !trail.impersonation_constraint.is_empty() {
        let mut inner = Members::open(map.name("authenticationMetadata")?)?;
        inner.text("impersonationConstraint", &trail.impersonation_constraint)?;
        inner.close()?;
    }
    if !request.source_ips.is_empty() {
        texts(map.name("sourceIPs")?, request.source_ips.iter().map(ToString::to_string))?;
    }
    map.text_unless_empty("userAgent", &request.user_agent)?;
    if let Some(object) = &request.object {
        reference(map.name("objectRef")?, object)?;
    }
    if let Some(ending) = &trail.status {
        status(map.name("responseStatus")?, ending)?;
    }
    for (name, body) in
        [("requestObject", &trail.request_object), ("responseObject", &trail.response_object)]
    {
        if let Some(body) = body {
            map.name(name)?.push_str(body);
        }
    }
    map.text("requestReceivedTimestamp", &micros(request.received))?;
    map.text("stageTimestamp", &micros(now))?;
    if !trail.annotations.is_empty() {
        let mut inner = Members::open(map.name("annotations")?)?;
        for (key, value) in &trail.annotations {
            inner.text(key, value)?;
        }
        inner.close()?;
    }
    map.close()?;
    out.push('\n');
    Ok(())
}

fn user(out: &mut String, user: &User) -> fmt::Result {
    let mut map = Members::open(out)?;
    map.text_unless_empty("username", &user.username)?;
    map.text_unless_empty("uid", &user.uid)?;
    if !user.groups.is_empty() {
        texts(map.name("groups")?, user.groups.iter())?;
    }
    if !user.extra.is_empty() {
        let mut inner = Members::open(map.name("extra")?)?;
        for (key, values) in &user.extra {
            texts(inner.name(key)?, values.iter())?;
        }
        inner.close()?;
    }
    map.close()
}

fn reference(out: &mut String, object: &ObjectReference) -> fmt::Result {
    let mut map = Members::open(out)?;
    map.text_unless_empty("resource", &object.resource)?;
    map.text_unless_empty("namespace", &object.namespace)?;
    map.text_unless_empty("name", &object.name)?;
    map.text_unless_empty("uid", &object.uid)?;
    map.text_unless_empty("apiGroup", &object.api_group)?;
    map.text_unless_empty("apiVersion", &object.api_version)?;
    map.text_unless_empty("resourceVersion", &object.resource_version)?;
    map.text_unless_empty("subresource", &object.subresource)?;
    map.close()
}

fn status(out: &mut String, status: &Status) -> fmt::Result {
    let mut map = Members::open(out)?;
    map.name("metadata")?.push_str("{}");
    map.text_unless_empty("status", &status.status)?;
    map.text_unless_empty("message", &status.message)?;
    map.text_unless_empty("reason", &status.reason)?;
    if let Some(details) = &status.details {
        map.name("details")?.push_str(details);
    }
    if status.code != 0 {
        write!(map.name("code")?, "{}", status.code)?;
    }
    map.close()
}

fn texts(out: &mut String, texts: impl Iterator<Item = impl AsRef<str>>) -> fmt::Result {
    let mut before = '[';
    for text in texts {
        out.push(before);
        write_text(out, text.as_ref())?;
        before = ',';
    }
    if before == '[' {
        out.push('[');
    }
    out.push(']');
    Ok(())
}

/// A time in UTC with six digits of fraction.
fn micros(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
}

/// A JSON object being written.
struct Members<'o> {
    out: &'o mut String,
    before: char,
}

impl<'o> Members<'o> {
    #[expect(clippy::unnecessary_wraps, reason = "reads like the lines around it")]
    fn open(out: &'o mut String) -> Result<Self, fmt::Error> {
        Ok(Self { out, before: '{' })
    }

    /// Writes a name; its value is written to the returned string.
    fn name(&mut self, name: &str) -> Result<&mut String, fmt::Error> {
        self.out.push(self.before);
        self.before = ',';
        write_text(self.out, name)?;
        self.out.push(':');
        Ok(self.out)
    }

    fn text(&mut self, name: &str, text: &str) -> fmt::Result {
        write_text(self.name(name)?, text)
    }

    fn text_unless_empty(&mut self, name: &str, text: &str) -> fmt::Result {
        if text.is_empty() { Ok(()) } else { self.text(name, text) }
    }

    fn close(self) -> fmt::Result {
        self.out.push_str(if self.before == '{' { "{}" } else { "}" });
        Ok(())
    }
}
