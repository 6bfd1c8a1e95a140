//! The verdict: the question that a reader brings, its answer in a few words, and a sentence with the reason.

use crate::numbers::{ByState, count, grouped, main_target, objects_by_state};
use crate::{CertificateState, Report, State, Subject};
use alloc::format;
use alloc::string::{String, ToString};

/// How bad an answer is; it chooses colour and icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tone {
    Good,
    Care,
    Risk,
    Bad,
}

impl Tone {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Care => "care",
            Self::Risk => "risk",
            Self::Bad => "bad",
        }
    }
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) tone: Tone,
    pub(crate) question: String,
    pub(crate) answer: String,
    pub(crate) reason: String,
}

impl Verdict {
    /// The verdict of a report.
    pub(crate) fn of(report: &Report) -> Self {
        let mut verdict = match report.subject {
            Subject::Cluster => Self::of_cluster(report, main_target(report)),
            Subject::Manifests => Self::of_manifests(report),
            Subject::Kubelets => Self::of_kubelets(report),
        };
        let gaps = report.notes.iter().filter(|note| note.is_gap).count();
        if gaps > 0 {
            if verdict.tone == Tone::Good {
                verdict.tone = Tone::Care;
                verdict.answer = "Not everything was seen".into();
            }
            let parts = count(gaps.try_into().unwrap_or(u64::MAX), "gap");
            let is_or_are = if gaps == 1 { "is" } else { "are" };
            verdict.reason.push_str(&format!(" There {is_or_are} {parts} in what could be read."));
        }
        verdict
    }

    /// The verdict on stored objects under one target version.
    pub(crate) fn of_cluster(report: &Report, target: Option<&str>) -> Self {
        let question = match target {
            Some(target) => format!("Can we upgrade to {target}?"),
            None => "Can we upgrade?".to_string(),
        };
        let numbers = objects_by_state(report, target);
        let frozen = numbers.of(State::Frozen) + numbers.of(State::Error);
        let refused = numbers.of(State::RefusedOnCreate);
        let warned = numbers.of(State::Warns) + numbers.of(State::Warning);
        let (tone, answer, reason) = match (frozen, refused, warned) {
            (0, 0, 0) => (
                Tone::Good,
                "Yes",
                format!(
                    "None of {} warns, is refused or freezes.",
                    count(report.objects, "object")
                ),
            ),
            (0, 0, _) => (
                Tone::Care,
                "Yes, with warnings",
                format!(
                    "Nothing is refused. The API server warns about {}.",
                    count(warned, "object")
                ),
            ),
            (0, _, _) => (
                Tone::Risk,
                "Yes, but mind restores",
                format!(
                    "{} {}, but could not be created again: not from a backup, not by a new rollout of the same \
                     manifest.",
                    count(refused, "object"),
                    if refused == 1 { "works where it is" } else { "work where they are" }
                ),
            ),
            _ => (
                Tone::Bad,
                "Not yet",
                format!(
                    "{} would freeze: every later update is refused, even of a label, until the value is \
                     repaired.{}",
                    count(frozen, "object"),
                    if refused > 0 {
                        format!(" {} more could not be created again.", grouped(refused))
                    } else {
                        String::new()
                    }
                ),
            ),
        };
        Self { tone, question, answer: answer.into(), reason }
    }

    fn of_manifests(report: &Report) -> Self {
        let question = match main_target(report) {
            Some(target) => format!("Does Kubernetes {target} accept these manifests?"),
            None => "Does the API server accept these manifests?".into(),
        };
        let numbers = objects_by_state(report, None);
        let refused = numbers.of(State::Error)
            + numbers.of(State::Frozen)
            + numbers.of(State::RefusedOnCreate);
        let warned = numbers.of(State::Warning) + numbers.of(State::Warns);
        let all = count(report.objects, "object");
        let (tone, answer, reason) = match (refused, warned) {
            (0, 0) => (Tone::Good, "Yes", format!("{all} checked, none refused, no warnings.")),
            (0, _) => (
                Tone::Care,
                "Yes, with warnings",
                format!("Nothing is refused; {warned} of {all} {}.", get_warnings(warned)),
            ),
            _ => (
                Tone::Bad,
                "No",
                format!("{refused} of {all} would be refused; {warned} {}.", get_warnings(warned)),
            ),
        };
        Self { tone, question, answer: answer.into(), reason }
    }

    fn of_kubelets(report: &Report) -> Self {
        let of = |state| {
            let with = report.certificates.iter().filter(|one| one.state == state);
            u64::try_from(with.count()).unwrap_or(u64::MAX)
        };
        let (failing, unknown, warned) = (
            of(CertificateState::WouldFail),
            of(CertificateState::Unknown),
            of(CertificateState::Warns),
        );
        let all = count(report.certificates.len().try_into().unwrap_or(u64::MAX), "kubelet");
        let (tone, answer, reason) = match (report.certificates.len(), failing, unknown, warned) {
            (0, ..) => (Tone::Risk, "Unknown", "Nothing was looked at.".to_string()),
            (_, 0, 0, 0) => {
                (Tone::Good, "Yes", format!("Every certificate of {all} bears its node's name."))
            }
            (_, 0, 0, _) => (
                Tone::Care,
                "Yes, with warnings",
                format!(
                    "Every certificate of {all} bears its node's name; {warned} {} attention.",
                    if warned == 1 { "deserves" } else { "deserve" }
                ),
            ),
            (_, 0, _, _) => (
                Tone::Risk,
                "Unknown",
                format!("{unknown} of {all} could not be judged; none of the others would fail."),
            ),
            _ => (
                Tone::Bad,
                "Not yet",
                format!(
                    "Connections to {failing} of {all} would fail: logs, exec and port-forward.{}",
                    if unknown > 0 {
                        format!(" {unknown} could not be judged.")
                    } else {
                        String::new()
                    }
                ),
            ),
        };
        let question = "Can the check of kubelets' names be turned on?".into();
        Self { tone, question, answer: answer.into(), reason }
    }
}

fn get_warnings(number: u64) -> &'static str {
    if number == 1 { "gets warnings" } else { "get warnings" }
}

/// Objects without any finding.
pub(crate) fn clean_objects(report: &Report, numbers: &ByState) -> u64 {
    report.objects.saturating_sub(numbers.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Certificate, Finding, Note};
    use alloc::vec;

    fn answer(state: Option<State>, subject: Subject) -> (String, Tone) {
        let findings = state.map(|state| Finding { state, ..Finding::default() });
        let findings = findings.into_iter().collect();
        let verdict = Verdict::of(&Report { subject, objects: 2, findings, ..Report::default() });
        (verdict.answer, verdict.tone)
    }

    #[test]
    fn the_worst_state_decides() {
        let cluster = |state| answer(state, Subject::Cluster);
        assert_eq!(cluster(None), ("Yes".into(), Tone::Good));
        assert_eq!(cluster(Some(State::Note)), ("Yes".into(), Tone::Good));
        assert_eq!(cluster(Some(State::Warns)), ("Yes, with warnings".into(), Tone::Care));
        let refused = cluster(Some(State::RefusedOnCreate));
        assert_eq!(refused, ("Yes, but mind restores".into(), Tone::Risk));
        assert_eq!(cluster(Some(State::Frozen)), ("Not yet".into(), Tone::Bad));
        let manifests = answer(Some(State::Error), Subject::Manifests);
        assert_eq!(manifests, ("No".into(), Tone::Bad));
    }

    #[test]
    fn one_object_is_spoken_of_as_one() {
        let reason = |state: State, subject: Subject| {
            let findings = vec![Finding { state, ..Finding::default() }];
            Verdict::of(&Report { subject, objects: 1, findings, ..Report::default() }).reason
        };
        let refused = reason(State::RefusedOnCreate, Subject::Cluster);
        assert!(refused.starts_with("1 object works where it is, but"), "{refused}");
        let warned = reason(State::Warning, Subject::Manifests);
        assert_eq!(warned, "Nothing is refused; 1 of 1 object gets warnings.");
    }

    #[test]
    fn what_was_not_seen_is_never_a_plain_yes() {
        let notes = vec![Note { is_gap: true, ..Note::default() }];
        let verdict = Verdict::of(&Report { notes, ..Report::default() });
        assert_eq!(verdict.answer, "Not everything was seen");
        let none = Verdict::of(&Report { subject: Subject::Kubelets, ..Report::default() });
        assert_eq!(none.answer, "Unknown");
        let one = Certificate { state: CertificateState::Passes, ..Certificate::default() };
        let certificates = vec![one];
        let report = Report { subject: Subject::Kubelets, certificates, ..Report::default() };
        assert_eq!(Verdict::of(&report).answer, "Yes");
    }
}
