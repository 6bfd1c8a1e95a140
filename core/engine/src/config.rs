//! `ApiConfig`, the validation settings in force: built once from flags, then never changed.

use crate::Release;
use crate::difference::{Choice, Difference};
use crate::external_ips::ExternalIpAllowance;
use crate::gates::{self, Gates};
use crate::pod_security::Configuration;
use alloc::vec::Vec;
use core::fmt;

/// Whether a proposal or released Kubernetes decides where the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    /// The proposal decides.
    Proposal,
    /// Released Kubernetes decides.
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

/// Settings that decide which rules are in force.
#[derive(Clone, Debug)]
pub struct ApiConfig {
    /// The release whose messages and behavior are reproduced.
    pub release: Release,
    /// The emulated release, whose gates and Pod Security versions hold: the same, or an older one.
    pub emulated: Release,
    /// The side that decides where proposal and release differ.
    pub behavior: Behavior,
    /// Feature gates.
    pub gates: Gates,
    /// Whether containers may be privileged (`--allow-privileged`).
    pub allow_privileged: bool,
    /// Enabled admission plugins.
    pub plugins: Plugins,
    /// Pod Security defaults and exemptions, for namespaces without labels.
    pub pod_security: Configuration,
    /// External IPs that Services may have although `DenyServiceExternalIPs` is on.
    pub external_ips: Vec<ExternalIpAllowance>,
    /// Ids of rules whose field errors refuse nothing: they stand in `Verdict::unenforced`.
    pub unenforced: Vec<&'static str>,
}

/// Enabled admission plugins, of those that the engine implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plugins {
    /// `DenyServiceExternalIPs` (KEP-2200), off by default.
    pub deny_external_ips: bool,
    /// `PodSecurity`, on by default.
    pub pod_security: bool,
    /// `ServiceAccount`, on by default: it gives every pod an account.
    pub service_account: bool,
}

impl Default for Plugins {
    fn default() -> Self {
        Self { deny_external_ips: false, pod_security: true, service_account: true }
    }
}

impl ApiConfig {
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
            external_ips: Vec::new(),
            unenforced: Vec::new(),
        }
    }

    /// Whether IP addresses and CIDRs are parsed strictly.
    pub fn strict_ip(&self) -> bool {
        self.gates.on(&gates::STRICT_IP)
    }

    /// Whether DNS search names get relaxed validation, whatever is stored.
    pub fn relaxed_dns(&self) -> bool {
        self.gates.on(&gates::RELAXED_DNS_SEARCH)
    }

    /// Whether the proposal decides this difference.
    pub fn follows_proposal(&self, difference: &'static Difference) -> bool {
        let is_switched = matches!(difference.choice, Choice::Switched { .. });
        is_switched && self.behavior == Behavior::Proposal
    }
}
