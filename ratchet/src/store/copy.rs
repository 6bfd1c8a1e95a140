//! The command `ratchet store copy`: all records from one store into another.

use super::endpoint::{Endpoint, EtcdArgs};
use super::progress::{ProgressLine, human_bytes};
use crate::command_result::CommandResult;
use clap::Args as ClapArgs;
use ratchet_store::Store;
use ratchet_store::copy::copy;
use std::error::Error;
use std::io::Write;

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
    /// Store to copy from: a data directory, or the URLs of etcd, separated by commas.
    #[arg(long, value_name = "DIR|URLS", value_parser = Endpoint::parse)]
    from: Endpoint,

    /// Store to copy to: a data directory, or the URLs of etcd, separated by commas.
    #[arg(long, value_name = "DIR|URLS", value_parser = Endpoint::parse)]
    to: Endpoint,

    #[command(flatten)]
    etcd: EtcdArgs,
}

const EXAMPLES: &str = "Examples:
  # Copy to another disk
  ratchet store copy --from /var/lib/ratchet --to /mnt/ratchet

  # Move from the embedded store to etcd
  ratchet store copy --from /var/lib/ratchet --to https://10.0.0.1:2379,https://10.0.0.2:2379 \\
    --etcd-cafile ca.crt --etcd-certfile client.crt --etcd-keyfile client.key

  # Move back
  ratchet store copy --from etcd://127.0.0.1:2379 --to /var/lib/ratchet";

pub(super) fn run(args: CopyArgs, out: &mut dyn Write) -> CommandResult {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let text = runtime.block_on(async {
        let from = args.from.open(&args.etcd).await?;
        let to = args.to.open_or_create(&args.etcd).await?;
        transfer(&*from, &*to).await
    })?;
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
