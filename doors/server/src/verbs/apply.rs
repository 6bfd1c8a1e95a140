//! Server-side apply: a PATCH with a configuration, of which the manager owns every field.

use crate::app::resource_request::ResourceRequest;
use crate::request::body::ExpectedKind;
use crate::request::options::{OptionsKind, WriteOptions};
use crate::status::StatusError;
use crate::verbs::managed_fields::with_field_manager;
use ratchet_apply::{Applied, ApplyError, ApplyOptions, set_managed_fields};
use ratchet_engine::StatusCause;
use ratchet_object::{Decoded, Limits, LineIndex, Node, Value, split_documents};
use ratchet_pipeline::FieldValidation;

/// The content type of an applied configuration.
pub(crate) const APPLY_YAML: &str = "application/apply-patch+yaml";

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
        let Applied { mut object, managed_fields, .. } = applied.map_err(apply_error)?;
        config.report(request, self.fields)?;
        wanted.prune(&mut object);
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
        let lines = LineIndex::new(document.text);
        let repeated = repeated.iter().map(|found| {
            let line = lines.line_column(found.span.start).line.saturating_add(document.line);
            let key = document.text.get(found.span.start as usize..found.span.end as usize);
            let key = key.unwrap_or_default().trim_matches(['"', '\'']);
            format!("line {line}: key {} already set in map", ratchet_net::Quoted(key))
        });
        let repeated = repeated.collect();
        let first = if documents.is_empty() { Node::new(Value::Null) } else { documents.remove(0) };
        let node = match first.value {
            Value::Null => Node::empty_map(),
            Value::Map(_) => first.into_owned(),
            _ => {
                let what = first.type_name();
                return Err(malformed(&format!(
                    "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {what} into Go value of type map[string]interface {{}}"
                )));
            }
        };
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
