//! Tar archives as a stream: the names and contents of regular files, one after the other.

use std::io::{self, Read};

const BLOCK: usize = 512;
/// A larger file in a backup is no object of Kubernetes, and is not read.
pub(crate) const LARGEST_FILE: u64 = 16 << 20;
/// A longer name is no name.
const LARGEST_NAME: u64 = 64 << 10;

/// Calls `each` with every regular file of an archive that `wanted` accepts by its name; without the contents of one that
/// is too large. Nothing is written, so that it does not matter where names and links lead to.
pub(crate) fn for_each_file(
    mut input: impl Read,
    wanted: impl Fn(&str) -> bool,
    mut each: impl FnMut(&str, Option<&[u8]>) -> io::Result<()>,
) -> io::Result<()> {
    let mut header = [0; BLOCK];
    let mut long_name: Option<String> = None;
    while read_block(&mut input, &mut header)? {
        if header.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        if checksum(&header) != number(header.get(148..156).unwrap_or_default()) {
            return Err(io::Error::other(
                "no tar archive, or a damaged one: unpack other archives first",
            ));
        }
        let size = number(header.get(124..136).unwrap_or_default())
            .ok_or_else(|| io::Error::other("a file in the tar archive has no size"))?;
        let kind = header.get(156).copied().unwrap_or(0);
        match kind {
            // Names that do not fit: of GNU tar, and of POSIX.
            b'L' | b'x' if size <= LARGEST_NAME => {
                let bytes = contents(&mut input, size)?;
                long_name = if kind == b'L' { Some(text(&bytes)) } else { pax_path(&bytes) };
            }
            0 | b'0' => {
                let name = long_name.take().unwrap_or_else(|| short_name(&header));
                match wanted(&name) {
                    true if size <= LARGEST_FILE => {
                        each(&name, Some(&contents(&mut input, size)?))?;
                    }
                    is_wanted => {
                        skip(&mut input, padded(size))?;
                        if is_wanted {
                            each(&name, None)?;
                        }
                    }
                }
            }
            _ => {
                long_name = None;
                skip(&mut input, padded(size))?;
            }
        }
    }
    Ok(())
}

/// Reads a block; `false` at the end of the input.
fn read_block(input: &mut impl Read, block: &mut [u8; BLOCK]) -> io::Result<bool> {
    let mut filled = 0;
    while filled < BLOCK {
        match input.read(block.get_mut(filled..).unwrap_or_default()) {
            Ok(0) if filled == 0 => return Ok(false),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(size) => filled += size,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

fn padded(size: u64) -> u64 {
    size.checked_next_multiple_of(BLOCK as u64).unwrap_or(u64::MAX)
}

fn contents(input: &mut impl Read, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = input.by_ref().take(size).read_to_end(&mut bytes)?;
    if (read as u64) < size {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    skip(input, padded(size) - size)?;
    Ok(bytes)
}

fn skip(input: &mut impl Read, size: u64) -> io::Result<()> {
    let skipped = io::copy(&mut input.by_ref().take(size), &mut io::sink())?;
    if skipped < size { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

/// The sum of a header's bytes, with blanks in place of the sum itself.
fn checksum(header: &[u8; BLOCK]) -> Option<u64> {
    let sum = header.iter().enumerate().map(|(at, byte)| match at {
        148..156 => u64::from(b' '),
        _ => u64::from(*byte),
    });
    Some(sum.sum())
}

/// An octal number, or a binary one as GNU tar writes large ones.
fn number(field: &[u8]) -> Option<u64> {
    if field.first().is_some_and(|byte| byte & 0x80 != 0) {
        let digits = field.get(field.len().saturating_sub(8)..)?;
        return Some(digits.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
    }
    let text = text(field);
    u64::from_str_radix(text.trim(), 8).ok()
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

/// The name of a header, with the prefix of POSIX before it.
fn short_name(header: &[u8; BLOCK]) -> String {
    let name = text(header.get(..100).unwrap_or_default());
    let is_posix = header.get(257..262) == Some(b"ustar");
    match text(header.get(345..500).unwrap_or_default()).as_str() {
        prefix if is_posix && !prefix.is_empty() => format!("{prefix}/{name}"),
        _ => name,
    }
}

/// The path in an extended header of POSIX: lines of a length, a blank, a key, an equals sign and a value.
fn pax_path(bytes: &[u8]) -> Option<String> {
    let records = String::from_utf8_lossy(bytes);
    let mut values =
        records.lines().filter_map(|line| line.split_once(' ')?.1.strip_prefix("path="));
    values.next_back().map(str::to_owned)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A tar archive of files.
    pub(crate) fn archive(files: &[(&str, &str)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, text) in files {
            if name.len() > 100 {
                entry(&mut out, "././@LongLink", name.as_bytes(), b'L');
            }
            entry(&mut out, &name[..name.len().min(100)], text.as_bytes(), b'0');
        }
        out.extend([0; 1024]);
        out
    }

    fn entry(out: &mut Vec<u8>, name: &str, bytes: &[u8], kind: u8) {
        let mut header = [0u8; BLOCK];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[156] = kind;
        let sum = format!("{:06o}\0 ", checksum(&header).unwrap());
        header[148..156].copy_from_slice(sum.as_bytes());
        out.extend(header);
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    }

    #[test]
    fn files_come_with_their_names_and_damage_is_an_error() {
        let long = format!("resources/{}/x.json", "a".repeat(200));
        let bytes = archive(&[("a.json", "{}"), (&long, "[1]"), ("b.txt", "no")]);
        let mut found = Vec::new();
        for_each_file(
            &bytes[..],
            |name| name.ends_with(".json"),
            |name, bytes| {
                found.push((name.to_owned(), bytes.map(<[u8]>::len)));
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(found, [("a.json".to_owned(), Some(2)), (long, Some(3))]);
        let all = |bytes: &[u8]| for_each_file(bytes, |_| true, |_, _| Ok(()));
        assert!(all(&bytes[..700]).is_err());
        assert!(all(&[b'x'; 2048]).is_err());
        assert!(all(&[]).is_ok());
    }

    #[test]
    fn a_file_that_is_too_large_is_told_and_links_are_not_read() {
        let mut bytes = Vec::new();
        entry(&mut bytes, "link.json", b"", b'2');
        entry(&mut bytes, "../../etc/x.json", b"{}", b'0');
        entry(&mut bytes, "large.json", &vec![b' '; LARGEST_FILE as usize + 1], b'0');
        entry(&mut bytes, "after.json", b"[]", b'0');
        let mut found = Vec::new();
        for_each_file(
            &bytes[..],
            |_| true,
            |name, bytes| {
                found.push((name.to_owned(), bytes.is_some()));
                Ok(())
            },
        )
        .unwrap();
        let wanted = [("../../etc/x.json", true), ("large.json", false), ("after.json", true)];
        assert_eq!(found, wanted.map(|(name, is_read)| (name.to_owned(), is_read)));
        // A size beyond the archive, and one that nothing has.
        let largest = [0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        for size in [*b"77777777777\0", largest] {
            let mut header = [0u8; BLOCK];
            header[124..136].copy_from_slice(&size);
            let sum = format!("{:06o}\0 ", checksum(&header).unwrap());
            header[148..156].copy_from_slice(sum.as_bytes());
            assert!(for_each_file(&header[..], |_| false, |_, _| Ok(())).is_err());
        }
    }
}
