//! The octal reading of addresses and lengths with leading zeros, as C's `inet_aton` has it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The address that a reader of octal numbers sees, in decimal; none if the text has no leading zero or no octal
/// reading.
pub(crate) fn address(text: &str) -> Option<String> {
    let (head, dotted) = match text.rfind(':') {
        Some(at) => text.split_at(at + 1),
        None => ("", text),
    };
    let octets: Vec<&str> = dotted.split('.').collect();
    if octets.len() != 4 || !octets.iter().copied().any(is_padded) {
        return None;
    }
    let octets: Option<Vec<String>> = octets.iter().map(|octet| number(octet, 255)).collect();
    Some(format!("{head}{}", octets?.join(".")))
}

/// The network or interface address that a reader of octal numbers sees, in decimal; none if the text has no leading
/// zero or no octal reading.
pub(crate) fn with_length(text: &str) -> Option<String> {
    let (addr, length) = text.split_once('/')?;
    if !has_padding(text) {
        return None;
    }
    let addr = if has_padding(addr) { address(addr)? } else { addr.to_string() };
    Some(format!("{addr}/{}", number(length, 128)?))
}

/// Whether a decimal part of the text has leading zeros. Groups of IPv6 are hexadecimal to everybody.
pub(crate) fn has_padding(text: &str) -> bool {
    let (addr, length) = text.split_once('/').unwrap_or((text, ""));
    let dotted = addr.rsplit(':').next().unwrap_or(addr);
    is_padded(length) || (dotted.contains('.') && dotted.split('.').any(is_padded))
}

fn is_padded(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
}

/// A number as C reads it: octal with a leading zero, else decimal.
fn number(digits: &str, most: u32) -> Option<String> {
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let radix = if is_padded(digits) { 8 } else { 10 };
    let value = u32::from_str_radix(digits, radix).ok().filter(|_| is_number)?;
    (value <= most).then(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_make_a_number_octal() {
        for (text, want) in [
            ("010.0.0.1", Some("8.0.0.1")),
            ("10.0.0.01", Some("10.0.0.1")),
            ("0300.0250.0.1", Some("192.168.0.1")),
            ("::ffff:010.0.0.1", Some("::ffff:8.0.0.1")),
            ("10.0.0.08", None),
            ("0400.0.0.1", None),
            ("10.0.0.1", None),
            ("10.0.01", None),
            ("2001:0db8::1", None),
        ] {
            assert_eq!(address(text).as_deref(), want, "{text}");
        }
        assert_eq!(with_length("010.0.0.0/010").as_deref(), Some("8.0.0.0/8"));
        assert_eq!(with_length("10.0.0.0/024").as_deref(), Some("10.0.0.0/20"));
        assert_eq!(with_length("2001:db8::/032").as_deref(), Some("2001:db8::/26"));
        assert_eq!(with_length("10.0.0.0/08"), None);
        assert_eq!(with_length("10.0.0.0/8"), None);
    }
}
