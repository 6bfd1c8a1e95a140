//! `approval`: the conditions of a certificate signing request, and nothing else.

use ratchet_object::Node;

/// Takes over the conditions; those without times get the time of the server.
pub(super) fn take(new: &mut Node<'static>, sent: &Node<'static>, now: &str) {
    if let Some(conditions) = sent.find(&["status", "conditions"]) {
        new.below("status").set("conditions", conditions.clone());
    }
    let conditions = new.find_mut(&["status", "conditions"]).and_then(Node::items_mut);
    for condition in conditions.into_iter().flatten() {
        for time in ["lastUpdateTime", "lastTransitionTime"] {
            if condition.text_at(&[time]).is_empty() {
                condition.set(time, Node::string(now.to_owned()));
            }
        }
    }
}
