//! Node: its pod ranges, which cannot change once they are set.

use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::fields;
use crate::forms::NameFormat;
use crate::rules::value::FieldCheck;
use crate::rules::{address_families, immutable, placement, pod_notes};
use crate::views::list_or_single;
use crate::{Cause, FieldError, StoredValues, Verdict, Warning};
use alloc::vec::Vec;
use ratchet_object::At;

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let new = ranges(&root);
    let old = ctx.change.old_root().map(|root| ranges(&root)).unwrap_or_default();
    let stored: StoredValues<'_> = texts(&old).into_iter().collect();
    let reading = FieldCheck::keeping(ctx, &fields::NODE_POD_CIDRS, &stored);
    for at in &new {
        reading.check(ctx, at, at.text_or_empty(), verdict);
    }
    let list = root.field("spec").field("podCIDRs");
    address_families::check_pod_cidrs(&list, &texts(&new), ctx.policy.release, verdict);
    check_unchanged(&list, &new, &old, verdict);
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

/// Taints and the provider's name for the node.
fn check_rest(root: &At<'_>, old: Option<&At<'_>>, errs: &mut FieldErrors<'_, '_>) {
    let taints = root.field("spec").field("taints");
    // The API looks for taints in the metadata when it names them, and twice at an update.
    let path = root.path().field("metadata").field("taints");
    let times = if old.is_some() { 2 } else { 1 };
    for _ in 0..times {
        let mut seen: Vec<(&str, &str)> = Vec::new();
        for (index, taint) in taints.items().enumerate() {
            let place = path.index(index);
            let [key, value, effect] = ["key", "value", "effect"].map(|name| taint.field(name));
            errs.form(&key.named(place.field("key")), NameFormat::Qualified);
            errs.form(&value.named(place.field("value")), NameFormat::LabelValue);
            let effect = effect.named(place.field("effect"));
            if errs.needs_text(&effect) {
                errs.one_of(&effect, &["NoSchedule", "PreferNoSchedule", "NoExecute"]);
            }
            let pair = (key.text_or_empty(), effect.text_or_empty());
            if seen.contains(&pair) {
                let text = |at: &At<'_>| crate::shown::json(at.text_or_empty());
                let shown = alloc::format!(
                    "{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":null}}",
                    text(&key),
                    text(&value),
                    text(&effect)
                );
                let detail = "taints must be unique by key and effect pair";
                let rule = &placement::RULE;
                let at = taint.named(place);
                let problem = FieldError::new(rule, Cause::Duplicate, &at, detail).showing(shown);
                errs.verdict.problem(problem);
            }
            seen.push(pair);
        }
    }
    let Some(before) = old.map(|old| old.field("spec").field("providerID")) else { return };
    let at = root.field("spec").field("providerID");
    // The one that is left out is the one that is stored.
    if !before.text_or_empty().is_empty() && at.is_set() && at.text() != before.text() {
        let detail = "node updates may not change providerID except from \"\" to valid";
        immutable::forbidden(&at, detail, errs.verdict);
    }
}

/// The phase of a namespace says whether it is being deleted.
pub(super) fn validate_namespace(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let phase = root.field("status").field("phase");
    let is_going = root.field("metadata").field("deletionTimestamp").is_set();
    let (wanted, detail) = match is_going {
        false => ("Active", "may only be 'Active' if `deletionTimestamp` is empty"),
        true => ("Terminating", "may only be 'Terminating' if `deletionTimestamp` is not empty"),
    };
    if !matches!(phase.text_or_empty(), text if text.is_empty() || text == wanted) {
        let shown = crate::shown::named(phase.text_or_empty(), ctx.policy.release);
        let at = phase.named(root.path().field("status").field("Phase"));
        FieldErrors::new(ctx, verdict).invalid_as(&at, shown, detail);
    }
}

pub(super) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let spec = root.field("spec");
    let notes = [
        ("configSource", "spec.configSource: the feature is removed"),
        ("externalID", "spec.externalID: this field is deprecated, and is unused by Kubernetes"),
    ];
    for (name, told) in notes {
        let at = spec.field(name);
        if at.is_set() && at.text() != Some("") {
            verdict.warn(Warning::new(&pod_notes::RULE, &at, told));
        }
    }
    for at in ranges(&root) {
        FieldCheck::fresh(&fields::NODE_POD_CIDRS).warn(ctx, &at, at.text_or_empty(), verdict);
    }
}

fn ranges<'a>(root: &At<'a>) -> Vec<At<'a>> {
    let spec = root.field("spec");
    list_or_single(spec.field("podCIDRs"), spec.field("podCIDR"), |item| *item)
}

fn texts<'a>(ranges: &[At<'a>]) -> Vec<&'a str> {
    ranges.iter().map(At::text_or_empty).collect()
}
