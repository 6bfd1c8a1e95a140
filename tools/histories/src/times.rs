//! Which revisions a moment allows: after all writes that had ended, before all that had not begun.

use crate::writes::Effective;

/// The writes by the times at which they ended and began.
pub(crate) struct Times {
    /// The end of a write, and the highest revision of those that ended until then.
    ended: Vec<(u64, u64)>,
    /// The beginning of a write, and the lowest revision of those that began from then on.
    begun: Vec<(u64, u64)>,
}

impl Times {
    pub(crate) fn of(effective: &[Effective]) -> Self {
        let mut ended: Vec<_> = effective.iter().map(|write| (write.end, write.revision)).collect();
        ended.sort_unstable();
        let mut highest = 0;
        for (_, revision) in &mut ended {
            highest = highest.max(*revision);
            *revision = highest;
        }
        let mut begun: Vec<_> =
            effective.iter().map(|write| (write.begin, write.revision)).collect();
        begun.sort_unstable();
        let mut lowest = u64::MAX;
        for (_, revision) in begun.iter_mut().rev() {
            lowest = lowest.min(*revision);
            *revision = lowest;
        }
        Self { ended, begun }
    }

    /// The highest revision that was certain before a moment.
    pub(crate) fn certain(&self, moment: u64) -> u64 {
        let count = self.ended.partition_point(|(end, _)| *end < moment);
        count.checked_sub(1).and_then(|last| self.ended.get(last)).map_or(0, |(_, at)| *at)
    }

    /// The lowest revision that was not possible yet at a moment.
    pub(crate) fn impossible(&self, moment: u64) -> u64 {
        let count = self.begun.partition_point(|(begin, _)| *begin <= moment);
        self.begun.get(count).map_or(u64::MAX, |(_, at)| *at)
    }
}
