//! Field validation: unknown, duplicate and mistyped fields of a decoded object, in the order of the file.

use crate::position::key_span;
use crate::strict::StrictErrors;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_engine::Rule;
use ratchet_engine::rules::decoding;
use ratchet_object::{Node, Repeated, SchemaViolation, Span, ViolationKind};

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
    /// What is wrong with the text that the object was made from; it is reported before the violations.
    pub(crate) strict: StrictErrors,
}

/// Why the API server does not take an object because of its fields (HTTP 400).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidFields {
    /// A value has another type than its field.
    WrongType(String),
    /// Fields are unknown or duplicate, and the client asked for strictness: all of them, separated by commas.
    Strict(String),
}

impl InvalidFields {
    /// The reason, as the reference words it.
    pub fn message(&self) -> String {
        match self {
            Self::WrongType(message) => message.clone(),
            Self::Strict(violations) => format!("strict decoding error: {violations}"),
        }
    }
}

/// The most unknown fields of an object that are looked up in its file.
const MOST_LOCATED: usize = 200;

impl FieldReport {
    /// The error for unknown and duplicate fields, if they are errors.
    pub fn strict_error(&self, validation: FieldValidation) -> Option<String> {
        self.check_strictness(validation).err().map(|error| error.message())
    }

    fn check_strictness(&self, validation: FieldValidation) -> Result<(), InvalidFields> {
        if validation != FieldValidation::Strict {
            return Ok(());
        }
        let of_text = self.strict.errors.iter().map(String::as_str);
        let all: Vec<&str> = of_text.chain(self.messages()).collect();
        match all.is_empty() {
            true => Ok(()),
            false => Err(InvalidFields::Strict(all.join(", "))),
        }
    }

    /// The warnings for unknown and duplicate fields, if they are warnings.
    pub fn warnings(&self, validation: FieldValidation) -> Vec<String> {
        match validation {
            FieldValidation::Warn => {
                let of_text = self.strict.warnings.iter().map(String::as_str);
                of_text.chain(self.messages()).map(String::from).collect()
            }
            FieldValidation::Ignore | FieldValidation::Strict => Vec::new(),
        }
    }

    /// The warnings about the fields, for a door that stops at the first refusal.
    pub fn accept(mut self, validation: FieldValidation) -> Result<Vec<String>, InvalidFields> {
        if !self.mismatches.is_empty() {
            return Err(InvalidFields::WrongType(self.mismatches.swap_remove(0).message));
        }
        self.check_strictness(validation)?;
        Ok(self.warnings(validation))
    }

    /// Adds duplicate keys that the parser found.
    pub(crate) fn add_repeated<'r>(&mut self, repeated: impl IntoIterator<Item = &'r Repeated>) {
        for duplicate in repeated {
            let (path, span) = (duplicate.path.clone(), duplicate.span);
            let message = format!("duplicate field \"{path}\"");
            let rule = &decoding::REPEATED_FIELD;
            self.violations.push(FieldViolation { rule, message, path, span });
        }
    }

    /// Adds an unknown field; its position is that of its key.
    pub(crate) fn add_unknown(&mut self, path: String, span: Span) {
        let message = format!("unknown field \"{path}\"");
        let rule = &decoding::UNKNOWN_FIELD;
        self.violations.push(FieldViolation { rule, message, path, span });
    }

    /// Adds what a comparison with a type found.
    pub(crate) fn add_violations(&mut self, violations: Vec<SchemaViolation>) {
        for SchemaViolation { kind, path, span } in violations {
            match kind {
                ViolationKind::WrongType(message) => {
                    self.mismatches.push(TypeMismatch { message, path, span });
                }
                ViolationKind::Unknown => self.add_unknown(path, span),
            }
        }
    }

    /// Sorts by position. The sort is stable: fields without a position, as protobuf has them, stay in the order of the
    /// schema.
    pub(crate) fn sort(&mut self) {
        self.violations.sort_by_key(|violation| violation.span.start);
    }

    /// Looks up the positions of fields that have only a path, in the tree as it was in the file.
    pub(crate) fn locate(&mut self, tree: &Node<'_>) {
        let find = |path: &str, span: &mut Span| {
            if *span == Span::default() {
                *span = key_span(tree, path).unwrap_or_default();
            }
        };
        for mismatch in &mut self.mismatches {
            find(&mismatch.path, &mut mismatch.span);
        }
        // Nobody reads more of them, and each is a walk.
        for violation in self.violations.iter_mut().take(MOST_LOCATED) {
            find(&violation.path, &mut violation.span);
        }
    }

    fn messages(&self) -> impl Iterator<Item = &str> {
        self.violations.iter().map(|violation| violation.message.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuiltInType, Decoded};
    use ratchet_object::{Limits, decode};

    fn report(text: &str) -> FieldReport {
        let mut decoded = decode(text, Limits::DEFAULT).unwrap();
        let node = decoded.documents.remove(0);
        let object_type = BuiltInType::find(node.text_at(&["apiVersion"]), node.text_at(&["kind"]));
        Decoded::new(&object_type.unwrap(), node, &decoded.repeated).fields().clone()
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
