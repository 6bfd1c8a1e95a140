//! Type errors of strategic merge patches: the reference restores Go values from a tree there, in words of its own.

use ratchet_object::schema::{Shape, TYPES, TypeRow};

/// The kind of a scalar in Go, and the type it has in a tree.
const SCALARS: &[&str] = &["string", "bool", "int32", "int64", "float64"];

/// Types that read JSON by themselves, with the same words everywhere.
const OWN_READERS: &[&str] =
    &["v1.Time", "v1.MicroTime", "resource.Quantity", "intstr.IntOrString"];

/// The words for a type error that JSON's reader tells as `text`; the same text if there are no others.
pub(super) fn restored(text: String) -> String {
    words(&text).unwrap_or(text)
}

fn words(text: &str) -> Option<String> {
    let rest = text.strip_prefix("json: cannot unmarshal ")?;
    let (found, rest) = rest.split_once(" into Go struct field ")?;
    let (field, wanted) = rest.rsplit_once(" of type ")?;
    if is_int_or_string(field) {
        return Some(format!("json: cannot unmarshal {found} into Go value of type {wanted}"));
    }
    let (found, number) = found.split_once(' ').unwrap_or((found, ""));
    let found = match found {
        "object" => "map",
        "array" => "slice",
        "number" if number.contains(['.', 'e', 'E']) => "float64",
        "number" => "int64",
        other => other,
    };
    Some(match wanted {
        _ if wanted.starts_with("map[") || wanted == "v1.ResourceList" => {
            format!("cannot restore map from {found}")
        }
        _ if wanted.starts_with("[]") => format!("cannot restore slice from {found}"),
        // Go could convert these, but JSON does not.
        "string" if found == "int64" => format!("cannot convert {found} to {wanted}"),
        "int32" | "int64" if found == "float64" => format!("cannot convert {found} to {wanted}"),
        _ if SCALARS.contains(&wanted) => format!("unrecognized type: {wanted}"),
        _ if OWN_READERS.contains(&wanted) || !wanted.contains('.') => return None,
        _ if is_struct(wanted) => format!("cannot restore struct from: {found}"),
        // A text with a name of its own.
        _ if found == "int64" => format!("cannot convert {found} to {wanted}"),
        _ => "unrecognized type: string".to_owned(),
    })
}

/// Whether a field, named with its struct and its path, reads JSON by itself.
fn is_int_or_string(field: &str) -> bool {
    let Some((owner, (_, name))) = field.split_once('.').zip(field.rsplit_once('.')) else {
        return false;
    };
    let mut rows = TYPES.iter().filter(|row| row.name == owner.0).filter_map(|row| row.field(name));
    rows.any(|field| matches!(field.shape, Shape::IntOrString))
}

/// Whether a type, named with its package, is a struct.
fn is_struct(name: &str) -> bool {
    let ends = |row: &TypeRow| row.id.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    TYPES.iter().any(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_restored_from_trees() {
        let at = "into Go struct field X.spec.x of type";
        for (found, wanted, words) in [
            ("string", "map[string]string", "cannot restore map from string"),
            ("array", "v1.ResourceList", "cannot restore map from slice"),
            ("object", "[]v1.Container", "cannot restore slice from map"),
            ("number", "v1.PodSpec", "cannot restore struct from: int64"),
            ("array", "v1.PodSpec", "cannot restore struct from: slice"),
            ("number", "string", "cannot convert int64 to string"),
            ("number", "v1.PodPhase", "cannot convert int64 to v1.PodPhase"),
            ("array", "v1.TolerationOperator", "unrecognized type: string"),
            ("number 1.5", "int32", "cannot convert float64 to int32"),
            ("string", "int32", "unrecognized type: int32"),
            ("bool", "string", "unrecognized type: string"),
        ] {
            assert_eq!(restored(format!("json: cannot unmarshal {found} {at} {wanted}")), words);
        }
        let port = "into Go struct field ServicePort.spec.ports.targetPort of type int32";
        assert_eq!(
            restored(format!("json: cannot unmarshal array {port}")),
            "json: cannot unmarshal array into Go value of type int32"
        );
        for same in
            ["json: cannot unmarshal number into Go struct field X.x of type v1.Time", "odd"]
        {
            assert_eq!(restored(same.to_owned()), same);
        }
    }
}
