//! The grammar of literals: lists, maps, messages, constants.

use super::grammar::{Parsed, Parser, syntax};
use super::token::{BEGINNINGS, TokenKind};
use super::{Entry, Kind, StructField, literal};
use crate::Value;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

impl Parser<'_> {
    pub(super) fn message(&mut self, name: String) -> Parsed {
        let open = self.advance();
        let mut fields = Vec::new();
        while !matches!(self.peek().kind, TokenKind::CloseBrace | TokenKind::Comma) {
            let optional = self.take(TokenKind::Question).is_some();
            let field = self.peek();
            if !matches!(field.kind, TokenKind::Ident | TokenKind::EscapedIdent) {
                let message = format!(
                    "mismatched input '{}' expecting {{'}}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}}",
                    field.text
                );
                return Err(syntax(field, message));
            }
            self.advance();
            if field.kind == TokenKind::EscapedIdent {
                self.report(field.at, "unsupported syntax: '`'".to_string());
            }
            let name = field.text.to_string();
            let at = self.peek().at;
            self.colon()?;
            fields.push(StructField { name, value: self.expr()?, optional, at });
            if self.take(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.take(TokenKind::Comma);
        self.close(TokenKind::CloseBrace, "{'}', ','}", "'}'")?;
        Ok(self.factory.make(open.at, Kind::Struct { name, fields }))
    }
    pub(super) fn list(&mut self) -> Parsed {
        let open = self.advance();
        let mut items = Vec::new();
        while !matches!(self.peek().kind, TokenKind::CloseBracket | TokenKind::Comma) {
            let optional = self.take(TokenKind::Question).is_some();
            items.push((self.expr()?, optional));
            if self.take(TokenKind::Comma).is_none() {
                break;
            }
        }
        if items.is_empty() {
            self.take(TokenKind::Comma);
        }
        self.close(TokenKind::CloseBracket, "{']', ','}", "']'")?;
        Ok(self.factory.make(open.at, Kind::List(items)))
    }
    pub(super) fn map(&mut self) -> Parsed {
        let open = self.advance();
        let mut entries = Vec::new();
        while !matches!(self.peek().kind, TokenKind::CloseBrace | TokenKind::Comma) {
            let optional = self.take(TokenKind::Question).is_some();
            let key = self.expr()?;
            self.colon()?;
            let value = self.expr()?;
            entries.push(Entry { key, value, optional });
            if self.take(TokenKind::Comma).is_none() {
                break;
            }
        }
        if entries.is_empty() {
            self.take(TokenKind::Comma);
        }
        self.close(TokenKind::CloseBrace, "{'}', ','}", "'}'")?;
        Ok(self.factory.make(open.at, Kind::Map(entries)))
    }
    pub(super) fn constant(&mut self) -> Parsed {
        let first = self.peek();
        let negative = first.kind == TokenKind::Minus
            && matches!(self.peek_at(1).kind, TokenKind::Int | TokenKind::Float);
        let token = if negative { self.peek_at(1) } else { first };
        let text = token.text;
        let value = match token.kind {
            TokenKind::Int => {
                literal::int(text, negative).map(Value::Int).ok_or("invalid int literal")
            }
            TokenKind::Uint => literal::uint(text.trim_end_matches(['u', 'U']))
                .map(Value::Uint)
                .ok_or("invalid uint literal"),
            TokenKind::Float => {
                literal::double(text, negative).map(Value::Double).ok_or("invalid double literal")
            }
            TokenKind::Text => literal::text(text).map(Value::from),
            TokenKind::Bytes => literal::bytes(text).map(Value::bytes),
            TokenKind::True => Ok(Value::Bool(true)),
            TokenKind::False => Ok(Value::Bool(false)),
            TokenKind::Null => Ok(Value::Null),
            _ => return Err(self.unexpected(BEGINNINGS)),
        };
        self.next += 1 + usize::from(negative);
        let value = value.unwrap_or_else(|message| {
            self.report(first.at, message.to_string());
            Value::Null
        });
        Ok(self.factory.literal(first.at, value))
    }
}
