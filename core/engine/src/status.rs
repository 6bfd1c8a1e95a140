//! `Status` and warning headers, the API's response to a verdict.

use crate::{Change, Verdict};
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::Kind;

/// The failure Status of the API as data; a door serializes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// HTTP status code.
    pub code: u16,
    /// `reason`, for programs: `Invalid`, `Forbidden`, `FieldValueInvalid`, …
    pub reason: &'static str,
    /// `message`, for people.
    pub message: String,
    /// `details.kind`: the kind of an invalid object, the resource of a forbidden one.
    pub kind: String,
    /// `details.group`.
    pub group: String,
    /// `details.name`.
    pub name: String,
    /// `details.causes`.
    pub causes: Vec<StatusCause>,
}

/// One of `details.causes` of a Status.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatusCause {
    /// `reason`, for programs: `Invalid`, `Forbidden`, `FieldValueInvalid`, …
    pub reason: &'static str,
    /// `message`, for people.
    pub message: String,
    /// `field`, a path.
    pub field: String,
}

impl Status {
    /// The Status of a refused change; `None` if the change is admitted.
    pub fn of(verdict: &Verdict, change: &Change<'_>) -> Option<Self> {
        let (kind, new) = (change.kind, change.new_object());
        if !verdict.errors.is_empty() {
            let causes: Vec<StatusCause> = verdict
                .errors
                .iter()
                .map(|error| StatusCause {
                    reason: error.cause.reason(),
                    message: error.message().to_string(),
                    field: error.field.clone(),
                })
                .collect();
            let name = new.name();
            let errors =
                aggregate(causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message)));
            let kind = match (kind.group, kind.name) {
                _ if verdict.concerns_scale => Kind { name: "Scale", group: "autoscaling", ..kind },
                // Both groups have the same events, which are validated as those of the core API.
                ("events.k8s.io", "Event") => Kind { group: "", ..kind },
                _ => kind,
            };
            return Some(Self {
                code: 422,
                reason: "Invalid",
                message: format!("{} {} is invalid: {errors}", kind.qualified(), Quoted(name)),
                kind: kind.name.into(),
                group: kind.group.into(),
                name: name.into(),
                causes,
            });
        }
        let denial = verdict.denial.as_ref()?;
        if denial.is_failure {
            return Some(Self {
                code: 500,
                reason: "InternalError",
                message: format!("Internal error occurred: {}", denial.text),
                kind: String::new(),
                group: String::new(),
                name: String::new(),
                causes: Vec::new(),
            });
        }
        let name: Cow<'_, str> = match new.name() {
            "" => Cow::Borrowed("Unknown"),
            name => Cow::Borrowed(name),
        };
        Some(Self {
            code: 403,
            reason: "Forbidden",
            message: format!("{} {} is forbidden: {}", kind.resource(), Quoted(&name), denial.text),
            kind: kind.plural.into(),
            group: kind.group.into(),
            name: name.into_owned(),
            causes: Vec::new(),
        })
    }
}

/// Aggregates errors into one message: each once, in brackets if there is more than one.
pub fn aggregate(errors: impl Iterator<Item = String>) -> String {
    let errors: Vec<String> = errors.collect();
    // All of them may be as large as the object, so that nothing is copied but into the message.
    let mut seen = BTreeSet::new();
    let distinct: Vec<&str> =
        errors.iter().map(String::as_str).filter(|error| seen.insert(*error)).collect();
    match distinct.as_slice() {
        [only] => (*only).into(),
        many => format!("[{}]", many.join(", ")),
    }
}

/// Texts of `Warning` headers, limited as in the API: at most 4096 characters in total; beyond that each is truncated
/// to 256, and those that no longer fit are dropped.
pub fn warning_headers(verdict: &Verdict) -> Vec<String> {
    let texts: Vec<&str> = verdict.warnings.iter().map(|warning| warning.text.as_str()).collect();
    warning_texts(&texts)
}

/// Limits warning texts from any source as [`warning_headers`] does.
pub fn warning_texts<T: AsRef<str>>(warnings: &[T]) -> Vec<String> {
    const ALL: usize = 4096;
    const EACH: usize = 256;
    // A header cannot contain control characters; such a warning is dropped, as an empty one is.
    let is_valid_header = |text: &&str| !text.is_empty() && !text.chars().any(char::is_control);
    let texts: Vec<&str> = warnings.iter().map(AsRef::as_ref).filter(is_valid_header).collect();
    let length = |text: &str| text.chars().count();
    let mut total = 0;
    let over = texts.iter().position(|text| {
        total += length(text);
        total > ALL
    });
    let Some(over) = over else { return texts.into_iter().map(String::from).collect() };
    // All warnings up to the one that exceeds the limit are sent, truncated; then more while there is room.
    let mut used = 0;
    let mut truncated: Vec<String> = Vec::new();
    for (index, text) in texts.into_iter().enumerate() {
        if index > over && used >= ALL {
            break;
        }
        let cut: String = text.chars().take(EACH).collect();
        used += length(&cut);
        truncated.push(cut);
    }
    truncated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ApiConfig, Behavior, Facts, Namespace, Release, judge};
    use ratchet_object::{Limits, Object, decode};

    fn status(text: &str, facts: &Facts<'_>) -> Option<Status> {
        let node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let object = Object::new(node);
        let change = Change::create(&object).unwrap();
        let config = ApiConfig::of(Release::REFERENCE, Behavior::Released);
        Status::of(&judge(&change, facts, &config), &change)
    }

    #[test]
    fn errors_are_told_once_and_causes_as_often_as_they_were_found() {
        let text = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: e}\nsubsets: [{addresses: [{ip: x}]}]\n";
        let status = status(text, &Facts::default()).unwrap();
        assert_eq!((status.code, status.reason, status.causes.len()), (422, "Invalid", 2));
        assert_eq!(
            status.message,
            "Endpoints \"e\" is invalid: [subsets[0].addresses[0].ip: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff), subsets[0].addresses[0].ip: Invalid value: \"x\": must be a valid IP address]"
        );
    }

    #[test]
    fn a_namespace_that_cannot_be_looked_up_is_our_failure_and_closes_the_door() {
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: gone}\nspec: {containers: [{name: c, image: i}]}\n";
        let facts = Facts { namespace: Namespace::Missing("no answer"), ..Facts::default() };
        let status = status(text, &facts).unwrap();
        assert_eq!((status.code, status.reason), (500, "InternalError"));
        assert_eq!(status.message, "Internal error occurred: failed to lookup namespace \"gone\"");
    }

    #[test]
    fn headers_hold_4096_letters() {
        let warning = |letter: char, count: usize| crate::Warning {
            rule: &crate::rules::deprecated_api::RULE,
            field: String::new(),
            text: core::iter::repeat_n(letter, count).collect(),
            span: ratchet_object::Span::default(),
            labels: Vec::new(),
            fix: None,
            difference: None,
        };
        let verdict = |count: usize| {
            let mut verdict = Verdict::default();
            ('a'..='z').for_each(|letter| verdict.warn(warning(letter, count)));
            verdict
        };
        assert_eq!(warning_headers(&verdict(100)).len(), 26);
        let headers = warning_headers(&verdict(300));
        assert_eq!((headers.len(), headers[0].len()), (16, 256));
        let mut odd = Verdict::default();
        odd.warn(warning('\t', 3));
        assert!(warning_headers(&odd).is_empty());
    }
}
