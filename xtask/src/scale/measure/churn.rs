//! Measurement of watches while objects change: the cost of a patch and of its events, and points between the parameters.

use super::amounts::{Amounts, Watching};
use super::line;
use super::load_report::Figures;
use super::server::MeasuredServer;
use crate::scale::delivery::changes_per_piece;
use crate::scale::measured::{Point, PointLoad};
use anyhow::{Result, ensure};

/// What was found.
pub(super) struct ChurnFigures {
    pub(super) patch_cpu_ms: f64,
    pub(super) event_cpu_us: f64,
    pub(super) piece_cpu_us: f64,
    pub(super) event_bytes: f64,
    pub(super) watch_memory_kb: f64,
    pub(super) points: Vec<Point>,
}

/// One run: some watchers of changes at a rate, which may be lower than what was asked for.
struct Churn {
    watchers: f64,
    seconds: f64,
    figures: Figures,
}

impl Churn {
    fn measure(server: &MeasuredServer<'_>, watching: Watching, seconds: &str) -> Result<Self> {
        let Watching { watchers, rate } = watching;
        let (count, rate) = (format!("--watchers={watchers}"), format!("--rate={rate}"));
        let duration = format!("--seconds={seconds}");
        let figures = server.profile("watch-churn", &["--clients=8", &duration, &count, &rate])?;
        ensure!(figures.operations > 0.0, "nothing was written");
        Ok(Self { watchers: watchers.into(), seconds: seconds.parse()?, figures })
    }

    /// CPU milliseconds of a write with its events.
    fn write_cpu_ms(&self) -> Result<f64> {
        self.figures.cpu_ms_per_operation()
    }

    fn changes_per_piece(&self) -> f64 {
        changes_per_piece(self.figures.operations / self.seconds, self.watchers)
    }

    fn memory_mb(&self) -> Result<f64> {
        Ok(self.figures.server()?.memory_before_mb)
    }

    fn point(&self, rate: u32) -> Result<Point> {
        let Self { watchers, seconds, figures } = self;
        Ok(Point {
            name: format!("{watchers} watchers, {rate} writes a second, CPU ms"),
            load: PointLoad::Churn {
                writes: figures.operations,
                watchers: *watchers,
                seconds: *seconds,
            },
            measured: figures.cpu_ms()?,
        })
    }
}

/// Measures one watcher, a few and a crowd for the parameters, and others for the points.
pub(super) fn measure(server: &MeasuredServer<'_>, amounts: &Amounts) -> Result<ChurnFigures> {
    let run = |watching| Churn::measure(server, watching, amounts.seconds);
    let one = run(Watching { watchers: 1, ..amounts.few })?;
    let few = run(amounts.few)?;
    let (patch_cpu_ms, alone_ms) =
        line((one.watchers, one.write_cpu_ms()?), (few.watchers, few.write_cpu_ms()?));
    let (_, watch_memory_mb) =
        line((one.watchers, one.memory_mb()?), (few.watchers, few.memory_mb()?));
    let crowd = run(amounts.crowd)?;
    let together_ms = (crowd.write_cpu_ms()? - patch_cpu_ms) / crowd.watchers;
    let (alone, together) = (few.changes_per_piece(), crowd.changes_per_piece());
    ensure!(together > alone, "the crowd got its changes one by one: too few were written");
    // What an event costs is its own cost and its part of the piece, of which there is one for so many changes.
    let (event_ms, piece_ms) = line((1.0 / alone, alone_ms), (1.0 / together, together_ms));
    let points = amounts.points.iter().map(|watching| run(*watching)?.point(watching.rate));
    Ok(ChurnFigures {
        patch_cpu_ms,
        event_cpu_us: event_ms * 1000.0,
        piece_cpu_us: piece_ms * 1000.0,
        event_bytes: few.figures.bytes_per_event()?,
        watch_memory_kb: watch_memory_mb * 1000.0,
        points: points.collect::<Result<_>>()?,
    })
}
