//! Validation of PodGroups and of Workloads, which have templates of them: how a group of pods is scheduled, what it claims
//! and how it is disrupted.

use super::conditions;
use super::declared::{self, Member, is_changed, is_kept, needs_form};
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::name_format::NameFormat;
use alloc::collections::BTreeSet;
use ratchet_object::At;

const MOST_CLAIMS: usize = 4;
const MOST_TEMPLATES: usize = 8;
const MOST_TOPOLOGIES: usize = 1;
const HIGHEST_PRIORITY: i64 = 1_000_000_000;
const MODES: [&str; 2] = ["Pod", "PodGroup"];
const CLAIM: &[Member] =
    &[("name", true), ("resourceClaimName", false), ("resourceClaimTemplateName", false)];
const CLAIM_STATUS: &[Member] = &[("name", true), ("resourceClaimName", false)];
const TEMPLATE: &[Member] = &[
    ("name", true),
    ("schedulingPolicy", true),
    ("schedulingConstraints", true),
    ("resourceClaims", false),
    ("disruptionMode", false),
    ("priorityClassName", false),
    ("priority", false),
];

/// Validates a PodGroup. All of its spec is immutable, so that an update finds nothing else to check.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let old = ctx.change.old_root().map(|old| old.field("spec"));
    let mut errs = FieldErrors::new(ctx, verdict);
    let Some(old) = old else {
        let reference = spec.field("podGroupTemplateRef");
        if reference.is_set() {
            check_reference(&reference, &mut errs);
        }
        return check_group(&spec, &mut errs);
    };
    for (name, gate) in [
        ("podGroupTemplateRef", ""),
        ("schedulingPolicy", ""),
        ("schedulingConstraints", "TopologyAwareWorkloadScheduling"),
        ("resourceClaims", ""),
        ("disruptionMode", "WorkloadAwarePreemption"),
        ("priorityClassName", "WorkloadAwarePreemption"),
        ("priority", "WorkloadAwarePreemption"),
    ] {
        let (at, before) = (spec.field(name), old.field(name));
        if gate.is_empty() || ctx.config.gates.is_on(gate) {
            is_changed(name, &at, Some(&before), &mut errs);
        } else if at.is_set() && !is_kept(&at, Some(&before)) {
            errs.forbidden(&at, "");
        }
        if name == "resourceClaims" && !is_kept(&at, Some(&before)) {
            declared::is_within(&at, MOST_CLAIMS, &mut errs);
        }
    }
}

/// Validates the status of a PodGroup.
pub(super) fn validate_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let (status, spec) = (root.field("status"), root.field("spec"));
    let statuses = status.field("resourceClaimStatuses");
    let claims = spec.field("resourceClaims");
    let claims: BTreeSet<&str> =
        claims.items().map(|claim| claim.field("name").text_or_empty()).collect();
    let mut errs = FieldErrors::new(ctx, verdict);
    conditions::check(&status.field("conditions"), &mut errs);
    for item in statuses.items() {
        let name = item.field("name");
        if !claims.contains(name.text_or_empty()) {
            let formatted = crate::field_errors::quoted(name.text_or_empty());
            let detail = "must match the name of an entry in `spec.resourceClaims`";
            errs.invalid_as(&name, formatted, detail);
        }
    }
    let old = ctx.change.old_root().map(|old| old.descend(&["status", "resourceClaimStatuses"]));
    if is_kept(&statuses, old.as_ref()) || !declared::is_within(&statuses, MOST_CLAIMS, &mut errs) {
        return;
    }
    declared::check_unique(&statuses, "name", CLAIM_STATUS, &mut errs);
    for item in statuses.items() {
        let key = item.field("name").text_or_empty();
        let mut before = old.iter().flat_map(At::items);
        let before = before.find(|one| one.field("name").text_or_empty() == key);
        let claim = item.field("resourceClaimName");
        let kept = before.map(|before| before.field("resourceClaimName"));
        if claim.is_set() && !is_kept(&claim, kept.as_ref()) {
            declared::check_form(&claim, NameFormat::Subdomain, &mut errs);
        }
    }
}

/// Validates a Workload.
pub(super) fn validate_workload(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let old = ctx.change.old_root().map(|old| old.field("spec"));
    let mut errs = FieldErrors::new(ctx, verdict);
    let controller = spec.field("controllerRef");
    let before = old.map(|old| old.field("controllerRef"));
    if !is_changed("controllerRef", &controller, before.as_ref(), &mut errs)
        && old.is_none()
        && controller.is_set()
    {
        check_controller(&controller, &mut errs);
    }
    let templates = spec.field("podGroupTemplates");
    let before = old.map(|old| old.field("podGroupTemplates"));
    let is_changed = is_changed("podGroupTemplates", &templates, before.as_ref(), &mut errs);
    if old.is_some() && !is_changed {
        return;
    }
    let is_within = declared::is_within(&templates, MOST_TEMPLATES, &mut errs);
    if templates.is_empty() {
        errs.required(&templates, "");
    }
    if is_changed || !is_within {
        return;
    }
    declared::check_unique(&templates, "name", TEMPLATE, &mut errs);
    for template in templates.items() {
        needs_form(&template.field("name"), NameFormat::Label, &mut errs);
        check_group(&template, &mut errs);
    }
}

/// Checks what controls a Workload.
fn check_controller(controller: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let group = controller.field("apiGroup");
    if !group.text_or_empty().is_empty() {
        declared::check_form(&group, NameFormat::Subdomain, errs);
    }
    for name in ["kind", "name"] {
        needs_form(&controller.field(name), NameFormat::PathSegment, errs);
    }
}

/// Checks which template of which Workload a group was made from.
fn check_reference(reference: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    declared::check_union(reference, &["workload"], errs);
    let workload = reference.field("workload");
    if workload.is_set() {
        needs_form(&workload.field("workloadName"), NameFormat::Subdomain, errs);
        needs_form(&workload.field("podGroupTemplateName"), NameFormat::Label, errs);
    }
}

/// Checks what a new group and a new template of one have in common.
fn check_group(group: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_policy(&group.field("schedulingPolicy"), errs);
    let topology = group.descend(&["schedulingConstraints", "topology"]);
    if declared::is_within(&topology, MOST_TOPOLOGIES, errs) {
        topology.items().for_each(|at| needs_form(&at.field("key"), NameFormat::Qualified, errs));
    }
    check_claims(&group.field("resourceClaims"), errs);
    let mode = group.field("disruptionMode");
    if mode.is_set() {
        errs.one_of(&mode, &MODES);
    }
    let class = group.field("priorityClassName");
    if !class.text_or_empty().is_empty() {
        declared::check_form(&class, NameFormat::Subdomain, errs);
    }
    declared::check_most(&group.field("priority"), HIGHEST_PRIORITY, errs);
}

fn check_policy(policy: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    declared::check_union(policy, &["basic", "gang"], errs);
    let gang = policy.field("gang");
    if gang.is_set() {
        declared::needs_least(&gang.field("minCount"), 1, errs);
    }
}

fn check_claims(claims: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !declared::is_within(claims, MOST_CLAIMS, errs) {
        return;
    }
    declared::check_unique(claims, "name", CLAIM, errs);
    for claim in claims.items() {
        let sources = ["resourceClaimName", "resourceClaimTemplateName"];
        declared::check_union(&claim, &sources, errs);
        needs_form(&claim.field("name"), NameFormat::Label, errs);
        for source in sources.map(|name| claim.field(name)).iter().filter(|at| at.is_set()) {
            declared::check_form(source, NameFormat::Subdomain, errs);
        }
    }
}
