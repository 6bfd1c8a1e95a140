//! Status: an error of any room enters; a `StatusError` leaves, an API error with the constructors of its reasons.

mod backend;
mod json;

pub(crate) use json::success;

use ratchet_engine::{Status, StatusCause};
use ratchet_object::Node;

/// A failure `Status` and its HTTP code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusError {
    /// `code`, the HTTP status code.
    pub code: u16,
    /// `reason`; empty where the API has none.
    pub reason: &'static str,
    /// `message`, for people.
    pub message: String,
    /// `details`; absent where the API has none, which is not the same as empty.
    pub details: Option<Box<Details>>,
    /// `metadata.continue`, with which an expired list can be resumed.
    pub continue_token: String,
    /// The whole `Status` as JSON, where somebody else has determined it, such as a webhook.
    pub status_json: Option<Box<str>>,
}

/// The `details` of a `Status`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The object's name.
    pub name: String,
    /// The API group.
    pub group: String,
    /// The kind of an invalid object, the resource otherwise.
    pub kind: String,
    /// The object's uid.
    pub uid: String,
    /// The individual causes.
    pub causes: Vec<StatusCause>,
    /// `retryAfterSeconds`.
    pub retry_after: Option<u32>,
}

/// Why a custom object is not read as protobuf.
pub(crate) const NOT_MARSHALABLE: &str = "object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message";

/// The resource and name in an error message.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// API group.
    pub group: &'a str,
    /// Plural name in URLs.
    pub resource: &'a str,
    /// The object's name.
    pub name: &'a str,
}

impl std::fmt::Display for About<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.resource)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        write!(f, " {}", ratchet_net::Quoted(self.name))
    }
}

impl About<'_> {
    fn details(&self) -> Details {
        Details {
            name: self.name.to_owned(),
            group: self.group.to_owned(),
            kind: self.resource.to_owned(),
            ..Details::default()
        }
    }
}

impl StatusError {
    fn plain(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), ..Self::default() }
    }

    fn about(code: u16, reason: &'static str, about: About<'_>, message: String) -> Self {
        Self { details: Some(Box::new(about.details())), ..Self::plain(code, reason, message) }
    }

    /// 400: the request is malformed.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::plain(400, "BadRequest", message)
    }

    /// 401: the request could not be authenticated.
    pub fn unauthorized() -> Self {
        Self::plain(401, "Unauthorized", "Unauthorized")
    }

    /// 403 with the reason of the authorizer or plugin.
    pub fn forbidden(about: About<'_>, why: &str) -> Self {
        let about =
            About { name: if about.name.is_empty() { "Unknown" } else { about.name }, ..about };
        Self::about(403, "Forbidden", about, format!("{about} is forbidden: {why}"))
    }

    /// 403 with a complete message.
    pub fn forbidden_message(about: About<'_>, message: String) -> Self {
        Self::about(403, "Forbidden", about, message)
    }

    /// 404: no such object.
    pub fn not_found(about: About<'_>) -> Self {
        Self::about(404, "NotFound", about, format!("{about} not found"))
    }

    /// 404: no such resource.
    pub fn no_resource() -> Self {
        let message = "the server could not find the requested resource";
        Self { details: Some(Box::default()), ..Self::plain(404, "NotFound", message) }
    }

    /// 405: the resource does not have this verb.
    pub fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self { details: Some(Box::default()), ..Self::plain(405, "MethodNotAllowed", message) }
    }

    /// 405 that names the verb and the resource.
    pub fn method_not_supported(about: About<'_>, verb: &str) -> Self {
        let About { group, resource, .. } = about;
        let dot = if group.is_empty() { "" } else { "." };
        let message =
            format!("{verb} is not supported on resources of kind \"{resource}{dot}{group}\"");
        Self::about(405, "MethodNotAllowed", About { name: "", ..about }, message)
    }

    /// 406: nothing that the client accepts can be made of what the endpoint has.
    pub fn not_accepted() -> Self {
        let types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
        let message = format!("only the following media types are accepted: {types}");
        Self::plain(406, "NotAcceptable", message)
    }

    /// 406: no route of the path produces a media type that the client accepts.
    pub fn not_routable(produced: &[&str]) -> Self {
        let types = produced.join(", ");
        let message = format!("406: Not Acceptable\n\nAvailable representations: {types}");
        Self { details: Some(Box::default()), ..Self::plain(406, "NotAcceptable", message) }
    }

    /// 406: the answer cannot have the form that the client accepts.
    pub fn not_transformable(message: impl Into<String>) -> Self {
        Self::plain(406, "NotAcceptable", message)
    }

    /// 406 for a watch in a media type without streaming.
    pub fn no_such_stream() -> Self {
        let types =
            "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
        let message = format!("only the following media types are accepted: {types}");
        Self::plain(406, "NotAcceptable", message)
    }

    /// 415 for an unknown content type of the body.
    pub fn unknown_body_type() -> Self {
        let types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {types}"
        );
        Self::plain(415, "UnsupportedMediaType", message)
    }

    /// 415 with a given message.
    pub fn unsupported_media(message: impl Into<String>) -> Self {
        Self::plain(415, "UnsupportedMediaType", message)
    }

    /// 409: an object with this name exists.
    pub fn already_exists(about: About<'_>) -> Self {
        Self::about(409, "AlreadyExists", about, format!("{about} already exists"))
    }

    /// 409: no free name was found for `generateName`.
    pub fn no_unique_name(about: About<'_>) -> Self {
        let why = "the server was not able to generate a unique name for the object";
        Self::about(409, "AlreadyExists", about, format!("{about} already exists, {why}"))
            .retry_in(1)
    }

    /// 409: a conflict with another write or a precondition.
    pub fn conflict(about: About<'_>, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {about}: {why}");
        Self::about(409, "Conflict", about, message)
    }

    /// 409: the object has been modified.
    pub fn modified(about: About<'_>) -> Self {
        let why = "the object has been modified; please apply your changes to the latest version \
                   and try again";
        Self::conflict(about, why)
    }

    /// 409: others own what a configuration would change.
    pub(crate) fn apply_conflict(message: String, causes: Vec<StatusCause>) -> Self {
        let details = Details { causes, ..Details::default() };
        Self { details: Some(Box::new(details)), ..Self::plain(409, "Conflict", message) }
    }

    /// 410: the requested revision is compacted.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::plain(410, "Expired", message)
    }

    /// 413: the body exceeds `limit` bytes.
    pub fn too_large(limit: usize) -> Self {
        let message = format!("Request entity too large: limit is {limit}");
        Self::plain(413, "RequestEntityTooLarge", message)
    }

    /// 422 with one cause, for the options of a request or a patch as a whole.
    pub fn invalid(kind: &str, group: &str, field: &str, reason: &'static str, text: &str) -> Self {
        let cause = StatusCause { reason, message: text.to_owned(), field: field.to_owned() };
        Self::invalid_object(kind, group, "", vec![cause])
    }

    /// 422 with all its causes.
    pub fn invalid_object(kind: &str, group: &str, name: &str, causes: Vec<StatusCause>) -> Self {
        let texts = causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message));
        let errors = ratchet_engine::aggregate(texts);
        let dot = if group.is_empty() { "" } else { "." };
        let quoted_name = ratchet_net::Quoted(name);
        let message = format!("{kind}{dot}{group} {quoted_name} is invalid: {errors}");
        let details = Details {
            name: name.to_owned(),
            group: group.to_owned(),
            kind: kind.to_owned(),
            causes,
            ..Details::default()
        };
        Self { details: Some(Box::new(details)), ..Self::plain(422, "Invalid", message) }
    }

    /// 422 for a patch that does not apply.
    pub fn unprocessable() -> Self {
        let message = "the server rejected our request due to an error in our request";
        Self { details: Some(Box::default()), ..Self::plain(422, "Invalid", message) }
    }

    /// 429 of the API itself, such as an eviction that a budget forbids.
    pub fn too_many_requests(message: impl Into<String>) -> Self {
        Self::plain(429, "TooManyRequests", message)
    }

    /// 500 with the raw text and no reason, as the API reports errors that are not a `Status`.
    pub fn unclassified(message: impl Into<String>) -> Self {
        Self::plain(500, "", message)
    }

    /// 500: the server failed.
    pub fn internal(message: impl std::fmt::Display) -> Self {
        let why = message.to_string();
        let message = format!("Internal error occurred: {why}");
        Self::plain(500, "InternalError", message).because("", "", why)
    }

    /// The error for a failed response of a backend.
    pub(crate) fn of_backend(code: u16, about: About<'_>, text: &str) -> Self {
        let (reason, message) = backend::reason_and_message(code, text);
        let message = format!("{message} ( {} {})", about.resource, about.name);
        Self::about(code, reason, about, message)
    }

    /// 503: the server or a backend cannot answer now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::plain(503, "ServiceUnavailable", message)
    }

    /// 504: the request timed out; its write may or may not be committed.
    pub(crate) fn timeout() -> Self {
        let message = "Timeout: request did not complete within the allotted timeout";
        Self { details: Some(Box::default()), ..Self::plain(504, "Timeout", message) }
    }

    /// 504: a resource version that the cache has not reached.
    pub fn too_large_version(wanted: u64, current: u64) -> Self {
        let cause = StatusCause {
            reason: "ResourceVersionTooLarge",
            message: "Too large resource version".into(),
            field: String::new(),
        };
        let details = Details { causes: vec![cause], retry_after: Some(1), ..Details::default() };
        let message = format!("Timeout: Too large resource version: {wanted}, current: {current}");
        Self { details: Some(Box::new(details)), ..Self::plain(504, "Timeout", message) }
    }

    /// An error whose `Status` somebody else has determined; code and message are those that it has.
    pub(crate) fn with_status(
        code: u16,
        message: String,
        retry_after: Option<u32>,
        status: String,
    ) -> Self {
        let details = retry_after.map(|_| Box::new(Details { retry_after, ..Details::default() }));
        Self { details, status_json: Some(status.into()), ..Self::plain(code, "", message) }
    }

    /// Adds a cause.
    #[must_use]
    pub fn because(
        mut self,
        reason: &'static str,
        field: &str,
        message: impl Into<String>,
    ) -> Self {
        let cause = StatusCause { reason, field: field.to_owned(), message: message.into() };
        self.details.get_or_insert_default().causes.push(cause);
        self
    }

    /// Sets `retryAfterSeconds`.
    #[must_use]
    pub fn retry_in(mut self, seconds: u32) -> Self {
        self.details.get_or_insert_default().retry_after = Some(seconds);
        self
    }

    /// The value of the `Retry-After` header.
    pub fn retry_after(&self) -> Option<u32> {
        self.details.as_ref().and_then(|details| details.retry_after)
    }
}

/// From the engine's `Status`.
impl From<Status> for StatusError {
    fn from(status: Status) -> Self {
        let details = Details {
            name: status.name,
            group: status.group,
            kind: status.kind,
            causes: status.causes,
            ..Details::default()
        };
        Self {
            code: status.code,
            reason: status.reason,
            message: status.message,
            details: Some(Box::new(details)),
            continue_token: String::new(),
            status_json: None,
        }
    }
}

/// The uid in an object's metadata.
pub(crate) fn uid_of<'n>(node: &'n Node<'_>) -> &'n str {
    node.text_at(&["metadata", "uid"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_written_as_the_api_writes_it() {
        let about = About { group: "apps", resource: "deployments", name: "a" };
        assert_eq!(
            StatusError::not_found(about).to_json(),
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \"a\" not found","reason":"NotFound","details":{"name":"a","group":"apps","kind":"deployments"},"code":404}"#
        );
        assert_eq!(
            StatusError::no_resource().to_json(),
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}"#
        );
    }

    #[test]
    fn causes_keep_every_fault_and_the_message_each_once() {
        let cause =
            StatusCause { reason: "FieldValueInvalid", message: "bad".into(), field: "a".into() };
        let error = StatusError::invalid_object("Pod", "", "x", vec![cause.clone(), cause]);
        assert_eq!(error.message, "Pod \"x\" is invalid: a: bad");
        assert_eq!(error.details.map(|details| details.causes.len()), Some(2));
    }
}
