//! Names of managers: where they come from, and what they may be.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use ratchet_net::Quoted;

/// The manager that a write is attributed to: what the client says, else the beginning of its user agent.
#[must_use]
pub fn manager_or_user_agent<'a>(manager: &'a str, user_agent: &'a str) -> Cow<'a, str> {
    if manager.is_empty() { prefix_from_user_agent(user_agent) } else { Cow::Borrowed(manager) }
}

/// The longest name of a manager, in bytes.
const MAX_MANAGER: usize = 128;

fn prefix_from_user_agent(user_agent: &str) -> Cow<'_, str> {
    let prefix = user_agent.split('/').next().unwrap_or_default();
    if prefix.len() <= MAX_MANAGER && prefix.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(prefix);
    }
    let mut out = String::new();
    for letter in prefix.chars().filter(|letter| is_printable(*letter)) {
        if out.len() + letter.len_utf8() > MAX_MANAGER {
            break;
        }
        out.push(letter);
    }
    Cow::Owned(out)
}

/// Whether Go calls a character printable: then quoting does not escape it.
fn is_printable(letter: char) -> bool {
    let mut buffer = [0; 4];
    let text = letter.encode_utf8(&mut buffer);
    matches!(letter, '"' | '\\') || Quoted(text).to_string().len() == text.len() + 2
}

/// What is wrong with the name of a manager; displayed as the detail of the field error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManagerError {
    /// `Too long`.
    TooLong,
    /// `Invalid value`: a character that cannot be printed, with its position in bytes.
    Unprintable(char, usize),
}

impl fmt::Display for ManagerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "may not be more than {MAX_MANAGER} bytes"),
            Self::Unprintable(letter, at) => {
                write!(f, "invalid character U+{:04X} (at position {at})", u32::from(*letter))
            }
        }
    }
}

/// All that is wrong with the name of a manager, as `fieldManager` or in an entry.
#[must_use]
pub fn manager_errors(manager: &str) -> Vec<ManagerError> {
    let long = (manager.len() > MAX_MANAGER).then_some(ManagerError::TooLong);
    let letters = manager.char_indices().filter(|(_, letter)| !is_printable(*letter));
    let unprintable = letters.map(|(at, letter)| ManagerError::Unprintable(letter, at));
    long.into_iter().chain(unprintable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_is_what_the_client_says_or_how_it_calls_itself() {
        assert_eq!(manager_or_user_agent("m", "kubectl/v1"), "m");
        assert_eq!(manager_or_user_agent("", "kubectl/v1.36 (linux)"), "kubectl");
        assert_eq!(manager_or_user_agent("", "a b\t\u{200b}\"c\\/x"), "a b\"c\\");
        assert_eq!(manager_or_user_agent("", ""), "");
        let long = "é".repeat(100);
        assert_eq!(manager_or_user_agent("", &long), "é".repeat(64));
    }

    #[test]
    fn what_is_wrong_with_a_name() {
        let errors =
            |name: &str| manager_errors(name).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(errors("kubectl é \"a\\").is_empty());
        assert!(errors("").is_empty());
        assert!(errors(&"x".repeat(128)).is_empty());
        assert_eq!(
            errors("é\t\u{200b}"),
            [
                "invalid character U+0009 (at position 2)",
                "invalid character U+200B (at position 3)",
            ]
        );
        assert_eq!(errors(&"é".repeat(65)), ["may not be more than 128 bytes"]);
    }
}
