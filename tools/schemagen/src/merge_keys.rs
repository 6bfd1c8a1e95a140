//! Generator of the table of patch strategies: the struct tags of each field that has one.

use std::fmt::Write;

use crate::error::Error;
use crate::go::{Source, type_of};
use crate::schema::Type;

const HEAD: &str = "\
//! The patch strategies of the fields of Kubernetes v1.36.
//!
//! Generated, do not edit:
//! `cargo run --manifest-path tools/schemagen/Cargo.toml -- merge-keys <a checkout of Kubernetes> > core/object/src/patch/merge_keys/v1_36.rs`

use super::{MergeRow, row};

/// Every field of the built-in kinds with a rule, sorted by type and field.
#[rustfmt::skip]
pub static MERGE_RULES: &[MergeRow] = &[
";

/// The whole file.
pub fn file(types: &[Type], source: &mut Source) -> Result<String, Error> {
    let mut out = HEAD.to_owned();
    for ty in types {
        let (package, name) = type_of(&ty.id)?;
        let go_fields = source.flat_fields(&package, &name)?;
        // The schema's fields are sorted, and leave out those that are never sent.
        for field in &ty.fields {
            let found = go_fields.iter().find(|go_field| go_field.field.json == field.name);
            let go_field =
                &found.ok_or_else(|| format!("{}: no Go field for {}", ty.id, field.name))?.field;
            let (strategy, key) = (&go_field.patch_strategy, &go_field.merge_key);
            if !strategy.is_empty() {
                writeln!(out, "    row({:?}, {:?}, {strategy:?}, {key:?}),", ty.id, field.name)?;
            }
        }
    }
    out.push_str("];\n");
    Ok(out)
}
