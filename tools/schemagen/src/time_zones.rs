//! Generator of the list of time zones: the files of a directory of compiled ones, as systems have at `/usr/share/zoneinfo`.

use std::path::Path;

use crate::error::Error;

const HEAD: &str = "\
# Time zones of the IANA database, with the names that it keeps for old programs.
# Generated, do not edit:
# `cargo run --manifest-path tools/schemagen/Cargo.toml -- time-zones <a directory of compiled time zones> > core/engine/src/time_zones.txt`
";

/// How a compiled time zone begins.
const MAGIC: &[u8] = b"TZif";

/// What systems add to the database: the same zones again, with and without leap seconds, and the one of the machine.
const ADDED: [&str; 4] = ["localtime", "posix", "posixrules", "right"];

/// The whole file.
pub fn file(directory: &Path) -> Result<String, Error> {
    let mut names: Vec<String> = Vec::new();
    collect(directory, "", &mut names)?;
    names.sort_unstable();
    if names.is_empty() {
        return Err("no time zones here".into());
    }
    Ok(format!("{HEAD}{}\n", names.join("\n")))
}

fn collect(directory: &Path, prefix: &str, names: &mut Vec<String>) -> Result<(), Error> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if prefix.is_empty() && ADDED.contains(&name) {
            continue;
        }
        let full = format!("{prefix}{name}");
        if path.is_dir() {
            collect(&path, &format!("{full}/"), names)?;
        } else if std::fs::read(&path)?.starts_with(MAGIC) {
            names.push(full);
        }
    }
    Ok(())
}
