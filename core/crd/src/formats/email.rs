//! Mail addresses as Go's `net/mail` parses them: one address, alone, after a name or in a group.

use core::net::IpAddr;

/// Whether a text is one mail address.
pub(super) fn is_email(text: &str) -> bool {
    let mut parser = Parser { rest: text };
    parser.address(true) == Some(1) && parser.skip_comments() && parser.rest.is_empty()
}

/// What is left of a text. Steps that fail leave it as it was.
struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    fn eat(&mut self, letter: char) -> bool {
        let after = self.rest.strip_prefix(letter);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Skips white space and comments; false if a comment has no end.
    fn skip_comments(&mut self) -> bool {
        self.skip_space();
        while self.eat('(') {
            if !self.comment() {
                return false;
            }
            self.skip_space();
        }
        true
    }

    /// The rest of a comment whose parenthesis is read already.
    fn comment(&mut self) -> bool {
        let mut depth = 1_u32;
        let mut bytes = self.rest.bytes().enumerate().peekable();
        while let Some((index, byte)) = bytes.next() {
            match byte {
                // A backslash at the very end escapes nothing.
                b'\\' if bytes.peek().is_some() => drop(bytes.next()),
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.rest = self.rest.get(index + 1..).unwrap_or_default();
                return true;
            }
        }
        false
    }

    /// The number of addresses of a mailbox, or of a group where one is allowed.
    fn address(&mut self, allows_group: bool) -> Option<usize> {
        self.skip_space();
        if self.rest.is_empty() {
            return None;
        }
        if self.plain() {
            self.skip_space();
            return (!self.eat('(') || self.comment()).then_some(1);
        }
        if !self.rest.starts_with('<') && !self.phrase() {
            return None;
        }
        self.skip_space();
        if allows_group && self.eat(':') {
            return self.group();
        }
        (self.eat('<') && self.plain() && self.eat('>')).then_some(1)
    }

    /// The number of addresses of a group whose name is read already.
    fn group(&mut self) -> Option<usize> {
        self.skip_space();
        if self.eat(';') {
            return self.skip_comments().then_some(0);
        }
        let mut count = 0;
        loop {
            count += self.address(false)?;
            if !self.skip_comments() {
                return None;
            }
            if self.eat(';') {
                return self.skip_comments().then_some(count);
            }
            if !self.eat(',') {
                return None;
            }
        }
    }

    /// The words of a name, at least one.
    fn phrase(&mut self) -> bool {
        let mut has_word = false;
        loop {
            if has_word && !self.skip_comments() {
                return false;
            }
            self.skip_space();
            let is_word = match self.rest.starts_with('"') {
                true => self.quoted().is_some(),
                false => self.atom().is_some(),
            };
            if !is_word {
                return has_word;
            }
            has_word = true;
        }
    }

    /// `local@domain`.
    fn plain(&mut self) -> bool {
        let before = self.rest;
        self.skip_space();
        let has_local = match self.rest.starts_with('"') {
            true => self.quoted().is_some_and(|inside| !inside.is_empty()),
            false => self.dot_atom(),
        };
        let is_plain = has_local && self.eat('@') && {
            self.skip_space();
            if self.rest.starts_with('[') { self.literal() } else { self.dot_atom() }
        };
        if !is_plain {
            self.rest = before;
        }
        is_plain
    }

    /// An address in brackets.
    fn literal(&mut self) -> bool {
        let inside = self.rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let Some((address, after)) = inside else { return false };
        self.rest = after;
        address.parse::<IpAddr>().is_ok()
    }

    /// Letters and dots.
    fn atom(&mut self) -> Option<&'t str> {
        let length = self.rest.find(|letter| !is_atom(letter)).unwrap_or(self.rest.len());
        let (atom, after) = self.rest.split_at_checked(length)?;
        if atom.is_empty() {
            return None;
        }
        self.rest = after;
        Some(atom)
    }

    /// The same with single dots inside.
    fn dot_atom(&mut self) -> bool {
        let atom = self.atom();
        atom.is_some_and(|atom| {
            !atom.starts_with('.') && !atom.ends_with('.') && !atom.contains("..")
        })
    }

    /// A text in quotation marks; returns what stands between them.
    fn quoted(&mut self) -> Option<&'t str> {
        let inside = self.rest.strip_prefix('"')?;
        let mut escaped = false;
        for (index, letter) in inside.char_indices() {
            match letter {
                _ if !is_visible(letter) && !matches!(letter, ' ' | '\t') => return None,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.rest = inside.get(index + 1..)?;
                    return inside.get(..index);
                }
                _ => {}
            }
        }
        None
    }
}

fn is_visible(letter: char) -> bool {
    letter.is_ascii_graphic() || !letter.is_ascii()
}

fn is_atom(letter: char) -> bool {
    is_visible(letter) && !"()<>[]:;@\\,\"".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::is_email;

    #[test]
    fn addresses_are_read_as_go_reads_them() {
        for good in [
            "a@b",
            " a@b (c (d) \\) e) ",
            "a.b@c.d",
            "<a@b>",
            "A B <a@b>",
            "A. B. <a@b>",
            "\"a, b\" c <d@e>",
            "\"\" <a@b>",
            "\"a b\"@c",
            "a@ b",
            "a@[1.2.3.4]",
            "a@[::1]",
            "g: a@b;",
            "g: A <a@b> (c) ; (d)",
            "é@ü",
            "A (c) <a@b>",
        ] {
            assert!(is_email(good), "{good}");
        }
        for bad in [
            "",
            " ",
            "a",
            "a@",
            "@b",
            "a b@c",
            "a@b@c",
            "a.@b",
            ".a@b",
            "a..b@c",
            "a@b.",
            "\"\"@b",
            "\"a@b",
            "a@b (c",
            "a@b, c@d",
            "g:;",
            "g: a@b, c@d;",
            "g: h: a@b;;",
            "a@[b]",
            "a@[IPv6:::1]",
            "a@[1.2.3.4",
            "A <a@b",
            "A <a@b> c",
            "a\u{7}@b",
            "(c) a@b",
        ] {
            assert!(!is_email(bad), "{bad}");
        }
    }
}
