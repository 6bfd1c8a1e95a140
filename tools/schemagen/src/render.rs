//! Generator of the schema table: kinds and types as Rust source.

use std::collections::HashMap;
use std::fmt::Write;

use crate::error::Error;
use crate::kinds::Kind;
use crate::schema::{Field, Shape, Type};

const HEAD: &str = "\
//! The schemas of the kinds built into Kubernetes v1.36.
//!
//! Generated, do not edit:
//! `cargo run --manifest-path tools/schemagen/Cargo.toml -- schema > core/object/src/schema/v1_36.rs`

use super::Shape::*;
use super::{KindRow, TypeRow, opt, req};
";

/// The index of each type in the table, by id.
type TypeIndex<'a> = HashMap<&'a str, u16>;

/// The whole file.
pub fn file(kinds: &[Kind], types: &[Type]) -> Result<String, Error> {
    let mut type_index = TypeIndex::new();
    for (index, ty) in types.iter().enumerate() {
        type_index.insert(&ty.id, u16::try_from(index)?);
    }

    let mut out = HEAD.to_owned();
    out.push_str("\n/// All object types, sorted by id.\n#[rustfmt::skip]\n");
    out.push_str("pub static TYPES: &[TypeRow] = &[\n");
    for ty in types {
        type_row(&mut out, ty, &type_index)?;
    }
    out.push_str("];\n\n/// All kinds, sorted by group, version and kind.\n#[rustfmt::skip]\n");
    out.push_str("pub static KINDS: &[KindRow] = &[\n");
    for kind in kinds {
        kind_row(&mut out, kind, &type_index)?;
    }
    out.push_str("];\n");
    Ok(out)
}

fn type_row(out: &mut String, ty: &Type, type_index: &TypeIndex) -> Result<(), Error> {
    let Type { id, fields } = ty;
    // The index is in a comment so that a reader can follow `Object(n)` with a search.
    let index = index_of(type_index, id)?;
    let name = short(id);
    writeln!(out, "    /* {index} */ TypeRow {{ name: {name:?}, id: {id:?}, fields: &[")?;
    for field in fields {
        field_row(out, field, type_index)?;
    }
    out.push_str("    ] },\n");
    Ok(())
}

fn field_row(out: &mut String, field: &Field, type_index: &TypeIndex) -> Result<(), Error> {
    let make = if field.required { "req" } else { "opt" };
    let shape = expression(&field.shape, type_index)?;
    write!(out, "        {make}({:?}, {shape}),", field.name)?;
    match object_in(&field.shape) {
        Some(id) => writeln!(out, " // {}", short(id))?,
        None => writeln!(out)?,
    }
    Ok(())
}

fn kind_row(out: &mut String, row: &Kind, type_index: &TypeIndex) -> Result<(), Error> {
    let Kind { group, version, kind, id, namespaced, subresource, plural } = row;
    let ty = index_of(type_index, id)?;
    writeln!(
        out,
        "    KindRow {{ group: {group:?}, version: {version:?}, kind: {kind:?}, ty: {ty}, \
         namespaced: {namespaced}, subresource: {subresource}, plural: {plural:?} }},"
    )?;
    Ok(())
}

/// A shape as a Rust expression.
fn expression(shape: &Shape, type_index: &TypeIndex) -> Result<String, Error> {
    Ok(match shape {
        Shape::Leaf(variant) => (*variant).to_owned(),
        Shape::Object(id) => format!("Object({})", index_of(type_index, id)?),
        Shape::List(inner) => format!("List(&{})", expression(inner, type_index)?),
        Shape::Map(inner) => format!("Map(&{})", expression(inner, type_index)?),
        Shape::OneOf(shapes) => {
            let shapes: Result<Vec<_>, _> =
                shapes.iter().map(|shape| expression(shape, type_index)).collect();
            format!("OneOf(&[{}])", shapes?.join(", "))
        }
    })
}

/// The id of the object type that a shape contains, for the comment next to its index.
fn object_in(shape: &Shape) -> Option<&str> {
    match shape {
        Shape::Leaf(_) => None,
        Shape::Object(id) => Some(id),
        Shape::List(inner) | Shape::Map(inner) => object_in(inner),
        Shape::OneOf(shapes) => shapes.iter().find_map(object_in),
    }
}

fn index_of(type_index: &TypeIndex, id: &str) -> Result<u16, Error> {
    Ok(*type_index.get(id).ok_or_else(|| format!("no definition of {id}"))?)
}

/// The last segment of an id: the name the type has in Go.
fn short(id: &str) -> &str {
    id.rsplit('.').next().unwrap_or(id)
}
