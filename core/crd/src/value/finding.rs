//! Findings of a validation, and the field errors that they become.

use crate::errors::{ErrorList, too_long_detail, too_many_detail};
use crate::path::Path;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_engine::Cause;
use ratchet_engine::field_validation::error_at_path;
use ratchet_object::Span;

/// What sort of finding it is.
#[derive(Debug)]
pub(super) enum Code {
    /// The value is of another type, or does not have the format.
    Type,
    /// A required property is missing.
    Required,
    /// The value is none of these, as they are listed.
    Enum(String),
    /// The string has more than so many characters.
    TooLong(i64),
    /// The list or object has more than so many members.
    TooMany(i64),
    /// Anything else about a value.
    Invalid,
    /// Something that is not about one field.
    Composite,
}

/// A violation of a schema; without a text if there are too many of them.
#[derive(Debug)]
pub(super) struct Finding(Option<Box<Listed>>);

impl Finding {
    pub(super) fn listed(listed: Listed) -> Self {
        Self(Some(Box::new(listed)))
    }

    pub(super) fn unlisted() -> Self {
        Self(None)
    }

    /// The bytes of its texts.
    pub(super) fn size(&self) -> usize {
        self.0.as_ref().map_or(0, |listed| listed.size())
    }
}

/// A violation with its texts.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) code: Code,
    /// The path of the field, relative to the value.
    pub(super) name: String,
    /// The value as it is shown.
    pub(super) value: String,
    pub(super) message: String,
    pub(super) span: Span,
}

impl Listed {
    /// The bytes of its texts.
    pub(super) fn size(&self) -> usize {
        let supported = match &self.code {
            Code::Enum(supported) => supported.len(),
            _ => 0,
        };
        let texts = self.name.len() + self.value.len() + self.message.len() + supported;
        texts + size_of::<Self>()
    }
}

/// Reports findings as field errors below a path; the same message only once.
pub(super) fn report(findings: Vec<Finding>, prefix: &Path<'_>, errors: &mut ErrorList) {
    let is_wrong = !findings.is_empty();
    let before = errors.0.len();
    let mut messages: BTreeSet<String> = BTreeSet::new();
    for Listed { code, name, value, message, span } in
        findings.into_iter().filter_map(|finding| finding.0).map(|listed| *listed)
    {
        if !messages.insert(message.clone()) {
            continue;
        }
        let field = match code {
            Code::Composite => prefix.to_string(),
            _ => prefix.join(name.strip_prefix('.').unwrap_or(&name)),
        };
        let (cause, value, detail) = match code {
            Code::Type => (Cause::TypeInvalid, Some(value), message),
            Code::Required => (Cause::Required, None, String::new()),
            Code::Enum(supported) => (Cause::NotSupported, Some(value), supported),
            Code::TooLong(most) => (Cause::TooLong, None, too_long_detail(most)),
            Code::TooMany(most) => (Cause::TooMany, Some(value), too_many_detail(most)),
            Code::Invalid | Code::Composite => (Cause::Invalid, Some(value), message),
        };
        let mut error = error_at_path(cause, field, span, detail);
        error.value = value;
        errors.0.push(error);
    }
    // None of them has a text: that is no reason to let the value pass.
    if is_wrong && errors.0.len() == before {
        errors.forbidden(prefix, Span::default(), "there are too many errors to list");
    }
}
