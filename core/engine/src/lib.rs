//! Validation and admission of a proposed change, from `Change` to `Verdict`: no I/O, no clock, no locks, no async.
//!
//! ```
//! use ratchet_engine::{ApiConfig, Behavior, Change, Facts, Release, Status, judge};
//! use ratchet_object::{Limits, Object, decode};
//!
//! let text = "{apiVersion: v1, kind: Service, metadata: {name: web},
//!     spec: {ports: [{port: 80}], clusterIP: 010.0.0.1}}";
//! let object = Object::new(decode(text, Limits::DEFAULT).unwrap().documents.remove(0));
//! let change = Change::create(&object).unwrap();
//! let config = ApiConfig::of(Release::REFERENCE, Behavior::Proposal);
//! let verdict = judge(&change, &Facts::default(), &config);
//! let status = Status::of(&verdict, &change).unwrap();
//! assert_eq!((status.code, status.reason), (422, "Invalid"));
//! assert!(status.causes.iter().any(|cause| cause.field.starts_with("spec.clusterIP")));
//! ```
#![no_std]
extern crate alloc;

mod change;
mod composed_names;
mod config;
mod context;
mod cron;
mod difference;
mod exception;
mod external_ips;
mod facts;
mod field_errors;
mod fields;
mod format_value;
pub mod gates;
mod internal;
mod judge;
mod name_format;
pub mod pod_security;
mod release;
mod rule;
pub mod rules;
mod selectors;
mod status;
mod time_zones;
mod unified_diff;
mod validation;
mod verdict;
mod views;

/// The field error API for checks in other crates: CEL expressions of policies need an evaluator that the engine does
/// not depend on.
pub mod field_validation {
    pub use crate::context::ValidationContext;
    pub use crate::field_errors::{
        FieldErrors, deprecation_warning, error_at_path, format_node, metadata_warning,
        warning_at_path,
    };
    pub use crate::format_value::{
        list as format_list, tree as format_tree, typed_string as format_string,
    };
    pub use crate::name_format::{NameFormat, faults as name_format_faults};
    pub use crate::rules::metadata::check_embedded as check_embedded_metadata;
    pub use crate::selectors::check as check_selector;
}

pub use change::{Change, Part, Step, StoredValues};
pub use config::{ApiConfig, Behavior, Plugins};
pub use difference::{Choice, DIFFERENCES, Difference};
pub use exception::Exception;
pub use external_ips::ExternalIpAllowance;
pub use facts::{EXISTING_PODS_BUDGET, Existing, Facts, Namespace, Needs};
pub use fields::{Class, FIELDS, Field};
pub use gates::{GATES, Gate, GateError, Gates, KUBELET_CERT_CN, Stage};
pub use judge::{judge, needs};
pub use release::{Release, UnknownRelease};
pub use rule::{Origin, Ratchet, Rule};
pub use rules::RULES;
pub use rules::deprecated_api::deprecation;
pub use rules::names::demands_version;
pub use status::{Status, StatusCause, aggregate, warning_headers, warning_texts};
pub use validation::{EXACT_FIELDS, is_allocatable};
pub use verdict::{Cause, Denial, FieldError, Label, MOST_LISTED, Verdict, Warning};
