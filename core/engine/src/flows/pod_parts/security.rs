//! Security contexts: ids within bounds, profiles that are named as they must be.

use super::check_descending;
use crate::pen::{Pen, has, quoted};
use ratchet_object::At;

const HIGHEST: i64 = i32::MAX as i64;
const SECCOMP: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];

pub(super) fn check_pod(spec: &At<'_>, pen: &mut Pen<'_, '_>) {
    let context = spec.field("securityContext");
    let shares = has(spec, "shareProcessNamespace");
    if !context.is_set() && !shares {
        return;
    }
    for name in ["fsGroup", "runAsUser", "runAsGroup"] {
        pen.between(&context.field(name), 0, HIGHEST);
    }
    for group in context.field("supplementalGroups").items() {
        pen.between(&group, 0, HIGHEST);
    }
    let shared = spec.field("shareProcessNamespace");
    if shared.is_true() && spec.field("hostPID").is_true() {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        pen.invalid(&shared.named(context.path().field("shareProcessNamespace")), detail);
    }
    check_sysctls(&context.field("sysctls"), pen);
    pen.one_of(&context.field("fsGroupChangePolicy"), &["Always", "OnRootMismatch"]);
    pen.one_of(&context.field("supplementalGroupsPolicy"), &["Merge", "Strict"]);
    check_seccomp(&context.field("seccompProfile"), pen);
    check_app_armor(&context.field("appArmorProfile"), pen);
}

pub(super) fn check_container(spec: &At<'_>, context: &At<'_>, pen: &mut Pen<'_, '_>) {
    if !context.is_set() {
        return;
    }
    for name in ["runAsUser", "runAsGroup"] {
        pen.between(&context.field(name), 0, HIGHEST);
    }
    let privileged = context.field("privileged");
    if privileged.is_true() && !pen.scene.policy.allow_privileged {
        pen.forbidden(&privileged, "disallowed by cluster policy");
    }
    let mount = context.field("procMount");
    pen.one_of(&mount, &["Default", "Unmasked"]);
    if mount.text_or_empty() == "Unmasked" && spec.field("hostUsers").truth() != Some(false) {
        pen.invalid(&mount, "`hostUsers` must be false to use `Unmasked`");
    }
    check_seccomp(&context.field("seccompProfile"), pen);
    check_app_armor(&context.field("appArmorProfile"), pen);
    if context.field("allowPrivilegeEscalation").truth() == Some(false) {
        let shown = || crate::internal::shown("SecurityContext", context);
        if context.field("privileged").is_true() {
            let detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
            pen.invalid_as(context, shown(), detail);
        }
        for added in context.field("capabilities").field("add").items() {
            if added.text_or_empty() == "CAP_SYS_ADMIN" {
                let detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
                pen.invalid_as(context, shown(), detail);
            }
        }
    }
}

fn check_sysctls(sysctls: &At<'_>, pen: &mut Pen<'_, '_>) {
    let mut names: alloc::vec::Vec<&str> = alloc::vec::Vec::new();
    for sysctl in sysctls.items() {
        let name = sysctl.field("name");
        let text = name.text_or_empty();
        if pen.needs_text(&name) && names.contains(&text) {
            pen.duplicate(&name, quoted(text));
        }
        names.push(text);
    }
}

fn check_seccomp(profile: &At<'_>, pen: &mut Pen<'_, '_>) {
    if !profile.is_set() {
        return;
    }
    let (kind, path) = (profile.field("type"), profile.field("localhostProfile"));
    match kind.text_or_empty() {
        "" => pen.required(&kind, "type is required when seccompProfile is set"),
        _ => pen.one_of(&kind, &SECCOMP),
    }
    match (kind.text_or_empty() == "Localhost", path.is_set()) {
        (true, false) => pen.required(&path, "must be set when seccomp type is Localhost"),
        (true, true) => check_descending(&path, path.text_or_empty(), pen),
        (false, true) => {
            let shown = crate::internal::shown("SeccompProfile", profile);
            pen.invalid_as(&path, shown, "can only be set when seccomp type is Localhost");
        }
        (false, false) => {}
    }
}

fn check_app_armor(profile: &At<'_>, pen: &mut Pen<'_, '_>) {
    if !profile.is_set() {
        return;
    }
    let (kind, path) = (profile.field("type"), profile.field("localhostProfile"));
    const NEEDED: &str = "must be set when AppArmor type is Localhost";
    match kind.text_or_empty() {
        "Localhost" => match path.text_or_empty() {
            _ if !path.is_set() => pen.required(&path, NEEDED),
            text if text.trim() != text => pen.invalid(&path, "must not be padded with whitespace"),
            "" => pen.required(&path, NEEDED),
            _ => {}
        },
        "RuntimeDefault" | "Unconfined" => {
            if path.is_set() {
                pen.invalid(&path, "can only be set when AppArmor type is Localhost");
            }
        }
        "" => pen.required(&kind, "type is required when appArmorProfile is set"),
        _ => pen.one_of(&kind, &SECCOMP),
    }
}
