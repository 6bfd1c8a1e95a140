//! `cargo xtask replay`: the recorded conversations of a real API server, held with `ratchet serve`.

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the folder of the recordings where no argument does: they are no part of the repository.
pub(crate) const ORACLE: &str = "RATCHET_ORACLE";

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted<'a> {
    oracle: Option<&'a str>,
    cases: Option<&'a str>,
    topic: Option<&'a str>,
    behavior: Option<&'a str>,
}

/// Builds the release binary and replays; whether every answer was the recorded one.
pub(crate) fn run(args: &[&str]) -> Result<bool> {
    let wanted = read(args)?;
    let oracle = wanted.oracle.map(PathBuf::from);
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
    let cases = wanted.cases.map_or_else(|| oracle.join("cases"), PathBuf::from);
    ensure!(cases.exists(), "no recordings: {} is not there", cases.display());
    let build = ["build", "--release", "--locked", "-p", "ratchet"];
    ensure!(Command::new("cargo").args(build).status()?.success(), "the release build failed");
    let mut replay = Command::new("python3");
    replay.arg(&program).args(["replay", "--launcher", "xtask/launcher", "--cases"]).arg(&cases);
    if let Some(topic) = wanted.topic {
        replay.args(["--topic", topic]);
    }
    let behavior = wanted.behavior.unwrap_or("released");
    // What a proposal wants otherwise than the release is recorded beside it.
    replay.args(["--expect", if behavior == "proposal" { "either" } else { "reference" }]);
    replay.env("RATCHET", binary(std::env::var_os("CARGO_TARGET_DIR"))?);
    replay.env("RATCHET_FLAGS", format!("--behavior {behavior}"));
    Ok(replay.status().context("cannot run python3")?.success())
}

/// The release binary, by a path that is true in every folder.
fn binary(target: Option<OsString>) -> Result<PathBuf> {
    let target = target.map_or_else(|| PathBuf::from("target"), PathBuf::from);
    std::path::absolute(target.join(Path::new("release/ratchet"))).context("no working folder")
}

fn read<'a>(args: &[&'a str]) -> Result<Wanted<'a>> {
    let mut wanted = Wanted::default();
    let mut rest = args.iter().copied();
    while let Some(word) = rest.next() {
        let place = match word {
            "--cases" => &mut wanted.cases,
            "--topic" => &mut wanted.topic,
            "--behavior" => &mut wanted.behavior,
            flag if flag.starts_with('-') => bail!("replay does not know {flag}"),
            folder => {
                ensure!(
                    wanted.oracle.replace(folder).is_none(),
                    "one folder of recordings is enough"
                );
                continue;
            }
        };
        *place = Some(rest.next().with_context(|| format!("{word} needs a value"))?);
    }
    if let Some(other) = wanted.behavior.filter(|word| !matches!(*word, "released" | "proposal")) {
        bail!("--behavior is released or proposal, not {other}");
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        assert_eq!(read(&[]).unwrap(), Wanted::default());
        let wanted =
            read(&["--topic", "generic", "there", "--cases", "c", "--behavior", "proposal"]);
        let all = Wanted {
            oracle: Some("there"),
            cases: Some("c"),
            topic: Some("generic"),
            behavior: Some("proposal"),
        };
        assert_eq!(wanted.unwrap(), all);
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (args, why) in [
            (vec!["--topic"], "--topic needs a value"),
            (vec!["--speed", "9"], "replay does not know --speed"),
            (vec!["a", "b"], "one folder of recordings is enough"),
            (vec!["--behavior", "good"], "--behavior is released or proposal, not good"),
        ] {
            assert_eq!(read(&args).unwrap_err().to_string(), why);
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
