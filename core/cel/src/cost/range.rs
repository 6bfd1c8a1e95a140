//! Ranges of sizes and costs, whose arithmetic stops at the largest number.

/// The range of the size of a string, bytes, list or map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeEstimate {
    /// The smallest size.
    pub min: u64,
    /// The largest size.
    pub max: u64,
}

/// The range of the cost of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostEstimate {
    /// The lowest cost.
    pub min: u64,
    /// The highest cost.
    pub max: u64,
}

/// 2^64, which no cost reaches.
const LIMIT: f64 = 18_446_744_073_709_551_616.0;

fn scaled(number: u64, factor: f64) -> u64 {
    let product = libm_ceil(number as f64 * factor);
    if product >= LIMIT { u64::MAX } else { product as u64 }
}

/// The smallest whole number that is not below a number which is not negative.
fn libm_ceil(number: f64) -> f64 {
    // Beyond 2^53 all numbers are whole.
    if number >= 9_007_199_254_740_992.0 {
        return number;
    }
    let whole = (number as u64) as f64;
    if whole < number { whole + 1.0 } else { whole }
}

impl SizeEstimate {
    /// Any size.
    pub const UNKNOWN: Self = Self { min: 0, max: u64::MAX };

    /// One size.
    pub const fn fixed(size: u64) -> Self {
        Self { min: size, max: size }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// The cost of so many units, rounded up.
    pub(super) fn by_factor(self, factor: f64) -> CostEstimate {
        CostEstimate { min: scaled(self.min, factor), max: scaled(self.max, factor) }
    }

    /// The cost of doing something so many times.
    pub(super) fn by_cost(self, cost: CostEstimate) -> CostEstimate {
        CostEstimate {
            min: self.min.saturating_mul(cost.min),
            max: self.max.saturating_mul(cost.max),
        }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

impl CostEstimate {
    /// One cost.
    pub const fn fixed(cost: u64) -> Self {
        Self { min: cost, max: cost }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    pub(super) fn by_factor(self, factor: f64) -> Self {
        SizeEstimate { min: self.min, max: self.max }.by_factor(factor)
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}
