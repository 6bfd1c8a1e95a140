//! Checks that the relative links of Markdown files lead to what exists, and that the index of `docs` links to all pages.

use super::markdown::{anchors, line_of, links, prose};
use crate::violation::Violation;

/// Reports links to missing files and headings; `read` returns the text of a file or folder that exists, empty for
/// folders and binary files.
pub(super) fn check(
    path: &str,
    text: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<Violation> {
    let prose = prose(text);
    let mut found = Vec::new();
    for link in links(&prose) {
        if link.text.contains(':') {
            continue;
        }
        let (file, anchor) = link.text.split_once('#').unwrap_or((link.text, ""));
        let target = if file.is_empty() { path.to_owned() } else { resolve(path, file) };
        let what = match read(&target) {
            None => format!("a link leads to {target}, which does not exist; mend it"),
            Some(text) if !anchor.is_empty() && !anchors(&text).iter().any(|a| a == anchor) => {
                format!("a link leads to #{anchor} of {target}, which has no such heading; mend it")
            }
            Some(_) => continue,
        };
        found.push(Violation::new(path, line_of(text, link.start), what));
    }
    found
}

/// The page that lists all others below its folder.
pub(super) const INDEX: &str = "docs/README.md";

/// Reports pages below `docs` that the index does not link to; a folder with a README has an index of its own.
pub(super) fn check_index(text: &str, paths: &[String]) -> Vec<Violation> {
    let prose = prose(text);
    let listed: Vec<String> = links(&prose).iter().map(|link| resolve(INDEX, link.text)).collect();
    let has_own_index = |page: &str| {
        page.rsplit_once('/').is_some_and(|(folder, file)| {
            file != "README.md"
                && folder != "docs"
                && paths.contains(&format!("{folder}/README.md"))
        })
    };
    let pages = paths.iter().filter(|path| path.starts_with("docs/") && path.ends_with(".md"));
    pages
        .filter(|page| *page != INDEX && !has_own_index(page) && !listed.contains(page))
        .map(|page| Violation::new(page, 1, format!("no page leads to it; list it in {INDEX}")))
        .collect()
}

/// The path of a link's target, from the root of the repository.
fn resolve(path: &str, link: &str) -> String {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in link.split('/') {
        match step {
            "" | "." => {}
            ".." => _ = steps.pop(),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let read = |path: &str| match path {
            "docs/a.md" => Some("# A\n\n## What it is\n".to_owned()),
            "docs/b/c.md" | "cases" | "README.md" => Some(String::new()),
            _ => None,
        };
        check("docs/a.md", text, &read).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_to_what_exists_are_fine() {
        for text in [
            "[x](b/c.md)",
            "[x](../cases) [y](../README.md)",
            "[x](#what-it-is)",
            "[x](a.md#what-it-is)",
            "[x](https://example.com/none)",
            "```\n[x](none.md)\n```\n",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn every_page_is_in_the_index_or_in_that_of_its_folder() {
        let paths =
            ["docs/README.md", "docs/a.md", "docs/b/c.md", "docs/r/README.md", "docs/r/1.md"];
        let paths = paths.map(str::to_owned);
        let found = |text: &str| -> Vec<String> {
            check_index(text, &paths).iter().map(ToString::to_string).collect()
        };
        let whole = "[a](a.md) [c](b/c.md) [r](r/README.md)";
        assert_eq!(found(whole), Vec::<String>::new());
        let short = found("[a](a.md) [r](r/README.md)");
        assert_eq!(short, ["docs/b/c.md:1: no page leads to it; list it in docs/README.md"]);
        assert_eq!(found("").len(), 3);
    }

    #[test]
    fn links_to_what_does_not_exist_fail() {
        for (text, want) in [
            ("\n[x](none.md)", "docs/a.md:2: a link leads to docs/none.md, which"),
            ("[x](../none/)", "docs/a.md:1: a link leads to none, which"),
            ("[x](#none)", "docs/a.md:1: a link leads to #none of docs/a.md, which"),
        ] {
            let found = found(text);
            assert_eq!(found.len(), 1, "{text}");
            assert!(found[0].starts_with(want), "{found:?}");
        }
    }
}
