//! Feature gates: the table of gates with stages and defaults in every release, and `Gates`, their current values.

mod deciding;
mod dependencies;
mod table;

pub use deciding::DECIDING;
pub use dependencies::dependencies_of;

use crate::Release;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The maturity of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Off by default.
    Alpha,
    /// Usually on by default.
    Beta,
    /// Generally available.
    Ga,
    /// To be removed.
    Deprecated,
}

/// The state of a gate from some release on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Era {
    /// The first release, as its minor number.
    pub since: u8,
    /// The stage, or `None` where the gate is removed.
    pub stage: Option<Stage>,
    /// The default value.
    pub default: bool,
    /// Whether it is locked to the default (`LockToDefault`).
    pub locked: bool,
}

/// One row: a gate and its history.
#[derive(Debug)]
pub struct Gate {
    /// Its name on the command line.
    pub name: &'static str,
    /// The first release that knows it, as a minor number; its eras may begin in older ones.
    pub known_since: u8,
    /// Its states, oldest first.
    pub eras: &'static [Era],
}

/// Strict validation of IP addresses and CIDRs (KEP-4858).
pub static STRICT_IP: Gate = Gate {
    name: "StrictIPCIDRValidation",
    known_since: 33,
    eras: &[alpha(33, false), beta(36, true)],
};

/// Underscores and single dots in DNS search names (KEP-4427).
pub static RELAXED_DNS_SEARCH: Gate = Gate {
    name: "RelaxedDNSSearchValidation",
    known_since: 32,
    eras: &[alpha(32, false), beta(33, true), ga(34, true).locked(), gone(37, true)],
};

/// Whether kube-proxy implements external IPs: no effect on the API, but it can be set.
pub static ALLOW_EXTERNAL_IPS: Gate =
    Gate { name: "AllowServiceExternalIPs", known_since: 36, eras: &[ga(0, true)] };

/// User namespaces relax some Pod Security checks; from 1.35 on they do so by policy version.
pub static USER_NAMESPACES_POD_SECURITY: Gate = Gate {
    name: "UserNamespacesPodSecurityStandards",
    known_since: 30,
    eras: &[alpha(30, false), gone(35, false)],
};

/// Whether the resources of the containers of a suspended Job may change (KEP-5440).
pub static MUTABLE_JOB_RESOURCES: Gate = Gate {
    name: "MutablePodResourcesForSuspendedJobs",
    known_since: 35,
    eras: &[alpha(35, false), beta(36, true)],
};

/// Whether the scheduling of a Job may change when it is suspended again, and not only before it has begun (KEP-5440).
pub static MUTABLE_JOB_SCHEDULING: Gate = Gate {
    name: "MutableSchedulingDirectivesForSuspendedJobs",
    known_since: 35,
    eras: &[alpha(35, false), beta(36, true)],
};

/// Whether the certificates of kubelets must carry the names of their nodes (KEP-4872). No release has it; it has no
/// effect on the API, so it can be set whatever release is emulated.
pub static KUBELET_CERT_CN: Gate =
    Gate { name: "KubeletCertCNValidation", known_since: 0, eras: &[alpha(0, false)] };

/// The gates that rules and plugins ask for.
pub static GATES: &[&Gate] = &[
    &ALLOW_EXTERNAL_IPS,
    &KUBELET_CERT_CN,
    &MUTABLE_JOB_RESOURCES,
    &MUTABLE_JOB_SCHEDULING,
    &RELAXED_DNS_SEARCH,
    &STRICT_IP,
    &USER_NAMESPACES_POD_SECURITY,
];

/// Names on the command line that set all gates of a stage.
const STAGES: [(&str, Stage); 2] = [("AllAlpha", Stage::Alpha), ("AllBeta", Stage::Beta)];

const fn alpha(since: u8, default: bool) -> Era {
    Era { since, stage: Some(Stage::Alpha), default, locked: false }
}

const fn beta(since: u8, default: bool) -> Era {
    Era { since, stage: Some(Stage::Beta), default, locked: false }
}

const fn ga(since: u8, default: bool) -> Era {
    Era { since, stage: Some(Stage::Ga), default, locked: false }
}

const fn deprecated(since: u8, default: bool) -> Era {
    Era { since, stage: Some(Stage::Deprecated), default, locked: false }
}

const fn gone(since: u8, default: bool) -> Era {
    Era { since, stage: None, default, locked: true }
}

impl Era {
    const fn locked(self) -> Self {
        Self { locked: true, ..self }
    }
}

/// Every gate.
pub fn all() -> impl Iterator<Item = &'static Gate> {
    GATES.iter().copied().chain(table::OTHERS)
}

/// The gates that have an effect here: rules ask for them, or they decide which APIs are served and which fields are
/// kept.
pub fn with_effect() -> impl Iterator<Item = &'static Gate> {
    let deciding = table::OTHERS.iter().filter(|gate| DECIDING.contains(&gate.name));
    GATES.iter().copied().chain(deciding)
}

/// The gates that can be set and listed, but have no effect here.
pub fn without_effect() -> impl Iterator<Item = &'static Gate> {
    table::OTHERS.iter().filter(|gate| !DECIDING.contains(&gate.name))
}

fn find(name: &str) -> Option<&'static Gate> {
    let other = || {
        let at = table::OTHERS.binary_search_by(|gate| gate.name.cmp(name)).ok()?;
        table::OTHERS.get(at)
    };
    GATES.iter().copied().find(|gate| gate.name == name).or_else(other)
}

impl Gate {
    /// Whether a release accepts it: it is introduced, and not removed.
    pub fn is_known(&self, release: Release) -> bool {
        release.since(self.known_since) && self.era(release).is_some_and(|era| era.stage.is_some())
    }

    /// The state of the gate in a release, if it is introduced.
    pub fn era(&self, release: Release) -> Option<&'static Era> {
        self.eras.iter().rev().find(|era| release.since(era.since))
    }
}

/// Feature gate values: the defaults of a release and the overrides from flags.
#[derive(Clone, Debug)]
pub struct Gates {
    release: Release,
    emulated: Release,
    set: Vec<(&'static Gate, bool)>,
    all_alpha: Option<bool>,
    all_beta: Option<bool>,
}

impl Gates {
    /// The defaults of a release.
    pub fn of(release: Release) -> Self {
        Self { release, emulated: release, set: Vec::new(), all_alpha: None, all_beta: None }
    }

    /// The same release with the gate defaults of an emulated older one.
    #[must_use]
    pub fn emulating(mut self, emulated: Release) -> Self {
        self.emulated = emulated;
        self
    }

    /// Every gate that the release knows, with its stage and value; sorted by name.
    pub fn states(&self) -> Vec<(&'static str, Stage, bool)> {
        let known = all().filter(|gate| gate.is_known(self.release));
        let mut states: Vec<_> = known
            .filter_map(|gate| Some((gate.name, gate.era(self.emulated)?.stage?, self.on(gate))))
            .collect();
        states.extend(
            STAGES.map(|(name, stage)| (name, stage, self.stage_override(stage) == Some(true))),
        );
        states.sort_unstable_by_key(|(name, ..)| *name);
        states
    }

    /// The names of gates that were set and have no effect here; sorted.
    pub fn without_effect(&self) -> Vec<&'static str> {
        let set = self.set.iter().map(|(gate, _)| gate.name);
        let is_idle = |name: &&str| without_effect().any(|gate| gate.name == *name);
        let mut names: Vec<_> = set.filter(is_idle).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn stage_override(&self, stage: Stage) -> Option<bool> {
        match stage {
            Stage::Alpha => self.all_alpha,
            Stage::Beta => self.all_beta,
            Stage::Ga | Stage::Deprecated => None,
        }
    }

    /// Whether a gate is on.
    pub fn on(&self, gate: &'static Gate) -> bool {
        let Some(era) = gate.era(self.emulated) else { return false };
        let by_name = self.set.iter().rev().find(|(set, _)| set.name == gate.name);
        let by_stage =
            era.stage.filter(|_| !era.locked).and_then(|stage| self.stage_override(stage));
        by_name.map(|(_, value)| *value).or(by_stage).unwrap_or(era.default)
    }

    /// Whether the gate of this name is on; a gate that does not exist is off.
    pub fn is_on(&self, name: &str) -> bool {
        find(name).is_some_and(|gate| self.on(gate))
    }

    /// Parses `--feature-gates` values, comma lists of `[kube:]Name=bool`, where the last value of a name wins. The
    /// errors are those of Kubernetes.
    pub fn apply(&mut self, texts: &[impl AsRef<str>]) -> Result<(), GateError> {
        let items: Vec<&str> = texts
            .iter()
            .flat_map(|text| text.as_ref().split(','))
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .collect();
        let mut prefixes: (bool, bool) = (false, false);
        let mut requested: Vec<(&str, bool)> = Vec::new();
        for item in items {
            let (component, bare) = item.split_once(':').unwrap_or(("", item));
            match component {
                "" => prefixes.0 = true,
                "kube" => prefixes.1 = true,
                other => return Err(GateError(format!("component not registered: {other}"))),
            }
            // The last value of a name wins.
            let (name, value) = assignment(bare)?;
            requested.retain(|(other, _)| *other != name);
            requested.push((name, value));
        }
        if prefixes == (true, true) {
            return Err(GateError(MIXED.to_string()));
        }
        if let Some((name, _)) = requested.iter().find(|(name, _)| !self.knows(name)) {
            return Err(GateError(format!("unrecognized feature gate: {name}")));
        }
        let mut errors: Vec<String> =
            requested.into_iter().filter_map(|(name, value)| self.set(name, value).err()).collect();
        if errors.is_empty() {
            errors = dependencies::errors(self);
        }
        match errors.as_slice() {
            [] => Ok(()),
            [only] => Err(GateError(only.clone())),
            many => Err(GateError(format!("[{}]", many.join(", ")))),
        }
    }

    fn knows(&self, name: &str) -> bool {
        STAGES.iter().any(|(stage, _)| *stage == name)
            || find(name).is_some_and(|gate| gate.is_known(self.release))
    }

    fn set(&mut self, name: &str, value: bool) -> Result<(), String> {
        match name {
            "AllAlpha" => self.all_alpha = Some(value),
            "AllBeta" => self.all_beta = Some(value),
            _ => {
                let Some(gate) = find(name) else { return Ok(()) };
                match gate.era(self.emulated) {
                    None => {
                        let emulated = self.emulated;
                        return Err(format!(
                            "cannot set feature gate {name} to {value}, feature is PreAlpha at \
                             emulated version {emulated}, min compatibility version {emulated}"
                        ));
                    }
                    Some(era) if era.locked && era.default != value => {
                        return Err(format!(
                            "cannot set feature gate {name} to {value}, feature is locked to {}",
                            era.default
                        ));
                    }
                    Some(_) => self.set.push((gate, value)),
                }
            }
        }
        Ok(())
    }
}

const MIXED: &str = "set kube feature gates with default empty prefix or kube: prefix \
                     consistently, do not mix use";

fn assignment(item: &str) -> Result<(&str, bool), GateError> {
    let Some((name, value)) = item.split_once('=') else {
        return Err(GateError(format!("missing bool value for {item}")));
    };
    let (name, value) = (name.trim(), value.trim());
    match value {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok((name, true)),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok((name, false)),
        _ => Err(GateError(format!(
            "invalid value of {name}={value}, err: strconv.ParseBool: parsing {}: invalid syntax",
            ratchet_net::Quoted(value)
        ))),
    }
}

/// The error of setting gates, with the message of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateError(pub String);

impl core::fmt::Display for GateError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for GateError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(minor: u8) -> Release {
        Release::new(minor).unwrap()
    }

    fn error_of(minor: u8, text: &str) -> String {
        Gates::of(release(36)).emulating(release(minor)).apply(&[text]).unwrap_err().0
    }

    #[test]
    fn defaults_follow_the_release() {
        let strict: Vec<bool> =
            Release::all().map(|release| Gates::of(release).on(&STRICT_IP)).collect();
        assert_eq!(strict, [false, false, false, false, false, true, true]);
        let relaxed: Vec<bool> =
            Release::all().map(|release| Gates::of(release).on(&RELAXED_DNS_SEARCH)).collect();
        assert_eq!(relaxed, [false, false, true, true, true, true, true]);
    }

    #[test]
    fn emulation_brings_back_older_defaults_and_unlocks() {
        let mut gates = Gates::of(release(36)).emulating(release(33));
        assert!(!gates.on(&STRICT_IP));
        gates.apply(&["RelaxedDNSSearchValidation=false"]).unwrap();
        assert!(!gates.on(&RELAXED_DNS_SEARCH));
    }

    #[test]
    fn refusals_have_the_texts_of_kubernetes() {
        for (minor, text, want) in [
            (36, "NoSuchGate=true", "unrecognized feature gate: NoSuchGate"),
            (
                36,
                "RelaxedDNSSearchValidation=false",
                "cannot set feature gate RelaxedDNSSearchValidation to false, feature is locked to true",
            ),
            (36, "StrictIPCIDRValidation", "missing bool value for StrictIPCIDRValidation"),
            (
                36,
                "StrictIPCIDRValidation=maybe",
                "invalid value of StrictIPCIDRValidation=maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax",
            ),
            (36, "foo:StrictIPCIDRValidation=true", "component not registered: foo"),
            (
                36,
                "kube:StrictIPCIDRValidation=true,AllAlpha=true",
                "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use",
            ),
            (
                31,
                "StrictIPCIDRValidation=true",
                "cannot set feature gate StrictIPCIDRValidation to true, feature is PreAlpha at emulated version 1.31, min compatibility version 1.31",
            ),
            (
                31,
                "StrictIPCIDRValidation=true,RelaxedDNSSearchValidation=true",
                "[cannot set feature gate StrictIPCIDRValidation to true, feature is PreAlpha at emulated version 1.31, min compatibility version 1.31, cannot set feature gate RelaxedDNSSearchValidation to true, feature is PreAlpha at emulated version 1.31, min compatibility version 1.31]",
            ),
            (
                36,
                "UserNamespacesPodSecurityStandards=true",
                "unrecognized feature gate: UserNamespacesPodSecurityStandards",
            ),
        ] {
            assert_eq!(error_of(minor, text), want);
        }
        let mut newest = Gates::of(release(37));
        let error = newest.apply(&["RelaxedDNSSearchValidation=true"]).unwrap_err();
        assert_eq!(error.0, "unrecognized feature gate: RelaxedDNSSearchValidation");
    }

    #[test]
    fn the_last_value_wins_and_whole_stages_can_be_set() {
        let mut gates = Gates::of(release(36));
        gates.apply(&["StrictIPCIDRValidation=true", " StrictIPCIDRValidation=F ,,"]).unwrap();
        assert!(!gates.on(&STRICT_IP));
        let twice = "RelaxedDNSSearchValidation=false,RelaxedDNSSearchValidation=true";
        assert_eq!(Gates::of(release(36)).apply(&[twice]), Ok(()));
        let mut older = Gates::of(release(36)).emulating(release(33));
        assert_eq!(older.apply(&["AllowServiceExternalIPs=true"]), Ok(()));
        assert!(Gates::of(release(35)).apply(&["AllowServiceExternalIPs=true"]).is_err());
        let mut gates = Gates::of(release(36));
        gates.apply(&["AllBeta=false"]).unwrap();
        assert!(!gates.on(&STRICT_IP));
        let mut gates = Gates::of(release(35));
        gates.apply(&["AllAlpha=true"]).unwrap();
        assert!(gates.on(&STRICT_IP));
        assert!(gates.on(&RELAXED_DNS_SEARCH));
    }

    #[test]
    fn eras_are_in_order() {
        for gate in all() {
            assert!(gate.eras.is_sorted_by_key(|era| era.since), "{}", gate.name);
            assert!(!gate.eras.is_empty(), "{}", gate.name);
        }
        assert!(GATES.is_sorted_by_key(|gate| gate.name));
        assert!(table::OTHERS.is_sorted_by(|a, b| a.name < b.name));
        let twice = |gate: &&Gate| table::OTHERS.iter().any(|other| other.name == gate.name);
        assert_eq!(GATES.iter().copied().find(twice).map(|gate| gate.name), None);
    }

    #[test]
    fn every_release_knows_as_many_gates_as_kube_apiserver() {
        // Counted in the sources of each release; KubeletCertCNValidation is in none of them.
        let counts = Release::all().map(|release| {
            all().filter(|gate| gate.is_known(release) && gate.name != KUBELET_CERT_CN.name).count()
        });
        assert_eq!(counts.collect::<Vec<_>>(), [165, 177, 189, 206, 216, 239, 251]);
    }

    #[test]
    fn gates_without_effect_are_accepted_shown_and_told() {
        let mut gates = Gates::of(release(36));
        assert_eq!(gates.apply(&["WatchList=false,StrictIPCIDRValidation=false"]), Ok(()));
        assert_eq!(gates.without_effect(), ["WatchList"]);
        let states = gates.states();
        assert!(states.contains(&("WatchList", Stage::Beta, false)), "{states:?}");
        assert!(states.contains(&("AllAlpha", Stage::Alpha, false)), "{states:?}");
        assert!(states.is_sorted());
        assert!(Gates::of(release(36)).states().contains(&("WatchList", Stage::Beta, true)));
    }

    #[test]
    fn gates_that_decide_are_told_apart_from_those_without_effect() {
        assert!(DECIDING.is_sorted_by(|a, b| a < b));
        assert!(DECIDING.iter().all(|name| find(name).is_some()), "{DECIDING:?}");
        assert_eq!(with_effect().count() + without_effect().count(), all().count());
        let mut gates = Gates::of(release(36));
        assert!(
            !gates.is_on("ClusterTrustBundle") && gates.is_on("EnvFiles") && !gates.is_on("No")
        );
        gates.apply(&["ClusterTrustBundle=true,EnvFiles=false"]).unwrap();
        assert!(gates.is_on("ClusterTrustBundle") && !gates.is_on("EnvFiles"));
        assert!(gates.without_effect().is_empty());
    }

    #[test]
    fn gates_that_need_others_are_refused_without_them() {
        let text = "DRAAdminAccess=true,DynamicResourceAllocation=false";
        assert_eq!(Gates::of(release(33)).apply(&[text]), Ok(()));
        let error = |text| Gates::of(release(36)).apply(&[text]).unwrap_err().0;
        assert_eq!(
            error("WorkloadWithJob=true"),
            "WorkloadWithJob is enabled, but depends on features that are disabled: [GenericWorkload]"
        );
        assert_eq!(Gates::of(release(36)).apply(&["AllAlpha=true"]), Ok(()));
    }
}
