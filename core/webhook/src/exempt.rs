//! The kinds that are exempt from webhooks.

use ratchet_policy::GroupVersionKind;

/// The kinds that are never sent to webhooks: those that could otherwise lock themselves out.
const EXEMPT: [&str; 6] = [
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
];

/// Whether requests for a kind are never sent to webhooks.
pub fn is_exempt(kind: &GroupVersionKind<'_>) -> bool {
    kind.group == "admissionregistration.k8s.io" && EXEMPT.contains(&kind.kind)
}
