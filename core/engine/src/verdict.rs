//! What the engine says back: refusals are values, collected, in the order the API gives them.

use crate::difference::Difference;
use crate::pod_security::PodSecurityMetrics;
use crate::rule::Rule;
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};
use ratchet_object::{At, Span};

/// Everything the engine has to say about one change.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// What is wrong with the object: each one refuses it (HTTP 422).
    pub problems: Vec<FieldError>,
    /// What an admission plugin says no to (HTTP 403); only looked at when there is no problem.
    pub denial: Option<Denial>,
    /// What the writer is told, refused or not.
    pub warnings: Vec<Warning>,
    /// What the audit log is told: key and text.
    pub audit: Vec<(&'static str, String)>,
    /// What Pod Security counts.
    pub tally: Vec<PodSecurityMetrics>,
    /// How many problems and warnings were found beyond those that are listed.
    pub unlisted: usize,
    /// Whether the problems are those of the scale that was written, and not of the object.
    pub speaks_of_scale: bool,
    /// The texts of the warnings, so that each is told once.
    told: BTreeSet<String>,
}

/// So many problems of one object are listed, and so many warnings; the rest is counted. The API
/// lists them all, in an answer of megabytes.
pub const MOST_LISTED: usize = 4096;

/// One thing wrong with the proposed object.
#[derive(Clone, Debug)]
pub struct FieldError {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// What sort of fault it is.
    pub cause: Cause,
    /// The field, as Kubernetes writes it.
    pub field: String,
    /// The value as Kubernetes shows it, where it shows one.
    pub value: Option<String>,
    /// What is wrong, in Kubernetes' words; empty where the cause says it all.
    pub detail: Cow<'static, str>,
    /// Where it stands in the text.
    pub span: Span,
    /// What to write instead, where there is exactly one right answer.
    pub fix: Option<String>,
    /// What a person must decide, where there is more than one right answer.
    pub hint: Option<String>,
    /// The difference between a proposal and released Kubernetes that decided here.
    pub difference: Option<&'static Difference>,
}

/// The sorts of fault that the API tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The value already stands elsewhere.
    Duplicate,
    /// The field may not be set here.
    Forbidden,
    /// The check itself could not be made.
    Internal,
    /// The value is wrong.
    Invalid,
    /// What the value names is not there.
    NotFound,
    /// The value is not one of those allowed.
    NotSupported,
    /// The field must be set.
    Required,
    /// The text is too long.
    TooLong,
    /// The list is too long.
    TooMany,
}

impl Cause {
    /// `reason` of the cause in a Status.
    pub fn reason(self) -> &'static str {
        self.words().0
    }

    fn words(self) -> (&'static str, &'static str) {
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
        }
    }
}

impl FieldError {
    /// A fault at a place.
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

    /// A wrong text at a place, shown quoted.
    pub fn invalid(
        rule: &'static Rule,
        at: &At<'_>,
        text: &str,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        let shown = ratchet_net::Quoted(text).to_string();
        Self::new(rule, Cause::Invalid, at, detail).showing(shown)
    }

    /// The same, showing a value that is already in Kubernetes' spelling.
    #[must_use]
    pub fn showing(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
        self
    }

    /// The same, with what to write instead.
    #[must_use]
    pub fn fixed_by(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// The same, with what a person must decide.
    #[must_use]
    pub fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, decided by a difference between proposal and release.
    #[must_use]
    pub fn because_of(mut self, difference: Option<&'static Difference>) -> Self {
        self.difference = difference;
        self
    }

    /// `message` of the cause in a Status: `Invalid value: "1.2.3.04": must not have leading 0s`.
    pub fn message(&self) -> impl Display + '_ {
        Message(self)
    }
}

struct Message<'a>(&'a FieldError);

impl Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.cause.words().1)?;
        if let Some(value) = &self.0.value {
            write!(f, ": {value}")?;
        }
        if !self.0.detail.is_empty() {
            write!(f, ": {}", self.0.detail)?;
        }
        Ok(())
    }
}

/// Why an admission plugin says no.
#[derive(Clone, Debug)]
pub struct Denial {
    /// The rule that says no.
    pub rule: &'static Rule,
    /// The reason in Kubernetes' words, without the name of the object before it.
    pub text: String,
    /// What it points at: each offending place with the rule it breaks.
    pub labels: Vec<Label>,
    /// Whether the plugin could not tell, and so says no (HTTP 500 instead of 403).
    pub is_failure: bool,
}

/// A place that a denial or a warning points at.
#[derive(Clone, Debug)]
pub struct Label {
    /// The rule that is broken there.
    pub rule: &'static Rule,
    /// The field.
    pub field: String,
    /// Where it stands in the text.
    pub span: Span,
    /// What is wrong there, in a few words for a person.
    pub label: String,
}

impl Label {
    /// Points at a place.
    pub fn new(rule: &'static Rule, at: &At<'_>, label: impl Into<String>) -> Self {
        Self { rule, field: at.path().to_string(), span: at.span(), label: label.into() }
    }
}

/// Something the writer is told.
#[derive(Clone, Debug)]
pub struct Warning {
    /// The rule that speaks.
    pub rule: &'static Rule,
    /// The field it is about.
    pub field: String,
    /// The whole text, as the `Warning` header carries it.
    pub text: String,
    /// Where it points in the text.
    pub span: Span,
    /// More places it points at.
    pub labels: Vec<Label>,
    /// What to write instead, where there is exactly one right answer.
    pub fix: Option<String>,
    /// The difference between a proposal and released Kubernetes that will matter later.
    pub difference: Option<&'static Difference>,
}

impl Warning {
    /// A warning about a place.
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

    /// The same, with what to write instead.
    #[must_use]
    pub fn fixed_by(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// The same, with the difference that will matter once the value is stored.
    #[must_use]
    pub fn because_of(mut self, difference: Option<&'static Difference>) -> Self {
        self.difference = difference;
        self
    }
}

impl Verdict {
    /// Whether the change may enter.
    pub fn admits(&self) -> bool {
        self.problems.is_empty() && self.denial.is_none()
    }

    /// Adds something wrong.
    pub fn problem(&mut self, problem: FieldError) {
        if self.problems.len() < MOST_LISTED {
            self.problems.push(problem);
        } else {
            self.unlisted += 1;
        }
    }

    /// Adds something to tell, once: identical texts are told one time.
    pub fn warn(&mut self, warning: Warning) {
        if self.warnings.len() >= MOST_LISTED {
            self.unlisted += 1;
        } else if self.told.insert(warning.text.clone()) {
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
            verdict.problem(FieldError::new(
                &crate::rules::deprecated_api::RULE,
                Cause::Invalid,
                &At::root(&node),
                detail,
            ));
        }
        assert_eq!((verdict.problems.len(), verdict.unlisted), (MOST_LISTED, 10));
        assert!(!verdict.admits());
    }
}
