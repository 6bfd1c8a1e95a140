//! The plugins that change objects before they are judged.

use crate::call::Call;
use crate::refusal::Refusal;
use ratchet_engine::Part;
use ratchet_object::Node;

/// The admission plugins that are on.
pub struct Plugins(Vec<&'static str>);

impl Plugins {
    /// Only these are on.
    pub fn new(names: Vec<&'static str>) -> Self {
        Self(names)
    }

    /// Whether a plugin is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

/// Runs the plugins that change a new object.
pub async fn mutate_create(_call: &Call<'_>, _node: &mut Node<'static>) -> Result<(), Refusal> {
    Ok(())
}

/// Runs the plugins that change an update.
pub async fn mutate_update(
    _call: &Call<'_>,
    _new: &mut Node<'static>,
    _old: &Node<'static>,
    _part: Part,
) -> Result<(), Refusal> {
    Ok(())
}
