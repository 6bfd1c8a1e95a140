//! The checks of a level at a version, in a release and under emulation.

use super::check::{Check, Context, Variant, Violation};
use super::checks::CHECKS;
use super::level::{Level, LevelVersion, Version};
use super::pod::PodView;
use crate::Release;
use crate::config::ApiConfig;
use alloc::vec::Vec;

/// The violations of a pod at a level and version.
pub fn evaluate(at: LevelVersion, pod: &PodView<'_>, config: &ApiConfig) -> Vec<Violation> {
    Checklist::of(at, config).evaluate(pod)
}

/// The checks of one level at one version, computed once for any number of pods.
pub(super) struct Checklist {
    rows: Vec<(&'static Check, &'static Variant)>,
    context: Context,
}

impl Checklist {
    pub(super) fn of(at: LevelVersion, config: &ApiConfig) -> Self {
        let newest = newest(config);
        let minor = match at.version {
            Version::Latest => newest,
            Version::Minor(minor) => u8::try_from(minor).unwrap_or(u8::MAX).min(newest),
        };
        Self { rows: rows(at.level, minor, config.release), context: Context::of(config) }
    }

    /// The violations of a pod, in the order of the checks.
    pub(super) fn evaluate(&self, pod: &PodView<'_>) -> Vec<Violation> {
        self.rows.iter().filter_map(|(_, variant)| (variant.check)(pod, &self.context)).collect()
    }
}

/// The checks of a level at a version that a release has, in order.
fn rows(level: Level, minor: u8, release: Release) -> Vec<(&'static Check, &'static Variant)> {
    let all: Vec<_> = CHECKS
        .iter()
        .filter(|check| check.level <= level)
        .filter_map(|check| Some((*check, variant(check, minor, release)?)))
        .collect();
    let is_overridden = |id: &str| all.iter().any(|(_, variant)| variant.overrides.contains(&id));
    all.iter().copied().filter(|(check, _)| !is_overridden(check.id)).collect()
}

/// The variant of a check at a version in a release.
fn variant(check: &'static Check, minor: u8, release: Release) -> Option<&'static Variant> {
    let is_in_force =
        |variant: &&Variant| variant.minimum <= minor && release.since(variant.since_release);
    check.variants.iter().rev().find(is_in_force)
}

/// The version that `latest`, and every newer one, is evaluated as.
fn newest(config: &ApiConfig) -> u8 {
    let variants = CHECKS.iter().flat_map(|check| check.variants);
    let known = variants.filter(|variant| config.release.since(variant.since_release));
    let newest = known.map(|variant| variant.minimum).max().unwrap_or(0);
    if config.emulated == config.release {
        return newest;
    }
    match config.release.minor() {
        // Emulation has an effect since 1.34, and there only on the check that 1.34 added.
        ..34 => newest,
        34 => newest.min(33),
        35.. => newest.min(config.emulated.minor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pod_security::testing::{config, release};

    fn ids(level: Level, minor: u8, release_minor: u8) -> Vec<&'static str> {
        rows(level, minor, release(release_minor)).iter().map(|(check, _)| check.id).collect()
    }

    #[test]
    fn the_table_is_sorted_and_its_rows_are_sound() {
        assert!(CHECKS.is_sorted_by(|a, b| (a.level, a.id) < (b.level, b.id)));
        for check in CHECKS {
            assert!(check.variants.is_sorted_by(|a, b| a.minimum < b.minimum), "{}", check.id);
            assert!(
                check.variants.is_sorted_by_key(|variant| variant.since_release),
                "{}",
                check.id
            );
            for id in check.variants.iter().flat_map(|variant| variant.overrides) {
                assert_eq!(check.level, Level::Restricted, "{}", check.id);
                assert!(CHECKS.iter().any(|c| c.id == *id && c.level == Level::Baseline), "{id}");
            }
        }
    }

    const OLD_BASELINE: [&str; 11] = [
        "appArmorProfile",
        "capabilities_baseline",
        "hostNamespaces",
        "hostPathVolumes",
        "hostPorts",
        "privileged",
        "procMount",
        "seLinuxOptions",
        "seccompProfile_baseline",
        "sysctls",
        "windowsHostProcess",
    ];

    #[test]
    fn baseline_gains_the_probe_check_at_1_34() {
        for minor in [0, 8, 19, 22, 33] {
            assert_eq!(ids(Level::Baseline, minor, 36), OLD_BASELINE, "v1.{minor}");
        }
        let mut newest = OLD_BASELINE.to_vec();
        newest.insert(5, "hostProbesAndHostLifecycle");
        assert_eq!(ids(Level::Baseline, 34, 36), newest);
        assert_eq!(ids(Level::Baseline, 35, 36), newest);
        assert_eq!(ids(Level::Privileged, 35, 36), [""; 0]);
    }

    #[test]
    fn restricted_grows_and_replaces_baseline_checks() {
        let first = [
            "appArmorProfile",
            "capabilities_baseline",
            "hostNamespaces",
            "hostPorts",
            "privileged",
            "procMount",
            "seLinuxOptions",
            "seccompProfile_baseline",
            "sysctls",
            "windowsHostProcess",
            "restrictedVolumes",
            "runAsNonRoot",
        ];
        assert_eq!(ids(Level::Restricted, 0, 36), first);
        for (minor, added, gone) in [
            (8, "allowPrivilegeEscalation", None),
            (19, "seccompProfile_restricted", Some("seccompProfile_baseline")),
            (22, "capabilities_restricted", Some("capabilities_baseline")),
            (23, "runAsUser", None),
            (34, "hostProbesAndHostLifecycle", None),
            (35, "procMount_restricted", Some("procMount")),
        ] {
            let (before, after) =
                (ids(Level::Restricted, minor - 1, 36), ids(Level::Restricted, minor, 36));
            let new: Vec<_> = after.iter().copied().filter(|id| !before.contains(id)).collect();
            let old: Vec<_> = before.iter().copied().filter(|id| !after.contains(id)).collect();
            assert_eq!((new, old), ([added].to_vec(), gone.into_iter().collect()), "v1.{minor}");
        }
        let newest = [
            "appArmorProfile",
            "hostNamespaces",
            "hostPorts",
            "hostProbesAndHostLifecycle",
            "privileged",
            "seLinuxOptions",
            "sysctls",
            "windowsHostProcess",
            "allowPrivilegeEscalation",
            "capabilities_restricted",
            "procMount_restricted",
            "restrictedVolumes",
            "runAsNonRoot",
            "runAsUser",
            "seccompProfile_restricted",
        ];
        assert_eq!(ids(Level::Restricted, 35, 36), newest);
    }

    #[test]
    fn the_newest_version_follows_the_release() {
        for (minor, want) in [(31, 31), (32, 32), (33, 32), (34, 34), (35, 35), (36, 35), (37, 37)]
        {
            assert_eq!(newest(&config(minor)), want, "1.{minor}");
        }
    }

    #[test]
    fn emulation_lowers_the_newest_version() {
        for (minor, emulated, want) in [
            (36, 33, 33),
            (36, 35, 35),
            (37, 36, 36),
            (35, 34, 34),
            (34, 33, 33),
            (34, 31, 33),
            (33, 31, 32),
        ] {
            let mut config = config(minor);
            config.emulated = release(emulated);
            assert_eq!(newest(&config), want, "1.{minor} as 1.{emulated}");
        }
    }

    #[test]
    fn a_release_knows_only_its_own_variants() {
        let minimum = |id: &str, minor| {
            let check = CHECKS.iter().find(|check| check.id == id).unwrap();
            variant(check, 99, release(minor)).map(|variant| variant.minimum)
        };
        assert_eq!(minimum("sysctls", 31), Some(29));
        assert_eq!(minimum("sysctls", 36), Some(32));
        assert_eq!(minimum("sysctls", 37), Some(37));
        assert_eq!(minimum("runAsUser", 34), Some(23));
        assert_eq!(minimum("hostProbesAndHostLifecycle", 33), None);
        assert_eq!(minimum("procMount_restricted", 34), None);
    }
}
