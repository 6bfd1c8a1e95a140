//! `cargo xtask tidy`: checks of files, names, attributes, field paths, guides, and the cases and pages of every rule.

mod field_paths;
mod generated;
mod guides;
pub(crate) mod kinds;
mod links;
mod manifest;
mod markdown;
mod names;
mod old_words;
mod references;
mod rooms;
mod rules;
mod rust;
mod text;

use crate::tokens;
use crate::violation::Violation;
use anyhow::{Context, Result, bail};
use std::process::Command;

/// Checks every file that git tracks or would track.
pub(crate) fn check() -> Result<Vec<Violation>> {
    let paths = files()?;
    let mut found: Vec<Violation> = paths.iter().flat_map(|path| names::check(path)).collect();
    let marked = generated::marked(&paths)?;
    let mut field_paths = field_paths::Checker::default();
    for path in &paths {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
        // Binary files have no lines to check.
        if let Ok(text) = std::str::from_utf8(&bytes) {
            found.extend(contents(path, text, &mut field_paths));
            found.extend(generated::check(path, text, marked.contains(path)));
        }
    }
    found.extend(field_paths.unused());
    found.extend(guides::check(&paths)?);
    let ids: Vec<&str> = ratchet_engine::RULES.iter().map(|rule| rule.id).collect();
    found.extend(rules::check(&ids, &paths));
    found.sort();
    Ok(found)
}

fn contents(path: &str, text: &str, field_paths: &mut field_paths::Checker) -> Vec<Violation> {
    let mut found = text::check(path, text);
    if path.ends_with(".rs") {
        let tokens = tokens::of(text);
        found.extend(rust::check(path, text));
        found.extend(old_words::check(path, &tokens));
        found.extend(rooms::check(path, &tokens));
        found.extend(field_paths.check(path, &tokens));
    }
    if path.rsplit('/').next() == Some("Cargo.toml") {
        found.extend(manifest::check(path, text));
    }
    found
}

fn files() -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .output()
        .context("cannot run git")?;
    if !output.status.success() {
        bail!("git ls-files failed:\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    let listed = String::from_utf8(output.stdout).context("a file's name is not UTF-8")?;
    let is_here = |path: &&str| std::fs::symlink_metadata(path).is_ok_and(|entry| entry.is_file());
    Ok(listed.split_terminator('\0').filter(is_here).map(str::to_owned).collect())
}
