//! Messages of Go's `encoding/json`, which clients know: syntax errors, and the types of values.

use crate::{Node, Value};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

/// Go's error message for `text`; `otherwise` if it is valid JSON.
pub fn explain_or(text: &str, otherwise: &str) -> String {
    Scan { rest: text, depth: 0 }.document().err().unwrap_or_else(|| otherwise.to_owned())
}

/// Go's error message for `text`.
pub fn explain(text: &str) -> String {
    explain_or(text, "unexpected end of JSON input")
}

/// Go's error message for a value that is not an object.
pub fn not_an_object(node: &Node<'_>) -> String {
    let what = match node.value {
        Value::List(_) => "array",
        Value::Text(_) => "string",
        Value::Bool(_) => "bool",
        _ => "number",
    };
    let wanted = r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;
    format!("json parse error: json: cannot unmarshal {what} into Go value of type {wanted}")
}

/// The Go type of a decoded value, as `%T` prints it.
pub fn type_name(node: &Node<'_>) -> &'static str {
    match node.value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Float(_) => "float64",
        Value::Text(_) => "string",
        Value::List(_) => "[]interface {}",
        Value::Map(_) => "map[string]interface {}",
    }
}

/// A scanner that finds the first syntax error.
struct Scan<'t> {
    rest: &'t str,
    depth: usize,
}

type Step = Result<(), String>;

const END: &str = "unexpected end of JSON input";

impl Scan<'_> {
    fn document(mut self) -> Step {
        self.value()?;
        self.space();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.bad("after top-level value")),
        }
    }

    fn value(&mut self) -> Step {
        self.space();
        self.depth += 1;
        if self.depth > 500 {
            return Err("exceeded max depth".into());
        }
        match self.peek().ok_or(END)? {
            '{' => self.object()?,
            '[' => self.array()?,
            '"' => self.string()?,
            '-' | '0'..='9' => self.number()?,
            't' => self.literal("true")?,
            'f' => self.literal("false")?,
            'n' => self.literal("null")?,
            _ => return Err(self.bad("looking for beginning of value")),
        }
        self.depth -= 1;
        Ok(())
    }

    fn object(&mut self) -> Step {
        self.skip();
        self.space();
        if self.peek() == Some('}') {
            self.skip();
            return Ok(());
        }
        loop {
            self.space();
            if self.peek().ok_or(END)? != '"' {
                return Err(self.bad("looking for beginning of object key string"));
            }
            self.string()?;
            self.space();
            if self.peek().ok_or(END)? != ':' {
                return Err(self.bad("after object key"));
            }
            self.skip();
            self.value()?;
            self.space();
            match self.peek().ok_or(END)? {
                ',' => self.skip(),
                '}' => {
                    self.skip();
                    return Ok(());
                }
                _ => return Err(self.bad("after object key:value pair")),
            }
        }
    }

    fn array(&mut self) -> Step {
        self.skip();
        self.space();
        if self.peek() == Some(']') {
            self.skip();
            return Ok(());
        }
        loop {
            self.value()?;
            self.space();
            match self.peek().ok_or(END)? {
                ',' => self.skip(),
                ']' => {
                    self.skip();
                    return Ok(());
                }
                _ => return Err(self.bad("after array element")),
            }
        }
    }

    fn string(&mut self) -> Step {
        self.skip();
        loop {
            match self.peek().ok_or(END)? {
                '"' => {
                    self.skip();
                    return Ok(());
                }
                '\\' => {
                    self.skip();
                    match self.peek().ok_or(END)? {
                        '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => self.skip(),
                        'u' => {
                            self.skip();
                            for _ in 0..4 {
                                if !self.peek().ok_or(END)?.is_ascii_hexdigit() {
                                    return Err(self.bad("in \\u hexadecimal character escape"));
                                }
                                self.skip();
                            }
                        }
                        _ => return Err(self.bad("in string escape code")),
                    }
                }
                '\0'..='\u{1f}' => return Err(self.bad("in string literal")),
                _ => self.skip(),
            }
        }
    }

    fn number(&mut self) -> Step {
        if self.peek() == Some('-') {
            self.skip();
            if !self.peek().ok_or(END)?.is_ascii_digit() {
                return Err(self.bad("in numeric literal"));
            }
        }
        if self.peek() == Some('0') {
            self.skip();
        } else {
            self.digits();
        }
        if self.peek() == Some('.') {
            self.skip();
            if !self.peek().ok_or(END)?.is_ascii_digit() {
                return Err(self.bad("after decimal point in numeric literal"));
            }
            self.digits();
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            self.skip();
            if matches!(self.peek(), Some('+' | '-')) {
                self.skip();
            }
            if !self.peek().ok_or(END)?.is_ascii_digit() {
                return Err(self.bad("in exponent of numeric literal"));
            }
            self.digits();
        }
        Ok(())
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|letter| letter.is_ascii_digit()) {
            self.skip();
        }
    }

    fn literal(&mut self, literal: &str) -> Step {
        for wanted in literal.chars() {
            if self.peek().ok_or(END)? != wanted {
                return Err(
                    self.bad(&format!("in literal {literal} (expecting {})", quoted(wanted)))
                );
            }
            self.skip();
        }
        Ok(())
    }

    fn bad(&self, context: &str) -> String {
        let found = self.rest.chars().next().unwrap_or(' ');
        format!("invalid character {} {context}", quoted(found))
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip(&mut self) {
        let mut letters = self.rest.chars();
        letters.next();
        self.rest = letters.as_str();
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }
}

/// A character in single quotes as Go's scanner prints it: the first byte of a multi-byte character.
fn quoted(letter: char) -> String {
    match letter {
        '\'' => r"'\''".into(),
        '"' => "'\"'".into(),
        '\n' => r"'\n'".into(),
        '\t' => r"'\t'".into(),
        '\r' => r"'\r'".into(),
        '\0'..='\u{1f}' | '\u{7f}' => format!("'\\x{:02x}'", u32::from(letter)),
        other if other.is_ascii() => format!("'{other}'"),
        other => {
            let first = other.encode_utf8(&mut [0; 4]).bytes().next().map_or(' ', char::from);
            format!("'{first}'")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_in_gos_words() {
        for (text, wanted) in [
            ("{", END),
            ("", END),
            ("{}}", "invalid character '}' after top-level value"),
            ("{x", "invalid character 'x' looking for beginning of object key string"),
            ("[1 2]", "invalid character '2' after array element"),
            (r#"{"a" 1}"#, "invalid character '1' after object key"),
            (r#"{"a":1 "b"}"#, "invalid character '\"' after object key:value pair"),
            ("nul!", "invalid character '!' in literal null (expecting 'l')"),
            ("\"\n\"", r"invalid character '\n' in string literal"),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("01", "invalid character '1' after top-level value"),
        ] {
            assert_eq!(explain_or(text, "fine"), wanted, "{text}");
        }
        assert_eq!(explain_or(r#"{"a":[1,-2.5e+3,"\u00e9",true,null]}"#, "fine"), "fine");
    }
}
