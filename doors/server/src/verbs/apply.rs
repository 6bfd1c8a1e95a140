//! Server-side apply: a PATCH with a configuration, of which the manager owns every field.

use crate::app::resource_request::ResourceRequest;
use crate::request::body::{ExpectedKind, first_document};
use crate::request::options::{OptionsKind, WriteOptions};
use crate::status::StatusError;
use crate::verbs::managed_fields::with_field_manager;
use ratchet_apply::{Applied, ApplyError, ApplyOptions, set_managed_fields};
use ratchet_engine::StatusCause;
use ratchet_object::{Limits, Node, Value};
use ratchet_pipeline::{Decoded, FieldValidation, InvalidFields, StrictErrors};

/// The content type of an applied configuration.
pub(crate) const APPLY_YAML: &str = "application/apply-patch+yaml";

/// The answer to the first apply to the scale of a custom object whose replicas nobody owns.
const NO_FIRST_OWNERS: &str = "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1";

/// An applied configuration.
pub(crate) struct ApplyPatch {
    /// An error is reported only after the object was looked up, as in the reference.
    config: Result<Config, StatusError>,
    fields: FieldValidation,
    manager: String,
    force: bool,
    /// `dryRun=All`.
    pub(crate) dry_run: bool,
}

/// The configuration, and what a strict decoder has against it.
struct Config {
    node: Node<'static>,
    strict: StrictErrors,
}

impl ApplyPatch {
    /// Decodes the configuration of a request.
    pub(crate) fn decode(request: &ResourceRequest<'_>) -> Result<Self, StatusError> {
        let options = WriteOptions::from_params(request.params, OptionsKind::Apply)?;
        Ok(Self {
            config: Config::decode(request.body),
            fields: options.fields,
            manager: request.params.text("fieldManager").to_owned(),
            force: request.params.flag("force"),
            dry_run: options.dry_run,
        })
    }

    /// Applies the configuration to an object, none if it does not exist; the result has its `managedFields`.
    pub(crate) fn apply(
        &self,
        request: &ResourceRequest<'_>,
        live: Option<&Node<'static>>,
        wanted: ExpectedKind<'_>,
    ) -> Result<Node<'static>, StatusError> {
        let config = self.config.as_ref().map_err(Clone::clone)?;
        let now = request.app.now();
        let options = ApplyOptions { manager: &self.manager, force: self.force, now: &now };
        let subresource = request.path.subresource.as_str();
        let applied = with_field_manager(request.resource, wanted, subresource, |fields| {
            fields.apply(live, &config.node, options)
        });
        // The reference cannot make the first owners of a Scale: it takes it for the custom object.
        let is_custom_scale = wanted.has_go_type() && !request.resource.has_go_type();
        let has_owners = live.is_some_and(|live| {
            live.find(&["metadata", "managedFields"]).is_some_and(|list| !list.items().is_empty())
        });
        if is_custom_scale && !has_owners && !matches!(applied, Err(ApplyError::BadRequest(_))) {
            return Err(StatusError::unclassified(NO_FIRST_OWNERS));
        }
        let Applied { object, managed_fields, .. } = applied.map_err(apply_error)?;
        let object_type = wanted.object_type();
        let decoded = Decoded::applied(object_type.as_type(), object);
        let decoded = decoded.with_strict_errors(config.strict.clone());
        let (mut object, warnings) = decoded.accept(self.fields).map_err(invalid_configuration)?;
        warnings.into_iter().for_each(|warning| request.warnings.add(warning));
        set_managed_fields(&mut object, managed_fields);
        Ok(object)
    }
}

impl Config {
    /// Decodes the first document of a YAML stream; the others are ignored.
    fn decode(bytes: &[u8]) -> Result<Self, StatusError> {
        let malformed = |why: &str| StatusError::bad_request(format!("error decoding YAML: {why}"));
        let not_yaml =
            |why: &str| malformed(&format!("error converting YAML to JSON: yaml: {why}"));
        let text =
            std::str::from_utf8(bytes).map_err(|_| not_yaml("invalid leading UTF-8 octet"))?;
        let (document, line) = first_document(text);
        let decoded = ratchet_object::decode(document, Limits::DEFAULT);
        let decoded = decoded.map_err(|error| not_yaml(&error.message))?;
        let strict = StrictErrors::of_yaml(document, line, &decoded.repeated);
        let first = decoded.documents.into_iter().next().unwrap_or_else(Node::empty_map);
        let mut node = match first.value {
            Value::Null => Node::empty_map(),
            Value::Map(_) => first.into_owned(),
            _ => {
                let what = first.type_name();
                return Err(malformed(&format!(
                    "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {what} into Go value of type map[string]interface {{}}"
                )));
            }
        };
        whole_numbers(&mut node);
        Ok(Self { node, strict })
    }
}

/// Makes integers of whole numbers: the reference converts the configuration to JSON, where `1.0` is `1`.
fn whole_numbers(node: &mut Node<'static>) {
    /// The first number that JSON has with an exponent.
    const EXPONENT: f64 = 9.2e18;
    match &mut node.value {
        Value::Map(entries) => {
            entries.iter_mut().for_each(|entry| whole_numbers(&mut entry.node));
        }
        Value::List(items) => items.iter_mut().for_each(whole_numbers),
        Value::Float(number) if number.trunc() == *number && number.abs() < EXPONENT => {
            #[expect(clippy::cast_possible_truncation, reason = "whole and small enough")]
            let whole = *number as i64;
            node.value = Value::Int(whole);
        }
        _ => {}
    }
}

/// The error about the text of a configuration.
fn invalid_configuration(error: InvalidFields) -> StatusError {
    StatusError::bad_request(match error {
        InvalidFields::Strict(errors) => {
            format!("error strict decoding YAML: error converting YAML to JSON: {errors}")
        }
        InvalidFields::WrongType(message) => message,
    })
}

fn apply_error(error: ApplyError) -> StatusError {
    match error {
        ApplyError::BadRequest(message) => StatusError::bad_request(message),
        ApplyError::Internal(message) => StatusError::unclassified(message),
        ApplyError::Conflicts(_) => {
            let causes = error.conflicts().iter().map(|conflict| StatusCause {
                reason: "FieldManagerConflict",
                message: conflict.message(),
                field: conflict.field.clone(),
            });
            StatusError::apply_conflict(error.to_string(), causes.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::GroupVersionKind;
    use ratchet_pipeline::UnknownType;

    const UNKNOWN: UnknownType<'_> =
        UnknownType(GroupVersionKind { group: "x.io", version: "v1", kind: "Tree" });

    /// The configuration as JSON with the warnings about its text, or the error.
    fn accepted(text: &str, fields: FieldValidation) -> Result<(String, Vec<String>), String> {
        let config = Config::decode(text.as_bytes()).map_err(|error| error.message)?;
        let applied = Decoded::applied(&UNKNOWN, config.node).with_strict_errors(config.strict);
        let (node, warnings) =
            applied.accept(fields).map_err(|error| invalid_configuration(error).message)?;
        Ok((node.to_json(), warnings))
    }

    fn decoded(text: &str) -> Result<(String, Vec<String>), String> {
        accepted(text, FieldValidation::Warn)
    }

    #[test]
    fn the_first_document_is_the_configuration() {
        for (text, json) in [
            ("a: 1\n---\nb: 2\n", r#"{"a":1}"#),
            ("# x\n---\na: 1\n---\n: : :\n", r#"{"a":1}"#),
            ("%YAML 1.1\n---\na: 1\n", r#"{"a":1}"#),
            ("", "{}"),
            ("null", "{}"),
            ("# nothing\n", "{}"),
            (r#"{"a":1}"#, r#"{"a":1}"#),
            ("a: [1.0, 1e3, 1.5]", r#"{"a":[1,1000,1.5]}"#),
        ] {
            assert_eq!(decoded(text), Ok((json.to_owned(), Vec::new())), "{text}");
        }
    }

    #[test]
    fn keys_that_are_there_twice_are_named_with_their_line() {
        let text = "---\na:\n  b: 1\n  b: 2\n";
        let (json, warnings) = decoded(text).unwrap();
        assert_eq!(json, r#"{"a":{"b":2}}"#);
        let line = r#"line 4: key "b" already set in map"#;
        assert_eq!(warnings, [line]);
        assert_eq!(accepted(text, FieldValidation::Ignore).unwrap().1, [""; 0]);
        assert_eq!(
            accepted(text, FieldValidation::Strict).unwrap_err(),
            format!(
                "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  {line}"
            )
        );
    }

    #[test]
    fn what_is_no_map_is_no_configuration() {
        for (text, what) in [("[]", "array"), ("x", "string"), ("7", "number"), ("true", "bool")] {
            assert_eq!(
                decoded(text).unwrap_err(),
                format!(
                    "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {what} into Go value of type map[string]interface {{}}"
                )
            );
        }
        assert!(
            decoded("a: b: c")
                .unwrap_err()
                .starts_with("error decoding YAML: error converting YAML to JSON: yaml: ")
        );
    }
}
