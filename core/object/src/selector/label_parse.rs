//! The text syntax of label selectors: `a=b,c in (d,e),!f`.

use super::label::{LabelOp, LabelSelector, Requirement};
use super::label_name::label_key_faults;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_net::Quoted;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    End,
    Close,
    Comma,
    Not,
    Open,
    Identifier,
    Operator(LabelOp),
}

/// Tokens of special characters; the longest match wins.
const SYMBOLS: [(&str, Token); 9] = [
    ("==", Token::Operator(LabelOp::DoubleEquals)),
    ("!=", Token::Operator(LabelOp::NotEquals)),
    ("=", Token::Operator(LabelOp::Equals)),
    (">", Token::Operator(LabelOp::GreaterThan)),
    ("<", Token::Operator(LabelOp::LessThan)),
    (")", Token::Close),
    (",", Token::Comma),
    ("!", Token::Not),
    ("(", Token::Open),
];

/// Tokens of letters; in the position of a value they are values.
const KEYWORDS: [(&str, Token); 2] =
    [("in", Token::Operator(LabelOp::In)), ("notin", Token::Operator(LabelOp::NotIn))];

const BINARY: &str = "in, notin, =, ==, !=, gt, lt";

impl LabelSelector {
    /// Parses a selector; the error is the API server's message. An empty text matches
    /// everything.
    pub fn parse(text: &str) -> Result<Self, String> {
        Parser { items: scan(text), at: 0 }.selector().map(Self::new)
    }
}

fn is_special(letter: char) -> bool {
    matches!(letter, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}

/// Splits a text into tokens. A zero byte ends the token before it, and the text if there is none.
fn scan(text: &str) -> Vec<(Token, &str)> {
    let mut items = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() && !rest.starts_with('\0') {
        let symbol = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol));
        let (token, length) = match symbol {
            Some((symbol, token)) => (*token, symbol.len()),
            None => {
                let is_end = |letter| is_special(letter) || is_space(letter) || letter == '\0';
                let length = rest.find(is_end).unwrap_or(rest.len());
                let identifier = rest.get(..length).unwrap_or_default();
                let keyword = KEYWORDS.iter().find(|(keyword, _)| *keyword == identifier);
                (keyword.map_or(Token::Identifier, |(_, token)| *token), length)
            }
        };
        let (literal, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        items.push((token, literal));
        let after = after.strip_prefix('\0').unwrap_or(after);
        rest = after.trim_start_matches(is_space);
    }
    items.push((Token::End, ""));
    items
}

struct Parser<'t> {
    items: Vec<(Token, &'t str)>,
    at: usize,
}

impl<'t> Parser<'t> {
    /// The next token, with `in` and `notin` as plain identifiers.
    fn peek_value(&self) -> (Token, &'t str) {
        match self.items.get(self.at).copied().unwrap_or((Token::End, "")) {
            (Token::Operator(LabelOp::In | LabelOp::NotIn), literal) => {
                (Token::Identifier, literal)
            }
            item => item,
        }
    }

    fn take(&mut self) -> (Token, &'t str) {
        let item = self.peek_value();
        self.at += 1;
        item
    }

    fn selector(mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        loop {
            match self.peek_value() {
                (Token::Identifier | Token::Not, _) => {
                    let requirement = self
                        .requirement()
                        .map_err(|error| format!("unable to parse requirement: {error}"))?;
                    requirements.push(requirement);
                }
                (Token::End, _) => return Ok(requirements),
                (_, literal) => {
                    return Err(format!(
                        "found '{literal}', expected: !, identifier, or 'end of string'"
                    ));
                }
            }
            match self.take() {
                (Token::End, _) => return Ok(requirements),
                (Token::Comma, _) => {}
                (_, literal) => {
                    return Err(format!("found '{literal}', expected: ',' or 'end of string'"));
                }
            }
            if let (token, literal) = self.peek_value()
                && !matches!(token, Token::Identifier | Token::Not)
            {
                return Err(format!("found '{literal}', expected: identifier after ','"));
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let (mut token, mut key) = self.take();
        let is_negated = token == Token::Not;
        if is_negated {
            (token, key) = self.take();
        }
        if token != Token::Identifier {
            return Err(format!("found '{key}', expected: identifier"));
        }
        let faults = label_key_faults(key);
        if !faults.is_empty() {
            let faults = faults.join("; ");
            return Err(format!("<nil>: Invalid value: {}: {faults}", Quoted(key)));
        }
        if is_negated {
            return Requirement::new(key, LabelOp::DoesNotExist, Vec::new());
        }
        if matches!(self.peek_value().0, Token::End | Token::Comma) {
            return Requirement::new(key, LabelOp::Exists, Vec::new());
        }
        let op = self.operator()?;
        let values = match op {
            LabelOp::In | LabelOp::NotIn => self.values()?,
            _ => self.exact_value()?,
        };
        Requirement::new(key, op, values.into_iter().map(String::from).collect())
    }

    fn operator(&mut self) -> Result<LabelOp, String> {
        let item = self.items.get(self.at).copied().unwrap_or((Token::End, ""));
        self.at += 1;
        match item {
            (Token::Operator(op), _) => Ok(op),
            (_, literal) => Err(format!("found '{literal}', expected: {BINARY}")),
        }
    }

    /// `(a,b)`; nothing between commas is the empty value.
    fn values(&mut self) -> Result<BTreeSet<&'t str>, String> {
        let (token, literal) = self.take();
        if token != Token::Open {
            return Err(format!("found '{literal}' expected: '('"));
        }
        match self.peek_value() {
            (Token::Identifier | Token::Comma, _) => {}
            (Token::Close, _) => {
                self.take();
                return Ok(BTreeSet::from([""]));
            }
            (_, literal) => {
                return Err(format!("found '{literal}', expected: ',', ')' or identifier"));
            }
        }
        let mut values = BTreeSet::new();
        loop {
            match self.take() {
                (Token::Identifier, value) => {
                    values.insert(value);
                    match self.peek_value() {
                        (Token::Comma | Token::Close, _) => {}
                        (_, literal) => {
                            return Err(format!("found '{literal}', expected: ',' or ')'"));
                        }
                    }
                }
                (Token::Comma, _) => {
                    let next = self.peek_value().0;
                    if values.is_empty() || matches!(next, Token::Comma | Token::Close) {
                        values.insert("");
                    }
                }
                (_, literal) => {
                    return Err(format!("found '{literal}', expected: ',', or identifier"));
                }
            }
            if self.peek_value().0 == Token::Close {
                self.take();
                return Ok(values);
            }
        }
    }

    /// The value after an operator such as `=`; a missing one is the empty value.
    fn exact_value(&mut self) -> Result<BTreeSet<&'t str>, String> {
        if matches!(self.peek_value().0, Token::End | Token::Comma) {
            return Ok(BTreeSet::from([""]));
        }
        match self.take() {
            (Token::Identifier, value) => Ok(BTreeSet::from([value])),
            (_, literal) => Err(format!("found '{literal}', expected: identifier")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use proptest::prelude::*;

    #[test]
    fn selectors_are_read() {
        for (text, formatted) in [
            ("", ""),
            ("  ", ""),
            ("x=a,y=b,z=c", "x=a,y=b,z=c"),
            ("z=c,x==a,y!=b", "x==a,y!=b,z=c"),
            ("x=", "x="),
            ("x= ,z= ", "x=,z="),
            (" x , ! y ", "x,!y"),
            ("x in (b,a)", "x in (a,b)"),
            ("x notin ( a , )", "x notin (,a)"),
            ("x in ()", "x in ()"),
            ("x in (,)", "x in ()"),
            ("x in (,,a)", "x in (,a)"),
            ("in in (in,notin)", "in in (in,notin)"),
            ("notin=in", "notin=in"),
            ("x>1,y<-0", "x>1,y<-0"),
            ("a.b/c=d", "a.b/c=d"),
        ] {
            let result = LabelSelector::parse(text).map(|selector| selector.to_string());
            // A value cannot begin with a dash, even where it is a number.
            if text.contains("<-") {
                assert!(result.is_err());
            } else {
                assert_eq!(result.as_deref(), Ok(formatted), "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_selector_is_refused_in_the_apis_words() {
        for (text, error) in [
            ("!!a", "unable to parse requirement: found '!', expected: identifier"),
            ("!", "unable to parse requirement: found '', expected: identifier"),
            (
                "a b",
                "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
            ),
            ("a in", "unable to parse requirement: found '' expected: '('"),
            ("a in b", "unable to parse requirement: found 'b' expected: '('"),
            ("a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"),
            ("a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
            ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
            ("a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"),
            ("a in (b,", "unable to parse requirement: found '', expected: ',', or identifier"),
            ("a===b", "unable to parse requirement: found '=', expected: identifier"),
            ("a=(b)", "unable to parse requirement: found '(', expected: identifier"),
            ("a,", "found '', expected: identifier after ','"),
            ("a,,b", "found ',', expected: identifier after ','"),
            ("a=b c", "found 'c', expected: ',' or 'end of string'"),
            ("!a=b", "found '=', expected: ',' or 'end of string'"),
            (",a", "found ',', expected: !, identifier, or 'end of string'"),
            ("=a", "found '=', expected: !, identifier, or 'end of string'"),
            (
                "a>x",
                "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        ] {
            assert_eq!(LabelSelector::parse(text), Err(error.into()), "{text}");
        }
        let key = LabelSelector::parse("a/b/c").unwrap_err();
        assert!(key.starts_with("unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a valid label key must"), "{key}");
        let value = LabelSelector::parse("a=b@").unwrap_err();
        assert!(value.starts_with("unable to parse requirement: values[0][a]: Invalid value: \"b@\": a valid label must"), "{value}");
    }

    #[test]
    fn matching() {
        let holds = |text: &str| {
            LabelSelector::parse(text).unwrap().matches(|key| match key {
                "a" => Some("x"),
                "n" => Some("5"),
                _ => None,
            })
        };
        for text in [
            "",
            "a",
            "!b",
            "a=x",
            "a==x",
            "a!=z",
            "b!=x",
            "a in (x,y)",
            "b notin (x)",
            "n>4",
            "n<6",
            "a,n",
        ] {
            assert!(holds(text), "{text}");
        }
        for text in [
            "b",
            "!a",
            "a=z",
            "b=",
            "a!=x",
            "a in (y)",
            "b in ()",
            "a notin (x)",
            "n>5",
            "n<5",
            "a>1",
            "b>1",
            "a,b",
        ] {
            assert!(!holds(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(text in "[ab!=<>(), \u{0}é/.-]{0,12}|(a|in|notin|,|\\(|\\)|=| ){0,9}") {
            if let Ok(selector) = LabelSelector::parse(&text) {
                let formatted = selector.to_string();
                prop_assert_eq!(LabelSelector::parse(&formatted), Ok(selector), "{}", formatted);
            }
        }
    }
}
