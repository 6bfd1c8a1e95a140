//! `cargo xtask scale`: what limits one server and one etcd, and what breaks first in larger clusters, from measured figures.

mod combinations;
mod delivery;
mod figures;
mod flags;
mod limits;
mod measure;
mod measured;
mod model;
mod options;
mod points;
mod report;
mod stores;
mod workload;

use anyhow::{Result, ensure};
use options::Options;
use std::path::Path;

/// Prints what the model says; with `--measure` measures its parameters first. Returns whether the model reproduces the
/// measured points.
pub(crate) fn run(args: &[&str]) -> Result<bool> {
    let options = Options::parse(args)?;
    let figures = match &options.measure {
        Some(measure) => vec![measure::measure(measure)?],
        None => figures::committed(Path::new("."))?,
    };
    for measured in &figures {
        let about = &measured.about;
        ensure!(!measured.points.is_empty(), "{about}: no point to compare the model with");
    }
    let fits = figures.iter().flat_map(points::check).all(|point| point.fits());
    print!("{}", report::report(&figures));
    if let Some(path) = options.target() {
        ensure!(fits, "not written: the model does not reproduce what was measured");
        figures.iter().try_for_each(|measured| measured.write(Path::new(path)))?;
        println!("\nwritten to {path}");
    }
    Ok(fits)
}
