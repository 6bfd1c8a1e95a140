//! Validation of what pods for Windows and for Linux may set: Windows options, host processes, user namespaces.

use crate::field_errors::{FieldErrors, has};
use crate::name_format::{self, NameFormat};
use alloc::format;
use ratchet_object::At;

const LONGEST_CREDENTIAL: usize = 64 * 1024;
const LONGEST_DOMAIN: usize = 256;
const LONGEST_USER: usize = 104;
const LONGEST_NET_BIOS: usize = 15;
const LONGEST_LABEL: usize = 63;

/// Fields of the security context of a pod that a pod for Windows may not set; the last ones are lists.
const POD_FIELDS: [&str; 11] = [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
];

/// Fields of the security context of a container that a pod for Windows may not set.
const CONTAINER_FIELDS: [&str; 10] = [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
];

const HOST_PROCESS: [&str; 3] = ["securityContext", "windowsOptions", "hostProcess"];
const NOT_ON_WINDOWS: &str = "cannot be set for a windows pod";
const NOT_ON_LINUX: &str = "windows options cannot be set for a linux pod";

/// Checks `windowsOptions` of a security context.
pub(super) fn check_options(context: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !has(context, "windowsOptions") {
        return;
    }
    let options = context.field("windowsOptions");
    let [name, credential, user] =
        ["gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName"]
            .map(|name| options.field(name));
    if name.is_set() {
        errs.form(&name, NameFormat::Subdomain);
    }
    if credential.is_set() {
        match credential.text_or_empty().len() {
            0 => errs.invalid(&credential, "gmsaCredentialSpec cannot be an empty string"),
            size if size > LONGEST_CREDENTIAL => {
                errs.invalid(&credential, "gmsaCredentialSpec size must be under 64 KiB");
            }
            _ => {}
        }
    }
    if user.is_set() {
        check_user(&user, errs);
    }
}

fn check_user(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    let single = match text {
        "" => Some("runAsUserName cannot be an empty string"),
        _ if text.contains(|letter: char| letter.is_ascii_control()) => {
            Some("runAsUserName cannot contain control characters")
        }
        _ if text.matches('\\').count() > 1 => {
            Some("runAsUserName cannot contain more than one backslash")
        }
        _ => None,
    };
    if let Some(detail) = single {
        return errs.invalid(at, detail);
    }
    let (domain, user) = text.split_once('\\').map_or((None, text), |(one, two)| (Some(one), two));
    if domain.is_some_and(|domain| domain.len() >= LONGEST_DOMAIN) {
        errs.invalid(at, "runAsUserName's Domain length must be under 256 characters");
    }
    if domain.is_some_and(|domain| !is_net_bios(domain) && !is_domain(domain)) {
        errs.invalid(at, "runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    }
    if user.is_empty() {
        errs.invalid(at, "runAsUserName's User cannot be empty");
    } else if user.len() > LONGEST_USER {
        let detail = "runAsUserName's User length must not be longer than 104 characters";
        errs.invalid(at, detail);
    }
    if !user.is_empty() && user.chars().all(|letter| matches!(letter, '.' | ' ')) {
        errs.invalid(at, "runAsUserName's User cannot contain only periods or spaces");
    }
    if user.contains(|letter: char| "\"/\\:;|=,+*?<>@[]".contains(letter)) {
        let detail =
            "runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]";
        errs.invalid(at, detail);
    }
}

fn is_net_bios(domain: &str) -> bool {
    let is_forbidden = |letter: char| "\\/:*?\"<>|".contains(letter);
    !domain.is_empty()
        && !domain.starts_with('.')
        && !domain.contains(is_forbidden)
        && domain.chars().count() <= LONGEST_NET_BIOS
}

fn is_domain(domain: &str) -> bool {
    domain.split('.').all(|label| {
        label.len() <= LONGEST_LABEL
            && name_format::is_valid(NameFormat::Label, &label.to_ascii_lowercase())
    })
}

/// Checks that all containers are host processes or none, and what such a pod needs.
pub(super) fn check_host_process(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let pod = spec.descend(&HOST_PROCESS).truth();
    let (mut all, mut processes) = (0, 0);
    for container in spec.containers() {
        let at = container.descend(&HOST_PROCESS);
        all += 1;
        if let (Some(pod), Some(own)) = (pod, at.truth())
            && pod != own
        {
            let detail =
                format!("pod hostProcess value must be identical if both are specified, was {pod}");
            errs.invalid(&at, detail);
        }
        processes += usize::from(at.truth().or(pod) == Some(true));
    }
    if processes == 0 {
        return;
    }
    if processes != all {
        let detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        errs.invalid_as(spec, "\"\"", detail);
    }
    let network = spec.field("hostNetwork");
    if !network.is_true() {
        let detail = "hostNetwork must be true if pod contains any hostProcess containers";
        errs.invalid_as(&network, "false", detail);
    }
    if !errs.ctx.config.allow_privileged {
        errs.forbidden(spec, "hostProcess containers are disallowed by cluster policy");
    }
}

/// Checks what a pod in a user namespace of its own may share with its host.
pub(super) fn check_host_users(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    const DETAIL: &str = "when `hostUsers` is false";
    if spec.field("hostUsers").truth() != Some(false) {
        return;
    }
    for (name, reported) in
        [("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")]
    {
        let at = spec.field(name);
        if at.is_true() {
            errs.forbidden(&at.with_path(spec.path().field(reported)), DETAIL);
        }
    }
    for devices in spec.containers().map(|at| at.field("volumeDevices")) {
        if !devices.is_empty() {
            errs.forbidden(&devices, DETAIL);
        }
    }
}

/// Checks that a pod sets nothing that its operating system does not have.
pub(super) fn check_os(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let context = spec.field("securityContext");
    match spec.field("os").field("name").text_or_empty() {
        "linux" => {
            let containers = spec.containers().map(|at| at.field("securityContext"));
            for at in core::iter::once(context).chain(containers) {
                let options = at.field("windowsOptions");
                if options.is_set() {
                    errs.forbidden(&options, NOT_ON_LINUX);
                }
            }
        }
        "windows" => check_windows(spec, &context, errs),
        _ => {}
    }
}

fn check_windows(spec: &At<'_>, context: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let forbid = |at: &At<'_>, errs: &mut FieldErrors<'_, '_>| {
        let is_set =
            at.is_set() && !(at.is_empty() && *at.path() == context.path().field("sysctls"));
        if is_set {
            errs.forbidden(at, NOT_ON_WINDOWS);
        }
    };
    for name in POD_FIELDS {
        // These are fields of the security context to the API, which reports them where they are written.
        match name {
            "seccompProfile" => {
                forbid(&spec.field("hostUsers"), errs);
                for at in ["hostPID", "hostIPC"].map(|name| spec.field(name)) {
                    if at.is_true() {
                        errs.forbidden(&at, NOT_ON_WINDOWS);
                    }
                }
            }
            "runAsUser" => forbid(&spec.field("shareProcessNamespace"), errs),
            _ => {}
        }
        forbid(&context.field(name), errs);
    }
    for container in spec.containers() {
        for name in CONTAINER_FIELDS {
            forbid(&container.field("securityContext").field(name), errs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_domain, is_net_bios};

    #[test]
    fn domains_of_users() {
        assert!(is_net_bios("CONTOSO") && !is_net_bios(".a") && !is_net_bios("a/b"));
        assert!(!is_net_bios("a-domain-that-is-long") && is_domain("a-domain.that.is-long"));
        assert!(!is_domain("a..b") && !is_domain("-a"));
    }
}
