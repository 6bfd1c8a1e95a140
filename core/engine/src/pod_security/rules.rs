//! The rules of Pod Security, with permanent ids.

use crate::rule::Rule;

pub(crate) use super::admission::RULE as ADMISSION;
pub(crate) use super::checks::allow_privilege_escalation::RULE as PRIVILEGE_ESCALATION;
pub(crate) use super::checks::app_armor::RULE as APP_ARMOR;
pub(crate) use super::checks::capabilities_baseline::RULE as CAPABILITIES_BASELINE;
pub(crate) use super::checks::capabilities_restricted::RULE as CAPABILITIES_RESTRICTED;
pub(crate) use super::checks::host_namespaces::RULE as HOST_NAMESPACES;
pub(crate) use super::checks::host_path_volumes::RULE as HOST_PATH_VOLUMES;
pub(crate) use super::checks::host_ports::RULE as HOST_PORTS;
pub(crate) use super::checks::host_probes::RULE as PROBE_HOSTS;
pub(crate) use super::checks::privileged::RULE as PRIVILEGED;
pub(crate) use super::checks::proc_mount::RULE as PROC_MOUNT;
pub(crate) use super::checks::restricted_volumes::RULE as RESTRICTED_VOLUMES;
pub(crate) use super::checks::run_as_non_root::RULE as RUN_AS_NON_ROOT;
pub(crate) use super::checks::run_as_user::RULE as RUN_AS_USER;
pub(crate) use super::checks::se_linux::RULE as SE_LINUX;
pub(crate) use super::checks::seccomp_baseline::RULE as SECCOMP_BASELINE;
pub(crate) use super::checks::seccomp_restricted::RULE as SECCOMP_RESTRICTED;
pub(crate) use super::checks::sysctls::RULE as SYSCTLS;
pub(crate) use super::checks::windows_host_process::RULE as WINDOWS_HOST_PROCESS;
pub(crate) use super::existing::RULE as EXISTING_PODS;
pub(crate) use super::labels::RULE as NAMESPACE_LABELS;
pub(crate) use super::namespaces::RULE as EXEMPT_NAMESPACE;

/// Every rule of Pod Security, by id.
pub static RULES: [&Rule; 22] = [
    &PROBE_HOSTS,
    &PRIVILEGE_ESCALATION,
    &APP_ARMOR,
    &CAPABILITIES_BASELINE,
    &CAPABILITIES_RESTRICTED,
    &HOST_NAMESPACES,
    &HOST_PATH_VOLUMES,
    &HOST_PORTS,
    &PRIVILEGED,
    &PROC_MOUNT,
    &RESTRICTED_VOLUMES,
    &RUN_AS_NON_ROOT,
    &RUN_AS_USER,
    &SE_LINUX,
    &SECCOMP_BASELINE,
    &SECCOMP_RESTRICTED,
    &SYSCTLS,
    &WINDOWS_HOST_PROCESS,
    &NAMESPACE_LABELS,
    &EXISTING_PODS,
    &EXEMPT_NAMESPACE,
    &ADMISSION,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pod_security::CHECKS;
    use crate::rule::{Origin, Ratchet};
    use alloc::format;

    #[test]
    fn ids_are_numbered_without_a_gap() {
        for (index, rule) in RULES.iter().enumerate() {
            assert_eq!(rule.id, format!("RTC-PSA-{:03}", index + 1));
        }
    }

    #[test]
    fn every_text_is_a_sentence() {
        for rule in RULES {
            for text in [rule.demands, rule.why, rule.fix] {
                assert!(text.ends_with('.') && !text.contains("  "), "{}: {text}", rule.id);
            }
        }
    }

    #[test]
    fn every_check_has_a_rule_that_looks_at_significant_changes() {
        for check in CHECKS {
            assert!(RULES.contains(&check.rule), "{}", check.id);
            assert_eq!(check.rule.ratchet, Ratchet::SignificantChange, "{}", check.id);
        }
        assert_eq!(PROBE_HOSTS.origin, Origin::Kep(4940));
    }
}
