//! Preparation of the taints of devices: when each was added.

use super::strategy::CreateContext;
use ratchet_object::Node;

const TIME: &str = "timeAdded";

/// Says when the taint of a new DeviceTaintRule was added, if it does not say so itself.
pub(super) fn create_rule(node: &mut Node<'static>, context: &CreateContext<'_>) {
    date(node.find_mut(&["spec", "taint"]), context.now);
}

/// Says the same of a changed one. Another effect counts as another taint, unless the client sets another time.
pub(super) fn update_rule(new: &mut Node<'static>, old: &Node<'_>, now: &str) {
    let path = ["spec", "taint", "effect"];
    let is_other = new.text_at(&path) != old.text_at(&path);
    let time = ["spec", "taint", TIME];
    let is_kept = new.text_at(&time) == old.text_at(&time);
    let taint = new.find_mut(&["spec", "taint"]);
    match taint {
        Some(taint) if is_other && is_kept => taint.set(TIME, Node::string(now.to_owned())),
        taint => date(taint, now),
    }
}

/// Says when the taints of the devices of a new ResourceSlice were added.
pub(super) fn create_slice(node: &mut Node<'static>, context: &CreateContext<'_>) {
    date_devices(node, context.now);
}

/// The same of a changed one.
pub(super) fn update_slice(new: &mut Node<'static>, _: &Node<'_>, now: &str) {
    date_devices(new, now);
}

fn date_devices(node: &mut Node<'static>, now: &str) {
    let devices = node.find_mut(&["spec", "devices"]).and_then(Node::items_mut);
    for device in devices.into_iter().flatten() {
        // The first beta has them one level deeper.
        for path in [&["taints"][..], &["basic", "taints"]] {
            let taints = device.find_mut(path).and_then(Node::items_mut);
            taints.into_iter().flatten().for_each(|taint| date(Some(taint), now));
        }
    }
}

fn date(taint: Option<&mut Node<'static>>, now: &str) {
    if let Some(taint) = taint
        && taint.text_at(&[TIME]).is_empty()
    {
        taint.set(TIME, Node::string(now.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    const THEN: &str = "2026-01-01T00:00:00Z";
    const NOW: &str = "2026-02-01T00:00:00Z";

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn another_effect_is_another_taint() {
        let rule = |effect: &str, time: &str| {
            node(&format!("{{spec: {{taint: {{effect: {effect}, timeAdded: '{time}'}}}}}}"))
        };
        let old = rule("NoExecute", THEN);
        let later = "2026-03-01T00:00:00Z";
        for (effect, time, wanted) in [
            ("NoExecute", THEN, THEN),
            ("NoSchedule", THEN, NOW),
            ("NoSchedule", later, later),
            ("NoSchedule", "", NOW),
        ] {
            let mut new = rule(effect, time);
            update_rule(&mut new, &old, NOW);
            assert_eq!(new.text_at(&["spec", "taint", TIME]), wanted, "{effect} {time}");
        }
    }

    #[test]
    fn taints_of_devices_are_dated() {
        for path in [&["taints"][..], &["basic", "taints"]] {
            let taints = "taints: [{key: a}, {key: b, timeAdded: '2026-01-01T00:00:00Z'}]";
            let device = match path {
                ["taints"] => taints.to_owned(),
                _ => format!("basic: {{{taints}}}"),
            };
            let mut slice = node(&format!("{{spec: {{devices: [{{{device}}}]}}}}"));
            update_slice(&mut slice, &node("{}"), NOW);
            let devices = slice.find(&["spec", "devices"]).unwrap().items();
            let taints = devices[0].find(path).unwrap().items();
            let times: Vec<&str> = taints.iter().map(|taint| taint.text_at(&[TIME])).collect();
            assert_eq!(times, [NOW, THEN]);
        }
    }
}
