//! Options of pod validation.

use ratchet_object::At;

/// Options of pod validation that depend on the enclosing object.
#[derive(Clone, Copy)]
pub(crate) struct PodValidationOptions<'a> {
    /// Whether it is a Pod, not a template.
    pub(crate) is_pod: bool,
    /// Volumes from outside the spec: the claim templates of a StatefulSet.
    pub(crate) claims: &'a [&'a str],
    /// The stored spec, where it is an update: some of its values may stay.
    pub(crate) stored: Option<At<'a>>,
}
