//! Usage of ResourceClaims: the devices that they may be given, by device class.

use crate::amounts::{self, Amounts};
use crate::pods;
use alloc::format;
use ratchet_object::{Node, Quantity};

/// What follows the name of a class in the name of its quota.
const BY_CLASS: &str = ".deviceclass.resource.k8s.io/devices";

/// The most devices that a claim is given; a request for all counts as so many.
const MOST_DEVICES: i64 = 32;

/// Whether a quota name counts devices of a class.
pub(super) fn names(name: &str) -> bool {
    name.ends_with(BY_CLASS)
}

/// Adds the devices of each request; of alternatives, the most that one of them takes of a class.
pub(super) fn usage(claim: &Node<'_>, _: i64, usage: &mut Amounts) {
    for request in pods::items(claim, &["spec", "devices", "requests"]) {
        let alternatives = pods::items(request, &["firstAvailable"]);
        if alternatives.is_empty() {
            // The first beta version has these fields in the request itself.
            add(request.get("exactly").unwrap_or(request), usage);
            continue;
        }
        let mut most = Amounts::new();
        for alternative in alternatives {
            let mut one = Amounts::new();
            add(alternative, &mut one);
            for (name, amount) in one {
                let is_more = most.get(&name).is_none_or(|other| amount.exceeds(*other));
                if is_more {
                    most.insert(name, amount);
                }
            }
        }
        amounts::add(usage, &most);
    }
}

fn add(request: &Node<'_>, usage: &mut Amounts) {
    let class = request.text_at(&["deviceClassName"]);
    if class.is_empty() {
        return;
    }
    let devices = match request.text_at(&["allocationMode"]) {
        "ExactCount" => request.get("count").and_then(Node::as_int).unwrap_or_default(),
        "All" => MOST_DEVICES,
        _ => 0,
    };
    let one = Amounts::from([(format!("{class}{BY_CLASS}"), Quantity::whole(devices))]);
    amounts::add(usage, &one);
}
