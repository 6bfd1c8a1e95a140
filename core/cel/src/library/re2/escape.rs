//! Escapes of single characters: `\n`, `\x41`, `\x{1F600}`, `\101`, `\.`.

use super::text::Rest;
use super::{PatternError, Reason};

const MAX_RUNE: u32 = 0x10_ffff;

/// Parses an escape; the code point may be one that no text contains.
pub(super) fn escape<'p>(rest: &mut Rest<'p>) -> Result<u32, PatternError<'p>> {
    let start = *rest;
    rest.next();
    let Some(letter) = rest.next() else {
        return Err(PatternError { reason: Reason::TrailingBackslash, part: "" });
    };
    let code = match letter {
        '1'..='7' if !rest.peek().is_some_and(is_octal) => None,
        '0'..='7' => Some(octal(letter, rest)),
        'x' => hexadecimal(rest),
        'a' => Some(0x07),
        'f' => Some(0x0c),
        'n' => Some(0x0a),
        'r' => Some(0x0d),
        't' => Some(0x09),
        'v' => Some(0x0b),
        _ if letter.is_ascii() && !letter.is_ascii_alphanumeric() => Some(u32::from(letter)),
        _ => None,
    };
    code.ok_or_else(|| rest.error(start, Reason::Escape))
}

const fn is_octal(letter: char) -> bool {
    matches!(letter, '0'..='7')
}

fn octal(first: char, rest: &mut Rest<'_>) -> u32 {
    let mut code = first.to_digit(8).unwrap_or_default();
    for _ in 1..3 {
        let Some(digit) = rest.peek().and_then(|letter| letter.to_digit(8)) else { break };
        rest.next();
        code = code * 8 + digit;
    }
    code
}

fn hexadecimal(rest: &mut Rest<'_>) -> Option<u32> {
    let first = rest.next()?;
    if first == '{' {
        return braced(rest);
    }
    let second = rest.next();
    Some(first.to_digit(16)? * 16 + second?.to_digit(16)?)
}

fn braced(rest: &mut Rest<'_>) -> Option<u32> {
    let mut code = None;
    loop {
        match rest.next()? {
            '}' => return code,
            letter => {
                let next = code.unwrap_or(0) * 16 + letter.to_digit(16)?;
                if next > MAX_RUNE {
                    return None;
                }
                code = Some(next);
            }
        }
    }
}
