//! `approval`: the conditions of a certificate signing request, and nothing else.

use crate::body::Wanted;
use crate::call::{Answered, Call, Reply};
use crate::options::{OptionsKind, WriteOptions};
use crate::refusal::Refusal;
use crate::verbs::patch::Patch;
use crate::write::{self, Preconditions, Saved};
use ratchet_engine::Part;
use ratchet_object::Node;

/// Replaces the conditions.
pub(super) async fn update(call: &Call<'_>) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Update)?;
    let received = call.object(options.fields)?;
    for warning in received.warnings {
        call.told.warn(warning);
    }
    save(call, options.dry_run, |_| Ok(received.node.clone())).await
}

/// Changes the conditions.
pub(super) async fn patch(call: &Call<'_>) -> Answered {
    let patch = Patch::read(call)?;
    save(call, patch.dry_run, |old| patch.apply(call, old, Wanted::of(call.served))).await
}

async fn save(
    call: &Call<'_>,
    dry_run: bool,
    make: impl Fn(&Node<'static>) -> Result<Node<'static>, Refusal>,
) -> Answered {
    let edit = |old: &Node<'static>| {
        let asked = make(old)?;
        let mut new = old.clone();
        if let Some(conditions) = asked.find(&["status", "conditions"]) {
            new.below("status").set("conditions", conditions.clone());
        }
        let now = call.app.now();
        for condition in
            new.find_mut(&["status", "conditions"]).and_then(Node::items_mut).into_iter().flatten()
        {
            for time in ["lastUpdateTime", "lastTransitionTime"] {
                if condition.text_at(&[time]).is_empty() {
                    condition.set(time, Node::string(now.clone()));
                }
            }
        }
        let version = asked.text_at(&["metadata", "resourceVersion"]).to_owned();
        Ok((
            new,
            Preconditions { version: Some(version).filter(|text| !text.is_empty()), uid: None },
        ))
    };
    match write::change(call, Part::Sub("approval"), dry_run, edit).await? {
        Saved::Kept(item) | Saved::Gone(item) => Ok(Reply::item(item)),
    }
}
