//! `PodSecurityMetrics`, the labels of the three Pod Security metrics.

use super::level::{Level, LevelVersion, Mode, Version};
use crate::Release;
use crate::change::{Change, Part};
use core::fmt;

/// One increment of one of the three metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PodSecurityMetrics {
    /// `pod_security_evaluations_total`.
    Evaluation {
        /// `decision`: `allow` or `deny`.
        decision: Decision,
        /// `policy_level`.
        level: Level,
        /// `policy_version`.
        version: VersionLabel,
        /// `mode`: `enforce`, `audit` or `warn`.
        mode: Mode,
        /// The labels of the request.
        request: Request,
    },
    /// `pod_security_exemptions_total`.
    Exemption {
        /// The labels of the request.
        request: Request,
    },
    /// `pod_security_errors_total`.
    Error {
        /// `fatal`: whether nothing could be evaluated at all.
        fatal: bool,
        /// The labels of the request.
        request: Request,
    },
}

/// The result of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// No violations.
    Allow,
    /// Some violations.
    Deny,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        })
    }
}

/// The label `policy_version`, bounded whatever the namespace labels contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VersionLabel {
    /// A version that the server knows.
    Minor(u64),
    /// `latest`, or any version of the privileged level.
    Latest,
    /// A version newer than the server.
    Future,
}

impl VersionLabel {
    /// The label of a version in a release; emulation has no effect here.
    pub fn of(at: LevelVersion, release: Release) -> Self {
        match at.version {
            _ if at.is_privileged() => Self::Latest,
            Version::Latest => Self::Latest,
            Version::Minor(minor) if minor <= u64::from(release.minor()) => Self::Minor(minor),
            Version::Minor(_) => Self::Future,
        }
    }
}

impl fmt::Display for VersionLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Minor(minor) => write!(f, "v1.{minor}"),
            Self::Latest => f.write_str("latest"),
            Self::Future => f.write_str("future"),
        }
    }
}

/// The labels that all three metrics share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request {
    /// `request_operation`: `create` or `update`.
    pub operation: &'static str,
    /// `resource`: `pod`, `namespace` or `controller`.
    pub resource: &'static str,
    /// `subresource`, empty for the object itself.
    pub subresource: &'static str,
}

impl Request {
    /// The values of the labels, in the order of the fields.
    pub fn labels(&self) -> [&'static str; 3] {
        [self.operation, self.resource, self.subresource]
    }

    pub(super) fn of(change: &Change<'_>) -> Self {
        Self {
            operation: if change.is_create() { "create" } else { "update" },
            resource: match change.kind.name {
                "Pod" => "pod",
                "Namespace" => "namespace",
                _ => "controller",
            },
            subresource: match change.part {
                Part::Main => "",
                Part::Sub(name) => name,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn the_version_label_is_bounded() {
        for (level, version, want) in [
            (Level::Baseline, Version::Latest, "latest"),
            (Level::Privileged, Version::Minor(7), "latest"),
            (Level::Baseline, Version::Minor(7), "v1.7"),
            (Level::Restricted, Version::Minor(36), "v1.36"),
            (Level::Restricted, Version::Minor(37), "future"),
        ] {
            let label = VersionLabel::of(LevelVersion::new(level, version), Release::REFERENCE);
            assert_eq!(label.to_string(), want, "{level}:{version}");
        }
    }
}
