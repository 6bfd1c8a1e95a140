//! Forms that names and short texts must have, each with the words in which the API says so.

use crate::rules::dns_search::STRICT_PATTERN;
use crate::rules::labels;
use alloc::borrow::Cow;
use ratchet_net::dns;

/// What a text must look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameFormat {
    /// Labels with dots between them, 253 bytes.
    Subdomain,
    /// One RFC 1123 label, 63 bytes.
    Label,
    /// One RFC 1035 label: as above, but it begins with a letter.
    Label1035,
    /// Anything that can be one segment of a URL path.
    PathSegment,
    /// An IANA service name, 15 bytes.
    PortName,
    /// The name of an environment variable.
    Variable,
    /// A key of a ConfigMap or a Secret.
    ConfigKey,
    /// A label's key: a name, with a DNS name and a slash before it or without.
    Qualified,
    /// A label's value.
    LabelValue,
    /// The name of an HTTP header.
    Header,
    /// A subdomain, or `*.` and one.
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

/// Tells everything that is wrong with a text, in the API's words.
pub fn faults(form: NameFormat, text: &str, mut tell: impl FnMut(Cow<'static, str>)) {
    let mut say = |detail: &'static str| tell(Cow::Borrowed(detail));
    match form {
        NameFormat::Subdomain => subdomain(text, say),
        NameFormat::Label => label(text, say),
        NameFormat::Label1035 => {
            if text.len() > 63 {
                say(LONG_63);
            }
            let starts = text.starts_with(|letter: char| letter.is_ascii_lowercase());
            if !starts || dns::label(text).pattern {
                say(LABEL_1035);
            }
        }
        NameFormat::PathSegment => match text {
            "." => say("may not be '.'"),
            ".." => say("may not be '..'"),
            _ => path_prefix(text, say),
        },
        NameFormat::PortName => port_name(text, say),
        NameFormat::Variable => {
            if text.is_empty() {
                say("environment variable name must be non-empty");
            }
            if text.chars().any(|letter| !(' '..='~').contains(&letter) || letter == '=') {
                say(VARIABLE);
            }
        }
        NameFormat::ConfigKey => config_key(text, say),
        NameFormat::Qualified => labels::key_faults(text, tell),
        NameFormat::LabelValue => labels::value_faults(text, say),
        NameFormat::Header => {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            if text.is_empty() || !text.bytes().all(is_part) {
                say(HEADER);
            }
        }
        NameFormat::Host if text.contains('*') => {
            if text.len() > 253 {
                say(LONG_253);
            }
            if text.strip_prefix("*.").is_none_or(|rest| dns::subdomain(rest).pattern) {
                say(WILDCARD);
            }
        }
        NameFormat::Host => subdomain(text, say),
    }
}

/// The same for a text that a name will begin with: a dash at its end will not be the last letter.
pub(crate) fn stem_faults(form: NameFormat, text: &str, tell: impl FnMut(Cow<'static, str>)) {
    if form == NameFormat::PathSegment {
        let mut tell = tell;
        return path_prefix(text, |detail| tell(Cow::Borrowed(detail)));
    }
    match text.strip_suffix('-') {
        // The API puts a letter in the place of the last two.
        Some(stem) if !stem.is_empty() => {
            let mut masked: alloc::string::String = stem.into();
            masked.pop();
            masked.push('a');
            faults(form, &masked, tell);
        }
        _ => faults(form, text, tell),
    }
}

/// Whether a text has a form.
pub(crate) fn fits(form: NameFormat, text: &str) -> bool {
    let mut fits = true;
    faults(form, text, |_| fits = false);
    fits
}

fn subdomain(text: &str, mut say: impl FnMut(&'static str)) {
    let faults = dns::subdomain(text);
    if faults.too_long {
        say(LONG_253);
    }
    if faults.pattern {
        say(STRICT_PATTERN);
    }
}

fn label(text: &str, mut say: impl FnMut(&'static str)) {
    let faults = dns::label(text);
    if faults.too_long {
        say(LONG_63);
    }
    if faults.pattern {
        // What would be a name with dots lacks nothing but that.
        say(if dns::subdomain(text).pattern { LABEL } else { "must not contain dots" });
    }
}

fn path_prefix(text: &str, mut say: impl FnMut(&'static str)) {
    if text.contains('/') {
        say("may not contain '/'");
    }
    if text.contains('%') {
        say("may not contain '%'");
    }
}

fn port_name(text: &str, mut say: impl FnMut(&'static str)) {
    if text.len() > 15 {
        say("must be no more than 15 characters");
    }
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if text.is_empty() || !text.bytes().all(is_part) {
        say("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if !text.bytes().any(|byte| byte.is_ascii_lowercase()) {
        say("must contain at least one letter (a-z)");
    }
    if text.contains("--") {
        say("must not contain consecutive hyphens");
    }
    if text.starts_with('-') || text.ends_with('-') {
        say("must not begin or end with a hyphen");
    }
}

fn config_key(text: &str, mut say: impl FnMut(&'static str)) {
    if text.len() > 253 {
        say(LONG_253);
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if text.is_empty() || !text.bytes().all(is_part) {
        say(CONFIG_KEY);
    }
    match text {
        "." => say("must not be '.'"),
        ".." => say("must not be '..'"),
        _ if text.starts_with("..") => say("must not start with '..'"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;

    fn told(form: NameFormat, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        faults(form, text, |detail| all.push(detail.into_owned()));
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
        for (form, text) in good {
            assert_eq!(told(form, text), Vec::<String>::new(), "{form:?} {text}");
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
        for (form, text, count) in bad {
            assert_eq!(told(form, text).len(), count, "{form:?} {text} {:?}", told(form, text));
        }
        assert_eq!(told(NameFormat::Label, "a.b"), ["must not contain dots"]);
    }

    #[test]
    fn a_stem_may_end_with_a_dash() {
        let mut count = 0;
        stem_faults(NameFormat::Subdomain, "web-", |_| count += 1);
        assert_eq!(count, 0);
        stem_faults(NameFormat::Subdomain, "Web-", |_| count += 1);
        stem_faults(NameFormat::Subdomain, "-", |_| count += 1);
        assert_eq!(count, 2);
    }
}
