//! Preparation of a ResourceClaim's status: what drivers reported about a device goes when the device is given back.

use ratchet_object::Node;

/// What tells devices apart.
type DeviceId = [String; 4];

fn device_id(device: &Node<'_>) -> DeviceId {
    ["driver", "pool", "device", "shareID"].map(|name| device.text_at(&[name]).to_owned())
}

fn allocated(claim: &Node<'_>) -> Vec<DeviceId> {
    let results = claim.find(&["status", "allocation", "devices", "results"]);
    results.map(Node::items).unwrap_or_default().iter().map(device_id).collect()
}

/// Drops reports about devices that were allocated and no longer are.
pub(super) fn prepare(new: &mut Node<'static>, old: &Node<'_>, _: &str) {
    let current = allocated(new);
    let given_back: Vec<DeviceId> =
        allocated(old).into_iter().filter(|id| !current.contains(id)).collect();
    let Some(devices) = new.find_mut(&["status", "devices"]).and_then(Node::items_mut) else {
        return;
    };
    devices.retain(|device| !given_back.contains(&device_id(device)));
    if devices.is_empty() {
        new.map_mut("status").remove("devices");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn claim(status: &str) -> Node<'static> {
        let text = format!("{{status: {status}}}");
        decode(&text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn reports_go_with_their_devices() {
        let result = |device: &str| format!("{{driver: d, pool: p, device: {device}}}");
        let status = |allocated: &[&str]| {
            let results: Vec<_> = allocated.iter().map(|device| result(device)).collect();
            let reports = [result("a"), result("b"), result("c")].join(",");
            let results = results.join(",");
            claim(&format!(
                "{{allocation: {{devices: {{results: [{results}]}}}}, devices: [{reports}]}}"
            ))
        };
        let reported = |new: &Node<'_>| {
            let devices = new.find(&["status", "devices"]).map(Node::items).unwrap_or_default();
            devices.iter().map(|at| at.text_at(&["device"]).to_owned()).collect::<Vec<_>>()
        };
        let old = status(&["a", "b"]);
        let mut new = status(&["b"]);
        prepare(&mut new, &old, "");
        // A device that was never allocated is left to validation.
        assert_eq!(reported(&new), ["b", "c"]);
        let mut none = claim("{devices: [{driver: d, pool: p, device: a}]}");
        prepare(&mut none, &old, "");
        assert!(none.find(&["status", "devices"]).is_none());
    }
}
