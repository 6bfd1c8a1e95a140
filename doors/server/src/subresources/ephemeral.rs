//! `ephemeralcontainers` and `resize`: the two parts of a running pod's spec that may change.

use crate::body::Wanted;
use crate::call::{Answered, Call, Reply};
use crate::options::{OptionsKind, WriteOptions};
use crate::refusal::Refusal;
use crate::verbs::patch::Patch;
use crate::write::{self, Preconditions, Saved};
use ratchet_engine::Part;
use ratchet_object::Node;

/// Replaces the part.
pub(super) async fn update(call: &Call<'_>, name: &'static str) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Update)?;
    let received = call.object(options.fields)?;
    for warning in received.warnings {
        call.told.warn(warning);
    }
    save(call, name, options.dry_run, |_| Ok(received.node.clone())).await
}

/// Changes the part.
pub(super) async fn patch(call: &Call<'_>, name: &'static str) -> Answered {
    let patch = Patch::read(call)?;
    save(call, name, patch.dry_run, |old| patch.apply(call, old, Wanted::of(call.served))).await
}

async fn save(
    call: &Call<'_>,
    name: &'static str,
    dry_run: bool,
    make: impl Fn(&Node<'static>) -> Result<Node<'static>, Refusal>,
) -> Answered {
    let edit = |old: &Node<'static>| {
        let asked = make(old)?;
        let mut new = old.clone();
        if name == "ephemeralcontainers" {
            // Who leaves the list out has taken all of it away, which the rules refuse.
            match asked.find(&["spec", "ephemeralContainers"]) {
                Some(list) => new.below("spec").set("ephemeralContainers", list.clone()),
                None => _ = new.below("spec").remove("ephemeralContainers"),
            }
        } else {
            resize(&mut new, &asked);
        }
        let version = asked.text_at(&["metadata", "resourceVersion"]);
        let claimed =
            !version.is_empty() && version != old.text_at(&["metadata", "resourceVersion"]);
        let uid = asked.text_at(&["metadata", "uid"]).to_owned();
        Ok((new, Preconditions { version: claimed.then(|| version.to_owned()), uid: Some(uid) }))
    };
    match write::change(call, Part::Sub(name), dry_run, edit).await? {
        Saved::Kept(item) | Saved::Gone(item) => Ok(Reply::item(item)),
    }
}

/// Only the resources of containers, and how they are resized, are taken over.
fn resize(new: &mut Node<'static>, asked: &Node<'static>) {
    for list in ["containers", "initContainers"] {
        let wanted = asked.find(&["spec", list]).map(Node::items).unwrap_or_default();
        for container in
            new.find_mut(&["spec", list]).and_then(Node::items_mut).into_iter().flatten()
        {
            let name = container.text_at(&["name"]).to_owned();
            let Some(from) = wanted.iter().find(|other| other.text_at(&["name"]) == name) else {
                continue;
            };
            for member in ["resources", "resizePolicy"] {
                match from.get(member) {
                    Some(value) => container.set(member, value.clone()),
                    None => {
                        container.remove(member);
                    }
                }
            }
        }
    }
    if let Some(resources) = asked.find(&["spec", "resources"]) {
        new.below("spec").set("resources", resources.clone());
    }
}
