//! Tests of the plugin on pods and controllers, from namespace labels to audit annotations and metrics.

use super::testing::{config, configured, object, texts};
use super::{
    Configuration, Decision, Exemptions, Level, Mode, PodSecurityMetrics, Request, VersionLabel,
    judge, needs,
};
use crate::change::{Change, Part};
use crate::config::ApiConfig;
use crate::facts::{Facts, Namespace, Needs};
use crate::verdict::Verdict;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::find;

const CLEAN: &str = "apiVersion: v1, kind: Pod, metadata: {name: p, namespace: web}";

fn pod(spec: &str) -> String {
    format!("{{{CLEAN}, spec: {{{spec}}}}}")
}

fn admitted(old: Option<&str>, new: &str, part: Part, labels: &str, config: &ApiConfig) -> Verdict {
    let labels = format!("{{{}}}", labels.replace("P/", "pod-security.kubernetes.io/"));
    let labels = object(&labels);
    let facts = Facts {
        namespace: Namespace::Labels(Some(labels.node())),
        requester: Some("jane"),
        ..Facts::default()
    };
    admitted_with(old, new, part, &facts, config)
}

fn admitted_with(
    old: Option<&str>,
    new: &str,
    part: Part,
    facts: &Facts<'_>,
    config: &ApiConfig,
) -> Verdict {
    let (old, new) = (old.map(object), object(new));
    let change = match &old {
        None => Change::create(&new),
        Some(old) => Change::update(old, &new),
    };
    let mut verdict = Verdict::default();
    judge(&change.unwrap().through(part), facts, config, &mut verdict);
    assert!(verdict.errors.is_empty());
    verdict
}

fn create(new: &str, labels: &str) -> Verdict {
    admitted(None, new, Part::Main, labels, &config(36))
}

fn denial(verdict: &Verdict) -> &str {
    verdict.denial.as_ref().map_or("", |denial| &denial.text)
}

fn audit(verdict: &Verdict) -> Vec<String> {
    let short = |key: &str| key.strip_prefix("pod-security.kubernetes.io/").unwrap().to_string();
    verdict.audit.iter().map(|(key, text)| format!("{}: {text}", short(key))).collect()
}

fn warnings(verdict: &Verdict) -> Vec<&str> {
    verdict.warnings.iter().map(|warning| warning.text.as_str()).collect()
}

const ON_POD: Request = Request { operation: "create", resource: "pod", subresource: "" };

fn evaluation(
    decision: Decision,
    level: Level,
    version: VersionLabel,
    mode: Mode,
) -> PodSecurityMetrics {
    PodSecurityMetrics::Evaluation { decision, level, version, mode, request: ON_POD }
}

#[test]
fn a_namespace_that_asks_for_nothing_lets_everything_in() {
    let verdict = create(&pod("hostPID: true"), "P/enforce-version: v1.1");
    assert!(verdict.admits());
    assert_eq!(audit(&verdict), ["enforce-policy: privileged:latest"]);
    let want = evaluation(Decision::Allow, Level::Privileged, VersionLabel::Latest, Mode::Enforce);
    assert_eq!(verdict.metrics, [want]);
}

#[test]
fn a_pod_that_violates_the_enforced_level_is_denied_and_not_warned() {
    let verdict = create(
        &pod("hostPID: true"),
        "P/enforce: baseline, P/enforce-version: v1.99, P/audit: restricted, P/audit-version: v1.7",
    );
    assert_eq!(
        denial(&verdict),
        "violates PodSecurity \"baseline:v1.99\": host namespaces (hostPID=true)"
    );
    let labels: Vec<&str> = verdict
        .denial
        .iter()
        .flat_map(|denial| &denial.labels)
        .map(|label| label.field.as_str())
        .collect();
    assert_eq!(labels, ["spec.hostPID"]);
    assert_eq!(verdict.denial.as_ref().map(|denial| denial.rule.id), Some("RTC-PSA-006"));
    assert_eq!(warnings(&verdict), [""; 0]);
    assert_eq!(
        audit(&verdict),
        [
            "enforce-policy: baseline:v1.99",
            "audit-violations: would violate PodSecurity \"restricted:v1.7\": host namespaces (hostPID=true)",
        ]
    );
    assert_eq!(
        verdict.metrics,
        [
            evaluation(Decision::Deny, Level::Baseline, VersionLabel::Future, Mode::Enforce),
            evaluation(Decision::Deny, Level::Restricted, VersionLabel::Minor(7), Mode::Audit),
        ]
    );
}

#[test]
fn a_pod_that_violates_only_the_warn_level_is_warned() {
    let verdict = create(
        &pod(
            "hostPID: true, hostIPC: true, containers: [{name: c, securityContext: {privileged: true}}]",
        ),
        "P/warn: baseline",
    );
    assert!(verdict.admits());
    assert_eq!(
        warnings(&verdict),
        [
            "would violate PodSecurity \"baseline:latest\": host namespaces (hostPID=true, hostIPC=true), privileged (container \"c\" must not set securityContext.privileged=true)"
        ]
    );
    let warning = verdict.warnings.first().unwrap();
    assert_eq!((warning.rule.id, warning.labels.len()), ("RTC-PSA-022", 3));
    assert_eq!(
        verdict.metrics,
        [
            evaluation(Decision::Allow, Level::Privileged, VersionLabel::Latest, Mode::Enforce),
            evaluation(Decision::Deny, Level::Baseline, VersionLabel::Latest, Mode::Warn),
        ]
    );
}

#[test]
fn a_clean_pod_is_counted_once() {
    let verdict = create(&pod("containers: []"), "P/enforce: baseline, P/audit: baseline");
    assert!(verdict.admits());
    let want = evaluation(Decision::Allow, Level::Baseline, VersionLabel::Latest, Mode::Enforce);
    assert_eq!((verdict.metrics, verdict.audit.len()), ([want].to_vec(), 1));
}

#[test]
fn only_significant_updates_are_judged() {
    let old = pod("hostPID: true, containers: [{name: c, image: a}]");
    let same = old.replace("name: p,", "name: p, labels: {a: b},");
    let image = old.replace("image: a", "image: b");
    let ephemeral = pod(
        "hostPID: true, containers: [{name: c, image: a}], ephemeralContainers: [{name: e, image: x}]",
    );
    let update =
        |new: &str, part| admitted(Some(&old), new, part, "P/enforce: baseline", &config(36));
    let labelled = update(&same, Part::Main);
    assert!(labelled.admits() && labelled.metrics.is_empty() && labelled.audit.is_empty());
    assert!(!update(&image, Part::Main).admits());
    assert!(!update(&ephemeral, Part::Sub("ephemeralcontainers")).admits());
    for part in ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"] {
        assert!(update(&image, Part::Sub(part)).admits(), "{part}");
    }
    let resized = update(&image, Part::Sub("resize"));
    assert!(matches!(
        resized.metrics.as_slice(),
        [
            PodSecurityMetrics::Evaluation {
                request: Request { operation: "update", subresource: "resize", .. },
                ..
            },
            ..
        ]
    ));
}

#[test]
fn controllers_are_warned_and_never_denied() {
    let templates = [
        ("v1", "PodTemplate", "template: {T}"),
        ("v1", "ReplicationController", "spec: {template: {T}}"),
        ("apps/v1", "Deployment", "spec: {template: {T}}"),
        ("apps/v1", "ReplicaSet", "spec: {template: {T}}"),
        ("apps/v1", "StatefulSet", "spec: {template: {T}}"),
        ("apps/v1", "DaemonSet", "spec: {template: {T}}"),
        ("batch/v1", "Job", "spec: {template: {T}}"),
        ("batch/v1", "CronJob", "spec: {jobTemplate: {spec: {template: {T}}}}"),
    ];
    for (version, kind, body) in templates {
        let body = body.replace("{T}", "{spec: {hostPID: true}}");
        let object = format!(
            "{{apiVersion: {version}, kind: {kind}, metadata: {{namespace: web}}, {body}}}"
        );
        let verdict = create(&object, "P/enforce: baseline, P/audit: baseline");
        assert!(verdict.admits(), "{kind}");
        let text = "would violate PodSecurity \"baseline:latest\": host namespaces (hostPID=true)";
        assert_eq!(warnings(&verdict), [text], "{kind}");
        assert_eq!(audit(&verdict), [format!("audit-violations: {text}")], "{kind}");
        let is_controller = |tally: &PodSecurityMetrics| {
            matches!(
                tally,
                PodSecurityMetrics::Evaluation {
                    request: Request { resource: "controller", .. },
                    ..
                }
            )
        };
        assert!(verdict.metrics.len() == 2 && verdict.metrics.iter().all(is_controller), "{kind}");
        let silent = create(&object, "P/enforce: baseline, P/warn: privileged");
        assert!(silent.warnings.is_empty() && silent.metrics.is_empty() && silent.audit.is_empty());
        let scaled =
            admitted(Some(&object), &object, Part::Sub("scale"), "P/warn: baseline", &config(36));
        assert!(scaled.warnings.is_empty(), "{kind}");
        let updated = admitted(Some(&object), &object, Part::Main, "P/warn: baseline", &config(36));
        assert_eq!(updated.warnings.len(), 1, "{kind}");
    }
    let bare =
        "{apiVersion: v1, kind: ReplicationController, metadata: {namespace: web}, spec: {}}";
    assert!(create(bare, "P/warn: restricted").warnings.is_empty());
}

#[test]
fn unreadable_labels_hold_pods_to_restricted_and_are_noted() {
    let verdict = create(&pod("containers: [{name: c}]"), "P/enforce: x, P/warn: z");
    assert!(denial(&verdict).starts_with(
        "violates PodSecurity \"restricted:latest\": allowPrivilegeEscalation != false"
    ));
    assert_eq!(
        audit(&verdict).first().unwrap(),
        "error: Failed to parse policy: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"x\": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: \"z\": must be one of privileged, baseline, restricted]"
    );
    assert_eq!(
        verdict.metrics.first(),
        Some(&PodSecurityMetrics::Error { fatal: false, request: ON_POD })
    );
    // An invalid label that falls back to privileged is still reported.
    let open = create(&pod("hostPID: true"), "P/warn: z");
    assert!(
        open.admits()
            && open.metrics.contains(&PodSecurityMetrics::Error { fatal: false, request: ON_POD })
    );
}

#[test]
fn the_exempt_are_left_alone() {
    let with = |exemptions| configured(Configuration { exemptions, ..Configuration::default() });
    let none = Exemptions::default;
    let deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: web}, spec: {template: {spec: {hostPID: true, runtimeClassName: kata}}}}";
    let pod = pod("hostPID: true, runtimeClassName: kata");
    for (exemptions, by) in [
        (
            Exemptions { namespaces: texts(&["web"]), usernames: texts(&["jane"]), ..none() },
            "namespace",
        ),
        (Exemptions { usernames: texts(&["jane"]), ..none() }, "user"),
        (Exemptions { runtime_classes: texts(&["kata"]), ..none() }, "runtimeClass"),
    ] {
        let config = with(exemptions);
        for object in [pod.as_str(), deployment] {
            let verdict = admitted(None, object, Part::Main, "P/enforce: restricted", &config);
            assert!(verdict.admits() && verdict.warnings.is_empty(), "{by}");
            assert_eq!(audit(&verdict), [format!("exempt: {by}")]);
            assert!(matches!(verdict.metrics.as_slice(), [PodSecurityMetrics::Exemption { .. }]));
        }
    }
    let config = with(Exemptions {
        namespaces: texts(&["m"]),
        usernames: texts(&["j"]),
        runtime_classes: texts(&["k"]),
    });
    assert!(!admitted(None, &pod, Part::Main, "P/enforce: restricted", &config).admits());
}

#[test]
fn a_pod_without_a_namespace_to_ask_is_denied_and_a_controller_is_not() {
    let facts =
        Facts { namespace: Namespace::Missing("namespace \"web\" not found"), ..Facts::default() };
    let annotation = "error: failed to lookup namespace \"web\": namespace \"web\" not found";
    let verdict = admitted_with(None, &pod(""), Part::Main, &facts, &config(36));
    assert_eq!(denial(&verdict), "failed to lookup namespace \"web\"");
    assert_eq!(audit(&verdict), [annotation]);
    assert_eq!(verdict.metrics, [PodSecurityMetrics::Error { fatal: true, request: ON_POD }]);
    let job = "{apiVersion: batch/v1, kind: Job, metadata: {namespace: web}}";
    let verdict = admitted_with(None, job, Part::Main, &facts, &config(36));
    assert!(verdict.admits() && verdict.metrics.len() == 1);
    assert_eq!(audit(&verdict), [annotation]);
}

#[test]
fn where_nobody_asked_the_defaults_hold() {
    let mut strict = config(36);
    strict.pod_security.defaults.enforce.level = Level::Baseline;
    let verdict =
        admitted_with(None, &pod("hostPID: true"), Part::Main, &Facts::default(), &strict);
    assert!(!verdict.admits());
    strict.plugins.pod_security = false;
    let verdict =
        admitted_with(None, &pod("hostPID: true"), Part::Main, &Facts::default(), &strict);
    assert!(verdict.admits() && verdict.audit.is_empty());
}

#[test]
fn only_what_is_looked_at_is_needed() {
    let of = |version, kind, part| needs(&find(version, kind).unwrap(), part);
    let about_pods = Needs { namespace: true, requester: true, existing_pods: false };
    let about_namespaces = Needs { existing_pods: true, ..Needs::default() };
    assert_eq!(of("v1", "Pod", Part::Main), about_pods);
    assert_eq!(of("v1", "Pod", Part::Sub("ephemeralcontainers")), about_pods);
    assert_eq!(of("v1", "Pod", Part::STATUS), Needs::default());
    assert_eq!(of("batch/v1", "CronJob", Part::Main), about_pods);
    assert_eq!(of("apps/v1", "Deployment", Part::Sub("scale")), Needs::default());
    assert_eq!(of("v1", "Namespace", Part::Main), about_namespaces);
    assert_eq!(of("v1", "Namespace", Part::STATUS), Needs::default());
    assert_eq!(of("v1", "Service", Part::Main), Needs::default());
}
