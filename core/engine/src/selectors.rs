//! Label selectors: whether they are well made, and whether they match.

use crate::field_errors::FieldErrors;
use crate::format_value;
use crate::name_format::{self, NameFormat};
use crate::rules::labels;
use ratchet_object::{At, Members};

/// Checks a selector where there is one.
pub fn check(selector: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    labels::check_map(&selector.field("matchLabels"), errs.verdict);
    for at in selector.field("matchExpressions").items() {
        let (operator, values) = (at.field("operator"), at.field("values"));
        match operator.text_or_empty() {
            "In" | "NotIn" if values.is_empty() => {
                errs.required(&values, "must be specified when `operator` is 'In' or 'NotIn'");
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errs.forbidden(&values, detail);
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            text => {
                let formatted = format_value::typed_string(text, errs.ctx.config.release);
                errs.invalid_as(&operator, formatted, "not a valid selector operator");
            }
        }
        errs.form(&at.field("key"), NameFormat::Qualified);
        for value in values.items() {
            errs.form(&value, NameFormat::LabelValue);
        }
    }
}

/// The result of matching a selector against labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    Yes,
    No,
    /// The selector is malformed, so that nothing can be matched.
    Malformed,
}

/// The number of requirements of a selector.
pub(crate) fn requirement_count(selector: &At<'_>) -> usize {
    selector.field("matchLabels").entries().len() + selector.field("matchExpressions").len()
}

/// Whether a selector matches labels. An absent one matches nothing, an empty one everything.
pub(crate) fn matches(selector: &At<'_>, labels: &At<'_>) -> Match {
    if !selector.is_set() {
        return Match::No;
    }
    let mut members = Members::of(labels.node());
    let mut label = |key: &str| members.get(key).map(|node| node.text().unwrap_or_default());
    let is_label = |key: &str, value: &str| {
        name_format::is_valid(NameFormat::Qualified, key)
            && name_format::is_valid(NameFormat::LabelValue, value)
    };
    let match_labels = selector.field("matchLabels");
    if !match_labels.entries().all(|(key, at)| is_label(key, at.text_or_empty())) {
        return Match::Malformed;
    }
    let mut all = match_labels.entries().all(|(key, at)| label(key) == Some(at.text_or_empty()));
    for at in selector.field("matchExpressions").items() {
        let found = label(at.field("key").text_or_empty());
        let values = at.field("values");
        let is_listed = || values.items().any(|value| Some(value.text_or_empty()) == found);
        let (holds, needs_values) = match at.field("operator").text_or_empty() {
            "In" => (is_listed(), true),
            "NotIn" => (!is_listed(), true),
            "Exists" => (found.is_some(), false),
            "DoesNotExist" => (found.is_none(), false),
            _ => return Match::Malformed,
        };
        let key = at.field("key").text_or_empty();
        let are_labels =
            is_label(key, "") && values.items().all(|value| is_label(key, value.text_or_empty()));
        if !are_labels || needs_values == values.is_empty() {
            return Match::Malformed;
        }
        all &= holds;
    }
    if all { Match::Yes } else { Match::No }
}
