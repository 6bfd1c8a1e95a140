//! What every rule looks at: the change, and the rules in force.

use crate::{Change, Policy};

/// The change and the policy, passed together.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    /// The change.
    pub(crate) change: &'a Change<'a>,
    /// The rules in force.
    pub(crate) policy: &'a Policy,
}
