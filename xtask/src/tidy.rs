//! `cargo xtask tidy`: checks of files, names, attributes, guides, and the cases and pages of every rule.

mod code;
mod generated;
mod links;
mod manifest;
mod markdown;
mod names;
mod references;
mod rules;
mod rust;
mod text;

use crate::violation::Violation;
use anyhow::{Context, Result, bail};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Checks every file that git tracks or would track.
pub(crate) fn check() -> Result<Vec<Violation>> {
    let paths = files()?;
    let mut found: Vec<Violation> = paths.iter().flat_map(|path| names::check(path)).collect();
    let marked = generated::marked(&paths)?;
    for path in &paths {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
        // Binary files have no lines to check.
        if let Ok(text) = std::str::from_utf8(&bytes) {
            found.extend(contents(path, text));
            found.extend(generated::check(path, text, marked.contains(path)));
        }
    }
    found.extend(guides(&paths)?);
    let ids: Vec<&str> = ratchet_engine::RULES.iter().map(|rule| rule.id).collect();
    found.extend(rules::check(&ids, &paths));
    found.sort();
    Ok(found)
}

/// Checks the links of all documents, and the files, items and diffs that the guides name.
fn guides(paths: &[String]) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let exists =
        |path: &str| std::fs::metadata(path).is_ok().then(|| read(path).unwrap_or_default());
    for path in paths.iter().filter(|path| path.ends_with(".md")) {
        let Some(text) = read(path) else { continue };
        found.extend(links::check(path, &text, &exists));
        if path == links::INDEX {
            found.extend(links::check_index(&text, paths));
        }
        if references::GUIDES.contains(&path.as_str()) {
            let files = references::Files { paths, read: &read };
            found.extend(references::check(path, &text, &files));
            for (line, diff) in references::diffs(&text) {
                found.extend(refusal_of(diff)?.map(|why| Violation::new(path, line, why)));
            }
        }
    }
    Ok(found)
}

/// Why git would not apply a diff to the working tree.
fn refusal_of(diff: &str) -> Result<Option<String>> {
    let mut git = Command::new("git")
        .args(["apply", "--check", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot run git")?;
    if let Some(mut input) = git.stdin.take() {
        input.write_all(diff.as_bytes()).context("cannot write to git")?;
    }
    let output = git.wait_with_output().context("cannot run git")?;
    let why = String::from_utf8_lossy(&output.stderr).trim_end().replace('\n', "; ");
    let what =
        format!("the diff does not apply ({why}); take it anew from a change that was tried");
    Ok((!output.status.success()).then_some(what))
}

fn contents(path: &str, text: &str) -> Vec<Violation> {
    let mut found = text::check(path, text);
    if path.ends_with(".rs") {
        found.extend(rust::check(path, text));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_applies_to_the_repository_or_says_why_not() {
        let head = "--- a/xtask/Cargo.toml\n+++ b/xtask/Cargo.toml\n@@ -1,2 +1,3 @@\n";
        let diff = |line: &str| format!("{head} {line}\n+# more\n name = \"xtask\"\n");
        assert_eq!(refusal_of(&diff("[package]")).unwrap(), None);
        let refusal = refusal_of(&diff("[parcel]")).unwrap().unwrap();
        assert!(refusal.contains("patch does not apply"), "{refusal}");
        assert!(refusal_of("no diff at all\n").unwrap().is_some());
    }
}
