//! Hints that spread the load over zones, each as much as it has of the cluster.

use super::pack::Draft;
use super::topology::Ratios;
use crate::slices::{Endpoint, Hints, Slice};
use std::collections::BTreeMap;

/// So much more than its share an endpoint may have to bear.
const OVERLOAD: f64 = 0.2;

/// A spread that is not settled after so many rounds will not be.
const ROUNDS: usize = 8;

/// How many endpoints serve each zone.
type ByZone = BTreeMap<String, usize>;

/// How many endpoints should serve a zone.
struct Share {
    least: usize,
    most: usize,
    wanted: f64,
}

/// Gives hints to all endpoints that are ready, or to none where that cannot be fair. Slices whose
/// hints are good enough stay as they are.
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
        // The next round is what a later look would do: it must find nothing more to change.
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

/// One look; nothing if no fair spread is possible.
fn round(drafts: &mut [Draft], ratios: Option<&Ratios>) -> Option<()> {
    let shares = shares(ratios?, ready(drafts).count())?;
    let mut served = ByZone::new();
    for draft in drafts.iter_mut() {
        let good = (!draft.is_changed).then(|| good(&draft.slice, &served, &shares)).flatten();
        match good {
            Some(more) => {
                for (zone, n) in more {
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
        let taker = takers.iter_mut().find(|(_, left)| **left > 0);
        if let Some((zone, left)) = taker.filter(|_| *giver > 0) {
            *giver -= 1;
            *left -= 1;
            endpoint.hints = hint(zone.clone());
        }
    }
    (!served.is_empty()).then_some(())
}

fn hint(zone: String) -> Option<Hints> {
    Some(Hints { zones: vec![zone], nodes: Vec::new() })
}

/// The share of each zone; nothing if some endpoint would have to bear too much.
fn shares(ratios: &Ratios, endpoints: usize) -> Option<BTreeMap<String, Share>> {
    if ratios.len() > endpoints {
        return None;
    }
    let mut shares = BTreeMap::new();
    let mut spare = endpoints;
    for (zone, ratio) in ratios {
        let wanted = ratio * endpoints as f64;
        let least = (wanted / (1.0 + OVERLOAD)).ceil();
        spare = spare.checked_sub(least as usize)?;
        let share = Share { least: least as usize, most: 0, wanted: wanted.max(least) };
        shares.insert(zone.clone(), share);
    }
    shares.values_mut().for_each(|share| share.most = share.least + spare);
    Some(shares)
}

/// Whom the endpoints of a slice serve, if they may go on so.
fn good(slice: &Slice, served: &ByZone, shares: &BTreeMap<String, Share>) -> Option<ByZone> {
    let mut more = ByZone::new();
    for endpoint in slice.endpoints.iter().filter(|endpoint| endpoint.is_ready()) {
        let hints = endpoint.hints.as_ref().filter(|hints| !hints.zones.is_empty())?;
        for zone in &hints.zones {
            *more.entry(zone.clone()).or_default() += 1;
        }
    }
    let fits = |(zone, n): (&String, &usize)| {
        let there = served.get(zone).copied().unwrap_or_default();
        shares.get(zone).is_some_and(|share| n + there <= share.most)
    };
    more.iter().all(fits).then_some(more)
}

/// How many endpoints zones that have more than their share give, and to whom.
fn exchange(shares: &BTreeMap<String, Share>, served: &ByZone) -> (ByZone, ByZone) {
    let surplus = |(zone, share): (&String, &Share)| {
        let there = served.get(zone).copied().unwrap_or_default();
        (zone.clone(), there as f64 - share.wanted)
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
