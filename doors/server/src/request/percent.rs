//! Percent signs in URLs.

/// A text without its percent signs; what is then not UTF-8 gets replacement characters.
pub(super) fn decoded(text: &str, plus_is_space: bool) -> String {
    if !text.contains(['%', '+']) {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, more)) = rest.split_first() {
        rest = more;
        let hex = more.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match (byte, hex.and_then(|two| u8::from_str_radix(two, 16).ok())) {
            (b'+', _) if plus_is_space => bytes.push(b' '),
            (b'%', Some(value)) => {
                bytes.push(value);
                rest = more.get(2..).unwrap_or_default();
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned())
}
