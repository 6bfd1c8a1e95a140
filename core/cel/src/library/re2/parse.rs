//! Parsing of a pattern into the representation that the regex engine compiles, without recursion.

use super::text::Rest;
use super::{PatternError, Reason, class, escape};
use alloc::boxed::Box;
use alloc::vec::Vec;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Dot, Hir, Look, Repetition};

/// The nesting limit of groups and repetitions. Go allows 1000; the compiler of this tree is
/// recursive, and must do with the stack of a thread.
const MAX_HEIGHT: u32 = 400;
const MAX_REPEAT: u32 = 1000;

#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    folds: bool,
    lines: bool,
    dot_is_all: bool,
    lazy: bool,
}

/// A part of the pattern that a repetition can apply to.
struct Item {
    hir: Hir,
    height: u32,
    /// The number of copies of the innermost item that its counted repetitions make.
    copies: u32,
}

impl Item {
    fn leaf(hir: Hir) -> Self {
        Self { hir, height: 1, copies: 1 }
    }
}

/// An open group, or the whole pattern.
#[derive(Default)]
struct Level {
    outside: Flags,
    branches: Vec<Item>,
    items: Vec<Item>,
}

impl Level {
    fn end_branch(&mut self) {
        let branch = join(core::mem::take(&mut self.items), Hir::concat);
        self.branches.push(branch);
    }

    fn finish(mut self) -> Item {
        self.end_branch();
        join(self.branches, Hir::alternation)
    }
}

fn join(mut items: Vec<Item>, make: fn(Vec<Hir>) -> Hir) -> Item {
    if items.len() == 1
        && let Some(only) = items.pop()
    {
        return only;
    }
    let height = items.iter().map(|item| item.height).max().unwrap_or(0) + 1;
    let copies = items.iter().map(|item| item.copies).max().unwrap_or(1);
    Item { hir: make(items.into_iter().map(|item| item.hir).collect()), height, copies }
}

struct Parser<'p> {
    whole: &'p str,
    rest: Rest<'p>,
    flags: Flags,
    top: Level,
    outer: Vec<Level>,
    /// The start of the repetition that ended just here.
    last_repeat: Option<Rest<'p>>,
}

/// Parses a pattern.
pub(crate) fn parse(pattern: &str) -> Result<Hir, PatternError<'_>> {
    let mut parser = Parser {
        whole: pattern,
        rest: Rest(pattern),
        flags: Flags::default(),
        top: Level::default(),
        outer: Vec::new(),
        last_repeat: None,
    };
    while let Some(letter) = parser.rest.peek() {
        let repeat = parser.step(letter)?;
        parser.last_repeat = repeat;
    }
    if !parser.outer.is_empty() {
        return Err(PatternError { reason: Reason::MissingParen, part: pattern });
    }
    let whole = parser.top.finish();
    if whole.height > MAX_HEIGHT {
        return Err(PatternError { reason: Reason::NestingDepth, part: pattern });
    }
    Ok(whole.hir)
}

impl<'p> Parser<'p> {
    /// Parses one item, and returns its start if it was a repetition.
    fn step(&mut self, letter: char) -> Result<Option<Rest<'p>>, PatternError<'p>> {
        let start = self.rest;
        match letter {
            '*' | '+' | '?' | '{' => return self.repetition(letter, start),
            '(' if self.rest.0.starts_with("(?") => self.flagged()?,
            '[' => {
                let class = class::bracketed(&mut self.rest, self.flags.folds)?;
                self.push_class(class);
            }
            '\\' => self.escaped()?,
            _ => {
                self.rest.next();
                self.simple(letter)?;
            }
        }
        Ok(None)
    }

    fn simple(&mut self, letter: char) -> Result<(), PatternError<'p>> {
        match letter {
            '(' => self.open(),
            ')' => return self.close(),
            '|' => self.top.end_branch(),
            '^' if self.flags.lines => self.push(Hir::look(Look::StartLF)),
            '^' => self.push(Hir::look(Look::Start)),
            '$' if self.flags.lines => self.push(Hir::look(Look::EndLF)),
            '$' => self.push(Hir::look(Look::End)),
            '.' if self.flags.dot_is_all => self.push(Hir::dot(Dot::AnyChar)),
            '.' => self.push(Hir::dot(Dot::AnyCharExceptLF)),
            _ => self.literal(u32::from(letter)),
        }
        Ok(())
    }

    fn push(&mut self, hir: Hir) {
        self.top.items.push(Item::leaf(hir));
    }

    fn push_class(&mut self, class: ClassUnicode) {
        self.push(Hir::class(Class::Unicode(class)));
    }

    fn literal(&mut self, code: u32) {
        let Some(letter) = char::from_u32(code) else {
            // A surrogate, which no text contains.
            self.push(Hir::fail());
            return;
        };
        if self.flags.folds {
            let only = ClassUnicode::new([ClassUnicodeRange::new(letter, letter)]);
            self.push_class(class::finish(only, false, true));
        } else {
            let mut buf = [0; 4];
            self.push(Hir::literal(letter.encode_utf8(&mut buf).as_bytes()));
        }
    }

    fn open(&mut self) {
        let inner = Level { outside: self.flags, ..Level::default() };
        self.outer.push(core::mem::replace(&mut self.top, inner));
    }

    fn close(&mut self) -> Result<(), PatternError<'p>> {
        let Some(outer) = self.outer.pop() else {
            return Err(PatternError { reason: Reason::UnexpectedParen, part: self.whole });
        };
        let inner = core::mem::replace(&mut self.top, outer);
        self.flags = inner.outside;
        let mut group = inner.finish();
        group.height += 1;
        self.checked(group)
    }

    fn checked(&mut self, item: Item) -> Result<(), PatternError<'p>> {
        if item.height > MAX_HEIGHT {
            return Err(PatternError { reason: Reason::NestingDepth, part: self.whole });
        }
        self.top.items.push(item);
        Ok(())
    }

    fn escaped(&mut self) -> Result<(), PatternError<'p>> {
        let start = self.rest;
        let mut ahead = start;
        ahead.next();
        let look = match ahead.next() {
            Some('A') => Look::Start,
            Some('z') => Look::End,
            Some('b') => Look::WordAscii,
            Some('B') => Look::WordAsciiNegate,
            Some('C') => return Err(ahead.error(start, Reason::Escape)),
            Some('Q') => {
                self.quoted(ahead);
                return Ok(());
            }
            _ => return self.character_escape(),
        };
        self.rest = ahead;
        self.push(Hir::look(look));
        Ok(())
    }

    /// The text between `\Q` and `\E`, or the end, is literal.
    fn quoted(&mut self, inside: Rest<'p>) {
        let (text, after) = inside.0.split_once("\\E").unwrap_or((inside.0, ""));
        for letter in text.chars() {
            self.literal(u32::from(letter));
        }
        self.rest = Rest(after);
    }

    fn character_escape(&mut self) -> Result<(), PatternError<'p>> {
        if let Some(class) = class::named(&mut self.rest, self.flags.folds)? {
            self.push_class(class);
        } else {
            let code = escape::escape(&mut self.rest)?;
            self.literal(code);
        }
        Ok(())
    }

    fn repetition(
        &mut self,
        letter: char,
        start: Rest<'p>,
    ) -> Result<Option<Rest<'p>>, PatternError<'p>> {
        let mut after = start;
        after.next();
        let (min, max) = match letter {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            _ => match counts(&mut after) {
                None => {
                    self.rest.next();
                    self.literal(u32::from('{'));
                    return Ok(None);
                }
                Some(Some((min, max))) if max.is_none_or(|max| min <= max) => (min, max),
                Some(_) => return Err(after.error(start, Reason::RepeatSize)),
            },
        };
        let greedy = after.take("?") == self.flags.lazy;
        if let Some(last) = self.last_repeat {
            return Err(after.error(last, Reason::RepeatOp));
        }
        let Some(item) = self.top.items.pop() else {
            return Err(after.error(start, Reason::MissingRepeatArgument));
        };
        let copies = if letter == '{' { copies(min, max, item.copies) } else { item.copies };
        if letter == '{' && max.unwrap_or(min).max(min) >= 2 && copies > MAX_REPEAT {
            return Err(after.error(start, Reason::RepeatSize));
        }
        self.rest = after;
        let height = item.height + 1;
        let hir = Hir::repetition(Repetition { min, max, greedy, sub: Box::new(item.hir) });
        self.checked(Item { hir, height, copies })?;
        Ok(Some(start))
    }

    /// Parses `(?i)`, `(?i:`, `(?P<name>` or `(?<name>`.
    fn flagged(&mut self) -> Result<(), PatternError<'p>> {
        let start = self.rest;
        let mut ahead = start;
        ahead.take("(?");
        let group_name = ahead.0.strip_prefix("P<").filter(|name| !name.is_empty());
        if let Some(name) =
            group_name.or_else(|| ahead.0.strip_prefix('<').filter(|n| !n.is_empty()))
        {
            return self.named_group(start, name);
        }
        let mut flags = self.flags;
        let mut is_on = true;
        let mut saw_flag = false;
        loop {
            let Some(letter) = ahead.next() else {
                return Err(ahead.error(start, Reason::PerlOp));
            };
            match letter {
                'i' => flags.folds = is_on,
                'm' => flags.lines = is_on,
                's' => flags.dot_is_all = is_on,
                'U' => flags.lazy = is_on,
                '-' if is_on => is_on = false,
                ':' | ')' if is_on || saw_flag => {
                    self.rest = ahead;
                    if letter == ':' {
                        self.open();
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => return Err(ahead.error(start, Reason::PerlOp)),
            }
            saw_flag = letter != '-';
        }
    }

    fn named_group(&mut self, start: Rest<'p>, name: &'p str) -> Result<(), PatternError<'p>> {
        let Some((name, after)) = name.split_once('>') else {
            return Err(start.fault_to_end(Reason::NamedCapture));
        };
        let after = Rest(after);
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if name.is_empty() || !name.chars().all(is_part) {
            return Err(after.error(start, Reason::NamedCapture));
        }
        self.rest = after;
        self.open();
        Ok(())
    }
}

fn copies(min: u32, max: Option<u32>, inner: u32) -> u32 {
    match max.unwrap_or(min) {
        // No copy of the inner item is ever made.
        0 if max.is_some() => 0,
        0 => inner,
        count => count.saturating_mul(inner.max(1)),
    }
}

/// Parses `min}`, `min,}` or `min,max}`: `None` if it is none of them, and `Some(None)` if its
/// numbers are too big.
#[expect(clippy::option_option, reason = "two ways of not being a repetition")]
fn counts(rest: &mut Rest<'_>) -> Option<Option<(u32, Option<u32>)>> {
    let mut ahead = *rest;
    let min = number(&mut ahead)?;
    let max = if ahead.take(",") {
        if ahead.peek()? == '}' { Some(None) } else { Some(Some(number(&mut ahead)?)) }
    } else {
        Some(Some(min))
    };
    if !ahead.take("}") {
        return None;
    }
    *rest = ahead;
    let fits = |count: u32| count <= MAX_REPEAT;
    match max {
        Some(Some(max)) if fits(min) && fits(max) => Some(Some((min, Some(max)))),
        Some(None) if fits(min) => Some(Some((min, None))),
        _ => Some(None),
    }
}

/// A number without leading zeros; one that is too big is still a number.
fn number(rest: &mut Rest<'_>) -> Option<u32> {
    let start = *rest;
    while rest.peek().is_some_and(|letter| letter.is_ascii_digit()) {
        rest.next();
    }
    let digits = rest.since(start);
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    Some(digits.parse().unwrap_or(u32::MAX))
}
