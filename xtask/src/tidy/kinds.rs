//! `cargo xtask kinds`: for each served kind the tables of the guide "Adding a kind" that do not name it.

use super::markdown::{prose, section};
use super::references::{CONTRIBUTING, Files, references};
use crate::tokens;
use anyhow::{Context, Result};
use ratchet_object::schema::{KINDS, KindRow};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const SECTION: &str = "Adding a kind";

/// The table that names every kind that is served.
const RESOURCES: &str = "RESOURCES";

/// A table that the guide names.
struct Table {
    name: String,
    file: String,
    /// The words in its rows; names of kinds and of resources are among them.
    words: BTreeSet<String>,
}

impl Table {
    fn names(&self, kind: &KindRow) -> bool {
        self.words.contains(kind.kind) || self.words.contains(kind.plural)
    }
}

/// Kinds with the tables that do not name them: most need no row there.
pub(crate) fn list() -> Result<String> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let paths = super::files()?;
    Ok(describe(&tables(&Files { paths: &paths, read: &read })?))
}

fn describe(tables: &[Table]) -> String {
    let mut out = String::new();
    for (kind, missing) in missing(tables) {
        let dot = if kind.group.is_empty() { "" } else { "." };
        let _ = writeln!(out, "{}{dot}{} is not in", kind.kind, kind.group);
        for table in missing {
            let _ = writeln!(out, "  {} in {}", table.name, table.file);
        }
    }
    out
}

fn missing(tables: &[Table]) -> Vec<(&'static KindRow, Vec<&Table>)> {
    let Some(resources) = tables.iter().find(|table| table.name == RESOURCES) else {
        return Vec::new();
    };
    let served = KINDS.iter().filter(|kind| !kind.subresource && resources.names(kind));
    served.map(|kind| (kind, tables.iter().filter(|table| !table.names(kind)).collect())).collect()
}

/// The tables in the rows of the guide.
fn tables(files: &Files<'_>) -> Result<Vec<Table>> {
    let guide =
        (files.read)(CONTRIBUTING).with_context(|| format!("cannot read {CONTRIBUTING}"))?;
    let guide = prose(&guide);
    let section = section(&guide, SECTION).with_context(|| format!("no \"## {SECTION}\""))?;
    let rows: Vec<&str> = section.text.lines().filter(|line| line.starts_with("| ")).collect();
    let rows = rows.join("\n\n");
    let mut tables: Vec<Table> = Vec::new();
    for reference in references(&rows, files) {
        let (name, file) = (reference.item.text, reference.file);
        if tables.iter().any(|table| (table.name.as_str(), table.file.as_str()) == (name, file)) {
            continue;
        }
        let words = words(file, files).with_context(|| format!("cannot read {file}"))?;
        tables.push(Table { name: name.to_owned(), file: file.to_owned(), words });
    }
    Ok(tables)
}

/// The words in the texts of a file, or of a whole crate if the file is its root: there the table is a list of others.
fn words(file: &str, files: &Files<'_>) -> Option<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    let mut add = |text: &str| {
        words.extend(text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned));
    };
    let folder = file.strip_suffix("lib.rs");
    let is_part = |path: &&String| match folder {
        Some(folder) => path.starts_with(folder) && path.ends_with(".rs"),
        None => path.as_str() == file,
    };
    for path in files.paths.iter().filter(is_part) {
        let text = (files.read)(path)?;
        if !path.ends_with(".rs") {
            add(&text);
            continue;
        }
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        tokens::of(code).iter().filter_map(tokens::Token::string).for_each(&mut add);
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

    #[test]
    fn every_table_of_the_guide_names_kinds_and_the_kinds_that_it_lacks_are_listed() {
        let listed = Command::new("git").args(["-C", ROOT, "ls-files"]).output().unwrap().stdout;
        let paths: Vec<String> =
            String::from_utf8(listed).unwrap().lines().map(str::to_owned).collect();
        let read = |path: &str| std::fs::read_to_string(format!("{ROOT}/{path}")).ok();
        let tables = tables(&Files { paths: &paths, read: &read }).unwrap();
        assert!(tables.len() > 10, "the guide names {} tables", tables.len());
        let all = missing(&tables);
        assert!(all.len() > 50, "{} kinds are served", all.len());
        for table in &tables {
            let is_lacking =
                |missing: &[&Table]| missing.iter().any(|other| std::ptr::eq(*other, table));
            let lacking = all.iter().filter(|(_, missing)| is_lacking(missing)).count();
            assert!(lacking < all.len(), "{} in {} names no kind", table.name, table.file);
        }
        let described = describe(&tables);
        println!("{described}");
        assert!(described.contains("Deployment.apps is not in\n"), "{described}");
        let is_pod = |(kind, _): &&(&KindRow, Vec<&Table>)| kind.kind == "Pod";
        let (_, lacking) = all.iter().find(is_pod).unwrap();
        for name in [RESOURCES, "KINDS", "KIND_VALIDATIONS", "STRATEGIES", "AREAS", "EVALUATORS"] {
            assert!(tables.iter().any(|table| table.name == name), "{name}");
            assert!(!lacking.iter().any(|table| table.name == name), "{name}");
        }
    }
}
