//! What a check is, what it is told, and what it says.

use super::level::Level;
use super::pod::PodView;
use crate::difference::LOOPBACK_PROBE_HOSTS;
use crate::gates::USER_NAMESPACES_POD_SECURITY;
use crate::policy::Policy;
use crate::rule::Rule;
use crate::verdict::Label;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// One row of the Pod Security Standards.
#[derive(Debug)]
pub struct Check {
    /// What people are told about it.
    pub rule: &'static Rule,
    /// Its name in the standards.
    pub id: &'static str,
    /// The level it belongs to.
    pub level: Level,
    /// What it has been, oldest first.
    pub variants: &'static [Variant],
}

/// What a check does from some version of the standards on.
#[derive(Debug)]
pub struct Variant {
    /// The first version of the standards, as its minor number.
    pub minimum: u8,
    /// The first Kubernetes release that has it, as its minor number; zero where every release in
    /// our tables does.
    pub since_release: u8,
    /// Checks of the baseline level that it replaces in the restricted one.
    pub overrides: &'static [&'static str],
    /// The check itself.
    pub check: fn(&PodView<'_>, &Context) -> Option<Violation>,
}

/// What a check is told beside the pod.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Whether loopback hosts are allowed in probes, as KEP-4940 has it.
    pub allows_loopback_hosts: bool,
    /// Whether pods with user namespaces are judged more mildly at every version.
    pub trusts_user_namespaces: bool,
    /// Whether image volumes belong to the harmless ones.
    pub knows_image_volumes: bool,
}

impl Context {
    /// What the checks are told under a policy.
    pub fn of(policy: &Policy) -> Self {
        Self {
            allows_loopback_hosts: policy.follows_proposal(&LOOPBACK_PROBE_HOSTS),
            // Later releases have no such gate, not even when they emulate one that had it.
            trusts_user_namespaces: !policy.release.since(35)
                && policy.gates.on(&USER_NAMESPACES_POD_SECURITY),
            knows_image_volumes: policy.release.since(33),
        }
    }
}

/// What a check says about a pod that violates it.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// What is wrong, in a few words.
    pub reason: Cow<'static, str>,
    /// Who does it and how.
    pub detail: String,
    /// Where.
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
