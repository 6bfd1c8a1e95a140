//! Fuzz target `judge`: any object of any kind is judged, without a panic, alike each time, and never against a
//! ratchet.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a helper of a test may fail like a test"
)]

use ratchet_engine::pod_security::{self, Level, LevelVersion, PodView, Version};
use ratchet_engine::{
    ApiConfig, Behavior, Change, Existing, FIELDS, Facts, Gates, Namespace, Part, Plugins, Ratchet,
    Release, Rule, Status, Step, Verdict, judge, needs, warning_headers,
};
use ratchet_fuzz::{Choices, tree};
use ratchet_net::{CidrText, IpText};
use ratchet_object::{Limits, Object, Span, decode, split_documents};

const WORDS: &[&str] = &[
    "1.2.3.4",
    "1.2.3.04",
    "::ffff:1.2.3.4",
    "::1",
    "2001:DB8::1",
    "2001:db8::1",
    "127.0.0.1",
    "169.254.1.1",
    "224.0.0.1",
    "0.0.0.0",
    "10.0.0.0/8",
    "10.0.0.5/8",
    "010.0.0.0/08",
    "fd00::/64",
    "::ffff:1.2.3.4/96",
    "::ffff:1.2.3.4/64",
    "None",
    "ClusterIP",
    "NodePort",
    "LoadBalancer",
    "ExternalName",
    "IPv4",
    "IPv6",
    "FQDN",
    "SingleStack",
    "PreferDualStack",
    "RequireDualStack",
    ".",
    "_tcp",
    "a_b.example.com",
    "example.com",
    "A",
    "windows",
    "linux",
    "ALL",
    "SYS_ADMIN",
    "CHOWN",
    "RuntimeDefault",
    "Unconfined",
    "Localhost",
    "Unmasked",
    "privileged",
    "baseline",
    "restricted",
    "latest",
    "v1.0",
    "v1.34",
    "v1.99",
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "-1",
    "99999999999",
    "''",
    "Pod",
    "Service",
    "Node",
    "v1",
    "apps/v1",
    "hostPID",
    "hostPath",
    "securityContext",
    "spec",
    "status",
];

#[test]
fn judge_anything() {
    ratchet_fuzz::fuzz!("judge", WORDS, check);
}

/// An object and the text that its spans point into.
struct Written<'t> {
    object: Object<'t>,
    text: &'t str,
}

fn check(text: &str) {
    let limits = Limits { nodes: 5_000, ..Limits::DEFAULT };
    let mut choices = Choices::hashed(text.as_bytes());
    let mut all: Vec<Written<'_>> = Vec::new();
    for piece in split_documents(text).take(4) {
        let Ok(decoded) = decode(piece.text, limits) else { continue };
        for node in decoded.documents.into_iter().take(2) {
            let mut other = node.clone();
            tree::graft(&mut other, &mut choices);
            let written =
                [node, other].map(|node| Written { object: Object::new(node), text: piece.text });
            all.extend(written);
        }
    }
    let policy = policy(&mut choices);
    for new in &all {
        let facts = facts(&all, &mut choices);
        check_standards(new, &policy, &mut choices);
        for old in [None, Some(new), choices.pick(&all)] {
            check_change(old, new, &facts, &policy, &mut choices);
        }
    }
}

fn policy(choices: &mut Choices<'_>) -> ApiConfig {
    let releases: Vec<Release> = Release::all().collect();
    let (one, other) = (choices.below(releases.len()), choices.below(releases.len()));
    let release = releases[one.max(other)];
    let emulated = if choices.one_in(4) { releases[one.min(other)] } else { release };
    let behavior = if choices.one_in(3) { Behavior::Released } else { Behavior::Proposal };
    let mut policy = ApiConfig::of(release, behavior);
    policy.emulated = emulated;
    policy.gates = Gates::of(release).emulating(emulated);
    let flags = ["", "AllAlpha=true", "AllBeta=false", "StrictIPCIDRValidation=true"];
    // A gate that the release does not have stays as it is.
    let _ = policy.gates.apply(&[flags[choices.below(flags.len())]]);
    policy.plugins = Plugins {
        deny_external_ips: choices.one_in(2),
        pod_security: !choices.one_in(4),
        service_account: !choices.one_in(4),
    };
    policy.pod_security.defaults.enforce = level(choices);
    policy.pod_security.defaults.warn = level(choices);
    policy
}

fn level(choices: &mut Choices<'_>) -> LevelVersion {
    let minor = u64::try_from(choices.below(40)).unwrap();
    let version = if choices.one_in(2) { Version::Latest } else { Version::Minor(minor) };
    LevelVersion { level: Level::ALL[choices.below(3)], version }
}

fn facts<'a>(all: &'a [Written<'a>], choices: &mut Choices<'_>) -> Facts<'a> {
    let labels = |object: &'a Object<'a>| object.root().descend(&["metadata", "labels"]).node();
    let namespace = match choices.below(4) {
        0 => Namespace::Missing("it is gone"),
        1 => Namespace::NotNeeded,
        2 => Namespace::Labels(None),
        _ => Namespace::Labels(choices.pick(all).and_then(|one| labels(&one.object))),
    };
    let existing_pods = if choices.one_in(8) {
        Existing::Unlisted
    } else {
        let pods = all.iter().map(|one| &one.object).collect();
        Existing::Pods { pods, budget: choices.below(4) }
    };
    Facts { namespace, requester: choices.one_in(2).then_some("admin"), existing_pods }
}

/// Asserts that a stricter level refuses what a looser one does, however the pod is read.
fn check_standards(new: &Written<'_>, policy: &ApiConfig, choices: &mut Choices<'_>) {
    let at = level(choices);
    let root = new.object.root();
    for pod in [
        PodView::verbatim(root),
        PodView::template(root),
        PodView::stored(root),
        PodView::created(root),
    ] {
        let found = Level::ALL
            .map(|level| pod_security::evaluate(LevelVersion { level, ..at }, &pod, policy));
        assert!(found[0].is_empty(), "everything is allowed at privileged");
        // In Kubernetes too, restricted does not look at the capabilities of Windows pods.
        let is_looser = !found[1].is_empty() && found[2].is_empty() && !pod.is_windows();
        assert!(!is_looser, "baseline alone: {:?}", found[1]);
        for violation in found.iter().flatten() {
            violation.labels.iter().for_each(|label| tree::assert_span(new.text, label.span));
        }
    }
}

fn check_change(
    old: Option<&Written<'_>>,
    new: &Written<'_>,
    facts: &Facts<'_>,
    policy: &ApiConfig,
    choices: &mut Choices<'_>,
) {
    let step = match old {
        None => Step::Create { new: &new.object },
        Some(old) => Step::Update { old: &old.object, new: &new.object },
    };
    let Some(kind) = new.object.kind() else { return };
    let subs = kind.subresources;
    let part = if choices.one_in(2) { None } else { choices.pick(subs).copied() };
    for part in [Part::Main].into_iter().chain(part.map(Part::Sub)) {
        let change = Change { kind, part, step };
        let _ = needs(&change, policy);
        let verdict = judge(&change, facts, policy);
        let again = judge(&change, facts, policy);
        assert_eq!(format!("{verdict:?}"), format!("{again:?}"), "judged twice");
        assert_eq!(Status::of(&verdict, &change).is_none(), verdict.admits());
        let letters: usize =
            warning_headers(&verdict).iter().map(|header| header.chars().count()).sum();
        assert!(letters <= 4096 + 256, "{letters} letters of warnings");
        check_spans(new, &verdict);
        check_fixes(&verdict);

        let unchanged = old.is_some_and(|old| std::ptr::eq(old, new));
        // Where a field's own row says that it never loosens, the rule's does not count.
        let loosens =
            FIELDS.iter().all(|row| row.kind != kind.name || row.ratchet != Ratchet::Never);
        if unchanged && loosens && policy.behavior == Behavior::Proposal {
            let rules = verdict.errors.iter().map(|error| error.rule);
            let refused: Vec<&Rule> = rules
                .chain(verdict.denial.iter().map(|denial| denial.rule))
                .filter(|rule| matches!(rule.ratchet, Ratchet::ByValue | Ratchet::WholeField))
                .collect();
            assert!(refused.is_empty(), "nothing changed, yet: {:?}", verdict.errors);
        }
        if unchanged {
            let created = Change { step: Step::Create { new: &new.object }, ..change };
            let may_be = judge(&created, facts, policy).admits();
            assert!(!may_be || verdict.admits(), "may be created, not kept: {verdict:?}");
        }
    }
}

fn check_spans(new: &Written<'_>, verdict: &Verdict) {
    let labels = verdict.denial.iter().flat_map(|denial| &denial.labels);
    let more = verdict.warnings.iter().flat_map(|warning| &warning.labels);
    let spans = verdict.errors.iter().map(|error| error.span);
    let spans = spans.chain(verdict.warnings.iter().map(|warning| warning.span));
    let is_part =
        |text: &str, span: Span| text.get(span.start as usize..span.end as usize).is_some();
    for span in spans.chain(labels.chain(more).map(|label| label.span)) {
        assert!(is_part(new.text, span), "{span:?} points nowhere: {verdict:?}");
    }
}

/// Asserts that what is offered instead is better.
fn check_fixes(verdict: &Verdict) {
    let errors = verdict.errors.iter().map(|error| (error.rule, &error.fix));
    let warnings = verdict.warnings.iter().map(|warning| (warning.rule, &warning.fix));
    for (rule, fix) in errors.chain(warnings) {
        let Some(fix) = fix else { continue };
        let is_good = match rule.id {
            "RTC-IP-001" => IpText::parse(fix).is_ok_and(|ip| ip.fault().is_none()),
            "RTC-IP-002" => CidrText::parse(fix).is_ok_and(|cidr| cidr.fault().is_none()),
            _ => true,
        };
        assert!(is_good, "{} offers {fix}", rule.id);
    }
}
