//! Tests of the references check: guides that tell the truth, and guides that lie.

use super::*;

const CODE: &str = "\
//! A file. fn absent() stands in a comment only.
pub(crate) static TABLE: &[u8] = &[];
pub enum Choice { One, Two }
impl Choice { pub const fn pick(&self) {} }
const TEXT: &str = \"struct Quoted\";
";

fn found_in(path: &str, text: &str) -> Vec<String> {
    let paths = ["core/a/src/b.rs", "cases/X-1/a.yaml", "layers.toml", "doors/c.rs"];
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    let read = |path: &str| match path {
        "core/a/src/b.rs" => Some(CODE.to_owned()),
        "layers.toml" => Some("[uses]\n".to_owned()),
        _ => None,
    };
    let files = Files { paths: &paths, read: &read };
    check(path, text, &files).iter().map(ToString::to_string).collect()
}

fn found(text: &str) -> Vec<String> {
    found_in("ARCHITECTURE.md", text)
}

#[test]
fn what_exists_is_fine() {
    for text in [
        "`core/a/src/b.rs`, `core/a`, `core/a/`, `layers.toml`, `cases/<ID>/`, `cases/<ID>/x-*.yaml`",
        "`TABLE` in `core/a/src/b.rs`",
        "`TABLE`, `Choice` and `pick()` in `core/a/src/b.rs`",
        "`Choice::pick` or `Choice::Two` in\n  `core/a/src/b.rs`",
        "`[uses]` in `layers.toml`",
        "`anything` else, `other/folder`, `a` in `b`",
        "```\n`core/none`\n```\n",
    ] {
        assert_eq!(found(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_does_not_exist_fails_in_its_line() {
    for (text, want) in [
        ("\n`core/none.rs`", "ARCHITECTURE.md:2: core/none.rs does not exist"),
        ("`core/none/<name>.rs`", "ARCHITECTURE.md:1: core/none does not exist"),
        ("`Absent` in `core/a/src/b.rs`", "ARCHITECTURE.md:1: core/a/src/b.rs has no `Absent`"),
        ("`absent` in `core/a/src/b.rs`", "ARCHITECTURE.md:1: core/a/src/b.rs has no `absent`"),
        ("`Quoted` in `core/a/src/b.rs`", "ARCHITECTURE.md:1: core/a/src/b.rs has no `Quoted`"),
        ("`Choice::drop` in `core/a/src/b.rs`", "ARCHITECTURE.md:1: core/a/src/b.rs has no"),
        ("`X` and `TABLE` in `core/a/src/b.rs`", "ARCHITECTURE.md:1: core/a/src/b.rs has no `X`"),
        ("`[direction]` in `layers.toml`", "ARCHITECTURE.md:1: layers.toml has no `[direction]`"),
        ("`TABLE` in `core/a`", "ARCHITECTURE.md:1: core/a is no file"),
    ] {
        let found = found(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].starts_with(want), "{found:?}");
    }
}

fn contributing(answer: &str) -> String {
    let sections: String = ADDING
        .iter()
        .map(|heading| format!("## {heading}\n\n`TABLE` in `core/a/src/b.rs`\n\n"))
        .collect();
    format!("{sections}## Quiz\n\n| question | answer |\n|---|---|\n| Where? | {answer} |\n")
}

#[test]
fn every_section_and_every_answer_names_an_item() {
    let whole = contributing("`TABLE` in `core/a/src/b.rs`");
    assert_eq!(found_in(CONTRIBUTING, &whole), Vec::<String>::new());
    let vague = found_in(CONTRIBUTING, &contributing("in `core/a/src/b.rs`"));
    assert_eq!(vague.len(), 1, "{vague:?}");
    assert!(vague[0].contains("the answer names no `Item`"), "{vague:?}");
    let short =
        whole.replace("## Adding a flag\n\n`TABLE` in `core/a/src/b.rs`", "## Adding a flag");
    let short = found_in(CONTRIBUTING, &short);
    assert_eq!(short.len(), 1, "{short:?}");
    assert!(short[0].contains("\"## Adding a flag\""), "{short:?}");
    let none = found_in(CONTRIBUTING, "# Contributing\n");
    assert_eq!(none.len(), ADDING.len() + 1, "{none:?}");
}

#[test]
fn diffs_are_found_with_their_lines() {
    let text = "a\n\n```diff\n--- a/x\n+++ b/x\n```\n\n```sh\nls\n```\n";
    assert_eq!(diffs(text), [(4, "--- a/x\n+++ b/x\n")]);
}
