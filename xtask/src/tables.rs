//! `cargo xtask tables`: tables in the repository against what their generator makes of Kubernetes.

mod gates;

use crate::ci::Tally;
use crate::clients::target;
use crate::metadata::cargo;
use crate::violation::Violation;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;

const GENERATOR: &str = "tools/schemagen/Cargo.toml";

/// The generator's argument, and the table that it then prints.
const SCHEMA: (&str, &str) = ("schema", "core/object/src/schema/v1_36.rs");

/// The same for tables that are made of the Go sources.
const FROM_CHECKOUT: [(&str, &str); 4] = [
    ("internal-types", "core/engine/src/internal.txt"),
    ("merge-keys", "core/object/src/patch/merge_keys/v1_36.rs"),
    ("proto", "core/object/src/proto/v1_36.rs"),
    ("topology", "core/object/src/schema/topology/v1_36.rs"),
];

/// The generator's argument for the list of feature gates, with which the engine's gates are compared.
const FEATURES: &str = "features";

/// The variable with a checkout of Kubernetes v1.36.
const CHECKOUT: &str = "RATCHET_KUBERNETES";

/// Regenerates every table that can be generated here, and compares.
pub(crate) fn check(tally: &mut Tally) -> Result<Vec<Violation>> {
    let (argument, path) = SCHEMA;
    let mut found: Vec<Violation> =
        compare(path, &generate(argument, None)?)?.into_iter().collect();
    let checkout = std::env::var_os(CHECKOUT);
    for (argument, path) in FROM_CHECKOUT {
        match &checkout {
            Some(checkout) => found.extend(compare(path, &generate(argument, Some(checkout))?)?),
            None => tally.not_run(format!("{path} against its generator: {CHECKOUT} is not set")),
        }
    }
    match &checkout {
        Some(checkout) => found.extend(gates::compare(&generate(FEATURES, Some(checkout))?)?),
        None => {
            tally.not_run(format!("{} against Kubernetes: {CHECKOUT} is not set", gates::TABLE));
        }
    }
    Ok(found)
}

fn generate(argument: &str, checkout: Option<&OsStr>) -> Result<String> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--locked", "--manifest-path", GENERATOR, "--"]);
    command.arg(argument).args(checkout);
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
    fn the_first_line_that_differs_is_named() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(difference("a\nb\n", "a\n"), Some(2));
        assert_eq!(difference("a\n", "a"), Some(2));
    }
}
