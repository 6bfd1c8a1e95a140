//! A round of the plugins that others configure: the object goes to policies or webhooks, and comes back.

use super::mutation::Mutation;
use super::mutator::Mutator;
use super::{mutating_policies, webhooks};
use crate::status::StatusError;
use ratchet_object::Node;

/// Lets a plugin change the object; there is none on deletion.
pub(super) async fn run(
    mutation: &mut Mutation<'_>,
    mutator: Mutator,
    object: Option<&mut Node<'static>>,
) -> Result<(), StatusError> {
    let is_there = match mutator {
        Mutator::Policies => mutation.mutators.policies.is_some(),
        Mutator::Webhooks => mutation.mutators.webhooks.is_some(),
    };
    if !is_there {
        return Ok(());
    }
    let shown = object.as_deref().map(|object| mutation.shown(object));
    let patched = match mutator {
        Mutator::Policies => match (mutation.mutators.policies.clone(), shown) {
            (Some(policies), Some(shown)) => {
                mutating_policies::mutate(mutation, &policies, shown).await?
            }
            _ => return Ok(()),
        },
        Mutator::Webhooks => match mutation.mutators.webhooks.clone() {
            Some(hooks) => webhooks::mutate(mutation, &hooks, shown).await?,
            None => return Ok(()),
        },
    };
    if let (Some(object), Some(patched)) = (object, patched) {
        mutation.take_over(object, patched);
    }
    Ok(())
}
