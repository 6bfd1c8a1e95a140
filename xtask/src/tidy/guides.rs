//! Checks of documents: their links, and the files, items and diffs that the guides name.

use super::{links, references};
use crate::violation::Violation;
use anyhow::{Context, Result};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Checks the links of all documents, and the files, items and diffs that the guides name.
pub(super) fn check(paths: &[String]) -> Result<Vec<Violation>> {
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
