//! What a strict decoder has against the text of a request, beside what the kind has against its fields.

use super::body::DecodedBody;
use ratchet_object::{LineIndex, Node, Repeated};
use ratchet_pipeline::{FieldValidation, InvalidFields};

/// How the error for unknown and duplicate fields begins.
const PREFIX: &str = "strict decoding error: ";

/// Complaints about a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StrictErrors {
    /// As warnings.
    warnings: Vec<String>,
    /// As parts of an error.
    errors: Vec<String>,
}

impl StrictErrors {
    /// Keys of a YAML document that are there twice; `line` is the number of lines before it.
    pub(crate) fn of_yaml(text: &str, line: u32, repeated: &[Repeated]) -> Self {
        let warnings = repeated_keys(text, line, repeated);
        let all = warnings.join("\n  ");
        let errors = match warnings.is_empty() {
            true => Vec::new(),
            false => vec![format!("yaml: unmarshal errors:\n  {all}")],
        };
        Self { warnings, errors }
    }

    /// Fields of a merge patch that are there twice.
    pub(crate) fn of_merge_patch(repeated: &[Repeated]) -> Self {
        let found: Vec<String> = repeated.iter().map(duplicate).collect();
        Self { warnings: found.clone(), errors: found }
    }

    /// Fields of the operations of a JSON patch that are there twice, or that there are none of.
    pub(crate) fn of_json_patch(operations: &Node<'_>, repeated: &[Repeated]) -> Self {
        const KNOWN: [&str; 4] = ["op", "from", "path", "value"];
        let mut found: Vec<(u32, String)> =
            repeated.iter().map(|found| (found.span.start, duplicate(found))).collect();
        for (index, operation) in operations.items().iter().enumerate() {
            let unknown =
                operation.entries().iter().filter(|entry| !KNOWN.contains(&entry.key.as_ref()));
            found.extend(unknown.map(|entry| {
                (entry.key_span.start, format!("unknown field \"[{index}].{}\"", entry.key))
            }));
        }
        found.sort_by_key(|(start, _)| *start);
        let found: Vec<String> =
            found.into_iter().map(|(_, text)| format!("json patch {text}")).collect();
        Self { warnings: found.clone(), errors: found }
    }

    /// The result of decoding with these complaints before its own.
    pub(crate) fn before(
        &self,
        decoded: Result<DecodedBody, InvalidFields>,
        validation: FieldValidation,
    ) -> Result<DecodedBody, InvalidFields> {
        if self.errors.is_empty() {
            return decoded;
        }
        match (decoded, validation) {
            (Ok(body), FieldValidation::Warn) => {
                let mut warnings = self.warnings.clone();
                warnings.extend(body.warnings);
                Ok(DecodedBody { warnings, ..body })
            }
            (Ok(_), FieldValidation::Strict) => {
                Err(InvalidFields::Strict(format!("{PREFIX}{}", self.errors.join(", "))))
            }
            (Err(InvalidFields::Strict(text)), _) => {
                let own = text.strip_prefix(PREFIX).unwrap_or(&text);
                let all = self.errors.join(", ");
                Err(InvalidFields::Strict(format!("{PREFIX}{all}, {own}")))
            }
            (decoded, _) => decoded,
        }
    }
}

fn duplicate(found: &Repeated) -> String {
    format!("duplicate field \"{}\"", found.path)
}

/// Keys that are there twice, as the reference's YAML decoder names them; `line` is the number of lines before the text.
pub(crate) fn repeated_keys(text: &str, line: u32, repeated: &[Repeated]) -> Vec<String> {
    let lines = LineIndex::new(text);
    let key_of = |found: &Repeated| {
        let line = lines.line_column(found.span.start).line.saturating_add(line);
        let key = text.get(found.span.start as usize..found.span.end as usize);
        let key = key.unwrap_or_default().trim_matches(['"', '\'']);
        format!("line {line}: key {} already set in map", ratchet_net::Quoted(key))
    };
    repeated.iter().map(key_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode, decode_json};

    fn body(warnings: &[&str]) -> Result<DecodedBody, InvalidFields> {
        let warnings = warnings.iter().map(|text| (*text).to_owned()).collect();
        Ok(DecodedBody { node: Node::empty_map(), warnings })
    }

    fn warnings(errors: &StrictErrors, own: &[&str]) -> Vec<String> {
        match errors.before(body(own), FieldValidation::Warn) {
            Ok(body) => body.warnings,
            Err(error) => panic!("{}", error.message()),
        }
    }

    fn error(errors: &StrictErrors, own: Result<DecodedBody, InvalidFields>) -> String {
        match errors.before(own, FieldValidation::Strict) {
            Ok(_) => panic!("accepted"),
            Err(error) => error.message().to_owned(),
        }
    }

    #[test]
    fn keys_of_yaml_are_named_with_their_lines() {
        let text = "a: 1\nb: 2\na: 3\n\"b\": 4\n";
        let errors =
            StrictErrors::of_yaml(text, 1, &decode(text, Limits::DEFAULT).unwrap().repeated);
        let found =
            ["line 4: key \"a\" already set in map", "line 5: key \"b\" already set in map"];
        assert_eq!(warnings(&errors, &["own"]), [found[0], found[1], "own"]);
        let all = format!("yaml: unmarshal errors:\n  {}\n  {}", found[0], found[1]);
        assert_eq!(error(&errors, body(&[])), format!("strict decoding error: {all}"));
        let own = Err(InvalidFields::Strict("strict decoding error: unknown field \"z\"".into()));
        assert_eq!(
            error(&errors, own),
            format!("strict decoding error: {all}, unknown field \"z\"")
        );
    }

    #[test]
    fn fields_of_patches() {
        let text = r#"[{"op":"add","zz":1,"path":"/a","op":"add"}]"#;
        let decoded = decode_json(text, Limits::DEFAULT).unwrap();
        let errors = StrictErrors::of_json_patch(&decoded.documents[0], &decoded.repeated);
        let unknown = "json patch unknown field \"[0].zz\"";
        assert_eq!(warnings(&errors, &[]), [unknown, "json patch duplicate field \"[0].op\""]);
        let decoded = decode_json(r#"{"a":{"b":1,"b":2}}"#, Limits::DEFAULT).unwrap();
        let errors = StrictErrors::of_merge_patch(&decoded.repeated);
        assert_eq!(error(&errors, body(&[])), "strict decoding error: duplicate field \"a.b\"");
        let ignored = errors.before(body(&["own"]), FieldValidation::Ignore);
        assert!(ignored.is_ok_and(|body| body.warnings == ["own"]));
    }
}
