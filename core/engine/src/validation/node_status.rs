//! Validation of the status of Nodes: amounts of resources, declared features, addresses.

use super::pod_parts::check_quantity;
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::format_value;
use alloc::collections::BTreeSet;
use alloc::format;
use ratchet_object::At;

const LONGEST_FEATURE: usize = 253;
const FEATURE: &str = "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";

/// Validates a write of the status alone.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    check(&ctx.change.new_root(), &mut FieldErrors::new(ctx, verdict));
}

/// Checks the status of a node, also of a new one, which may have it.
pub(super) fn check(root: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let status = root.field("status");
    for list in ["capacity", "allocatable"] {
        let list = status.field(list);
        for (name, at) in list.entries() {
            check_quantity(name, &at.with_path(list.path().field(name)), errs);
        }
    }
    if errs.ctx.change.part == crate::Part::Main {
        let swap = status.field("nodeInfo").field("swap").field("capacity");
        if let Some(number) = swap.int().filter(|number| *number <= 0) {
            let path = root.path().field("metadata").field("nodeSwapStatus").field("capacity");
            errs.invalid_as(
                &swap.with_path(path),
                format!("{number}"),
                "must be greater than zero",
            );
        }
    }
    check_features(&status.field("declaredFeatures"), errs);
    if !errs.ctx.change.is_create() {
        check_addresses(&status.field("addresses"), errs);
    }
}

/// Checks the names of features, which are sorted.
fn check_features(list: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut before: Option<&str> = None;
    for at in list.items() {
        let text = at.text_or_empty();
        let name = quoted(text);
        if let Some(before) = before {
            if before == text {
                errs.duplicate(&at, name.clone());
            } else if before > text {
                errs.invalid(&at, "list must be sorted alphabetically");
            }
        }
        if text.len() > LONGEST_FEATURE {
            let most = format!("must be no more than {LONGEST_FEATURE} characters");
            errs.invalid(&at, format!("invalid feature name {name}: {most}"));
        } else if !is_feature(text) {
            errs.invalid(&at, format!("invalid feature name {name}: {FEATURE}"));
        }
        before = Some(text);
    }
}

fn is_feature(text: &str) -> bool {
    let is_word = |segment: &str| {
        segment.starts_with(|first: char| first.is_ascii_alphabetic())
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    text.starts_with(|first: char| first.is_ascii_uppercase()) && text.split('/').all(is_word)
}

fn check_addresses(list: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut seen: BTreeSet<[&str; 2]> = BTreeSet::new();
    for address in list.items() {
        let pair = ["type", "address"].map(|name| address.field(name).text_or_empty());
        if !seen.insert(pair) {
            let [sort, text] = pair.map(format_value::json);
            errs.duplicate(&address, format!("{{\"Type\":{sort},\"Address\":{text}}}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_has_segments_in_camel_case() {
        for text in ["MyFeature", "MyFeature/mySubFeature", "A1/b2/C"] {
            assert!(is_feature(text), "{text}");
        }
        for text in ["", "myFeature", "My-Feature", "MyFeature/", "MyFeature//a", "A/1"] {
            assert!(!is_feature(text), "{text}");
        }
    }
}
