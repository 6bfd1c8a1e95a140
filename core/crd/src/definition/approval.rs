//! Approval of definitions in the groups of Kubernetes.

use crate::errors::quoted;
use alloc::string::String;
use ratchet_cel::library::{check_url, parse_url};

/// The annotation with the URL of the approval, or the reason why there is none.
pub const APPROVED_ANNOTATION: &str = "api-approved.kubernetes.io";

/// What the annotation says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApprovalState {
    Invalid,
    Approved,
    Bypassed,
    Missing,
}

/// Whether a group belongs to Kubernetes.
pub(crate) fn is_protected_group(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"].iter().any(|protected| {
        group.strip_suffix(protected).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// The state of the annotation, and its explanation.
pub(crate) fn approval(annotation: &str) -> (ApprovalState, String) {
    const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";
    let is_url = || {
        check_url(annotation).is_ok()
            && parse_url(annotation)
                .is_ok_and(|url| !url.host().is_empty() && !url.scheme().is_empty())
    };
    let name = quoted(APPROVED_ANNOTATION);
    if annotation.is_empty() {
        let text = alloc::format!("protected groups must have approval annotation {name}, {SEE}");
        (ApprovalState::Missing, text)
    } else if annotation.starts_with("unapproved") {
        (ApprovalState::Bypassed, alloc::format!("not approved: {}", quoted(annotation)))
    } else if is_url() {
        (ApprovalState::Approved, alloc::format!("approved in {annotation}"))
    } else {
        let text = alloc::format!(
            "protected groups must have approval annotation {name} with either a URL or a reason starting with \"unapproved\", {SEE}"
        );
        (ApprovalState::Invalid, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_kubernetes_are_protected() {
        for group in ["k8s.io", "a.k8s.io", "kubernetes.io", "b.kubernetes.io"] {
            assert!(is_protected_group(group), "{group}");
        }
        for group in ["xk8s.io", "k8s.io.example.com", "example.com", ""] {
            assert!(!is_protected_group(group), "{group}");
        }
    }

    #[test]
    fn annotations_approve_or_say_why_not() {
        let cases = [
            ("", ApprovalState::Missing),
            ("unapproved, testing", ApprovalState::Bypassed),
            ("https://github.com/kubernetes/enhancements/pull/1", ApprovalState::Approved),
            ("/path", ApprovalState::Invalid),
            ("yes", ApprovalState::Invalid),
        ];
        for (annotation, state) in cases {
            assert_eq!(approval(annotation).0, state, "{annotation}");
        }
    }
}
