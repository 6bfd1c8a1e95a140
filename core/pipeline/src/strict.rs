//! `StrictErrors`: what a strict decoder has against the text of a request, beside what the kind has against its fields.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::{LineIndex, Node, Repeated};

/// Duplicate and unknown keys of a text that is not the object itself, or whose decoder words them in its own way: YAML,
/// patches, applied configurations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StrictErrors {
    /// As warnings.
    pub(crate) warnings: Vec<String>,
    /// As parts of an error.
    pub(crate) errors: Vec<String>,
}

impl StrictErrors {
    /// Keys of a YAML document that are there twice; `line` is the number of lines before it.
    pub fn of_yaml(text: &str, line: u32, repeated: &[Repeated]) -> Self {
        let warnings = repeated_keys(text, line, repeated);
        let all = warnings.join("\n  ");
        let errors = match warnings.is_empty() {
            true => Vec::new(),
            false => Vec::from([format!("yaml: unmarshal errors:\n  {all}")]),
        };
        Self { warnings, errors }
    }

    /// Fields of a merge patch that are there twice.
    pub fn of_merge_patch(repeated: &[Repeated]) -> Self {
        let found: Vec<String> = repeated.iter().map(duplicate).collect();
        Self { warnings: found.clone(), errors: found }
    }

    /// Fields of the operations of a JSON patch that are there twice, or that there are none of.
    pub fn of_json_patch(operations: &Node<'_>, repeated: &[Repeated]) -> Self {
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
}

fn duplicate(found: &Repeated) -> String {
    format!("duplicate field \"{}\"", found.path)
}

/// Keys that are there twice, as the reference's YAML decoder names them; `line` is the number of lines before the text.
fn repeated_keys(text: &str, line: u32, repeated: &[Repeated]) -> Vec<String> {
    let lines = LineIndex::new(text);
    let key_of = |found: &Repeated| {
        let line = lines.line_column(found.span.start).line.saturating_add(line);
        let key = text.get(found.span.start as usize..found.span.end as usize);
        let key = key.unwrap_or_default().trim_matches(['"', '\'']);
        format!("line {line}: key {} already set in map", Quoted(key))
    };
    repeated.iter().map(key_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decoded, FieldValidation, InvalidFields, UnknownType};
    use ratchet_object::{GroupVersionKind, Limits, decode, decode_json};

    const UNKNOWN: UnknownType<'_> =
        UnknownType(GroupVersionKind { group: "x.io", version: "v1", kind: "Tree" });

    /// The warnings, or the error, about an object with one field that is there twice.
    fn accepted(errors: &StrictErrors, validation: FieldValidation) -> Result<Vec<String>, String> {
        let own = decode_json(r#"{"z":1,"z":2}"#, Limits::DEFAULT).unwrap();
        let decoded = Decoded::new(&UNKNOWN, own.documents[0].clone(), &own.repeated);
        let accepted = decoded.with_strict_errors(errors.clone()).accept(validation);
        accepted.map(|(_, warnings)| warnings).map_err(|error| error.message())
    }

    #[test]
    fn keys_of_yaml_are_named_with_their_lines() {
        let text = "a: 1\nb: 2\na: 3\n\"b\": 4\n";
        let errors =
            StrictErrors::of_yaml(text, 1, &decode(text, Limits::DEFAULT).unwrap().repeated);
        let found =
            ["line 4: key \"a\" already set in map", "line 5: key \"b\" already set in map"];
        let own = "duplicate field \"z\"";
        let warnings = accepted(&errors, FieldValidation::Warn).unwrap();
        assert_eq!(warnings, [found[0], found[1], own]);
        assert_eq!(accepted(&errors, FieldValidation::Ignore), Ok(Vec::new()));
        let all = format!("yaml: unmarshal errors:\n  {}\n  {}", found[0], found[1]);
        assert_eq!(
            accepted(&errors, FieldValidation::Strict),
            Err(format!("strict decoding error: {all}, {own}"))
        );
        let alone = Decoded::new(&UNKNOWN, Node::empty_map(), &[]).with_strict_errors(errors);
        let error = alone.accept(FieldValidation::Strict).unwrap_err();
        assert_eq!(error, InvalidFields::Strict(all));
    }

    #[test]
    fn fields_of_patches() {
        let text = r#"[{"op":"add","zz":1,"path":"/a","op":"add"}]"#;
        let decoded = decode_json(text, Limits::DEFAULT).unwrap();
        let errors = StrictErrors::of_json_patch(&decoded.documents[0], &decoded.repeated);
        let unknown = "json patch unknown field \"[0].zz\"";
        assert_eq!(errors.warnings, [unknown, "json patch duplicate field \"[0].op\""]);
        let decoded = decode_json(r#"{"a":{"b":1,"b":2}}"#, Limits::DEFAULT).unwrap();
        let errors = StrictErrors::of_merge_patch(&decoded.repeated);
        assert_eq!(
            accepted(&errors, FieldValidation::Strict).unwrap_err(),
            "strict decoding error: duplicate field \"a.b\", duplicate field \"z\""
        );
    }

    #[test]
    fn a_value_of_the_wrong_type_comes_before_strictness() {
        let pods = crate::BuiltInType::find("v1", "Pod").unwrap();
        let text = r#"{"spec":{"hostNetwork":1}}"#;
        let node = decode_json(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let repeated = decode_json(r#"{"a":1,"a":2}"#, Limits::DEFAULT).unwrap().repeated;
        let decoded = Decoded::new(&pods, node, &[]);
        let decoded = decoded.with_strict_errors(StrictErrors::of_merge_patch(&repeated));
        let error = decoded.accept(FieldValidation::Strict).unwrap_err();
        assert!(matches!(error, InvalidFields::WrongType(_)), "{error:?}");
    }
}
