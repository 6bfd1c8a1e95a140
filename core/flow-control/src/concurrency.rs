//! How the concurrency of a server is divided among its priority levels.

use crate::priority_level::{PriorityLevel, Queuing};
use crate::work::MAX_LIST_SEATS;
use alloc::vec::Vec;

/// The numbers of seats that a priority level may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Its share of the concurrency.
    pub nominal: u32,
    /// What it keeps when it lends as much as it may.
    pub lower: u32,
    /// What it has when it borrows as much as it may.
    pub upper: u32,
    /// The most seats that one of its requests is estimated to take.
    pub max_seats: u32,
}

impl Limits {
    /// What a level begins with: half of what it can lend is lent.
    pub fn initial(&self) -> u32 {
        self.nominal - (self.nominal - self.lower) / 2
    }
}

/// Divides `total` seats by the shares of the levels. Shares are rounded up, so that the sum may be a little higher.
pub fn divide(total: u32, levels: &[PriorityLevel]) -> Vec<Limits> {
    let sum: u64 = levels.iter().map(|level| u64::from(level.shares)).sum();
    levels.iter().map(|level| limits(total, sum.max(1), level)).collect()
}

fn limits(total: u32, sum: u64, level: &PriorityLevel) -> Limits {
    let nominal = (u64::from(total) * u64::from(level.shares)).div_ceil(sum);
    let nominal = u32::try_from(nominal).unwrap_or(u32::MAX);
    let borrowed = match level.borrowing_percent {
        Some(percent) => percent_of(nominal, percent),
        None => total,
    };
    // A request may take 15 % of the level, and every queue of a hand must be able to have one at the same time.
    let hand_size = match level.queuing {
        Queuing::Queue { hand_size, .. } => u32::try_from(hand_size).unwrap_or(u32::MAX),
        Queuing::Exempt | Queuing::Reject => 1,
    };
    let most = u64::from(nominal).saturating_mul(15).div_ceil(100);
    let most = u32::try_from(most).unwrap_or(u32::MAX).min(nominal / hand_size.max(1));
    let max_seats = match level.queuing {
        Queuing::Queue { .. } => most.clamp(1, MAX_LIST_SEATS),
        Queuing::Exempt | Queuing::Reject => MAX_LIST_SEATS,
    };
    Limits {
        nominal,
        lower: nominal - percent_of(nominal, level.lendable_percent.min(100)),
        upper: nominal.saturating_add(borrowed),
        max_seats,
    }
}

/// A percentage, rounded to the nearest number.
fn percent_of(number: u32, percent: u32) -> u32 {
    let rounded = (u64::from(number) * u64::from(percent) * 2 + 100) / 200;
    u32::try_from(rounded).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Configuration;
    use crate::bootstrap_objects;
    use proptest::prelude::*;

    #[test]
    fn the_default_levels_divide_the_default_concurrency() {
        let nodes: Vec<_> = bootstrap_objects().into_iter().map(|object| object.node).collect();
        let levels = nodes.iter().filter(|node| node.text_at(&["kind"]) != "FlowSchema");
        let configuration = Configuration::new([], levels);
        let found = divide(600, configuration.levels());
        let rows = configuration.levels().iter().zip(&found).map(|(level, limits)| {
            (level.name.as_str(), limits.nominal, limits.lower, limits.upper, limits.max_seats)
        });
        let wanted = [
            ("catch-all", 13, 13, 613, 100),
            ("exempt", 0, 0, 600, 100),
            ("global-default", 49, 24, 649, 8),
            ("leader-election", 25, 25, 625, 4),
            ("node-high", 98, 73, 698, 15),
            ("system", 74, 50, 674, 12),
            ("workload-high", 98, 49, 698, 15),
            ("workload-low", 245, 24, 845, 37),
        ];
        assert_eq!(rows.collect::<Vec<_>>(), wanted);
    }

    proptest! {
        #[test]
        fn no_seat_is_lost_and_few_are_added(
            total in 0_u32..5000,
            shares in proptest::collection::vec((0_u32..500, 0_u32..=100), 1..10),
        ) {
            let levels: Vec<_> = shares.iter().map(|(shares, lendable_percent)| PriorityLevel {
                name: "a".into(),
                uid: "".into(),
                queuing: Queuing::Reject,
                shares: *shares,
                lendable_percent: *lendable_percent,
                borrowing_percent: None,
            }).collect();
            let found = divide(total, &levels);
            let sum: u32 = found.iter().map(|limits| limits.nominal).sum();
            let has_shares = shares.iter().any(|(shares, _)| *shares > 0);
            prop_assert!(!has_shares || sum >= total);
            prop_assert!(sum <= total + u32::try_from(levels.len()).expect("few"));
            for limits in found {
                prop_assert!(limits.lower <= limits.initial() && limits.initial() <= limits.nominal);
                prop_assert!(limits.nominal <= limits.upper);
            }
        }
    }
}
