//! `cargo xtask replay`: replays recorded requests to a real API server against `ratchet serve`.

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable with the folder of the recordings, which are not part of the repository.
pub(crate) const ORACLE: &str = "RATCHET_ORACLE";

/// The arguments of `replay`.
#[derive(Debug, Default, PartialEq, Eq)]
struct ReplayArgs<'a> {
    oracle: Option<&'a str>,
    cases: Option<&'a str>,
    topic: Option<&'a str>,
    behavior: Option<&'a str>,
}

/// Builds the release binary and replays; returns whether every answer was as recorded.
pub(crate) fn run(args: &[&str]) -> Result<bool> {
    let parsed = parse_args(args)?;
    let oracle = parsed.oracle.map(PathBuf::from);
    let oracle =
        oracle.or_else(|| std::env::var_os(ORACLE).map(PathBuf::from)).with_context(|| {
            format!("no recordings: name their folder, as `cargo xtask replay DIR` or in {ORACLE}")
        })?;
    let program = oracle.join("oracle.py");
    ensure!(
        program.is_file(),
        "no recordings: {} is not there; name their folder: cargo xtask replay DIR",
        program.display()
    );
    let cases = parsed.cases.map_or_else(|| oracle.join("cases"), PathBuf::from);
    ensure!(cases.exists(), "no recordings: {} is not there", cases.display());
    let build = ["build", "--release", "--locked", "-p", "ratchet"];
    ensure!(Command::new("cargo").args(build).status()?.success(), "the release build failed");
    let mut replay = Command::new("python3");
    replay.arg(&program).args(["replay", "--launcher", "xtask/launcher", "--cases"]).arg(&cases);
    if let Some(topic) = parsed.topic {
        replay.args(["--topic", topic]);
    }
    let behavior = parsed.behavior.unwrap_or("released");
    // Where a proposal differs from the release, its answer is recorded too.
    replay.args(["--expect", if behavior == "proposal" { "either" } else { "reference" }]);
    replay.env("RATCHET", binary(std::env::var_os("CARGO_TARGET_DIR"))?);
    replay.env("RATCHET_FLAGS", format!("--behavior {behavior}"));
    Ok(replay.status().context("cannot run python3")?.success())
}

/// The absolute path of the release binary.
fn binary(target: Option<OsString>) -> Result<PathBuf> {
    let target = target.map_or_else(|| PathBuf::from("target"), PathBuf::from);
    std::path::absolute(target.join(Path::new("release/ratchet"))).context("no working folder")
}

fn parse_args<'a>(args: &[&'a str]) -> Result<ReplayArgs<'a>> {
    let mut parsed = ReplayArgs::default();
    let mut rest = args.iter().copied();
    while let Some(arg) = rest.next() {
        let value = match arg {
            "--cases" => &mut parsed.cases,
            "--topic" => &mut parsed.topic,
            "--behavior" => &mut parsed.behavior,
            flag if flag.starts_with('-') => bail!("replay does not know {flag}"),
            folder => {
                ensure!(
                    parsed.oracle.replace(folder).is_none(),
                    "one folder of recordings is enough"
                );
                continue;
            }
        };
        *value = Some(rest.next().with_context(|| format!("{arg} needs a value"))?);
    }
    if let Some(other) = parsed.behavior.filter(|arg| !matches!(*arg, "released" | "proposal")) {
        bail!("--behavior is released or proposal, not {other}");
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        assert_eq!(parse_args(&[]).unwrap(), ReplayArgs::default());
        let parsed =
            parse_args(&["--topic", "generic", "there", "--cases", "c", "--behavior", "proposal"]);
        let all = ReplayArgs {
            oracle: Some("there"),
            cases: Some("c"),
            topic: Some("generic"),
            behavior: Some("proposal"),
        };
        assert_eq!(parsed.unwrap(), all);
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (args, why) in [
            (vec!["--topic"], "--topic needs a value"),
            (vec!["--speed", "9"], "replay does not know --speed"),
            (vec!["a", "b"], "one folder of recordings is enough"),
            (vec!["--behavior", "good"], "--behavior is released or proposal, not good"),
        ] {
            assert_eq!(parse_args(&args).unwrap_err().to_string(), why);
        }
    }

    #[test]
    fn without_recordings_it_says_so() {
        let error = run(&["no/such/folder"]).unwrap_err().to_string();
        assert!(
            error.starts_with("no recordings: no/such/folder/oracle.py is not there"),
            "{error}"
        );
    }
}
