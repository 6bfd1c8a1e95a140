//! Pod Security on namespaces: validates their labels, and warns about pods that violate a raised enforce level.

use super::existing;
use super::labels::{OF_MODES, label_field_errors, policy_of};
use super::level::Modes;
use crate::change::Change;
use crate::config::ApiConfig;
use crate::facts::Facts;
use crate::rule::{Origin, Ratchet, Rule};
use crate::verdict::{Verdict, Warning};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

/// Rule for labels of an exempt namespace.
pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-021",
    fields: &["Namespace metadata.labels[pod-security.kubernetes.io/*]"],
    title: "Labels of an exempt namespace",
    origin: Origin::PodSecurity,
    demands: "A namespace that the administrator has exempted from Pod Security does not ask for a \
              level.",
    why: "Whoever reads the labels would believe that the namespace is protected, and it is not.",
    fix: "Remove the labels, or ask the administrator to remove the exemption.",
    ratchet: Ratchet::ByValue,
    versions: "all releases.",
};

pub(super) fn judge(
    change: &Change<'_>,
    facts: &Facts<'_>,
    config: &ApiConfig,
    verdict: &mut Verdict,
) {
    let configuration = &config.pod_security;
    let root = change.new_root();
    let (modes, errors) = policy_of(labels_of(root), &configuration.defaults);
    let is_exempt = configuration.exemptions.holds_namespace(change.new_object().name());
    let warn_exempt = |verdict: &mut Verdict| {
        verdict.warnings.extend(exempt_warning(root, &modes, &configuration.defaults));
    };
    let Some(old) = change.old_root() else {
        if !errors.is_empty() {
            verdict.errors.extend(label_field_errors(root, &errors));
        } else if is_exempt {
            warn_exempt(verdict);
        }
        return;
    };
    let (old_modes, old_errors) = policy_of(labels_of(old), &configuration.defaults);
    // The ratchet: stored invalid labels may stay.
    if !errors.is_empty() && errors != old_errors {
        verdict.errors.extend(label_field_errors(root, &errors));
        return;
    }
    let (enforce, before) = (modes.enforce, old_modes.enforce);
    let is_raised = enforce != before
        && !enforce.is_privileged()
        && (enforce.version != before.version || enforce.level > before.level);
    if !is_raised {
        return;
    }
    if is_exempt {
        warn_exempt(verdict);
    } else {
        existing::warn(change.new_object(), enforce, &facts.existing_pods, config, verdict);
    }
}

fn labels_of(namespace: At<'_>) -> At<'_> {
    namespace.field("metadata").field("labels")
}

fn exempt_warning(namespace: At<'_>, modes: &Modes, defaults: &Modes) -> Option<Warning> {
    if modes.are_privileged() || modes.are_equivalent_to(defaults) {
        return None;
    }
    let labels = labels_of(namespace);
    let ignored: Vec<String> = modes
        .all()
        .into_iter()
        .zip(OF_MODES)
        .filter(|((_, at), (level, version))| {
            !at.is_privileged() && (labels.key(level).is_set() || labels.key(version).is_set())
        })
        .map(|((mode, at), _)| format!("{mode}={at}"))
        .collect();
    let name = ratchet_net::Quoted(namespace.descend(&["metadata", "name"]).text_or_empty());
    let policy = ignored.join(", ");
    let text = format!(
        "namespace {name} is exempt from Pod Security, and the policy ({policy}) will be ignored"
    );
    Some(Warning::new(&RULE, &labels, text))
}

#[cfg(test)]
mod tests {
    use crate::change::{Change, Part};
    use crate::config::ApiConfig;
    use crate::facts::{Existing, Facts};
    use crate::pod_security::testing::{config, configured, object, texts};
    use crate::pod_security::{Configuration, Exemptions, judge};
    use crate::verdict::Verdict;
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    fn namespace(labels: &str) -> String {
        let labels = labels.replace("P/", "pod-security.kubernetes.io/");
        format!(
            "{{apiVersion: v1, kind: Namespace, metadata: {{name: web, labels: {{{labels}}}}}}}"
        )
    }

    fn verdict_of(old: Option<&str>, new: &str, part: Part, config: &ApiConfig) -> Verdict {
        let (old, new) = (old.map(namespace), namespace(new));
        let old = old.as_deref().map(object);
        let new = object(&new);
        let change = match &old {
            None => Change::create(&new),
            Some(old) => Change::update(old, &new),
        };
        let pod = object("{metadata: {name: p}, spec: {hostPID: true}}");
        let pods = Existing::Pods { pods: [&pod].to_vec(), budget: 9 };
        let facts = Facts { existing_pods: pods, ..Facts::default() };
        let mut verdict = Verdict::default();
        judge(&change.unwrap().through(part), &facts, config, &mut verdict);
        assert!(verdict.metrics.is_empty() && verdict.audit.is_empty() && verdict.denial.is_none());
        verdict
    }

    fn warnings(old: Option<&str>, new: &str, config: &ApiConfig) -> Vec<String> {
        let verdict = verdict_of(old, new, Part::Main, config);
        assert!(verdict.admits());
        verdict.warnings.into_iter().map(|warning| warning.text).collect()
    }

    #[test]
    fn unreadable_labels_are_refused_and_may_stay() {
        let config = config(36);
        let is_refused = |old, new, part| !verdict_of(old, new, part, &config).admits();
        assert!(is_refused(None, "P/enforce: x", Part::Main));
        assert!(!is_refused(None, "P/enforce: x", Part::STATUS));
        assert!(is_refused(Some(""), "P/enforce: x", Part::Main));
        assert!(!is_refused(Some("P/enforce: x"), "P/enforce: x, a: b", Part::Main));
        assert!(is_refused(Some("P/enforce: x"), "P/enforce: z", Part::Main));
        assert!(is_refused(Some("P/enforce: x"), "P/enforce: x, P/warn: z", Part::Main));
        assert!(is_refused(Some("P/enforce: x, P/warn: z"), "P/enforce: x", Part::Main));
        assert!(!is_refused(Some("P/enforce: x"), "P/enforce: baseline", Part::Main));
        let verdict = verdict_of(None, "P/warn: z, P/enforce: x", Part::Main, &config);
        let fields: Vec<&str> = verdict.errors.iter().map(|p| p.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "metadata.labels[pod-security.kubernetes.io/enforce]",
                "metadata.labels[pod-security.kubernetes.io/warn]",
            ]
        );
    }

    #[test]
    fn existing_pods_are_looked_at_when_enforcement_is_raised_or_moved() {
        for (old, new, warns) in [
            ("", "P/enforce: baseline", true),
            ("P/enforce: baseline", "P/enforce: baseline, P/warn: restricted", false),
            ("P/enforce: baseline", "P/enforce: restricted", true),
            ("P/enforce: restricted", "P/enforce: baseline", false),
            ("P/enforce: restricted", "P/enforce: baseline, P/enforce-version: v1.20", true),
            ("P/enforce: baseline", "P/enforce: privileged, P/enforce-version: v1.20", false),
            ("P/enforce: baseline", "", false),
        ] {
            assert_eq!(!warnings(Some(old), new, &config(36)).is_empty(), warns, "{old} -> {new}");
        }
        assert_eq!(warnings(None, "P/enforce: baseline", &config(36)), [""; 0]);
    }

    #[test]
    fn who_labels_an_exempt_namespace_is_told_that_nobody_looks() {
        let exemptions = Exemptions { namespaces: texts(&["web"]), ..Exemptions::default() };
        let mut configuration = Configuration { exemptions, ..Configuration::default() };
        let config = configured(configuration.clone());
        let text = |list: &str| {
            format!(
                "namespace \"web\" is exempt from Pod Security, and the policy ({list}) will be ignored"
            )
        };
        let both = "P/enforce: restricted, P/warn: baseline";
        let listed = text("enforce=restricted:latest, warn=baseline:latest");
        assert_eq!(warnings(None, both, &config), [listed.as_str()]);
        assert_eq!(warnings(Some(""), both, &config), [listed]);
        assert_eq!(warnings(Some(both), both, &config), [""; 0]);
        assert_eq!(
            warnings(None, "P/enforce: privileged, P/enforce-version: v1.1", &config),
            [""; 0]
        );
        // The implicit warning level has no label of its own, so it is not listed.
        assert_eq!(
            warnings(None, "P/enforce: baseline", &config),
            [text("enforce=baseline:latest")]
        );
        configuration.defaults.audit.level = "baseline".parse().unwrap();
        let config = configured(configuration);
        assert_eq!(warnings(None, "a: b", &config), [""; 0]);
        assert_eq!(warnings(None, "P/warn: restricted", &config), [text("warn=restricted:latest")]);
        assert_eq!(warnings(None, "P/audit: baseline, P/audit-version: latest", &config), [""; 0]);
    }

    #[test]
    fn warnings_name_the_namespace() {
        let texts_of_warnings = warnings(Some(""), "P/enforce: baseline", &config(36));
        assert_eq!(
            texts_of_warnings,
            [
                "existing pods in namespace \"web\" violate the new PodSecurity enforce level \"baseline:latest\"".to_string(),
                "p: host namespaces".to_string(),
            ]
        );
    }
}
