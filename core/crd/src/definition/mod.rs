//! Definitions: a typed view of them, their conditions, and what their writes do besides.

mod approval;
mod conditions;
mod discovery;
mod prepare;
mod read;
mod sync;
mod types;
mod version_order;

pub use approval::APPROVED_ANNOTATION;
pub(crate) use approval::{ApprovalState, approval, is_protected_group};
pub use conditions::{
    NamesReview, Termination, approval_condition, established_condition, review_names,
    set_condition, structural_condition, terminating_condition,
};
pub use discovery::ApiResource;
pub(crate) use prepare::stored_versions;
pub use prepare::{
    CLEANUP_FINALIZER, prepare_for_create, prepare_for_delete, prepare_for_status_update,
    prepare_for_update,
};
pub use sync::sync_status;
pub use types::{
    Column, Condition, ConditionStatus, Conversion, ConversionWebhook, CustomResourceDefinition,
    DefinitionVersion, Names, Scale, Scope, ServiceReference,
};
pub use version_order::compare_versions;
