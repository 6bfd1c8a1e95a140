//! The command `ratchet store`: backup, restore, check, compact and copy of a server's store.

mod backup;
mod check;
mod compact;
mod copy;
mod endpoint;
mod location;
mod progress;
mod restore;

use crate::command_result::CommandResult;
use clap::{Args as ClapArgs, Subcommand};
use std::io::Write;

/// Back up, restore, check, compact or copy the store of a server.
#[derive(ClapArgs, Debug)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Debug, Subcommand)]
enum StoreCommand {
    Backup(backup::BackupArgs),
    Restore(restore::RestoreArgs),
    Check(check::CheckArgs),
    Compact(compact::CompactArgs),
    Copy(copy::CopyArgs),
}

const EXAMPLES: &str = "Examples:
  # Back up the store of a server, whether it runs or not
  ratchet store backup cluster.archive --data-dir /var/lib/ratchet

  # Make a new store from the backup
  ratchet store restore cluster.archive --data-dir /var/lib/ratchet-2

  # Read everything, and say what is wrong
  ratchet store check --data-dir /var/lib/ratchet";

pub(crate) fn run(args: StoreArgs, out: &mut dyn Write) -> CommandResult {
    match args.command {
        StoreCommand::Backup(args) => backup::run(args, out),
        StoreCommand::Restore(args) => restore::run(args, out),
        StoreCommand::Check(args) => check::run(args, out),
        StoreCommand::Compact(args) => compact::run(args, out),
        StoreCommand::Copy(args) => copy::run(args, out),
    }
}
