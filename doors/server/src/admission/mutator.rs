//! `Mutator`: the two plugins that others configure to change objects.

/// The plugins that others configure to change objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mutator {
    /// `MutatingAdmissionPolicy`.
    Policies,
    /// `MutatingAdmissionWebhook`.
    Webhooks,
}
