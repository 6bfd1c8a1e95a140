//! The repository's own checks: `cargo xtask <command>`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line speaks by printing")]

mod chromium;
mod ci;
mod clients;
mod code;
mod dist;
mod docs;
mod etcd;
mod guard;
mod kube_tool;
mod layers;
mod licences;
mod load;
mod long_runs;
mod measure;
mod metadata;
mod profile;
mod replay;
mod restore;
mod scale;
mod server_process;
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

  ci              run all checks and all tests, in order; stop at the first failure
  clients         run programs on kube-rs and on the Python client against `ratchet serve`
  layers          check that crates use what layers.toml grants and nothing else, and that no circle of more than three
                  files is missing there
  layers --circles
                  list the circles of files in each crate, with the imports that make the largest
  tidy            check files, names, attributes, field paths, and the cases and pages of every rule
  kinds           list for each served kind the tables of CONTRIBUTING.md that do not name it
  docs [--check]  write (or compare) the documents generated from the engine's tables
  tables          compare the generated tables with the output of their generator
  licences        check the licence and version of every dependency against deny.toml
  dist [--target TRIPLE] [--binary PATH] [--output DIR] [--allow-dynamic]
                  build a release: program, manual pages, completions, licences, bill of materials, image, checksums;
                  static where the toolchain has musl
  sessions [--check] [--binary PATH]
                  record (or compare) the terminal sessions of docs/sessions
  kubectl         download the kubectl that the tests run, and print its path
  helm            the same of the helm that the tests run
  etcd            download the etcds that the tests run, and print their paths
  chromium        find the Chromium that the tests run, or install Debian's, and print its path
  screenshots [DIR]
                  take the pictures of the report in docs/images, or in DIR, with that browser
  guard PROGRAM   run a test binary with a time limit; `ci` starts each one through it
  measure [PROFILE]
                  measure speed and memory of the release binary, or of the binary of a profile
  load [ARGS]     measure `ratchet serve`: requests, lists, writes, watches, starts
  load --server URL|--kubeconfig FILE [ARGS]
                  load any API server, or two in turn (--compare URL): rates, latencies, lost and late events, CPU and
                  memory; `load --server URL --help` lists profiles and flags
  damage --server URL --compare URL [--kind K] [--seed N] [-o json] [ARGS]
                  damage every field of every kind, and compare what two API servers say: exit status 0 if all answers are
                  equal, 1 if some differ, 2 if it cannot run; `damage --help` lists the flags
  definitions [ARGS]
                  measure a thousand definitions with ten thousand objects: start, memory, one more
  growth [--binary PATH] [ARGS]
                  measure what every verb costs by the number of objects, and watches by their number
  envtest [ARGS]  measure how soon control planes of envtest are ready, and the memory of fifty
  settle [ARGS]   measure how long the controllers need until EndpointSlices and Endpoints show all pods
  writes [ARGS]   measure applies, updates with managedFields, definitions and rules on large objects
  audit [ARGS]    measure `ratchet audit` of 100,000 live objects: time and memory
  webhook [ARGS]  measure `ratchet webhook`: reviews a second, latency, memory
  streams [ARGS]  measure connections to kubelets: logs, exec and port-forward
  siege [--seconds N]
                  run hostile clients of every kind at once, for half an hour by default, and check that every
                  acknowledged write is still there
  crash [--kills N]
                  kill `ratchet serve` 500 times at random moments under load, and check the recorded history
  power [--cuts N]
                  cut the power of simulated disks 10,000 times while stores are written, and check what is left
  histories [--etcd] [--seconds N]
                  record histories of a server that is killed, paused and restarted, and check them; with --etcd, of
                  two servers on real etcd with three members, which are killed, paused and compacted
  soak [--seconds N]
                  half an hour of mixed load, with checks of histories and of memory
  limits [--percent N]
                  ten thousand idle connections, a thousand watchers, 100,000 objects, or a part of them
  predictions [--objects N]
                  store 2,000 generated objects, audit them, and try every write that was judged on a strict server
                  (these six take `--profile NAME`, and use a release build without it)
  profile --binary PATH [--tool PATH] [--seconds N] [--output DIR] [--callgrind] [create|get|list|watch]…
                  print where the time of a `ratchet` built with --release goes on these paths: samples of perf, or
                  instructions counted by callgrind
  replay [DIR] [--cases DIR] [--topic T] [--behavior released|proposal]
                  replay recorded requests to a real API server (in DIR, or RATCHET_ORACLE) against `ratchet serve`
  restore DIR [--binary PATH]
                  damage spellings of addresses in a copy of any folder of manifests, let `ratchet fix` put them right, and
                  compare byte for byte
  scale           compute what limits one server and one etcd from the figures in xtask/scale.json and
                  xtask/scale-etcd.json, and what breaks first in larger clusters; fails if the model misses a measured point by more than 20 %
  scale --measure --binary PATH [--etcd-servers URL] [--tool PATH] [--quick] [--write]
                  measure these figures with a `ratchet` built with --release, and store them
  tree DIR COUNT  write a tree of COUNT mixed resources, for measurements
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
    if let [name, rest @ ..] = args.as_slice()
        && let Some(run) = long_runs::find(name)
    {
        return run.run(rest);
    }
    match args.as_slice() {
        ["ci"] => ci::run(),
        ["layers"] => Ok(report(&layers::check()?)),
        ["layers", "--circles"] => {
            print!("{}", layers::list_circles()?);
            Ok(true)
        }
        ["tidy"] => Ok(report(&tidy::check()?)),
        ["kinds"] => {
            print!("{}", tidy::kinds::list()?);
            Ok(true)
        }
        ["docs"] => docs::write().map(|()| true),
        ["docs", "--check"] => Ok(report(&docs::check()?)),
        ["licences"] => run_alone(licences::check),
        ["tables"] => run_alone(tables::check),
        ["dist", rest @ ..] => dist::run(rest),
        ["sessions", rest @ ..] => Ok(report(&sessions::run(rest)?)),
        ["kubectl"] => kube_tool::KUBECTL.print(),
        ["helm"] => kube_tool::HELM.print(),
        ["etcd"] => etcd::print(),
        ["chromium"] => chromium::print(),
        ["screenshots"] => chromium::screenshots("docs/images"),
        ["screenshots", folder] => chromium::screenshots(folder),
        ["clients"] => clients::run(&mut ci::Tally::default()),
        ["measure"] => measure::run("release"),
        ["measure", profile] => measure::run(profile),
        ["load", rest @ ..] if load::names_server(rest) => load::run(rest),
        ["load", rest @ ..] => run_bench("load", rest),
        ["damage", rest @ ..] => load::damage(rest),
        ["definitions", rest @ ..] => run_bench("definitions", rest),
        ["growth", rest @ ..] => run_bench("growth", rest),
        ["envtest", rest @ ..] => run_bench("envtest", rest),
        ["settle", rest @ ..] => run_bench("settle", rest),
        ["writes", rest @ ..] => run_bench("writes", rest),
        ["audit", rest @ ..] => run_bench("audit", rest),
        ["webhook", rest @ ..] => run_bench("webhook", rest),
        ["streams", rest @ ..] => run_bench("kubelets", rest),
        ["siege", rest @ ..] => run_bench("siege", rest),
        ["profile", rest @ ..] => profile::run(rest),
        ["replay", rest @ ..] => replay::run(rest),
        ["restore", rest @ ..] => restore::run(rest),
        ["scale", rest @ ..] => scale::run(rest),
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
    // A program that is there already is not built once more for the measurement.
    let profile = if args.contains(&"--binary") { "dev" } else { "bench" };
    let bench = ["bench", "--profile", profile, "--locked", "-p", "ratchet", "--bench", name, "--"];
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
