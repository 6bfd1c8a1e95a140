//! `cargo xtask tables`: tables in the repository against what their generator makes of Kubernetes.

mod gates;

use crate::ci::Tally;
use crate::clients::target;
use crate::metadata::cargo;
use crate::violation::Violation;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;

const GENERATOR: &str = "tools/schemagen/Cargo.toml";

/// The generator's argument, the table that it then prints, and the variable with the path of what it reads, if it reads
/// anything.
const TABLES: [(&str, &str, Option<&str>); 7] = [
    ("schema", "core/object/src/schema/v1_36.rs", None),
    ("go-types", "core/object/src/go_types/v1_36.rs", Some(CHECKOUT)),
    ("internal-types", "core/engine/src/internal.txt", Some(CHECKOUT)),
    ("merge-keys", "core/object/src/patch/merge_keys/v1_36.rs", Some(CHECKOUT)),
    ("proto", "core/object/src/proto/v1_36.rs", Some(CHECKOUT)),
    ("time-zones", "core/engine/src/time_zones.txt", Some(TIME_ZONES)),
    ("topology", "core/object/src/schema/topology/v1_36.rs", Some(CHECKOUT)),
];

/// The generator's argument for the list of feature gates, with which the engine's gates are compared.
const FEATURES: &str = "features";

/// The variable with a checkout of Kubernetes v1.36.
const CHECKOUT: &str = "RATCHET_KUBERNETES";

/// The variable with a directory of compiled time zones, of the version that kube-apiserver was built with.
const TIME_ZONES: &str = "RATCHET_ZONEINFO";

/// Regenerates every table that can be generated here, and compares.
pub(crate) fn check(tally: &mut Tally) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for (argument, path, variable) in TABLES {
        let input = variable.and_then(std::env::var_os);
        match variable.filter(|_| input.is_none()) {
            Some(name) => tally.not_run(format!("{path} against its generator: {name} is not set")),
            None => found.extend(compare(path, &generate(argument, input.as_deref())?)?),
        }
    }
    match std::env::var_os(CHECKOUT) {
        Some(checkout) => found.extend(gates::compare(&generate(FEATURES, Some(&checkout))?)?),
        None => {
            tally.not_run(format!("{} against Kubernetes: {CHECKOUT} is not set", gates::TABLE));
        }
    }
    Ok(found)
}

fn generate(argument: &str, input: Option<&OsStr>) -> Result<String> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--locked", "--manifest-path", GENERATOR, "--"]);
    command.arg(argument).args(input);
    // A separate target directory without debug information: the generator is built once and runs briefly.
    command.env("CARGO_TARGET_DIR", target()?.join("schemagen"));
    command.env("CARGO_PROFILE_DEV_DEBUG", "0");
    let output = command.stderr(std::process::Stdio::inherit()).output();
    let output = output.context("cannot run cargo")?;
    if !output.status.success() {
        bail!("{GENERATOR} cannot be built or run");
    }
    String::from_utf8(output.stdout).context("the table is no text")
}

fn compare(path: &str, generated: &str) -> Result<Option<Violation>> {
    let existing = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    Ok(difference(&existing, generated).map(|line| {
        let what = "differs from what makes it; its head has the command that writes it anew";
        Violation::new(path, line, what)
    }))
}

/// The first line in which two texts differ.
fn difference(one: &str, other: &str) -> Option<usize> {
    if one == other {
        return None;
    }
    let same = one.lines().zip(other.lines()).take_while(|(one, other)| one == other).count();
    Some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generated_table_is_compared() {
        let marked = include_str!("../../.gitattributes").lines();
        let paths = marked.filter_map(|line| line.strip_prefix('/')?.split(' ').next());
        let mut paths: Vec<&str> = paths.filter(|path| path.starts_with("core/")).collect();
        let mut compared: Vec<&str> = TABLES.iter().map(|(_, path, _)| *path).collect();
        paths.sort_unstable();
        compared.sort_unstable();
        assert_eq!(paths, compared);
    }

    #[test]
    fn the_first_line_that_differs_is_named() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(difference("a\nb\n", "a\n"), Some(2));
        assert_eq!(difference("a\n", "a"), Some(2));
    }
}
