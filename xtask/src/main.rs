//! The repository's own checks: `cargo xtask <command>`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line speaks by printing")]

mod ci;
mod clients;
mod code;
mod dist;
mod docs;
mod guard;
mod kubectl;
mod layers;
mod licences;
mod measure;
mod metadata;
mod replay;
mod sessions;
mod tables;
mod tidy;
mod tokens;
mod tree;
mod violation;

use anyhow::{Context, Result, bail};
use std::process::ExitCode;
use violation::Violation;

const USAGE: &str = "\
usage: cargo xtask <command>

  ci              everything below and all tests, in order; stops at the first failure
  clients         programs on kube-rs and on the Python client against `ratchet serve`
  layers          no crate uses what layers.toml does not grant, every grant is used, and no files use each other in a
                  circle of more than three that is not listed there
  layers --circles
                  the circles of files in each crate, with the imports that make the largest
  tidy            files, names, attributes, field paths, and cases and pages for every rule
  docs [--check]  writes (or compares) the documents generated from the engine's tables
  tables          the generated tables against what makes them
  licences        every dependency's licence and version against deny.toml
  dist [--target TRIPLE] [--binary PATH] [--output DIR] [--allow-dynamic]
                  what a release consists of: the program, manual pages, completions, licences, a bill of materials, an
                  image, checksums; static where the toolchain has musl
  sessions [--check] [--binary PATH]
                  records (or compares) the terminal sessions of docs/sessions
  kubectl         brings the kubectl that the tests drive, and prints where it is
  guard PROGRAM   runs a test binary that must end; `ci` starts each one through it
  measure [PROFILE]
                  how fast the release binary is, or that of a profile, and how much memory it takes
  load [ARGS]     the same of `ratchet serve`: requests, lists, writes, watches, starts
  settle [ARGS]   how long the controllers need until slices and Endpoints show all pods
  streams [ARGS]  the same of what goes through it: logs, commands and ports of kubelets
  siege [--seconds N]
                  hostile clients of every sort at once, half an hour long; what was acknowledged must be there after it
  replay [DIR] [--cases DIR] [--topic T] [--behavior released|proposal]
                  recorded conversations of a real API server (in DIR, or RATCHET_ORACLE) with `ratchet serve`
  tree DIR COUNT  writes a tree of COUNT mixed resources to measure with
";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs the command; returns whether all checks pass.
fn run() -> Result<bool> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    // Cargo sets the working directory that the tests expect, so it must not change.
    if let ["guard", rest @ ..] = args.as_slice() {
        return guard::run(rest);
    }
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").context("run it as `cargo xtask`")?;
    let root =
        std::path::Path::new(&manifest).parent().context("xtask stands in the repository")?;
    std::env::set_current_dir(root).with_context(|| format!("cannot enter {}", root.display()))?;
    match args.as_slice() {
        ["ci"] => ci::run(),
        ["layers"] => Ok(report(&layers::check()?)),
        ["layers", "--circles"] => {
            print!("{}", layers::list_circles()?);
            Ok(true)
        }
        ["tidy"] => Ok(report(&tidy::check()?)),
        ["docs"] => docs::write().map(|()| true),
        ["docs", "--check"] => Ok(report(&docs::check()?)),
        ["licences"] => run_alone(licences::check),
        ["tables"] => run_alone(tables::check),
        ["dist", rest @ ..] => dist::run(rest),
        ["sessions", rest @ ..] => Ok(report(&sessions::run(rest)?)),
        ["kubectl"] => kubectl::print(),
        ["clients"] => clients::run(&mut ci::Tally::default()),
        ["measure"] => measure::run("release"),
        ["measure", profile] => measure::run(profile),
        ["load", rest @ ..] => run_bench("load", rest),
        ["settle", rest @ ..] => run_bench("settle", rest),
        ["streams", rest @ ..] => run_bench("kubelets", rest),
        ["siege", rest @ ..] => run_bench("siege", rest),
        ["replay", rest @ ..] => replay::run(rest),
        ["tree", folder, count] => {
            let count = count.parse().context("COUNT must be a number")?;
            println!("{}", tree::run(std::path::Path::new(folder), count)?);
            Ok(true)
        }
        [] | ["help" | "-h" | "--help"] => {
            print!("{USAGE}");
            Ok(true)
        }
        other => bail!("no such command: {}\n\n{USAGE}", other.join(" ")),
    }
}

/// Runs a bench target of the `ratchet` crate, where the test clients are.
fn run_bench(name: &str, args: &[&str]) -> Result<bool> {
    let bench = ["bench", "--locked", "-p", "ratchet", "--bench", name, "--"];
    let status = std::process::Command::new("cargo").args(bench).args(args).status()?;
    Ok(status.success())
}

/// Runs a single step of `ci`.
fn run_alone(check: fn(&mut ci::Tally) -> Result<Vec<Violation>>) -> Result<bool> {
    let mut tally = ci::Tally::default();
    let is_fine = report(&check(&mut tally)?);
    tally.print_left_out();
    Ok(is_fine)
}

/// Prints violations; returns whether there are none.
fn report(violations: &[Violation]) -> bool {
    for violation in violations {
        println!("{violation}");
    }
    if !violations.is_empty() {
        println!("{} to put right", violations.len());
    }
    violations.is_empty()
}
