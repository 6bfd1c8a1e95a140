//! Field paths against the schemas of the built-in kinds.

use super::step::{FieldPath, Step};
use ratchet_object::schema::{KINDS, Shape, TYPES, type_of};

/// Whether a path exists: in the kind that is named with it, else in any type, since code that is handed a part of an
/// object names paths from there.
pub(super) fn has(path: &FieldPath<'_>) -> bool {
    let mut steps = path.steps.as_slice();
    while let Some((Step::Item, rest)) = steps.split_first() {
        steps = rest;
    }
    let has_type = |index: u16| leads(&Shape::Object(index), steps, path.is_text);
    match path.kind {
        Some(kind) => KINDS.iter().filter(|row| row.kind == kind).any(|row| has_type(row.ty)),
        None => (0..TYPES.len()).filter_map(|index| u16::try_from(index).ok()).any(has_type),
    }
}

/// Whether a text is the name of a kind.
pub(super) fn is_kind(text: &str) -> bool {
    KINDS.iter().any(|row| row.kind == text)
}

fn leads(shape: &Shape, steps: &[Step<'_>], is_text: bool) -> bool {
    let Some((step, rest)) = steps.split_first() else { return true };
    match shape {
        Shape::Any | Shape::OneOf(_) => true,
        Shape::Map(inner) => (is_text || *step != Step::Item) && leads(inner, rest, is_text),
        Shape::List(inner) => match step {
            Step::Item => leads(inner, rest, is_text),
            Step::Any if is_text => leads(inner, rest, is_text),
            _ => is_text && leads(inner, steps, is_text),
        },
        Shape::Object(index) => match step {
            Step::Name(name) => {
                type_of(*index).field(name).is_some_and(|field| leads(&field.shape, rest, is_text))
            }
            Step::Any => {
                type_of(*index).fields.iter().any(|field| leads(&field.shape, rest, is_text))
            }
            Step::Item => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Step::{Any, Item, Name};

    fn is_known(steps: &[Step<'static>], is_text: bool, kind: Option<&'static str>) -> bool {
        has(&FieldPath { steps: steps.to_vec(), line: 1, is_text, kind })
    }

    #[test]
    fn a_path_begins_at_any_type() {
        for steps in [
            &[Name("spec"), Name("clusterIPs")][..],
            &[Name("clusterIPs")],
            &[Name("securityContext"), Name("capabilities"), Name("add"), Item],
            &[Name("metadata"), Name("labels"), Name("anything")],
            &[Name("spec"), Any, Item, Name("image")],
            &[Item, Name("containerPort")],
        ] {
            assert!(is_known(steps, false, None), "{steps:?}");
        }
        for steps in [
            &[Name("spec"), Name("clusterIps")][..],
            &[Name("metadata"), Name("lables")],
            &[Name("spec"), Name("containers"), Name("image")],
            &[Name("spec"), Name("nodeName"), Item],
            &[Name("image"), Name("name")],
        ] {
            assert!(!is_known(steps, false, None), "{steps:?}");
        }
    }

    #[test]
    fn a_path_of_a_kind_must_be_in_that_kind() {
        let path = [Name("spec"), Name("clusterIPs"), Item];
        assert!(is_known(&path, true, Some("Service")));
        assert!(!is_known(&path, true, Some("Pod")));
        assert!(is_kind("Service") && !is_kind("service"));
    }

    #[test]
    fn a_text_may_leave_out_the_brackets() {
        let path = [Name("spec"), Name("containers"), Name("image")];
        assert!(is_known(&path, true, None));
        assert!(!is_known(&path, false, None));
        assert!(is_known(&[Name("spec"), Name("containers"), Any, Name("image")], true, None));
        assert!(!is_known(&[Name("spec"), Name("containers"), Any, Name("imge")], true, None));
    }
}
