//! Costs of all rules of a schema, and the text about a cost that is too high.

use alloc::string::String;
use alloc::vec::Vec;

/// The costs of all rules.
#[derive(Debug, Default)]
pub(super) struct TotalCost {
    pub(super) total: u64,
    /// The most expensive rules, by path.
    pub(super) most_expensive: Vec<(String, u64)>,
}

/// Cheaper rules are not listed.
const LISTED: u64 = 1_000_000;
const MOST_LISTED: usize = 4;

impl TotalCost {
    pub(super) fn observe(&mut self, path: String, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost < LISTED {
            return;
        }
        self.most_expensive.push((path, cost));
        self.most_expensive.sort_by_key(|rule| core::cmp::Reverse(rule.1));
        self.most_expensive.truncate(MOST_LISTED);
    }
}

/// What a cost above its limit is answered with.
pub(super) fn exceeds(name: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        String::from("more than 100x")
    } else if factor < 1.5 {
        alloc::format!("{factor:.6}x")
    } else {
        alloc::format!("{factor:.1}x")
    };
    alloc::format!(
        "{name} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors() {
        let factor = |cost: u64| {
            let text = exceeds("cost", cost, 10_000_000);
            String::from(text.split("factor of ").nth(1).unwrap().split(' ').next().unwrap())
        };
        assert_eq!(factor(10_000_001), "1.000000x");
        assert_eq!(factor(14_999_999), "1.500000x");
        assert_eq!(factor(44_100_000), "4.4x");
        assert!(exceeds("cost", 1_000_000_001, 10_000_000).contains("of more than 100x ("));
    }

    #[test]
    fn the_most_expensive_rules_are_kept() {
        let mut total = TotalCost::default();
        for cost in [1, 2_000_000, 5_000_000, 1_000_000, 3_000_000, 4_000_000, u64::MAX] {
            total.observe(alloc::format!("{cost}"), cost);
        }
        assert_eq!(total.total, u64::MAX);
        let costs: Vec<u64> = total.most_expensive.iter().map(|row| row.1).collect();
        assert_eq!(costs, [u64::MAX, 5_000_000, 4_000_000, 3_000_000]);
    }
}
