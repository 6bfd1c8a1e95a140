//! Owner references that are there twice: one goes, with a warning.

use crate::app::resource_request::ResourceRequest;
use ratchet_object::{Node, Value};
use std::collections::HashSet;

/// When the references are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DedupStage {
    /// As the client sent them.
    Request,
    /// After mutating admission; a patch is only looked at then.
    Admitted,
}

/// Removes references that equal one before them, and warns.
pub(crate) fn deduplicate(
    request: &ResourceRequest<'_>,
    node: &mut Node<'static>,
    stage: DedupStage,
) {
    let repeated = remove_repeated(node);
    if repeated.is_empty() {
        return;
    }
    let when = match stage {
        DedupStage::Request => "",
        DedupStage::Admitted => " after mutating admission happens",
    };
    request.warnings.add(format!(
        ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
        repeated.join(", ")
    ));
}

/// Removes references that equal one before them; returns their `uid`s.
fn remove_repeated(node: &mut Node<'static>) -> Vec<String> {
    let mut repeated = Vec::new();
    let owners = node.get_mut("metadata").and_then(|metadata| metadata.get_mut("ownerReferences"));
    let Some(Value::List(owners)) = owners.map(|owners| &mut owners.value) else { return repeated };
    let mut seen = HashSet::new();
    owners.retain(|owner| {
        let is_new = seen.insert(identity(owner));
        if !is_new {
            repeated.push(owner.text_at(&["uid"]).to_owned());
        }
        is_new
    });
    repeated
}

/// Every field of a reference.
fn identity(owner: &Node<'_>) -> ([String; 4], [Option<bool>; 2]) {
    let texts = ["uid", "name", "kind", "apiVersion"].map(|name| owner.text_at(&[name]).to_owned());
    let flags = ["controller", "blockOwnerDeletion"];
    (texts, flags.map(|name| owner.get(name).and_then(Node::as_bool)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    #[test]
    fn the_first_of_equal_references_stays() {
        let text = "metadata: {ownerReferences: [{uid: u, name: a}, {uid: v, name: a}, {uid: u, name: b}, \
                    {uid: u, name: a}, {uid: u, name: a, controller: true}, {uid: v, name: a}]}";
        let mut node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
        assert_eq!(remove_repeated(&mut node), ["u", "v"]);
        assert_eq!(
            node.to_json(),
            r#"{"metadata":{"ownerReferences":[{"uid":"u","name":"a"},{"uid":"v","name":"a"},{"uid":"u","name":"b"},{"uid":"u","name":"a","controller":true}]}}"#
        );
        assert!(remove_repeated(&mut Node::empty_map()).is_empty());
    }
}
