//! `cargo xtask profile`: where the server's time goes on its four hot paths, by samples or by instructions.

use crate::server_process::ServerProcess;
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How many functions are printed for a path.
const LINES: usize = 30;

/// A hot path: its name and the load that takes it.
struct HotPath {
    name: &'static str,
    load: &'static [&'static str],
}

/// The loads that the table of profiles in `docs/why/performance.md` names. Few pods before the pages, for what seeds a path
/// is in the samples.
const HOT_PATHS: &[HotPath] = &[
    HotPath {
        name: "create",
        load: &["--profile=create", "--clients=64", "--resource=configmaps"],
    },
    HotPath { name: "get", load: &["--profile=get", "--clients=64", "--resource=configmaps"] },
    HotPath {
        name: "list",
        load: &["--profile=list", "--clients=16", "--page=500", "--objects=500"],
    },
    HotPath {
        name: "watch",
        load: &[
            "--profile=watch-churn",
            "--clients=64",
            "--resource=configmaps",
            "--watchers=1000",
            "--rate=100",
        ],
    },
];

/// A program that observes the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Recorder {
    /// Samples of a running process: where time goes.
    #[default]
    Perf,
    /// Instructions, each of them counted: the same in every run, and fifty times slower.
    Callgrind,
}

/// What the command was started with.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    binary: PathBuf,
    tool: Option<PathBuf>,
    recorder: Recorder,
    seconds: String,
    output: PathBuf,
    paths: Vec<String>,
}

/// Profiles the hot paths; the recordings stay in `target/profile`.
pub(crate) fn run(args: &[&str]) -> Result<bool> {
    let options = Options::parse(args)?;
    ensure!(options.binary.is_file(), "{} is not there", options.binary.display());
    std::fs::create_dir_all(&options.output)
        .with_context(|| format!("cannot make {}", options.output.display()))?;
    for path in HOT_PATHS.iter().filter(|path| options.selects(path.name)) {
        println!("\n=== {}: {}", path.name, path.load.join(" "));
        let report = match options.recorder {
            Recorder::Perf => sample(&options, path)?,
            Recorder::Callgrind => count(&options, path)?,
        };
        let lines = report.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        lines.take(LINES).for_each(|line| println!("{line}"));
    }
    Ok(true)
}

/// Runs a path's load.
fn load(server: &ServerProcess, options: &Options, path: &HotPath) -> Result<()> {
    let seconds = format!("--seconds={}", options.seconds);
    server.load(&[path.load, &[seconds.as_str()]].concat()).map(drop)
}

/// Samples with perf while the load runs; returns the functions by their own time.
fn sample(options: &Options, path: &HotPath) -> Result<String> {
    let server = ServerProcess::start(Command::new(&options.binary), &[], options.tool.as_deref())?;
    let file = options.output.join(format!("{}.perf", path.name));
    let mut perf = Command::new("perf");
    perf.args(["record", "--quiet", "--event=cpu-clock", "--freq=999", "--output"]).arg(&file);
    let perf = perf.arg(format!("--pid={}", server.pid())).stderr(Stdio::null());
    let recording = perf.spawn().context("cannot run perf: is it installed?")?;
    std::thread::sleep(Duration::from_millis(500));
    let loaded = load(&server, options, path);
    interrupt(recording)?;
    loaded?;
    let mut report = Command::new("perf");
    report.args(["report", "--stdio", "--no-children", "--sort=symbol", "--input"]).arg(&file);
    output(&mut report)
}

/// Counts instructions with callgrind while the load runs; returns the functions with what they call.
fn count(options: &Options, path: &HotPath) -> Result<String> {
    let file = std::path::absolute(options.output.join(format!("{}.callgrind", path.name)))?;
    let mut launcher = Command::new("valgrind");
    launcher.args(["--tool=callgrind", "--instr-atstart=no"]);
    launcher.arg(format!("--callgrind-out-file={}", file.display())).arg(&options.binary);
    let mut server = ServerProcess::start(launcher, &[], options.tool.as_deref())?;
    let pid = server.pid().to_string();
    let instrument = |is_on: &str| -> Result<()> {
        output(Command::new("callgrind_control").args([&format!("--instr={is_on}"), &pid]))
            .map(drop)
    };
    instrument("on")?;
    load(&server, options, path)?;
    instrument("off")?;
    server.stop()?;
    output(Command::new("callgrind_annotate").arg("--inclusive=yes").arg(&file))
}

/// Ends a recording, which writes its file then.
fn interrupt(mut recording: Child) -> Result<()> {
    let pid = recording.id().to_string();
    Command::new("kill").args(["-INT", &pid]).status().context("cannot run kill")?;
    recording.wait().context("perf cannot be waited for")?;
    Ok(())
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} failed: {errors}");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

impl Options {
    fn parse(args: &[&str]) -> Result<Self> {
        let mut options = Self { seconds: "5".to_owned(), ..Self::default() };
        options.output = Path::new("target").join("profile");
        let mut args = args.iter().copied();
        while let Some(arg) = args.next() {
            let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
            match arg {
                "--binary" => options.binary = value()?.into(),
                "--tool" => options.tool = Some(value()?.into()),
                "--seconds" => options.seconds = value()?.to_owned(),
                "--output" => options.output = value()?.into(),
                "--callgrind" => options.recorder = Recorder::Callgrind,
                path if HOT_PATHS.iter().any(|known| known.name == path) => {
                    options.paths.push(path.to_owned());
                }
                other => {
                    let known: Vec<&str> = HOT_PATHS.iter().map(|path| path.name).collect();
                    bail!("profile knows no {other}; the hot paths are {}", known.join(", "))
                }
            }
        }
        let is_named = !options.binary.as_os_str().is_empty();
        ensure!(is_named, "profile needs --binary PATH, a ratchet built with --release");
        Ok(options)
    }

    /// Whether a path is profiled: all of them, unless some are named.
    fn selects(&self, path: &str) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|named| named == path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let options = Options::parse(&["--binary", "b", "--callgrind", "get", "watch"]).unwrap();
        assert_eq!(
            (options.binary.as_path(), options.recorder),
            (Path::new("b"), Recorder::Callgrind)
        );
        assert!(options.selects("get") && !options.selects("list"));
        let all = Options::parse(&["--binary", "b", "--seconds", "2"]).unwrap();
        assert!(HOT_PATHS.iter().all(|path| all.selects(path.name)));
        assert_eq!((all.seconds.as_str(), all.recorder), ("2", Recorder::Perf));
    }

    #[test]
    fn the_loads_are_those_that_the_table_of_profiles_names() {
        let has = |name: &str, flags: &[&str]| {
            let path = HOT_PATHS.iter().find(|path| path.name == name).unwrap();
            flags.iter().all(|flag| path.load.contains(flag))
        };
        for name in ["create", "get"] {
            assert!(has(name, &["--clients=64", "--resource=configmaps"]), "{name}");
        }
        // Pods, for that is what the load of a measured server is without `--resource`.
        assert!(
            has("list", &["--clients=16", "--page=500"])
                && !has("list", &["--resource=configmaps"])
        );
        assert!(has("watch", &["--watchers=1000", "--rate=100"]));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (args, why) in [
            (vec![], "profile needs --binary PATH, a ratchet built with --release"),
            (vec!["--binary"], "--binary needs a value"),
            (vec!["put"], "profile knows no put; the hot paths are create, get, list, watch"),
        ] {
            assert_eq!(Options::parse(&args).unwrap_err().to_string(), why);
        }
        let error = run(&["--binary", "/no/such/ratchet"]).unwrap_err().to_string();
        assert_eq!(error, "/no/such/ratchet is not there");
    }
}
