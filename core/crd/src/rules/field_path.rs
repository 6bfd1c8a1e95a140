//! JSON paths of fields that a schema specifies: `.spec.a['b-c']`.

use crate::path::Path;
use crate::structural::{Additional, Structural};
use alloc::string::{String, ToString};

/// A path that leads to a specified field.
#[derive(Debug)]
pub(crate) struct FieldPath<'s> {
    /// The path as `field.Path` writes it.
    pub(crate) text: String,
    /// The first field.
    pub(crate) root: String,
    /// The schema of the field.
    pub(crate) schema: Option<&'s Structural>,
}

const NOT_A_FIELD: &str = "does not refer to a valid field";
const UNEXPECTED_END: &str = "unexpected end of JSON path";

/// Resolves a path; the error says why it leads nowhere (`ValidFieldPath`). `brackets` says whether `['name']` is allowed.
pub(crate) fn valid_field_path<'s>(
    path: &str,
    schema: &'s Structural,
    brackets: bool,
) -> Result<FieldPath<'s>, String> {
    let mut tokens = Tokens(path);
    let mut found = FieldPath { text: String::new(), root: String::new(), schema: Some(schema) };
    while let Some(token) = tokens.next() {
        match token {
            "[" if !brackets => return Err("array notation is not allowed".into()),
            "[" => {
                let token = tokens.next().ok_or(UNEXPECTED_END)?;
                let name = single_quoted(token)?;
                found.step(&name)?;
                match tokens.next() {
                    None => return Err(UNEXPECTED_END.into()),
                    Some("]") => {}
                    Some(other) => return Err(alloc::format!("expected ] but got {other}")),
                }
            }
            "." => {
                let name = tokens.next().ok_or(UNEXPECTED_END)?;
                found.step(name)?;
            }
            other => return Err(alloc::format!("expected [ or . but got: {other}")),
        }
    }
    Ok(found)
}

impl FieldPath<'_> {
    fn step(&mut self, name: &str) -> Result<(), String> {
        let schema = self.schema.ok_or(NOT_A_FIELD)?;
        let is_first = self.text.is_empty();
        let before = self.text.clone();
        let parent = if is_first { Path::NIL } else { Path::root(&before) };
        if schema.properties.is_empty() {
            self.schema = match &schema.additional {
                Additional::Unset => return Err(NOT_A_FIELD.into()),
                Additional::Allows(_) => None,
                Additional::Schema(schema) => Some(schema),
            };
            self.text = parent.key(name).to_string();
        } else {
            self.schema = Some(schema.property(name).ok_or(NOT_A_FIELD)?);
            self.text = parent.child(name).to_string();
        }
        if is_first {
            self.root = self.text.clone();
        }
        Ok(())
    }
}

/// Delimiters, strings in single quotes, and what is between them.
struct Tokens<'p>(&'p str);

impl<'p> Iterator for Tokens<'p> {
    type Item = &'p str;

    fn next(&mut self) -> Option<&'p str> {
        let text = self.0;
        let end = if text.starts_with('\'') {
            let bytes = text.as_bytes();
            let is_end = |index: &usize| {
                bytes.get(*index) == Some(&b'\'') && bytes.get(index - 1) != Some(&b'\\')
            };
            (1..bytes.len()).find(is_end).map_or(text.len(), |index| index + 1)
        } else {
            match text.find(['.', '[', ']']) {
                Some(0) => 1,
                Some(index) => index,
                None => text.len(),
            }
        };
        let (token, rest) = text.split_at_checked(end)?;
        self.0 = rest;
        (!token.is_empty()).then_some(token)
    }
}

fn single_quoted(token: &str) -> Result<String, String> {
    let inside = token.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let Some(inside) = inside.filter(|_| token.len() >= 2) else {
        return Err(alloc::format!("expected single quoted string but got {token}"));
    };
    let mut out = String::with_capacity(inside.len());
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('v') => out.push('\u{b}'),
            Some('\'') => out.push('\''),
            Some('\\') => out.push('\\'),
            Some(other) => {
                return Err(alloc::format!(
                    "invalid string literal: invalid escape char \\{other}"
                ));
            }
            None => out.push('\\'),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::schema;

    #[test]
    fn paths_lead_to_specified_fields() {
        let schema = schema(
            "{type: object, properties: {a: {type: object, properties: {b-c: {type: string}}}, m: {type: object, additionalProperties: {type: integer}}, p: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
        );
        let resolve = |path: &str, brackets| {
            valid_field_path(path, &schema, brackets).map(|found| found.text)
        };
        let cases = [
            (".a", Ok("a")),
            (".a.b-c", Ok("a.b-c")),
            (".a['b-c']", Ok("a.b-c")),
            (".m.k", Ok("m[k]")),
            (".m['k\\'l']", Ok("m[k'l]")),
            (".b", Err("does not refer to a valid field")),
            (".a.x", Err("does not refer to a valid field")),
            (".p.x", Err("does not refer to a valid field")),
            ("a", Err("expected [ or . but got: a")),
            (".", Err("unexpected end of JSON path")),
            (".a[", Err("unexpected end of JSON path")),
            (".a['b-c'", Err("unexpected end of JSON path")),
            (".a[0]", Err("expected single quoted string but got 0")),
            (".a['\\x']", Err("invalid string literal: invalid escape char \\x")),
        ];
        for (path, expected) in cases {
            let expected = expected.map(String::from).map_err(String::from);
            assert_eq!(resolve(path, true), expected, "{path}");
        }
        assert_eq!(resolve(".m['k']", false), Err("array notation is not allowed".into()));
        assert_eq!(valid_field_path(".a.b-c", &schema, true).unwrap().root, "a");
    }
}
