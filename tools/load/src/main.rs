//! The program `api-load`: arguments in, report out.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line speaks by printing")]

use anyhow::{Context, Result};
use api_load::{LoadArgs, OutputFormat};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match load(&LoadArgs::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("api-load: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs and prints; returns whether nothing failed.
fn load(args: &LoadArgs) -> Result<bool> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("cannot start threads")?;
    let report = runtime.block_on(api_load::run(args, |what| eprintln!("{what}")))?;
    match args.output() {
        OutputFormat::Text => print!("{report}"),
        OutputFormat::Json => println!("{}", report.to_json()?),
    }
    Ok(report.is_clean())
}
