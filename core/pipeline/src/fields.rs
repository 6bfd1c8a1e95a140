//! Field validation: unknown, duplicate and mistyped fields of a decoded object, in the order of the file.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_engine::Rule;
use ratchet_engine::rules::decoding;
use ratchet_object::{Object, Repeated, Span, ViolationKind, schema_violations};

/// The effect of unknown and duplicate fields (`fieldValidation`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// They are dropped silently.
    Ignore,
    /// They are dropped with a warning.
    #[default]
    Warn,
    /// They are errors, which is what `kubectl` asks for.
    Strict,
}

/// A value whose type is not that of its field; the API server cannot decode such an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeMismatch {
    /// The error, as Go's decoder words it.
    pub message: String,
    /// The path of the field.
    pub path: String,
    /// The position of the value.
    pub span: Span,
}

/// An unknown or duplicate field.
#[derive(Clone, Debug)]
pub struct FieldViolation {
    /// The rule that the field breaks: [`decoding::UNKNOWN_FIELD`] or [`decoding::REPEATED_FIELD`].
    pub rule: &'static Rule,
    /// The message, `unknown field "spec.x"` or `duplicate field "spec.x"`.
    pub message: String,
    /// The path of the field.
    pub path: String,
    /// The position of the key.
    pub span: Span,
}

/// The result of field validation.
#[derive(Clone, Debug, Default)]
pub struct FieldReport {
    /// Values of the wrong type.
    pub mismatches: Vec<TypeMismatch>,
    /// Unknown and duplicate fields, in the order of the file.
    pub violations: Vec<FieldViolation>,
}

impl FieldReport {
    /// The error for unknown and duplicate fields, if they are errors.
    pub fn strict_error(&self, validation: FieldValidation) -> Option<String> {
        if validation != FieldValidation::Strict || self.violations.is_empty() {
            return None;
        }
        let messages: Vec<&str> = self.messages().collect();
        Some(format!("strict decoding error: {}", messages.join(", ")))
    }

    /// The warnings for unknown and duplicate fields, if they are warnings.
    pub fn warnings(&self, validation: FieldValidation) -> Vec<String> {
        match validation {
            FieldValidation::Warn => self.messages().map(String::from).collect(),
            FieldValidation::Ignore | FieldValidation::Strict => Vec::new(),
        }
    }

    fn messages(&self) -> impl Iterator<Item = &str> {
        self.violations.iter().map(|violation| violation.message.as_str())
    }
}

/// Compares an object with the schema of its kind; `repeated` are the duplicate keys that the decoder found in it.
pub fn check_fields<'r>(
    object: &Object<'_>,
    repeated: impl IntoIterator<Item = &'r Repeated>,
) -> FieldReport {
    let mut report = FieldReport::default();
    for violation in schema_violations(object) {
        let (path, span) = (violation.path, violation.span);
        match violation.kind {
            ViolationKind::WrongType(message) => {
                report.mismatches.push(TypeMismatch { message, path, span });
            }
            ViolationKind::Unknown => {
                let message = format!("unknown field \"{path}\"");
                let rule = &decoding::UNKNOWN_FIELD;
                report.violations.push(FieldViolation { rule, message, path, span });
            }
        }
    }
    for duplicate in repeated {
        let (path, span) = (duplicate.path.clone(), duplicate.span);
        let message = format!("duplicate field \"{path}\"");
        let rule = &decoding::REPEATED_FIELD;
        report.violations.push(FieldViolation { rule, message, path, span });
    }
    // A stable sort: fields without a position, as protobuf has them, stay in the order of the schema walk.
    report.violations.sort_by_key(|violation| violation.span.start);
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn report(text: &str) -> FieldReport {
        let mut decoded = decode(text, Limits::DEFAULT).unwrap();
        let object = Object::new(decoded.documents.remove(0));
        check_fields(&object, &decoded.repeated)
    }

    #[test]
    fn unknown_and_duplicate_fields_come_in_the_order_of_the_file() {
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, name: b}\nspecs: {}\nspec: {containers: [], nope: 1, containers: []}\n";
        let found = report(text);
        let messages: Vec<&str> = found.messages().collect();
        assert_eq!(
            messages,
            [
                "duplicate field \"metadata.name\"",
                "unknown field \"specs\"",
                "unknown field \"spec.nope\"",
                "duplicate field \"spec.containers\"",
            ]
        );
        assert_eq!(found.warnings(FieldValidation::Warn), messages);
        assert_eq!(found.warnings(FieldValidation::Ignore), [""; 0]);
        assert_eq!(found.strict_error(FieldValidation::Warn), None);
        let error = found.strict_error(FieldValidation::Strict).unwrap();
        assert!(
            error.starts_with("strict decoding error: duplicate field \"metadata.name\", unknown")
        );
    }

    #[test]
    fn a_value_of_the_wrong_type_is_no_strictness() {
        let found = report("{apiVersion: v1, kind: Pod, spec: {hostNetwork: 1}}");
        assert!(found.violations.is_empty());
        assert_eq!(found.mismatches.len(), 1);
        assert_eq!(found.mismatches[0].path, "spec.hostNetwork");
    }

    #[test]
    fn a_valid_object_has_no_findings() {
        let found = report("{apiVersion: v1, kind: ConfigMap, data: {a: b}}");
        assert!(found.mismatches.is_empty() && found.violations.is_empty());
        assert_eq!(found.strict_error(FieldValidation::Strict), None);
    }
}
