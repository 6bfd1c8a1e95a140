//! The grammar of literals: lists, maps, messages, constants.

use super::grammar::{Parsed, Parser, syntax};
use super::token::{BEGINNINGS, Token};
use super::{Entry, Kind, literal};
use crate::Value;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

impl Parser<'_> {
    pub(super) fn message(&mut self, name: String) -> Parsed {
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
    pub(super) fn list(&mut self) -> Parsed {
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
    pub(super) fn map(&mut self) -> Parsed {
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
    pub(super) fn constant(&mut self) -> Parsed {
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
}
