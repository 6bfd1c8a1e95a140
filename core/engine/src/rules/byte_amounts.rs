//! Warnings about fractional byte values in resource quantities.

use super::ineffective_setting::warn_at;
use crate::Verdict;
use alloc::format;
use alloc::string::ToString;
use ratchet_net::Quoted;
use ratchet_object::{At, Quantity};

/// Warns about a fractional amount.
pub(crate) fn warn(amount: &At<'_>, verdict: &mut Verdict) {
    if let Some(quantity) = Quantity::at(amount).filter(|quantity| quantity.has_fraction()) {
        let formatted = quantity.to_string();
        let text =
            format!("fractional byte value {} is invalid, must be an integer", Quoted(&formatted));
        warn_at(verdict, amount, &text);
    }
}

/// Warns about memory and ephemeral storage of a container, in the API's order.
pub(crate) fn warn_container(container: &At<'_>, verdict: &mut Verdict) {
    let resources = container.field("resources");
    for resource in ["memory", "ephemeral-storage"] {
        for list in ["limits", "requests"] {
            warn(&resources.field(list).key(resource), verdict);
        }
    }
}

/// Warns about the storage of a PersistentVolumeClaim.
pub(crate) fn warn_claim(spec: &At<'_>, verdict: &mut Verdict) {
    let resources = spec.field("resources");
    for list in ["requests", "limits"] {
        warn(&resources.field(list).key("storage"), verdict);
    }
}
