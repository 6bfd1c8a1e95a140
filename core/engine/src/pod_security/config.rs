//! `Configuration` of the Pod Security plugin: defaults for namespaces without labels, and exemptions.

use super::exemptions::Exemptions;
use super::labels::aggregate;
use super::level::{Level, LevelVersion, Modes, UnknownLevel, UnknownVersion, Version};
use super::strict::{StrictDecoder, type_of};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use ratchet_object::{At, Object, Path};

/// The content of a `PodSecurityConfiguration`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// The policy of namespaces without labels.
    pub defaults: Modes,
    /// Exempt users, namespaces and runtime classes.
    pub exemptions: Exemptions,
}

/// The entry of Pod Security in an `AdmissionConfiguration`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginConfiguration {
    /// No entry: the defaults hold.
    Absent,
    /// The configuration is inline.
    Inline(Configuration),
    /// The configuration is in another file, relative to this one.
    Path(String),
}

/// A configuration error: the text that kube-apiserver prints after `failed to apply admission: `.
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
    /// Parses a `PodSecurityConfiguration`.
    pub fn from_object(object: &Object<'_>) -> Result<Self, ConfigurationError> {
        Self::parse_root(object.root())
    }

    fn parse_root(root: At<'_>) -> Result<Self, ConfigurationError> {
        let error = |text: String| {
            ConfigurationError(format!("couldn't init admission plugin \"PodSecurity\": {text}"))
        };
        let (version, kind) = type_of(root).map_err(error)?;
        let is_known =
            version.strip_prefix(GROUP).is_some_and(|version| VERSIONS.contains(&version));
        if kind != KIND || !is_known {
            return Err(error(format!(
                "no kind \"{kind}\" is registered for version \"{version}\" in scheme \
                 \"k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31\""
            )));
        }
        let (defaults, exemptions) = (root.field("defaults"), root.field("exemptions"));
        let mut decoder = StrictDecoder::default();
        decoder.object(
            root,
            "PodSecurityConfiguration",
            &["kind", "apiVersion", "defaults", "exemptions"],
        );
        decoder.object(defaults, "PodSecurityDefaults", &DEFAULTS);
        decoder.object(exemptions, "PodSecurityExemptions", &EXEMPTIONS);
        let texts = DEFAULTS.map(|name| decoder.text(defaults.field(name), "PodSecurityDefaults"));
        let [usernames, namespaces, runtime_classes] =
            EXEMPTIONS.map(|name| decoder.texts(exemptions.field(name), "PodSecurityExemptions"));
        decoder.finish().map_err(error)?;
        let exemptions = Exemptions { usernames, namespaces, runtime_classes };
        Self::complete(texts, exemptions)
    }

    /// Parses and validates the values; all errors of one part are reported at once.
    fn complete(
        [enforce, enforce_version, audit, audit_version, warn, warn_version]: [&str; 6],
        exemptions: Exemptions,
    ) -> Result<Self, ConfigurationError> {
        let mut errors: Vec<String> = Vec::new();
        let mut mode = |name: &str, level: &str, version: &str| {
            let level = if level.is_empty() { Ok(Level::default()) } else { level.parse() };
            let version = if version.is_empty() { Ok(Version::default()) } else { version.parse() };
            let level = level.unwrap_or_else(|fault: UnknownLevel| {
                errors.push(format!("{name}: {fault}"));
                Level::default()
            });
            let version = version.unwrap_or_else(|fault: UnknownVersion| {
                errors.push(format!("{name}-version: {fault}"));
                Version::default()
            });
            LevelVersion { level, version }
        };
        let defaults = Modes {
            enforce: mode("enforce", enforce, enforce_version),
            audit: mode("audit", audit, audit_version),
            warn: mode("warn", warn, warn_version),
        };
        let error = |what: &str, errors: &[String]| {
            let errors = aggregate(errors);
            Err(ConfigurationError(format!(
                "failed to initialize admission plugin \"PodSecurity\": PodSecurity {what}: {errors}"
            )))
        };
        if !errors.is_empty() {
            return error("configuration error", &errors);
        }
        match exemptions.errors().as_slice() {
            [] => Ok(Self { defaults, exemptions }),
            errors => error("invalid", errors),
        }
    }
}

impl PluginConfiguration {
    /// Parses the entry of Pod Security in an `AdmissionConfiguration`; entries of other plugins are ignored.
    pub fn from_object(object: &Object<'_>) -> Result<Self, ConfigurationError> {
        let error =
            |text: String| ConfigurationError(format!("failed to read plugin config: {text}"));
        let root = object.root();
        let (version, kind) = type_of(root).map_err(error)?;
        if kind != "AdmissionConfiguration" || !ADMISSION.contains(&version) {
            return Err(error(format!(
                "no kind \"{kind}\" is registered for version \"{version}\""
            )));
        }
        let mut decoder = StrictDecoder::default();
        decoder.object(root, "AdmissionConfiguration", &["kind", "apiVersion", "plugins"]);
        let mut entry = None;
        for plugin in root.field("plugins").items() {
            let kind = "AdmissionPluginConfiguration";
            decoder.object(plugin, kind, &["name", "path", "configuration"]);
            let name = decoder.text(plugin.field("name"), kind);
            let path = decoder.text(plugin.field("path"), kind);
            if name == "PodSecurity" && entry.is_none() {
                entry = Some((plugin.field("configuration"), path));
            }
        }
        decoder.finish().map_err(error)?;
        match entry {
            Some((inline, _)) if inline.is_set() => {
                let inline = inline.with_path(Path::default());
                Configuration::parse_root(inline).map(Self::Inline)
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

    fn parse(rest: &str) -> Result<Configuration, String> {
        let text = format!("{{{TYPE}{rest}}}");
        Configuration::from_object(&object(&text)).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_said_is_privileged_and_nobody_exempt() {
        assert_eq!(parse(""), Ok(Configuration::default()));
        assert_eq!(
            parse(", defaults: {enforce: '', audit-version: ''}"),
            Ok(Configuration::default())
        );
    }

    #[test]
    fn every_version_reads_all_fields() {
        let rest = ", defaults: {enforce: baseline, enforce-version: v1.34, audit: restricted, audit-version: latest, warn: restricted, warn-version: v1.30}, exemptions: {usernames: [u], namespaces: [web], runtimeClasses: [r]}}";
        for version in VERSIONS {
            let text = format!("{{apiVersion: {GROUP}{version}, kind: {KIND}{rest}");
            let read = Configuration::from_object(&object(&text)).unwrap();
            let formatted = read.defaults.all().map(|(_, at)| at.to_string());
            assert_eq!(formatted, ["baseline:v1.34", "restricted:latest", "restricted:v1.30"]);
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
            assert_eq!(parse(rest), Err(want.into()), "{rest}");
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
            let error = Configuration::from_object(&object(text)).unwrap_err();
            assert_eq!(error.to_string(), want);
        }
    }

    fn plugins(plugins: &str) -> Result<PluginConfiguration, String> {
        let text = format!(
            "{{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, {plugins}}}"
        );
        PluginConfiguration::from_object(&object(&text)).map_err(|error| error.to_string())
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
            PluginConfiguration::from_object(&kindless).unwrap_err().to_string(),
            "failed to read plugin config: Object 'Kind' is missing in '{\"plugins\":[{\"name\":\"a\",\"path\":null}],\"x\":[true,1]}'"
        );
    }
}
