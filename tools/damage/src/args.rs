//! The command line.

use api_load::{OutputFormat, TargetArgs};
use clap::Parser;

/// Damages every field of every kind, and compares what two API servers say to it
#[derive(Debug, Parser)]
#[command(
    name = "api-damage",
    version,
    after_help = "Exit status: 0 if all answers are equal, 1 if some differ, 2 if it cannot run."
)]
pub struct DamageArgs {
    #[command(flatten)]
    pub(crate) targets: TargetArgs,
    /// Kinds to damage, separated by commas, as Pod or HorizontalPodAutoscaler; all of them by default
    #[arg(long = "kind", value_delimiter = ',', value_name = "KIND")]
    pub(crate) kinds: Vec<String>,
    /// Part of a path that damaged fields must have, as spec.volumes
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) path: String,
    /// Chooses which fields of types that an earlier kind has shown are damaged again, and what is sent with warnings
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many of a hundred damages are done to fields of types that an earlier kind has shown
    #[arg(long, default_value_t = 10, value_name = "PERCENT")]
    pub(crate) share: u64,
    /// Requests at once
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) clients: u8,
    /// Form of the report
    #[arg(short, long, value_enum, default_value_t = OutputFormat::Text)]
    output: OutputFormat,
}

impl DamageArgs {
    /// The form of the report.
    pub fn output(&self) -> OutputFormat {
        self.output
    }
}
