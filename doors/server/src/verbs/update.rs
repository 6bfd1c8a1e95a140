//! PUT of an object, or of a part of it.

use crate::call::{Answered, Call, Reply};
use crate::options::{OptionsKind, WriteOptions};
use crate::refusal::Refusal;
use crate::write::{self, Preconditions, Saved};
use ratchet_engine::Part;
use ratchet_object::{Node, defaults};

/// Replaces an object; some kinds are made where there is none.
pub(crate) async fn update(call: &Call<'_>, part: Part) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Update)?;
    let received = call.object(options.fields)?;
    let node = received.node;
    check_name(call, &node)?;
    for warning in received.warnings {
        call.told.warn(warning);
    }
    let conditions = Preconditions {
        version: Some(node.text_at(&["metadata", "resourceVersion"]).to_owned())
            .filter(|version| !version.is_empty()),
        uid: Some(node.text_at(&["metadata", "uid"]).to_owned()),
    };
    let edit = |_: &Node<'static>| Ok((node.clone(), conditions.clone()));
    match write::change(call, part, options.dry_run, edit).await {
        Ok(Saved::Kept(item) | Saved::Gone(item)) => Ok(Reply::item(item)),
        Err(refusal)
            if refusal.code == 404 && part == Part::Main && call.served.habits.put_creates =>
        {
            let row = call.served.row;
            let mut node = node.clone();
            node.below("metadata").remove("resourceVersion");
            defaults::apply(row.group, row.version, row.kind, &mut node);
            Ok(Reply::created(write::create(call, node, options.dry_run).await?))
        }
        Err(refusal) => Err(refusal),
    }
}

/// The body must speak of the object in the URL.
pub(crate) fn check_name(call: &Call<'_>, node: &Node<'_>) -> Result<(), Refusal> {
    let (name, wanted) = (node.text_at(&["metadata", "name"]), call.place.name.as_str());
    if name.is_empty() {
        return Err(Refusal::bad_request(format!(
            "the name of the object ({wanted} based on URL) was undeterminable: name must be provided"
        )));
    }
    if name != wanted {
        return Err(Refusal::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({wanted})"
        )));
    }
    let namespace = node.text_at(&["metadata", "namespace"]);
    if call.served.row.namespaced && !namespace.is_empty() && namespace != call.place.namespace {
        return Err(Refusal::bad_request(write::OTHER_NAMESPACE));
    }
    Ok(())
}
