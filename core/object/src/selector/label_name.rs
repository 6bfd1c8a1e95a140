//! Validation of label keys and values, with the API server's messages.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_net::dns;

const MAX_LEN: usize = 63;
const MAX_PREFIX_LEN: usize = 253;

const KEY_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const PREFIX_RULE: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

fn is_name(text: &str) -> bool {
    let is_inside =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    text.chars().all(is_inside)
        && text.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && text.ends_with(|letter: char| letter.is_ascii_alphanumeric())
}

/// The errors of a label or annotation key; none if it is valid.
#[must_use]
pub fn label_key_faults(key: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let (prefix, name) = match key.split_once('/') {
        None => (None, key),
        Some((prefix, name)) => (Some(prefix), name),
    };
    if name.contains('/') {
        faults.push(format!(
            "a valid label key {KEY_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ));
        return faults;
    }
    if let Some(prefix) = prefix {
        let errors = dns::subdomain(prefix);
        if prefix.is_empty() {
            faults.push("prefix part must be non-empty".into());
        } else {
            if errors.too_long {
                faults.push(format!("prefix part must be no more than {MAX_PREFIX_LEN} bytes"));
            }
            if errors.pattern {
                faults.push(format!("prefix part {PREFIX_RULE}"));
            }
        }
    }
    if name.is_empty() {
        faults.push("name part must be non-empty".into());
    } else if name.len() > MAX_LEN {
        faults.push(format!("name part must be no more than {MAX_LEN} bytes"));
    }
    if !is_name(name) {
        faults.push(format!("name part {KEY_RULE}"));
    }
    faults
}

/// The errors of a label value; none if it is valid.
#[must_use]
pub fn label_value_faults(value: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if value.len() > MAX_LEN {
        faults.push(format!("must be no more than {MAX_LEN} bytes"));
    }
    if !value.is_empty() && !is_name(value) {
        faults.push(VALUE_RULE.into());
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        for good in ["a", "A.b_c-1", "example.com/a", &"x".repeat(63)] {
            assert!(label_key_faults(good).is_empty(), "{good}");
        }
        for (bad, count) in
            [("", 2), ("-a", 1), ("a/b/c", 1), ("/a", 1), ("A.com/a", 1), ("a/", 2), ("é", 1)]
        {
            assert_eq!(label_key_faults(bad).len(), count, "{bad}");
        }
        assert_eq!(label_key_faults(&"x".repeat(64)), ["name part must be no more than 63 bytes"]);
        let prefix = format!("{}/x", "x.".repeat(127) + "x");
        assert_eq!(label_key_faults(&prefix), ["prefix part must be no more than 253 bytes"]);
    }

    #[test]
    fn values() {
        for good in ["", "a", "A.b_c-1"] {
            assert!(label_value_faults(good).is_empty(), "{good}");
        }
        assert_eq!(label_value_faults("a b").len(), 1);
        assert_eq!(label_value_faults(&"-".repeat(64)).len(), 2);
    }
}
