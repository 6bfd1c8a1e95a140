//! Named formats: `format.dns1123Label().validate(text)`.

use super::arguments::{opaque, text};
use super::regex::search_cost;
use super::{Context, Cost, Library, Overload, size_of, url};
use crate::{EvalError, Opaque, Value};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::any::Any;
use ratchet_net::dns;
use ratchet_object::selector::{label_key_faults, label_value_faults};

/// A format: its name, its validation, and the length of an equivalent regular expression, which
/// its cost is based on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    name: &'static str,
    faults: fn(&str) -> Vec<String>,
    pattern_size: u64,
}

impl Opaque for &'static Format {
    fn type_name(&self) -> &'static str {
        "kubernetes.NamedFormat"
    }

    fn equal(&self, other: &dyn Opaque) -> bool {
        let other: Option<&Self> = other.as_any().downcast_ref();
        other.is_some_and(|other| self.name == other.name)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LONG_63: &str = "must be no more than 63 characters";
const LONG_253: &str = "must be no more than 253 characters";

fn messages(faults: [(bool, &str); 2]) -> Vec<String> {
    faults.into_iter().filter(|fault| fault.0).map(|fault| fault.1.to_string()).collect()
}

fn label(text: &str) -> Vec<String> {
    let faults = dns::label(text);
    // A text with dots that is otherwise a valid subdomain only has the dots reported.
    let message = if dns::subdomain(text).pattern { LABEL } else { "must not contain dots" };
    messages([(faults.too_long, LONG_63), (faults.pattern, message)])
}

fn label_1035(text: &str) -> Vec<String> {
    let faults = dns::label(text);
    let starts = text.starts_with(|letter: char| letter.is_ascii_lowercase());
    messages([(faults.too_long, LONG_63), (faults.pattern || !starts, LABEL_1035)])
}

fn subdomain(text: &str) -> Vec<String> {
    let faults = dns::subdomain(text);
    messages([(faults.too_long, LONG_253), (faults.pattern, SUBDOMAIN)])
}

/// The prefix of a name may end with a dash: the API server replaces the last two bytes by a
/// letter.
fn stem(text: &str, faults: fn(&str) -> Vec<String>) -> Vec<String> {
    match text.strip_suffix('-').filter(|stem| !stem.is_empty()) {
        Some(stem) => {
            let retained = stem.strip_suffix(|_: char| true).unwrap_or_default();
            // A multi-byte character is cut, which makes the name invalid.
            let broken = stem.chars().next_back().is_some_and(|letter| !letter.is_ascii());
            faults(&alloc::format!("{retained}{}", if broken { "\u{fffd}" } else { "a" }))
        }
        None => faults(text),
    }
}

fn uri(text: &str) -> Vec<String> {
    url::check(text).err().into_iter().collect()
}

fn unless(fits: bool, message: &str) -> Vec<String> {
    if fits { Vec::new() } else { [message.to_string()].into() }
}

fn uuid(text: &str) -> Vec<String> {
    unless(is_uuid(text), "does not match the UUID format")
}

/// Five groups of hexadecimal digits, with dashes between them or without.
fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        match rest.split_at_checked(length) {
            Some((group, after)) if group.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                rest = after;
            }
            _ => return false,
        }
    }
    rest.is_empty()
}

fn byte(text: &str) -> Vec<String> {
    unless(is_base64(text), "invalid base64")
}

fn is_base64(text: &str) -> bool {
    let digits = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !text.is_empty() && text.len().is_multiple_of(4) && digits.bytes().all(is_digit)
}

fn date(text: &str) -> Vec<String> {
    unless(is_date(text), "invalid date")
}

fn two_digits(text: &[u8]) -> Option<u32> {
    match text {
        [a @ b'0'..=b'9', b @ b'0'..=b'9'] => Some(u32::from(a - b'0') * 10 + u32::from(b - b'0')),
        _ => None,
    }
}

fn is_date(text: &str) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return false };
    let parts = (two_digits(&[*y1, *y2]), two_digits(&[*y3, *y4]));
    let (Some(century), Some(year)) = parts else { return false };
    let (Some(month), Some(day)) = (two_digits(&[*m1, *m2]), two_digits(&[*d1, *d2])) else {
        return false;
    };
    let year = century * 100 + year;
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn datetime(text: &str) -> Vec<String> {
    unless(is_datetime(text), "invalid datetime")
}

fn is_datetime(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    parts.next().is_some_and(is_date) && parts.next().is_some_and(is_time)
}

/// `hh:mm:ss`, a fraction behind any one character, and `z` or an offset.
fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else { return false };
    let [h1, h2, b':', m1, m2, b':', s1, s2] = clock.as_bytes() else { return false };
    let in_range = |a: &u8, b: &u8, most| two_digits(&[*a, *b]).is_some_and(|value| value <= most);
    if !(in_range(h1, h2, 23) && in_range(m1, m2, 59) && in_range(s1, s2, 59)) {
        return false;
    }
    if is_offset(rest) {
        return true;
    }
    let mut letters = rest.chars();
    if letters.next().is_none_or(|letter| letter == '\n') {
        return false;
    }
    let fraction = letters.as_str();
    let offset = fraction.trim_start_matches(|letter: char| letter.is_ascii_digit());
    offset.len() < fraction.len() && is_offset(offset)
}

fn is_offset(text: &str) -> bool {
    match text.as_bytes() {
        b"z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => [h1, h2, m1, m2].into_iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// All formats, by the name that expressions use.
static FORMATS: [(&str, Format); 13] = {
    const fn row(
        key: &'static str,
        name: &'static str,
        faults: fn(&str) -> Vec<String>,
        pattern_size: u64,
    ) -> (&'static str, Format) {
        (key, Format { name, faults, pattern_size })
    }
    [
        row("dns1123Label", "DNS1123Label", label, 30),
        row("dns1123Subdomain", "DNS1123Subdomain", subdomain, 60),
        row("dns1035Label", "DNS1035Label", label_1035, 30),
        row("qualifiedName", "QualifiedName", label_key_faults, 60),
        row("dns1123LabelPrefix", "DNS1123LabelPrefix", |text| stem(text, label), 30),
        row("dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", |text| stem(text, subdomain), 60),
        row("dns1035LabelPrefix", "DNS1035LabelPrefix", |text| stem(text, label_1035), 30),
        row("labelValue", "LabelValue", label_value_faults, 40),
        row("uri", "URI", uri, 1103),
        row("uuid", "uuid", uuid, 70),
        row("byte", "byte", byte, 84),
        row("date", "date", date, 71),
        row("datetime", "datetime", datetime, 71),
    ]
};

fn find<'t>(key: &str) -> Option<Value<'t>> {
    FORMATS.iter().find(|row| row.0 == key).map(|row| Value::opaque(&row.1))
}

fn constant<'t>(key: &str) -> Result<Value<'t>, EvalError> {
    find(key).ok_or_else(EvalError::no_such_overload)
}

fn named_format<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Ok(find(text(arguments, 0)?).map_or(Value::Optional(None), Value::some))
}

fn validate<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let format: &&'static Format = opaque(arguments, 0)?;
    let faults = (format.faults)(text(arguments, 1)?);
    if faults.is_empty() {
        return Ok(Value::Optional(None));
    }
    Ok(Value::some(Value::list(faults.into_iter().map(Value::from).collect())))
}

const VALIDATE: Cost = Cost(|arguments, _| {
    let format = arguments.first().and_then(Value::as_opaque::<&'static Format>);
    format.map_or(1, |format| search_cost(size_of(arguments, 1), format.pattern_size))
});

/// Kubernetes' library of named formats.
pub(super) static FORMAT: Library = Library {
    name: "kubernetes.format",
    since: (1, 31),
    overloads: &[
        Overload {
            id: "format-validate",
            signature: "kubernetes.NamedFormat.validate(string): optional_type(list(string))",
            call: validate,
            cost: VALIDATE,
        },
        Overload {
            id: "format-named",
            signature: "fn format.named(string): optional_type(kubernetes.NamedFormat)",
            call: named_format,
            cost: Cost::ONE,
        },
        Overload {
            id: "format.dns1123Label",
            signature: "fn format.dns1123Label(): kubernetes.NamedFormat",
            call: |_, _| constant("dns1123Label"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.dns1123Subdomain",
            signature: "fn format.dns1123Subdomain(): kubernetes.NamedFormat",
            call: |_, _| constant("dns1123Subdomain"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.dns1035Label",
            signature: "fn format.dns1035Label(): kubernetes.NamedFormat",
            call: |_, _| constant("dns1035Label"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.qualifiedName",
            signature: "fn format.qualifiedName(): kubernetes.NamedFormat",
            call: |_, _| constant("qualifiedName"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.dns1123LabelPrefix",
            signature: "fn format.dns1123LabelPrefix(): kubernetes.NamedFormat",
            call: |_, _| constant("dns1123LabelPrefix"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.dns1123SubdomainPrefix",
            signature: "fn format.dns1123SubdomainPrefix(): kubernetes.NamedFormat",
            call: |_, _| constant("dns1123SubdomainPrefix"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.dns1035LabelPrefix",
            signature: "fn format.dns1035LabelPrefix(): kubernetes.NamedFormat",
            call: |_, _| constant("dns1035LabelPrefix"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.labelValue",
            signature: "fn format.labelValue(): kubernetes.NamedFormat",
            call: |_, _| constant("labelValue"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.uri",
            signature: "fn format.uri(): kubernetes.NamedFormat",
            call: |_, _| constant("uri"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.uuid",
            signature: "fn format.uuid(): kubernetes.NamedFormat",
            call: |_, _| constant("uuid"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.byte",
            signature: "fn format.byte(): kubernetes.NamedFormat",
            call: |_, _| constant("byte"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.date",
            signature: "fn format.date(): kubernetes.NamedFormat",
            call: |_, _| constant("date"),
            cost: Cost::ONE,
        },
        Overload {
            id: "format.datetime",
            signature: "fn format.datetime(): kubernetes.NamedFormat",
            call: |_, _| constant("datetime"),
            cost: Cost::ONE,
        },
    ],
    constants: &[],
    types: &[],
};
