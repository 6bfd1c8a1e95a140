//! Checks of every line of every text file.

use crate::violation::Violation;

/// Folders of one person's machine; split in two so that this file passes its own check.
const MACHINE_PATHS: &[&str] =
    &[concat!("/", "work/"), concat!("/", "root/"), concat!("/tmp/", "target")];

/// A folder next to the repository, which nobody else has.
const SIBLING_FOLDER: &str = concat!("../", "shared");

/// Reports trailing white space, and paths that exist on one machine only.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line.ends_with(char::is_whitespace) {
            let what = "white space at the end of the line shows up in every diff; delete it";
            found.push(Violation::new(path, number, what));
        }
        for path_prefix in MACHINE_PATHS.iter().filter(|path_prefix| names_path(line, path_prefix))
        {
            let what = format!(
                "{path_prefix} exists on one machine only; write the path from the repository's root"
            );
            found.push(Violation::new(path, number, what));
        }
    }
    for (index, _) in text.lines().enumerate().filter(|(_, line)| line.contains(SIBLING_FOLDER)) {
        let what =
            format!("{SIBLING_FOLDER} stands beside the repository, if at all; take an argument");
        found.push(Violation::new(path, index + 1, what));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        let what = "the last line has no end, so the next diff shows it as changed; end it";
        found.push(Violation::new(path, text.lines().count(), what));
    }
    found
}

/// Whether the line contains an absolute path; `docs/` before it makes it a relative one.
fn names_path(line: &str, path_prefix: &str) -> bool {
    let is_part_of_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    line.match_indices(path_prefix)
        .any(|(start, _)| !line.split_at(start).0.chars().next_back().is_some_and(is_part_of_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        check("a.md", text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn clean_text_is_fine() {
        for text in ["", "one\n", "one\n\n  two\n", "see docs/work/plan.md and chroot/root/x\n"] {
            assert_eq!(found(text), Vec::<String>::new(), "{text:?}");
        }
    }

    #[test]
    fn white_space_at_the_end_of_a_line_fails() {
        for text in ["one\ntwo \n", "one\ntwo\t\n", "one\n  \n"] {
            let found = found(text);
            assert_eq!(found.len(), 1, "{text:?}");
            assert!(found[0].starts_with("a.md:2: white space"), "{found:?}");
        }
    }

    #[test]
    fn a_last_line_without_end_fails() {
        let found = found("one\ntwo");
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("a.md:2: the last line"), "{found:?}");
    }

    #[test]
    fn a_folder_beside_the_repository_fails() {
        for line in [format!("{SIBLING_FOLDER}/x\n"), format!("join(\"../../{SIBLING_FOLDER}\")\n")]
        {
            assert_eq!(found(&line).len(), 1, "{line}");
        }
    }

    #[test]
    fn a_path_of_one_machine_fails() {
        for path_prefix in MACHINE_PATHS {
            for line in [
                format!("{path_prefix}x\n"),
                format!("see `{path_prefix}x`\n"),
                format!("file://{path_prefix}\n"),
            ] {
                assert_eq!(found(&line).len(), 1, "{line}");
            }
        }
    }
}
