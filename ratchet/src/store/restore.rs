//! The command `ratchet store restore`: a store from an archive.

use super::location::{DataDir, DataDirArgs};
use super::progress::ProgressLine;
use crate::command_result::CommandResult;
use clap::Args as ClapArgs;
use ratchet_embedded::{Builder, OpenError};
use ratchet_store::Revision;
use ratchet_store::archive::{ArchiveError, Reader};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// Make the store of a server from an archive.
///
/// The store is there when the whole archive is read and its SHA-256 is right, and not before. Objects keep their
/// resource versions; the revision of the store jumps by --bump-revision, so that every client that saw a later revision
/// than that of the archive lists again. Watches from before the backup are answered 410.
///
/// Exit status: 0 the store is restored; 2 nothing has changed.
#[derive(ClapArgs, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct RestoreArgs {
    /// Archive, as ratchet store backup writes it. - means standard input.
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,

    #[command(flatten)]
    data_dir: DataDirArgs,

    /// Replace the store that is in the data directory.
    #[arg(long)]
    force: bool,

    /// Number to add to the revision of the archive. 0 is safe only if nobody has seen a later revision.
    #[arg(long, value_name = "N", default_value = "1000000000")]
    bump_revision: u64,
}

const EXAMPLES: &str = "Examples:
  # Restore into a new data directory
  ratchet store restore cluster.archive --data-dir /var/lib/ratchet

  # Put the store back to what it was, with the server stopped
  ratchet store restore cluster.archive --data-dir /var/lib/ratchet --force";

pub(super) fn run(args: RestoreArgs, out: &mut dyn Write) -> CommandResult {
    let name = args.archive.display().to_string();
    let refused = |why: ArchiveError| format!("{name} {why}");
    let input: Box<dyn Read> = match args.archive == Path::new("-") {
        true => Box::new(io::stdin()),
        false => Box::new(
            File::open(&args.archive).map_err(|why| refused(ArchiveError::Unreadable(why)))?,
        ),
    };
    let mut reader = Reader::open(BufReader::with_capacity(1 << 20, input)).map_err(refused)?;
    let store = DataDir::of(args.data_dir).store();
    let mut builder = match Builder::begin(&store, args.force) {
        Err(OpenError::Exists { path }) => {
            let path = path.display();
            return Err(format!(
                "there is a store in {path} already: choose another --data-dir, or replace it with --force"
            )
            .into());
        }
        builder => builder?,
    };
    let mut line = ProgressLine::new();
    while let Some(record) = reader.next_record().map_err(refused)? {
        builder.add(record)?;
        line.show(|| format!("{} records restored", reader.records()));
    }
    let taken = reader.header().revision;
    let revision = taken.0.checked_add(args.bump_revision).filter(|sum| *sum < u64::MAX / 2);
    let revision = revision.ok_or("--bump-revision is too large")?;
    builder.finish(Revision(revision))?;
    drop(line);
    let (store, records) = (store.display(), reader.records());
    writeln!(out, "{store}: {records} records of revision {taken}, now at revision {revision}")?;
    Ok(0)
}
