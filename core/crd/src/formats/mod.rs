//! String formats of schemas (`strfmt`), as a table of names and checks.

mod categories;
mod email;
mod numbers;
mod texts;

/// A row of the table: what `format` may name.
#[derive(Debug)]
pub(crate) struct Format {
    /// Its name without dashes, which do not count.
    name: &'static str,
    /// Whether a text has the format.
    pub(crate) check: fn(&str) -> bool,
}

const fn row(name: &'static str, check: fn(&str) -> bool) -> Format {
    Format { name, check }
}

/// Every format, sorted by name.
static FORMATS: &[Format] = &[
    row("bsonobjectid", texts::is_object_id),
    row("byte", texts::is_base64),
    row("cidr", numbers::is_cidr),
    row("creditcard", numbers::is_credit_card),
    row("date", texts::is_date),
    row("datetime", texts::is_date_time),
    row("duration", |text| ratchet_cel::strfmt::parse_duration(text).is_some()),
    row("email", email::is_email),
    row("hexcolor", texts::is_hex_color),
    row("hostname", texts::is_hostname),
    row("ipv4", numbers::is_ipv4),
    row("ipv6", numbers::is_ipv6),
    row("isbn", |text| numbers::is_isbn10(text) || numbers::is_isbn13(text)),
    row("isbn10", numbers::is_isbn10),
    row("isbn13", numbers::is_isbn13),
    row("k8slongname", texts::is_long_name),
    row("k8sshortname", texts::is_short_name),
    row("mac", numbers::is_mac),
    row("password", |_| true),
    row("rgbcolor", texts::is_rgb_color),
    row("ssn", numbers::is_ssn),
    row("uri", texts::is_uri),
    row("uuid", |text| texts::is_uuid(text, None)),
    row("uuid3", |text| texts::is_uuid(text, Some('3'))),
    row("uuid4", |text| texts::is_uuid(text, Some('4'))),
    row("uuid5", |text| texts::is_uuid(text, Some('5'))),
];

/// The format of a name, dashes aside.
pub(crate) fn find(name: &str) -> Option<&'static Format> {
    if name.is_empty() {
        return None;
    }
    let name = name.replace('-', "");
    let index = FORMATS.binary_search_by(|format| format.name.cmp(&name)).ok()?;
    FORMATS.get(index)
}

/// Whether a format has a meaning for values of these types; others are not looked at.
pub(crate) fn is_supported(types: &[&str], format: &str) -> bool {
    match types {
        ["integer"] => matches!(format, "int32" | "int64"),
        ["number"] => matches!(format, "float" | "double"),
        ["string"] => find(format).is_some(),
        [_] => false,
        _ => find(format).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_sorted_and_found() {
        assert!(FORMATS.is_sorted_by(|one, other| one.name < other.name));
        assert!(find("date-time").is_some() && find("k8s-short-name").is_some());
        assert!(find("colour").is_none() && find("").is_none());
        assert!(is_supported(&["integer"], "int32") && !is_supported(&["integer"], "uuid"));
        assert!(is_supported(&["integer", "string"], "uuid"));
    }

    #[test]
    fn texts_have_a_format_or_not() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (
                "bsonobjectid",
                &["507f1f77bcf86cd799439011"],
                &["507f1f77", "z07f1f77bcf86cd799439011"],
            ),
            ("byte", &["YWI=", "YWJj", "+/8="], &["", "YWI", "YWI=x", "_-8="]),
            (
                "cidr",
                &["10.0.0.0/8", "010.0.0.0/8", "fe80::/10", "10.0.0.1/8"],
                &["10.0.0.0", "10.0.0.0/33", "x/8"],
            ),
            (
                "creditcard",
                &["4111111111111111", "4111-1111-1111-1111"],
                &["4111111111111112", "1", ""],
            ),
            ("date", &["2024-02-29"], &["2023-02-29", "2024-2-9", "2024-02-29T", ""]),
            (
                "date-time",
                &["2024-02-29T01:02:03Z", "2024-02-29t01:02:03.5z", "2024-02-29T01:02:03+01:00"],
                &["2024-02-29T01:02:03", "2024-02-29", "2024-02-29T24:00:00Z", "x"],
            ),
            ("duration", &["1h", "22 ns", "1 day"], &["", "x", "7"]),
            (
                "email",
                &["a@b.c", "A B <a@b>", "\"a b\"@c", "a@[127.0.0.1]"],
                &["", "a", "a@", "@b", "a b@c", "a@b@c"],
            ),
            ("hexcolor", &["#fff", "ABCDEF"], &["#ff", "#ggg", "#12345"]),
            (
                "hostname",
                &["a", "a.bc", "0a", "é", "a-b.example", "😀.example", "a.中国", "a-bc"],
                &["", "-a", "a_b", "a.b.c-", "a.b", "a.😀😀", "a٣", "ab-c"],
            ),
            ("ipv4", &["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"], &["1.2.3", "::1", "1.2.3.256"]),
            ("ipv6", &["::1", "fe80::1", "::ffff:1.2.3.4"], &["1.2.3.4", "fe80::1%eth0", "x"]),
            ("isbn", &["0321751043", "978-0321751041"], &["0321751044", "978-0321751042"]),
            (
                "mac",
                &["01:23:45:67:89:ab", "01-23-45-67-89-ab", "0123.4567.89ab"],
                &["01:23", "01:23:45:67:89:zz", "01:23-45:67:89:ab"],
            ),
            (
                "rgbcolor",
                &["rgb(1, 2,255)", "rgb(0,0,0)"],
                &["rgb(1,2)", "rgb(256,0,0)", "RGB(1,2,3)", "rgb(01,0,0)"],
            ),
            ("ssn", &["123-45-6789", "123 45 6789"], &["123456789", "123-45-678"]),
            ("uri", &["http://a/b?c", "/a", "mailto:a@b"], &["", "a", "http://a b", "#x"]),
            (
                "uuid",
                &["2fa6b84c-a8b4-4e0b-8dbd-7b3f5cb2b1c0", "2FA6B84CA8B44E0B8DBD7B3F5CB2B1C0"],
                &["2fa6b84c", "zfa6b84c-a8b4-4e0b-8dbd-7b3f5cb2b1c0"],
            ),
            (
                "uuid4",
                &["2fa6b84c-a8b4-4e0b-8dbd-7b3f5cb2b1c0"],
                &["2fa6b84c-a8b4-3e0b-8dbd-7b3f5cb2b1c0", "2fa6b84c-a8b4-4e0b-7dbd-7b3f5cb2b1c0"],
            ),
            (
                "uuid3",
                &["2fa6b84c-a8b4-3e0b-7dbd-7b3f5cb2b1c0"],
                &["2fa6b84c-a8b4-4e0b-8dbd-7b3f5cb2b1c0"],
            ),
            ("k8s-short-name", &["a", "0-a"], &["", "A", "a.b", "-a", "a-"]),
            ("k8s-long-name", &["a.b", "a"], &["a..b", "A", "a.b."]),
            ("password", &["", "x"], &[]),
        ];
        for (name, good, bad) in cases {
            let format = find(name).expect(name);
            for text in *good {
                assert!((format.check)(text), "{name} {text}");
            }
            for text in *bad {
                assert!(!(format.check)(text), "{name} {text}");
            }
        }
    }
}
