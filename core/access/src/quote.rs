//! Lists of strings as Go's `%q` formats them.

use alloc::string::String;
use core::fmt::Write;
use ratchet_net::Quoted;

/// The texts in quotes between brackets, separated by spaces.
pub fn quoted_list<T: AsRef<str>>(texts: &[T]) -> String {
    let mut out = String::from("[");
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        // Writing to a String cannot fail.
        let _ = write!(out, "{}", Quoted(text.as_ref()));
    }
    out.push(']');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_formatted_as_go_does() {
        assert_eq!(quoted_list(&["a", "", "\u{200b}\""]), r#"["a" "" "\u200b\""]"#);
        assert_eq!(quoted_list::<&str>(&[]), "[]");
    }
}
