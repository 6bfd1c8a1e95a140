//! Fuzz target `quoted`: a quoted text is one printable line, and unquotes to the original.

use ratchet_net::Quoted;

const WORDS: &[&str] = &[
    "a",
    "\"",
    "\\",
    "\\n",
    "\\x41",
    "\\u00e9",
    "\n",
    "\t",
    "\u{7}",
    "\u{b}",
    "\u{1b}",
    "\u{7f}",
    "\u{80}",
    "\u{a0}",
    "\u{ad}",
    "é",
    "\u{301}",
    "\u{200d}",
    "\u{202e}",
    "\u{e000}",
    "\u{fffd}",
    "\u{ffff}",
    "😀",
    "\u{1fae9}",
    "\u{e0001}",
    "\u{10ffff}",
    "'",
    "%q",
    "日本",
];

#[test]
fn quoted() {
    ratchet_fuzz::fuzz!("quoted", WORDS, check);
}

fn check(text: &str) {
    let quoted = Quoted(text).to_string();
    assert!(!quoted.contains(char::is_control), "{quoted}");
    assert_eq!(unquote(&quoted).as_deref(), Some(text), "{quoted}");
    // Each character is quoted by itself.
    let one_by_one: String = text
        .chars()
        .map(|letter| {
            let quoted = Quoted(letter.encode_utf8(&mut [0; 4])).to_string();
            quoted[1..quoted.len() - 1].to_owned()
        })
        .collect();
    assert_eq!(quoted, format!("\"{one_by_one}\""));
}

/// What Go's `strconv.Unquote` makes of it.
fn unquote(quoted: &str) -> Option<String> {
    let mut rest = quoted.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut text = String::new();
    while let Some(letter) = rest.next() {
        if letter == '"' {
            return None;
        }
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        let digits = match rest.next()? {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            escaped => {
                text.push(match escaped {
                    'a' => '\x07',
                    'b' => '\x08',
                    'f' => '\x0c',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\x0b',
                    '"' | '\\' => escaped,
                    _ => return None,
                });
                continue;
            }
        };
        let number: String = rest.by_ref().take(digits).collect();
        let number = u32::from_str_radix(&number, 16).ok().filter(|_| number.len() == digits)?;
        text.push(char::from_u32(number).filter(|c| digits != 2 || c.is_ascii())?);
    }
    Some(text)
}
