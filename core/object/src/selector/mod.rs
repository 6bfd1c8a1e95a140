//! Label and field selectors: parsed once, matched against objects.

mod field;
mod label;
mod label_name;
mod label_parse;
mod selectable;

pub use field::{FieldOp, FieldSelector, FieldTerm};
pub use label::{LabelOp, LabelSelector, Requirement};
pub use label_name::{label_key_faults, label_value_faults};
pub use selectable::{FieldSource, SelectableField, scalar_text, selectable};
