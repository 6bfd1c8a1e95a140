//! Percent-encoding of texts in paths, queries and fragments of URLs.

use alloc::string::String;
use core::fmt::Write;

/// A text with everything but unreserved characters percent-encoded.
///
/// ```
/// assert_eq!(ratchet_object::percent_encode("a+b/c=\u{e9}"), "a%2Bb%2Fc%3D%C3%A9");
/// assert_eq!(ratchet_object::percent_encode("aZ09-._~"), "aZ09-._~");
/// ```
pub fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
