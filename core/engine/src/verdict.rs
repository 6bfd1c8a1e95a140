//! `Verdict`, the result of a judgement: field errors, denial and warnings, collected in the API's order.

use crate::difference::Difference;
use crate::pod_security::PodSecurityMetrics;
use crate::rule::Rule;
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};
use ratchet_object::{At, Span};

/// The engine's result for one change.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Field errors; any of them refuses the object (HTTP 422).
    pub errors: Vec<FieldError>,
    /// Field errors of rules that are not enforced; they refuse nothing.
    pub unenforced: Vec<FieldError>,
    /// The denial of an admission plugin (HTTP 403); plugins run only without field errors.
    pub denial: Option<Denial>,
    /// Warnings for the client, whether the change is admitted or not.
    pub warnings: Vec<Warning>,
    /// Audit annotations: key and value.
    pub audit: Vec<(&'static str, String)>,
    /// Pod Security evaluations to count in metrics.
    pub metrics: Vec<PodSecurityMetrics>,
    /// Number of field errors and warnings beyond those that are listed.
    pub unlisted: usize,
    /// Whether the field errors are about the written Scale, not about the object.
    pub concerns_scale: bool,
    /// The bytes of `errors`.
    listed_bytes: usize,
    /// The texts of `warnings`, to send each one once.
    warned: BTreeSet<String>,
}

/// The most field errors, and the most warnings, that a verdict lists; the rest is counted. The API lists them all, in
/// a response of megabytes.
pub const MOST_LISTED: usize = 4096;

/// The bytes after which field errors are counted, too: each may quote a value as large as the object, and is in the
/// response twice.
const MOST_LISTED_BYTES: usize = 4 << 20;

/// One error in the proposed object, as `field.Error` in Kubernetes.
#[derive(Clone, Debug)]
pub struct FieldError {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// The type of error.
    pub cause: Cause,
    /// The path of the field, as Kubernetes writes it.
    pub field: String,
    /// The bad value as Kubernetes formats it, where the message contains one.
    pub value: Option<String>,
    /// The detail message of Kubernetes; empty where the cause is enough.
    pub detail: Cow<'static, str>,
    /// The position in the source text.
    pub span: Span,
    /// The replacement, where there is exactly one right value.
    pub fix: Option<String>,
    /// The choice for a person, where there is more than one right value.
    pub hint: Option<String>,
    /// The difference between a proposal and released Kubernetes that caused the error.
    pub difference: Option<&'static Difference>,
}

/// Error types of the API, as `field.ErrorType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The value occurs more than once.
    Duplicate,
    /// The field must not be set here.
    Forbidden,
    /// The check itself failed.
    Internal,
    /// The value is malformed or out of bounds.
    Invalid,
    /// The value refers to something that does not exist.
    NotFound,
    /// The value is not in the enumeration.
    NotSupported,
    /// The field must be set.
    Required,
    /// The string is too long.
    TooLong,
    /// The list has too many items.
    TooMany,
    /// The value is of another type than the schema says.
    TypeInvalid,
}

impl Cause {
    /// `reason` of a StatusCause.
    pub fn reason(self) -> &'static str {
        self.reason_and_message().0
    }

    fn reason_and_message(self) -> (&'static str, &'static str) {
        match self {
            Self::Duplicate => ("FieldValueDuplicate", "Duplicate value"),
            Self::Forbidden => ("FieldValueForbidden", "Forbidden"),
            Self::Internal => ("InternalError", "Internal error"),
            Self::Invalid => ("FieldValueInvalid", "Invalid value"),
            Self::NotFound => ("FieldValueNotFound", "Not found"),
            Self::NotSupported => ("FieldValueNotSupported", "Unsupported value"),
            Self::Required => ("FieldValueRequired", "Required value"),
            Self::TooLong => ("FieldValueTooLong", "Too long"),
            Self::TooMany => ("FieldValueTooMany", "Too many"),
            Self::TypeInvalid => ("FieldValueTypeInvalid", "Invalid value"),
        }
    }
}

impl FieldError {
    /// The bytes of its message, at least one.
    fn size(&self) -> usize {
        1 + self.field.len() + self.value.as_ref().map_or(0, String::len) + self.detail.len()
    }

    /// An error at a field, without a value.
    pub fn new(
        rule: &'static Rule,
        cause: Cause,
        at: &At<'_>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            rule,
            cause,
            field: at.path().to_string(),
            value: None,
            detail: detail.into(),
            span: at.span(),
            fix: None,
            hint: None,
            difference: None,
        }
    }

    /// An invalid string at a field; the message quotes it.
    pub fn invalid(
        rule: &'static Rule,
        at: &At<'_>,
        text: &str,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        let formatted = ratchet_net::Quoted(text).to_string();
        Self::new(rule, Cause::Invalid, at, detail).with_value(formatted)
    }

    /// Adds the bad value, already formatted as Kubernetes does.
    #[must_use]
    pub fn with_value(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
        self
    }

    /// Adds the replacement value.
    #[must_use]
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Adds a hint for a choice that a person must make.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the difference between proposal and release that caused the error.
    #[must_use]
    pub fn with_difference(mut self, difference: Option<&'static Difference>) -> Self {
        self.difference = difference;
        self
    }

    /// `message` of a StatusCause: `Invalid value: "1.2.3.04": must not have leading 0s`.
    pub fn message(&self) -> impl Display + '_ {
        Message(self)
    }
}

struct Message<'a>(&'a FieldError);

impl Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.cause.reason_and_message().1)?;
        if let Some(value) = &self.0.value {
            write!(f, ": {value}")?;
        }
        if !self.0.detail.is_empty() {
            write!(f, ": {}", self.0.detail)?;
        }
        Ok(())
    }
}

/// The denial of an admission plugin.
#[derive(Clone, Debug)]
pub struct Denial {
    /// The plugin that denies the change, at whose place in the admission chain that takes effect.
    pub plugin: &'static str,
    /// The violated rule.
    pub rule: &'static Rule,
    /// The message of Kubernetes, without the name of the object before it.
    pub text: String,
    /// The violating fields, each with its rule.
    pub labels: Vec<Label>,
    /// Whether the plugin failed and so fails closed (HTTP 500 instead of 403).
    pub is_failure: bool,
}

/// A field that a denial or a warning points at.
#[derive(Clone, Debug)]
pub struct Label {
    /// The violated rule.
    pub rule: &'static Rule,
    /// The path of the field.
    pub field: String,
    /// The position in the source text.
    pub span: Span,
    /// Short description of the violation, for a person.
    pub label: String,
}

impl Label {
    /// A label at the field `at`.
    pub fn new(rule: &'static Rule, at: &At<'_>, label: impl Into<String>) -> Self {
        Self { rule, field: at.path().to_string(), span: at.span(), label: label.into() }
    }
}

/// A warning for the client.
#[derive(Clone, Debug)]
pub struct Warning {
    /// The rule that warns.
    pub rule: &'static Rule,
    /// The path of the field.
    pub field: String,
    /// The whole text of the `Warning` header.
    pub text: String,
    /// The position in the source text.
    pub span: Span,
    /// Further fields that it points at.
    pub labels: Vec<Label>,
    /// The replacement, where there is exactly one right value.
    pub fix: Option<String>,
    /// The difference between a proposal and released Kubernetes that matters once the value is stored.
    pub difference: Option<&'static Difference>,
}

impl Warning {
    /// A warning at the field `at`.
    pub fn new(rule: &'static Rule, at: &At<'_>, text: impl Into<String>) -> Self {
        Self {
            rule,
            field: at.path().to_string(),
            text: text.into(),
            span: at.span(),
            labels: Vec::new(),
            fix: None,
            difference: None,
        }
    }

    /// Adds the replacement value.
    #[must_use]
    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Adds the difference that matters once the value is stored.
    #[must_use]
    pub fn with_difference(mut self, difference: Option<&'static Difference>) -> Self {
        self.difference = difference;
        self
    }
}

impl Verdict {
    /// Whether the change is admitted.
    pub fn admits(&self) -> bool {
        self.errors.is_empty() && self.denial.is_none()
    }

    /// Adds a field error, or counts it once `MOST_LISTED` are listed.
    pub fn add_error(&mut self, error: FieldError) {
        self.add_errors(1, || error);
    }

    /// Adds the same field error `count` times. It is made only if it is listed: its value may be as large as the object.
    pub(crate) fn add_errors(&mut self, count: usize, error: impl FnOnce() -> FieldError) {
        if self.errors.is_empty() {
            // Those that were listed are set aside, and the next must be listed: it refuses the object.
            self.listed_bytes = 0;
        }
        let mut listed = count.min(MOST_LISTED.saturating_sub(self.errors.len()));
        match MOST_LISTED_BYTES.checked_sub(self.listed_bytes) {
            Some(room) if listed > 0 => {
                let error = error();
                listed = listed.min(1 + room / error.size());
                self.listed_bytes += listed * error.size();
                self.errors.extend(core::iter::repeat_n(error, listed));
            }
            _ => listed = 0,
        }
        self.unlisted += count - listed;
    }

    /// Sets the field errors of rules that are not enforced aside, so that what comes after validation sees the rest.
    pub fn set_aside(&mut self, unenforced: &[&str]) {
        // Errors that are not listed may be of any rule, so that nothing is set aside then.
        if unenforced.is_empty() || self.unlisted > 0 {
            return;
        }
        let is_unenforced = |error: &mut FieldError| unenforced.contains(&error.rule.id);
        self.unenforced.extend(self.errors.extract_if(.., is_unenforced));
    }

    /// Adds a warning, unless one with the same text is there.
    pub fn warn(&mut self, warning: Warning) {
        if self.warnings.len() >= MOST_LISTED {
            self.unlisted += 1;
        } else if self.warned.insert(warning.text.clone()) {
            self.warnings.push(warning);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Node, Value};

    #[test]
    fn what_no_one_reads_is_counted_and_still_refuses() {
        let node = Node { value: Value::Null, span: Span::default() };
        let mut verdict = Verdict::default();
        for number in 0..MOST_LISTED + 10 {
            let detail = alloc::format!("{number}");
            verdict.add_error(FieldError::new(
                &crate::rules::deprecated_api::RULE,
                Cause::Invalid,
                &At::root(&node),
                detail,
            ));
        }
        assert_eq!((verdict.errors.len(), verdict.unlisted), (MOST_LISTED, 10));
        assert!(!verdict.admits());
        let unenforced = [crate::rules::deprecated_api::RULE.id];
        verdict.set_aside(&unenforced);
        assert!(!verdict.admits(), "an error that is not listed may be of another rule");
        verdict.unlisted = 0;
        verdict.set_aside(&["RTC-IP-001"]);
        assert_eq!(verdict.errors.len(), MOST_LISTED);
        verdict.set_aside(&unenforced);
        assert!(verdict.admits());
        assert_eq!(verdict.unenforced.len(), MOST_LISTED);
    }

    #[test]
    fn what_quotes_the_whole_object_again_and_again_is_counted() {
        let node = Node { value: Value::Null, span: Span::default() };
        let rule = &crate::rules::deprecated_api::RULE;
        let error = || {
            FieldError::new(rule, Cause::Invalid, &At::root(&node), "")
                .with_value("x".repeat(1 << 18))
        };
        let mut verdict = Verdict::default();
        verdict.add_errors(1000, error);
        for _ in 0..1000 {
            verdict.add_errors(1, error);
        }
        assert!((16..=18).contains(&verdict.errors.len()), "{}", verdict.errors.len());
        assert_eq!(verdict.errors.len() + verdict.unlisted, 2000);
        verdict.errors.clear();
        verdict.add_error(error());
        assert!(!verdict.admits(), "though all before it were taken away");
    }
}
