//! Label selectors: whether they are well made, and whether they match.

use crate::field_errors::FieldErrors;
use crate::forms::{self, NameFormat};
use crate::rules::labels;
use crate::shown;
use ratchet_object::At;

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
                let shown = shown::named(text, errs.ctx.policy.release);
                errs.invalid_as(&operator, shown, "not a valid selector operator");
            }
        }
        errs.form(&at.field("key"), NameFormat::Qualified);
        for value in values.items() {
            errs.form(&value, NameFormat::LabelValue);
        }
    }
}

/// What a selector says about labels. A selector that is not well made says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// It matches.
    Yes,
    /// It does not.
    No,
    /// It cannot be read.
    Unreadable,
}

/// How many demands a selector makes.
pub(crate) fn demands(selector: &At<'_>) -> usize {
    selector.field("matchLabels").entries().len() + selector.field("matchExpressions").len()
}

/// Whether a selector matches labels. An absent one matches nothing, an empty one everything.
pub(crate) fn matches(selector: &At<'_>, labels: &At<'_>) -> Match {
    if !selector.is_set() {
        return Match::No;
    }
    let label = |key: &str| {
        let entry = labels.entries().find(|(name, _)| *name == key);
        entry.map(|(_, at)| at.text_or_empty())
    };
    let is_label = |key: &str, value: &str| {
        forms::fits(NameFormat::Qualified, key) && forms::fits(NameFormat::LabelValue, value)
    };
    let wanted = selector.field("matchLabels");
    if !wanted.entries().all(|(key, at)| is_label(key, at.text_or_empty())) {
        return Match::Unreadable;
    }
    let mut all = wanted.entries().all(|(key, at)| label(key) == Some(at.text_or_empty()));
    for at in selector.field("matchExpressions").items() {
        let found = label(at.field("key").text_or_empty());
        let values = at.field("values");
        let is_listed = || values.items().any(|value| Some(value.text_or_empty()) == found);
        let (holds, needs_values) = match at.field("operator").text_or_empty() {
            "In" => (is_listed(), true),
            "NotIn" => (!is_listed(), true),
            "Exists" => (found.is_some(), false),
            "DoesNotExist" => (found.is_none(), false),
            _ => return Match::Unreadable,
        };
        let key = at.field("key").text_or_empty();
        let are_labels =
            is_label(key, "") && values.items().all(|value| is_label(key, value.text_or_empty()));
        if !are_labels || needs_values == values.is_empty() {
            return Match::Unreadable;
        }
        all &= holds;
    }
    if all { Match::Yes } else { Match::No }
}
