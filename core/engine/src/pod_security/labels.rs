//! Parsing of the six namespace labels that set the Pod Security policy.

use super::level::{Level, Modes, UnknownLevel, UnknownVersion, Version};
use crate::rule::{Origin, Ratchet, Rule};
use crate::verdict::FieldError;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use ratchet_object::At;

/// Rule for invalid Pod Security labels.
pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-019",
    fields: &["Namespace metadata.labels[pod-security.kubernetes.io/*]"],
    title: "Pod Security labels of a namespace",
    origin: Origin::PodSecurity,
    demands: "The labels `pod-security.kubernetes.io/enforce`, `audit` and `warn` name a level \
              (`privileged`, `baseline` or `restricted`), and their `-version` companions say \
              `latest` or `v1.<minor>`.",
    why: "A misspelled level would leave open whether pods are checked at all. Pods in a namespace \
          with an unreadable enforce level are held to `restricted`, which surprises everyone.",
    fix: "Write one of the three levels in lower case, and a version such as `v1.34` without a \
          patch number.",
    ratchet: Ratchet::WholeField,
    versions: "all releases.",
};

pub(super) const ENFORCE: &str = "pod-security.kubernetes.io/enforce";
pub(super) const ENFORCE_VERSION: &str = "pod-security.kubernetes.io/enforce-version";
const AUDIT: &str = "pod-security.kubernetes.io/audit";
const AUDIT_VERSION: &str = "pod-security.kubernetes.io/audit-version";
const WARN: &str = "pod-security.kubernetes.io/warn";
const WARN_VERSION: &str = "pod-security.kubernetes.io/warn-version";

/// The labels of each mode, level and version, in the order of [`Modes`].
pub(super) const OF_MODES: [(&str, &str); 3] =
    [(ENFORCE, ENFORCE_VERSION), (AUDIT, AUDIT_VERSION), (WARN, WARN_VERSION)];

/// A Pod Security label with an invalid value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelError {
    /// The key of the label.
    pub key: &'static str,
    /// The invalid value.
    pub value: String,
    /// The allowed values.
    pub detail: &'static str,
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, value) = (self.key, ratchet_net::Quoted(&self.value));
        write!(f, "metadata.labels[{key}]: Invalid value: {value}: {}", self.detail)
    }
}

/// The policy of a namespace from its labels and the configured defaults, and the invalid labels. There is always a
/// policy: an invalid enforce level becomes restricted, the levels of other modes privileged.
pub fn policy_of(labels: At<'_>, defaults: &Modes) -> (Modes, Vec<LabelError>) {
    let mut modes = *defaults;
    let mut parser = LabelParser { labels, errors: Vec::new() };
    let enforce = parser.level(ENFORCE);
    modes.enforce.level = enforce.or(modes.enforce.level, Level::Restricted);
    modes.enforce.version = parser.version(ENFORCE_VERSION, modes.enforce.version);
    modes.audit.level = parser.level(AUDIT).or(modes.audit.level, Level::Privileged);
    modes.audit.version = parser.version(AUDIT_VERSION, modes.audit.version);
    let warn = parser.level(WARN);
    modes.warn.level = warn.or(modes.warn.level, Level::Privileged);
    modes.warn.version = parser.version(WARN_VERSION, modes.warn.version);
    // With an enforce level alone, warnings cover controllers too, whose pods would be refused.
    if let (ParsedLevel::Valid(level), ParsedLevel::Absent) = (enforce, warn)
        && level > modes.warn.level
    {
        modes.warn.level = level;
        if !parser.has(WARN_VERSION) {
            modes.warn.version = modes.enforce.version;
        }
    }
    (modes, parser.errors)
}

/// The field errors of the namespace, one per label error.
pub fn label_field_errors<'e>(
    namespace: At<'e>,
    errors: &'e [LabelError],
) -> impl Iterator<Item = FieldError> + 'e {
    let labels = namespace.field("metadata").field("labels");
    errors.iter().map(move |error| {
        FieldError::invalid(&RULE, &labels.key(error.key), &error.value, error.detail)
    })
}

/// Several errors in one message, as Kubernetes aggregates them.
pub(super) fn aggregate<E: fmt::Display>(errors: &[E]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for text in errors.iter().map(ToString::to_string) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [only] => only.clone(),
        many => format!("[{}]", many.join(", ")),
    }
}

struct LabelParser<'a> {
    labels: At<'a>,
    errors: Vec<LabelError>,
}

#[derive(Clone, Copy)]
enum ParsedLevel {
    Absent,
    Invalid,
    Valid(Level),
}

impl ParsedLevel {
    fn or(self, absent: Level, invalid: Level) -> Level {
        match self {
            Self::Absent => absent,
            Self::Invalid => invalid,
            Self::Valid(level) => level,
        }
    }
}

impl LabelParser<'_> {
    fn has(&self, key: &'static str) -> bool {
        self.labels.key(key).is_set()
    }

    fn level(&mut self, key: &'static str) -> ParsedLevel {
        if !self.has(key) {
            return ParsedLevel::Absent;
        }
        let text = self.labels.key(key).text_or_empty();
        match text.parse() {
            Ok(level) => ParsedLevel::Valid(level),
            Err(UnknownLevel) => {
                self.errors.push(LabelError {
                    key,
                    value: text.into(),
                    detail: UnknownLevel::DETAIL,
                });
                ParsedLevel::Invalid
            }
        }
    }

    fn version(&mut self, key: &'static str, absent: Version) -> Version {
        if !self.has(key) {
            return absent;
        }
        let text = self.labels.key(key).text_or_empty();
        text.parse().unwrap_or_else(|UnknownVersion| {
            self.errors.push(LabelError {
                key,
                value: text.into(),
                detail: UnknownVersion::DETAIL,
            });
            Version::Latest
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pod_security::testing::object;
    use crate::pod_security::{LevelVersion, Mode};
    use alloc::vec;

    fn modes(enforce: &str, audit: &str, warn: &str) -> Modes {
        let parse = |text: &str| {
            let (level, version) = text.split_once(':').unwrap();
            LevelVersion::new(level.parse().unwrap(), version.parse().unwrap())
        };
        Modes { enforce: parse(enforce), audit: parse(audit), warn: parse(warn) }
    }

    fn formatted(modes: &Modes) -> [String; 3] {
        modes.all().map(|(_, at)| at.to_string())
    }

    fn parse(labels: &str, defaults: &Modes) -> ([String; 3], Vec<String>) {
        let labels = labels.replace("P/", "pod-security.kubernetes.io/");
        let object = object(&labels);
        let (modes, errors) = policy_of(object.root(), defaults);
        (formatted(&modes), errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn labels_decide_over_the_defaults() {
        const OPEN: &str = "privileged:latest";
        for (labels, enforce, audit, warn) in [
            ("{}", OPEN, OPEN, OPEN),
            ("{P/foo: baseline, enforce: baseline}", OPEN, OPEN, OPEN),
            ("{P/enforce: baseline}", "baseline:latest", OPEN, "baseline:latest"),
            (
                "{P/enforce: baseline, P/enforce-version: v1.33}",
                "baseline:v1.33",
                OPEN,
                "baseline:v1.33",
            ),
            (
                "{P/enforce: restricted, P/warn-version: v1.20}",
                "restricted:latest",
                OPEN,
                "restricted:v1.20",
            ),
            (
                "{P/enforce: restricted, P/warn: baseline}",
                "restricted:latest",
                OPEN,
                "baseline:latest",
            ),
            ("{P/enforce: restricted, P/warn: privileged}", "restricted:latest", OPEN, OPEN),
            ("{P/audit: restricted, P/audit-version: v1.1}", OPEN, "restricted:v1.1", OPEN),
            ("{P/enforce-version: v1.5}", "privileged:v1.5", OPEN, OPEN),
        ] {
            let want = ([enforce, audit, warn].map(String::from), vec![]);
            assert_eq!(parse(labels, &Modes::default()), want, "{labels}");
        }
    }

    #[test]
    fn a_stricter_default_is_not_lowered_by_the_enforced_level() {
        let defaults = modes("privileged:v1.9", "baseline:latest", "restricted:v1.8");
        let want = ["baseline:v1.9", "baseline:latest", "restricted:v1.8"].map(String::from);
        assert_eq!(parse("{P/enforce: baseline}", &defaults), (want, vec![]));
        let defaults = modes("privileged:v1.9", "privileged:latest", "baseline:v1.8");
        let want = ["restricted:v1.9", "privileged:latest", "restricted:v1.9"].map(String::from);
        assert_eq!(parse("{P/enforce: restricted}", &defaults), (want, vec![]));
    }

    #[test]
    fn an_unreadable_enforce_level_closes_and_the_others_open() {
        let labels = "{P/enforce: foo, P/enforce-version: v1.05, P/audit: '', P/audit-version: x, P/warn: Baseline, P/warn-version: v2.1}";
        let defaults = modes("baseline:v1.1", "baseline:v1.2", "baseline:v1.3");
        let (modes, errors) = parse(labels, &defaults);
        assert_eq!(modes, ["restricted:latest", "privileged:latest", "privileged:latest"]);
        assert_eq!(
            errors,
            [
                "metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"foo\": must be one of privileged, baseline, restricted",
                "metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: \"v1.05\": must be \"latest\" or \"v1.x\"",
                "metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: \"\": must be one of privileged, baseline, restricted",
                "metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: \"x\": must be \"latest\" or \"v1.x\"",
                "metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: \"Baseline\": must be one of privileged, baseline, restricted",
                "metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: \"v2.1\": must be \"latest\" or \"v1.x\"",
            ]
        );
    }

    #[test]
    fn an_unreadable_enforce_level_is_no_reason_to_warn() {
        let (modes, _) = parse("{P/enforce: foo}", &Modes::default());
        assert_eq!(modes, ["restricted:latest", "privileged:latest", "privileged:latest"]);
    }

    #[test]
    fn problems_stand_at_the_label() {
        let object = object("{metadata: {labels: {pod-security.kubernetes.io/warn: x}}}");
        let root = object.root();
        let (_, errors) = policy_of(root.descend(&["metadata", "labels"]), &Modes::default());
        let found: Vec<String> = label_field_errors(root, &errors)
            .map(|p| format!("{}: {}", p.field, p.message()))
            .collect();
        assert_eq!(found, errors.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(Mode::Warn.to_string(), "warn");
    }

    #[test]
    fn several_faults_are_told_in_brackets_and_once() {
        assert_eq!(aggregate(&["a"]), "a");
        assert_eq!(aggregate(&["a", "a"]), "a");
        assert_eq!(aggregate(&["a", "b", "a"]), "[a, b]");
    }
}
