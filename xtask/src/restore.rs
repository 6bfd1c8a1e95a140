//! `cargo xtask restore DIR`: damages spellings in a copy of any folder of manifests, and lets `ratchet fix` restore them.

mod damage;

use anyhow::{Context, Result, bail, ensure};
use damage::Planted;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Endings of manifests.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// What is to be done.
struct Options {
    folder: PathBuf,
    binary: Option<PathBuf>,
}

/// Counts of a run.
#[derive(Default)]
struct Counts {
    files: usize,
    /// Files that are no manifests to the command, such as templates that cannot be read.
    unreadable: usize,
    damaged_files: usize,
    damaged_values: usize,
}

/// Runs it; returns whether every file is as it was, byte for byte.
pub(crate) fn run(args: &[&str]) -> Result<bool> {
    let options = Options::parse(args)?;
    let binary = match options.binary {
        Some(binary) => binary,
        None => {
            let build = ["build", "--release", "--locked", "-p", "ratchet"];
            ensure!(Command::new("cargo").args(build).status()?.success(), "the build failed");
            let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
            PathBuf::from(target).join("release/ratchet")
        }
    };
    let work = PathBuf::from("target/restore");
    if work.exists() {
        std::fs::remove_dir_all(&work)?;
    }
    let (original, damaged) = (work.join("original"), work.join("damaged"));
    let mut files = Vec::new();
    find(&options.folder, Path::new(""), &mut files)?;
    copy(&options.folder, &files, &original)?;
    // What is not canonical of itself is put right first, so that only what is damaged here is left to do.
    let report = fix(&binary, &original, &["--host-bits", "network"])?;
    let left_out = unreadable(&report, &original);
    let mut counts = Counts { files: files.len(), unreadable: left_out.len(), ..Counts::default() };
    for (number, file) in files.iter().enumerate() {
        let path = original.join(file);
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Planted { canonical, damaged: bad, values } = match left_out.contains(file) {
            true => Planted::nothing(&text),
            false => damage::plant(&text, number),
        };
        counts.damaged_values += values;
        counts.damaged_files += usize::from(values > 0);
        write(&path, &canonical)?;
        write(&damaged.join(file), &bad)?;
    }
    let before = differing(&files, &original, &damaged)?;
    ensure!(before.len() == counts.damaged_files, "files without damage differ");
    let report = fix(&binary, &damaged, &[])?;
    let after = differing(&files, &original, &damaged)?;
    let number = |name: &str| {
        report.pointer(&format!("/summary/{name}")).and_then(Value::as_u64).unwrap_or_default()
    };
    println!("| files that were read | {} |", counts.files);
    println!("| of these no manifests, and left out | {} |", counts.unreadable);
    println!("| files with damage | {} |", counts.damaged_files);
    println!("| damaged values | {} |", counts.damaged_values);
    println!("| values that were rewritten | {} |", number("edits"));
    println!("| refused | {} |", number("refused"));
    println!("| files that differ from the original afterwards | {} |", after.len());
    after.iter().take(20).for_each(|file| println!("differs: {}", file.display()));
    Ok(after.is_empty() && counts.damaged_values > 0)
}

impl Options {
    fn parse(args: &[&str]) -> Result<Self> {
        let mut options = Self { folder: PathBuf::new(), binary: None };
        let mut rest = args.iter().copied();
        while let Some(word) = rest.next() {
            match word {
                "--binary" => {
                    options.binary = Some(rest.next().context("--binary needs a path")?.into());
                }
                folder if options.folder.as_os_str().is_empty() => options.folder = folder.into(),
                other => bail!("restore takes one folder and --binary PATH, not {other}"),
            }
        }
        ensure!(options.folder.is_dir(), "restore needs a folder with manifests");
        Ok(options)
    }
}

/// The manifests below a folder, relative to it.
fn find(folder: &Path, below: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let place = folder.join(below);
    let entries = std::fs::read_dir(&place).with_context(|| place.display().to_string())?;
    let mut entries = entries.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = below.join(entry.file_name());
        let kind = entry.file_type()?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if kind.is_dir() && !is_hidden {
            find(folder, &path, files)?;
        } else if kind.is_file() && ENDINGS.contains(&ending) {
            files.push(path);
        }
    }
    Ok(())
}

fn copy(from: &Path, files: &[PathBuf], to: &Path) -> Result<()> {
    for file in files {
        let bytes = std::fs::read(from.join(file)).with_context(|| file.display().to_string())?;
        write(&to.join(file), &bytes)?;
    }
    Ok(())
}

fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, contents).with_context(|| path.display().to_string())
}

/// Runs `ratchet fix --write` and returns its JSON report.
fn fix(binary: &Path, folder: &Path, flags: &[&str]) -> Result<Value> {
    let output = Command::new(binary)
        .args(["fix", "-R", "--write", "-o", "json", "--read-as", "decimal"])
        .args(flags)
        .arg(folder)
        .output()
        .with_context(|| format!("cannot run {}", binary.display()))?;
    serde_json::from_slice(&output.stdout).context("no report")
}

/// The files that the report has errors for, relative to the folder.
fn unreadable(report: &Value, folder: &Path) -> BTreeSet<PathBuf> {
    let files = report["files"].as_array().into_iter().flatten();
    let broken = files.filter(|file| file["errors"].as_array().is_some_and(|all| !all.is_empty()));
    let names = broken.filter_map(|file| file["file"].as_str());
    names.filter_map(|name| Some(Path::new(name).strip_prefix(folder).ok()?.to_owned())).collect()
}

/// The files that are not the same in two folders; a file that is in neither is the same.
fn differing(files: &[PathBuf], one: &Path, other: &Path) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for file in files {
        let Ok(wanted) = std::fs::read(one.join(file)) else { continue };
        match std::fs::read(other.join(file)) {
            Ok(found) if found == wanted => {}
            // A file that is no text was not copied.
            Err(_) if std::str::from_utf8(&wanted).is_err() => {}
            _ => all.push(file.clone()),
        }
    }
    Ok(all)
}
