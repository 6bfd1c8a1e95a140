//! Validation of security contexts: ids, seccomp and AppArmor profiles.

use super::paths::check_descending;
use super::{PodValidationOptions, sysctls, windows};
use crate::field_errors::{FieldErrors, has};
use ratchet_object::At;

const HIGHEST: i64 = i32::MAX as i64;
const SECCOMP: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];

const CHANGE_POLICY: &str = "seLinuxChangePolicy";

pub(super) fn check_pod(
    spec: &At<'_>,
    options: PodValidationOptions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let context = spec.field("securityContext");
    let shares = has(spec, "shareProcessNamespace");
    if !context.is_set() && !shares {
        return;
    }
    for name in ["fsGroup", "runAsUser", "runAsGroup"] {
        errs.between(&context.field(name), 0, HIGHEST);
    }
    for group in context.field("supplementalGroups").items() {
        errs.between(&group, 0, HIGHEST);
    }
    let shared = spec.field("shareProcessNamespace");
    if shared.is_true() && spec.field("hostPID").is_true() {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        errs.invalid(&shared.with_path(context.path().field("shareProcessNamespace")), detail);
    }
    sysctls::check(spec, &context.field("sysctls"), options.stored, errs);
    errs.one_of(&context.field("fsGroupChangePolicy"), &["Always", "OnRootMismatch"]);
    check_seccomp(&context.field("seccompProfile"), errs);
    windows::check_options(&context, errs);
    check_app_armor(&context.field("appArmorProfile"), errs);
    errs.one_of(&context.field("supplementalGroupsPolicy"), &["Merge", "Strict"]);
    let stored = options.stored.map(|old| old.descend(&["securityContext", CHANGE_POLICY]));
    // Mounting with the right label is for a gate that is off, or for a pod that does it already.
    let mounts = errs.ctx.config.gates.is_on("SELinuxMount")
        || stored.is_some_and(|stored| stored.text_or_empty() == "MountOption");
    let policies: &[&str] = if mounts { &["MountOption", "Recursive"] } else { &["Recursive"] };
    errs.one_of(&context.field(CHANGE_POLICY), policies);
}

pub(super) fn check_container(spec: &At<'_>, context: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !context.is_set() {
        return;
    }
    for name in ["runAsUser", "runAsGroup"] {
        errs.between(&context.field(name), 0, HIGHEST);
    }
    let privileged = context.field("privileged");
    if privileged.is_true() && !errs.ctx.config.allow_privileged {
        errs.forbidden(&privileged, "disallowed by cluster policy");
    }
    let mount = context.field("procMount");
    errs.one_of(&mount, &["Default", "Unmasked"]);
    if mount.text_or_empty() == "Unmasked" && spec.field("hostUsers").truth() != Some(false) {
        errs.invalid(&mount, "`hostUsers` must be false to use `Unmasked`");
    }
    check_seccomp(&context.field("seccompProfile"), errs);
    check_escalation(context, errs);
    windows::check_options(context, errs);
    check_app_armor(&context.field("appArmorProfile"), errs);
}

fn check_escalation(context: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if context.field("allowPrivilegeEscalation").truth() == Some(false) {
        let formatted = || crate::internal::format_as("SecurityContext", context);
        if context.field("privileged").is_true() {
            let detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
            errs.invalid_as(context, formatted(), detail);
        }
        let added = context.field("capabilities").field("add").items();
        let count = added.filter(|name| name.text_or_empty() == "CAP_SYS_ADMIN").count();
        let detail =
            "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
        errs.invalid_times(count, context, formatted, detail);
    }
}

fn check_seccomp(profile: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !profile.is_set() {
        return;
    }
    let (kind, path) = (profile.field("type"), profile.field("localhostProfile"));
    match kind.text_or_empty() {
        "" => errs.required(&kind, "type is required when seccompProfile is set"),
        _ => errs.one_of(&kind, &SECCOMP),
    }
    match (kind.text_or_empty() == "Localhost", path.is_set()) {
        (true, false) => errs.required(&path, "must be set when seccomp type is Localhost"),
        (true, true) => check_descending(&path, path.text_or_empty(), errs),
        (false, true) => {
            let formatted = crate::internal::format_as("SeccompProfile", profile);
            errs.invalid_as(&path, formatted, "can only be set when seccomp type is Localhost");
        }
        (false, false) => {}
    }
}

fn check_app_armor(profile: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !profile.is_set() {
        return;
    }
    let (kind, path) = (profile.field("type"), profile.field("localhostProfile"));
    const REQUIRED: &str = "must be set when AppArmor type is Localhost";
    match kind.text_or_empty() {
        "Localhost" => match path.text_or_empty() {
            _ if !path.is_set() => errs.required(&path, REQUIRED),
            text if text.trim() != text => {
                errs.invalid(&path, "must not be padded with whitespace");
            }
            "" => errs.required(&path, REQUIRED),
            _ => {}
        },
        "RuntimeDefault" | "Unconfined" => {
            if path.is_set() {
                errs.invalid(&path, "can only be set when AppArmor type is Localhost");
            }
        }
        "" => errs.required(&kind, "type is required when appArmorProfile is set"),
        _ => errs.one_of(&kind, &SECCOMP),
    }
}
