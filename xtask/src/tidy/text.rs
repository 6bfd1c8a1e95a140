//! What holds for every line of every text file.

use crate::violation::Violation;

/// Folders of one person's machine; spelled in two so that this file can stand in the repository.
const MACHINE_PATHS: &[&str] =
    &[concat!("/", "work/"), concat!("/", "root/"), concat!("/tmp/", "target")];

/// A folder beside the repository, which nobody else has.
const BESIDE: &str = concat!("../", "shared");

/// Looks at white space at the ends, and at paths that exist on one machine only.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line.ends_with(char::is_whitespace) {
            let what = "white space at the end of the line shows up in every diff; delete it";
            found.push(Violation::new(path, number, what));
        }
        for place in MACHINE_PATHS.iter().filter(|place| names_place(line, place)) {
            let what = format!(
                "{place} exists on one machine only; write the path from the repository's root"
            );
            found.push(Violation::new(path, number, what));
        }
    }
    for (index, _) in text.lines().enumerate().filter(|(_, line)| line.contains(BESIDE)) {
        let what = format!("{BESIDE} stands beside the repository, if at all; take an argument");
        found.push(Violation::new(path, index + 1, what));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        let what = "the last line has no end, so the next diff shows it as changed; end it";
        found.push(Violation::new(path, text.lines().count(), what));
    }
    found
}

/// Whether an absolute path begins in the line: `docs/` before it makes it a relative one.
fn names_place(line: &str, place: &str) -> bool {
    let is_part_of_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    line.match_indices(place)
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
        for line in [format!("{BESIDE}/x\n"), format!("join(\"../../{BESIDE}\")\n")] {
            assert_eq!(found(&line).len(), 1, "{line}");
        }
    }

    #[test]
    fn a_path_of_one_machine_fails() {
        for place in MACHINE_PATHS {
            for line in
                [format!("{place}x\n"), format!("see `{place}x`\n"), format!("file://{place}\n")]
            {
                assert_eq!(found(&line).len(), 1, "{line}");
            }
        }
    }
}
