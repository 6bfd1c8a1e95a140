//! From words to a tree: the grammar of the language.

use super::scan::{Word, scan};
use super::token::{BEGINNINGS, BEGINNINGS_OR_CLOSE, RESERVED, Token};
use super::{Entry, Expr, Kind, Wrong, literal, macros};
use crate::Value;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// How long an expression may be, in code points.
const LONGEST: usize = 100_000;
/// How deep each rule of the grammar may be nested in itself.
const DEEPEST: u32 = 250;

/// Reads an expression. `version` says which macros there are.
pub(crate) fn parse(text: &str, version: (u32, u32)) -> Result<(Expr, usize), Vec<Wrong>> {
    let length = text.chars().count();
    if length > LONGEST {
        let message =
            format!("expression code point size exceeds limit: size: {length}, limit {LONGEST}");
        return Err(vec![Wrong { at: None, message }]);
    }
    let (words, wrongs) = scan(text);
    let mut parser = Parser {
        words,
        next: 0,
        wrongs,
        factory: Factory { ids: 0 },
        depth: Depth::default(),
        version,
    };
    let parsed = parser.whole();
    match parsed {
        Ok(expr) if parser.wrongs.is_empty() => Ok((expr, parser.factory.ids)),
        Ok(_) => Err(parser.wrongs),
        Err(wrong) => {
            parser.wrongs.push(wrong);
            Err(parser.wrongs)
        }
    }
}

/// Makes expressions, each with its own number.
pub(super) struct Factory {
    ids: usize,
}

impl Factory {
    /// An expression.
    pub(super) fn make(&mut self, at: u32, kind: Kind) -> Expr {
        let id = self.ids;
        self.ids += 1;
        Expr { id, at, kind }
    }

    /// How many expressions were made.
    pub(super) fn made(&self) -> usize {
        self.ids
    }

    /// A call of a function without receiver.
    pub(super) fn call(&mut self, at: u32, function: &str, arguments: Vec<Expr>) -> Expr {
        self.make(at, Kind::Call { target: None, function: function.to_string(), arguments })
    }

    /// A constant.
    pub(super) fn literal(&mut self, at: u32, value: Value<'static>) -> Expr {
        self.make(at, Kind::Literal(value))
    }

    /// A name.
    pub(super) fn ident(&mut self, at: u32, name: &str) -> Expr {
        self.make(at, Kind::Ident(name.to_string()))
    }
}

/// How deep each rule that nests in itself is nested just now.
#[derive(Default)]
struct Depth {
    expr: u32,
    relation: u32,
    calc: u32,
    member: u32,
}

struct Parser<'s> {
    words: Vec<Word<'s>>,
    next: usize,
    wrongs: Vec<Wrong>,
    factory: Factory,
    depth: Depth,
    version: (u32, u32),
}

type Parsed = Result<Expr, Wrong>;

/// Operators of one strength, with the functions that they are.
type Operators = &'static [(Token, &'static str)];

const RELATIONS: Operators = &[
    (Token::Less, "_<_"),
    (Token::LessEqual, "_<=_"),
    (Token::GreaterEqual, "_>=_"),
    (Token::Greater, "_>_"),
    (Token::Equal, "_==_"),
    (Token::NotEqual, "_!=_"),
    (Token::In, "@in"),
];
const SUMS: Operators = &[(Token::Plus, "_+_"), (Token::Minus, "_-_")];
const PRODUCTS: Operators = &[(Token::Star, "_*_"), (Token::Slash, "_/_"), (Token::Percent, "_%_")];

impl<'s> Parser<'s> {
    fn word(&self) -> Word<'s> {
        self.ahead(0)
    }

    fn ahead(&self, distance: usize) -> Word<'s> {
        let end = Word { token: Token::End, text: "<EOF>", at: 0 };
        self.words.get(self.next + distance).or(self.words.last()).copied().unwrap_or(end)
    }

    fn advance(&mut self) -> Word<'s> {
        let word = self.word();
        if word.token != Token::End {
            self.next += 1;
        }
        word
    }

    fn take(&mut self, token: Token) -> Option<Word<'s>> {
        (self.word().token == token).then(|| self.advance())
    }

    /// The function of the operator that stands here, if it is one of these.
    fn operator(&mut self, operators: Operators) -> Option<(&'static str, u32)> {
        let word = self.word();
        let (_, function) = operators.iter().find(|(token, _)| *token == word.token)?;
        self.advance();
        Some((function, word.at))
    }

    fn whole(&mut self) -> Parsed {
        let expr = self.expr()?;
        let word = self.word();
        if word.token == Token::End {
            return Ok(expr);
        }
        let last = self.ahead(1).token == Token::End;
        let how = if last { "extraneous" } else { "mismatched" };
        Err(syntax(word, format!("{how} input '{}' expecting <EOF>", word.text)))
    }

    fn expr(&mut self) -> Parsed {
        enter(&mut self.depth.expr)?;
        let condition = self.either()?;
        let expr = match self.take(Token::Question) {
            None => condition,
            Some(mark) => {
                let truthy = self.either()?;
                self.colon()?;
                let falsy = self.expr()?;
                self.factory.call(mark.at, "_?_:_", vec![condition, truthy, falsy])
            }
        };
        self.depth.expr -= 1;
        Ok(expr)
    }

    fn either(&mut self) -> Parsed {
        let mut terms = vec![self.both()?];
        let mut places = Vec::new();
        while let Some(word) = self.take(Token::Or) {
            terms.push(self.both()?);
            places.push(word.at);
        }
        Ok(self.balance("_||_", terms, &places))
    }

    fn both(&mut self) -> Parsed {
        let mut terms = vec![self.relation()?];
        let mut places = Vec::new();
        while let Some(word) = self.take(Token::And) {
            terms.push(self.relation()?);
            places.push(word.at);
        }
        Ok(self.balance("_&&_", terms, &places))
    }

    /// Terms of one operator as a balanced tree: the order of evaluation stays, the depth is small.
    fn balance(&mut self, function: &str, mut terms: Vec<Expr>, places: &[u32]) -> Expr {
        let middle = places.len() / 2;
        let Some(at) = places.get(middle).copied() else {
            return terms.pop().unwrap_or_else(|| self.factory.literal(0, Value::Null));
        };
        let right = terms.split_off(middle + 1);
        let left = self.balance(function, terms, places.get(..middle).unwrap_or_default());
        let right = self.balance(function, right, places.get(middle + 1..).unwrap_or_default());
        self.factory.call(at, function, vec![left, right])
    }

    fn relation(&mut self) -> Parsed {
        let before = self.depth.relation;
        enter(&mut self.depth.relation)?;
        let mut left = self.sum()?;
        while let Some((function, at)) = self.operator(RELATIONS) {
            enter(&mut self.depth.relation)?;
            let right = self.sum()?;
            left = self.factory.call(at, function, vec![left, right]);
        }
        self.depth.relation = before;
        Ok(left)
    }

    fn sum(&mut self) -> Parsed {
        let before = self.depth.calc;
        enter(&mut self.depth.calc)?;
        let mut left = self.product()?;
        while let Some((function, at)) = self.operator(SUMS) {
            enter(&mut self.depth.calc)?;
            let right = self.product()?;
            left = self.factory.call(at, function, vec![left, right]);
        }
        self.depth.calc = before;
        Ok(left)
    }

    fn product(&mut self) -> Parsed {
        let before = self.depth.calc;
        let mut left = self.unary()?;
        while let Some((function, at)) = self.operator(PRODUCTS) {
            enter(&mut self.depth.calc)?;
            let right = self.unary()?;
            left = self.factory.call(at, function, vec![left, right]);
        }
        self.depth.calc = before;
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        let word = self.word();
        let function = match word.token {
            Token::Not => "!_",
            // A single sign before a number is part of the number.
            Token::Minus if !matches!(self.ahead(1).token, Token::Int | Token::Float) => "-_",
            _ => return self.member(),
        };
        let mut count = 0_usize;
        while self.take(word.token).is_some() {
            count += 1;
        }
        let next = self.word();
        if matches!(next.token, Token::Not)
            || (next.token == Token::Minus
                && word.token == Token::Not
                && !matches!(self.ahead(1).token, Token::Int | Token::Float))
        {
            let message = format!("no viable alternative at input '{}{}'", word.text, next.text);
            return Err(syntax(next, message));
        }
        let operand = self.member()?;
        if count % 2 == 0 {
            return Ok(operand);
        }
        Ok(self.factory.call(word.at, function, vec![operand]))
    }

    fn member(&mut self) -> Parsed {
        let before = self.depth.member;
        enter(&mut self.depth.member)?;
        let mut expr = self.primary()?;
        loop {
            let word = self.word();
            expr = match word.token {
                Token::Dot => self.dot(expr)?,
                Token::OpenBracket => self.index(expr)?,
                Token::OpenBrace => match expr.qualified_name() {
                    Some(name) => self.message(name)?,
                    None => break,
                },
                _ => break,
            };
            enter(&mut self.depth.member)?;
        }
        self.depth.member = before;
        Ok(expr)
    }

    fn dot(&mut self, operand: Expr) -> Parsed {
        let dot = self.advance();
        let optional = self.take(Token::Question).is_some();
        let name = self.word();
        let field = match name.token {
            Token::Ident => {
                self.advance();
                name.text.to_string()
            }
            Token::EscapedIdent => {
                self.advance();
                self.report(name.at, "unsupported syntax: '`'".to_string());
                String::new()
            }
            Token::True | Token::False | Token::Null => {
                let message = format!("mismatched input '{}' expecting IDENTIFIER", name.text);
                return Err(syntax(name, message));
            }
            _ => {
                let shown = if name.token == Token::End { "" } else { name.text };
                return Err(syntax(name, format!("no viable alternative at input '.{shown}'")));
            }
        };
        if optional {
            let label = self.factory.literal(name.at, Value::text(field));
            return Ok(self.factory.call(dot.at, "_?._", vec![operand, label]));
        }
        match self.take(Token::OpenParen) {
            None => {
                let operand = Box::new(operand);
                Ok(self.factory.make(dot.at, Kind::Select { operand, field, test: false }))
            }
            Some(open) => {
                let arguments = self.arguments()?;
                Ok(self.called(open.at, Some(operand), field, arguments))
            }
        }
    }

    fn index(&mut self, operand: Expr) -> Parsed {
        let open = self.advance();
        let optional = self.take(Token::Question).is_some();
        let index = self.expr()?;
        self.close(Token::CloseBracket, "']'", "']'")?;
        let function = if optional { "_[?_]" } else { "_[_]" };
        Ok(self.factory.call(open.at, function, vec![operand, index]))
    }

    fn message(&mut self, name: String) -> Parsed {
        let open = self.advance();
        let mut values = Vec::new();
        while !matches!(self.word().token, Token::CloseBrace | Token::Comma) {
            self.take(Token::Question);
            let field = self.word();
            if field.token != Token::Ident {
                let shown = format!(
                    "mismatched input '{}' expecting {{'}}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}}",
                    field.text
                );
                return Err(syntax(field, shown));
            }
            self.advance();
            self.colon()?;
            values.push(self.expr()?);
            if self.take(Token::Comma).is_none() {
                break;
            }
        }
        self.take(Token::Comma);
        self.close(Token::CloseBrace, "{'}', ','}", "'}'")?;
        Ok(self.factory.make(open.at, Kind::Struct { name, values }))
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, Wrong> {
        let mut arguments = Vec::new();
        if self.take(Token::CloseParen).is_some() {
            return Ok(arguments);
        }
        if !self.begins(0) {
            return Err(self.unexpected(BEGINNINGS_OR_CLOSE));
        }
        loop {
            arguments.push(self.expr()?);
            if self.take(Token::Comma).is_none() {
                break;
            }
        }
        self.close(Token::CloseParen, "{')', ','}", "')'")?;
        Ok(arguments)
    }

    fn primary(&mut self) -> Parsed {
        let word = self.word();
        match word.token {
            Token::Ident => self.name(""),
            Token::Dot if self.ahead(1).token == Token::Ident => {
                self.advance();
                self.name(".")
            }
            Token::OpenParen => {
                self.advance();
                let inner = self.expr()?;
                self.close(Token::CloseParen, "')'", "')'")?;
                Ok(inner)
            }
            Token::OpenBracket => self.list(),
            Token::OpenBrace => self.map(),
            _ => self.constant(),
        }
    }

    fn name(&mut self, dot: &str) -> Parsed {
        let word = self.advance();
        let open = self.take(Token::OpenParen);
        if RESERVED.contains(&word.text) {
            self.report(word.at, format!("reserved identifier: {}", word.text));
        }
        let name = format!("{dot}{}", word.text);
        match open {
            None => Ok(self.factory.make(word.at, Kind::Ident(name))),
            Some(open) => {
                let arguments = self.arguments()?;
                Ok(self.called(open.at, None, name, arguments))
            }
        }
    }

    fn called(
        &mut self,
        at: u32,
        target: Option<Expr>,
        function: String,
        arguments: Vec<Expr>,
    ) -> Expr {
        let call = macros::Call { at, target, function, arguments };
        match macros::expand(&mut self.factory, call, self.version) {
            Ok(expr) => expr,
            Err(wrong) => {
                self.wrongs.push(wrong);
                self.factory.literal(at, Value::Null)
            }
        }
    }

    fn list(&mut self) -> Parsed {
        let open = self.advance();
        let mut items = Vec::new();
        while !matches!(self.word().token, Token::CloseBracket | Token::Comma) {
            let optional = self.take(Token::Question).is_some();
            items.push((self.expr()?, optional));
            if self.take(Token::Comma).is_none() {
                break;
            }
        }
        if items.is_empty() {
            self.take(Token::Comma);
        }
        self.close(Token::CloseBracket, "{']', ','}", "']'")?;
        Ok(self.factory.make(open.at, Kind::List(items)))
    }

    fn map(&mut self) -> Parsed {
        let open = self.advance();
        let mut entries = Vec::new();
        while !matches!(self.word().token, Token::CloseBrace | Token::Comma) {
            let optional = self.take(Token::Question).is_some();
            let key = self.expr()?;
            self.colon()?;
            let value = self.expr()?;
            entries.push(Entry { key, value, optional });
            if self.take(Token::Comma).is_none() {
                break;
            }
        }
        if entries.is_empty() {
            self.take(Token::Comma);
        }
        self.close(Token::CloseBrace, "{'}', ','}", "'}'")?;
        Ok(self.factory.make(open.at, Kind::Map(entries)))
    }

    fn constant(&mut self) -> Parsed {
        let first = self.word();
        let negative =
            first.token == Token::Minus && matches!(self.ahead(1).token, Token::Int | Token::Float);
        let word = if negative { self.ahead(1) } else { first };
        let text = word.text;
        let value = match word.token {
            Token::Int => literal::int(text, negative).map(Value::Int).ok_or("invalid int literal"),
            Token::Uint => literal::uint(text.trim_end_matches(['u', 'U']))
                .map(Value::Uint)
                .ok_or("invalid uint literal"),
            Token::Float => {
                literal::double(text, negative).map(Value::Double).ok_or("invalid double literal")
            }
            Token::Text => literal::text(text).map(Value::from),
            Token::Bytes => literal::bytes(text).map(Value::bytes),
            Token::True => Ok(Value::Bool(true)),
            Token::False => Ok(Value::Bool(false)),
            Token::Null => Ok(Value::Null),
            _ => return Err(self.unexpected(BEGINNINGS)),
        };
        self.next += 1 + usize::from(negative);
        let value = value.unwrap_or_else(|message| {
            self.report(first.at, message.to_string());
            Value::Null
        });
        Ok(self.factory.literal(first.at, value))
    }

    /// Whether the word at a distance can begin an expression.
    fn begins(&self, distance: usize) -> bool {
        use Token::{
            Bytes, Dot, False, Float, Ident, Int, Minus, Not, Null, OpenBrace, OpenBracket,
            OpenParen, Text, True, Uint,
        };
        matches!(
            self.ahead(distance).token,
            Bytes
                | Dot
                | False
                | Float
                | Ident
                | Int
                | Minus
                | Not
                | Null
                | OpenBrace
                | OpenBracket
                | OpenParen
                | Text
                | True
                | Uint
        )
    }

    fn unexpected(&self, expected: &str) -> Wrong {
        let word = self.word();
        let extra = word.token != Token::End && self.begins(1);
        let how = if extra { "extraneous" } else { "mismatched" };
        syntax(word, format!("{how} input '{}' expecting {expected}", word.text))
    }

    fn colon(&mut self) -> Result<(), Wrong> {
        if self.take(Token::Colon).is_some() {
            return Ok(());
        }
        let word = self.word();
        let message = if self.begins(0) {
            format!("missing ':' at '{}'", word.text)
        } else {
            format!("mismatched input '{}' expecting ':'", word.text)
        };
        Err(syntax(word, message))
    }

    fn close(&mut self, token: Token, expected: &str, sign: &str) -> Result<(), Wrong> {
        if self.take(token).is_some() {
            return Ok(());
        }
        let word = self.word();
        let message = if expected == sign && !self.begins(0) {
            format!("missing {sign} at '{}'", word.text)
        } else if self.ahead(1).token == token {
            format!("extraneous input '{}' expecting {expected}", word.text)
        } else {
            format!("mismatched input '{}' expecting {expected}", word.text)
        };
        Err(syntax(word, message))
    }

    fn report(&mut self, at: u32, message: String) {
        self.wrongs.push(Wrong { at: Some(at), message });
    }
}

fn syntax(word: Word<'_>, message: String) -> Wrong {
    Wrong { at: Some(word.at), message: format!("Syntax error: {message}") }
}

fn enter(depth: &mut u32) -> Result<(), Wrong> {
    *depth += 1;
    if *depth > DEEPEST {
        let message = format!("expression recursion limit exceeded: {DEEPEST}");
        return Err(Wrong { at: None, message });
    }
    Ok(())
}
