//! Validation of the network data of devices in the status of a ResourceClaim.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::fields;
use crate::rules::placement;
use crate::rules::value::FieldCheck;
use crate::views::texts;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::{CidrText, Quoted};

const MOST_IPS: usize = 16;
const LENGTHS: [(&str, usize); 2] = [("interfaceName", 256), ("hardwareAddress", 128)];

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let devices = ctx.change.new_root().field("status").field("devices");
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
            FieldCheck::without_ratchet(&fields::DEVICE_IPS).check(
                ctx,
                &at,
                at.text_or_empty(),
                verdict,
            );
        }
        // 1.32 compares addresses, later releases the strings.
        let by_address = !ctx.config.release.since(33);
        let all: Vec<String> =
            texts(&ips).into_iter().map(|text| identity(text, by_address)).collect();
        for (index, at) in ips.items().enumerate() {
            if all.iter().take(index).any(|before| Some(before) == all.get(index)) {
                placement::duplicate(&at, Quoted(at.text_or_empty()).to_string(), verdict);
            }
        }
    }
}

fn identity(text: &str, by_address: bool) -> String {
    match CidrText::parse(text) {
        Ok(cidr) if by_address => cidr.interface().to_string(),
        _ => text.into(),
    }
}
