//! A timeline of node identities, and the answers that each phase allows.

use super::kubectl::CommandOutput;
use std::time::Instant;

/// A phase without changes: the registered addresses of the two nodes, and the certificates of their kubelets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phase {
    pub(crate) from: Instant,
    pub(crate) until: Instant,
    /// Whether each node is registered at the other's original address.
    pub(crate) moved: bool,
    /// Whether each kubelet presents the other's original certificate.
    pub(crate) renamed: bool,
}

impl Phase {
    /// Whether the certificates are where the nodes are.
    pub(crate) fn is_honest(&self) -> bool {
        self.moved == self.renamed
    }

    /// The kubelet that presents a node's certificate, by its original name.
    fn bearer(&self, node: &'static str) -> &'static str {
        if self.renamed { other(node) } else { node }
    }
}

pub(crate) fn other(node: &str) -> &'static str {
    if node == "alpha" { "beta" } else { "alpha" }
}

/// A run of kubectl: the node, the time and the output.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) worker: usize,
    pub(crate) node: &'static str,
    pub(crate) began: Instant,
    pub(crate) ended: Instant,
    pub(crate) output: CommandOutput,
}

/// The classification of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The output of the right node, in a phase without changes.
    Served,
    /// A refused impersonation, in a phase without changes.
    Refused,
    /// One or the other, while something changed.
    Between,
}

/// The error for a refused impersonation.
const REFUSAL: &str = "x509: kubelet serving certificate common name";

/// Classifies an answer; `Err` says why it is wrong.
pub(crate) fn judge(phases: &[Phase], answer: &Answer) -> Result<Verdict, String> {
    let (text, output) = (answer.output.text(), &answer.output);
    let wrong = |why: &str| Err(format!("{why}: {answer:?}"));
    let quiet =
        phases.iter().find(|phase| phase.from <= answer.began && answer.ended <= phase.until);
    match quiet {
        Some(phase) if phase.is_honest() => {
            let is_right = output.code == 0 && text == line(phase.bearer(answer.node));
            if is_right { Ok(Verdict::Served) } else { wrong("an honest node was not served") }
        }
        Some(_) => match output.code != 0 && text.is_empty() && output.stderr.contains(REFUSAL) {
            true => Ok(Verdict::Refused),
            false => wrong("an impersonation was not refused"),
        },
        None => {
            // Connections break in many words while kubelets change; what counts is what comes out. A stream that is
            // cut before its first byte says nothing.
            let mut bearers = bearers(phases, answer).into_iter();
            let is_right = text.is_empty() || bearers.any(|bearer| text == line(bearer));
            match (is_right, output.code == 0 || !output.stderr.is_empty()) {
                (true, true) => Ok(Verdict::Between),
                (true, false) => wrong("a failure without a word"),
                (false, _) => wrong("the output of another node"),
            }
        }
    }
}

/// The kubelets that presented the node's certificate at any time during the request.
fn bearers(phases: &[Phase], answer: &Answer) -> Vec<&'static str> {
    let mut found = Vec::new();
    for (at, phase) in phases.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| phases.get(at)).map(|phase| phase.until);
        let after = phases.get(at + 1).map(|phase| phase.from);
        let begun_later = after.is_some_and(|after| after < answer.began);
        let ended_earlier = before.is_some_and(|before| answer.ended < before);
        if !begun_later && !ended_earlier {
            found.push(phase.bearer(answer.node));
        }
    }
    found
}

/// The output of a kubelet's containers.
pub(crate) fn line(kubelet: &str) -> String {
    format!("from the kubelet that began as {kubelet}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_must_never_be_is_found() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let phase = |from, until, moved, renamed| Phase {
            from: at(from),
            until: at(until),
            moved,
            renamed,
        };
        let phases =
            [phase(0, 10, false, false), phase(11, 20, true, false), phase(21, 30, true, true)];
        let judged = |began, ended, code, out: &str, err: &str| {
            let output = CommandOutput { code, stdout: out.into(), stderr: err.into() };
            let (began, ended) = (at(began), at(ended));
            let answer = Answer { worker: 0, node: "alpha", began, ended, output };
            judge(&phases, &answer).map_err(|why| why.split(':').next().unwrap().to_owned())
        };
        let (alpha, beta) = (line("alpha"), line("beta"));
        let refused = "x509: kubelet serving certificate common name \"b\"";
        let never = |why: &str| Err(why.to_owned());
        assert_eq!(judged(1, 2, 0, &alpha, ""), Ok(Verdict::Served));
        assert_eq!(judged(1, 2, 0, &beta, ""), never("an honest node was not served"));
        assert_eq!(judged(1, 2, 1, "", refused), never("an honest node was not served"));
        assert_eq!(judged(12, 13, 1, "", refused), Ok(Verdict::Refused));
        assert_eq!(judged(12, 13, 0, &beta, ""), never("an impersonation was not refused"));
        assert_eq!(judged(12, 13, 0, &alpha, ""), never("an impersonation was not refused"));
        assert_eq!(judged(22, 23, 0, &beta, ""), Ok(Verdict::Served));
        assert_eq!(judged(9, 13, 0, &alpha, ""), Ok(Verdict::Between));
        assert_eq!(judged(9, 13, 0, &beta, ""), never("the output of another node"));
        assert_eq!(judged(19, 22, 0, &beta, ""), Ok(Verdict::Between));
        assert_eq!(judged(19, 22, 1, "", refused), Ok(Verdict::Between));
        assert_eq!(judged(19, 22, 1, "", ""), never("a failure without a word"));
        assert_eq!(judged(9, 13, 1, &beta, refused), never("the output of another node"));
    }
}
