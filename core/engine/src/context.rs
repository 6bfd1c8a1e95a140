//! `ValidationContext`, the change and the configuration that every rule gets.

use crate::{ApiConfig, Change};

/// Inputs of a rule, passed together.
#[derive(Clone, Copy, Debug)]
pub struct ValidationContext<'a> {
    /// The change to validate.
    pub change: &'a Change<'a>,
    /// Release, gates and behavior in force.
    pub config: &'a ApiConfig,
}
