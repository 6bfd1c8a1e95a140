//! Checks of file and folder names: none without meaning, and no leftovers of commands.

use crate::violation::Violation;

const EMPTY: &[&str] = &["utils", "util", "helpers", "common", "misc", "manager"];

/// Whether a name says nothing about its contents.
pub(super) fn is_empty_name(name: &str) -> bool {
    EMPTY.contains(&name.to_ascii_lowercase().as_str())
}

/// Suffixes of files that a command or an editor left behind.
const LEFTOVERS: &[&str] = &[".bak", ".err", ".log", ".orig", ".out", ".rej", ".swp", ".tmp", "~"];

/// Checks the names of a file and its folders.
pub(super) fn check(path: &str) -> Vec<Violation> {
    let mut found = empty(path);
    if let Some(end) = LEFTOVERS.iter().find(|end| path.ends_with(*end)) {
        let what = format!("a file in {end} is what some command left behind; remove it");
        found.push(Violation::new(path, 1, what));
    }
    found
}

fn empty(path: &str) -> Vec<Violation> {
    path.split('/')
        .map(|step| step.split_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(step, |s| s.0))
        .filter(|name| is_empty_name(name))
        .map(|name| {
            let what = format!("{name:?} says nothing about its contents; name what is inside");
            Violation::new(path, 1, what)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_says_something_is_fine() {
        for path in ["core/net/src/ip.rs", "docs/commons.md", ".github/manage.yml", "util-linux/a"]
        {
            assert_eq!(check(path), [], "{path}");
        }
    }

    #[test]
    fn what_a_command_left_behind_fails() {
        for path in ["s.out", "a/b.err", "x.log", "src/lib.rs.orig", "notes~"] {
            assert_eq!(check(path).len(), 1, "{path}");
        }
        for path in ["layout.md", "core/error.rs", "docs/log.md", ".err/x"] {
            assert_eq!(check(path), [], "{path}");
        }
    }

    #[test]
    fn a_name_that_says_nothing_fails_as_file_and_as_folder() {
        for path in
            ["a/utils.rs", "a/util/b.rs", "helpers/x.md", "Common.rs", "a/misc", "manager.rs"]
        {
            assert_eq!(check(path).len(), 1, "{path}");
        }
        assert_eq!(check("common/utils.rs").len(), 2);
    }
}
