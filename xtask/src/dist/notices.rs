//! `licenses.txt`: the licences of all that is linked into a program, with their texts.

use super::bom::spdx;
use super::graph::Part;
use super::toolchain::is_musl;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// How the names of files with licences begin.
const NAMES: &[&str] = &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// Endings of files that only talk about licences: code, and pages of manuals.
const OTHERS: &[&str] = &["c", "go", "h", "html", "js", "json", "py", "rs", "sh", "toml", "yml"];

/// The notices of the standard library, which come with the toolchain, and their name in a release.
pub(super) const STANDARD_LIBRARY: (&str, &str) =
    ("share/doc/rust/COPYRIGHT-library.html", "licenses-std.html");

const RULER: &str =
    "--------------------------------------------------------------------------------";

/// Lists the linked packages of others with their licences, then every text once with those that it is about.
pub(super) fn text(parts: &[Part<'_>], triple: &str) -> Result<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut out = String::from("This program contains the following works of others.\n\n");
    let linked = parts.iter().filter(|part| part.is_linked && part.package.source.is_some());
    for package in linked.map(|part| part.package) {
        let name = format!("{} {}", package.name, package.version);
        let licence = package.license.as_deref().map_or("unknown licence".into(), spdx);
        let _ = writeln!(out, "{name}: {licence}");
        collect(&mut texts, &name, &files(package.absolute_folder())?)?;
    }
    let (_, notices) = STANDARD_LIBRARY;
    let _ = writeln!(out, "the Rust standard library: MIT OR Apache-2.0, see {notices}");
    if is_musl(triple) {
        let _ = writeln!(out, "musl, the C library (https://musl.libc.org): MIT");
    }
    // In the order of the list above: by the first that a text is about.
    let mut texts: Vec<(String, Vec<String>)> = texts.into_iter().collect();
    texts.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
    for (text, names) in texts {
        let _ = writeln!(out, "\n{RULER}\n{}\n{RULER}\n\n{text}", names.join("\n"));
    }
    Ok(out)
}

/// Reads files and notes whose they are.
fn collect(texts: &mut BTreeMap<String, Vec<String>>, name: &str, files: &[PathBuf]) -> Result<()> {
    for file in files {
        let bytes =
            std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let names = texts.entry(lines.join("\n").trim_matches('\n').to_owned()).or_default();
        if names.last().is_none_or(|last| last != name) {
            names.push(name.to_owned());
        }
    }
    Ok(())
}

/// The files with licences in a folder and below, sorted: C libraries stand with theirs in folders of crates.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder);
        for entry in entries.with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && is_licence(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    NAMES.iter().any(|begin| name.starts_with(begin)) && !OTHERS.contains(&ending.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::graph;
    use super::*;

    #[test]
    fn files_with_licences_are_told_from_code() {
        for name in [
            "LICENSE",
            "license-mit",
            "LICENSE-APACHE.txt",
            "COPYING.md",
            "NOTICE",
            "LICENSE-2.0",
            "UNLICENSE",
        ] {
            assert!(is_licence(Path::new(name)), "{name}");
        }
        for name in ["license.rs", "README.md", "licenses.html", "notice.c", "src"] {
            assert!(!is_licence(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn every_linked_crate_of_others_is_listed_and_a_text_stands_once() {
        let folder = super::super::tests::Folder::new("notices");
        let mut metadata = graph::tests::fixture();
        for package in &mut metadata.packages {
            let own = folder.0.join(&package.name);
            std::fs::create_dir_all(own.join("c_src")).unwrap();
            std::fs::write(own.join("LICENSE"), "Be kind.  \nAlways.\n\n").unwrap();
            package.move_to(&own);
        }
        std::fs::write(folder.0.join("bytes/c_src/COPYING"), "Be fast.\n").unwrap();
        let parts = graph::parts(&metadata, "ratchet", &graph::tests::compiled()).unwrap();
        let text = text(&parts, "x86_64-unknown-linux-musl").unwrap();
        let (list, texts) = text.split_once(RULER).unwrap();
        for line in
            ["both 1.0.0: MIT\n", "bytes 1.0.0: MIT\n", "the Rust standard library: ", "musl, "]
        {
            assert!(list.contains(line), "{text}");
        }
        for absent in ["syn", "derive", "proptest", "ring", "ratchet"] {
            assert!(!text.contains(absent), "{text}");
        }
        assert_eq!(texts.matches("Be kind.\nAlways.").count(), 1, "{text}");
        assert!(texts.contains("\nboth 1.0.0\nbytes 1.0.0\n"), "{text}");
        assert!(texts.contains("\nbytes 1.0.0\n"), "{text}");
        assert!(texts.contains("Be fast."), "{text}");
        assert!(text.lines().all(|line| !line.ends_with(' ')), "{text}");
    }
}
