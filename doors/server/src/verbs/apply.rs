//! Server-side apply: a PATCH with a configuration, of which the manager owns every field.

use crate::app::resource_request::ResourceRequest;
use crate::request::body::ExpectedKind;
use crate::request::options::{OptionsKind, WriteOptions};
use crate::request::strict::repeated_keys;
use crate::status::StatusError;
use crate::verbs::managed_fields::with_field_manager;
use ratchet_apply::{Applied, ApplyError, ApplyOptions, set_managed_fields};
use ratchet_engine::StatusCause;
use ratchet_object::{Decoded, Limits, Node, Value, split_documents};
use ratchet_pipeline::FieldValidation;

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
    repeated: Vec<String>,
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
        let is_custom_scale = wanted.has_go_type() && request.resource.validates_as_sent();
        let has_owners = live.is_some_and(|live| {
            live.find(&["metadata", "managedFields"]).is_some_and(|list| !list.items().is_empty())
        });
        if is_custom_scale && !has_owners && !matches!(applied, Err(ApplyError::BadRequest(_))) {
            return Err(StatusError::unclassified(NO_FIRST_OWNERS));
        }
        let Applied { mut object, managed_fields, .. } = applied.map_err(apply_error)?;
        config.report(request, self.fields)?;
        // What is applied to a custom object is not decoded again: null stays, and is refused where it may not be.
        if wanted.has_go_type() {
            wanted.prune(&mut object);
        } else if let Some(Node { value: Value::Map(members), .. }) = object.get_mut("metadata") {
            members.retain(|member| !member.node.is_null());
        }
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
        let mut documents = split_documents(text).skip_while(|document| is_blank(document.text));
        let Some(document) = documents.next() else {
            return Ok(Self { node: Node::empty_map(), repeated: Vec::new() });
        };
        let decoded = ratchet_object::decode(document.text, Limits::DEFAULT);
        let Decoded { mut documents, repeated } =
            decoded.map_err(|error| not_yaml(&error.message))?;
        let repeated = repeated_keys(document.text, document.line, &repeated);
        let first = if documents.is_empty() { Node::new(Value::Null) } else { documents.remove(0) };
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
        Ok(Self { node, repeated })
    }

    /// Reports keys that are there twice.
    fn report(
        &self,
        request: &ResourceRequest<'_>,
        fields: FieldValidation,
    ) -> Result<(), StatusError> {
        match fields {
            _ if self.repeated.is_empty() => {}
            FieldValidation::Ignore => {}
            FieldValidation::Warn => {
                self.repeated.iter().for_each(|text| request.warnings.add(text.clone()));
            }
            FieldValidation::Strict => {
                let all = self.repeated.join("\n  ");
                return Err(StatusError::bad_request(format!(
                    "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  {all}"
                )));
            }
        }
        Ok(())
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

/// Whether a text before the first separator is no document of its own.
fn is_blank(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
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

    fn decoded(text: &str) -> Result<(String, Vec<String>), String> {
        let config = Config::decode(text.as_bytes()).map_err(|error| error.message)?;
        Ok((config.node.to_json(), config.repeated))
    }

    #[test]
    fn the_first_document_is_the_configuration() {
        for (text, json) in [
            ("a: 1\n---\nb: 2\n", r#"{"a":1}"#),
            ("# x\n---\na: 1\n---\n: : :\n", r#"{"a":1}"#),
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
        let (json, repeated) = decoded("---\na:\n  b: 1\n  b: 2\n").unwrap();
        assert_eq!(json, r#"{"a":{"b":2}}"#);
        assert_eq!(repeated, [r#"line 4: key "b" already set in map"#]);
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
