//! `RULES`, the table of all rules; each rule has its own file with its row and its check.

pub(crate) mod address_families;
pub(crate) mod byte_amounts;
pub(crate) mod canonical_form;
pub(crate) mod cidr_spelling;
pub(crate) mod cluster_ips;
pub(crate) mod container_ports;
pub mod decoding;
pub(crate) mod deny_external_ips;
pub(crate) mod deprecated_api;
mod dispatch;
pub(crate) mod dns_config;
pub(crate) mod dns_search;
pub(crate) mod except_subset;
pub(crate) mod host_names;
pub(crate) mod immutable;
pub(crate) mod ineffective_setting;
pub(crate) mod interface_address;
pub(crate) mod ip_spelling;
pub(crate) mod labels;
pub(crate) mod messages_before_1_33;
pub(crate) mod metadata;
pub mod names;
pub(crate) mod node_labels;
pub(crate) mod placement;
pub(crate) mod pod_annotations;
pub(crate) mod pod_warnings;
pub(crate) mod service_warnings;
pub(crate) mod special_ip;
pub(crate) mod value;
pub(crate) mod values;
pub(crate) mod volume_paths;

use crate::{Rule, pod_security};

/// Every rule, sorted by id.
pub static RULES: &[&Rule] = &[
    &placement::RULE,
    &immutable::RULE,
    &labels::RULE,
    &host_names::RULE,
    &deprecated_api::RULE,
    &ineffective_setting::RULE,
    &decoding::UNKNOWN_FIELD,
    &decoding::REPEATED_FIELD,
    &decoding::WRONG_TYPE,
    &decoding::UNREADABLE,
    &decoding::UNKNOWN_KIND,
    &names::RULE,
    &metadata::RULE,
    &values::RULE,
    &names::FORMS,
    &dns_search::RULE,
    &dns_config::RULE,
    &ip_spelling::RULE,
    &cidr_spelling::RULE,
    &canonical_form::RULE,
    &interface_address::RULE,
    &special_ip::RULE,
    &address_families::RULE,
    &except_subset::RULE,
    &pod_security::rules::PROBE_HOSTS,
    &pod_security::rules::PRIVILEGE_ESCALATION,
    &pod_security::rules::APP_ARMOR,
    &pod_security::rules::CAPABILITIES_BASELINE,
    &pod_security::rules::CAPABILITIES_RESTRICTED,
    &pod_security::rules::HOST_NAMESPACES,
    &pod_security::rules::HOST_PATH_VOLUMES,
    &pod_security::rules::HOST_PORTS,
    &pod_security::rules::PRIVILEGED,
    &pod_security::rules::PROC_MOUNT,
    &pod_security::rules::RESTRICTED_VOLUMES,
    &pod_security::rules::RUN_AS_NON_ROOT,
    &pod_security::rules::RUN_AS_USER,
    &pod_security::rules::SE_LINUX,
    &pod_security::rules::SECCOMP_BASELINE,
    &pod_security::rules::SECCOMP_RESTRICTED,
    &pod_security::rules::SYSCTLS,
    &pod_security::rules::WINDOWS_HOST_PROCESS,
    &pod_security::rules::NAMESPACE_LABELS,
    &pod_security::rules::EXISTING_PODS,
    &pod_security::rules::EXEMPT_NAMESPACE,
    &pod_security::rules::ADMISSION,
    &deny_external_ips::RULE,
    &service_warnings::RULE,
    &cluster_ips::RULE,
];

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn rules_are_sorted_by_id_and_unique() {
        assert!(RULES.is_sorted_by(|one, other| one.id < other.id));
    }

    #[test]
    fn every_rule_explains_itself() {
        for rule in RULES {
            for text in [rule.demands, rule.why, rule.fix, rule.versions] {
                assert!(text.ends_with(['.', ')']), "{}: {text:?}", rule.id);
            }
            assert!(rule.all_fields().count() > 0, "{} looks at nothing", rule.id);
        }
    }
}
