//! Validation of Endpoints: addresses and ports of every subset, unless the subsets are unchanged.

use super::pod_parts::PROTOCOLS;
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::fields::{self, Field};
use crate::name_format::NameFormat;
use crate::rules::value::FieldCheck;
use crate::rules::{placement, special_ip};
use crate::views::protocol;
use ratchet_object::At;

const LISTS: [(&str, &Field); 2] = [
    ("addresses", &fields::ENDPOINTS_ADDRESSES),
    ("notReadyAddresses", &fields::ENDPOINTS_NOT_READY),
];

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let subsets = ctx.change.new_root().field("subsets");
    // Controllers write large lists, so the whole list is the unit of the ratchet.
    let old = ctx.change.old_root().map(|root| root.field("subsets"));
    if old.is_some_and(|old| is_unchanged(&old, &subsets)) {
        return;
    }
    for subset in subsets.items() {
        if LISTS.iter().all(|(list, _)| subset.field(list).is_empty()) {
            placement::required(
                &subset,
                "must specify `addresses` or `notReadyAddresses`",
                verdict,
            );
        }
        for (at, field) in addresses(&subset) {
            let text = at.text_or_empty();
            FieldCheck::without_ratchet(field).check(ctx, &at, text, verdict);
            special_ip::check(&at, text, verdict);
        }
        check_rest(&subset, &mut FieldErrors::new(ctx, verdict));
    }
}

/// Checks host names and node names of the addresses, and the ports.
fn check_rest(subset: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for address in LISTS.iter().flat_map(|(list, _)| subset.field(list).items()) {
        errs.form_if_set(&address.field("hostname"), NameFormat::Label);
        if address.field("nodeName").is_set() {
            errs.form(&address.field("nodeName"), NameFormat::Subdomain);
        }
    }
    let ports = subset.field("ports");
    for port in ports.items() {
        let name = port.field("name");
        if name.text_or_empty().is_empty() {
            if ports.len() > 1 {
                errs.required(&name, "");
            }
        } else {
            errs.form(&name, NameFormat::Label);
        }
        errs.port_number(&port.field("port"));
        errs.one_of(&port.field("protocol"), &PROTOCOLS);
        if port.field("appProtocol").is_set() {
            errs.form(&port.field("appProtocol"), NameFormat::Qualified);
        }
    }
}

/// Whether the subsets are equal, with TCP as the default protocol of a port.
fn is_unchanged(old: &At<'_>, new: &At<'_>) -> bool {
    let same_field = |old: &At<'_>, new: &At<'_>, name| new.field(name).equals(&old.field(name));
    let same_ports = |old: &At<'_>, new: &At<'_>| {
        let (old, new) = (old.field("ports"), new.field("ports"));
        old.len() == new.len()
            && old.items().zip(new.items()).all(|(old, new)| {
                let names = ["name", "port", "appProtocol"];
                names.into_iter().all(|name| same_field(&old, &new, name))
                    && protocol(&old) == protocol(&new)
            })
    };
    old.len() == new.len()
        && old.items().zip(new.items()).all(|(old, new)| {
            LISTS.iter().all(|(list, _)| same_field(&old, &new, list)) && same_ports(&old, &new)
        })
}

pub(super) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let labels = root.field("metadata").field("labels");
    if labels.key("endpoints.kubernetes.io/managed-by").text_or_empty() == "endpoint-controller" {
        return;
    }
    for (at, field) in root.field("subsets").items().flat_map(|subset| addresses(&subset)) {
        FieldCheck::without_ratchet(field).warn(ctx, &at, at.text_or_empty(), verdict);
    }
}

fn addresses<'a>(subset: &At<'a>) -> impl Iterator<Item = (At<'a>, &'static Field)> + use<'a> {
    let subset = *subset;
    LISTS.into_iter().flat_map(move |(list, field)| {
        subset.field(list).items().map(move |address| (address.field("ip"), field))
    })
}
