//! Tokens of Rust source: words, literals and punctuation, each with its line.

use crate::code;

/// A token's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or a keyword, without `r#`.
    Word,
    /// A string, a character or a number.
    Literal,
    /// `::`, or a single character.
    Punctuation,
}

/// A word, a literal or a sign of Rust code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind,
    pub(crate) text: &'t str,
    /// Counted from one.
    pub(crate) line: usize,
}

impl<'t> Token<'t> {
    /// Whether it is this keyword or punctuation.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Literal && self.text == text
    }

    /// The identifier or keyword.
    pub(crate) fn identifier(&self) -> Option<&'t str> {
        (self.kind == Kind::Word).then_some(self.text)
    }

    /// The contents of a string literal, escapes as they are written.
    pub(crate) fn string(&self) -> Option<&'t str> {
        let text = self.text.trim_start_matches(['b', 'c', 'r']).trim_matches('#');
        text.strip_prefix('"')?.strip_suffix('"').filter(|_| self.kind == Kind::Literal)
    }
}

/// The tokens of a source text, without comments and lifetimes.
pub(crate) fn of(text: &str) -> Vec<Token<'_>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut tokens, mut rest, mut line) = (Vec::new(), text, 1);
    while let Some(first) = rest.chars().next() {
        let word = |text: &str| text.find(|c| !is_word(c)).unwrap_or(text.len());
        let raw = rest.strip_prefix("r#").filter(|name| name.starts_with(is_word));
        let (kind, length) = if let Some(length) = code::comment(rest) {
            (None, length)
        } else if let Some(length) = code::literal(rest, false) {
            (Some(Kind::Literal), length)
        } else if let Some(name) = raw {
            (Some(Kind::Word), 2 + word(name))
        } else if matches!(rest.as_bytes(), [b'b' | b'c', b'"' | b'\'', ..]) {
            let length = code::literal(rest.split_at(1).1, true);
            (Some(Kind::Literal), 1 + length.unwrap_or(0))
        } else if first == '\'' {
            (None, 1 + word(rest.split_at(1).1))
        } else if first.is_ascii_digit() {
            (Some(Kind::Literal), word(rest))
        } else if is_word(first) {
            (Some(Kind::Word), word(rest))
        } else if first.is_whitespace() {
            (None, first.len_utf8())
        } else {
            let length = if rest.starts_with("::") { 2 } else { first.len_utf8() };
            (Some(Kind::Punctuation), length)
        };
        let (text, left) = rest.split_at(length);
        if let Some(kind) = kind {
            let text = if kind == Kind::Word { text.trim_start_matches("r#") } else { text };
            tokens.push(Token { kind, text, line });
        }
        line += text.matches('\n').count();
        rest = left;
    }
    tokens
}

/// The tokens without attributes, and without the items, statements and fields under `#[cfg(test)]`.
pub(crate) fn without_tests<'t>(tokens: &[Token<'t>]) -> Vec<Token<'t>> {
    let (mut rest, mut at) = (Vec::new(), 0);
    while let Some(token) = tokens.get(at) {
        match attribute_end(tokens, at) {
            Some(end) => {
                let is_test = is_cfg_test(tokens.get(at..end).unwrap_or_default());
                at = if is_test { item_end(tokens, end) } else { end };
            }
            None => {
                rest.push(*token);
                at += 1;
            }
        }
    }
    rest
}

/// The index after the attribute that begins here.
fn attribute_end(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let is = |index: usize, text: &str| tokens.get(index).is_some_and(|token| token.is(text));
    let open = at + if is(at + 1, "!") { 2 } else { 1 };
    (is(at, "#") && is(open, "[")).then(|| group_end(tokens, open))
}

/// Whether an attribute is `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn is_cfg_test(attribute: &[Token<'_>]) -> bool {
    let has = |word: &str| attribute.iter().any(|token| token.is(word));
    attribute.get(2).is_some_and(|token| token.is("cfg"))
        && has("test")
        && !has("not")
        && !has("any")
}

/// The index after the bracket that closes the one at `open`.
pub(crate) fn group_end(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        if ["(", "[", "{"].iter().any(|bracket| token.is(bracket)) {
            depth += 1;
        } else if [")", "]", "}"].iter().any(|bracket| token.is(bracket)) {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// The index after the item, statement, arm or field that begins here.
fn item_end(tokens: &[Token<'_>], start: usize) -> usize {
    let mut at = start;
    while let Some(end) = attribute_end(tokens, at) {
        at = end;
    }
    let is_modifier = |word: &&str| {
        matches!(*word, "pub" | "crate" | "super" | "self" | "in" | "unsafe" | "async" | "extern")
    };
    let rest = tokens.get(at..).unwrap_or_default().iter();
    let mut words = rest.filter_map(Token::identifier).skip_while(is_modifier);
    let (head, next) = (words.next(), words.find(|word| !is_modifier(word)));
    let ends_with_semicolon = matches!(head, Some("use" | "static" | "let" | "type"))
        || (head == Some("const") && next != Some("fn"));
    let is_item = ends_with_semicolon
        || ["const", "fn", "struct", "enum", "impl", "mod", "trait", "macro_rules"]
            .iter()
            .any(|word| head == Some(*word));
    while let Some(token) = tokens.get(at) {
        if ["(", "[", "{"].iter().any(|bracket| token.is(bracket)) {
            at = group_end(tokens, at);
            if token.is("{") && !ends_with_semicolon {
                return at;
            }
        } else if [")", "]", "}"].iter().any(|bracket| token.is(bracket)) {
            return at;
        } else if token.is(";") || (token.is(",") && !is_item) {
            return at + 1;
        } else {
            at += 1;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        of(text).iter().map(|token| token.text).collect()
    }

    fn rest(text: &str) -> String {
        let rest: Vec<&str> = without_tests(&of(text)).iter().map(|token| token.text).collect();
        rest.join(" ")
    }

    #[test]
    fn words_literals_and_paths_stay_whole() {
        assert_eq!(
            texts("fn a<'x>(r#type: &'x a::B) { b'y'; \"z // w\" } // gone"),
            [
                "fn",
                "a",
                "<",
                ">",
                "(",
                "type",
                ":",
                "&",
                "a",
                "::",
                "B",
                ")",
                "{",
                "b'y'",
                ";",
                "\"z // w\"",
                "}"
            ]
        );
        let lines: Vec<usize> =
            of("a\n/* b\n */ c\n\"d\ne\" f").iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 3, 4, 5]);
    }

    #[test]
    fn a_string_gives_its_contents() {
        let strings: Vec<Option<&str>> =
            of("\"a\" r#\"b\"# b\"c\" 'd' 5 e").iter().map(Token::string).collect();
        assert_eq!(strings, [Some("a"), Some("b"), Some("c"), None, None, None]);
    }

    #[test]
    fn what_is_for_tests_goes() {
        for text in [
            "#[cfg(test)] mod tests { fn f() {} } fn g() {}",
            "#[cfg(test)] #[path = \"x.rs\"] mod tests; fn g() {}",
            "#[cfg(test)] pub(crate) fn f<A, B>(a: A) -> [B; 2] { x } fn g() {}",
            "#[cfg(test)] use a::{b, c}; fn g() {}",
            "#[cfg(all(test, unix))] const A: B = B { c }; fn g() {}",
            "#[cfg(test)] const fn f() {} fn g() {}",
            "#[inline] fn g() {}",
        ] {
            assert_eq!(rest(text), "fn g ( ) { }", "{text}");
        }
        assert_eq!(rest("struct A { #[cfg(test)] b: Vec<C>, d: E }"), "struct A { d : E }");
        assert_eq!(rest("#[cfg(not(test))] fn g() {}"), "fn g ( ) { }");
    }
}
