//! Generator of the list of internal types: the Go names and types of their fields, with the JSON names of v1.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::error::Error;
use crate::go::{FlatField, Source};

const HEAD: &str = "\
# Internal Go types of Kubernetes v1.36, one per line: the name, then `GoName=jsonName:type` for each field.
# Generated, do not edit:
# `cargo run --manifest-path tools/schemagen/Cargo.toml -- internal-types <a checkout of Kubernetes> > core/engine/src/internal.txt`
";

/// A group: its internal package, its versioned one, and the types of it that errors print; those that they contain are
/// listed with them.
struct Group {
    internal: &'static str,
    versioned: &'static str,
    roots: &'static [&'static str],
}

const GROUPS: [Group; 5] = [
    Group {
        internal: "k8s.io/kubernetes/pkg/apis/core",
        versioned: "k8s.io/api/core/v1",
        roots: &[
            "EventSource",
            "PersistentVolumeSource",
            "PodTemplateSpec",
            "ScopeSelector",
            "ServicePort",
            "VolumeNodeAffinity",
        ],
    },
    Group {
        internal: "k8s.io/kubernetes/pkg/apis/batch",
        versioned: "k8s.io/api/batch/v1",
        roots: &["PodFailurePolicy", "SuccessPolicy"],
    },
    Group {
        internal: "k8s.io/kubernetes/pkg/apis/resource",
        versioned: "k8s.io/api/resource/v1",
        roots: &[
            "AllocationResult",
            "DeviceAttribute",
            "ResourceClaimSpec",
            "ResourceClaimTemplateSpec",
        ],
    },
    Group {
        internal: "k8s.io/kubernetes/pkg/apis/resource",
        versioned: "k8s.io/api/resource/v1alpha3",
        roots: &["ResourcePoolStatusRequestStatus"],
    },
    Group {
        internal: "k8s.io/kubernetes/pkg/apis/certificates",
        versioned: "k8s.io/api/certificates/v1beta1",
        roots: &["PodCertificateRequestSpec"],
    },
];

/// Where v1 has the fields that the internal type of this name holds, if it is not the same type.
const MOVED: (&str, &str) = ("PodSecurityContext", "PodSpec");

/// Embedded without a name; its fields are the same in every type.
const OBJECT_META: &str = "ObjectMeta";

/// The whole file.
pub fn file(source: &mut Source) -> Result<String, Error> {
    let mut rows: BTreeMap<String, String> = BTreeMap::new();
    for group in GROUPS {
        let mut waiting: Vec<String> = group.roots.iter().map(|name| (*name).to_owned()).collect();
        while let Some(name) = waiting.pop() {
            if rows.contains_key(&name) {
                continue;
            }
            let fields = fields(&name, &group, source, &mut waiting)
                .map_err(|error| format!("{name}: {error}"))?;
            rows.insert(name, fields);
        }
    }
    let mut out = HEAD.to_owned();
    for (name, fields) in rows {
        writeln!(out, "{name}{fields}")?;
    }
    Ok(out)
}

/// The fields of a type, each after a space; the names of structs in it go to `waiting`.
fn fields(
    name: &str,
    group: &Group,
    source: &mut Source,
    waiting: &mut Vec<String>,
) -> Result<String, Error> {
    let internal = source.flat_fields(group.internal, name)?;
    if internal.is_empty() {
        return Err("no struct with fields".into());
    }
    let mut versioned = source.flat_fields(group.versioned, name)?;
    if name == MOVED.0 {
        versioned.extend(source.flat_fields(group.versioned, MOVED.1)?);
    }
    let mut out = String::new();
    for FlatField { field, holder, .. } in &internal {
        if holder == OBJECT_META {
            if !out.ends_with(" @meta") {
                out.push_str(" @meta");
            }
            continue;
        }
        let same = versioned.iter().find(|other| other.field.name == field.name);
        let json = &same.ok_or_else(|| format!("v1 has no {}", field.name))?.field.json;
        let shape = shape(&field.ty, group, source, waiting)?;
        write!(out, " {}={json}:{shape}", field.name)?;
    }
    Ok(out)
}

/// A Go type as `core/engine/src/internal.rs` reads it.
fn shape(
    ty: &str,
    group: &Group,
    source: &mut Source,
    waiting: &mut Vec<String>,
) -> Result<String, Error> {
    if let Some(inner) = ty.strip_prefix('*') {
        return Ok(format!("*{}", shape(inner, group, source, waiting)?));
    }
    if ty == "[]byte" {
        return Ok("x".to_owned());
    }
    if let Some(item) = ty.strip_prefix("[]") {
        return Ok(format!("[{}]", shape(item, group, source, waiting)?));
    }
    let plain = match ty {
        "ResourceList" | "map[QualifiedName]resource.Quantity" => "Q",
        "runtime.RawExtension" | "metav1.Condition" => "x",
        "api.PodConditionType"
        | "api.ConditionStatus"
        | "metav1.Time"
        | "types.UID"
        | "types.NodeName" => "s",
        "intstr.IntOrString" => "p",
        "map[string]string" => "map",
        "metav1.LabelSelector" => "sel",
        "resource.Quantity" => "q",
        // Listed with the types of the core group.
        "core.NodeSelector" => "NodeSelector",
        _ => match source.resolve(group.internal, ty)?.1.as_str() {
            "bool" => "b",
            "int" | "int32" | "int64" => "i",
            "string" => "s",
            _ if ty.chars().all(char::is_alphanumeric) => {
                waiting.push(ty.to_owned());
                ty
            }
            // Stopping beats guessing: a wrong shape would print a wrong message.
            _ => return Err(format!("no shape for {ty}").into()),
        },
    };
    Ok(plain.to_owned())
}
