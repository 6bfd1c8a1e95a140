//! `Deadline`: until when a call must be answered, by the `timeout` that the API server puts into its query.

use std::time::{Duration, Instant};

/// The time of a call that says nothing: the default of `timeoutSeconds`.
const DEFAULT: Duration = Duration::from_secs(10);
/// The longest time of a call: the most that `timeoutSeconds` may be.
const LONGEST: Duration = Duration::from_secs(30);
/// The part of the time that is left for the way back.
const WAY_BACK: u32 = 10;

/// The moment by which an answer is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// The deadline of a call that came in at `start`.
    pub(crate) fn of(query: Option<&str>, start: Instant) -> Self {
        let time = time_of(query);
        Self(start + (time - time / WAY_BACK))
    }

    /// The time that is left.
    pub(crate) fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}

fn time_of(query: Option<&str>) -> Duration {
    let pairs = query.unwrap_or_default().split('&');
    let seconds = pairs
        .filter_map(|pair| pair.strip_prefix("timeout="))
        .find_map(|text| text.strip_suffix('s')?.parse::<u64>().ok());
    seconds.map_or(DEFAULT, |seconds| Duration::from_secs(seconds.max(1)).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_that_of_the_query_within_the_limits_of_the_api() {
        for (query, seconds) in [
            (None, 10),
            (Some(""), 10),
            (Some("timeout=3s"), 3),
            (Some("a=b&timeout=1s"), 1),
            (Some("timeout=0s"), 1),
            (Some("timeout=600s"), 30),
            (Some("timeout=1m0s"), 10),
            (Some("timeout=-1s"), 10),
        ] {
            assert_eq!(time_of(query).as_secs(), seconds, "{query:?}");
        }
    }

    #[test]
    fn the_way_back_has_its_part() {
        let start = Instant::now();
        let Deadline(end) = Deadline::of(Some("timeout=10s"), start);
        assert_eq!(end - start, Duration::from_secs(9));
        let past = start.checked_sub(Duration::from_secs(60)).unwrap();
        assert_eq!(Deadline::of(None, past).left(), Duration::ZERO);
    }
}
