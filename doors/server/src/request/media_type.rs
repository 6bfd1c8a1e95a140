//! Media types of request bodies: whether their parameters are well formed.

/// Whether Go's `mime.ParseMediaType` takes the parameters of a media type: `;name=value` each, with at most one
/// semicolon behind the last, and no name with two values. An empty media type is well formed.
pub(super) fn is_well_formed(media_type: &str) -> bool {
    let mut rest = media_type.split_at(media_type.find(';').unwrap_or(media_type.len())).1;
    let mut seen: Vec<(String, String)> = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return true;
        }
        let Some((name, value, behind)) = parameter(rest) else { return rest.trim() == ";" };
        if seen.iter().any(|(other, given)| *other == name && *given != value) {
            return false;
        }
        seen.push((name, value));
        rest = behind;
    }
}

/// The first parameter, and what stands behind it.
fn parameter(text: &str) -> Option<(String, String, &str)> {
    let (name, rest) = token(text.strip_prefix(';')?.trim_start());
    if name.is_empty() {
        return None;
    }
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let (value, rest) = match rest.strip_prefix('"') {
        Some(quoted) => quoted_text(quoted)?,
        None => match token(rest) {
            ("", _) => return None,
            (value, rest) => (value.to_owned(), rest),
        },
    };
    Some((name.to_ascii_lowercase(), value, rest))
}

/// The text up to the closing quotation mark, and what stands behind it.
fn quoted_text(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\r' | '\n' => return None,
            '\\' => match letters.next_if(|(_, next)| SPECIAL.contains(*next)) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push('\\'),
            },
            letter => value.push(letter),
        }
    }
    None
}

/// Letters that are no part of a token.
const SPECIAL: &str = "()<>@,;:\\\"/[]?=";

fn token(text: &str) -> (&str, &str) {
    let is_part = |letter: char| letter.is_ascii_graphic() && !SPECIAL.contains(letter);
    text.split_at(text.find(|letter| !is_part(letter)).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_pairs() {
        for good in [
            "",
            "application/json",
            "application/json;",
            "application/json ; charset=utf-8",
            "a/b;x=1;y=\"a;b\\\"\";",
            "a/b;x=1;X=1",
            "a/b;x=\"\"",
        ] {
            assert!(is_well_formed(good), "{good}");
        }
        for bad in [
            "application/json;;",
            "application/json;;;",
            "a/b;x",
            "a/b;x=",
            "a/b;=1",
            "a/b;x=1 y=2",
            "a/b;x=\"1",
            "a/b;x=1;x=2",
            "a/b;x=1;;y=2",
        ] {
            assert!(!is_well_formed(bad), "{bad}");
        }
    }
}
