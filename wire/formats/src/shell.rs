//! Quoting of texts for a shell.

/// Quotes a text, if it needs quotes.
pub fn shell_quote(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%=".contains(c);
    // zsh looks up what follows an equals sign at the beginning of a word.
    match !text.is_empty() && !text.starts_with('=') && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_quotes_gets_them() {
        assert_eq!(shell_quote("/a/b-c"), "/a/b-c");
        assert_eq!(shell_quote("--namespace=shop"), "--namespace=shop");
        assert_eq!(shell_quote("=ls"), "'=ls'");
        assert_eq!(shell_quote("/a b"), "'/a b'");
        assert_eq!(shell_quote(""), "''");
        assert_eq!(shell_quote("/x/it's"), "'/x/it'\\''s'");
    }
}
