//! What every rule looks at: the change, and the rules in force.

use crate::{Change, Policy};

/// The change and the policy, passed together.
#[derive(Clone, Copy, Debug)]
pub struct ValidationContext<'a> {
    /// The change.
    pub change: &'a Change<'a>,
    /// The rules in force.
    pub policy: &'a Policy,
}
