//! Every rule: one file and one row each, in the order in which `ratchet explain` lists them.

pub(crate) mod address_families;
pub(crate) mod canonical_form;
pub(crate) mod cidr_spelling;
pub(crate) mod cluster_ips;
pub mod decoding;
pub(crate) mod deny_external_ips;
pub(crate) mod deprecated_api;
pub(crate) mod dns_config;
pub(crate) mod dns_search;
pub(crate) mod except_subset;
pub(crate) mod host_names;
pub(crate) mod immutable;
pub(crate) mod interface_address;
pub(crate) mod ip_spelling;
pub(crate) mod labels;
pub(crate) mod older_words;
pub(crate) mod placement;
pub(crate) mod pod_notes;
pub(crate) mod service_notes;
pub(crate) mod special_ip;
pub(crate) mod value;

use crate::{Rule, pod_security};

/// Every rule, sorted by id.
pub static RULES: &[&Rule] = &[
    &placement::RULE,
    &immutable::RULE,
    &labels::RULE,
    &host_names::RULE,
    &deprecated_api::RULE,
    &pod_notes::RULE,
    &decoding::UNKNOWN_FIELD,
    &decoding::REPEATED_FIELD,
    &decoding::WRONG_TYPE,
    &decoding::UNREADABLE,
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
    &deny_external_ips::RULE,
    &service_notes::RULE,
    &cluster_ips::RULE,
];
