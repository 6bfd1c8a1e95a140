//! `cargo xtask scale`: what limits one server and one etcd, and what breaks first in larger clusters, from measured figures.

mod limits;
mod measure;
mod measured;
mod model;
mod options;
mod points;
mod report;
mod workload;

use anyhow::{Result, ensure};
use measured::Measured;
use options::Options;

/// The measured figures, relative to the repository's root.
const FIGURES: &str = "xtask/scale.json";

/// Prints what the model says; with `--measure` measures its parameters first. Returns whether the model reproduces the
/// measured points.
pub(crate) fn run(args: &[&str]) -> Result<bool> {
    let options = Options::parse(args)?;
    let measured = match &options.measure {
        Some(measure) => measure::measure(measure)?,
        None => Measured::read(FIGURES)?,
    };
    ensure!(!measured.points.is_empty(), "there are no measured points to compare the model with");
    let checked = points::check(&measured);
    let fits = checked.iter().all(points::CheckedPoint::fits);
    print!("{}", report::report(&measured, &checked));
    if options.write {
        ensure!(fits, "not written: the model does not reproduce what was measured");
        measured.write(FIGURES)?;
        println!("\nwritten to {FIGURES}");
    }
    Ok(fits)
}
