//! Levels, versions and modes of the Pod Security Standards, as namespace labels write them.

use core::fmt;
use core::str::FromStr;

/// A level of the Pod Security Standards, ordered by strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// No restrictions.
    #[default]
    Privileged,
    /// Prevents known privilege escalations.
    Baseline,
    /// Requires pod hardening best practices too.
    Restricted,
}

impl Level {
    /// Every level, the least strict first.
    pub const ALL: [Self; 3] = [Self::Privileged, Self::Baseline, Self::Restricted];

    /// The level as labels write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Privileged => "privileged",
            Self::Baseline => "baseline",
            Self::Restricted => "restricted",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error of parsing a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownLevel;

impl UnknownLevel {
    pub(super) const DETAIL: &'static str = "must be one of privileged, baseline, restricted";
}

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::DETAIL)
    }
}

impl core::error::Error for UnknownLevel {}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        Self::ALL.into_iter().find(|level| level.name() == text).ok_or(UnknownLevel)
    }
}

/// The version of the standards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// The version of Kubernetes 1.`n`.
    Minor(u64),
    /// The newest version that the server knows.
    #[default]
    Latest,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Minor(minor) => write!(f, "v1.{minor}"),
            Self::Latest => f.write_str("latest"),
        }
    }
}

/// The error of parsing a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownVersion;

impl UnknownVersion {
    pub(super) const DETAIL: &'static str = "must be \"latest\" or \"v1.x\"";
}

impl fmt::Display for UnknownVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::DETAIL)
    }
}

impl core::error::Error for UnknownVersion {}

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        if text == "latest" {
            return Ok(Self::Latest);
        }
        let digits = text.strip_prefix("v1.").ok_or(UnknownVersion)?;
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit())
            && (digits == "0" || !digits.starts_with('0'));
        // Kubernetes stores the number in a signed integer, so the upper half is no version there.
        let minor = digits.parse().ok().filter(|_| is_plain).filter(|n| i64::try_from(*n).is_ok());
        minor.map(Self::Minor).ok_or(UnknownVersion)
    }
}

/// A level at a version: `restricted:v1.34`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LevelVersion {
    /// The level of the standards.
    pub level: Level,
    /// The version of the standards.
    pub version: Version,
}

impl LevelVersion {
    /// `level` at `version`.
    pub const fn new(level: Level, version: Version) -> Self {
        Self { level, version }
    }

    /// Whether it has no checks.
    pub fn is_privileged(self) -> bool {
        self.level == Level::Privileged
    }

    /// Whether both have the same checks: the version of the privileged level does not matter.
    pub(super) fn is_equivalent_to(self, other: Self) -> bool {
        self == other || (self.is_privileged() && other.is_privileged())
    }
}

impl fmt::Display for LevelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.level, self.version)
    }
}

/// The effect of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// The pod is refused.
    Enforce,
    /// The violation becomes an audit annotation.
    Audit,
    /// The client gets a warning.
    Warn,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Enforce => "enforce",
            Self::Audit => "audit",
            Self::Warn => "warn",
        })
    }
}

/// The policy of one namespace: a level and version for each mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// Violations refuse the pod.
    pub enforce: LevelVersion,
    /// Violations become audit annotations.
    pub audit: LevelVersion,
    /// Violations become warnings.
    pub warn: LevelVersion,
}

impl Modes {
    /// Whether no mode has any checks.
    pub fn are_privileged(&self) -> bool {
        self.all().iter().all(|(_, at)| at.is_privileged())
    }

    pub(super) fn are_equivalent_to(&self, other: &Self) -> bool {
        self.all().iter().zip(other.all()).all(|((_, a), (_, b))| a.is_equivalent_to(b))
    }

    pub(super) fn all(&self) -> [(Mode, LevelVersion); 3] {
        [(Mode::Enforce, self.enforce), (Mode::Audit, self.audit), (Mode::Warn, self.warn)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn levels_are_read_by_their_exact_names_and_ordered_by_strictness() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert!(Level::ALL.is_sorted_by(|looser, stricter| looser < stricter));
        for text in ["", "Baseline", " baseline", "default", "privileged\n"] {
            let error = text.parse::<Level>().unwrap_err();
            assert_eq!(error.to_string(), "must be one of privileged, baseline, restricted");
        }
    }

    #[test]
    fn versions_are_latest_or_a_plain_minor() {
        for (text, want) in [
            ("latest", Version::Latest),
            ("v1.0", Version::Minor(0)),
            ("v1.9", Version::Minor(9)),
            ("v1.34", Version::Minor(34)),
            ("v1.10000", Version::Minor(10_000)),
            ("v1.9223372036854775807", Version::Minor(i64::MAX.unsigned_abs())),
        ] {
            assert_eq!(text.parse(), Ok(want));
            assert_eq!(want.to_string(), text);
        }
        for text in [
            "",
            "Latest",
            "1.34",
            "v1",
            "v1.",
            "v1.05",
            "v1.00",
            "v1.34.1",
            "v2.1",
            "v1.+1",
            "v1.-1",
            "v1.x",
            "v1.1 ",
            "v1.9223372036854775808",
            "v1.99999999999999999999",
        ] {
            let error = text.parse::<Version>().unwrap_err();
            assert_eq!(error.to_string(), "must be \"latest\" or \"v1.x\"", "{text}");
        }
    }

    #[test]
    fn privileged_is_the_same_in_every_version() {
        let at = |level, minor| LevelVersion::new(level, Version::Minor(minor));
        assert!(at(Level::Privileged, 1).is_equivalent_to(at(Level::Privileged, 2)));
        assert!(!at(Level::Baseline, 1).is_equivalent_to(at(Level::Baseline, 2)));
        assert_eq!(at(Level::Restricted, 34).to_string(), "restricted:v1.34");
        assert_eq!(LevelVersion::default().to_string(), "privileged:latest");
    }
}
