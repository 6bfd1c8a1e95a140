//! Measured points, and whether the model reproduces them.

use super::delivery::changes_per_piece;
use super::measured::{Measured, Point, PointLoad, ServerFigures};

/// So far may the model be from a measured point, as a share of it.
const TOLERANCE: f64 = 0.2;

/// A point beside what the model says.
pub(super) struct CheckedPoint<'p> {
    pub(super) point: &'p Point,
    pub(super) predicted: f64,
}

impl CheckedPoint<'_> {
    /// The model's value against the measured one: 0.1 is ten percent more.
    pub(super) fn deviation(&self) -> f64 {
        self.predicted / self.point.measured - 1.0
    }

    /// Whether the deviation is tolerable; a point that measured nothing is not.
    pub(super) fn fits(&self) -> bool {
        self.point.measured > 0.0 && self.deviation().abs() <= TOLERANCE
    }
}

/// Compares all points with the model.
pub(super) fn check(measured: &Measured) -> Vec<CheckedPoint<'_>> {
    let server = &measured.server;
    measured
        .points
        .iter()
        .map(|point| CheckedPoint { point, predicted: predict(server, &point.load) })
        .collect()
}

/// What the parameters say about a load.
fn predict(server: &ServerFigures, load: &PointLoad) -> f64 {
    match load {
        PointLoad::Requests { creates, pages, seconds } => {
            let create = server.create_cpu_ms + server.lone_write_cpu_ms(creates / seconds);
            creates * create + pages * server.page_cpu_ms
        }
        PointLoad::Churn { writes, watchers, seconds } => {
            let together = changes_per_piece(writes / seconds, *watchers);
            let event_us = server.delivery_cpu_us(server.event_bytes, together);
            writes * (server.patch_cpu_ms + watchers * event_us / 1000.0)
        }
        PointLoad::Memory { pods } => {
            server.base_memory_mb + pods * server.object_memory_kb / 1000.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::figures::committed;
    use super::*;
    use std::path::Path;

    fn predicted(load: &PointLoad) -> f64 {
        predict(&Measured::round().server, load)
    }

    #[test]
    fn loads_are_sums_of_their_parts() {
        let requests = PointLoad::Requests { creates: 10.0, pages: 2.0, seconds: 1.0 };
        assert_eq!(predicted(&requests), 8.0);
        let churn = PointLoad::Churn { writes: 100.0, watchers: 200.0, seconds: 5.0 };
        assert_eq!(predicted(&churn), 300.0);
        // Two changes are sent together.
        let crowd = PointLoad::Churn { writes: 200.0, watchers: 1000.0, seconds: 5.0 };
        assert!((predicted(&crowd) - 200.0 * (1.0 + 7.0)).abs() < 1e-9);
        assert_eq!(predicted(&PointLoad::Memory { pods: 10_000.0 }), 60.0);
    }

    #[test]
    fn a_write_that_shares_no_flush_costs_as_much_as_a_lone_one() {
        let figures =
            ServerFigures { write_rate: 1000.0, write_clients: 5.0, ..Measured::round().server };
        // Of the five at the full rate, two share a transaction at a quarter of it.
        for (rate, cost) in [(0.0, 0.6), (250.0, 0.225), (1000.0, 0.0), (5000.0, 0.0)] {
            let predicted = figures.lone_write_cpu_ms(rate);
            assert!((predicted - cost).abs() < 1e-9, "{rate} a second: {predicted}");
        }
    }

    #[test]
    fn the_committed_figures_reproduce_what_was_measured() {
        for measured in committed(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
            let checked = check(&measured);
            assert!(checked.len() >= 3, "{}: {} points", measured.about, checked.len());
            for point in &checked {
                let percent = point.deviation() * 100.0;
                let name = &point.point.name;
                assert!(point.fits(), "{}: {name}: {percent:+.0} %", measured.about);
                assert!(percent.abs() <= 20.0, "{}: {name}: {percent:+.0} %", measured.about);
            }
        }
    }

    #[test]
    fn a_fifth_is_tolerated_and_no_more() {
        for (measured, fits) in
            [(60.0, true), (50.1, true), (74.9, true), (49.0, false), (76.0, false), (0.0, false)]
        {
            let mut figures = Measured::round();
            figures.points[0].measured = measured;
            assert_eq!(check(&figures)[0].fits(), fits, "{measured}");
        }
    }
}
