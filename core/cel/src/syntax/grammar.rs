//! The recursive-descent parser: from tokens to an expression tree.

use super::scan::{Token, scan};
use super::token::{BEGINNINGS_OR_CLOSE, BEGINNINGS_OR_OPTIONAL, RESERVED, TokenKind};
use super::{Expr, Kind, SourceError, macros};
use crate::Value;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// The length limit of an expression, in code points.
const MAX_CODE_POINTS: usize = 100_000;
/// The limit of each grammar rule's nesting in itself.
const MAX_RULE_DEPTH: u32 = 250;
/// The nesting limit of expressions: less than in the reference, whose stack grows.
const MAX_NESTING: u32 = 128;

/// Parses an expression. `version` determines the available macros.
pub(crate) fn parse(text: &str, version: (u32, u32)) -> Result<(Expr, usize), Vec<SourceError>> {
    let length = text.chars().count();
    if length > MAX_CODE_POINTS {
        let message = format!(
            "expression code point size exceeds limit: size: {length}, limit {MAX_CODE_POINTS}"
        );
        return Err(vec![SourceError { at: None, message }]);
    }
    let (tokens, errors) = scan(text);
    let mut parser = Parser {
        tokens,
        next: 0,
        errors,
        factory: Factory { ids: 0 },
        depth: Depth::default(),
        version,
    };
    let parsed = parser.whole();
    match parsed {
        Ok(expr) if parser.errors.is_empty() => Ok((expr, parser.factory.ids)),
        Ok(_) => Err(parser.errors),
        Err(source_error) => {
            parser.errors.push(source_error);
            Err(parser.errors)
        }
    }
}

/// Creates expressions, each with an id of its own.
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

    /// The number of expressions created.
    pub(super) fn count(&self) -> usize {
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

/// The current nesting of each rule that nests in itself.
#[derive(Default)]
struct Depth {
    expr: u32,
    relation: u32,
    calc: u32,
    member: u32,
}

pub(super) struct Parser<'s> {
    tokens: Vec<Token<'s>>,
    pub(super) next: usize,
    errors: Vec<SourceError>,
    pub(super) factory: Factory,
    depth: Depth,
    version: (u32, u32),
}

pub(super) type Parsed = Result<Expr, SourceError>;

/// Operators with their precedence and their function names.
const OPERATORS: &[(TokenKind, u8, &str)] = &[
    (TokenKind::Or, 0, "_||_"),
    (TokenKind::And, 1, "_&&_"),
    (TokenKind::Less, RELATION, "_<_"),
    (TokenKind::LessEqual, RELATION, "_<=_"),
    (TokenKind::GreaterEqual, RELATION, "_>=_"),
    (TokenKind::Greater, RELATION, "_>_"),
    (TokenKind::Equal, RELATION, "_==_"),
    (TokenKind::NotEqual, RELATION, "_!=_"),
    (TokenKind::In, RELATION, "@in"),
    (TokenKind::Plus, SUM, "_+_"),
    (TokenKind::Minus, SUM, "_-_"),
    (TokenKind::Star, 4, "_*_"),
    (TokenKind::Slash, 4, "_/_"),
    (TokenKind::Percent, 4, "_%_"),
];
const RELATION: u8 = 2;
const SUM: u8 = 3;

impl<'s> Parser<'s> {
    pub(super) fn peek(&self) -> Token<'s> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, distance: usize) -> Token<'s> {
        let end = Token { kind: TokenKind::End, text: "<EOF>", at: 0 };
        self.tokens.get(self.next + distance).or(self.tokens.last()).copied().unwrap_or(end)
    }

    pub(super) fn advance(&mut self) -> Token<'s> {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.next += 1;
        }
        token
    }

    pub(super) fn take(&mut self, kind: TokenKind) -> Option<Token<'s>> {
        (self.peek().kind == kind).then(|| self.advance())
    }

    fn whole(&mut self) -> Parsed {
        let expr = self.expr()?;
        let token = self.peek();
        if token.kind == TokenKind::End {
            return Ok(expr);
        }
        let last = self.peek_at(1).kind == TokenKind::End;
        let how = if last { "extraneous" } else { "mismatched" };
        Err(syntax(token, format!("{how} input '{}' expecting <EOF>", token.text)))
    }

    pub(super) fn expr(&mut self) -> Parsed {
        enter(&mut self.depth.expr, MAX_NESTING)?;
        let condition = self.operators(0)?;
        let expr = match self.take(TokenKind::Question) {
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

    /// Operators of at least `precedence`, left-associative.
    fn operators(&mut self, precedence: u8) -> Parsed {
        let before = (self.depth.relation, self.depth.calc);
        if precedence <= RELATION {
            enter(&mut self.depth.relation, MAX_RULE_DEPTH)?;
        }
        if precedence <= SUM {
            enter(&mut self.depth.calc, MAX_RULE_DEPTH)?;
        }
        let mut left = self.unary()?;
        while let Some((level, function, at)) = self.operator(precedence) {
            left = if level < RELATION {
                self.logic(level, function, left)?
            } else {
                self.advance();
                let depth =
                    if level == RELATION { &mut self.depth.relation } else { &mut self.depth.calc };
                enter(depth, MAX_RULE_DEPTH)?;
                let right = self.operators(level + 1)?;
                self.factory.call(at, function, vec![left, right])
            };
        }
        (self.depth.relation, self.depth.calc) = before;
        Ok(left)
    }

    /// Terms joined by one of `&&` and `||`.
    fn logic(&mut self, level: u8, function: &'static str, first: Expr) -> Parsed {
        let mut terms = vec![first];
        let mut offsets = Vec::new();
        while let Some((_, _, at)) =
            self.operator(level).filter(|(precedence, ..)| *precedence == level)
        {
            self.advance();
            terms.push(self.operators(level + 1)?);
            offsets.push(at);
        }
        Ok(self.balance(function, terms, &offsets))
    }

    /// The operator at the current token, if it has at least this precedence.
    fn operator(&self, precedence: u8) -> Option<(u8, &'static str, u32)> {
        let token = self.peek();
        let (_, level, function) = OPERATORS.iter().find(|(kind, ..)| *kind == token.kind)?;
        (*level >= precedence).then_some((*level, function, token.at))
    }

    /// Terms of one operator as a balanced tree: the order of evaluation stays, the depth is small.
    fn balance(&mut self, function: &str, mut terms: Vec<Expr>, offsets: &[u32]) -> Expr {
        let middle = offsets.len() / 2;
        let Some(at) = offsets.get(middle).copied() else {
            return terms.pop().unwrap_or_else(|| self.factory.literal(0, Value::Null));
        };
        let right = terms.split_off(middle + 1);
        let left = self.balance(function, terms, offsets.get(..middle).unwrap_or_default());
        let right = self.balance(function, right, offsets.get(middle + 1..).unwrap_or_default());
        self.factory.call(at, function, vec![left, right])
    }

    fn unary(&mut self) -> Parsed {
        let token = self.peek();
        let function = match token.kind {
            TokenKind::Not => "!_",
            // A single sign before a number is part of the number.
            TokenKind::Minus
                if !matches!(self.peek_at(1).kind, TokenKind::Int | TokenKind::Float) =>
            {
                "-_"
            }
            _ => return self.member(),
        };
        let mut count = 0_usize;
        while self.take(token.kind).is_some() {
            count += 1;
        }
        let next = self.peek();
        if matches!(next.kind, TokenKind::Not)
            || (next.kind == TokenKind::Minus
                && token.kind == TokenKind::Not
                && !matches!(self.peek_at(1).kind, TokenKind::Int | TokenKind::Float))
        {
            let message = format!("no viable alternative at input '{}{}'", token.text, next.text);
            return Err(syntax(next, message));
        }
        let operand = self.member()?;
        if count.is_multiple_of(2) {
            return Ok(operand);
        }
        Ok(self.factory.call(token.at, function, vec![operand]))
    }

    fn member(&mut self) -> Parsed {
        let before = self.depth.member;
        enter(&mut self.depth.member, MAX_RULE_DEPTH)?;
        let mut expr = self.primary()?;
        loop {
            let token = self.peek();
            expr = match token.kind {
                TokenKind::Dot => self.dot(expr)?,
                TokenKind::OpenBracket => self.index(expr)?,
                TokenKind::OpenBrace => match expr.qualified_name() {
                    Some(name) => self.message(name)?,
                    None => break,
                },
                _ => break,
            };
            enter(&mut self.depth.member, MAX_RULE_DEPTH)?;
        }
        self.depth.member = before;
        Ok(expr)
    }

    fn dot(&mut self, operand: Expr) -> Parsed {
        let dot = self.advance();
        let optional = self.take(TokenKind::Question).is_some();
        let name = self.peek();
        let field = match name.kind {
            TokenKind::Ident => {
                self.advance();
                name.text.to_string()
            }
            TokenKind::EscapedIdent => {
                self.advance();
                self.report(name.at, "unsupported syntax: '`'".to_string());
                String::new()
            }
            TokenKind::True | TokenKind::False | TokenKind::Null => {
                let message = format!("mismatched input '{}' expecting IDENTIFIER", name.text);
                return Err(syntax(name, message));
            }
            _ => {
                let name_text = if name.kind == TokenKind::End { "" } else { name.text };
                return Err(syntax(name, format!("no viable alternative at input '.{name_text}'")));
            }
        };
        if optional {
            let label = self.factory.literal(name.at, Value::text(field));
            return Ok(self.factory.call(dot.at, "_?._", vec![operand, label]));
        }
        match self.take(TokenKind::OpenParen) {
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
        let optional = self.take(TokenKind::Question).is_some();
        if !optional && !self.can_begin(0) {
            return Err(self.unexpected(BEGINNINGS_OR_OPTIONAL));
        }
        let index = self.expr()?;
        self.close(TokenKind::CloseBracket, "']'", "']'")?;
        let function = if optional { "_[?_]" } else { "_[_]" };
        Ok(self.factory.call(open.at, function, vec![operand, index]))
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, SourceError> {
        let mut arguments = Vec::new();
        if self.take(TokenKind::CloseParen).is_some() {
            return Ok(arguments);
        }
        if !self.can_begin(0) {
            return Err(self.unexpected(BEGINNINGS_OR_CLOSE));
        }
        loop {
            arguments.push(self.expr()?);
            if self.take(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.close(TokenKind::CloseParen, "{')', ','}", "')'")?;
        Ok(arguments)
    }

    fn primary(&mut self) -> Parsed {
        let token = self.peek();
        match token.kind {
            TokenKind::Ident => self.name(""),
            TokenKind::Dot if self.peek_at(1).kind == TokenKind::Ident => {
                self.advance();
                self.name(".")
            }
            TokenKind::OpenParen => {
                self.advance();
                let inner = self.expr()?;
                self.close(TokenKind::CloseParen, "')'", "')'")?;
                Ok(inner)
            }
            TokenKind::OpenBracket => self.list(),
            TokenKind::OpenBrace => self.map(),
            _ => self.constant(),
        }
    }

    fn name(&mut self, dot: &str) -> Parsed {
        let token = self.advance();
        let open = self.take(TokenKind::OpenParen);
        if RESERVED.contains(&token.text) {
            self.report(token.at, format!("reserved identifier: {}", token.text));
        }
        let name = format!("{dot}{}", token.text);
        match open {
            None => Ok(self.factory.make(token.at, Kind::Ident(name))),
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
        let call = macros::ParsedCall { at, target, function, arguments };
        match macros::expand(&mut self.factory, call, self.version) {
            Ok(expr) => expr,
            Err(source_error) => {
                self.errors.push(source_error);
                self.factory.literal(at, Value::Null)
            }
        }
    }

    /// Whether the token at a distance can begin an expression.
    fn can_begin(&self, distance: usize) -> bool {
        use TokenKind::{
            Bytes, Dot, False, Float, Ident, Int, Minus, Not, Null, OpenBrace, OpenBracket,
            OpenParen, Text, True, Uint,
        };
        matches!(
            self.peek_at(distance).kind,
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

    pub(super) fn unexpected(&self, expected: &str) -> SourceError {
        let token = self.peek();
        let extra = token.kind != TokenKind::End && self.can_begin(1);
        let how = if extra { "extraneous" } else { "mismatched" };
        syntax(token, format!("{how} input '{}' expecting {expected}", token.text))
    }

    pub(super) fn colon(&mut self) -> Result<(), SourceError> {
        if self.take(TokenKind::Colon).is_some() {
            return Ok(());
        }
        let token = self.peek();
        let message = if self.can_begin(0) {
            format!("missing ':' at '{}'", token.text)
        } else {
            format!("mismatched input '{}' expecting ':'", token.text)
        };
        Err(syntax(token, message))
    }

    pub(super) fn close(
        &mut self,
        kind: TokenKind,
        expected: &str,
        sign: &str,
    ) -> Result<(), SourceError> {
        if self.take(kind).is_some() {
            return Ok(());
        }
        let token = self.peek();
        let message = if expected == sign && !self.can_begin(0) {
            format!("missing {sign} at '{}'", token.text)
        } else if self.peek_at(1).kind == kind {
            format!("extraneous input '{}' expecting {expected}", token.text)
        } else {
            format!("mismatched input '{}' expecting {expected}", token.text)
        };
        Err(syntax(token, message))
    }

    pub(super) fn report(&mut self, at: u32, message: String) {
        self.errors.push(SourceError { at: Some(at), message });
    }
}

pub(super) fn syntax(token: Token<'_>, message: String) -> SourceError {
    SourceError { at: Some(token.at), message: format!("Syntax error: {message}") }
}

fn enter(depth: &mut u32, max_depth: u32) -> Result<(), SourceError> {
    *depth += 1;
    if *depth > max_depth {
        let message = format!("expression recursion limit exceeded: {MAX_RULE_DEPTH}");
        return Err(SourceError { at: None, message });
    }
    Ok(())
}
