//! Generator of the protobuf table: the tag of each field, in the order of the schemas.

use std::fmt::Write;

use crate::error::Error;
use crate::go::Source;
use crate::schema::Type;

const HEAD: &str = "\
//! Protobuf numbers of the fields of Kubernetes v1.36, in the order of the schema's TYPES.
//!
//! Generated, do not edit:
//! `cargo run --manifest-path tools/schemagen/Cargo.toml -- <a checkout of Kubernetes> > core/object/src/proto/v1_36.rs`

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

/// A field's tag, with the numbers of the inlined structs that contain it.
struct FieldTag {
    name: String,
    under: Vec<u8>,
    row: String,
}

/// The whole file.
pub fn file(types: &[Type], source: &mut Source) -> Result<String, Error> {
    let mut out = HEAD.to_owned();
    for (name, id) in [
        ("DELETE_OPTIONS", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"),
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
    let path = ty.id.strip_prefix("io.").ok_or("an id that is not of Kubernetes")?;
    let (package, name) = path.rsplit_once('.').ok_or("an id without a package")?;
    // `k8s.` is the host `k8s.io`; every other dot is a folder.
    let folders = package.strip_prefix("k8s.").ok_or("an id that is not of Kubernetes")?;
    let package = format!("k8s.io/{}", folders.replace('.', "/"));
    let mut field_tags = Vec::new();
    collect(source, &package, name, &[], &mut field_tags)?;

    let mut tags = Vec::new();
    for field in &ty.fields {
        let found = field_tags.iter().find(|field_tag| field_tag.name == field.name);
        let field_tag = found.ok_or_else(|| format!("no Go field for {}", field.name))?;
        let under = match field_tag.under.as_slice() {
            [] => String::new(),
            numbers => format!(".under(&{numbers:?})"),
        };
        tags.push(format!("{}{under}", field_tag.row));
    }
    Ok(tags.join(", "))
}

fn collect(
    source: &mut Source,
    package: &str,
    name: &str,
    under: &[u8],
    field_tags: &mut Vec<FieldTag>,
) -> Result<(), Error> {
    let (package, name) = source.resolve(package, name)?;
    let mut inlined = Vec::new();
    let fields = source.package(&package)?.fields(&name).unwrap_or_default();
    for field in fields {
        if field.name == "-" {
            continue;
        }
        let is_type_meta = name == TYPE_META;
        if field.name.is_empty() {
            inlined.push((field.ty.trim_start_matches('*').to_owned(), field.number));
            continue;
        }
        let row = match field.number {
            _ if is_type_meta => "none()".to_owned(),
            None => return Err(format!("no number for {name}.{}", field.name).into()),
            Some(number) => format!("{}({number}){}", presence(field), union(&field.ty)),
        };
        field_tags.push(FieldTag { name: field.name.clone(), under: under.to_vec(), row });
    }
    for (ty, number) in inlined {
        let is_type_meta = ty.rsplit('.').next() == Some(TYPE_META);
        let mut under = under.to_vec();
        match number {
            Some(number) => under.push(number),
            None if is_type_meta => {}
            None => return Err(format!("no number for {name}.{ty}").into()),
        }
        collect(source, &package, &ty, &under, field_tags)?;
    }
    Ok(())
}

fn presence(field: &crate::go::GoField) -> &'static str {
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
