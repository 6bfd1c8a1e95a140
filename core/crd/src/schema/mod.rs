//! Schemas of definitions: `openAPIV3Schema` as it is written, and the violations of structural schemas.

mod complete;
mod decode;
mod dump;
mod equal;
mod props;
pub(crate) mod structural;
mod visit;

pub(crate) use dump::{dump, dump_items, dump_rule};
pub use props::{JsonSchemaProps, SchemaOrArray, SchemaOrBool, SchemaOrStrings, ValidationRule};
pub(crate) use structural::{structural_error, validate_structural};
