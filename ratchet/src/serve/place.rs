//! `Place`: where a server keeps objects, certificates and its kubeconfig.

use super::args::ServeArgs;
use super::files;
use crate::etcd::notice::Notice;
use ratchet_embedded::{Embedded, OpenError, Options};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The data directory that is none.
const MEMORY: &str = ":memory:";
/// Bytes of a store in memory that are cached besides.
const MEMORY_CACHE: usize = 1 << 20;
/// The folder of this server's files in a directory of kube-apiserver or etcd.
const OWN: &str = "ratchet";

/// A store, and the directories of the files beside it.
pub(crate) struct Place {
    /// The directory of the kubeconfig.
    pub(crate) dir: PathBuf,
    /// The directory of generated certificates and keys.
    pub(crate) pki: PathBuf,
    /// Whether files must survive a power cut.
    pub(crate) flush: bool,
    location: Location,
    /// Removed with the server.
    temporary: Option<TempDir>,
}

/// Where objects are kept.
#[derive(Debug, PartialEq, Eq)]
enum Location {
    Memory,
    /// A folder, and whether commits must be on the disk before they count.
    Folder(PathBuf, bool),
}

impl Place {
    /// Finds the place that the flags mean, and makes its directories.
    pub(crate) fn prepare(args: &ServeArgs) -> Result<Self, String> {
        let is_memory =
            args.storage.data_dir.as_deref().is_some_and(|dir| dir == Path::new(MEMORY));
        match &args.storage.data_dir {
            Some(_) if is_memory => Self::passing(args, Location::Memory),
            Some(dir) => Self::lasting(args, dir),
            None => match Notice::ask(&args.storage.etcd_servers) {
                Some(Notice { data_dir, flush }) => {
                    Self::passing(args, Location::Folder(data_dir.join(OWN), flush))
                }
                None if args.storage.is_test_server => Self::passing(args, Location::Memory),
                None => {
                    let env = |name: &str| std::env::var_os(name).map(PathBuf::from);
                    Self::lasting(args, &files::usual_data_dir(env))
                }
            },
        }
    }

    /// Everything is in one data directory.
    fn lasting(args: &ServeArgs, dir: &Path) -> Result<Self, String> {
        files::make_data_dir(dir)?;
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let pki = args.serving.cert_dir.clone().unwrap_or_else(|| dir.join("pki"));
        let location = Location::Folder(dir.join("store"), true);
        Ok(Self { dir, pki, flush: true, location, temporary: None })
    }

    /// The files are of no use after the server: a test's directory of certificates, else a temporary one, has them.
    fn passing(args: &ServeArgs, location: Location) -> Result<Self, String> {
        let cert_dir = args.serving.cert_dir.clone();
        if let Some(given) = cert_dir.as_ref().filter(|_| args.storage.is_test_server) {
            // Names of files beside those of kube-apiserver could be anybody's.
            let dir = given.join(OWN);
            files::make_data_dir(&dir)?;
            let dir = dir.canonicalize().unwrap_or(dir);
            return Ok(Self { pki: dir.join("pki"), dir, flush: false, location, temporary: None });
        }
        let temporary = tempfile::Builder::new().prefix("ratchet-").tempdir().map_err(|why| {
            format!("cannot make a temporary directory: {why}: set TMPDIR to a directory with room")
        })?;
        let dir = temporary.path().to_owned();
        let pki = cert_dir.unwrap_or_else(|| dir.join("pki"));
        Ok(Self { dir, pki, flush: false, location, temporary: Some(temporary) })
    }

    /// Opens the store.
    pub(crate) fn open_store(&self) -> Result<Embedded, OpenError> {
        let usual = Options::default();
        match &self.location {
            Location::Memory => Embedded::in_memory(Options { cache: MEMORY_CACHE, ..usual }),
            Location::Folder(path, flush) => {
                Embedded::open(path, Options { flush: *flush, ..usual })
            }
        }
    }

    /// Whether the store is another one than the flags of etcd name.
    pub(crate) fn ignores_etcd(&self, args: &ServeArgs) -> bool {
        let is_lent = matches!(&self.location, Location::Folder(path, _) if path.ends_with(OWN));
        !args.storage.etcd_servers.is_empty() && !is_lent
    }

    /// Removes the files of a server that has ended, if nobody needs them.
    pub(crate) fn remove(self) {
        if let Some(temporary) = self.temporary
            && let Err(error) = temporary.close()
        {
            tracing::warn!(%error, "the temporary directory is left behind");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Command};
    use clap::Parser;

    fn args(flags: &[String], is_test_server: bool) -> ServeArgs {
        let flags = flags.iter().map(String::as_str);
        let Command::Serve(mut args) =
            Args::try_parse_from(["ratchet", "serve"].into_iter().chain(flags)).unwrap().command
        else {
            panic!("serve")
        };
        args.storage.is_test_server = is_test_server;
        *args
    }

    fn prepared(flags: &[String], is_test_server: bool) -> Place {
        Place::prepare(&args(flags, is_test_server)).unwrap()
    }

    #[test]
    fn a_data_directory_has_everything() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let data = folder.join("data");
        let place = prepared(&[format!("--data-dir={}", data.display())], true);
        assert_eq!((&place.dir, &place.pki, place.flush), (&data, &data.join("pki"), true));
        assert_eq!(place.location, Location::Folder(data.join("store"), true));
        let certs = folder.join("certs");
        let flags =
            [format!("--data-dir={}", data.display()), format!("--cert-dir={}", certs.display())];
        assert_eq!(prepared(&flags, false).pki, certs);
    }

    #[test]
    fn memory_leaves_nothing_behind() {
        let place = prepared(&["--data-dir=:memory:".into()], false);
        assert_eq!((&place.location, place.flush), (&Location::Memory, false));
        assert!(place.dir.is_dir() && place.pki.starts_with(&place.dir));
        let dir = place.dir.clone();
        place.remove();
        assert!(!dir.exists());
    }

    #[test]
    fn a_test_server_keeps_to_its_directory_of_certificates() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let flags = [
            format!("--cert-dir={}", folder.display()),
            "--etcd-servers=http://127.0.0.1:1".into(),
        ];
        let place = prepared(&flags, true);
        assert_eq!(place.location, Location::Memory);
        assert_eq!((&place.dir, place.flush), (&folder.join(OWN), false));
        assert_eq!(place.pki, folder.join(OWN).join("pki"));
        assert!(place.ignores_etcd(&args(&flags, true)));
        assert!(!place.ignores_etcd(&args(&[], true)));
        place.remove();
        assert!(folder.join(OWN).is_dir(), "whoever made the directory removes it");
    }
}
