//! The program `api-damage`: arguments in, differences out.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line speaks by printing")]

use anyhow::{Context, Result};
use api_damage::DamageArgs;
use api_load::OutputFormat;
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match damage(&DamageArgs::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("api-damage: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs and prints; returns whether all answers were equal.
fn damage(args: &DamageArgs) -> Result<bool> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("cannot start threads")?;
    let report = runtime.block_on(api_damage::run(args, |what| eprintln!("{what}")))?;
    match args.output() {
        OutputFormat::Text => print!("{report}"),
        OutputFormat::Json => println!("{}", report.to_json()),
    }
    Ok(report.is_clean())
}
