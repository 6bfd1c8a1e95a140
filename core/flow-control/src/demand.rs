//! `Demand`: how many seats a priority level could use over time, observed once in each period.

/// A number over time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    began: u64,
    changed: u64,
    value: f64,
    sum: f64,
    squares: f64,
    max: f64,
}

/// A period of a [`Demand`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Observed {
    /// The length of the period in nanoseconds.
    pub nanoseconds: f64,
    /// The average over time.
    pub average: f64,
    /// The standard deviation over time.
    pub deviation: f64,
    /// The highest value.
    pub max: f64,
}

impl Demand {
    /// Begins at zero.
    pub(crate) fn new(now: u64) -> Self {
        Self { began: now, changed: now, ..Self::default() }
    }

    /// The value changes.
    pub(crate) fn set(&mut self, now: u64, value: f64) {
        self.advance(now);
        self.value = value;
        self.max = self.max.max(value);
    }

    /// Ends a period and begins the next one with the same value.
    pub(crate) fn take(&mut self, now: u64) -> Observed {
        self.advance(now);
        let nanoseconds = difference(now, self.began);
        let max = self.max;
        let mut observed = Observed { nanoseconds, max, ..Observed::default() };
        if nanoseconds > 0.0 {
            observed.average = self.sum / nanoseconds;
            let variance = self.squares / nanoseconds - observed.average * observed.average;
            observed.deviation = square_root(variance.max(0.0));
        }
        *self = Self {
            began: now,
            changed: now,
            value: self.value,
            max: self.value,
            ..Self::default()
        };
        observed
    }

    fn advance(&mut self, now: u64) {
        let length = difference(now, self.changed);
        self.changed = self.changed.max(now);
        self.sum += self.value * length;
        self.squares += self.value * self.value * length;
    }
}

#[allow(clippy::cast_precision_loss, reason = "periods are seconds, far below 2^52 nanoseconds")]
fn difference(later: u64, earlier: u64) -> f64 {
    later.saturating_sub(earlier) as f64
}

/// Newton's method; `core` has no square root.
fn square_root(number: f64) -> f64 {
    if number <= 0.0 {
        return 0.0;
    }
    let mut root = number.max(1.0);
    for _ in 0..64 {
        root = (root + number / root) / 2.0;
    }
    root
}

/// How much of an earlier demand is remembered after a period: half of it after five minutes.
const REMEMBERED: f64 = 0.977;

/// The demand of a priority level, smoothed over periods.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DemandStats {
    /// The average of the last period.
    pub average: f64,
    /// The standard deviation of the last period.
    pub deviation: f64,
    /// The highest demand of the last period.
    pub high_watermark: u32,
    /// What counts when seats are lent: rises at once, falls slowly.
    pub smoothed: f64,
}

impl DemandStats {
    /// Takes a period into account.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seats are few")]
    pub fn update(&mut self, observed: Observed) {
        self.high_watermark = (observed.max + 0.5) as u32;
        if observed.nanoseconds <= 0.0 {
            return;
        }
        self.average = observed.average;
        self.deviation = observed.deviation;
        let envelope = observed.average + observed.deviation;
        let remembered = REMEMBERED * self.smoothed + (1.0 - REMEMBERED) * envelope;
        self.smoothed = remembered.max(envelope);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_an_average_a_deviation_and_a_maximum() {
        let mut demand = Demand::new(100);
        demand.set(100, 2.0);
        demand.set(150, 6.0);
        let observed = demand.take(200);
        assert!((observed.average - 4.0).abs() < 1e-9);
        assert!((observed.deviation - 2.0).abs() < 1e-9);
        assert!((observed.max - 6.0).abs() < 1e-9);
        let next = demand.take(300);
        assert!((next.average - 6.0).abs() < 1e-9 && next.deviation.abs() < 1e-9);
    }

    #[test]
    fn the_smoothed_demand_rises_at_once_and_falls_slowly() {
        let mut stats = DemandStats::default();
        let observed =
            |average: f64| Observed { nanoseconds: 1e10, average, deviation: 0.0, max: average };
        stats.update(observed(10.0));
        assert!((stats.smoothed - 10.0).abs() < 1e-9);
        stats.update(observed(0.0));
        assert!((stats.smoothed - 9.77).abs() < 1e-9);
        for _ in 0..29 {
            stats.update(observed(0.0));
        }
        assert!((4.5..5.5).contains(&stats.smoothed), "{}", stats.smoothed);
        assert_eq!(stats.high_watermark, 0);
    }
}
