//! Parsing of paths.

use super::{JsonPath, Operator, Slice, Step};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The deepest nesting of filters.
const MAX_DEPTH: u32 = 16;

/// The path is malformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NotAPath;

impl JsonPath {
    /// Parses a path without its braces; `None` if it is malformed.
    pub fn parse(text: &str) -> Option<Self> {
        steps(text, 0).ok().map(|steps| Self { steps })
    }
}

fn steps(text: &str, depth: u32) -> Result<Vec<Step>, NotAPath> {
    if depth > MAX_DEPTH {
        return Err(NotAPath);
    }
    let mut parser = Parser { rest: text, steps: Vec::new(), depth };
    while !parser.rest.is_empty() {
        parser.step()?;
    }
    Ok(parser.steps)
}

struct Parser<'p> {
    rest: &'p str,
    steps: Vec<Step>,
    depth: u32,
}

fn is_terminator(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

impl Parser<'_> {
    fn step(&mut self) -> Result<(), NotAPath> {
        if self.rest.starts_with("[?(") {
            return self.filter();
        }
        if let Some(rest) = self.rest.strip_prefix("..") {
            if self.steps.last() == Some(&Step::Recursive) {
                return Err(NotAPath);
            }
            self.rest = rest;
            self.steps.push(Step::Recursive);
            if rest.starts_with(is_word) {
                self.field();
            }
            return Ok(());
        }
        let mut letters = self.rest.chars();
        let Some(letter) = letters.next() else { return Ok(()) };
        match letter {
            ' ' | '@' | '$' => self.rest = letters.as_str(),
            '[' => return self.array(),
            '"' | '\'' => return self.quote(letter),
            '.' => {
                self.rest = letters.as_str();
                self.field();
            }
            '+' | '-' => return self.number(),
            letter if letter.is_ascii_digit() => return self.number(),
            letter if is_word(letter) => return self.identifier(),
            _ => return Err(NotAPath),
        }
        Ok(())
    }

    fn take(&mut self, length: usize) -> &str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn field(&mut self) {
        let mut escaped = false;
        let end = self.rest.char_indices().find(|(_, letter)| {
            if escaped {
                escaped = false;
                return false;
            }
            escaped = *letter == '\\';
            !escaped && is_terminator(*letter)
        });
        let length = end.map_or(self.rest.len(), |(index, _)| index);
        let name = self.take(length);
        let step = match name {
            "*" => Step::Wildcard,
            name => Step::Field(name.replace('\\', "")),
        };
        self.steps.push(step);
    }

    fn number(&mut self) -> Result<(), NotAPath> {
        let sign = usize::from(self.rest.starts_with(['+', '-']));
        let digits = self.rest.get(sign..).unwrap_or_default();
        let is_part = |letter: char| letter == '.' || letter.is_ascii_digit();
        let length = digits.find(|letter| !is_part(letter)).unwrap_or(digits.len());
        let text = self.take(sign + length).to_string();
        let step = match (text.parse(), text.parse()) {
            (Ok(number), _) => Step::Int(number),
            (_, Ok(number)) => Step::Float(number),
            _ => return Err(NotAPath),
        };
        self.steps.push(step);
        Ok(())
    }

    /// A bare word: only booleans mean something where there are no loops.
    fn identifier(&mut self) -> Result<(), NotAPath> {
        let length = self.rest.find(is_terminator).unwrap_or(self.rest.len());
        let step = match self.take(length) {
            "true" => Step::Bool(true),
            "false" => Step::Bool(false),
            _ => return Err(NotAPath),
        };
        self.steps.push(step);
        Ok(())
    }

    fn quote(&mut self, quote: char) -> Result<(), NotAPath> {
        let inside = self.rest.get(1..).unwrap_or_default();
        let (text, length) = unquote(inside, quote).ok_or(NotAPath)?;
        self.rest = inside.get(length..).unwrap_or_default();
        self.steps.push(Step::Text(text));
        Ok(())
    }

    fn array(&mut self) -> Result<(), NotAPath> {
        let end = self.rest.find([']', '\n']).ok_or(NotAPath)?;
        let text = self.take(end + 1).to_string();
        let inside =
            text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).ok_or(NotAPath)?;
        let inside = if inside == "*" { ":" } else { inside };
        if inside.contains(',') {
            let parts = inside
                .split(',')
                .map(|part| steps(&alloc::format!("[{}]", part.trim_matches(' ')), self.depth + 1));
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            self.steps.push(Step::Union(parts));
            return Ok(());
        }
        let key = inside.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        if let Some(key) = key.filter(|key| inside.len() >= 2 && !key.contains('\'')) {
            self.steps.extend(steps(&alloc::format!(".{key}"), self.depth + 1)?);
            return Ok(());
        }
        let slice = slice(inside).ok_or(NotAPath)?;
        self.steps.push(Step::Slice(slice));
        Ok(())
    }

    fn filter(&mut self) -> Result<(), NotAPath> {
        let inside = self.rest.get(3..).unwrap_or_default();
        let end = filter_end(inside).ok_or(NotAPath)?;
        let (text, rest) = inside.split_at_checked(end).ok_or(NotAPath)?;
        self.rest = rest.strip_prefix(")]").ok_or(NotAPath)?;
        let is_operator = |letter: char| matches!(letter, '!' | '<' | '>' | '=');
        let depth = self.depth + 1;
        let start = text.find(is_operator).filter(|start| *start > 0);
        let comparison = start.and_then(|start| {
            let (left, rest) = text.split_at_checked(start)?;
            let length = rest.find(|letter| !is_operator(letter))?;
            let (operator, right) = rest.split_at_checked(length)?;
            Some((left, operator, right))
        });
        let step = match comparison {
            None => Step::Filter {
                left: steps(text, depth)?,
                operator: Operator::Exists,
                right: Vec::new(),
            },
            Some((left, operator, right)) => Step::Filter {
                left: steps(left, depth)?,
                operator: match operator {
                    "<" => Operator::Less,
                    ">" => Operator::Greater,
                    "==" => Operator::Equal,
                    "!=" => Operator::NotEqual,
                    "<=" => Operator::LessEqual,
                    ">=" => Operator::GreaterEqual,
                    _ => Operator::Unknown,
                },
                right: steps(right, depth)?,
            },
        };
        self.steps.push(step);
        Ok(())
    }
}

/// The position of the parenthesis that ends a filter: not one in its first string.
fn filter_end(text: &str) -> Option<usize> {
    let mut quote: Option<char> = None;
    let mut is_closed = false;
    let mut before = ' ';
    for (index, letter) in text.char_indices() {
        match letter {
            '\n' => return None,
            '"' | '\'' => match quote {
                None => quote = Some(letter),
                Some(open) => is_closed |= before != '\\' && open == letter,
            },
            ')' if quote.is_some() == is_closed => return Some(index),
            _ => {}
        }
        before = letter;
    }
    None
}

/// The text of a quoted string, and its length with the closing quote.
fn unquote(inside: &str, quote: char) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut letters = inside.char_indices();
    while let Some((index, letter)) = letters.next() {
        match letter {
            letter if letter == quote => return Some((text, index + letter.len_utf8())),
            '\n' => return None,
            '\\' => match letters.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                other @ ('\\' | '"' | '\'') => text.push(other),
                _ => return None,
            },
            other => text.push(other),
        }
    }
    None
}

fn slice(text: &str) -> Option<Slice> {
    let mut parts = text.split(':');
    let number = |part: Option<&str>| match part {
        None | Some("") => Some(None),
        Some(part) => {
            let digits = part.strip_prefix('-').unwrap_or(part);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse::<i64>().ok()).flatten().map(Some)
        }
    };
    let (first, second, third) = (parts.next(), parts.next(), parts.next());
    if parts.next().is_some() {
        return None;
    }
    let start = number(first)?;
    let is_index = second.is_none();
    let end = match is_index {
        true => Some(start.unwrap_or_default().checked_add(1)?),
        false => number(second)?,
    };
    Some(Slice { start, end, is_index, step: number(third)? })
}
