//! The command `ratchet store copy`: all records from one store into another.

use super::location::DataDir;
use super::progress::{ProgressLine, human_bytes};
use crate::command_result::CommandResult;
use clap::Args as ClapArgs;
use ratchet_store::Store;
use ratchet_store::copy::copy;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Copy all objects from one store into another, which must be empty.
///
/// An interrupted copy goes on when the command is run again; until it is finished, no server starts on the target. In
/// the end both sides are read again and compared by SHA-256. Objects get new resource versions in the target, whose
/// revisions count its own commits. Servers on either side must be stopped.
///
/// Exit status: 0 both sides have the same content; 2 the copy is not finished.
#[derive(ClapArgs, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct CopyArgs {
    /// Data directory to copy from.
    #[arg(long, value_name = "DIR")]
    from: PathBuf,

    /// Data directory to copy to.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

const EXAMPLES: &str = "Examples:
  # Copy to another disk
  ratchet store copy --from /var/lib/ratchet --to /mnt/ratchet";

pub(super) fn run(args: CopyArgs, out: &mut dyn Write) -> CommandResult {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let from: Box<dyn Store> = Box::new(DataDir::new(&args.from).open()?);
    let to: Box<dyn Store> = Box::new(DataDir::new(&args.to).open_or_create()?);
    let text = runtime.block_on(transfer(&*from, &*to))?;
    writeln!(out, "{text}")?;
    Ok(0)
}

/// Copies, shows progress, and says what was done.
async fn transfer(from: &dyn Store, to: &dyn Store) -> Result<String, Box<dyn Error>> {
    let mut line = ProgressLine::new();
    let mut report = |progress: ratchet_store::copy::Progress| {
        line.show(|| {
            let bytes = human_bytes(progress.bytes);
            match progress.verifying {
                false => format!("{} records, {bytes} copied", progress.records),
                true => format!("{} records, {bytes} copied, now compared", progress.records),
            }
        });
    };
    let copied = copy(from, to, &mut report).await?;
    let progress = copied.progress;
    let (records, written) = (progress.records, progress.written);
    let bytes = human_bytes(progress.bytes);
    let (revision, hash) = (copied.revision, copied.hash);
    Ok(format!(
        "{records} records of revision {revision}, {bytes}, {written} written; both sides have {hash}"
    ))
}
