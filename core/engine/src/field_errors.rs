//! `FieldErrors`, the collector that checks of ordinary fields add errors to, with the API's messages.

use crate::context::ValidationContext;
use crate::name_format::{self, NameFormat};
use crate::rules::{labels, names, placement, values};
use crate::{Cause, FieldError, Rule, Verdict, Warning, format_value};
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use ratchet_object::{At, Node, Span, Value};

/// Error collector of one change: a method per error type or common check, as `allErrs` in Kubernetes.
#[derive(Debug)]
pub struct FieldErrors<'s, 'v> {
    /// The change, and the policy in force.
    pub ctx: &'s ValidationContext<'s>,
    /// The verdict that errors are added to.
    pub verdict: &'v mut Verdict,
}

const NEGATIVE: &str = "must be greater than or equal to 0";

impl<'s, 'v> FieldErrors<'s, 'v> {
    /// A collector that adds to `verdict`.
    pub fn new(ctx: &'s ValidationContext<'s>, verdict: &'v mut Verdict) -> Self {
        Self { ctx, verdict }
    }

    fn push(&mut self, rule: &'static Rule, cause: Cause, at: &At<'_>, detail: Cow<'static, str>) {
        self.verdict.add_error(FieldError::new(rule, cause, at, detail));
    }

    /// Adds a `Required value` error.
    pub fn required(&mut self, at: &At<'_>, detail: impl Into<Cow<'static, str>>) {
        self.push(&placement::RULE, Cause::Required, at, detail.into());
    }

    /// Adds a `Forbidden` error.
    pub fn forbidden(&mut self, at: &At<'_>, detail: impl Into<Cow<'static, str>>) {
        self.push(&placement::RULE, Cause::Forbidden, at, detail.into());
    }

    /// Adds a `Not found` error: `text` refers to something that does not exist.
    pub fn not_found(&mut self, at: &At<'_>, text: &str) {
        let error = FieldError::new(&placement::RULE, Cause::NotFound, at, "");
        self.verdict.add_error(error.with_value(quoted(text)));
    }

    /// Adds a `Duplicate value` error.
    pub fn duplicate(&mut self, at: &At<'_>, formatted: impl Into<String>) {
        placement::duplicate(at, formatted.into(), self.verdict);
    }

    /// Adds a `Too many` error: the list has `count` items.
    pub fn too_many(&mut self, at: &At<'_>, count: usize, most: usize) {
        placement::too_many(at, count, most, self.verdict);
    }

    /// Adds a `Too long` error.
    pub fn too_long(&mut self, at: &At<'_>, most: usize) {
        placement::too_long(at, most, self.verdict);
    }

    /// Adds a warning about a name.
    pub fn warn_of_name(&mut self, at: &At<'_>, text: impl Into<String>) {
        self.verdict.warn(Warning::new(&names::FORMS, at, text));
    }

    /// Adds an `Unsupported value` error that lists the supported `values`.
    pub fn unsupported(&mut self, at: &At<'_>, formatted: impl Into<String>, values: &[&str]) {
        let listed: alloc::vec::Vec<String> = values.iter().map(|value| quoted(value)).collect();
        let detail = alloc::format!("supported values: {}", listed.join(", "));
        let error = FieldError::new(&placement::RULE, Cause::NotSupported, at, detail);
        self.verdict.add_error(error.with_value(formatted));
    }

    /// Checks that the field, if set, is one of `values`. An empty text is unset, unless Go's type is a pointer.
    pub fn one_of(&mut self, at: &At<'_>, values: &[&str]) {
        let text = at.text_or_empty();
        let is_pointer = || at.is_set() && at.object().is_some() && !at.is_zero();
        let is_set = !text.is_empty() || is_pointer();
        if is_set && !values.contains(&text) {
            self.unsupported(at, format_value::typed_string(text, self.ctx.config.release), values);
        }
    }

    /// Adds an `Invalid value` error with the value of the field.
    pub fn invalid(&mut self, at: &At<'_>, detail: impl Into<Cow<'static, str>>) {
        self.invalid_as(at, format_node(at.node()), detail);
    }

    /// Adds an `Invalid value` error with a value formatted by the caller.
    pub fn invalid_as(
        &mut self,
        at: &At<'_>,
        formatted: impl Into<String>,
        detail: impl Into<Cow<'static, str>>,
    ) {
        let error = FieldError::new(&values::RULE, Cause::Invalid, at, detail);
        self.verdict.add_error(error.with_value(formatted));
    }

    /// Adds the same `Invalid value` error `count` times, with a value that is formatted only if an error is listed.
    pub(crate) fn invalid_times(
        &mut self,
        count: usize,
        at: &At<'_>,
        formatted: impl FnOnce() -> String,
        detail: &'static str,
    ) {
        self.verdict.add_errors(count, || {
            FieldError::new(&values::RULE, Cause::Invalid, at, detail).with_value(formatted())
        });
    }

    /// Checks that the field is a non-empty string; returns whether it is.
    pub fn needs_text(&mut self, at: &At<'_>) -> bool {
        let is_set = !at.text_or_empty().is_empty();
        if !is_set {
            self.required(at, "");
        }
        is_set
    }

    /// Checks the name format of the field.
    pub fn form(&mut self, at: &At<'_>, form: NameFormat) {
        self.form_of(at, at.text_or_empty(), form);
    }

    /// Checks the name format of `text`, reported at `at`.
    pub fn form_of(&mut self, at: &At<'_>, text: &str, form: NameFormat) {
        let rule = if form == NameFormat::LabelValue { &labels::RULE } else { &names::FORMS };
        name_format::faults(form, text, |detail| {
            self.verdict.add_error(FieldError::invalid(rule, at, text, detail));
        });
    }

    /// Checks the format of a field that is the beginning of a name.
    pub fn prefix_form(&mut self, at: &At<'_>, form: NameFormat) {
        let text = at.text_or_empty();
        name_format::prefix_faults(form, text, |detail| {
            self.verdict.add_error(FieldError::invalid(&names::FORMS, at, text, detail));
        });
    }

    /// Checks the name format of the field, if it is not empty.
    pub fn form_if_set(&mut self, at: &At<'_>, form: NameFormat) {
        if !at.text_or_empty().is_empty() {
            self.form(at, form);
        }
    }

    /// Checks that the field is not empty, and its name format.
    pub fn needs_form(&mut self, at: &At<'_>, form: NameFormat) {
        if self.needs_text(at) {
            self.form(at, form);
        }
    }

    /// Checks that the number, if set, is not negative.
    pub fn not_negative(&mut self, at: &At<'_>) {
        if at.int().is_some_and(|number| number < 0) {
            self.invalid(at, NEGATIVE);
        }
    }

    /// Checks that the number, if set, is within `low..=high`.
    pub fn between(&mut self, at: &At<'_>, low: i64, high: i64) {
        if at.int().is_some_and(|number| !(low..=high).contains(&number)) {
            let detail = alloc::format!("must be between {low} and {high}, inclusive");
            self.invalid(at, detail);
        }
    }

    /// Checks a port number; an unset field is 0.
    pub fn port_number(&mut self, at: &At<'_>) {
        let number = at.int().unwrap_or_default();
        if !(1..=65535).contains(&number) {
            let detail = "must be between 1 and 65535, inclusive";
            self.invalid_as(at, number.to_string(), detail);
        }
    }

    /// Checks a port number or port name.
    pub fn port(&mut self, at: &At<'_>) {
        match at.node().and_then(Node::text) {
            Some(_) => self.form(at, NameFormat::PortName),
            None => self.port_number(at),
        }
    }

    /// Checks an int-or-string field: a non-negative integer, or a percentage.
    pub fn int_or_percent(&mut self, at: &At<'_>) {
        match at.node().and_then(Node::text) {
            None => self.not_negative(at),
            Some(text) if percent(text).is_none() => self.invalid(at, values::NOT_A_PERCENT),
            Some(_) => {}
        }
    }

    /// Checks that a percentage is at most 100%.
    pub fn at_most_100_percent(&mut self, at: &At<'_>) {
        if at.node().and_then(Node::text).and_then(percent).is_some_and(|percent| percent > 100) {
            self.invalid(at, "must not be greater than 100%");
        }
    }
}

/// An error at a field that is named by its whole path, as fields of custom resources are: their paths may be longer
/// than those that rules walk.
pub fn error_at_path(
    cause: Cause,
    field: impl Into<String>,
    span: Span,
    detail: impl Into<Cow<'static, str>>,
) -> FieldError {
    let rule = match cause {
        Cause::Invalid | Cause::TypeInvalid => &values::RULE,
        _ => &placement::RULE,
    };
    FieldError {
        rule,
        cause,
        field: field.into(),
        value: None,
        detail: detail.into(),
        span,
        fix: None,
        hint: None,
        difference: None,
    }
}

/// A warning about metadata, at a field that is named by its whole path.
pub fn metadata_warning(field: &str, span: Span, text: impl Into<String>) -> Warning {
    Warning {
        rule: &crate::rules::metadata::RULE,
        field: field.into(),
        text: text.into(),
        span,
        labels: alloc::vec::Vec::new(),
        fix: None,
        difference: None,
    }
}

/// The warning about a deprecated version of a custom resource, at its `apiVersion`.
pub fn deprecation_warning(span: Span, text: impl Into<String>) -> Warning {
    let rule = &crate::rules::deprecated_api::RULE;
    Warning { rule, ..metadata_warning("apiVersion", span, text) }
}

/// The warning that an unchanged value violates a rule of its definition.
pub fn warning_at_path(error: &FieldError) -> Warning {
    Warning {
        rule: error.rule,
        field: error.field.clone(),
        text: alloc::format!("{}: {}", error.field, error.message()),
        span: error.span,
        labels: alloc::vec::Vec::new(),
        fix: None,
        difference: None,
    }
}

/// Whether a field is written at all. Cheaper than building its path, where most are not.
pub(crate) fn has(at: &At<'_>, name: &str) -> bool {
    at.node().is_some_and(|node| node.get(name).is_some())
}

/// Parses a percentage such as `25%`.
pub(crate) fn percent(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('%')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(i64::MAX))
}

/// A string quoted as Go does.
pub(crate) fn quoted(text: &str) -> String {
    ratchet_net::Quoted(text).to_string()
}

/// A value as the API formats it: numbers and booleans as they are, strings quoted, the rest as JSON.
pub fn format_node(node: Option<&Node<'_>>) -> String {
    match node.map(|node| &node.value) {
        None | Some(Value::Null) => "null".into(),
        Some(Value::Text(text)) => quoted(text),
        Some(_) => format_value::tree(node),
    }
}
