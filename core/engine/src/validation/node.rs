//! Validation of Nodes: immutable pod CIDRs, taints and provider ID.

use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::fields;
use crate::name_format::NameFormat;
use crate::rules::value::FieldCheck;
use crate::rules::{address_families, immutable, ineffective_setting, placement};
use crate::views::list_or_single;
use crate::{Cause, FieldError, StoredValues, Verdict, Warning};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use ratchet_object::At;

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let new = pod_cidrs(&root);
    let old = ctx.change.old_root().map(|root| pod_cidrs(&root)).unwrap_or_default();
    let stored: StoredValues<'_> = texts(&old).into_iter().collect();
    let field_check = FieldCheck::with_ratchet(ctx, &fields::NODE_POD_CIDRS, &stored);
    for at in &new {
        field_check.check(ctx, at, at.text_or_empty(), verdict);
    }
    let list = root.field("spec").field("podCIDRs");
    address_families::check_pod_cidrs(&list, &texts(&new), ctx.config.release, verdict);
    check_unchanged(&list, &new, &old, verdict);
    if ctx.change.is_create() {
        super::node_status::check(&root, &mut FieldErrors::new(ctx, verdict));
    }
    check_rest(&root, ctx.change.old_root().as_ref(), &mut FieldErrors::new(ctx, verdict));
}

fn check_unchanged(list: &At<'_>, new: &[At<'_>], old: &[At<'_>], verdict: &mut Verdict) {
    const ONCE_SET: &str = "node updates may not change podCIDR except from \"\" to valid";
    let changes = match (old.len(), new.len()) {
        (0, _) => 0,
        (before, after) if before != after => 1,
        _ => texts(new).iter().zip(texts(old)).filter(|(new, old)| *new != old).count(),
    };
    for _ in 0..changes {
        immutable::forbidden(list, ONCE_SET, verdict);
    }
}

/// Checks the taints, twice on update as the API does, and the identities that stay.
fn check_rest(root: &At<'_>, old: Option<&At<'_>>, errs: &mut FieldErrors<'_, '_>) {
    check_taints(root, errs);
    let Some(old) = old else { return };
    let [(at, before), (external, external_before)] = ["providerID", "externalID"]
        .map(|name| [root, old].map(|root| root.field("spec").field(name)))
        .map(|[new, old]| (new, old));
    if !before.text_or_empty().is_empty() && immutable::is_field_changed("", &at, &before) {
        let detail = "node updates may not change providerID except from \"\" to valid";
        immutable::forbidden(&at, detail, errs.verdict);
    }
    check_taints(root, errs);
    if immutable::is_field_changed("", &external, &external_before) {
        immutable::forbidden(&external, "may not be updated", errs.verdict);
    }
}

/// Checks the taints, which the API reports under `metadata`.
fn check_taints(root: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let taints = root.field("spec").field("taints");
    let path = root.path().field("metadata").field("taints");
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (index, taint) in taints.items().enumerate() {
        let place = path.index(index);
        let [key, value, effect] = ["key", "value", "effect"].map(|name| taint.field(name));
        errs.form(&key.with_path(place.field("key")), NameFormat::Qualified);
        errs.form(&value.with_path(place.field("value")), NameFormat::LabelValue);
        let effect = effect.with_path(place.field("effect"));
        if errs.needs_text(&effect) {
            errs.one_of(&effect, &["NoSchedule", "PreferNoSchedule", "NoExecute"]);
        }
        if !seen.insert((key.text_or_empty(), effect.text_or_empty())) {
            let text = |at: &At<'_>| crate::format_value::json(at.text_or_empty());
            let formatted = alloc::format!(
                "{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":null}}",
                text(&key),
                text(&value),
                text(&effect)
            );
            let detail = "taints must be unique by key and effect pair";
            let rule = &placement::RULE;
            let at = taint.with_path(place);
            let error = FieldError::new(rule, Cause::Duplicate, &at, detail).with_value(formatted);
            errs.verdict.add_error(error);
        }
    }
}

pub(super) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let spec = root.field("spec");
    let deprecated = [
        ("configSource", "spec.configSource: the feature is removed"),
        ("externalID", "spec.externalID: this field is deprecated, and is unused by Kubernetes"),
    ];
    for (name, message) in deprecated {
        let at = spec.field(name);
        if at.is_set() && at.text() != Some("") {
            verdict.warn(Warning::new(&ineffective_setting::RULE, &at, message));
        }
    }
    for at in pod_cidrs(&root) {
        FieldCheck::without_ratchet(&fields::NODE_POD_CIDRS).warn(
            ctx,
            &at,
            at.text_or_empty(),
            verdict,
        );
    }
}

fn pod_cidrs<'a>(root: &At<'a>) -> Vec<At<'a>> {
    let spec = root.field("spec");
    list_or_single(spec.field("podCIDRs"), spec.field("podCIDR"), |item| *item)
}

fn texts<'a>(pod_cidrs: &[At<'a>]) -> Vec<&'a str> {
    pod_cidrs.iter().map(At::text_or_empty).collect()
}
