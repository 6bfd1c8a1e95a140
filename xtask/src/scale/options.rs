//! Options of `cargo xtask scale`.

use super::figures::{ETCD_FIGURES, FIGURES};
use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;

/// What the command was started with.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// Measure instead of reading the figures.
    pub(super) measure: Option<MeasureOptions>,
    /// Write what was measured.
    pub(super) write: bool,
}

/// What is measured, and with what.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MeasureOptions {
    /// The `ratchet` to measure, built with optimization.
    pub(super) binary: PathBuf,
    /// The load tool; built by cargo otherwise.
    pub(super) tool: Option<PathBuf>,
    /// The client URL of an etcd that stores for the server.
    pub(super) etcd: Option<String>,
    /// Less of everything, to try the command.
    pub(super) quick: bool,
}

impl Options {
    /// Parses the arguments after `scale`.
    pub(super) fn parse(args: &[&str]) -> Result<Self> {
        let (mut measures, mut write, mut quick) = (false, false, false);
        let (mut binary, mut tool, mut etcd) = (None, None, None);
        let mut args = args.iter().copied();
        while let Some(arg) = args.next() {
            let slot = match arg {
                "--measure" => {
                    measures = true;
                    continue;
                }
                "--write" => {
                    write = true;
                    continue;
                }
                "--quick" => {
                    quick = true;
                    continue;
                }
                "--binary" => &mut binary,
                "--tool" => &mut tool,
                "--etcd-servers" => &mut etcd,
                other => bail!("scale has no option {other}"),
            };
            let value = args.next().filter(|value| !value.starts_with("--"));
            *slot = Some(value.with_context(|| format!("{arg} needs a value"))?.to_owned());
        }
        if !measures {
            let given = write || quick || binary.is_some() || tool.is_some() || etcd.is_some();
            ensure!(!given, "these options need --measure");
            return Ok(Self::default());
        }
        let binary =
            binary.context("--measure needs --binary PATH, a ratchet built with --release")?;
        ensure!(!(quick && write), "a quick measurement is not written");
        let (binary, tool) = (binary.into(), tool.map(PathBuf::from));
        Ok(Self { measure: Some(MeasureOptions { binary, tool, etcd, quick }), write })
    }

    /// The file that what was measured is written to, if it is.
    pub(super) fn target(&self) -> Option<&'static str> {
        let measure = self.measure.as_ref().filter(|_| self.write)?;
        Some(if measure.etcd.is_some() { ETCD_FIGURES } else { FIGURES })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        assert_eq!(Options::parse(&[]).unwrap(), Options::default());
        let args = ["--measure", "--binary", "b", "--tool", "t", "--etcd-servers", "e", "--write"];
        let measure = MeasureOptions {
            binary: "b".into(),
            tool: Some("t".into()),
            etcd: Some("e".into()),
            quick: false,
        };
        let wanted = Options { measure: Some(measure), write: true };
        assert_eq!(Options::parse(&args).unwrap(), wanted);
    }

    #[test]
    fn what_was_measured_on_etcd_has_a_file_of_its_own() {
        let target = |args: &[&str]| Options::parse(args).unwrap().target();
        let measure = ["--measure", "--binary", "b"];
        assert_eq!(target(&[]), None);
        assert_eq!(target(&measure), None);
        assert_eq!(target(&[&measure[..], &["--write"]].concat()), Some("xtask/scale.json"));
        let etcd = [&measure[..], &["--write", "--etcd-servers", "http://e:2379"]].concat();
        assert_eq!(target(&etcd), Some("xtask/scale-etcd.json"));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (args, why) in [
            (vec!["--fast"], "scale has no option --fast"),
            (vec!["--write"], "these options need --measure"),
            (vec!["--measure"], "--measure needs --binary PATH, a ratchet built with --release"),
            (vec!["--measure", "--binary"], "--binary needs a value"),
            (
                vec!["--measure", "--binary", "b", "--quick", "--write"],
                "a quick measurement is not written",
            ),
        ] {
            assert_eq!(Options::parse(&args).unwrap_err().to_string(), why);
        }
    }
}
