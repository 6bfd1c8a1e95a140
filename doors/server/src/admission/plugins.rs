//! The plugins that change objects before they are judged.

use crate::call::Call;
use crate::refusal::Refusal;
use ratchet_engine::Part;
use ratchet_object::Node;

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
