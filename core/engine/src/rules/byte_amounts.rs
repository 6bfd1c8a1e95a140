//! Amounts of bytes that are no whole number: nothing can be a part of a byte.

use super::pod_notes::say;
use crate::Verdict;
use crate::quantity::Quantity;
use alloc::format;
use ratchet_net::Quoted;
use ratchet_object::At;

/// Tells of an amount that is not whole.
pub(crate) fn warn(amount: &At<'_>, verdict: &mut Verdict) {
    if let Some(quantity) = Quantity::at(amount).filter(Quantity::is_fractional) {
        let shown = quantity.shown();
        let text =
            format!("fractional byte value {} is invalid, must be an integer", Quoted(&shown));
        say(verdict, amount, &text);
    }
}

/// What a container, in whichever order the API asks, has of memory and of scratch space.
pub(crate) fn warn_container(container: &At<'_>, verdict: &mut Verdict) {
    let resources = container.field("resources");
    for resource in ["memory", "ephemeral-storage"] {
        for list in ["limits", "requests"] {
            warn(&resources.field(list).key(resource), verdict);
        }
    }
}

/// What a claim asks for.
pub(crate) fn warn_claim(spec: &At<'_>, verdict: &mut Verdict) {
    let resources = spec.field("resources");
    for list in ["requests", "limits"] {
        warn(&resources.field(list).key("storage"), verdict);
    }
}
