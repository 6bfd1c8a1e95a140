//! Generator of the topology table: list types, their keys and map types, from the OpenAPI documents of a checkout.

use k8s_openapi::serde_json::{self, Map, Value};
use std::fmt::Write;
use std::path::Path;

use crate::error::Error;
use crate::schema::Type;

const HEAD: &str = "\
//! How the lists and maps of the kinds built into Kubernetes v1.36 merge.
//!
//! Generated, do not edit:
//! `cargo run --manifest-path tools/schemagen/Cargo.toml -- topology <a checkout of Kubernetes> > core/object/src/schema/topology/v1_36.rs`

use super::Topology::*;
use super::{TypeTopology, key, key_or, key_or_int, of};

/// Every type with a marker, sorted by its index.
#[rustfmt::skip]
pub static TOPOLOGIES: &[TypeTopology] = &[
";

const RAW_EXTENSION: &str = "io.k8s.apimachinery.pkg.runtime.RawExtension";

/// The whole file. The published documents are read, not k8s-openapi, which has neither markers nor defaults.
pub fn file(types: &[Type], checkout: &Path) -> Result<String, Error> {
    let schemas = schemas(&checkout.join("api/openapi-spec/v3"))?;
    let mut out = HEAD.to_owned();
    for (index, ty) in types.iter().enumerate() {
        let id = &ty.id;
        let schema = schemas.get(id).ok_or_else(|| format!("no document has {id}"))?;
        let mut rows = Vec::new();
        for field in &ty.fields {
            let property = &schema["properties"][&field.name];
            let marker = marker(property, &schemas);
            let marker = marker.map_err(|error| format!("{id}.{}: {error}", field.name))?;
            rows.extend(marker.map(|marker| (&field.name, marker)));
        }
        let atomic = is_atomic(schema);
        if rows.is_empty() && atomic {
            writeln!(out, "    of({index}, {id:?}, true, &[]),")?;
        } else if !rows.is_empty() {
            writeln!(out, "    of({index}, {id:?}, {atomic}, &[")?;
            for (name, marker) in rows {
                writeln!(out, "        ({name:?}, {marker}),")?;
            }
            out.push_str("    ]),\n");
        }
    }
    out.push_str("];\n");
    Ok(out)
}

/// All schemas of all documents; a schema that several of them have is the same in each.
fn schemas(folder: &Path) -> Result<Map<String, Value>, Error> {
    let mut schemas = Map::new();
    for entry in std::fs::read_dir(folder)? {
        let mut document: Value = serde_json::from_slice(&std::fs::read(entry?.path())?)?;
        if let Value::Object(found) = document["components"]["schemas"].take() {
            schemas.extend(found);
        }
    }
    Ok(schemas)
}

/// The marker of a field as a Rust expression; none if it merges as its type does by default.
fn marker(property: &Value, schemas: &Map<String, Value>) -> Result<Option<String>, Error> {
    if property["type"] == "array" {
        return list(property, schemas);
    }
    let target = reference(property);
    if target == Some(RAW_EXTENSION) {
        return Ok(Some("Opaque".into()));
    }
    let type_is_atomic = target.and_then(|id| schemas.get(id)).is_some_and(is_atomic);
    Ok(match (property["x-kubernetes-map-type"].as_str(), type_is_atomic) {
        (None, _) | (Some("atomic"), true) | (Some("granular"), false) => None,
        (Some("atomic"), false) => Some("Atomic".into()),
        (Some("granular"), true) => Some("Granular".into()),
        (Some(other), _) => return Err(format!("unknown map type {other}").into()),
    })
}

fn list(property: &Value, schemas: &Map<String, Value>) -> Result<Option<String>, Error> {
    let strategy = property["x-kubernetes-patch-strategy"].as_str();
    let merges = matches!(strategy, Some("merge" | "merge,retainKeys"));
    let merge_key = property["x-kubernetes-patch-merge-key"].as_str();
    let keys: Vec<&str> = match (property["x-kubernetes-list-type"].as_str(), merge_key) {
        (Some("atomic"), _) => return Ok(None),
        (Some("set"), _) => return Ok(Some("Set".into())),
        (Some("map"), _) => {
            let keys = property["x-kubernetes-list-map-keys"].as_array();
            keys.ok_or("a map without keys")?.iter().filter_map(Value::as_str).collect()
        }
        (Some(other), _) => return Err(format!("unknown list type {other}").into()),
        // Older types say it with the strategy of their patches only.
        (None, Some(key)) if merges => vec![key],
        (None, None) if merges => return Ok(Some("Set".into())),
        (None, _) => return Ok(None),
    };
    let item = reference(&property["items"]).and_then(|id| schemas.get(id));
    let properties = &item.ok_or("items without a type")?["properties"];
    let keys: Result<Vec<String>, Error> =
        keys.into_iter().map(|name| key(name, &properties[name]["default"])).collect();
    Ok(Some(format!("Map(&[{}])", keys?.join(", "))))
}

fn key(name: &str, default: &Value) -> Result<String, Error> {
    Ok(match default {
        Value::Null => format!("key({name:?})"),
        Value::String(text) => format!("key_or({name:?}, {text:?})"),
        Value::Number(number) => format!("key_or_int({name:?}, {number})"),
        other => return Err(format!("a key with the default {other}").into()),
    })
}

fn is_atomic(schema: &Value) -> bool {
    schema["x-kubernetes-map-type"] == "atomic"
}

/// The id that a schema refers to, also where a description or a default made it the only one of `allOf`.
fn reference(schema: &Value) -> Option<&str> {
    let reference = schema.get("$ref").or_else(|| schema["allOf"].get(0)?.get("$ref"));
    reference?.as_str()?.rsplit('/').next()
}
