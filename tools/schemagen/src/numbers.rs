//! Generator of the protobuf table: the tag of each field, in the order of the schemas.

use std::fmt::Write;

use crate::error::Error;
use crate::go::{FlatField, GoField, Source, type_of};
use crate::schema::Type;

const HEAD: &str = "\
//! Protobuf numbers of the fields of Kubernetes v1.36, in the order of the schema's TYPES.
//!
//! Generated, do not edit:
//! `cargo run --manifest-path tools/schemagen/Cargo.toml -- proto <a checkout of Kubernetes> > core/object/src/proto/v1_36.rs`

use super::table::Union::*;
use super::table::{Tag, always, empty, none, nullable, pointer, zero};
";

/// Inlined by every kind; protobuf has its fields in the envelope instead.
const TYPE_META: &str = "TypeMeta";

/// Unions in the schemas of custom resources, by their Go type.
const UNIONS: &[(&str, &str)] = &[
    ("JSONSchemaPropsOrArray", "SchemaOrSchemas"),
    ("JSONSchemaPropsOrBool", "BoolOrSchema"),
    ("JSONSchemaDependencies", "SchemaOrTexts"), // a map of JSONSchemaPropsOrStringArray
];

/// The whole file.
pub fn file(types: &[Type], source: &mut Source) -> Result<String, Error> {
    let mut out = HEAD.to_owned();
    for (name, id) in [
        ("DELETE_OPTIONS", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"),
        ("OBJECT_META", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
        ("SCHEMA", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"),
    ] {
        let index = types.iter().position(|ty| ty.id == id).ok_or_else(|| format!("no {id}"))?;
        let last = id.rsplit('.').next().unwrap_or(id);
        writeln!(out, "\n/// The place of {last} in TYPES.")?;
        writeln!(out, "pub(super) const {name}: u16 = {index};")?;
    }
    out.push_str(
        "\n/// One row for each type, one tag for each of its fields.\n#[rustfmt::skip]\n",
    );
    out.push_str("pub(super) static TAGS: &[&[Tag]] = &[\n");
    for (index, ty) in types.iter().enumerate() {
        let row = row(ty, source).map_err(|error| format!("{}: {error}", ty.id))?;
        let name = ty.id.rsplit('.').next().unwrap_or(&ty.id);
        writeln!(out, "    /* {index} {name} */ &[{row}],")?;
    }
    out.push_str("];\n");
    Ok(out)
}

fn row(ty: &Type, source: &mut Source) -> Result<String, Error> {
    let (package, name) = type_of(&ty.id)?;
    let go_fields = source.flat_fields(&package, &name)?;
    let mut tags = Vec::new();
    for field in &ty.fields {
        let found = go_fields.iter().find(|go_field| go_field.field.json == field.name);
        let go_field = found.ok_or_else(|| format!("no Go field for {}", field.name))?;
        tags.push(tag(go_field)?);
    }
    Ok(tags.join(", "))
}

/// A field's tag, with the numbers of the inlined structs that contain it.
fn tag(go_field: &FlatField) -> Result<String, Error> {
    let FlatField { field, holder, under, .. } = go_field;
    if holder == TYPE_META {
        return Ok("none()".to_owned());
    }
    let number_of = |field: &GoField| {
        field.number.ok_or_else(|| Error::from(format!("no number for {holder}.{}", field.name)))
    };
    let number = number_of(field)?;
    let under: Vec<u8> = under.iter().map(number_of).collect::<Result<_, _>>()?;
    let under = match under.as_slice() {
        [] => String::new(),
        numbers => format!(".under(&{numbers:?})"),
    };
    Ok(format!("{}({number}){}{under}", presence(field), union(&field.ty)))
}

fn presence(field: &GoField) -> &'static str {
    match (field.ty.starts_with('*'), field.omit_zero, field.omit_empty) {
        (true, false, false) => "nullable",
        (true, ..) => "pointer",
        (_, true, _) => "zero",
        (_, _, true) => "empty",
        _ => "always",
    }
}

fn union(ty: &str) -> String {
    let ty = ty.trim_start_matches('*');
    let found = UNIONS.iter().find(|(name, _)| *name == ty);
    found.map_or_else(String::new, |(_, union)| format!(".or({union})"))
}
