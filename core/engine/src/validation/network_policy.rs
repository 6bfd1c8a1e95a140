//! Validation of NetworkPolicy peers: IP blocks of both directions and their exceptions.

use super::routing;
use crate::context::ValidationContext;
use crate::fields::{self, Field};
use crate::rules::value::FieldCheck;
use crate::rules::{except_subset, placement};
use crate::{StoredValues, Verdict};
use ratchet_net::CidrText;
use ratchet_object::At;

/// A direction: its list, the list of its peers, and the rows of `cidr` and `except`.
type Direction = (&'static str, &'static str, &'static Field, &'static Field);

const DIRECTIONS: [Direction; 2] = [
    ("ingress", "from", &fields::INGRESS_CIDR, &fields::INGRESS_EXCEPT),
    ("egress", "to", &fields::EGRESS_CIDR, &fields::EGRESS_EXCEPT),
];

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    routing::check_policy(ctx, verdict);
    let old = ctx.change.old_root();
    // A stored value may occur anywhere in the new policy.
    let stored: StoredValues<'_> = old
        .iter()
        .flat_map(peers)
        .map(|(peer, _)| peer.field("ipBlock"))
        .filter(At::is_set)
        .flat_map(|block| {
            core::iter::once(block.field("cidr")).chain(block.field("except").items())
        })
        .map(|at| at.text_or_empty())
        .collect();
    for (peer, direction) in peers(&ctx.change.new_root()) {
        let block = peer.field("ipBlock");
        let selects =
            ["podSelector", "namespaceSelector"].iter().any(|name| peer.field(name).is_set());
        match (block.is_set(), selects) {
            (false, false) => placement::required(&peer, "must specify a peer", verdict),
            (true, true) => {
                placement::forbidden(
                    &peer,
                    "may not specify both ipBlock and another peer",
                    verdict,
                );
            }
            _ => {}
        }
        if block.is_set() {
            check_block(ctx, &block, direction, &stored, verdict);
        }
    }
}

fn check_block(
    ctx: &ValidationContext<'_>,
    block: &At<'_>,
    direction: Direction,
    stored: &StoredValues<'_>,
    verdict: &mut Verdict,
) {
    let (_, _, cidr_field, except_field) = direction;
    let cidr = block.field("cidr");
    if cidr.text_or_empty().is_empty() {
        return placement::required(&cidr, "", verdict);
    }
    FieldCheck::with_ratchet(ctx, cidr_field, stored).check(
        ctx,
        &cidr,
        cidr.text_or_empty(),
        verdict,
    );
    let Ok(network) = CidrText::parse(cidr.text_or_empty()) else { return };
    for at in block.field("except").items() {
        let text = at.text_or_empty();
        FieldCheck::with_ratchet(ctx, except_field, stored).check(ctx, &at, text, verdict);
        except_subset::check(&network, &at, text, verdict);
    }
}

pub(super) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    for (peer, (_, _, cidr_field, except_field)) in peers(&ctx.change.new_root()) {
        let block = peer.field("ipBlock");
        if block.is_set() {
            let cidr = block.field("cidr");
            FieldCheck::without_ratchet(cidr_field).warn(ctx, &cidr, cidr.text_or_empty(), verdict);
            for at in block.field("except").items() {
                FieldCheck::without_ratchet(except_field).warn(
                    ctx,
                    &at,
                    at.text_or_empty(),
                    verdict,
                );
            }
        }
    }
}

fn peers<'a>(root: &At<'a>) -> impl Iterator<Item = (At<'a>, Direction)> + use<'a> {
    let spec = root.field("spec");
    DIRECTIONS.into_iter().flat_map(move |direction| {
        let rules = spec.field(direction.0).items();
        rules
            .flat_map(move |rule| rule.field(direction.1).items())
            .map(move |peer| (peer, direction))
    })
}
