//! Conversion webhooks of custom resources: the ConversionReview that is sent, and what its answer means.
//!
//! A [`ConversionCall`] holds the objects of one review. The door makes the call, and gives the [`Answer`] back.

mod metadata;
#[cfg(test)]
mod tests;

use crate::call::Answer;
use crate::client_config::ClientConfig;
use crate::decode::CONVERSION;
use crate::http::{self, CallError};
use crate::review::ReviewVersion;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use ratchet_net::Quoted;
use ratchet_object::{GroupVersionKind, Node, Value, go_syntax, write_text};

/// The seconds that a conversion may take.
pub const CONVERSION_TIMEOUT_SECONDS: u32 = 30;

/// The webhook of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionWebhook {
    client_config: ClientConfig,
    review_versions: Vec<String>,
}

impl ConversionWebhook {
    /// The webhook of `spec.conversion`; `None` if objects are converted without one.
    pub fn of(conversion: &Node<'_>) -> Option<Self> {
        if conversion.text_at(&["strategy"]) != "Webhook" {
            return None;
        }
        let versions = conversion.find(&["webhook", "conversionReviewVersions"]);
        let versions = versions.map(Node::items).unwrap_or_default();
        let text = |node: &Node<'_>| node.text().unwrap_or_default().to_string();
        Some(Self {
            client_config: ClientConfig::parse(conversion.find(&["webhook", "clientConfig"])),
            review_versions: versions.iter().map(text).collect(),
        })
    }

    /// How it is reached.
    pub fn client_config(&self) -> &ClientConfig {
        &self.client_config
    }
}

/// Why objects could not be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionError {
    /// The message of the error, as the client gets it.
    pub message: String,
    /// What the metrics count.
    pub failure: ConversionFailure,
}

/// The sorts of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversionFailure {
    /// No call could be made, or it gave no review.
    Call,
    /// The review is not an answer to the request, or says that the conversion failed.
    MalformedResponse,
    /// There are too few objects, or too many.
    PartialResponse,
    /// An object is not the one that was to be converted.
    InvalidConvertedObject,
}

impl ConversionFailure {
    /// The label of metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "conversion_webhook_call_failure",
            Self::MalformedResponse => "conversion_webhook_malformed_response_failure",
            Self::PartialResponse => "conversion_webhook_partial_response_failure",
            Self::InvalidConvertedObject => "conversion_webhook_invalid_converted_object_failure",
        }
    }
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for ConversionError {}

/// One review: objects that are to be converted to a version.
#[derive(Clone, Debug)]
pub struct ConversionCall {
    webhook: ConversionWebhook,
    version: ReviewVersion,
    uid: String,
    /// What objects are converted to.
    api_version: String,
    objects: Vec<Node<'static>>,
}

impl ConversionCall {
    /// Prepares the conversion of objects, each with its `apiVersion` and `kind`, none in the wanted version.
    pub fn new(
        webhook: &ConversionWebhook,
        objects: Vec<Node<'static>>,
        api_version: &str,
        uid: String,
    ) -> Result<Self, ConversionError> {
        let version = ReviewVersion::first_known(&webhook.review_versions);
        let version = version.ok_or_else(|| ConversionError {
            message: "no supported conversion review versions".into(),
            failure: ConversionFailure::Call,
        })?;
        let (webhook, api_version) = (webhook.clone(), api_version.to_string());
        Ok(Self { webhook, version, uid, api_version, objects })
    }

    /// How the webhook is reached.
    pub fn client_config(&self) -> &ClientConfig {
        &self.webhook.client_config
    }

    /// The body: a ConversionReview as JSON. The method is `POST`, the content type `application/json`.
    pub fn body(&self) -> String {
        let mut json = format!(
            r#"{{"kind":"ConversionReview","apiVersion":"{}","request":{{"uid":"#,
            CONVERSION.api_version(self.version)
        );
        // Writing to a String cannot fail.
        let _ = write_text(&mut json, &self.uid);
        json.push_str(r#","desiredAPIVersion":"#);
        let _ = write_text(&mut json, &self.api_version);
        json.push_str(r#","objects":["#);
        for (index, object) in self.objects.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            json.push_str(&object.to_json());
        }
        json.push_str(
            "]},\"response\":{\"uid\":\"\",\"convertedObjects\":null,\"result\":{\"metadata\":{}}}}\n",
        );
        json
    }

    /// The converted objects, in the order of those that were to be converted.
    pub fn finish(self, answer: Answer) -> Result<Vec<Node<'static>>, ConversionError> {
        let review = self.review(answer)?;
        let converted = self.converted_objects(&review)?;
        let (found, expected) = (converted.len(), self.objects.len());
        if found != expected {
            let message =
                format!("{} returned {found} objects, expected {expected}", self.subject());
            return Err(ConversionError { message, failure: ConversionFailure::PartialResponse });
        }
        let is_list = expected > 1;
        let pairs = self.objects.iter().zip(converted).enumerate();
        let convert = |(index, (original, converted)): (usize, (&Node<'static>, &Node<'_>))| {
            let object = self.check(original, converted, index, is_list);
            object.map_err(|message| ConversionError {
                message,
                failure: ConversionFailure::InvalidConvertedObject,
            })
        };
        pairs.map(convert).collect()
    }

    /// The beginning of errors.
    fn subject(&self) -> String {
        let first = self.objects.first();
        let text = |name| first.map_or("", |object| object.text_at(&[name]));
        let gvk = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
        format!("conversion webhook for {gvk}")
    }

    fn review(&self, answer: Answer) -> Result<Node<'static>, ConversionError> {
        let result = match answer {
            Answer::Response { status, content_type, body } => {
                http::review(status, &content_type, &body, &CONVERSION, self.version)
            }
            Answer::Unreachable { url, reason } => {
                Err(CallError::new(format!("Post {}: {reason}", Quoted(&url))))
            }
            Answer::Unreadable(reason) => Err(CallError::new(format!(
                "unexpected error when reading response body. Please retry. Original error: {reason}"
            ))),
            Answer::NoClient(reason) => Err(CallError::new(reason)),
        };
        result.map_err(|error| ConversionError {
            message: format!("{} failed: {}", self.subject(), error.text),
            failure: ConversionFailure::Call,
        })
    }

    /// The objects of a review that answers this one.
    fn converted_objects<'r>(
        &self,
        review: &'r Node<'r>,
    ) -> Result<&'r [Node<'r>], ConversionError> {
        let checked = || -> Result<&'r [Node<'r>], String> {
            let text = |name| review.text_at(&[name]);
            // Nothing of this was checked in the older version.
            let is_checked = self.version == ReviewVersion::V1;
            let api_version = CONVERSION.api_version(self.version);
            let expected = GroupVersionKind::from_api_version(&api_version, CONVERSION.kind());
            let found = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
            if is_checked && found != expected {
                return Err(format!("expected webhook response of {expected}, got {found}"));
            }
            let response = review.get("response").filter(|response| !response.is_null());
            let response = response.ok_or("no response provided")?;
            let uid = response.text_at(&["uid"]);
            if is_checked && uid != self.uid {
                let (expected, found) = (Quoted(&self.uid), Quoted(uid));
                return Err(format!("expected response.uid={expected}, got {found}"));
            }
            let message = response.text_at(&["result", "message"]);
            match (response.text_at(&["result", "status"]), message) {
                ("Success", _) => {
                    Ok(response.get("convertedObjects").map(Node::items).unwrap_or_default())
                }
                (status, "") => {
                    Err(format!("response.result.status was '{status}', not 'Success'"))
                }
                (_, message) => Err(message.to_string()),
            }
        };
        checked().map_err(|error| ConversionError {
            message: format!("{} failed: {error}", self.subject()),
            failure: ConversionFailure::MalformedResponse,
        })
    }

    /// Checks one converted object, and gives it the metadata that a conversion cannot change.
    fn check(
        &self,
        original: &Node<'static>,
        converted: &Node<'_>,
        index: usize,
        is_list: bool,
    ) -> Result<Node<'static>, String> {
        let subject = self.subject();
        let at_index = match is_list {
            true => format!("{subject} returned invalid converted object at index {index}"),
            false => format!("{subject} returned invalid object at index {index}"),
        };
        decodable(converted).map_err(|error| match is_list {
            true => format!("{at_index}: {error}"),
            false => error,
        })?;
        let (expected, found) = (&self.api_version, converted.text_at(&["apiVersion"]));
        if expected != found {
            return Err(format!(
                "{at_index}: invalid groupVersion (expected {expected}, received {found})"
            ));
        }
        let (expected, found) = (original.text_at(&["kind"]), converted.text_at(&["kind"]));
        if expected != found {
            return Err(format!(
                "{at_index}: invalid kind (expected {expected}, received {found})"
            ));
        }
        metadata::check_identity(original, converted).map_err(|error| match is_list {
            true => format!("{at_index}: {error}"),
            false => format!("{subject} returned invalid object: {error}"),
        })?;
        let mut object = converted.clone().into_owned();
        metadata::restore(original, &mut object).map_err(|error| match is_list {
            true => {
                format!("{subject} returned invalid metadata in object at index {index}: {error}")
            }
            false => format!("{subject} returned invalid metadata: {error}"),
        })?;
        Ok(object)
    }
}

/// Whether a value can be an object.
fn decodable(node: &Node<'_>) -> Result<(), String> {
    match node.value {
        Value::Null => Err("unexpected end of JSON input".into()),
        Value::Map(_) if node.text_at(&["kind"]).is_empty() => {
            Err(format!("Object 'Kind' is missing in '{}'", node.to_json()))
        }
        Value::Map(_) => Ok(()),
        _ => Err(go_syntax::not_an_object(node)),
    }
}
