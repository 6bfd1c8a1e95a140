//! `NameFormat`, the formats of names and short strings, each with the API's error messages.

use crate::rules::dns_search::STRICT_PATTERN;
use crate::rules::labels;
use alloc::borrow::Cow;
use ratchet_net::dns;

/// The format of a name or short string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameFormat {
    /// An RFC 1123 subdomain: labels with dots between them, at most 253 bytes.
    Subdomain,
    /// One RFC 1123 label, at most 63 bytes.
    Label,
    /// One RFC 1035 label: an RFC 1123 label that begins with a letter.
    Label1035,
    /// Any segment of a URL path.
    PathSegment,
    /// An IANA service name, at most 15 bytes.
    PortName,
    /// The name of an environment variable.
    Variable,
    /// A key of a ConfigMap or a Secret.
    ConfigKey,
    /// A qualified name, as label keys are: a name with an optional DNS subdomain and a slash before it.
    Qualified,
    /// A label's value.
    LabelValue,
    /// The name of an HTTP header.
    Header,
    /// A subdomain, or a wildcard `*.` and a subdomain.
    Host,
}

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const WILDCARD: &str = r"a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const VARIABLE: &str = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const HEADER: &str = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const LONG_63: &str = "must be no more than 63 characters";
const LONG_253: &str = "must be no more than 253 characters";

/// Reports every violation of a format, with the API's messages.
pub fn faults(format: NameFormat, text: &str, mut report: impl FnMut(Cow<'static, str>)) {
    let mut report_str = |detail: &'static str| report(Cow::Borrowed(detail));
    match format {
        NameFormat::Subdomain => subdomain(text, report_str),
        NameFormat::Label => label(text, report_str),
        NameFormat::Label1035 => {
            if text.len() > 63 {
                report_str(LONG_63);
            }
            let starts = text.starts_with(|letter: char| letter.is_ascii_lowercase());
            if !starts || dns::label(text).pattern {
                report_str(LABEL_1035);
            }
        }
        NameFormat::PathSegment => match text {
            "." => report_str("may not be '.'"),
            ".." => report_str("may not be '..'"),
            _ => path_prefix(text, report_str),
        },
        NameFormat::PortName => port_name(text, report_str),
        NameFormat::Variable => {
            if text.is_empty() {
                report_str("environment variable name must be non-empty");
            }
            if text.chars().any(|letter| !(' '..='~').contains(&letter) || letter == '=') {
                report_str(VARIABLE);
            }
        }
        NameFormat::ConfigKey => config_key(text, report_str),
        NameFormat::Qualified => labels::key_faults(text, report),
        NameFormat::LabelValue => labels::value_faults(text, report_str),
        NameFormat::Header => {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            if text.is_empty() || !text.bytes().all(is_part) {
                report_str(HEADER);
            }
        }
        NameFormat::Host if text.contains('*') => {
            if text.len() > 253 {
                report_str(LONG_253);
            }
            if text.strip_prefix("*.").is_none_or(|rest| dns::subdomain(rest).pattern) {
                report_str(WILDCARD);
            }
        }
        NameFormat::Host => subdomain(text, report_str),
    }
}

/// Reports the violations of a `generateName` prefix, which may end with a dash.
pub(crate) fn prefix_faults(format: NameFormat, text: &str, report: impl FnMut(Cow<'static, str>)) {
    if format == NameFormat::PathSegment {
        let mut report = report;
        return path_prefix(text, |detail| report(Cow::Borrowed(detail)));
    }
    // A key may end with a dash anyway.
    if format == NameFormat::ConfigKey {
        return faults(format, text, report);
    }
    match text.strip_suffix('-') {
        // The API replaces the last two characters with a letter.
        Some(prefix) if !prefix.is_empty() => {
            let mut masked: alloc::string::String = prefix.into();
            masked.pop();
            masked.push('a');
            faults(format, &masked, report);
        }
        _ => faults(format, text, report),
    }
}

/// Whether a string has the format.
pub(crate) fn is_valid(format: NameFormat, text: &str) -> bool {
    let mut is_valid = true;
    faults(format, text, |_| is_valid = false);
    is_valid
}

fn subdomain(text: &str, mut report: impl FnMut(&'static str)) {
    let faults = dns::subdomain(text);
    if faults.too_long {
        report(LONG_253);
    }
    if faults.pattern {
        report(STRICT_PATTERN);
    }
}

fn label(text: &str, mut report: impl FnMut(&'static str)) {
    let faults = dns::label(text);
    if faults.too_long {
        report(LONG_63);
    }
    if faults.pattern {
        // A valid subdomain is wrong only in its dots.
        report(if dns::subdomain(text).pattern { LABEL } else { "must not contain dots" });
    }
}

fn path_prefix(text: &str, mut report: impl FnMut(&'static str)) {
    if text.contains('/') {
        report("may not contain '/'");
    }
    if text.contains('%') {
        report("may not contain '%'");
    }
}

fn port_name(text: &str, mut report: impl FnMut(&'static str)) {
    if text.len() > 15 {
        report("must be no more than 15 characters");
    }
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if text.is_empty() || !text.bytes().all(is_part) {
        report("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if !text.bytes().any(|byte| byte.is_ascii_lowercase()) {
        report("must contain at least one letter (a-z)");
    }
    if text.contains("--") {
        report("must not contain consecutive hyphens");
    }
    if text.starts_with('-') || text.ends_with('-') {
        report("must not begin or end with a hyphen");
    }
}

fn config_key(text: &str, mut report: impl FnMut(&'static str)) {
    if text.len() > 253 {
        report(LONG_253);
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if text.is_empty() || !text.bytes().all(is_part) {
        report(CONFIG_KEY);
    }
    match text {
        "." => report("must not be '.'"),
        ".." => report("must not be '..'"),
        _ if text.starts_with("..") => report("must not start with '..'"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;

    fn messages(format: NameFormat, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        faults(format, text, |detail| all.push(detail.into_owned()));
        all
    }

    #[test]
    fn good_texts_have_no_faults() {
        let good = [
            (NameFormat::Subdomain, "a.b-c"),
            (NameFormat::Label, "0a"),
            (NameFormat::Label1035, "a0"),
            (NameFormat::PathSegment, "system:x"),
            (NameFormat::PortName, "http-2"),
            (NameFormat::Variable, "A B"),
            (NameFormat::ConfigKey, "..data".trim_start_matches('.')),
            (NameFormat::Qualified, "example.com/a"),
            (NameFormat::LabelValue, ""),
            (NameFormat::Header, "X-A"),
            (NameFormat::Host, "*.a"),
        ];
        for (format, text) in good {
            assert_eq!(messages(format, text), Vec::<String>::new(), "{format:?} {text}");
        }
    }

    #[test]
    fn bad_texts_have_as_many_faults_as_the_api_tells() {
        let bad = [
            (NameFormat::Subdomain, "A_b", 1),
            (NameFormat::Label, "a.b", 1),
            (NameFormat::Label1035, "0a", 1),
            (NameFormat::PathSegment, "a/b%", 2),
            (NameFormat::PortName, "--", 3),
            (NameFormat::PortName, "", 2),
            (NameFormat::Variable, "a=b", 1),
            (NameFormat::ConfigKey, "../x", 2),
            (NameFormat::Qualified, "/", 3),
            (NameFormat::LabelValue, "-", 1),
            (NameFormat::Header, "a b", 1),
            (NameFormat::Host, "*", 1),
        ];
        for (format, text, count) in bad {
            assert_eq!(
                messages(format, text).len(),
                count,
                "{format:?} {text} {:?}",
                messages(format, text)
            );
        }
        assert_eq!(messages(NameFormat::Label, "a.b"), ["must not contain dots"]);
    }

    #[test]
    fn a_stem_may_end_with_a_dash() {
        let mut count = 0;
        prefix_faults(NameFormat::Subdomain, "web-", |_| count += 1);
        assert_eq!(count, 0);
        prefix_faults(NameFormat::Subdomain, "Web-", |_| count += 1);
        prefix_faults(NameFormat::Subdomain, "-", |_| count += 1);
        assert_eq!(count, 2);
    }
}
