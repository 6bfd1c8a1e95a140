//! URL queries, parsed as Go parses them.

/// The pairs of a query, decoded, in order.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Parses a query; pairs that cannot be decoded are dropped, as in Go.
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((percent_decode(name)?, percent_decode(value)?))
        });
        Self(pairs.collect())
    }

    /// The first value of this name.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of this name.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Whether a flag is set: present, and neither `0` nor `false`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        let down = |value: &str| value == "0" || value.eq_ignore_ascii_case("false");
        self.first(name).is_some_and(|value| !down(value))
    }

    /// Whether the value is exactly `1`, which selects streams of exec and attach.
    pub(crate) fn one(&self, name: &str) -> bool {
        self.first(name) == Some("1")
    }
}

/// Decodes percent encoding; `None` if it is malformed.
pub(crate) fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut plain = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'+' => b' ',
            b'%' => digit(bytes.next()?)? << 4 | digit(bytes.next()?)?,
            other => other,
        });
    }
    Some(String::from_utf8_lossy(&plain).into_owned())
}

fn digit(byte: u8) -> Option<u8> {
    let value = char::from(byte).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_survives_percent_signs(text: String) {
            let encoded = text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
            prop_assert_eq!(percent_decode(&encoded), Some(text));
        }

        #[test]
        fn any_query_can_be_read(text: String) {
            Query::parse(&text).flag("x");
        }
    }

    #[test]
    fn values_come_decoded_and_in_order() {
        let query = Query::parse("command=sh&command=-c&command=echo+%22a%20b%22&tty=1&x");
        assert_eq!(query.all("command").collect::<Vec<_>>(), ["sh", "-c", "echo \"a b\""]);
        assert!(query.one("tty") && !query.one("x"));
        assert_eq!(query.first("x"), Some(""));
    }

    #[test]
    fn flags_are_up_unless_they_say_no() {
        let query = Query::parse("a=true&b=false&c=0&d=maybe&e=&f=FALSE&g=%zz");
        let up = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| query.flag(name));
        assert_eq!(up, [true, false, false, true, true, false, false, false]);
    }
}
