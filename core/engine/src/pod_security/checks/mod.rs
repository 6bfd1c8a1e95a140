//! `CHECKS`, the table of all checks of the Pod Security Standards; each has its own file.

pub(super) mod allow_privilege_escalation;
pub(super) mod app_armor;
pub(super) mod capabilities_baseline;
pub(super) mod capabilities_restricted;
#[cfg(test)]
mod golden;
pub(super) mod host_namespaces;
pub(super) mod host_path_volumes;
pub(super) mod host_ports;
pub(super) mod host_probes;
pub(super) mod privileged;
pub(super) mod proc_mount;
pub(super) mod restricted_volumes;
pub(super) mod run_as_non_root;
pub(super) mod run_as_user;
pub(super) mod se_linux;
pub(super) mod seccomp_baseline;
pub(super) mod seccomp_restricted;
pub(super) mod sysctls;
mod violations;
pub(super) mod windows_host_process;

use super::check::Check;

/// Every check, in the order of messages: by level, then by id.
pub static CHECKS: &[&Check] = &[
    &app_armor::CHECK,
    &capabilities_baseline::CHECK,
    &host_namespaces::CHECK,
    &host_path_volumes::CHECK,
    &host_ports::CHECK,
    &host_probes::CHECK,
    &privileged::CHECK,
    &proc_mount::CHECK,
    &se_linux::CHECK,
    &seccomp_baseline::CHECK,
    &sysctls::CHECK,
    &windows_host_process::CHECK,
    &allow_privilege_escalation::CHECK,
    &capabilities_restricted::CHECK,
    &proc_mount::RESTRICTED,
    &restricted_volumes::CHECK,
    &run_as_non_root::CHECK,
    &run_as_user::CHECK,
    &seccomp_restricted::CHECK,
];
