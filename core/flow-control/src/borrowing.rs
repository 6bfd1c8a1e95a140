//! Borrowing: the seats that priority levels do not need go to those that do, within the limits of each.

use crate::concurrency::Limits;
use alloc::vec::Vec;

/// What a priority level may have, and what it could use.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Its limits.
    pub limits: Limits,
    /// Whether it takes seats without a limit.
    pub is_exempt: bool,
    /// The highest demand of the last period.
    pub high_watermark: u32,
    /// The smoothed demand.
    pub smoothed: f64,
}

/// What a priority level gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adjusted {
    /// Its number of seats for now.
    pub limit: u32,
    /// What was aimed at.
    pub target: f64,
}

impl Load {
    /// What the level gets in any case: what it used at most, as far as that is its own.
    fn least(&self) -> u32 {
        match self.is_exempt {
            true => self.limits.lower.max(self.high_watermark),
            false => self.limits.lower.max(self.limits.nominal.min(self.high_watermark)),
        }
    }

    fn target(&self) -> f64 {
        f64::from(self.least()).max(self.smoothed)
    }
}

/// Divides the seats of all levels anew; also returns the fraction of its target that a level gets if no bound matters.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seats are few")]
pub fn adjust(loads: &[Load]) -> (Vec<Adjusted>, f64) {
    let sum = |of: fn(&Load) -> u32, is_exempt: bool| -> u64 {
        loads
            .iter()
            .filter(|load| load.is_exempt == is_exempt)
            .map(|load| u64::from(of(load)))
            .sum()
    };
    let nominal = sum(|load| load.limits.nominal, true) + sum(|load| load.limits.nominal, false);
    let remaining = nominal.saturating_sub(sum(Load::least, true));
    let (lower, least) = (sum(|load| load.limits.lower, false), sum(Load::least, false));
    // Exempt requests may have taken so much that not even the least is left.
    let own_part = match () {
        () if remaining <= lower => Some(0.0),
        () if remaining <= least => Some((remaining - lower) as f64 / (least - lower) as f64),
        () => None,
    };
    let fraction = if own_part.is_some() { 0.0 } else { fair_fraction(nominal as f64, loads) };
    let limit = |load: &Load| -> f64 {
        let (lower, least) = (f64::from(load.limits.lower), f64::from(load.least()));
        match own_part {
            _ if load.is_exempt => least,
            Some(part) => lower + (least - lower) * part,
            None => allotted(load, fraction),
        }
    };
    let adjusted = loads
        .iter()
        .map(|load| Adjusted { limit: (limit(load) + 0.5) as u32, target: load.target() });
    (adjusted.collect(), fraction)
}

/// A level without any demand takes part with this.
const LEAST_TARGET: f64 = 0.001;

/// What a level gets of its target, within its bounds.
fn allotted(load: &Load, fraction: f64) -> f64 {
    let (least, most) = (f64::from(load.least()), f64::from(load.limits.upper));
    (load.target().max(LEAST_TARGET) * fraction).min(most).max(least)
}

/// The fraction of their targets with which the levels get `wanted` seats together. What they get grows with it, in
/// straight lines between the fractions at which a level reaches one of its bounds.
fn fair_fraction(wanted: f64, loads: &[Load]) -> f64 {
    let limited = || loads.iter().filter(|load| !load.is_exempt);
    let total = |fraction: f64| limited().map(|load| allotted(load, fraction)).sum::<f64>();
    let mut bounds: Vec<f64> = limited()
        .flat_map(|load| {
            let target = load.target().max(LEAST_TARGET);
            [f64::from(load.least()) / target, f64::from(load.limits.upper) / target]
        })
        .collect();
    bounds.sort_by(f64::total_cmp);
    let mut before = 0.0;
    for bound in bounds {
        let (low, high) = (total(before), total(bound));
        if high >= wanted {
            let step = if high > low { (wanted - low) / (high - low) } else { 1.0 };
            return before + (bound - before) * step.clamp(0.0, 1.0);
        }
        before = bound;
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn load(nominal: u32, lower: u32, upper: u32, high_watermark: u32, smoothed: f64) -> Load {
        let limits = Limits { nominal, lower, upper, max_seats: 1 };
        Load { limits, is_exempt: false, high_watermark, smoothed }
    }

    fn limits(loads: &[Load]) -> Vec<u32> {
        adjust(loads).0.iter().map(|adjusted| adjusted.limit).collect()
    }

    #[test]
    fn a_busy_level_borrows_what_others_lend() {
        let busy = load(20, 10, 120, 100, 100.0);
        let idle = load(80, 20, 180, 0, 0.0);
        assert_eq!(limits(&[busy, idle]), [80, 20]);
        let fixed = load(80, 80, 180, 0, 0.0);
        assert_eq!(limits(&[busy, fixed]), [20, 80], "it lends nothing");
        let modest = Load { limits: Limits { upper: 30, ..busy.limits }, ..busy };
        assert_eq!(limits(&[modest, idle]), [30, 70], "it may borrow no more");
    }

    #[test]
    fn what_is_needed_comes_back() {
        let one = load(50, 10, 100, 50, 50.0);
        let other = load(50, 10, 100, 90, 90.0);
        assert_eq!(limits(&[one, other]), [50, 50], "both need their own");
    }

    #[test]
    fn exempt_requests_leave_the_rest_to_others() {
        let exempt = Load { is_exempt: true, ..load(0, 0, 100, 95, 95.0) };
        let limited = load(100, 20, 200, 80, 80.0);
        assert_eq!(limits(&[exempt, limited]), [95, 20]);
        let fewer = Load { high_watermark: 50, ..exempt };
        assert_eq!(limits(&[fewer, limited]), [50, 50]);
    }

    proptest! {
        #[test]
        fn bounds_hold_and_the_sum_stays(
            rows in proptest::collection::vec((1_u32..200, 0_u32..=100, 0_u32..300, 0.0_f64..400.0), 1..9),
        ) {
            let sum: u32 = rows.iter().map(|row| row.0).sum();
            let loads: Vec<_> = rows.iter().map(|(nominal, lendable, high, smoothed)| {
                load(*nominal, nominal - nominal * lendable / 100, nominal + sum, *high, *smoothed)
            }).collect();
            let found = limits(&loads);
            for (load, limit) in loads.iter().zip(&found) {
                prop_assert!((load.limits.lower..=load.limits.upper).contains(limit));
            }
            let rounding = u32::try_from(rows.len()).expect("few");
            prop_assert!(found.iter().sum::<u32>().abs_diff(sum) <= rounding, "{found:?} {sum}");
        }
    }
}
