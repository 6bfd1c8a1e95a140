//! DNS names and search lists.

/// Why a text is no DNS name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameFault {
    /// More bytes than allowed.
    TooLong,
    /// A character that is not allowed, or not allowed there.
    Pattern,
}

/// All faults of a name: length and pattern are checked independently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct NameFaults {
    /// [`NameFault::TooLong`].
    pub too_long: bool,
    /// [`NameFault::Pattern`].
    pub pattern: bool,
}

impl NameFaults {
    /// Whether there is no fault.
    #[must_use]
    pub const fn is_ok(self) -> bool {
        !self.too_long && !self.pattern
    }

    /// The faults in the order in which they are reported.
    pub fn iter(self) -> impl Iterator<Item = NameFault> {
        let too_long = self.too_long.then_some(NameFault::TooLong);
        let pattern = self.pattern.then_some(NameFault::Pattern);
        too_long.into_iter().chain(pattern)
    }
}

/// Where a relaxed name may have underscores. Never at the end of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Underscores {
    /// Inside a label, and one in front of it: `_sip._tcp.a_b`.
    LeadingToo,
    /// Only inside a label, where a dash is allowed too: `a_b`.
    WhereDashMayStand,
}

/// How the entries of a search list are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchReading {
    /// RFC 1123 names only.
    Strict,
    /// Names with underscores, and the lone `.` that ends a search.
    Relaxed(Underscores),
}

const SUBDOMAIN_MAX: usize = 253;
const LABEL_MAX: usize = 63;

/// Checks an RFC 1123 subdomain: labels with dots between them, 253 bytes. A label in it has no
/// limit of its own.
pub fn subdomain(text: &str) -> NameFaults {
    check(text, SUBDOMAIN_MAX, |label| is_label(label, None))
}

/// Checks one RFC 1123 label: 63 bytes.
pub fn label(text: &str) -> NameFaults {
    NameFaults { too_long: text.len() > LABEL_MAX, pattern: !is_label(text.as_bytes(), None) }
}

/// Checks a subdomain that may have underscores.
pub fn underscored(text: &str, underscores: Underscores) -> NameFaults {
    check(text, SUBDOMAIN_MAX, |label| is_label(label, Some(underscores)))
}

/// Removes one final dot. Of two final dots one remains, and is reported as a fault.
#[must_use]
pub fn strip_final_dot(text: &str) -> &str {
    text.strip_suffix('.').unwrap_or(text)
}

/// Checks an entry of a search list, and returns the part of it that was checked.
pub fn search_name(text: &str, reading: SearchReading) -> (&str, NameFaults) {
    match reading {
        SearchReading::Relaxed(_) if text == "." => (text, NameFaults::default()),
        SearchReading::Relaxed(underscores) => {
            let name = strip_final_dot(text);
            (name, underscored(name, underscores))
        }
        SearchReading::Strict => {
            let name = strip_final_dot(text);
            (name, subdomain(name))
        }
    }
}

fn check(text: &str, max: usize, is_label: impl Fn(&[u8]) -> bool) -> NameFaults {
    let all_labels = text.as_bytes().split(|&byte| byte == b'.').all(is_label);
    NameFaults { too_long: text.len() > max, pattern: !all_labels }
}

fn is_label(label: &[u8], underscores: Option<Underscores>) -> bool {
    let label = match underscores {
        Some(Underscores::LeadingToo) => label.strip_prefix(b"_").unwrap_or(label),
        _ => label,
    };
    let inside = |&byte: &u8| {
        is_alphanumeric(byte) || byte == b'-' || (byte == b'_' && underscores.is_some())
    };
    match label {
        [] => false,
        [only] => is_alphanumeric(*only),
        [first, middle @ .., last] => {
            is_alphanumeric(*first) && is_alphanumeric(*last) && middle.iter().all(inside)
        }
    }
}

const fn is_alphanumeric(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9')
}
