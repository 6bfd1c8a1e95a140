//! Validation of what a PersistentVolumeClaim is filled from: `dataSource` and `dataSourceRef`.

use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use ratchet_object::At;

/// Checks both fields of the spec of a claim, and that they agree; `stored` is the stored spec.
pub(super) fn check(spec: &At<'_>, stored: Option<&At<'_>>, errs: &mut FieldErrors<'_, '_>) {
    let [source, reference] = ["dataSource", "dataSourceRef"].map(|name| spec.field(name));
    // Once a group is stored, no group is checked.
    let has_group = |old: &At<'_>| {
        let sources = ["dataSource", "dataSourceRef"];
        sources.iter().any(|name| old.field(name).field("apiGroup").is_set())
    };
    let checks_group = !stored.is_some_and(has_group);
    for at in [&source, &reference].into_iter().filter(|at| at.is_set()) {
        check_one(at, checks_group, errs);
    }
    if !reference.is_set() {
        return;
    }
    let namespace = reference.field("namespace");
    errs.form_if_set(&namespace, NameFormat::Label);
    if !source.is_set() {
        return;
    }
    let is_same = ["apiGroup", "kind", "name"].iter().all(|name| {
        source.field(name).text() == reference.field(name).text()
            && source.field(name).is_set() == reference.field(name).is_set()
    });
    let detail = match namespace.text_or_empty() {
        "" if is_same => return,
        "" => "must match dataSourceRef",
        _ => "may not be specified when dataSourceRef.namespace is specified",
    };
    // The API shows a path here instead of a value, which has no members as JSON.
    errs.invalid_as(spec, "{}", detail);
}

fn check_one(at: &At<'_>, checks_group: bool, errs: &mut FieldErrors<'_, '_>) {
    let (group, kind) = (at.field("apiGroup"), at.field("kind"));
    errs.needs_text(&at.field("name"));
    errs.needs_text(&kind);
    if group.text_or_empty().is_empty() {
        if kind.text_or_empty() != "PersistentVolumeClaim" {
            let detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
            errs.invalid_as(at, quoted(kind.text_or_empty()), detail);
        }
    } else if checks_group {
        errs.form(&group, NameFormat::Subdomain);
    }
}
