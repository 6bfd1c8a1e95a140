//! The rule under which policy decisions are reported.

use ratchet_engine::{Origin, Ratchet, Rule};

/// Denials, warnings and audit annotations of admission policies.
pub(super) static POLICY: Rule = Rule {
    id: "RTC-POL-001",
    fields: &["whatever its expressions name"],
    title: "what a policy says to this object",
    origin: Origin::Api,
    demands: "Every validation of every ValidatingAdmissionPolicy that is bound to the object comes to true, and every mutation of a MutatingAdmissionPolicy can be applied.",
    why: "Policies are the rules of those who run the cluster. One that is found broken only when it is applied holds up a rollout; one that was never tried may refuse what nobody meant it to.",
    fix: "Change the object, or the policy: its expression can be tried by itself with `ratchet cel`.",
    ratchet: Ratchet::Never,
    versions: "Since 1.30; given here with `ratchet check --policies`. Which functions expressions may call is decided by the release that is emulated. What is stored already may stay only where the expression compares it with `oldObject`.",
};

/// The rules of `ratchet check` besides those of the engine.
pub static RULES: &[&Rule] = &[&POLICY];
