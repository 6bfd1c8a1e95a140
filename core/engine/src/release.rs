//! `Release`, a Kubernetes minor release that Ratchet can emulate.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

/// A minor release of Kubernetes 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(u8);

impl Release {
    /// The oldest release in the tables.
    pub const OLDEST: Self = Self(31);
    /// The release whose behaviour was recorded.
    pub const REFERENCE: Self = Self(36);
    /// The newest release in the tables.
    pub const NEWEST: Self = Self(37);

    /// Release 1.`minor`; `None` if the tables do not cover it.
    pub const fn new(minor: u8) -> Option<Self> {
        if minor >= Self::OLDEST.0 && minor <= Self::NEWEST.0 { Some(Self(minor)) } else { None }
    }

    /// The number after `1.`.
    pub const fn minor(self) -> u8 {
        self.0
    }

    /// Every release of the tables, oldest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::OLDEST.0..=Self::NEWEST.0).map(Self)
    }

    /// Whether this release is 1.`minor` or newer.
    pub const fn since(self, minor: u8) -> bool {
        self.0 >= minor
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

/// The error of parsing a release that the tables do not cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRelease(String);

impl fmt::Display for UnknownRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (oldest, newest) = (Release::OLDEST, Release::NEWEST);
        write!(f, "{:?} is not a Kubernetes release from {oldest} to {newest}", self.0)
    }
}

impl core::error::Error for UnknownRelease {}

/// Parses `1.36`, `v1.36` and `v1.36.4` as the same release.
impl FromStr for Release {
    type Err = UnknownRelease;

    fn from_str(text: &str) -> Result<Self, UnknownRelease> {
        let unknown = || UnknownRelease(text.into());
        let bare = text.strip_prefix('v').unwrap_or(text);
        let mut numbers = bare.split('.');
        let (major, minor) = (numbers.next(), numbers.next());
        let patch_is_fine = numbers.next().is_none_or(is_number) && numbers.next().is_none();
        match (major, minor) {
            (Some("1"), Some(minor)) if is_number(minor) && patch_is_fine => {
                minor.parse().ok().and_then(Self::new).ok_or_else(unknown)
            }
            _ => Err(unknown()),
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_read_in_the_spellings_people_use() {
        for text in ["1.36", "v1.36", "1.36.4", "v1.36.0"] {
            assert_eq!(text.parse(), Ok(Release::REFERENCE), "{text}");
        }
        for text in ["", "1", "36", "1.30", "1.38", "2.36", "1.36.x", "1.36.1.1", "1.+36", " 1.36"]
        {
            assert!(text.parse::<Release>().is_err(), "{text}");
        }
    }
}
