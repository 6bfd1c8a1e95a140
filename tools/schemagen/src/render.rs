//! Writes kinds and types as Rust source.

use std::collections::HashMap;
use std::fmt::Write;

use crate::Error;
use crate::kinds::Kind;
use crate::schema::{Field, Shape, Type};

const HEAD: &str = "\
//! The schemas of the kinds built into Kubernetes v1.36.
//!
//! Generated, do not edit:
//! `cargo run --manifest-path tools/schemagen/Cargo.toml > core/object/src/schema/v1_36.rs`

use super::Shape::*;
use super::{KindRow, TypeRow, opt, req};
";

/// Where each type stands in the table, by id.
type Places<'a> = HashMap<&'a str, u16>;

/// The whole file.
pub fn file(kinds: &[Kind], types: &[Type]) -> Result<String, Error> {
    let mut places = Places::new();
    for (place, ty) in types.iter().enumerate() {
        places.insert(&ty.id, u16::try_from(place)?);
    }

    let mut out = HEAD.to_owned();
    out.push_str("\n/// All object types, sorted by id.\n#[rustfmt::skip]\n");
    out.push_str("pub static TYPES: &[TypeRow] = &[\n");
    for ty in types {
        type_row(&mut out, ty, &places)?;
    }
    out.push_str("];\n\n/// All kinds, sorted by group, version and kind.\n#[rustfmt::skip]\n");
    out.push_str("pub static KINDS: &[KindRow] = &[\n");
    for kind in kinds {
        kind_row(&mut out, kind, &places)?;
    }
    out.push_str("];\n");
    Ok(out)
}

fn type_row(out: &mut String, ty: &Type, places: &Places) -> Result<(), Error> {
    let Type { id, fields } = ty;
    // The place is in a comment so that a reader can follow `Object(n)` with a search.
    let place = place(places, id)?;
    let name = short(id);
    writeln!(out, "    /* {place} */ TypeRow {{ name: {name:?}, id: {id:?}, fields: &[")?;
    for field in fields {
        field_row(out, field, places)?;
    }
    out.push_str("    ] },\n");
    Ok(())
}

fn field_row(out: &mut String, field: &Field, places: &Places) -> Result<(), Error> {
    let make = if field.required { "req" } else { "opt" };
    let shape = expression(&field.shape, places)?;
    write!(out, "        {make}({:?}, {shape}),", field.name)?;
    match object_in(&field.shape) {
        Some(id) => writeln!(out, " // {}", short(id))?,
        None => writeln!(out)?,
    }
    Ok(())
}

fn kind_row(out: &mut String, row: &Kind, places: &Places) -> Result<(), Error> {
    let Kind { group, version, kind, id, namespaced, subresource, plural } = row;
    let ty = place(places, id)?;
    writeln!(
        out,
        "    KindRow {{ group: {group:?}, version: {version:?}, kind: {kind:?}, ty: {ty}, \
         namespaced: {namespaced}, subresource: {subresource}, plural: {plural:?} }},"
    )?;
    Ok(())
}

/// A shape as a Rust expression.
fn expression(shape: &Shape, places: &Places) -> Result<String, Error> {
    Ok(match shape {
        Shape::Leaf(variant) => (*variant).to_owned(),
        Shape::Object(id) => format!("Object({})", place(places, id)?),
        Shape::List(inner) => format!("List(&{})", expression(inner, places)?),
        Shape::Map(inner) => format!("Map(&{})", expression(inner, places)?),
    })
}

/// The id of the object type a shape leads to, for the comment beside its number.
fn object_in(shape: &Shape) -> Option<&str> {
    match shape {
        Shape::Leaf(_) => None,
        Shape::Object(id) => Some(id),
        Shape::List(inner) | Shape::Map(inner) => object_in(inner),
    }
}

fn place(places: &Places, id: &str) -> Result<u16, Error> {
    Ok(*places.get(id).ok_or_else(|| format!("no definition of {id}"))?)
}

/// The last segment of an id: the name the type has in Go.
fn short(id: &str) -> &str {
    id.rsplit('.').next().unwrap_or(id)
}
