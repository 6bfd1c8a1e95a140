//! The command `ratchet store backup`: an archive of a store, from its server or from its file.

use super::location::{DataDir, DataDirArgs};
use super::progress::{ProgressLine, human_bytes};
use crate::command_result::CommandResult;
use clap::Args as ClapArgs;
use ratchet_cluster::{Cluster, ConfigFlags};
use ratchet_embedded::OpenError;
use ratchet_server::BACKUP_PATH;
use ratchet_store::Store;
use ratchet_store::archive::{Backup, Reader};
use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Write all objects of a server into an archive.
///
/// The archive is one revision of the store, whatever is written meanwhile, and ends with its SHA-256. It contains
/// secrets in plain text. Certificates and keys of the server (pki/ in its data directory) are not in it.
///
/// A server that runs on the data directory is asked for the archive with the kubeconfig beside it. With --kubeconfig or
/// --context, a server anywhere is asked; the user needs the verb get on the path /ratchet/backup, as cluster-admin has.
///
/// Exit status: 0 the archive is complete; 2 it could not be written.
#[derive(ClapArgs, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct BackupArgs {
    /// File to write the archive to. It is replaced when the archive is complete. - means standard output.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    data_dir: DataDirArgs,

    /// Path of the kubeconfig file of the server to ask.
    #[arg(long, value_name = "FILE", conflicts_with = "data_dir")]
    kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig to use [default: the current context].
    #[arg(long, value_name = "NAME", conflicts_with = "data_dir")]
    context: Option<String>,
}

const EXAMPLES: &str = "Examples:
  # Back up the store in a data directory, whether a server runs on it or not
  ratchet store backup cluster.archive --data-dir /var/lib/ratchet

  # Back up the server of a context in the kubeconfig
  ratchet store backup cluster.archive --context production

  # Compress on the way
  ratchet store backup - --data-dir /var/lib/ratchet | zstd > cluster.archive.zst";

/// Where the archive comes from.
enum Source {
    Store(Arc<dyn Store>),
    Server(ConfigFlags),
}

pub(super) fn run(args: BackupArgs, out: &mut dyn Write) -> CommandResult {
    let source = source(args.data_dir, args.kubeconfig, args.context)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    if args.file == Path::new("-") {
        // As a text: half a backup is a failure, even if the reader has closed the pipe.
        let half = |error: &dyn std::fmt::Display| format!("the backup is not complete: {error}");
        runtime.block_on(write(source, out)).map_err(|error| half(&error))?;
        out.flush().map_err(|error| half(&error))?;
        return Ok(0);
    }
    let folder = args.file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let unwritable = |error: io::Error| format!("cannot write {}: {error}", args.file.display());
    // Made with mode 0600: there are secrets in it.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(unwritable)?;
    runtime.block_on(write(source, file.as_file_mut()))?;
    let summary = verify(file.path()).map_err(|why| format!("the archive {why}"))?;
    file.as_file().sync_all().map_err(unwritable)?;
    file.persist(&args.file).map_err(|error| unwritable(error.error))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(unwritable)?;
    writeln!(out, "{}: {summary}", args.file.display())?;
    Ok(0)
}

/// The store in the data directory, or the server that has it.
fn source(
    data_dir: DataDirArgs,
    kubeconfig: Option<PathBuf>,
    context: Option<String>,
) -> Result<Source, Box<dyn Error>> {
    if kubeconfig.is_some() || context.is_some() {
        return Ok(Source::Server(ConfigFlags { kubeconfig, context, ..ConfigFlags::default() }));
    }
    let data_dir = DataDir::of(data_dir);
    match data_dir.open() {
        Ok(store) => Ok(Source::Store(Arc::new(store))),
        Err(OpenError::InUse { .. }) if data_dir.kubeconfig().is_file() => {
            let kubeconfig = Some(data_dir.kubeconfig());
            Ok(Source::Server(ConfigFlags { kubeconfig, ..ConfigFlags::default() }))
        }
        Err(error) => Err(error.into()),
    }
}

async fn write(source: Source, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let mut line = ProgressLine::new();
    let mut bytes = 0;
    let mut put = |piece: &[u8]| {
        bytes += piece.len() as u64;
        line.show(|| format!("{} written", human_bytes(bytes)));
        out.write_all(piece)
    };
    match source {
        Source::Store(store) => {
            let mut backup = Backup::begin(store).await?;
            while let Some(piece) = backup.next_piece().await? {
                put(&piece)?;
            }
        }
        Source::Server(flags) => {
            let cluster = Cluster::connect(&flags).await?;
            let mut download = cluster.download(BACKUP_PATH).await?;
            while let Some(piece) = download.next_piece().await? {
                put(&piece)?;
            }
        }
    }
    Ok(())
}

/// Reads the archive again: what arrived counts, not what was sent.
fn verify(path: &Path) -> Result<String, Box<dyn Error>> {
    let mut reader = Reader::open(BufReader::new(File::open(path)?))?;
    while reader.next_record()?.is_some() {}
    let (revision, records) = (reader.header().revision, reader.records());
    Ok(format!("revision {revision}, {records} records, {} bytes", reader.bytes()))
}
