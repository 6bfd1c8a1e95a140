//! `finalize`: the list that holds a namespace has its own endpoint.

use crate::call::{Answered, Call, Reply};
use crate::options::{OptionsKind, WriteOptions};
use crate::write::{self, Preconditions, Saved};
use ratchet_engine::Part;
use ratchet_object::Node;

/// Replaces the finalizers in the spec of a namespace.
pub(super) async fn finalize(call: &Call<'_>) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Update)?;
    let received = call.object(options.fields)?;
    for warning in received.warnings {
        call.told.warn(warning);
    }
    let asked = received.node;
    let edit = |old: &Node<'static>| {
        let mut new = old.clone();
        match asked.find(&["spec", "finalizers"]) {
            Some(list) if !list.items().is_empty() => {
                new.below("spec").set("finalizers", list.clone());
            }
            _ => {
                new.below("spec").remove("finalizers");
            }
        }
        let version = asked.text_at(&["metadata", "resourceVersion"]).to_owned();
        let uid = asked.text_at(&["metadata", "uid"]).to_owned();
        Ok((
            new,
            Preconditions {
                version: Some(version).filter(|text| !text.is_empty()),
                uid: Some(uid),
            },
        ))
    };
    match write::change(call, Part::Sub("finalize"), options.dry_run, edit).await? {
        Saved::Kept(item) | Saved::Gone(item) => Ok(Reply::item(item)),
    }
}
