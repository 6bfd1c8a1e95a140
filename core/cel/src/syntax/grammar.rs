//! From words to a tree: the grammar of the language.

use super::scan::{Word, scan};
use super::token::{BEGINNINGS_OR_CLOSE, RESERVED, Token};
use super::{Expr, Kind, Wrong, macros};
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
/// How deep expressions may be nested in expressions: less than in the reference, whose stack grows.
const DEEPEST_NESTING: u32 = 128;

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

pub(super) struct Parser<'s> {
    words: Vec<Word<'s>>,
    pub(super) next: usize,
    wrongs: Vec<Wrong>,
    pub(super) factory: Factory,
    depth: Depth,
    version: (u32, u32),
}

pub(super) type Parsed = Result<Expr, Wrong>;

/// Operators with their strengths and the functions that they are.
const OPERATORS: &[(Token, u8, &str)] = &[
    (Token::Or, 0, "_||_"),
    (Token::And, 1, "_&&_"),
    (Token::Less, RELATION, "_<_"),
    (Token::LessEqual, RELATION, "_<=_"),
    (Token::GreaterEqual, RELATION, "_>=_"),
    (Token::Greater, RELATION, "_>_"),
    (Token::Equal, RELATION, "_==_"),
    (Token::NotEqual, RELATION, "_!=_"),
    (Token::In, RELATION, "@in"),
    (Token::Plus, SUM, "_+_"),
    (Token::Minus, SUM, "_-_"),
    (Token::Star, 4, "_*_"),
    (Token::Slash, 4, "_/_"),
    (Token::Percent, 4, "_%_"),
];
const RELATION: u8 = 2;
const SUM: u8 = 3;

impl<'s> Parser<'s> {
    pub(super) fn word(&self) -> Word<'s> {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, distance: usize) -> Word<'s> {
        let end = Word { token: Token::End, text: "<EOF>", at: 0 };
        self.words.get(self.next + distance).or(self.words.last()).copied().unwrap_or(end)
    }

    pub(super) fn advance(&mut self) -> Word<'s> {
        let word = self.word();
        if word.token != Token::End {
            self.next += 1;
        }
        word
    }

    pub(super) fn take(&mut self, token: Token) -> Option<Word<'s>> {
        (self.word().token == token).then(|| self.advance())
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

    pub(super) fn expr(&mut self) -> Parsed {
        enter(&mut self.depth.expr, DEEPEST_NESTING)?;
        let condition = self.operators(0)?;
        let expr = match self.take(Token::Question) {
            None => condition,
            Some(mark) => {
                let truthy = self.operators(0)?;
                self.colon()?;
                let falsy = self.expr()?;
                self.factory.call(mark.at, "_?_:_", vec![condition, truthy, falsy])
            }
        };
        self.depth.expr -= 1;
        Ok(expr)
    }

    /// Operators of at least `strength`, left to right.
    fn operators(&mut self, strength: u8) -> Parsed {
        let before = (self.depth.relation, self.depth.calc);
        if strength <= RELATION {
            enter(&mut self.depth.relation, DEEPEST)?;
        }
        if strength <= SUM {
            enter(&mut self.depth.calc, DEEPEST)?;
        }
        let mut left = self.unary()?;
        while let Some((level, function, at)) = self.operator(strength) {
            left = if level < RELATION {
                self.logic(level, function, left)?
            } else {
                self.advance();
                let depth =
                    if level == RELATION { &mut self.depth.relation } else { &mut self.depth.calc };
                enter(depth, DEEPEST)?;
                let right = self.operators(level + 1)?;
                self.factory.call(at, function, vec![left, right])
            };
        }
        (self.depth.relation, self.depth.calc) = before;
        Ok(left)
    }

    /// Terms with one of `&&` and `||` between them.
    fn logic(&mut self, level: u8, function: &'static str, first: Expr) -> Parsed {
        let mut terms = vec![first];
        let mut places = Vec::new();
        while let Some((_, _, at)) = self.operator(level).filter(|(found, ..)| *found == level) {
            self.advance();
            terms.push(self.operators(level + 1)?);
            places.push(at);
        }
        Ok(self.balance(function, terms, &places))
    }

    /// The operator that stands here, if it is at least so strong.
    fn operator(&self, strength: u8) -> Option<(u8, &'static str, u32)> {
        let word = self.word();
        let (_, level, function) = OPERATORS.iter().find(|(token, ..)| *token == word.token)?;
        (*level >= strength).then_some((*level, function, word.at))
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
        if count.is_multiple_of(2) {
            return Ok(operand);
        }
        Ok(self.factory.call(word.at, function, vec![operand]))
    }

    fn member(&mut self) -> Parsed {
        let before = self.depth.member;
        enter(&mut self.depth.member, DEEPEST)?;
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
            enter(&mut self.depth.member, DEEPEST)?;
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

    pub(super) fn unexpected(&self, expected: &str) -> Wrong {
        let word = self.word();
        let extra = word.token != Token::End && self.begins(1);
        let how = if extra { "extraneous" } else { "mismatched" };
        syntax(word, format!("{how} input '{}' expecting {expected}", word.text))
    }

    pub(super) fn colon(&mut self) -> Result<(), Wrong> {
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

    pub(super) fn close(&mut self, token: Token, expected: &str, sign: &str) -> Result<(), Wrong> {
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

    pub(super) fn report(&mut self, at: u32, message: String) {
        self.wrongs.push(Wrong { at: Some(at), message });
    }
}

pub(super) fn syntax(word: Word<'_>, message: String) -> Wrong {
    Wrong { at: Some(word.at), message: format!("Syntax error: {message}") }
}

fn enter(depth: &mut u32, deepest: u32) -> Result<(), Wrong> {
    *depth += 1;
    if *depth > deepest {
        let message = format!("expression recursion limit exceeded: {DEEPEST}");
        return Err(Wrong { at: None, message });
    }
    Ok(())
}
