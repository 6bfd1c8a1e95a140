//! Delivery of changes to watches: how many go out together, and what an event costs then.

use super::measured::ServerFigures;

/// Watches of the same objects pause after changes for so many seconds each, and send what came meanwhile as one piece; a
/// short pause is none, and a long one has an end (`pause` in doors/server/src/verbs/watch/stream.rs).
const PAUSE_EACH: f64 = 50e-6;
const MIN_PAUSE: f64 = 1e-3;
const MAX_PAUSE: f64 = 0.1;

/// The changes in one piece, where so many watches are told of so many changes a second.
pub(super) fn changes_per_piece(rate: f64, watchers: f64) -> f64 {
    let pause = PAUSE_EACH * watchers;
    if pause < MIN_PAUSE { 1.0 } else { (rate * pause.min(MAX_PAUSE)).max(1.0) }
}

impl ServerFigures {
    /// CPU microseconds of an event of so many bytes for one watcher. What belongs to the event is taken to grow with its
    /// bytes, which are copied, encrypted and sent; what belongs to the piece is shared by its changes.
    pub(super) fn delivery_cpu_us(&self, bytes: f64, changes_per_piece: f64) -> f64 {
        self.event_cpu_us * bytes / self.event_bytes + self.piece_cpu_us / changes_per_piece
    }
}

#[cfg(test)]
mod tests {
    use super::super::measured::Measured;
    use super::*;

    #[test]
    fn a_crowd_gets_what_comes_in_a_pause_and_a_few_get_each_change_alone() {
        for (rate, watchers, changes) in [
            (10_000.0, 19.0, 1.0),
            (40.0, 120.0, 1.0),
            (80.0, 400.0, 1.6),
            (100.0, 1000.0, 5.0),
            (100.0, 2000.0, 10.0),
            (100.0, 100_000.0, 10.0),
        ] {
            let found = changes_per_piece(rate, watchers);
            assert!((found - changes).abs() < 1e-9, "{rate} for {watchers}: {found}");
        }
    }

    #[test]
    fn changes_share_the_piece_and_large_events_cost_more() {
        let server = Measured::round().server;
        assert_eq!(server.delivery_cpu_us(2000.0, 1.0), 10.0);
        assert_eq!(server.delivery_cpu_us(2000.0, 3.0), 6.0);
        assert_eq!(server.delivery_cpu_us(6000.0, 3.0), 14.0);
    }
}
