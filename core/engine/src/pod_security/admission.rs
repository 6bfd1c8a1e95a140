//! The Pod Security admission plugin: enforces levels on pods, and warns about the templates of controllers.

use super::check::{Violation, summary};
use super::labels::{self, LabelError};
use super::level::{LevelVersion, Mode, Modes};
use super::metrics::{Decision, PodSecurityMetrics, Request, VersionLabel};
use super::namespaces;
use super::pod::PodView;
use super::registry::evaluate;
use super::significance::is_significant;
use crate::change::{Change, Part};
use crate::config::ApiConfig;
use crate::facts::{Facts, Namespace, Needs};
use crate::rule::{Origin, Ratchet, Rule};
use crate::verdict::{Denial, Label, Verdict, Warning};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{At, Kind, PodPlace, Span};

/// Rule of the plugin, for a pod that violates several checks at once.
pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-022",
    fields: &["Pod, and the pod template of every workload"],
    title: "The Pod Security level of a namespace",
    origin: Origin::PodSecurity,
    demands: "A pod keeps to the level of the Pod Security Standards that its namespace enforces.",
    why: "A namespace is where people share a cluster. Whoever may create pods in it must not be \
          able to take over the nodes, and with them everyone else's pods.",
    fix: "Put right each of the places that the message names, or move the pod to a namespace with \
          a looser level.",
    ratchet: Ratchet::SignificantChange,
    versions: "all releases.",
};

/// The name of the plugin.
const PLUGIN: &str = "PodSecurity";
const ENFORCE_POLICY: &str = "pod-security.kubernetes.io/enforce-policy";
const AUDIT_VIOLATIONS: &str = "pod-security.kubernetes.io/audit-violations";
const EXEMPT: &str = "pod-security.kubernetes.io/exempt";
const ERROR: &str = "pod-security.kubernetes.io/error";

/// Subresources of a pod that cannot change what runs in it.
const HARMLESS_PARTS: [&str; 8] =
    ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"];

/// The part of a kind that the plugin evaluates.
#[derive(Clone, Copy)]
enum Subject<'k> {
    Namespace,
    Pod,
    Controller(PodPlace<'k>),
}

impl<'k> Subject<'k> {
    /// `None` where the plugin ignores the kind or subresource.
    fn of(kind: &Kind<'k>, part: Part) -> Option<Self> {
        let is_main = part == Part::Main;
        match (kind.group, kind.name, kind.pod) {
            ("", "Namespace", _) => is_main.then_some(Self::Namespace),
            (_, _, Some(PodPlace([]))) => match part {
                Part::Sub(name) if HARMLESS_PARTS.contains(&name) => None,
                _ => Some(Self::Pod),
            },
            (_, _, Some(place)) => is_main.then_some(Self::Controller(place)),
            (_, _, None) => None,
        }
    }
}

/// The facts that the plugin needs for a write.
pub fn needs(kind: &Kind<'_>, part: Part) -> Needs {
    match Subject::of(kind, part) {
        None => Needs::default(),
        Some(Subject::Namespace) => Needs { existing_pods: true, ..Needs::default() },
        Some(Subject::Pod | Subject::Controller(_)) => {
            Needs { namespace: true, requester: true, ..Needs::default() }
        }
    }
}

/// Runs the plugin on a write that passed validation.
pub(crate) fn judge(
    change: &Change<'_>,
    facts: &Facts<'_>,
    config: &ApiConfig,
    verdict: &mut Verdict,
) {
    if !config.plugins.pod_security {
        return;
    }
    match Subject::of(&change.kind, change.part) {
        None => {}
        Some(Subject::Namespace) => namespaces::judge(change, facts, config, verdict),
        Some(Subject::Pod) => PodAdmission::of(change, facts, config, verdict).pod(),
        Some(Subject::Controller(place)) => {
            PodAdmission::of(change, facts, config, verdict).controller(place);
        }
    }
}

/// The admission of one write of a pod or a controller.
struct PodAdmission<'c, 'a> {
    change: &'c Change<'a>,
    facts: &'c Facts<'a>,
    config: &'c ApiConfig,
    request: Request,
    verdict: &'c mut Verdict,
}

impl<'c, 'a> PodAdmission<'c, 'a> {
    fn of(
        change: &'c Change<'a>,
        facts: &'c Facts<'a>,
        config: &'c ApiConfig,
        verdict: &'c mut Verdict,
    ) -> Self {
        Self { change, facts, config, request: Request::of(change), verdict }
    }

    fn pod(&mut self) {
        if self.is_exempt() {
            return;
        }
        let (modes, errors) = match self.modes() {
            Ok(found) => found,
            Err(text) => {
                let (plugin, labels) = (PLUGIN, Vec::new());
                self.verdict.denial =
                    Some(Denial { plugin, rule: &RULE, text, labels, is_failure: true });
                return;
            }
        };
        if errors.is_empty() && modes.are_privileged() {
            let privileged = LevelVersion::default();
            self.annotate(ENFORCE_POLICY, format!("{privileged}"));
            self.record(Decision::Allow, privileged, Mode::Enforce);
            return;
        }
        let new = self.change.new_root();
        let pod = match self.change.old_root() {
            None => PodView::created(new),
            Some(old) if is_significant(old, new) => PodView::stored(new),
            Some(_) => return,
        };
        self.evaluate(&pod, &modes, &errors, true);
    }

    fn controller(&mut self, place: PodPlace<'a>) {
        if self.is_exempt() {
            return;
        }
        // A failed namespace lookup does not refuse a controller, on which nothing is enforced.
        let Ok((modes, errors)) = self.modes() else { return };
        if errors.is_empty() && modes.warn.is_privileged() && modes.audit.is_privileged() {
            return;
        }
        let template = self.change.new_root().descend(place.0);
        if template.is_set() {
            self.evaluate(&PodView::template(template), &modes, &errors, false);
        }
    }

    fn is_exempt(&mut self) -> bool {
        let exemptions = &self.config.pod_security.exemptions;
        let namespace = self.change.new_object().namespace();
        if exemptions.holds_namespace(namespace) {
            return self.exempt("namespace");
        }
        if self.facts.requester.is_some_and(|user| exemptions.holds_user(user)) {
            return self.exempt("user");
        }
        false
    }

    fn exempt(&mut self, by: &str) -> bool {
        self.annotate(EXEMPT, by.into());
        self.verdict.metrics.push(PodSecurityMetrics::Exemption { request: self.request });
        true
    }

    /// The policy of the namespace; the error is the message of a failed lookup.
    fn modes(&mut self) -> Result<(Modes, Vec<LabelError>), String> {
        let defaults = &self.config.pod_security.defaults;
        match self.facts.namespace {
            Namespace::Labels(Some(labels)) => Ok(labels::policy_of(At::root(labels), defaults)),
            Namespace::Labels(None) | Namespace::NotNeeded => Ok((*defaults, Vec::new())),
            Namespace::Missing(reason) => {
                let name = ratchet_net::Quoted(self.change.new_object().namespace());
                let text = format!("failed to lookup namespace {name}");
                let cause =
                    if reason.is_empty() { text.clone() } else { format!("{text}: {reason}") };
                self.annotate(ERROR, cause);
                self.verdict
                    .metrics
                    .push(PodSecurityMetrics::Error { fatal: true, request: self.request });
                Err(text)
            }
        }
    }

    fn evaluate(
        &mut self,
        pod: &PodView<'a>,
        modes: &Modes,
        errors: &[LabelError],
        enforces: bool,
    ) {
        if self.config.pod_security.exemptions.holds_runtime_class(pod.runtime_class()) {
            self.exempt("runtimeClass");
            return;
        }
        if !errors.is_empty() {
            self.annotate(ERROR, format!("Failed to parse policy: {}", labels::aggregate(errors)));
            self.verdict
                .metrics
                .push(PodSecurityMetrics::Error { fatal: false, request: self.request });
        }
        // Modes mostly have the same level, which is then evaluated once.
        let mut cache: Vec<(LevelVersion, Vec<Violation>)> = Vec::new();
        let config = self.config;
        let mut violations_at = |at: LevelVersion| {
            if let Some((_, found)) = cache.iter().find(|(level, _)| *level == at) {
                return found.clone();
            }
            let found = evaluate(at, pod, config);
            cache.push((at, found.clone()));
            found
        };
        let mut is_denied = false;
        if enforces {
            let at = modes.enforce;
            self.annotate(ENFORCE_POLICY, format!("{at}"));
            let found = violations_at(at);
            is_denied = !found.is_empty();
            self.record(
                if is_denied { Decision::Deny } else { Decision::Allow },
                at,
                Mode::Enforce,
            );
            if is_denied {
                let text = format!("violates PodSecurity \"{at}\": {}", summary(&found));
                self.verdict.denial = Some(Denial {
                    plugin: PLUGIN,
                    rule: rule_of(&found),
                    text,
                    labels: labels(found),
                    is_failure: false,
                });
            }
        }
        let found = violations_at(modes.audit);
        if !found.is_empty() {
            self.annotate(AUDIT_VIOLATIONS, would_violate(modes.audit, &found));
            self.record(Decision::Deny, modes.audit, Mode::Audit);
        }
        // A refused pod gets no warnings.
        if is_denied {
            return;
        }
        let found = violations_at(modes.warn);
        if !found.is_empty() {
            self.record(Decision::Deny, modes.warn, Mode::Warn);
            let (rule, text) = (rule_of(&found), would_violate(modes.warn, &found));
            let labels = labels(found);
            let span = labels.first().map_or_else(Span::default, |label| label.span);
            let field = labels.first().map_or_else(String::new, |label| label.field.clone());
            self.verdict.warn(Warning {
                rule,
                field,
                text,
                span,
                labels,
                fix: None,
                difference: None,
            });
        }
    }

    fn annotate(&mut self, key: &'static str, text: String) {
        self.verdict.audit.push((key, text));
    }

    fn record(&mut self, decision: Decision, at: LevelVersion, mode: Mode) {
        self.verdict.metrics.push(PodSecurityMetrics::Evaluation {
            decision,
            level: at.level,
            version: VersionLabel::of(at, self.config.release),
            mode,
            request: self.request,
        });
    }
}

fn would_violate(at: LevelVersion, violations: &[Violation]) -> String {
    format!("would violate PodSecurity \"{at}\": {}", summary(violations))
}

/// The violated rule, or that of the plugin where several are violated.
fn rule_of(violations: &[Violation]) -> &'static Rule {
    match violations {
        [only] => only.rule,
        _ => &RULE,
    }
}

fn labels(violations: Vec<Violation>) -> Vec<Label> {
    violations.into_iter().flat_map(|violation| violation.labels).collect()
}
