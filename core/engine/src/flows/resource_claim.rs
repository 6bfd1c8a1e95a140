//! The status of a ResourceClaim: the addresses that drivers gave its devices.

use crate::Verdict;
use crate::fields;
use crate::judge::Scene;
use crate::rules::placement;
use crate::rules::value::Reading;
use crate::views::texts;

const MOST_IPS: usize = 16;
const LENGTHS: [(&str, usize); 2] = [("interfaceName", 256), ("hardwareAddress", 128)];

pub(super) fn validate(scene: &Scene<'_>, verdict: &mut Verdict) {
    let devices = scene.change.new_root().field("status").field("devices");
    for network in devices.items().map(|device| device.field("networkData")) {
        for (name, most) in LENGTHS {
            let at = network.field(name);
            if at.text_or_empty().len() > most {
                placement::too_long(&at, most, verdict);
            }
        }
        let ips = network.field("ips");
        if ips.len() > MOST_IPS {
            placement::too_many(&ips, ips.len(), MOST_IPS, verdict);
            continue;
        }
        for at in ips.items() {
            Reading::fresh(&fields::DEVICE_IPS).check(scene, &at, at.text_or_empty(), verdict);
        }
        let all = texts(&ips);
        for (index, at) in ips.items().enumerate() {
            if all.iter().take(index).any(|before| *before == at.text_or_empty()) {
                placement::duplicate(&at, at.text_or_empty(), verdict);
            }
        }
    }
}
