//! `cargo xtask licences`: every dependency's licence and version against `deny.toml`.

mod duplicates;
mod expression;

use crate::ci::Tally;
use crate::metadata::{Metadata, cargo};
use crate::violation::{Violation, line_where};
use anyhow::{Context, Result};
use duplicates::Skip;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::process::Stdio;

const FILE: &str = "deny.toml";

/// The part of cargo-deny's configuration that is read here too; cargo-deny reads the rest.
#[derive(Deserialize)]
struct Config {
    licenses: Licenses,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licenses {
    allow: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Bans {
    #[serde(default)]
    skip: Vec<Skip>,
}

/// Checks licences and duplicate versions, then runs cargo-deny where it is installed.
pub(crate) fn check(tally: &mut Tally) -> Result<Vec<Violation>> {
    let text = std::fs::read_to_string(FILE).with_context(|| format!("cannot read {FILE}"))?;
    let config: Config = toml::from_str(&text).with_context(|| format!("cannot read {FILE}"))?;
    let packages = Metadata::of_everything()?.packages;
    let lock = std::fs::read_to_string("Cargo.lock").context("cannot read Cargo.lock")?;
    let mut found = Vec::new();
    for package in &packages {
        if let Some(what) = licence_violation(package.license.as_deref(), &config.licenses.allow) {
            let name_line = format!("name = \"{}\"", package.name);
            let line = line_where(&lock, |line| line == name_line);
            let what = format!("{} {} {what}", package.name, package.version);
            found.push(Violation::new("Cargo.lock", line, what));
        }
    }
    let versions: Vec<(&str, &str)> =
        packages.iter().map(|package| (package.name.as_str(), package.version.as_str())).collect();
    found.extend(duplicates::check(&versions, &config.bans.skip, &text, &lock));
    println!("{} packages looked at", packages.len());
    found.extend(cargo_deny(tally)?);
    Ok(found)
}

fn licence_violation(licence: Option<&str>, allowed: &BTreeSet<String>) -> Option<String> {
    let Some(licence) = licence else {
        return Some("names no licence; use another crate".to_owned());
    };
    match expression::is_satisfied(licence, allowed) {
        Some(true) => None,
        Some(false) => Some(format!(
            "is under {licence}, which {FILE} does not allow; use another crate, or allow it there"
        )),
        None => {
            Some(format!("is under {licence:?}, which is no SPDX expression; use another crate"))
        }
    }
}

/// Runs cargo-deny if it is installed, and checks advisories if their database can be fetched.
fn cargo_deny(tally: &mut Tally) -> Result<Vec<Violation>> {
    let version = cargo()
        .args(["deny", "--version"])
        .stderr(Stdio::null())
        .output()
        .context("cannot run cargo")?;
    if !version.status.success() {
        tally.not_run(
            "cargo-deny (licences, bans, sources, advisories): it is not installed; our own checks \
             of licences and versions were run",
        );
        return Ok(Vec::new());
    }
    println!("{}", String::from_utf8_lossy(&version.stdout).trim());
    let mut found = Vec::new();
    found.extend(run_deny(&["check", "licenses", "bans", "sources"])?);
    let fetch = cargo().args(["deny", "fetch", "db"]).status().context("cannot run cargo deny")?;
    if fetch.success() {
        found.extend(run_deny(&["check", "advisories"])?);
    } else {
        tally.not_run("cargo deny check advisories: their database cannot be had");
    }
    Ok(found)
}

fn run_deny(arguments: &[&str]) -> Result<Option<Violation>> {
    println!("cargo deny --offline {}", arguments.join(" "));
    let mut command = cargo();
    let status = command.args(["deny", "--offline"]).args(arguments).status();
    let status = status.context("cannot run cargo deny")?;
    let what = "cargo-deny finds fault with the dependencies; it says above where and why";
    Ok((!status.success()).then(|| Violation::new(FILE, 1, what)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed() -> BTreeSet<String> {
        ["MIT", "Apache-2.0"].map(str::to_owned).into()
    }

    #[test]
    fn an_allowed_licence_is_fine() {
        for licence in ["MIT", "MIT OR GPL-3.0-only", "MIT/Apache-2.0"] {
            assert_eq!(licence_violation(Some(licence), &allowed()), None, "{licence}");
        }
    }

    #[test]
    fn any_other_licence_fails_and_so_does_none() {
        for (licence, want) in [
            (Some("GPL-3.0-only"), "does not allow"),
            (Some("MIT AND GPL-3.0-only"), "does not allow"),
            (Some("MIT OR"), "no SPDX expression"),
            (None, "names no licence"),
        ] {
            assert!(licence_violation(licence, &allowed()).unwrap().contains(want), "{licence:?}");
        }
    }

    #[test]
    fn the_configuration_is_read() {
        let text = "[licenses]\nallow = [\"MIT\"]\n[bans]\nmultiple-versions = \"deny\"\nskip = [\n\
                    { crate = \"a@1.0.0\", reason = \"b\" },\n]\n[sources]\n";
        let config: Config = toml::from_str(text).unwrap();
        assert!(config.licenses.allow.contains("MIT"));
        assert_eq!(config.bans.skip.len(), 1);
        assert!(toml::from_str::<Config>("[licenses]\n[bans]\n").is_err());
    }
}
