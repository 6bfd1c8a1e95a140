//! Checks of every Rust file.

use super::names;
use crate::code;
use crate::violation::Violation;

const LONGEST: usize = 600;

/// Macros that mark unfinished work.
const UNFINISHED: &[&str] = &["todo!", "unimplemented!", "dbg!"];

/// Checks the opening sentence, the length, unfinished work, attributes and module names.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    let code = code::of(text);
    let mut found = Vec::new();
    found.extend(opening(text).map(|what| Violation::new(path, 1, what)));
    let lines = text.lines().count();
    if lines > LONGEST && !may_be_long(path, text) {
        let what = format!(
            "{lines} lines are more than one thing to read; split the file (at most {LONGEST} lines)"
        );
        found.push(Violation::new(path, LONGEST + 1, what));
    }
    for word in UNFINISHED {
        for line in code::lines_with(&code, word) {
            let what = format!("{word} panics or prints where a person waits; finish the work");
            found.push(Violation::new(path, line, what));
        }
    }
    if is_test(path, &code) {
        for line in early_ends(&code) {
            let what = "a test that ends early counts as passed; let it fail, or mark it \
                        `#[ignore = \"needs …\"]` and have `cargo xtask ci` run it where it can";
            found.push(Violation::new(path, line, what));
        }
    }
    for (line, inside) in code::attributes(&code) {
        found.extend(attribute(inside).map(|what| Violation::new(path, line, what)));
    }
    for (index, line) in code.lines().enumerate() {
        found.extend(empty_module(line).map(|what| Violation::new(path, index + 1, what)));
    }
    found
}

/// The violation of the opening sentence, which may span several lines but not share one.
fn opening(text: &str) -> Option<&'static str> {
    let paragraph: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//! ")).collect();
    if paragraph.is_empty() {
        return Some("the file does not say what it is; open it with one `//!` sentence");
    }
    let Some(last) = paragraph.iter().position(|line| line.ends_with('.')) else {
        return Some("the opening is no whole sentence; end it with a full stop at a line's end");
    };
    let sentence: Vec<&str> = paragraph.into_iter().take(last + 1).collect();
    let sentence = sentence.join(" ");
    let begins_anew = |at: usize| sentence.split_at(at + 2).1.starts_with(char::is_uppercase);
    if sentence.match_indices(". ").any(|(at, _)| begins_anew(at)) {
        return Some("the opening is more than one sentence; leave the rest to the next lines");
    }
    None
}

fn is_test(path: &str, code: &str) -> bool {
    path.split('/').any(|step| matches!(step, "tests" | "tests.rs")) || code.contains("#[test]")
}

/// Calls that fail if the environment lacks something: a variable, a program, a file.
const ENVIRONMENT_CALLS: &[&str] = &["env::var", "Command::new(", "File::open(", "File::options("];

/// The lines in which a function returns silently because the environment lacks something:
/// `let … = env::var(…) else { return };`.
fn early_ends(code: &str) -> Vec<usize> {
    let is_early = |statement: &str| {
        let (bound, otherwise) = statement.split_once(" else {").unwrap_or((statement, ""));
        let checks_environment = ENVIRONMENT_CALLS.iter().any(|word| bound.contains(word));
        let otherwise = otherwise.trim_start();
        checks_environment
            && bound.contains("let ")
            && otherwise.starts_with("return")
            && !otherwise.starts_with("return Err")
            && !otherwise.starts_with("return None")
    };
    let mut line = 1;
    let mut found = Vec::new();
    for statement in code.split_inclusive(';') {
        let blank = statement.len() - statement.trim_start().len();
        let begins = line + statement.split_at(blank).0.matches('\n').count();
        if is_early(statement) {
            // Heads of functions may precede the statement: the last `let` is its own.
            let before = statement.rfind("let ").map_or("", |at| statement.split_at(at).0);
            found.push((line + before.matches('\n').count()).max(begins));
        }
        line += statement.matches('\n').count();
    }
    found
}

/// Whether a file may be long: tests, benches and generated tables are not read from top to bottom.
fn may_be_long(path: &str, text: &str) -> bool {
    let is_test = path.split('/').any(|step| matches!(step, "tests" | "benches" | "tests.rs"));
    let mut head = text.lines().take_while(|line| line.starts_with("//!"));
    is_test || head.any(|line| line.starts_with("//! Generated"))
}

/// The violation of an attribute, whose string literals are blanked.
fn attribute(inside: &str) -> Option<&'static str> {
    if inside == "ignore" {
        return Some("a test that is skipped says why; write `#[ignore = \"…\"]` or run it");
    }
    let is_lint =
        ["allow(", "expect("].iter().any(|word| !code::lines_with(inside, word).is_empty());
    let has_reason = inside.split("reason").skip(1).any(|rest| rest.trim_start().starts_with('='));
    if is_lint && !has_reason {
        return Some("a lint that is silenced says why; add `reason = \"…\"` or obey it");
    }
    None
}

fn empty_module(line: &str) -> Option<String> {
    let mut words =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').skip_while(|w| *w != "mod");
    let name = words.nth(1).filter(|name| names::is_empty_name(name))?;
    Some(format!("module {name:?} says nothing about its contents; name what is inside"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Vec<String> {
        let text = format!("//! What it is.\n{body}\n");
        check("a/src/b.rs", &text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_opens_with_one_sentence() {
        for text in [
            "//! What it is.\n",
            "//! What it is, by v1.36 of e.g. this.\n//!\n//! And more. Much more.\n",
            "//! What it is, and\n//! more.\n",
            "//! What it is.\n//! And more. Much more\n",
        ] {
            assert_eq!(check("a.rs", text), [], "{text}");
        }
        for text in [
            "",
            "use a;\n",
            "// What it is.\n",
            "//!What it is.\n",
            "//! What it is\n",
            "//! What it is, and\n//! more\n",
            "//! What it is, and\n//!\n//! more.\n",
            "//! What it is. And more.\n",
            "//! What it is. And\n//! more.\n",
            "\n//! What it is.\n",
        ] {
            assert_eq!(check("a.rs", text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_long_file_fails_unless_it_is_looked_up() {
        let long = format!("//! What it is.\n{}", "\n".repeat(LONGEST));
        let found = check("a/src/b.rs", &long);
        assert!(found[0].to_string().starts_with("a/src/b.rs:601: 601 lines"), "{found:?}");
        assert_eq!(found.len(), 1);
        for path in ["a/tests/b.rs", "a/benches/b.rs", "a/src/b/tests.rs"] {
            assert_eq!(check(path, &long), [], "{path}");
        }
        let generated = long.replacen('\n', "\n//!\n//! Generated, do not edit:\n", 1);
        assert_eq!(check("a/src/b.rs", &generated), []);
        let just = format!("//! What it is.\n{}", "\n".repeat(LONGEST - 1));
        assert_eq!(check("a/src/b.rs", &just), []);
    }

    #[test]
    fn unfinished_work_fails_in_code_only() {
        for body in ["fn f() { todo!() }", "let x = dbg!(1);", "unimplemented!(\"later\")"] {
            let found = found(body);
            assert_eq!(found.len(), 1, "{body}");
            assert!(found[0].starts_with("a/src/b.rs:2: "), "{found:?}");
        }
        for body in ["// no todo!() here", "let s = \"todo!()\";", "my_todo!()"] {
            assert_eq!(found(body), Vec::<String>::new(), "{body}");
        }
    }

    #[test]
    fn a_silenced_lint_says_why() {
        for body in [
            "#[allow(dead_code)]",
            "#![allow(dead_code)]",
            "#[cfg_attr(test, allow(dead_code))]",
            "#[expect(\n    dead_code,\n)]",
            "#[allow(dead_code)] // reason = \"none\"",
        ] {
            assert_eq!(found(body).len(), 1, "{body}");
        }
        for body in [
            "#[allow(dead_code, reason = \"it is\")]",
            "#[expect(\n    dead_code,\n    reason=\"it is\"\n)]",
            "#[cfg(allowed)]",
            "fn f() { allow(x) }",
            "// #[allow(dead_code)]",
        ] {
            assert_eq!(found(body), Vec::<String>::new(), "{body}");
        }
    }

    #[test]
    fn a_test_does_not_end_early() {
        let early = [
            "#[test]\nfn f() {\n    let Some(x) = std::env::var_os(X) else { return };\n    g();\n}",
            "#[test]\nfn f() {\n    let Ok(x) = env::var(X) else {\n        return tell(X);\n    };\n}",
            "#[test]\nfn f() {\n    let Ok(x) = Command::new(X).output() else { return };\n}",
        ];
        for body in early {
            let found = found(body);
            assert_eq!(found.len(), 1, "{body}");
            assert!(found[0].starts_with("a/src/b.rs:4: a test that ends early"), "{found:?}");
        }
        for body in [
            "fn f() { let Some(x) = std::env::var_os(X) else { return }; }",
            "#[test]\nfn f() { let Some(x) = y.next() else { return }; }",
            "#[test]\nfn f() { let Some(x) = std::env::var_os(X) else { panic!() }; }",
        ] {
            assert_eq!(found(body), Vec::<String>::new(), "{body}");
        }
    }

    #[test]
    fn a_skipped_test_says_why() {
        assert_eq!(found("#[test]\n#[ignore]\nfn f() {}").len(), 1);
        assert_eq!(found("#[test]\n#[ignore = \"slow\"]\nfn f() {}"), Vec::<String>::new());
    }

    #[test]
    fn a_module_has_a_name_that_says_something() {
        for body in ["mod utils;", "pub(crate) mod helpers {", "    mod common;"] {
            assert_eq!(found(body).len(), 1, "{body}");
        }
        for body in ["mod common_address;", "let common = 1;", "mod tests { use super::common; }"] {
            assert_eq!(found(body), Vec::<String>::new(), "{body}");
        }
    }
}
