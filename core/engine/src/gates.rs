//! The feature gates of the proposals: one row a gate, its stage and default in every release.

use crate::Release;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// How far a feature has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Off unless asked for.
    Alpha,
    /// On unless asked otherwise, usually.
    Beta,
    /// Here to stay.
    Ga,
}

/// What a gate is from some release on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Era {
    /// The first release, as its minor number.
    pub since: u8,
    /// The stage, or none where the gate is gone.
    pub stage: Option<Stage>,
    /// Whether it is on when nobody says otherwise.
    pub default: bool,
    /// Whether it can no longer be changed.
    pub locked: bool,
}

/// One row: a gate and its history.
#[derive(Debug)]
pub struct Gate {
    /// Its name on the command line.
    pub name: &'static str,
    /// The first release that knows it, as a minor number; it may speak of older ones.
    pub known_since: u8,
    /// What it has been, oldest first.
    pub eras: &'static [Era],
}

/// Strict reading of IP addresses and networks (KEP-4858).
pub static STRICT_IP: Gate = Gate {
    name: "StrictIPCIDRValidation",
    known_since: 33,
    eras: &[era(33, Stage::Alpha, false), era(36, Stage::Beta, true)],
};

/// Underscores and single dots in DNS search names (KEP-4427).
pub static RELAXED_DNS_SEARCH: Gate = Gate {
    name: "RelaxedDNSSearchValidation",
    known_since: 32,
    eras: &[
        era(32, Stage::Alpha, false),
        era(33, Stage::Beta, true),
        Era { since: 34, stage: Some(Stage::Ga), default: true, locked: true },
        Era { since: 37, stage: None, default: true, locked: true },
    ],
};

/// Whether kube-proxy follows external IPs: changes nothing in the API, but can be set.
pub static ALLOW_EXTERNAL_IPS: Gate =
    Gate { name: "AllowServiceExternalIPs", known_since: 36, eras: &[era(0, Stage::Ga, true)] };

/// User namespaces soften some Pod Security checks; from 1.35 on they do so by policy version.
pub static USER_NAMESPACES_POD_SECURITY: Gate = Gate {
    name: "UserNamespacesPodSecurityStandards",
    known_since: 30,
    eras: &[
        era(30, Stage::Alpha, false),
        Era { since: 35, stage: None, default: false, locked: true },
    ],
};

/// Whether the certificates of kubelets must bear the names of their nodes (KEP-4872). No release has it; it changes
/// nothing in the API, so it can be set whatever release is emulated.
pub static KUBELET_CERT_CN: Gate =
    Gate { name: "KubeletCertCNValidation", known_since: 0, eras: &[era(0, Stage::Alpha, false)] };

/// Every gate.
pub static GATES: &[&Gate] = &[
    &ALLOW_EXTERNAL_IPS,
    &KUBELET_CERT_CN,
    &RELAXED_DNS_SEARCH,
    &STRICT_IP,
    &USER_NAMESPACES_POD_SECURITY,
];

const fn era(since: u8, stage: Stage, default: bool) -> Era {
    Era { since, stage: Some(stage), default, locked: false }
}

impl Gate {
    /// What the gate is in a release, if it has begun.
    pub fn era(&self, release: Release) -> Option<&'static Era> {
        self.eras.iter().rev().find(|era| release.since(era.since))
    }
}

/// Which gates are on.
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

    /// The defaults of a release that pretends to be an older one.
    #[must_use]
    pub fn emulating(mut self, emulated: Release) -> Self {
        self.emulated = emulated;
        self
    }

    /// Whether a gate is on.
    pub fn on(&self, gate: &'static Gate) -> bool {
        let Some(era) = gate.era(self.emulated) else { return false };
        let by_name = self.set.iter().rev().find(|(set, _)| set.name == gate.name);
        let by_stage = match era.stage {
            Some(Stage::Alpha) => self.all_alpha,
            Some(Stage::Beta) => self.all_beta,
            _ => None,
        };
        by_name.map(|(_, value)| *value).or(by_stage).unwrap_or(era.default)
    }

    /// Reads `--feature-gates` texts: comma lists of `[kube:]Name=bool`, the last value of a name
    /// wins. Refusals are Kubernetes' own texts.
    pub fn apply(&mut self, texts: &[impl AsRef<str>]) -> Result<(), GateError> {
        let items: Vec<&str> = texts
            .iter()
            .flat_map(|text| text.as_ref().split(','))
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .collect();
        let mut spelled: (bool, bool) = (false, false);
        let mut wanted: Vec<(&str, bool)> = Vec::new();
        for item in items {
            let (component, bare) = item.split_once(':').unwrap_or(("", item));
            match component {
                "" => spelled.0 = true,
                "kube" => spelled.1 = true,
                other => return Err(GateError(format!("component not registered: {other}"))),
            }
            // The last value of a name wins.
            let (name, value) = assignment(bare)?;
            wanted.retain(|(other, _)| *other != name);
            wanted.push((name, value));
        }
        if spelled == (true, true) {
            return Err(GateError(MIXED.to_string()));
        }
        if let Some((name, _)) = wanted.iter().find(|(name, _)| !self.knows(name)) {
            return Err(GateError(format!("unrecognized feature gate: {name}")));
        }
        let refusals: Vec<String> =
            wanted.into_iter().filter_map(|(name, value)| self.set(name, value).err()).collect();
        match refusals.as_slice() {
            [] => Ok(()),
            [only] => Err(GateError(only.clone())),
            many => Err(GateError(format!("[{}]", many.join(", ")))),
        }
    }

    fn knows(&self, name: &str) -> bool {
        let is_open = |gate: &&Gate| {
            gate.name == name
                && self.release.since(gate.known_since)
                && gate.era(self.release).is_some_and(|era| era.stage.is_some())
        };
        name == "AllAlpha" || name == "AllBeta" || GATES.iter().copied().any(|gate| is_open(&gate))
    }

    fn set(&mut self, name: &str, value: bool) -> Result<(), String> {
        match name {
            "AllAlpha" => self.all_alpha = Some(value),
            "AllBeta" => self.all_beta = Some(value),
            _ => {
                let Some(gate) = GATES.iter().find(|gate| gate.name == name) else {
                    return Ok(());
                };
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

/// Why the gates cannot be set so, in Kubernetes' words.
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

    fn refusal(minor: u8, text: &str) -> String {
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
            assert_eq!(refusal(minor, text), want);
        }
        let mut newest = Gates::of(release(37));
        let refused = newest.apply(&["RelaxedDNSSearchValidation=true"]).unwrap_err();
        assert_eq!(refused.0, "unrecognized feature gate: RelaxedDNSSearchValidation");
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
        for gate in GATES {
            assert!(gate.eras.is_sorted_by_key(|era| era.since), "{}", gate.name);
        }
        assert!(GATES.is_sorted_by_key(|gate| gate.name));
    }
}
