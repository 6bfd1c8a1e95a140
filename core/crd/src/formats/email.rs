//! Mail addresses as Go's `net/mail` parses them: a plain address, or a name with one in angle brackets.

/// Whether a text is one mail address.
pub(super) fn is_email(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    if let Some(rest) = spec(text) {
        return skip(rest).is_empty();
    }
    // A display name of words, then the address in brackets.
    let mut rest = text;
    let mut has_name = false;
    loop {
        rest = skip(rest);
        if let Some(address) = rest.strip_prefix('<') {
            let Some(after) = spec(address) else { return false };
            return after.strip_prefix('>').is_some_and(|after| skip(after).is_empty());
        }
        let word = match rest.strip_prefix('"') {
            Some(_) => quoted(rest),
            None => atom(rest, has_name),
        };
        match word {
            Some(after) => rest = after,
            None => return false,
        }
        has_name = true;
    }
}

/// Skips white space and comments.
fn skip(text: &str) -> &str {
    let mut rest = text.trim_start_matches([' ', '\t']);
    while let Some(inside) = rest.strip_prefix('(') {
        let mut depth = 1_u32;
        let mut escaped = false;
        let end = inside.char_indices().find(|(_, letter)| {
            match letter {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let Some(after) = end.and_then(|(index, _)| inside.get(index + 1..)) else { return rest };
        rest = after.trim_start_matches([' ', '\t']);
    }
    rest
}

/// The text after `local@domain`.
fn spec(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\t']);
    let rest = if text.starts_with('"') { quoted(text)? } else { dot_atom(text)? };
    let rest = rest.strip_prefix('@')?.trim_start_matches([' ', '\t']);
    match rest.strip_prefix('[') {
        Some(literal) => {
            let (address, after) = literal.split_once(']')?;
            let address = address.strip_prefix("IPv6:").unwrap_or(address);
            address.parse::<core::net::IpAddr>().is_ok().then_some(after)
        }
        None => dot_atom(rest),
    }
}

fn is_atom(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(letter) || !letter.is_ascii()
}

fn atom(text: &str, with_dots: bool) -> Option<&str> {
    let is_part = |letter: char| is_atom(letter) || (with_dots && letter == '.');
    let length = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    text.get(length..).filter(|_| length > 0)
}

/// Atoms with single dots between them.
fn dot_atom(text: &str) -> Option<&str> {
    let mut rest = atom(text, false)?;
    while let Some(after) = rest.strip_prefix('.') {
        rest = atom(after, false)?;
    }
    Some(rest)
}

fn quoted(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('"')?;
    let mut escaped = false;
    for (index, letter) in inside.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            // The local part must not be empty.
            '"' => return inside.get(index + 1..).filter(|_| index > 0),
            '\t' => {}
            letter if letter.is_control() => return None,
            _ => {}
        }
    }
    None
}
