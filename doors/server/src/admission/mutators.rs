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
    let presented = object.as_deref().map(|object| mutation.presented(object));
    let patched = match mutator {
        Mutator::Policies => match (mutation.mutators.policies.clone(), presented) {
            (Some(policies), Some(presented)) => {
                mutating_policies::mutate(mutation, &policies, presented).await?
            }
            _ => return Ok(()),
        },
        Mutator::Webhooks => match mutation.mutators.webhooks.clone() {
            Some(hooks) => webhooks::mutate(mutation, &hooks, presented).await?,
            None => return Ok(()),
        },
    };
    if let (Some(object), Some(patched)) = (object, patched) {
        mutation.take_over(object, patched);
    }
    Ok(())
}
