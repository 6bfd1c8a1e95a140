//! Character classes: `[a-z]`, `[^\d[:alpha:]]`, `\pL`.

use super::text::Rest;
use super::{PatternError, Reason, escape, group, unicode};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// Parses `[…]`.
pub(super) fn bracketed<'p>(
    rest: &mut Rest<'p>,
    folds: bool,
) -> Result<ClassUnicode, PatternError<'p>> {
    let start = *rest;
    rest.next();
    let negated = rest.take("^");
    let mut class = ClassUnicode::empty();
    let mut is_first = true;
    while is_first || rest.peek() != Some(']') {
        is_first = false;
        if let Some(class_set) = posix(rest, folds)? {
            class.union(&class_set);
        } else if let Some(named) = named(rest, folds)? {
            class.union(&named);
        } else {
            class.union(&single(rest, start, folds)?);
        }
    }
    rest.next();
    if negated {
        class.negate();
    }
    Ok(class)
}

/// Parses `\d`, `\pL`, `\p{Greek}` and similar classes, if one is here.
pub(super) fn named<'p>(
    rest: &mut Rest<'p>,
    folds: bool,
) -> Result<Option<ClassUnicode>, PatternError<'p>> {
    let start = *rest;
    let mut ahead = *rest;
    if !ahead.take("\\") {
        return Ok(None);
    }
    let Some(letter) = ahead.next() else { return Ok(None) };
    if let Some((class, negated)) = group::perl(letter) {
        *rest = ahead;
        return Ok(Some(finish(class, negated, folds)));
    }
    if !matches!(letter, 'p' | 'P') {
        return Ok(None);
    }
    let name = property_name(start, &mut ahead)?;
    let (name, flips) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    let class = unicode::table(name).ok_or_else(|| ahead.error(start, Reason::CharRange))?;
    *rest = ahead;
    Ok(Some(finish(class, (letter == 'P') != flips, folds)))
}

fn property_name<'p>(start: Rest<'p>, ahead: &mut Rest<'p>) -> Result<&'p str, PatternError<'p>> {
    let before = *ahead;
    match ahead.next() {
        Some('{') => {
            let inside = *ahead;
            let Some((name, after)) = inside.0.split_once('}') else {
                return Err(start.fault_to_end(Reason::CharRange));
            };
            ahead.0 = after;
            Ok(name)
        }
        Some(_) => Ok(ahead.since(before)),
        None => Err(ahead.error(start, Reason::CharRange)),
    }
}

fn posix<'p>(rest: &mut Rest<'p>, folds: bool) -> Result<Option<ClassUnicode>, PatternError<'p>> {
    let Some((name, after)) = rest.0.strip_prefix("[:").and_then(|inside| inside.split_once(":]"))
    else {
        return Ok(None);
    };
    let start = *rest;
    let ahead = Rest(after);
    let Some((class, negated)) = group::posix(name) else {
        return Err(ahead.error(start, Reason::CharRange));
    };
    *rest = ahead;
    Ok(Some(finish(class, negated, folds)))
}

fn single<'p>(
    rest: &mut Rest<'p>,
    bracket: Rest<'p>,
    folds: bool,
) -> Result<ClassUnicode, PatternError<'p>> {
    let start = *rest;
    let lo = character(rest, bracket)?;
    let mut hi = lo;
    let mut ahead = *rest;
    if ahead.take("-") && ahead.peek().is_some_and(|letter| letter != ']') {
        *rest = ahead;
        hi = character(rest, bracket)?;
        if hi < lo {
            return Err(rest.error(start, Reason::CharRange));
        }
    }
    Ok(finish(between(lo, hi), false, folds))
}

fn character<'p>(rest: &mut Rest<'p>, bracket: Rest<'p>) -> Result<u32, PatternError<'p>> {
    match rest.peek() {
        None => Err(bracket.fault_to_end(Reason::MissingBracket)),
        Some('\\') => escape::escape(rest),
        Some(letter) => {
            rest.next();
            Ok(u32::from(letter))
        }
    }
}

/// The characters between two code points, without surrogates, which are no characters.
fn between(lo: u32, hi: u32) -> ClassUnicode {
    let lo = char::from_u32(lo).unwrap_or('\u{e000}');
    let hi = char::from_u32(hi).unwrap_or('\u{d7ff}');
    if lo > hi {
        return ClassUnicode::empty();
    }
    ClassUnicode::new([ClassUnicodeRange::new(lo, hi)])
}

/// Case is folded before a class is negated: `(?i)[^k]` does not match `K`.
pub(super) fn finish(mut class: ClassUnicode, negated: bool, folds: bool) -> ClassUnicode {
    if folds {
        class.case_fold_simple();
    }
    if negated {
        class.negate();
    }
    class
}
