//! What Go calls the types of fields, and the embedded structs on the way to a field: errors of its decoder name both.

mod v1_36;

use crate::path::Step;
use crate::schema::{self, Shape, TypeRow};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A field: its name in JSON, its type in Go (empty where the shape tells it), and the embedded structs that have it.
type FieldRow = (&'static str, &'static str, &'static str);

fn field_row(row: &TypeRow, name: &str) -> Option<&'static FieldRow> {
    let index = v1_36::TYPES.binary_search_by(|(id, _)| (*id).cmp(row.id)).ok()?;
    let (_, fields) = v1_36::TYPES.get(index)?;
    fields.iter().find(|(field, ..)| *field == name)
}

/// The fields of the struct that every kind embeds.
const TYPE_META: [&str; 2] = ["apiVersion", "kind"];

/// The fields on the way to a value as Go's decoder lists them: with the embedded structs in between.
pub(crate) fn field_path(fields: &[(&TypeRow, &str)]) -> String {
    let mut names = Vec::with_capacity(fields.len());
    for (depth, (row, name)) in fields.iter().enumerate() {
        // Kinds inside others, as claims in a StatefulSet: the version and kind of the whole are read on their own.
        if depth > 0 && TYPE_META.contains(name) && row.field("metadata").is_some() {
            names.push("TypeMeta");
        }
        if let Some((_, _, embedded)) = field_row(row, name).filter(|field| !field.2.is_empty()) {
            names.push(*embedded);
        }
        names.push(name);
    }
    names.join(".")
}

/// The Go type of a value: of a field, or of what stands `below` it in lists and maps.
pub(crate) fn value_type(field: (&TypeRow, &str), below: &[Step<'_>], shape: &Shape) -> String {
    let Some((_, name, _)) = field_row(field.0, field.1).filter(|field| !field.1.is_empty()) else {
        return shape_type(shape);
    };
    let mut name = *name;
    for _ in below {
        name = match name.strip_prefix("[]") {
            Some(item) => item,
            None => match name.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
                Some((_, value)) => value,
                // What a named list or map holds is known by its shape alone.
                None => return shape_type(shape),
            },
        };
    }
    name.into()
}

/// The Go type of a shape.
fn shape_type(shape: &Shape) -> String {
    match shape {
        // Times are texts that are parsed afterwards.
        Shape::String | Shape::Time | Shape::MicroTime => "string".into(),
        Shape::Bytes => "[]uint8".into(),
        // What is no text is read as a number.
        Shape::Int32 | Shape::IntOrString => "int32".into(),
        Shape::Int64 => "int64".into(),
        Shape::Float => "float64".into(),
        Shape::Bool => "bool".into(),
        Shape::Quantity => "resource.Quantity".into(),
        Shape::Any | Shape::OneOf(_) => "interface {}".into(),
        Shape::Object(ty) => struct_type(schema::type_of(*ty)),
        Shape::List(inner) => format!("[]{}", shape_type(inner)),
        Shape::Map(inner) => format!("map[string]{}", shape_type(inner)),
    }
}

/// A struct with its package, which is named after the version of the API.
fn struct_type(row: &TypeRow) -> String {
    let package = row.id.rsplit('.').nth(1).unwrap_or("v1");
    format!("{package}.{}", row.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str) -> &'static TypeRow {
        schema::type_of(schema::type_index(id).expect(id))
    }

    #[test]
    fn types_and_their_fields_exist() {
        assert!(v1_36::TYPES.is_sorted_by(|one, other| one.0 < other.0));
        for (id, fields) in v1_36::TYPES {
            for (name, ..) in *fields {
                assert!(row(id).field(name).is_some(), "{id} {name}");
            }
        }
    }

    #[test]
    fn named_types_are_named() {
        let spec = row("io.k8s.api.core.v1.PersistentVolumeClaimSpec");
        let modes = (spec, "accessModes");
        let shape = Shape::List(&Shape::String);
        assert_eq!(value_type(modes, &[], &shape), "[]v1.PersistentVolumeAccessMode");
        let item = [Step::Index(0)];
        assert_eq!(value_type(modes, &item, &Shape::String), "v1.PersistentVolumeAccessMode");
        let requirements = (row("io.k8s.api.core.v1.ResourceRequirements"), "limits");
        let shape = Shape::Map(&Shape::Quantity);
        assert_eq!(value_type(requirements, &[], &shape), "v1.ResourceList");
        let key = [Step::Key("cpu")];
        assert_eq!(value_type(requirements, &key, &Shape::Quantity), "resource.Quantity");
        assert_eq!(value_type((spec, "volumeName"), &[], &Shape::String), "string");
        // In v1beta1 it is an alias, which Go does not know by its own name.
        let policy = row("io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicySpec");
        let alias = (policy, "reinvocationPolicy");
        assert_eq!(value_type(alias, &[], &Shape::String), "v1.ReinvocationPolicyType");
    }

    #[test]
    fn embedded_structs_stand_in_the_path() {
        let path = [
            (row("io.k8s.api.core.v1.Volume"), "configMap"),
            (row("io.k8s.api.core.v1.ConfigMapVolumeSource"), "name"),
        ];
        assert_eq!(field_path(&path), "VolumeSource.configMap.LocalObjectReference.name");
    }
}
