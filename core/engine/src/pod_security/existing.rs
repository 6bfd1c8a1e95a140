//! Warnings about existing pods that violate a new enforce level of their namespace.

use super::check::reasons;
use super::labels::ENFORCE;
use super::level::LevelVersion;
use super::pod::PodView;
use super::registry::Checklist;
use crate::config::ApiConfig;
use crate::facts::Existing;
use crate::rule::{Origin, Ratchet, Rule};
use crate::verdict::{Verdict, Warning};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::Object;

/// Rule for existing pods that violate a raised level.
pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-020",
    fields: &["Namespace metadata.labels[pod-security.kubernetes.io/enforce], enforce-version"],
    title: "Pods that violate a raised level",
    origin: Origin::PodSecurity,
    demands: "Before a namespace enforces a stricter level, the pods in it keep to that level.",
    why: "The pods go on running, but as soon as they are replaced, their successors are refused.",
    fix: "Change the pods or their controllers before you raise the level, or raise `warn` and \
          `audit` first.",
    ratchet: Ratchet::ByValue,
    versions: "all releases.",
};

/// Warns about existing pods that violate `enforce`; it never refuses the change.
pub(super) fn warn(
    namespace: &Object<'_>,
    enforce: LevelVersion,
    existing: &Existing<'_>,
    config: &ApiConfig,
    verdict: &mut Verdict,
) {
    let label = namespace.root().field("metadata").field("labels").key(ENFORCE);
    let mut warn_text = |text: String| verdict.warn(Warning::new(&RULE, &label, text));
    let (pods, budget) = match existing {
        Existing::Pods { pods, budget } => (pods, *budget),
        Existing::Unlisted => {
            warn_text("failed to list pods while checking new PodSecurity enforce level".into());
            return;
        }
    };
    let pods = by_importance(pods, config);
    // At least one pod is evaluated, whatever the budget.
    let (total, checked) = (pods.len(), pods.len().min(budget.max(1)));
    let checklist = Checklist::of(enforce, config);
    let mut groups: BTreeMap<String, Group<'_>> = BTreeMap::new();
    for pod in pods.into_iter().take(checked) {
        let violations = checklist.evaluate(&PodView::stored(pod.root()));
        if !violations.is_empty() {
            groups.entry(reasons(&violations)).or_default().add(pod.name());
        }
    }
    if checked < total {
        warn_text(format!(
            "new PodSecurity enforce level only checked against the first {checked} of {total} \
             existing pods"
        ));
    }
    if groups.is_empty() {
        return;
    }
    let name = ratchet_net::Quoted(namespace.name());
    warn_text(format!(
        "existing pods in namespace {name} violate the new PodSecurity enforce level \"{enforce}\""
    ));
    let lines: BTreeSet<String> =
        groups.iter().map(|(reasons, group)| group.line(reasons)).collect();
    lines.into_iter().for_each(warn_text);
}

/// Pods that violate the same checks.
#[derive(Default)]
struct Group<'a> {
    first: Option<&'a str>,
    others: usize,
}

impl<'a> Group<'a> {
    fn add(&mut self, name: &'a str) {
        match self.first {
            None => self.first = Some(name),
            Some(first) => {
                self.first = Some(first.min(name));
                self.others += 1;
            }
        }
    }

    fn line(&self, reasons: &str) -> String {
        let name = self.first.unwrap_or_default();
        match self.others {
            0 => format!("{name}: {reasons}"),
            1 => format!("{name} (and 1 other pod): {reasons}"),
            others => format!("{name} (and {others} other pods): {reasons}"),
        }
    }
}

/// The pods to evaluate: first one of each controller, because its others are likely equal.
fn by_importance<'a>(pods: &[&'a Object<'a>], config: &ApiConfig) -> Vec<&'a Object<'a>> {
    let mut seen = BTreeSet::new();
    let exemptions = &config.pod_security.exemptions;
    let (mut first, rest): (Vec<_>, Vec<_>) = pods
        .iter()
        .copied()
        .filter(|pod| !exemptions.holds_runtime_class(PodView::stored(pod.root()).runtime_class()))
        .partition(|pod| controller(pod).is_none_or(|uid| seen.insert(uid)));
    first.extend(rest);
    first
}

/// The uid of the controller that owns a pod.
fn controller<'a>(pod: &'a Object<'a>) -> Option<&'a str> {
    let owners = pod.root().field("metadata").field("ownerReferences");
    let owner = owners.items().find(|owner| owner.field("controller").is_true())?;
    Some(owner.field("uid").text_or_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pod_security::testing::{config, configured, object, texts};
    use crate::pod_security::{Configuration, Exemptions};

    const RESTRICTED: &str =
        "{metadata: {name: upd, labels: {pod-security.kubernetes.io/enforce: restricted}}}";

    fn warnings(pods: &[&str], budget: usize, config: &ApiConfig) -> Vec<String> {
        let pods: Vec<Object<'_>> = pods.iter().map(|pod| object(pod)).collect();
        let existing = Existing::Pods { pods: pods.iter().collect(), budget };
        warnings_for(&existing, config)
    }

    fn warnings_for(existing: &Existing<'_>, config: &ApiConfig) -> Vec<String> {
        let mut verdict = Verdict::default();
        let enforce =
            LevelVersion { level: "baseline".parse().unwrap(), ..LevelVersion::default() };
        warn(&object(RESTRICTED), enforce, existing, config, &mut verdict);
        assert!(verdict.admits() && verdict.metrics.is_empty());
        verdict.warnings.into_iter().map(|warning| warning.text).collect()
    }

    fn host_pod(name: &str, owner: &str) -> String {
        format!(
            "{{metadata: {{name: {name}, ownerReferences: [{{uid: {owner}, controller: true}}]}}, spec: {{hostPID: true}}}}"
        )
    }

    const HEAD: &str = "existing pods in namespace \"upd\" violate the new PodSecurity enforce level \"baseline:latest\"";

    #[test]
    fn pods_with_the_same_faults_are_grouped_under_the_first_name() {
        let pods = [
            "{metadata: {name: ok}, spec: {}}",
            "{metadata: {name: z}, spec: {hostPID: true}}",
            "{metadata: {name: p1}, spec: {hostIPC: true}}",
            "{metadata: {name: p0}, spec: {hostNetwork: true}}",
            "{metadata: {name: a}, spec: {hostPID: true, containers: [{name: c, securityContext: {privileged: true}}]}}",
            "{metadata: {name: v2}, spec: {volumes: [{name: v, hostPath: {}}]}}",
            "{metadata: {name: v1}, spec: {volumes: [{name: w, hostPath: {}}]}}",
        ];
        assert_eq!(
            warnings(&pods, 3000, &config(36)),
            [
                HEAD,
                "a: host namespaces, privileged",
                "p0 (and 2 other pods): host namespaces",
                "v1 (and 1 other pod): hostPath volumes",
            ]
        );
        assert_eq!(warnings(&["{metadata: {name: ok}}"], 3000, &config(36)), [""; 0]);
    }

    #[test]
    fn one_pod_of_each_controller_comes_first_and_one_pod_always() {
        let pods = [host_pod("a1", "a"), host_pod("a0", "a"), host_pod("b1", "b")];
        let pods: Vec<&str> = pods.iter().map(String::as_str).collect();
        assert_eq!(
            warnings(&pods, 2, &config(36)),
            [
                "new PodSecurity enforce level only checked against the first 2 of 3 existing pods",
                HEAD,
                "a1 (and 1 other pod): host namespaces",
            ]
        );
        assert_eq!(warnings(&pods, 0, &config(36)).last().unwrap(), "a1: host namespaces");
        assert_eq!(
            warnings(&pods, 3, &config(36)).last().unwrap(),
            "a0 (and 2 other pods): host namespaces"
        );
    }

    #[test]
    fn exempt_runtime_classes_are_not_counted() {
        let exemptions = Exemptions { runtime_classes: texts(&["kata"]), ..Exemptions::default() };
        let config = configured(Configuration { exemptions, ..Configuration::default() });
        let pods = [
            "{metadata: {name: k}, spec: {hostPID: true, runtimeClassName: kata}}",
            "{metadata: {name: ok}}",
        ];
        assert_eq!(warnings(&pods, 1, &config), [""; 0]);
    }

    #[test]
    fn pods_that_cannot_be_listed_are_told() {
        assert_eq!(
            warnings_for(&Existing::Unlisted, &config(36)),
            ["failed to list pods while checking new PodSecurity enforce level"]
        );
    }
}
