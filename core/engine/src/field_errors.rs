//! What the checks of ordinary fields write their findings with, in the API's words.

use crate::context::ValidationContext;
use crate::forms::{self, NameFormat};
use crate::rules::{labels, names, placement, values};
use crate::{Cause, FieldError, Rule, Verdict, Warning, shown};
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use ratchet_object::{At, Node, Value};

/// The change at hand and the verdict on it. One word a finding, so that a check reads as a rule.
#[derive(Debug)]
pub struct FieldErrors<'s, 'v> {
    /// The change, and the rules in force.
    pub ctx: &'s ValidationContext<'s>,
    /// What was found so far.
    pub verdict: &'v mut Verdict,
}

const NEGATIVE: &str = "must be greater than or equal to 0";

impl<'s, 'v> FieldErrors<'s, 'v> {
    /// Writes into `verdict`.
    pub fn new(ctx: &'s ValidationContext<'s>, verdict: &'v mut Verdict) -> Self {
        Self { ctx, verdict }
    }

    fn write(&mut self, rule: &'static Rule, cause: Cause, at: &At<'_>, detail: Cow<'static, str>) {
        self.verdict.problem(FieldError::new(rule, cause, at, detail));
    }

    /// It must be there.
    pub fn required(&mut self, at: &At<'_>, detail: impl Into<Cow<'static, str>>) {
        self.write(&placement::RULE, Cause::Required, at, detail.into());
    }

    /// It may not be there.
    pub fn forbidden(&mut self, at: &At<'_>, detail: impl Into<Cow<'static, str>>) {
        self.write(&placement::RULE, Cause::Forbidden, at, detail.into());
    }

    /// What it names is not there.
    pub fn not_found(&mut self, at: &At<'_>, text: &str) {
        let problem = FieldError::new(&placement::RULE, Cause::NotFound, at, "");
        self.verdict.problem(problem.showing(quoted(text)));
    }

    /// It stands there already.
    pub fn duplicate(&mut self, at: &At<'_>, shown: impl Into<String>) {
        placement::duplicate(at, shown.into(), self.verdict);
    }

    /// There are more of them than there may be.
    pub fn too_many(&mut self, at: &At<'_>, count: usize, most: usize) {
        placement::too_many(at, count, most, self.verdict);
    }

    /// The text is longer than it may be.
    pub fn too_long(&mut self, at: &At<'_>, most: usize) {
        placement::too_long(at, most, self.verdict);
    }

    /// The writer is told something about a name.
    pub fn warn_of_name(&mut self, at: &At<'_>, text: impl Into<String>) {
        self.verdict.warn(Warning::new(&names::FORMS, at, text));
    }

    /// It is none of the values that there are.
    pub fn unsupported(&mut self, at: &At<'_>, shown: impl Into<String>, values: &[&str]) {
        let listed: alloc::vec::Vec<String> = values.iter().map(|value| quoted(value)).collect();
        let detail = alloc::format!("supported values: {}", listed.join(", "));
        let problem = FieldError::new(&placement::RULE, Cause::NotSupported, at, detail);
        self.verdict.problem(problem.showing(shown));
    }

    /// One of the values, where the field is set.
    pub fn one_of(&mut self, at: &At<'_>, values: &[&str]) {
        let text = at.text_or_empty();
        if !text.is_empty() && !values.contains(&text) {
            self.unsupported(at, shown::named(text, self.ctx.policy.release), values);
        }
    }

    /// The value is wrong, shown as it is.
    pub fn invalid(&mut self, at: &At<'_>, detail: impl Into<Cow<'static, str>>) {
        self.invalid_as(at, node_shown(at.node()), detail);
    }

    /// The value is wrong, shown so.
    pub fn invalid_as(
        &mut self,
        at: &At<'_>,
        shown: impl Into<String>,
        detail: impl Into<Cow<'static, str>>,
    ) {
        let problem = FieldError::new(&values::RULE, Cause::Invalid, at, detail);
        self.verdict.problem(problem.showing(shown));
    }

    /// The field must be filled in.
    pub fn needs_text(&mut self, at: &At<'_>) -> bool {
        let is_there = !at.text_or_empty().is_empty();
        if !is_there {
            self.required(at, "");
        }
        is_there
    }

    /// The text has a form.
    pub fn form(&mut self, at: &At<'_>, form: NameFormat) {
        self.form_of(at, at.text_or_empty(), form);
    }

    /// This text, told at this place, has a form.
    pub fn form_of(&mut self, at: &At<'_>, text: &str, form: NameFormat) {
        let rule = if form == NameFormat::LabelValue { &labels::RULE } else { &names::FORMS };
        forms::faults(form, text, |detail| {
            self.verdict.problem(FieldError::invalid(rule, at, text, detail));
        });
    }

    /// The text has a form, where there is one.
    pub fn form_if_set(&mut self, at: &At<'_>, form: NameFormat) {
        if !at.text_or_empty().is_empty() {
            self.form(at, form);
        }
    }

    /// The field is filled in, and has a form.
    pub fn needs_form(&mut self, at: &At<'_>, form: NameFormat) {
        if self.needs_text(at) {
            self.form(at, form);
        }
    }

    /// The number is not negative, where there is one.
    pub fn not_negative(&mut self, at: &At<'_>) {
        if at.int().is_some_and(|number| number < 0) {
            self.invalid(at, NEGATIVE);
        }
    }

    /// The number is within bounds, where there is one.
    pub fn between(&mut self, at: &At<'_>, low: i64, high: i64) {
        if at.int().is_some_and(|number| !(low..=high).contains(&number)) {
            let detail = alloc::format!("must be between {low} and {high}, inclusive");
            self.invalid(at, detail);
        }
    }

    /// The number of a port; none reads as 0.
    pub fn port_number(&mut self, at: &At<'_>) {
        let number = at.int().unwrap_or_default();
        if !(1..=65535).contains(&number) {
            let detail = "must be between 1 and 65535, inclusive";
            self.invalid_as(at, number.to_string(), detail);
        }
    }

    /// The number of a port or its name.
    pub fn port(&mut self, at: &At<'_>) {
        match at.node().and_then(Node::text) {
            Some(_) => self.form(at, NameFormat::PortName),
            None => self.port_number(at),
        }
    }

    /// A whole number, or a share of something.
    pub fn count_or_share(&mut self, at: &At<'_>) {
        match at.node().and_then(Node::text) {
            None => self.not_negative(at),
            Some(text) if share(text).is_none() => self.invalid(at, values::NOT_A_SHARE),
            Some(_) => {}
        }
    }

    /// No share of more than all.
    pub fn at_most_all(&mut self, at: &At<'_>) {
        if at.node().and_then(Node::text).and_then(share).is_some_and(|share| share > 100) {
            self.invalid(at, "must not be greater than 100%");
        }
    }
}

/// Whether a field is written at all. Cheaper than naming its place, where most are not.
pub(crate) fn has(at: &At<'_>, name: &str) -> bool {
    at.node().is_some_and(|node| node.get(name).is_some())
}

/// A share in percent.
pub(crate) fn share(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('%')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(i64::MAX))
}

/// A text as Go quotes it.
pub(crate) fn quoted(text: &str) -> String {
    ratchet_net::Quoted(text).to_string()
}

/// A value as the API shows it: numbers and truth as they are, texts quoted, the rest as JSON.
pub(crate) fn node_shown(node: Option<&Node<'_>>) -> String {
    match node.map(|node| &node.value) {
        None | Some(Value::Null) => "null".into(),
        Some(Value::Text(text)) => quoted(text),
        Some(_) => shown::tree(node),
    }
}
