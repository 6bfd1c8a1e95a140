//! The rules in force: built once from flags, then never changed.

use crate::Release;
use crate::difference::{Choice, Difference};
use crate::gates::{self, Gates};
use crate::pod_security::Configuration;
use core::fmt;

/// Whether a proposal or released Kubernetes decides where the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    /// As the proposal says.
    Proposal,
    /// As released Kubernetes does.
    Released,
}

impl fmt::Display for Behavior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Proposal => "proposal",
            Self::Released => "released",
        })
    }
}

/// Everything that decides which rule is in force.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The release whose words are spoken.
    pub release: Release,
    /// The release whose gates and Pod Security versions hold: the same, or an older one.
    pub emulated: Release,
    /// Who decides where proposal and release differ.
    pub behavior: Behavior,
    /// Which gates are on.
    pub gates: Gates,
    /// Whether containers may be privileged (`--allow-privileged`).
    pub allow_privileged: bool,
    /// Which admission plugins are on.
    pub plugins: Plugins,
    /// What Pod Security does where no label says otherwise.
    pub pod_security: Configuration,
}

/// Which of the admission plugins that Ratchet knows are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plugins {
    /// `DenyServiceExternalIPs` (KEP-2200), off by default.
    pub deny_external_ips: bool,
    /// `PodSecurity`, on by default.
    pub pod_security: bool,
}

impl Default for Plugins {
    fn default() -> Self {
        Self { deny_external_ips: false, pod_security: true }
    }
}

impl Policy {
    /// The defaults of a release.
    pub fn of(release: Release, behavior: Behavior) -> Self {
        Self {
            release,
            emulated: release,
            behavior,
            gates: Gates::of(release),
            allow_privileged: true,
            plugins: Plugins::default(),
            pod_security: Configuration::default(),
        }
    }

    /// Whether IP addresses and networks are read strictly.
    pub fn strict_ip(&self) -> bool {
        self.gates.on(&gates::STRICT_IP)
    }

    /// Whether DNS search names are read relaxedly, whatever is stored.
    pub fn relaxed_dns(&self) -> bool {
        self.gates.on(&gates::RELAXED_DNS_SEARCH)
    }

    /// Whether the proposal decides where it and the release differ in this.
    pub fn follows_proposal(&self, difference: &'static Difference) -> bool {
        let is_switched = matches!(difference.choice, Choice::Switched { .. });
        is_switched && self.behavior == Behavior::Proposal
    }
}
