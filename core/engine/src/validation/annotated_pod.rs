//! Validation of the annotations that mean something to pods and their templates: mirrors, deletion costs, profiles.

use crate::field_errors::{FieldErrors, quoted};
use crate::rules::pod_annotations;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;
use core::cell::LazyCell;
use ratchet_object::{At, Members};

const MIRROR: &str = "kubernetes.io/config.mirror";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Checks the annotations of a pod or template; `stored` are the stored ones.
pub(super) fn check(
    annotations: &At<'_>,
    spec: &At<'_>,
    stored: Option<&At<'_>>,
    errs: &mut FieldErrors<'_, '_>,
) {
    // Sorted by key: the order in the source text must not affect the result.
    let mut sorted: Vec<(&str, At<'_>)> = annotations.entries().collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    if let Some(mirror) = value(annotations, MIRROR)
        && spec.field("nodeName").text_or_empty().is_empty()
    {
        let at = annotations.with_path(annotations.path().key(MIRROR));
        let detail = "must set spec.nodeName if mirror pod annotation is set";
        errs.invalid_as(&at, quoted(mirror), detail);
    }
    let is_bad_cost =
        |all: &At<'_>| value(all, DELETION_COST).is_some_and(|cost| !is_deletion_cost(cost));
    // Once a bad cost is stored, none is checked.
    if is_bad_cost(annotations) && !stored.is_some_and(is_bad_cost) {
        let at = annotations.with_path(annotations.path().key(DELETION_COST));
        let cost = value(annotations, DELETION_COST).unwrap_or_default();
        errs.invalid_as(&at, quoted(cost), "must be a 32bit integer");
    }
    for (key, at) in &sorted {
        if *key == SECCOMP_POD || key.starts_with(SECCOMP_CONTAINER) {
            let at = at.with_path(annotations.path().field(key));
            check_seccomp(&at, errs);
        }
    }
    let names = LazyCell::new(|| -> BTreeSet<&str> {
        spec.containers().map(|at| at.field("name").text_or_empty()).collect()
    });
    for (key, at) in &sorted {
        if let Some(container) = key.strip_prefix(APP_ARMOR) {
            if !names.contains(container) {
                errs.invalid_as(at, quoted(container), "container not found");
            }
            check_app_armor(at, errs);
        }
    }
}

fn value<'a>(annotations: &At<'a>, key: &str) -> Option<&'a str> {
    let mut entries = annotations.entries();
    entries.find(|(name, _)| *name == key).map(|(_, at)| at.text_or_empty())
}

/// A number of 32 bits without needless zeros or signs.
fn is_deletion_cost(text: &str) -> bool {
    let starts_well = text == "0" || text.starts_with(|first| matches!(first, '-' | '1'..='9'));
    starts_well && text.parse::<i32>().is_ok()
}

fn check_seccomp(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    match text {
        "runtime/default" | "docker/default" | "unconfined" => {}
        _ => match text.strip_prefix("localhost/") {
            Some(path) => {
                if path.starts_with('/') {
                    errs.invalid_as(at, quoted(path), "must be a relative path");
                }
                if path.split('/').any(|step| step == "..") {
                    errs.invalid_as(at, quoted(path), "must not contain '..'");
                }
            }
            None => errs.invalid(at, "must be a valid seccomp profile"),
        },
    }
}

fn check_app_armor(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    let is_profile =
        matches!(text, "" | "runtime/default" | "unconfined") || text.starts_with("localhost/");
    if !is_profile {
        errs.invalid(at, format!("invalid AppArmor profile name: {}", quoted(text)));
    }
}

/// Checks that seccomp profiles of a new pod are the same in annotations and in fields.
pub(super) fn check_profiles(annotations: &At<'_>, pod: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let spec = pod.field("spec");
    if let Some(annotation) = value(annotations, SECCOMP_POD) {
        check_profile(annotation, &spec, errs);
    }
    let on_containers = pod_annotations::by_container(annotations, SECCOMP_CONTAINER);
    for container in spec.containers() {
        if let Some(annotation) = on_containers.get(container.field("name").text_or_empty()) {
            check_profile(annotation.text_or_empty(), &container, errs);
        }
    }
}

fn check_profile(annotation: &str, holder: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let profile = holder.field("securityContext").field("seccompProfile");
    let (kind, path) = (profile.field("type"), profile.field("localhostProfile"));
    let local = annotation.strip_prefix("localhost/");
    let is_same_type = match kind.text_or_empty() {
        "Unconfined" => annotation == "unconfined",
        "RuntimeDefault" => matches!(annotation, "runtime/default" | "docker/default"),
        "Localhost" => local.is_some(),
        _ => true,
    };
    if !is_same_type {
        errs.forbidden(&kind, "seccomp type in annotation and field must match");
    } else if kind.text_or_empty() == "Localhost"
        && (!path.is_set() || local != Some(path.text_or_empty()))
    {
        errs.forbidden(&path, "seccomp profile in annotation and field must match");
    }
}

/// Checks that annotations of a pod that cannot change did not.
pub(super) fn check_changes(annotations: &At<'_>, stored: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let forbid = |key: &str, verb: &str, errs: &mut FieldErrors<'_, '_>| {
        let what = match key {
            MIRROR => "mirror pod annotation",
            key if key.starts_with(APP_ARMOR) => "AppArmor annotations",
            _ => return,
        };
        let at = annotations.with_path(annotations.path().key(key));
        errs.forbidden(&at, format!("may not {verb} {what}"));
    };
    let (mut now, mut before) = (Members::of(annotations.node()), Members::of(stored.node()));
    for (key, at) in stored.entries() {
        let text = now.get(key).map(|node| node.text().unwrap_or_default());
        if text != Some(at.text_or_empty()) {
            forbid(key, "remove or update", errs);
        }
    }
    for (key, _) in annotations.entries() {
        if before.get(key).is_none() {
            forbid(key, "add", errs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_deletion_cost;

    #[test]
    fn deletion_costs() {
        assert!(["0", "-1", "100", "2147483647"].into_iter().all(is_deletion_cost));
        assert!(!["", "+1", "01", "2147483648", "1.5"].into_iter().any(is_deletion_cost));
    }
}
