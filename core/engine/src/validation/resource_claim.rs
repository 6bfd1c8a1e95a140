//! Validation of the network data of a device in the status of a ResourceClaim.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::fields;
use crate::rules::placement;
use crate::rules::value::FieldCheck;
use crate::views::texts;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::{CidrText, Quoted};
use ratchet_object::At;

const MOST_IPS: usize = 16;
const LENGTHS: [(&str, usize); 2] = [("interfaceName", 256), ("hardwareAddress", 128)];

/// Checks the network data of a device.
pub(super) fn check_network(ctx: &ValidationContext<'_>, network: &At<'_>, verdict: &mut Verdict) {
    for (name, most) in LENGTHS {
        let at = network.field(name);
        if at.text_or_empty().len() > most {
            placement::too_long(&at, most, verdict);
        }
    }
    let ips = network.field("ips");
    if ips.len() > MOST_IPS {
        return placement::too_many(&ips, ips.len(), MOST_IPS, verdict);
    }
    for at in ips.items() {
        let check = FieldCheck::without_ratchet(&fields::DEVICE_IPS);
        check.check(ctx, &at, at.text_or_empty(), verdict);
    }
    // 1.32 compares addresses, later releases the strings.
    let by_address = !ctx.config.release.since(33);
    let all: Vec<String> = texts(&ips).into_iter().map(|text| identity(text, by_address)).collect();
    for (index, at) in ips.items().enumerate() {
        if all.iter().take(index).any(|before| Some(before) == all.get(index)) {
            placement::duplicate(&at, Quoted(at.text_or_empty()).to_string(), verdict);
        }
    }
}

fn identity(text: &str, by_address: bool) -> String {
    match CidrText::parse(text) {
        Ok(cidr) if by_address => cidr.interface().to_string(),
        _ => text.into(),
    }
}
