//! `DataLocation`: where a server keeps objects, certificates and its kubeconfig.

use super::args::ServeArgs;
use super::etcd_config;
use super::etcd_overrides::{self, Override};
use super::files;
use super::temporary_dir::TemporaryDir;
use crate::etcd::notice::Notice;
use ratchet_embedded::{Embedded, Options};
use ratchet_etcd::{EtcdConfig, EtcdStore};
use ratchet_store::Split;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The data directory that is none.
const MEMORY: &str = ":memory:";
/// Bytes of a store in memory that are cached besides.
const MEMORY_CACHE: usize = 1 << 20;
/// The folder of this server's files in a directory of kube-apiserver or etcd.
const OWN: &str = "ratchet";

/// A store, and the directories of the files beside it.
pub(crate) struct DataLocation {
    /// The directory of the kubeconfig.
    pub(crate) dir: PathBuf,
    /// The directory of generated certificates and keys.
    pub(crate) pki: PathBuf,
    /// Whether files must survive a power cut.
    pub(crate) flush: bool,
    store: StoreLocation,
    /// Removed with the server.
    temporary: Option<TemporaryDir>,
}

/// Where objects are kept.
#[derive(Debug, PartialEq, Eq)]
enum StoreLocation {
    Memory,
    /// A folder, and whether commits must be on the disk before they count.
    Folder(PathBuf, bool),
    /// Many machines, and others for some resources.
    Etcd(EtcdConfig, Vec<Override>),
}

impl DataLocation {
    /// Finds the location that the flags mean, and makes its directories.
    pub(crate) fn prepare(args: &ServeArgs) -> Result<Self, String> {
        let location = Self::find(args)?;
        if !args.storage.etcd_servers_overrides.is_empty() && !location.is_shared() {
            return Err(
                "--etcd-servers-overrides needs --etcd-servers: the objects of other resources \
                        are in the server's own store"
                    .to_owned(),
            );
        }
        Ok(location)
    }

    fn find(args: &ServeArgs) -> Result<Self, String> {
        if args.storage.data_dir.is_some()
            && !args.storage.etcd_servers.is_empty()
            && !args.storage.is_test_server
        {
            return Err("--data-dir and --etcd-servers exclude each other: objects are kept in a \
                        directory or in etcd (--cert-dir names a directory for the certificates)"
                .to_owned());
        }
        match args.storage.data_dir.as_deref() {
            Some(dir) if dir == Path::new(MEMORY) => Self::passing(args, StoreLocation::Memory),
            Some(dir) => Self::lasting(args, dir),
            None => match Notice::ask(&args.storage.etcd_servers) {
                Some(Notice { data_dir, flush }) => {
                    Self::passing(args, StoreLocation::Folder(data_dir.join(OWN), flush))
                }
                None if args.storage.is_test_server => Self::passing(args, StoreLocation::Memory),
                None => {
                    let env = |name: &str| std::env::var_os(name).map(PathBuf::from);
                    let usual = Self::lasting(args, &files::usual_data_dir(env))?;
                    match etcd_config::resolve(&args.storage)? {
                        Some(etcd) => {
                            let overrides = etcd_overrides::resolve(&args.storage, &etcd);
                            Ok(Self { store: StoreLocation::Etcd(etcd, overrides), ..usual })
                        }
                        None => Ok(usual),
                    }
                }
            },
        }
    }

    /// Everything is in one data directory.
    fn lasting(args: &ServeArgs, dir: &Path) -> Result<Self, String> {
        files::make_data_dir(dir)?;
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let pki = args.serving.cert_dir.clone().unwrap_or_else(|| dir.join("pki"));
        let store = StoreLocation::Folder(dir.join(files::STORE_FOLDER), true);
        Ok(Self { dir, pki, flush: true, store, temporary: None })
    }

    /// The files are of no use after the server: a test's directory of certificates, else a temporary one, has them.
    fn passing(args: &ServeArgs, store: StoreLocation) -> Result<Self, String> {
        let cert_dir = args.serving.cert_dir.clone();
        if let Some(given) = cert_dir.as_ref().filter(|_| args.storage.is_test_server) {
            // Names of files beside those of kube-apiserver could be anybody's.
            let dir = given.join(OWN);
            files::make_data_dir(&dir)?;
            let dir = dir.canonicalize().unwrap_or(dir);
            return Ok(Self { pki: dir.join("pki"), dir, flush: false, store, temporary: None });
        }
        let temporary = TemporaryDir::new().map_err(|why| {
            format!("cannot make a temporary directory: {why}: set TMPDIR to a directory with room")
        })?;
        temporary.remove_others();
        let dir = temporary.path().to_owned();
        let pki = cert_dir.unwrap_or_else(|| dir.join("pki"));
        Ok(Self { dir, pki, flush: false, store, temporary: Some(temporary) })
    }

    /// Opens the store.
    pub(crate) async fn open_store(&self) -> Result<Split, Box<dyn Error>> {
        let usual = Options::default();
        Ok(match &self.store {
            StoreLocation::Memory => {
                Arc::new(Embedded::in_memory(Options { cache: MEMORY_CACHE, ..usual })?).into()
            }
            StoreLocation::Folder(path, flush) => {
                Arc::new(Embedded::open(path, Options { flush: *flush, ..usual })?).into()
            }
            StoreLocation::Etcd(config, overrides) => {
                let mut split = Split::from(Arc::new(EtcdStore::connect(config.clone()).await?));
                for Override { prefixes, config } in overrides {
                    let store = EtcdStore::connect(config.clone()).await.map_err(|why| {
                        format!("--etcd-servers-overrides={}: {why}", config.endpoints.join(";"))
                    })?;
                    split = split.with(prefixes.iter().cloned(), Arc::new(store));
                }
                split
            }
        })
    }

    /// Whether other servers can use the store at the same time.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.store, StoreLocation::Etcd(..))
    }

    /// Whether the store is another one than the flags of etcd name.
    pub(crate) fn ignores_etcd(&self, args: &ServeArgs) -> bool {
        let is_used = match &self.store {
            StoreLocation::Memory => false,
            StoreLocation::Folder(path, _) => path.ends_with(OWN),
            StoreLocation::Etcd(..) => true,
        };
        !args.storage.etcd_servers.is_empty() && !is_used
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

    fn prepared(flags: &[String], is_test_server: bool) -> DataLocation {
        DataLocation::prepare(&args(flags, is_test_server)).unwrap()
    }

    #[test]
    fn a_data_directory_has_everything() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let data = folder.join("data");
        let found = prepared(&[format!("--data-dir={}", data.display())], true);
        assert_eq!((&found.dir, &found.pki, found.flush), (&data, &data.join("pki"), true));
        assert_eq!(found.store, StoreLocation::Folder(data.join("store"), true));
        let certs = folder.join("certs");
        let flags =
            [format!("--data-dir={}", data.display()), format!("--cert-dir={}", certs.display())];
        assert_eq!(prepared(&flags, false).pki, certs);
    }

    #[test]
    fn a_directory_and_etcd_exclude_each_other() {
        for dir in ["/tmp/data", ":memory:"] {
            let flags = [format!("--data-dir={dir}"), "--etcd-servers=http://127.0.0.1:1".into()];
            let refused = DataLocation::prepare(&args(&flags, false)).err().unwrap();
            assert!(refused.starts_with("--data-dir and --etcd-servers exclude each other"));
        }
    }

    #[test]
    fn memory_leaves_nothing_behind() {
        let data = prepared(&["--data-dir=:memory:".into()], false);
        assert_eq!((&data.store, data.flush), (&StoreLocation::Memory, false));
        assert!(data.dir.is_dir() && data.pki.starts_with(&data.dir));
        let dir = data.dir.clone();
        data.remove();
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
        let data = prepared(&flags, true);
        assert_eq!(data.store, StoreLocation::Memory);
        assert_eq!((&data.dir, data.flush), (&folder.join(OWN), false));
        assert_eq!(data.pki, folder.join(OWN).join("pki"));
        assert!(data.ignores_etcd(&args(&flags, true)));
        assert!(!data.ignores_etcd(&args(&[], true)));
        data.remove();
        assert!(folder.join(OWN).is_dir(), "whoever made the directory removes it");
    }
}
