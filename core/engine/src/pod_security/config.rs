//! What the administrator configures: the policy of namespaces without labels, and exemptions.

use super::exemptions::Exemptions;
use super::labels::sum_up;
use super::level::{Level, LevelVersion, Modes, UnknownLevel, UnknownVersion, Version};
use super::strict::{Strict, type_of};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use ratchet_object::{At, Object, Path};

/// What Pod Security does where no label says otherwise, and whom it leaves alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// The policy of namespaces without labels.
    pub defaults: Modes,
    /// Who is not looked at.
    pub exemptions: Exemptions,
}

/// What an `AdmissionConfiguration` says about Pod Security.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginConfiguration {
    /// Nothing: the defaults hold.
    Absent,
    /// The configuration stands in it.
    Inline(Configuration),
    /// The configuration stands in another file, relative to this one.
    Path(String),
}

/// Why a configuration cannot be used: the text that kube-apiserver prints after
/// `failed to apply admission: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationError(String);

impl fmt::Display for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for ConfigurationError {}

const GROUP: &str = "pod-security.admission.config.k8s.io/";
const VERSIONS: [&str; 3] = ["v1", "v1beta1", "v1alpha1"];
const KIND: &str = "PodSecurityConfiguration";
const ADMISSION: [&str; 2] = ["apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1"];
const DEFAULTS: [&str; 6] =
    ["enforce", "enforce-version", "audit", "audit-version", "warn", "warn-version"];
const EXEMPTIONS: [&str; 3] = ["usernames", "namespaces", "runtimeClasses"];

impl Configuration {
    /// Reads a `PodSecurityConfiguration`.
    pub fn read(object: &Object<'_>) -> Result<Self, ConfigurationError> {
        Self::read_root(object.root())
    }

    fn read_root(root: At<'_>) -> Result<Self, ConfigurationError> {
        let refuse = |text: String| {
            ConfigurationError(format!("couldn't init admission plugin \"PodSecurity\": {text}"))
        };
        let (version, kind) = type_of(root).map_err(refuse)?;
        let is_known =
            version.strip_prefix(GROUP).is_some_and(|version| VERSIONS.contains(&version));
        if kind != KIND || !is_known {
            return Err(refuse(format!(
                "no kind \"{kind}\" is registered for version \"{version}\" in scheme \
                 \"k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31\""
            )));
        }
        let (defaults, exemptions) = (root.field("defaults"), root.field("exemptions"));
        let mut strict = Strict::default();
        strict.object(
            root,
            "PodSecurityConfiguration",
            &["kind", "apiVersion", "defaults", "exemptions"],
        );
        strict.object(defaults, "PodSecurityDefaults", &DEFAULTS);
        strict.object(exemptions, "PodSecurityExemptions", &EXEMPTIONS);
        let texts = DEFAULTS.map(|name| strict.text(defaults.field(name), "PodSecurityDefaults"));
        let [usernames, namespaces, runtime_classes] =
            EXEMPTIONS.map(|name| strict.texts(exemptions.field(name), "PodSecurityExemptions"));
        strict.verdict().map_err(refuse)?;
        let exemptions = Exemptions { usernames, namespaces, runtime_classes };
        Self::complete(texts, exemptions)
    }

    /// Reads what the texts mean; all that is wrong with one part is told at once.
    fn complete(
        [enforce, enforce_version, audit, audit_version, warn, warn_version]: [&str; 6],
        exemptions: Exemptions,
    ) -> Result<Self, ConfigurationError> {
        let mut faults: Vec<String> = Vec::new();
        let mut mode = |name: &str, level: &str, version: &str| {
            let level = if level.is_empty() { Ok(Level::default()) } else { level.parse() };
            let version = if version.is_empty() { Ok(Version::default()) } else { version.parse() };
            let level = level.unwrap_or_else(|fault: UnknownLevel| {
                faults.push(format!("{name}: {fault}"));
                Level::default()
            });
            let version = version.unwrap_or_else(|fault: UnknownVersion| {
                faults.push(format!("{name}-version: {fault}"));
                Version::default()
            });
            LevelVersion { level, version }
        };
        let defaults = Modes {
            enforce: mode("enforce", enforce, enforce_version),
            audit: mode("audit", audit, audit_version),
            warn: mode("warn", warn, warn_version),
        };
        let refuse = |what: &str, faults: &[String]| {
            let faults = sum_up(faults);
            Err(ConfigurationError(format!(
                "failed to initialize admission plugin \"PodSecurity\": PodSecurity {what}: {faults}"
            )))
        };
        if !faults.is_empty() {
            return refuse("configuration error", &faults);
        }
        match exemptions.faults().as_slice() {
            [] => Ok(Self { defaults, exemptions }),
            faults => refuse("invalid", faults),
        }
    }
}

impl PluginConfiguration {
    /// Reads what an `AdmissionConfiguration` says about Pod Security; other plugins are left to
    /// others.
    pub fn read(object: &Object<'_>) -> Result<Self, ConfigurationError> {
        let refuse =
            |text: String| ConfigurationError(format!("failed to read plugin config: {text}"));
        let root = object.root();
        let (version, kind) = type_of(root).map_err(refuse)?;
        if kind != "AdmissionConfiguration" || !ADMISSION.contains(&version) {
            return Err(refuse(format!(
                "no kind \"{kind}\" is registered for version \"{version}\""
            )));
        }
        let mut strict = Strict::default();
        strict.object(root, "AdmissionConfiguration", &["kind", "apiVersion", "plugins"]);
        let mut ours = None;
        for plugin in root.field("plugins").items() {
            let kind = "AdmissionPluginConfiguration";
            strict.object(plugin, kind, &["name", "path", "configuration"]);
            let name = strict.text(plugin.field("name"), kind);
            let path = strict.text(plugin.field("path"), kind);
            if name == "PodSecurity" && ours.is_none() {
                ours = Some((plugin.field("configuration"), path));
            }
        }
        strict.verdict().map_err(refuse)?;
        match ours {
            Some((inline, _)) if inline.is_set() => {
                let inline = inline.named(Path::default());
                Configuration::read_root(inline).map(Self::Inline)
            }
            Some((_, path)) if !path.is_empty() => Ok(Self::Path(path.into())),
            _ => Ok(Self::Absent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pod_security::testing::{object, texts};
    use alloc::string::ToString;

    const TYPE: &str =
        "apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration";

    fn read(rest: &str) -> Result<Configuration, String> {
        let text = format!("{{{TYPE}{rest}}}");
        Configuration::read(&object(&text)).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_said_is_privileged_and_nobody_exempt() {
        assert_eq!(read(""), Ok(Configuration::default()));
        assert_eq!(
            read(", defaults: {enforce: '', audit-version: ''}"),
            Ok(Configuration::default())
        );
    }

    #[test]
    fn every_version_reads_all_fields() {
        let rest = ", defaults: {enforce: baseline, enforce-version: v1.34, audit: restricted, audit-version: latest, warn: restricted, warn-version: v1.30}, exemptions: {usernames: [u], namespaces: [web], runtimeClasses: [r]}}";
        for version in VERSIONS {
            let text = format!("{{apiVersion: {GROUP}{version}, kind: {KIND}{rest}");
            let read = Configuration::read(&object(&text)).unwrap();
            let spelled = read.defaults.all().map(|(_, at)| at.to_string());
            assert_eq!(spelled, ["baseline:v1.34", "restricted:latest", "restricted:v1.30"]);
            let exemptions = Exemptions {
                usernames: texts(&["u"]),
                namespaces: texts(&["web"]),
                runtime_classes: texts(&["r"]),
            };
            assert_eq!(read.exemptions, exemptions);
        }
    }

    #[test]
    fn what_cannot_be_used_is_told_as_kubernetes_tells_it() {
        for (rest, want) in [
            (
                ", foo: 1",
                "couldn't init admission plugin \"PodSecurity\": strict decoding error: unknown field \"foo\"",
            ),
            (
                ", defaults: {b: 1, a: 1}",
                "couldn't init admission plugin \"PodSecurity\": strict decoding error: unknown field \"defaults.a\", unknown field \"defaults.b\"",
            ),
            (
                ", defaults: {enforce: 1}",
                "couldn't init admission plugin \"PodSecurity\": json: cannot unmarshal number into Go struct field PodSecurityDefaults.defaults.enforce of type string",
            ),
            (
                ", exemptions: {usernames: u}",
                "couldn't init admission plugin \"PodSecurity\": json: cannot unmarshal string into Go struct field PodSecurityExemptions.exemptions.usernames of type []string",
            ),
            (
                ", defaults: {enforce: x}",
                "failed to initialize admission plugin \"PodSecurity\": PodSecurity configuration error: enforce: must be one of privileged, baseline, restricted",
            ),
            (
                ", defaults: {warn: x, enforce-version: z}",
                "failed to initialize admission plugin \"PodSecurity\": PodSecurity configuration error: [enforce-version: must be \"latest\" or \"v1.x\", warn: must be one of privileged, baseline, restricted]",
            ),
            (
                ", exemptions: {usernames: ['']}",
                "failed to initialize admission plugin \"PodSecurity\": PodSecurity invalid: exemptions.usernames[0]: Invalid value: \"\": username must not be empty",
            ),
        ] {
            assert_eq!(read(rest), Err(want.into()), "{rest}");
        }
        for (text, want) in [
            (
                "{kind: PodSecurityConfiguration}",
                "couldn't init admission plugin \"PodSecurity\": Object 'apiVersion' is missing in '{\"kind\":\"PodSecurityConfiguration\"}'",
            ),
            (
                "{apiVersion: pod-security.admission.config.k8s.io/v9, kind: PodSecurityConfiguration}",
                "couldn't init admission plugin \"PodSecurity\": no kind \"PodSecurityConfiguration\" is registered for version \"pod-security.admission.config.k8s.io/v9\" in scheme \"k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31\"",
            ),
        ] {
            let refused = Configuration::read(&object(text)).unwrap_err();
            assert_eq!(refused.to_string(), want);
        }
    }

    fn plugins(plugins: &str) -> Result<PluginConfiguration, String> {
        let text = format!(
            "{{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, {plugins}}}"
        );
        PluginConfiguration::read(&object(&text)).map_err(|error| error.to_string())
    }

    #[test]
    fn an_admission_configuration_holds_ours_or_points_at_it() {
        assert_eq!(plugins("plugins: [{name: Other, path: x}]"), Ok(PluginConfiguration::Absent));
        assert_eq!(plugins("plugins: [{name: PodSecurity}]"), Ok(PluginConfiguration::Absent));
        assert_eq!(
            plugins("plugins: [{name: PodSecurity, path: psa.yaml}]"),
            Ok(PluginConfiguration::Path("psa.yaml".into()))
        );
        let inline =
            format!("plugins: [{{name: Other}}, {{name: PodSecurity, configuration: {{{TYPE}}}}}]");
        assert_eq!(plugins(&inline), Ok(PluginConfiguration::Inline(Configuration::default())));
        let unknown =
            format!("plugins: [{{name: PodSecurity, configuration: {{{TYPE}, foo: 1}}}}]");
        assert_eq!(
            plugins(&unknown),
            Err("couldn't init admission plugin \"PodSecurity\": strict decoding error: unknown field \"foo\"".into())
        );
        assert_eq!(
            plugins("foo: 1"),
            Err("failed to read plugin config: strict decoding error: unknown field \"foo\"".into())
        );
        let kindless = object("{plugins: [{name: \"a\", path: null}], x: [true, 1]}");
        assert_eq!(
            PluginConfiguration::read(&kindless).unwrap_err().to_string(),
            "failed to read plugin config: Object 'Kind' is missing in '{\"plugins\":[{\"name\":\"a\",\"path\":null}],\"x\":[true,1]}'"
        );
    }
}
