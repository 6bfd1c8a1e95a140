//! The command `ratchet store check`: everything in the file of a store is read and compared.

use super::location::{DataDir, DataDirArgs};
use super::progress::{ProgressLine, human_bytes};
use crate::command_result::CommandResult;
use clap::Args as ClapArgs;
use ratchet_embedded::{Inspection, OpenError, inspect};
use ratchet_object::{Limits, decode_json};
use ratchet_store::Record;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Exit status when something is wrong.
const UNSOUND: u8 = 1;

/// Read every record of a store, and say what is wrong.
///
/// Checksums, decoding of every object, and the indexes of keys, history and expiry are checked. The server must be
/// stopped.
///
/// Exit status: 0 the store is sound; 1 it is damaged; 2 error (no store, a server runs on it, a newer version wrote it).
#[derive(ClapArgs, Debug)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    data_dir: DataDirArgs,
}

/// Objects of one resource.
#[derive(Default)]
struct Count {
    objects: u64,
    bytes: u64,
}

pub(super) fn run(args: CheckArgs, out: &mut dyn Write) -> CommandResult {
    let store = DataDir::of(args.data_dir).store();
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let (mut line, mut read) = (ProgressLine::new(), 0);
    let inspected = inspect(&store, &mut |record| {
        read += 1;
        line.show(|| format!("{read} records read"));
        let count = counts.entry(resource(&record.key).to_owned()).or_default();
        count.objects += 1;
        count.bytes += record.value.len() as u64;
        decodes(record)
    });
    drop(line);
    let found = match inspected {
        Err(error @ OpenError::Damaged { .. }) => {
            writeln!(out, "damaged: {error}")?;
            return Ok(UNSOUND);
        }
        found => found?,
    };
    writeln!(out, "{}: {}", store.display(), summary(&found))?;
    write_counts(&counts, out)?;
    if found.problems.count == 0 {
        writeln!(out, "sound")?;
        return Ok(0);
    }
    for problem in &found.problems.reported {
        writeln!(out, "damaged: {problem}")?;
    }
    let more = found.problems.count - found.problems.reported.len() as u64;
    if more > 0 {
        writeln!(out, "damaged: {more} more")?;
    }
    writeln!(
        io::stderr(),
        "ratchet: restore the store from a backup with `ratchet store restore`"
    )?;
    Ok(UNSOUND)
}

fn summary(found: &Inspection) -> String {
    let Inspection { format, latest, oldest, records, history, expiring, bytes, .. } = found;
    let writer = found.writer.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    let bytes = human_bytes(*bytes);
    format!(
        "format {format}{writer}, {bytes}, revision {latest}, history from revision {oldest}, \
         {records} records, {history} older values, {expiring} that expire"
    )
}

fn write_counts(counts: &BTreeMap<String, Count>, out: &mut dyn Write) -> io::Result<()> {
    let width = counts.keys().map(String::len).max().unwrap_or(0).max("RESOURCE".len());
    if !counts.is_empty() {
        writeln!(out, "{:width$}  {:>9}  {:>12}", "RESOURCE", "OBJECTS", "BYTES")?;
    }
    for (resource, Count { objects, bytes }) in counts {
        writeln!(out, "{resource:width$}  {objects:>9}  {bytes:>12}")?;
    }
    Ok(())
}

/// The resource of a key: `/registry/pods/default/web` is of `pods`.
fn resource(key: &str) -> &str {
    let rest = key.strip_prefix("/registry/").and_then(|rest| rest.split_once('/'));
    rest.map_or("(other)", |(resource, _)| resource)
}

/// Whether the value of a record can be decoded.
fn decodes(record: &Record) -> Result<(), String> {
    let text = std::str::from_utf8(&record.value).map_err(|_| "its value is no text".to_owned())?;
    match decode_json(text, Limits::DEFAULT) {
        Ok(decoded) if decoded.documents.len() == 1 => Ok(()),
        Ok(_) => Err("its value is no object".to_owned()),
        Err(error) => Err(format!("its value is no object: {error:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_store::Revision;

    #[test]
    fn resources_come_from_keys() {
        let keys = [
            ("/registry/pods/default/web", "pods"),
            ("/registry/deployments.apps/a/b", "deployments.apps"),
            ("/registry/namespaces/a", "namespaces"),
            ("/registry/x", "(other)"),
            ("/else", "(other)"),
        ];
        for (key, wanted) in keys {
            assert_eq!(resource(key), wanted);
        }
    }

    #[test]
    fn values_must_decode() {
        let record = |value: &'static [u8]| Record {
            key: "/a".into(),
            value: value.into(),
            created: Revision(1),
            modified: Revision(1),
        };
        decodes(&record(br#"{"metadata":{"name":"a"}}"#)).unwrap();
        for value in [&b""[..], b"{", b"\xff", br#"{"a":1}{"b":2}"#] {
            decodes(&record(value)).unwrap_err();
        }
    }
}
