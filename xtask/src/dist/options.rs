//! Options of `cargo xtask dist`.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// What a release is made of, and where it goes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// The triple to build for.
    pub(super) target: Option<String>,
    /// A program that is built already.
    pub(super) binary: Option<PathBuf>,
    /// The folder that releases are put into; `dist` in cargo's folder otherwise.
    pub(super) output: Option<PathBuf>,
    /// Whether a program that needs glibc may be put into an image, too.
    pub(super) allow_dynamic: bool,
}

impl Options {
    /// Parses the arguments after `dist`.
    pub(super) fn parse(args: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        let mut skips_build = false;
        let mut args = args.iter().copied();
        while let Some(arg) = args.next() {
            let mut value = |what: &str| {
                let value = args.next().filter(|value| !value.starts_with("--"));
                value.with_context(|| format!("{arg} needs {what}"))
            };
            match arg {
                "--target" => options.target = Some(value("a triple, like rustc has them")?.into()),
                "--binary" => options.binary = Some(value("the path of a program")?.into()),
                "--output" => options.output = Some(value("a folder")?.into()),
                "--skip-build" => skips_build = true,
                "--allow-dynamic" => options.allow_dynamic = true,
                other => bail!("dist has no option {other}"),
            }
        }
        if skips_build && options.binary.is_none() {
            bail!("--skip-build needs --binary PATH, which names the program to take");
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        assert_eq!(Options::parse(&[]).unwrap(), Options::default());
        let args =
            ["--target", "t", "--skip-build", "--binary", "b", "--output", "o", "--allow-dynamic"];
        let wanted = Options {
            target: Some("t".into()),
            binary: Some("b".into()),
            output: Some("o".into()),
            allow_dynamic: true,
        };
        assert_eq!(Options::parse(&args).unwrap(), wanted);
    }

    #[test]
    fn what_is_unknown_or_lacks_its_value_is_refused() {
        for (args, want) in [
            (&["--force"][..], "dist has no option --force"),
            (&["x"], "dist has no option x"),
            (&["--target"], "--target needs a triple"),
            (&["--binary", "--target"], "--binary needs the path"),
            (&["--skip-build"], "--skip-build needs --binary"),
        ] {
            let error = Options::parse(args).unwrap_err().to_string();
            assert!(error.starts_with(want), "{error}");
        }
    }
}
