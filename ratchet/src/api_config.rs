//! The API configuration from the flags for release, gates and plugins, with kube-apiserver's error messages.

use crate::behavior_arg::BehaviorArg;
use crate::policy_args::{PolicyArgs, ServerArg};
use ratchet_engine::pod_security::{
    Configuration, LevelVersion, Modes, PluginConfiguration, Version,
};
use ratchet_engine::{ApiConfig, Behavior, Plugins, Release};
use ratchet_object::{Limits, Object, decode};
use ratchet_server::PLUGINS;
use std::path::Path;

/// The API configuration that the flags describe.
pub(crate) fn of(args: PolicyArgs) -> Result<ApiConfig, String> {
    let PolicyArgs {
        target_version,
        emulated_version,
        gates,
        pod_security,
        admission_control_config_file,
        behavior,
        server,
    } = args;
    let behavior = match behavior {
        BehaviorArg::Proposal => Behavior::Proposal,
        BehaviorArg::Released => Behavior::Released,
    };
    let release: Release =
        target_version.parse().map_err(|error| format!("--target-version: {error}"))?;
    let (mut config, oldest) = match server {
        ServerArg::Kubernetes => {
            (ApiConfig::of(release, behavior), release.minor().saturating_sub(EMULATED_BACK))
        }
        ServerArg::Ratchet => (of_server(Behavior::Proposal), OLDEST_SERVED),
    };
    if let Some(text) = emulated_version {
        config.emulated = emulated(&text, config.release, oldest)?;
        config.gates = config.gates.emulating(config.emulated);
    }
    config
        .gates
        .apply(&gates.feature_gates)
        .map_err(|error| format!("--feature-gates: {error}"))?;
    config.plugins = plugins(&gates.enable_admission_plugins, &gates.disable_admission_plugins)?;
    if let Some(text) = pod_security {
        config.pod_security = pod_security_level(&text)?;
    }
    if let Some(path) = admission_control_config_file {
        config.pod_security = pod_security_config(&path)?;
    }
    Ok(config)
}

/// Number of releases back that kube-apiserver can emulate.
const EMULATED_BACK: u8 = 3;

/// `ratchet serve` emulates 1.32, too: the only release in which RelaxedDNSSearchValidation (KEP-4427) is alpha and off.
pub(crate) const OLDEST_SERVED: u8 = 32;

/// The API configuration of `ratchet serve` before its flags change it.
pub(crate) fn of_server(behavior: Behavior) -> ApiConfig {
    ApiConfig::of(Release::REFERENCE, behavior)
}

fn emulated(text: &str, release: Release, oldest: u8) -> Result<Release, String> {
    let bare = text.strip_prefix("kube=").unwrap_or(text);
    let wanted: Result<Release, _> = bare.parse();
    match wanted {
        Ok(wanted) if wanted <= release && wanted.minor() >= oldest => Ok(wanted),
        Ok(wanted) => {
            Err(format!("emulation version {wanted} is not between [1.{oldest}, {release}.0]"))
        }
        Err(error) => Err(format!("--emulated-version: {error}")),
    }
}

fn plugins(enabled: &[String], disabled: &[String]) -> Result<Plugins, String> {
    // Plugins without effect on a check are accepted, so that a cluster's own flags can be used.
    let is_known = |name: &String| {
        name.is_empty() || PLUGINS.iter().any(|plugin| plugin.name == name.as_str())
    };
    for (flag, names) in [("enable", enabled), ("disable", disabled)] {
        if let Some(name) = names.iter().find(|name| !is_known(name)) {
            return Err(format!("{flag}-admission-plugins plugin \"{name}\" is unknown"));
        }
    }
    if let Some(name) = enabled.iter().find(|name| disabled.contains(name)) {
        return Err(format!(
            "[{name}] in enable-admission-plugins and disable-admission-plugins overlapped"
        ));
    }
    let has = |names: &[String], wanted: &str| names.iter().any(|name| name == wanted);
    Ok(Plugins {
        deny_external_ips: has(enabled, "DenyServiceExternalIPs"),
        pod_security: !has(disabled, "PodSecurity"),
        service_account: !has(disabled, "ServiceAccount"),
    })
}

/// One level for every namespace without labels: it refuses pods and warns about workloads.
fn pod_security_level(text: &str) -> Result<Configuration, String> {
    let (level, version) = text.split_once(':').unwrap_or((text, "latest"));
    let level = level.parse().map_err(|error| format!("--pod-security {level:?}: {error}"))?;
    let version: Version =
        version.parse().map_err(|error| format!("--pod-security {version:?}: {error}"))?;
    let everywhere = LevelVersion::new(level, version);
    let defaults = Modes { enforce: everywhere, audit: everywhere, warn: everywhere };
    Ok(Configuration { defaults, ..Configuration::default() })
}

/// The Pod Security configuration of a file, on its own or inside an AdmissionConfiguration.
pub(crate) fn pod_security_config(path: &Path) -> Result<Configuration, String> {
    let text = read_config_file(path)?;
    let Some(object) = object_of(&text)? else { return Ok(Configuration::default()) };
    if object.kind_name() == "PodSecurityConfiguration" {
        return Configuration::from_object(&object).map_err(|error| failed(&error));
    }
    match PluginConfiguration::from_object(&object).map_err(|error| failed(&error))? {
        PluginConfiguration::Absent => Ok(Configuration::default()),
        PluginConfiguration::Inline(configuration) => Ok(configuration),
        // A file that is named there is the plugin's own and cannot name another.
        PluginConfiguration::Path(beside) => {
            let text = read_config_file(&path.parent().unwrap_or(Path::new(".")).join(beside))?;
            match object_of(&text)? {
                Some(object) => Configuration::from_object(&object).map_err(|error| failed(&error)),
                None => Ok(Configuration::default()),
            }
        }
    }
}

pub(crate) fn failed(why: &dyn std::fmt::Display) -> String {
    format!("failed to apply admission: {why}")
}

pub(crate) fn read_config_file(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| {
        let path = path.display();
        failed(&format!(
            "failed to read plugin config: unable to read admission control configuration from \"{path}\" [{error}]"
        ))
    })
}

pub(crate) fn object_of(text: &str) -> Result<Option<Object<'_>>, String> {
    let decoded = decode(text, Limits::DEFAULT).map_err(|error| failed(&error))?;
    Ok(decoded.documents.into_iter().next().map(Object::new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn plugins_are_refused_in_the_words_of_kubernetes() {
        let refused = |on: &[&str], off: &[&str]| plugins(&names(on), &names(off)).unwrap_err();
        assert_eq!(refused(&["Foo"], &[]), "enable-admission-plugins plugin \"Foo\" is unknown");
        assert_eq!(
            refused(&["PodSecurity"], &["PodSecurity"]),
            "[PodSecurity] in enable-admission-plugins and disable-admission-plugins overlapped"
        );
        let on = plugins(&names(&["DenyServiceExternalIPs", "LimitRanger"]), &[]).unwrap();
        assert!(on.deny_external_ips && on.pod_security);
    }

    fn flags(list: &[&str]) -> Result<ApiConfig, String> {
        let words = ["ratchet", "check", "x"].iter().chain(list);
        match crate::args::Args::try_parse_from(words).map(|args| args.command) {
            Ok(crate::args::Command::Check(args)) => of(args.policy),
            Ok(_) => Err("another door".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn emulation_reaches_three_releases_back_and_that_of_the_server_one_more() {
        let minor = |list: &[&str]| flags(list).map(|policy| policy.emulated.minor());
        assert_eq!(minor(&["--emulated-version=kube=1.33"]), Ok(33));
        let refused = |oldest: u8, wanted: &str| {
            Err(format!("emulation version {wanted} is not between [1.{oldest}, 1.36.0]"))
        };
        assert_eq!(minor(&["--emulated-version=1.32"]), refused(33, "1.32"));
        assert_eq!(minor(&["--for=ratchet", "--emulated-version=1.32"]), Ok(32));
        assert_eq!(minor(&["--for=ratchet", "--emulated-version=1.31"]), refused(32, "1.31"));
        assert_eq!(minor(&["--emulated-version=1.37"]), refused(33, "1.37"));
        let alpha = flags(&["--for=ratchet", "--emulated-version=1.32"]).unwrap();
        assert!(!alpha.relaxed_dns() && !alpha.strict_ip());
    }

    #[test]
    fn one_server_is_predicted_at_a_time() {
        let [usual, server] = [&[][..], &["--for=ratchet"]].map(|list| flags(list).unwrap());
        assert_eq!(usual.behavior, Behavior::Released);
        assert_eq!(server.behavior, Behavior::Proposal);
        for flag in ["--behavior=released", "--target-version=1.35"] {
            assert!(flags(&["--for=ratchet", flag]).unwrap_err().contains("cannot be used with"));
        }
    }

    #[test]
    fn a_level_for_every_namespace() {
        let configuration = pod_security_level("restricted:v1.34").unwrap();
        assert_eq!(configuration.defaults.enforce.to_string(), "restricted:v1.34");
        assert!(pod_security_level("strict").unwrap_err().contains("must be one of"));
        assert!(pod_security_level("baseline:1.34").unwrap_err().contains("must be \"latest\""));
    }
}
