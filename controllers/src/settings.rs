//! What controllers are told when they start.

use crate::Selection;

/// What flags decide.
#[derive(Default)]
pub struct Settings {
    /// Which controllers run.
    pub selection: Selection,
}
