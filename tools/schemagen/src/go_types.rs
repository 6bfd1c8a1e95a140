//! Generator of the table of Go types: the type of each field whose schema does not tell it, and the structs that embed it.

use std::fmt::Write;

use crate::error::Error;
use crate::go::{FlatField, Source, type_of};
use crate::schema::{Shape, Type};

const HEAD: &str = "\
//! The Go types of fields where the schema does not tell them, for the types of Kubernetes v1.36.
//!
//! Generated, do not edit:
//! `cargo run --manifest-path tools/schemagen/Cargo.toml -- go-types <a checkout of Kubernetes> > core/object/src/go_types/v1_36.rs`

use super::FieldRow;

/// Types by their names, sorted, each with its fields.
#[rustfmt::skip]
pub(super) static TYPES: &[(&str, &[FieldRow])] = &[
";

/// Embedded in every kind; what decodes an object has read its fields before.
const TYPE_META: &str = "TypeMeta";

/// The whole file.
pub fn file(types: &[Type], source: &mut Source) -> Result<String, Error> {
    let mut out = HEAD.to_owned();
    for ty in types {
        let rows = rows(ty, source).map_err(|error| format!("{}: {error}", ty.id))?;
        if rows.is_empty() {
            continue;
        }
        writeln!(out, "    ({:?}, &[", ty.id)?;
        for row in rows {
            writeln!(out, "        {row},")?;
        }
        out.push_str("    ]),\n");
    }
    out.push_str("];\n");
    Ok(out)
}

fn rows(ty: &Type, source: &mut Source) -> Result<Vec<String>, Error> {
    let (package, name) = type_of(&ty.id)?;
    let go_fields = source.flat_fields(&package, &name)?;
    let mut rows = Vec::new();
    for field in &ty.fields {
        let found = go_fields.iter().find(|go_field| go_field.field.json == field.name);
        let go_field = found.ok_or_else(|| format!("no Go field for {}", field.name))?;
        let FlatField { field: declared, holder, package, under } = go_field;
        if holder == TYPE_META {
            continue;
        }
        let of_shape = shape_type(&field.shape);
        let of_field = field_type(&declared.ty, package, &field.shape, source)?;
        let go_type = if of_field == of_shape { String::new() } else { of_field };
        let embedded: Vec<&str> = under.iter().map(|field| field.name.as_str()).collect();
        let embedded = embedded.join(".");
        if !go_type.is_empty() || !embedded.is_empty() {
            rows.push(format!("({:?}, {go_type:?}, {embedded:?})", field.name));
        }
    }
    Ok(rows)
}

/// The type of a field that is declared in a package, as Go prints it: each name with its package.
fn field_type(
    ty: &str,
    package: &str,
    shape: &Shape,
    source: &mut Source,
) -> Result<String, Error> {
    if let Some(inner) = ty.strip_prefix('*') {
        return field_type(inner, package, shape, source);
    }
    let map = ty.strip_prefix("map[").and_then(|rest| rest.split_once(']'));
    Ok(match (shape, ty.strip_prefix("[]"), map) {
        // The decoder of these names what it reads, and not the type.
        (
            Shape::OneOf(_) | Shape::Leaf("Any" | "Bytes" | "IntOrString" | "MicroTime" | "Time"),
            ..,
        ) => shape_type(shape),
        // A list that is no list is told before any of its items.
        (Shape::List(shape), Some(item), _) if matches!(**shape, Shape::Leaf("Any")) => {
            format!("[]{}", source.type_name(package, item)?)
        }
        (Shape::List(shape), Some(item), _) => {
            format!("[]{}", field_type(item, package, shape, source)?)
        }
        (Shape::Map(shape), _, Some((key, value))) => {
            let value = field_type(value, package, shape, source)?;
            format!("map[{}]{value}", source.type_name(package, key)?)
        }
        _ => source.type_name(package, ty)?,
    })
}

/// The type that `core/object/src/go_types.rs` has for a shape.
fn shape_type(shape: &Shape) -> String {
    match shape {
        Shape::OneOf(_) | Shape::Leaf("Any") => "interface {}".into(),
        Shape::Leaf("Bool") => "bool".into(),
        Shape::Leaf("Bytes") => "[]uint8".into(),
        Shape::Leaf("Float") => "float64".into(),
        Shape::Leaf("Int64") => "int64".into(),
        Shape::Leaf("Int32" | "IntOrString") => "int32".into(),
        Shape::Leaf("Quantity") => "resource.Quantity".into(),
        Shape::Leaf(_) => "string".into(),
        Shape::Object(id) => {
            let mut names = id.rsplit('.');
            let (name, package) = (names.next().unwrap_or(id), names.next().unwrap_or_default());
            format!("{package}.{name}")
        }
        Shape::List(inner) => format!("[]{}", shape_type(inner)),
        Shape::Map(inner) => format!("map[string]{}", shape_type(inner)),
    }
}
