//! A scanner that blanks comments and literals in Rust source, with unchanged line numbers.

/// Blanks comments and the contents of literals, so that only code is left.
pub(crate) fn of(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_inside_word = out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match comment(rest).or_else(|| literal(rest, is_inside_word)) {
            Some(length) => {
                let (gone, left) = rest.split_at(length);
                out.extend(gone.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
                rest = left;
            }
            None => {
                out.push(first);
                rest = rest.split_at(first.len_utf8()).1;
            }
        }
    }
    out
}

/// The length of the string or character that begins here; no raw string begins inside of a word.
pub(crate) fn literal(rest: &str, is_inside_word: bool) -> Option<usize> {
    let raw = if is_inside_word { None } else { raw_string(rest) };
    raw.or_else(|| quoted(rest))
}

/// The length of the comment that begins here.
pub(crate) fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let (mut depth, mut at, mut left) = (0_usize, 0, rest);
    loop {
        let step = if left.starts_with("/*") {
            depth += 1;
            2
        } else if left.starts_with("*/") {
            depth -= 1;
            2
        } else {
            left.chars().next().map_or(0, char::len_utf8)
        };
        at += step;
        left = left.split_at(step).1;
        if depth == 0 || left.is_empty() {
            return Some(at);
        }
    }
}

/// The length of the raw string that begins here.
fn raw_string(rest: &str) -> Option<usize> {
    let body = ["r", "br", "cr"].iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    let hashes = body.len() - body.trim_start_matches('#').len();
    let inside = body.split_at(hashes).1.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = inside.find(&end).map_or(inside.len(), |at| at + end.len());
    Some(rest.len() - inside.len() + length)
}

/// The length of the string or character that begins here; a lifetime is neither.
fn quoted(rest: &str) -> Option<usize> {
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut inside = rest.char_indices().skip(1);
    if quote == '\'' && !rest.starts_with("'\\") && rest.chars().nth(2) != Some('\'') {
        return None;
    }
    while let Some((at, c)) = inside.next() {
        if c == '\\' {
            inside.next();
        } else if c == quote {
            return Some(at + 1);
        }
    }
    Some(rest.len())
}

/// The attributes in code, each with its line and the text between its brackets.
pub(crate) fn attributes(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices('#') {
        let (before, after) = code.split_at(start + 1);
        let Some(body) = after.strip_prefix('!').unwrap_or(after).strip_prefix('[') else {
            continue;
        };
        let mut depth = 1_usize;
        let end = body.find(|c| {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let inside = body.split_at(end.unwrap_or(body.len())).0;
        found.push((before.matches('\n').count() + 1, inside.trim()));
    }
    found
}

/// Numbers of the lines that contain a word, not as a part of a longer one.
pub(crate) fn lines_with(code: &str, word: &str) -> Vec<usize> {
    let is_inside_word = |c: char| c.is_alphanumeric() || c == '_';
    let holds = |line: &str| {
        line.match_indices(word).any(|(start, _)| !line.split_at(start).0.ends_with(is_inside_word))
    };
    code.lines().enumerate().filter(|(_, line)| holds(line)).map(|(index, _)| index + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stays_and_lines_keep_their_numbers() {
        let text = "fn a<'x>(b: &'x str) -> u8 { b'y' }\n/* one\n/* two */ */ let r#type = 1;\n";
        let code = of(text);
        assert_eq!(code.lines().count(), text.lines().count());
        assert!(code.starts_with("fn a<'x>(b: &'x str) -> u8 { b    }\n"), "{code}");
        assert!(code.contains("let r#type = 1;"), "{code}");
        assert!(!code.contains("one") && !code.contains("two"), "{code}");
    }

    #[test]
    fn comments_and_literals_go() {
        for text in [
            "// x!()",
            "//! x!()",
            "/* x!() */",
            "\"x!()\"",
            "\"\\\"x!()\"",
            "r\"x!()\"",
            "r#\"\"x!()\"#",
            "b\"x!()\"",
            "br##\"\"#x!()\"##",
            "'\\'' ; \"x!()\"",
            "'\"' ; \"x!()\"",
            "'\\u{78}' ; \"x!()\"",
            "\"x!() without end",
        ] {
            assert!(!of(text).contains("x!"), "{text} became {}", of(text));
        }
        for text in [
            "x!()",
            "'\"' ; x!()",
            "\"\\\\\" ; x!()",
            "r#\"\"# ; x!()",
            "bar\"\" ; x!()",
            "é; x!()",
        ] {
            assert!(of(text).contains("x!()"), "{text} became {}", of(text));
        }
    }

    #[test]
    fn attributes_are_found_with_their_lines() {
        let code = "#![a(b[0])]\n#[c]\nfn f() { let x = [1]; }\n#[d(\n e)]\n";
        assert_eq!(attributes(code), [(1, "a(b[0])"), (2, "c"), (4, "d(\n e)")]);
    }

    #[test]
    fn a_word_is_not_found_inside_another() {
        assert_eq!(lines_with("dbg!(x)\nmy_dbg!(x)\n dbg!(y)\n", "dbg!"), [1, 3]);
    }
}
