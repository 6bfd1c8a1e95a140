//! `Check`, one check of the Pod Security Standards: its versions, its inputs and the violation it returns.

use super::level::Level;
use super::pod::PodView;
use crate::config::ApiConfig;
use crate::difference::LOOPBACK_PROBE_HOSTS;
use crate::gates::USER_NAMESPACES_POD_SECURITY;
use crate::rule::Rule;
use crate::verdict::Label;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// One row of the Pod Security Standards.
#[derive(Debug)]
pub struct Check {
    /// The rule that explains it to people.
    pub rule: &'static Rule,
    /// Its name in the standards.
    pub id: &'static str,
    /// The level it belongs to.
    pub level: Level,
    /// Its versions, oldest first.
    pub variants: &'static [Variant],
}

/// The check from some version of the standards on.
#[derive(Debug)]
pub struct Variant {
    /// The first version of the standards, as its minor number.
    pub minimum: u8,
    /// The first Kubernetes release that has it, as its minor number; zero where every release in the tables does.
    pub since_release: u8,
    /// Ids of baseline checks that it replaces in the restricted level.
    pub overrides: &'static [&'static str],
    /// The function that evaluates a pod.
    pub check: Evaluate,
}

/// The function of a check: the violation of a pod, if there is one.
pub type Evaluate = fn(&PodView<'_>, &Context) -> Option<Violation>;

impl Variant {
    /// The check from a version of the standards on, in every release of the tables.
    pub(super) const fn since(minimum: u8, check: Evaluate) -> Self {
        Self { minimum, since_release: 0, overrides: &[], check }
    }

    /// The same variant, which only releases from this minor number on have.
    pub(super) const fn in_releases_since(self, since_release: u8) -> Self {
        Self { since_release, ..self }
    }

    /// The same variant, which replaces these baseline checks in the restricted level.
    pub(super) const fn overriding(self, overrides: &'static [&'static str]) -> Self {
        Self { overrides, ..self }
    }
}

/// Inputs of a check beside the pod.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Whether loopback hosts are allowed in probes, as KEP-4940 proposes.
    pub allows_loopback_hosts: bool,
    /// Whether checks are relaxed for pods with user namespaces at every version.
    pub trusts_user_namespaces: bool,
    /// Whether image volumes are among the allowed types.
    pub knows_image_volumes: bool,
}

impl Context {
    /// The inputs under a policy.
    pub fn of(config: &ApiConfig) -> Self {
        Self {
            allows_loopback_hosts: config.follows_proposal(&LOOPBACK_PROBE_HOSTS),
            // Later releases do not have the gate, not even when they emulate one that had it.
            trusts_user_namespaces: !config.release.since(35)
                && config.gates.on(&USER_NAMESPACES_POD_SECURITY),
            knows_image_volumes: config.release.since(33),
        }
    }

    /// Whether checks of users are relaxed for this pod at every version.
    pub(super) fn spares(&self, pod: &PodView<'_>) -> bool {
        self.trusts_user_namespaces && pod.has_user_namespace()
    }
}

/// The result of a check that a pod violates.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The violated rule.
    pub rule: &'static Rule,
    /// `ForbiddenReason` of Kubernetes, a few words.
    pub reason: Cow<'static, str>,
    /// `ForbiddenDetail` of Kubernetes: the pod or containers, and their values.
    pub detail: String,
    /// The violating fields.
    pub labels: Vec<Label>,
}

/// All violations in one text: `privileged (container "c" must not …), hostPort (…)`.
pub fn summary(violations: &[Violation]) -> String {
    let one = |violation: &Violation| match violation.detail.as_str() {
        "" => violation.reason.to_string(),
        detail => format!("{} ({detail})", violation.reason),
    };
    violations.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The reasons alone: `privileged, hostPort`.
pub fn reasons(violations: &[Violation]) -> String {
    violations.iter().map(|violation| &*violation.reason).collect::<Vec<_>>().join(", ")
}
