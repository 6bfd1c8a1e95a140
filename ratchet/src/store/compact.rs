//! The command `ratchet store compact`: the file of a store without history and without gaps.

use super::location::{DataDir, DataDirArgs};
use super::progress::human_bytes;
use crate::command_result::CommandResult;
use clap::Args as ClapArgs;
use std::io::Write;

/// Drop the history of a store and give unused space back to the disk.
///
/// The file is written anew beside the old one and takes its place when it is complete, so that the disk needs room for
/// both. Watches that go on from an older revision are answered 410. The server must be stopped; while it runs, it drops
/// old history by itself and uses the space again.
///
/// Exit status: 0 the file is compacted; 2 nothing has changed.
#[derive(ClapArgs, Debug)]
pub(super) struct CompactArgs {
    #[command(flatten)]
    data_dir: DataDirArgs,
}

pub(super) fn run(args: CompactArgs, out: &mut dyn Write) -> CommandResult {
    let store = DataDir::of(args.data_dir).store();
    let sizes = ratchet_embedded::compact(&store)?;
    let (before, after) = (human_bytes(sizes.before), human_bytes(sizes.after));
    writeln!(out, "{}: {before} before, {after} after", store.display())?;
    Ok(0)
}
