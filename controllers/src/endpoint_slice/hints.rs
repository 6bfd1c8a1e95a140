//! Topology-aware hints that distribute endpoints over zones in proportion to their CPU.

use super::pack::Draft;
use super::topology::Ratios;
use crate::slices::{Endpoint, Hints, Slice};
use std::collections::BTreeMap;

/// The overload that an endpoint may have to bear beyond its share.
const OVERLOAD: f64 = 0.2;

/// The number of rounds after which a distribution that is still changing is given up.
const ROUNDS: usize = 8;

/// The number of endpoints for each zone.
type ByZone = BTreeMap<String, usize>;

/// The number of endpoints that a zone should get.
struct Share {
    minimum: usize,
    maximum: usize,
    desired: f64,
}

/// Sets hints on all ready endpoints, or on none where the distribution cannot be fair. Slices
/// whose hints are good enough stay as they are.
pub(super) fn spread(drafts: &mut [Draft], ratios: Option<&Ratios>) {
    // The order must not depend on names, which new slices do not have yet.
    drafts.sort_by_key(|draft| draft.slice.endpoints.first().map(Endpoint::key));
    for _ in 0..ROUNDS {
        let before: Vec<_> = drafts.iter().map(|draft| hints_of(&draft.slice)).collect();
        if round(drafts, ratios).is_none() {
            drafts.iter_mut().flat_map(endpoints).for_each(|endpoint| endpoint.hints = None);
        }
        if drafts.iter().map(|draft| hints_of(&draft.slice)).eq(before) {
            return;
        }
        // The next round is what a later reconciliation would do: it must find nothing more to
        // change.
        drafts.iter_mut().for_each(|draft| draft.is_changed = false);
    }
}

fn hints_of(slice: &Slice) -> Vec<Option<Hints>> {
    slice.endpoints.iter().map(|endpoint| endpoint.hints.clone()).collect()
}

fn endpoints(draft: &mut Draft) -> impl Iterator<Item = &mut Endpoint> {
    draft.slice.endpoints.iter_mut()
}

fn ready(drafts: &[Draft]) -> impl Iterator<Item = &Endpoint> {
    drafts.iter().flat_map(|draft| &draft.slice.endpoints).filter(|endpoint| endpoint.is_ready())
}

/// One round; `None` if no fair distribution is possible.
fn round(drafts: &mut [Draft], ratios: Option<&Ratios>) -> Option<()> {
    let shares = shares(ratios?, ready(drafts).count())?;
    let mut served = ByZone::new();
    for draft in drafts.iter_mut() {
        let reusable =
            (!draft.is_changed).then(|| reusable_hints(&draft.slice, &served, &shares)).flatten();
        match reusable {
            Some(counts) => {
                for (zone, n) in counts {
                    *served.entry(zone).or_default() += n;
                }
            }
            None => draft.is_changed = true,
        }
    }
    let mut changed: Vec<_> =
        drafts.iter_mut().filter(|draft| draft.is_changed).flat_map(endpoints).collect();
    for endpoint in &mut changed {
        endpoint.hints = None;
        if endpoint.is_ready() {
            let zone = endpoint.zone.clone()?;
            *served.entry(zone.clone()).or_default() += 1;
            endpoint.hints = hint(zone);
        }
    }
    let (mut givers, mut takers) = exchange(&shares, &served);
    for endpoint in changed.into_iter().filter(|endpoint| endpoint.is_ready()) {
        let Some(giver) = endpoint.zone.as_ref().and_then(|zone| givers.get_mut(zone)) else {
            continue;
        };
        let taker = takers.iter_mut().find(|(_, remaining)| **remaining > 0);
        if let Some((zone, remaining)) = taker.filter(|_| *giver > 0) {
            *giver -= 1;
            *remaining -= 1;
            endpoint.hints = hint(zone.clone());
        }
    }
    (!served.is_empty()).then_some(())
}

fn hint(zone: String) -> Option<Hints> {
    Some(Hints { zones: vec![zone], nodes: Vec::new() })
}

/// The share of each zone; `None` if some endpoint would be overloaded.
fn shares(ratios: &Ratios, endpoints: usize) -> Option<BTreeMap<String, Share>> {
    if ratios.len() > endpoints {
        return None;
    }
    let mut shares = BTreeMap::new();
    let mut remaining = endpoints;
    for (zone, ratio) in ratios {
        let desired = ratio * endpoints as f64;
        let minimum = (desired / (1.0 + OVERLOAD)).ceil();
        remaining = remaining.checked_sub(minimum as usize)?;
        let share = Share { minimum: minimum as usize, maximum: 0, desired: desired.max(minimum) };
        shares.insert(zone.clone(), share);
    }
    shares.values_mut().for_each(|share| share.maximum = share.minimum + remaining);
    Some(shares)
}

/// How many endpoints of a slice serve each zone, if its hints can stay.
fn reusable_hints(
    slice: &Slice,
    served: &ByZone,
    shares: &BTreeMap<String, Share>,
) -> Option<ByZone> {
    let mut added = ByZone::new();
    for endpoint in slice.endpoints.iter().filter(|endpoint| endpoint.is_ready()) {
        let hints = endpoint.hints.as_ref().filter(|hints| !hints.zones.is_empty())?;
        for zone in &hints.zones {
            *added.entry(zone.clone()).or_default() += 1;
        }
    }
    let fits = |(zone, n): (&String, &usize)| {
        let current = served.get(zone).copied().unwrap_or_default();
        shares.get(zone).is_some_and(|share| n + current <= share.maximum)
    };
    added.iter().all(fits).then_some(added)
}

/// How many endpoints the zones above their share give, and which zones take them.
fn exchange(shares: &BTreeMap<String, Share>, served: &ByZone) -> (ByZone, ByZone) {
    let surplus = |(zone, share): (&String, &Share)| {
        let current = served.get(zone).copied().unwrap_or_default();
        (zone.clone(), current as f64 - share.desired)
    };
    let mut surplus: BTreeMap<_, _> = shares.iter().map(surplus).collect();
    let (mut givers, mut takers) = (ByZone::new(), ByZone::new());
    loop {
        let most = |sign: f64| {
            let zones = surplus.iter().map(|(zone, n)| (zone, n * sign));
            let best =
                zones.filter(|(_, n)| *n >= 0.5).reduce(|a, b| if b.1 > a.1 { b } else { a });
            best.map(|(zone, n)| (zone.clone(), n))
        };
        let (Some((giver, gives)), Some((taker, takes))) = (most(1.0), most(-1.0)) else {
            return (givers, takers);
        };
        if gives < 1.0 && takes < 1.0 {
            return (givers, takers);
        }
        for (zone, step, counts) in [(&giver, -1.0, &mut givers), (&taker, 1.0, &mut takers)] {
            *counts.entry(zone.clone()).or_default() += 1;
            *surplus.entry(zone.clone()).or_default() += step;
        }
    }
}
