//! Tar archives and gzip streams whose bytes depend on nothing but their contents.

use anyhow::{Context, Result, ensure};
use flate2::{Compression, GzBuilder};
use std::io::Write;

const BLOCK: usize = 512;

/// Length of the fields that are written; the rest of a header's block is empty.
const FIELDS: usize = 265;

/// Longest path of a plain ustar header.
const LONGEST_PATH: usize = 100;

/// A file or, with a path that ends with a slash, a directory.
pub(super) struct Entry<'a> {
    pub(super) path: String,
    pub(super) mode: u32,
    /// User and group.
    pub(super) owner: u32,
    pub(super) contents: &'a [u8],
}

impl<'a> Entry<'a> {
    /// A file of root's.
    pub(super) fn file(path: impl Into<String>, mode: u32, contents: &'a [u8]) -> Self {
        Self { path: path.into(), mode, owner: 0, contents }
    }

    /// A directory.
    pub(super) fn directory(path: &str, mode: u32, owner: u32) -> Self {
        Self { path: format!("{path}/"), mode, owner, contents: b"" }
    }
}

/// A tar archive (ustar) of the entries, sorted by path, all changed at `mtime`.
pub(super) fn tar(mut entries: Vec<Entry<'_>>, mtime: u64) -> Result<Vec<u8>> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let mut out = Vec::new();
    for entry in entries {
        out.extend(header(&entry, mtime)?);
        out.extend(entry.contents);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    }
    // Two empty blocks end an archive.
    out.resize(out.len() + 2 * BLOCK, 0);
    Ok(out)
}

/// The header of one entry, a block long.
fn header(entry: &Entry<'_>, mtime: u64) -> Result<Vec<u8>> {
    let path = &entry.path;
    ensure!(path.len() <= LONGEST_PATH, "{path} is too long for a tar header");
    let kind = if path.ends_with('/') { "5" } else { "0" };
    let fill = |text: &str, width: usize| format!("{text:\0<width$}");
    let fields = |checksum: &str| {
        [
            fill(path, LONGEST_PATH),
            format!("{:07o}\0", entry.mode),
            format!("{:07o}\0", entry.owner),
            format!("{:07o}\0", entry.owner),
            format!("{:011o}\0", entry.contents.len()),
            format!("{mtime:011o}\0"),
            checksum.to_owned(),
            fill(kind, 1 + LONGEST_PATH),
            "ustar\0".to_owned(),
            "00".to_owned(),
        ]
        .concat()
    };
    // The checksum is summed up with blanks in its own place.
    let sum: u32 = fields("        ").bytes().map(u32::from).sum();
    let mut block = fields(&format!("{sum:06o}\0 ")).into_bytes();
    ensure!(block.len() == FIELDS, "{path} is too large, or too new, for a tar header");
    block.resize(BLOCK, 0);
    Ok(block)
}

/// A gzip stream without a name and a time.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    // 255 means an unknown system: the machine that packs leaves no trace.
    let mut packer =
        GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    packer.write_all(bytes).and_then(|()| packer.finish()).context("cannot pack")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    fn entries() -> Vec<Entry<'static>> {
        vec![
            Entry::file("usr/b", 0o755, b"program"),
            Entry::file("a", 0o644, &[7; 1000]),
            Entry::directory("usr", 0o755, 0),
            Entry::directory("var", 0o700, 65532),
        ]
    }

    /// What `tar --list --verbose` says.
    fn listed(archive: &[u8]) -> String {
        let mut child = Command::new("tar")
            .args(["--list", "--verbose", "--numeric-owner", "--utc", "--file", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(archive).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn tar_reads_what_was_written() {
        let text = listed(&tar(entries(), 86_400).unwrap());
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.split_whitespace().collect()).collect();
        let time = ["1970-01-02", "00:00"];
        let wanted = [
            ["-rw-r--r--", "0/0", "1000", time[0], time[1], "a"],
            ["drwxr-xr-x", "0/0", "0", time[0], time[1], "usr/"],
            ["-rwxr-xr-x", "0/0", "7", time[0], time[1], "usr/b"],
            ["drwx------", "65532/65532", "0", time[0], time[1], "var/"],
        ];
        assert_eq!(lines, wanted);
    }

    #[test]
    fn the_order_of_the_entries_does_not_matter() {
        let mut turned = entries();
        turned.reverse();
        assert_eq!(tar(turned, 0).unwrap(), tar(entries(), 0).unwrap());
    }

    #[test]
    fn a_path_that_does_not_fit_is_refused() {
        assert!(tar(vec![Entry::file("x".repeat(100), 0, b"")], 0).is_ok());
        assert!(tar(vec![Entry::file("x".repeat(101), 0, b"")], 0).is_err());
        assert!(tar(vec![Entry::file("x", 0, b"")], 1 << 33).is_err());
    }

    #[test]
    fn gzip_unpacks_and_names_no_machine() {
        let packed = gzip(b"text").unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        // Flags, time and system of the header.
        assert_eq!((packed[3], &packed[4..8], packed[9]), (0, &[0; 4][..], 255));
    }
}
