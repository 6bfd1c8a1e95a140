//! TLS as the API server speaks it: a client may show any certificate, and our own pair is replaced while we serve.

mod pair;
mod verifier;

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use pair::Pair;
pub use pair::TlsError;

/// Where a certificate chain and its key are, both in PEM.
#[derive(Debug, Clone)]
pub struct KeyFiles {
    /// The chain, the server's own certificate first.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// The server's certificates, which follow their files.
///
/// A new pair is taken when both files are whole and belong together; until then the old one is kept. Connections that
/// stand are not touched.
#[derive(Debug)]
pub struct TlsReload {
    sources: Arc<Sources>,
    config: Arc<ServerConfig>,
}

impl TlsReload {
    /// One pair for every name.
    pub fn from_files(
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Result<Arc<Self>, TlsError> {
        let files = KeyFiles { certificate: certificate.into(), key: key.into() };
        Self::from_pairs(files, Vec::new())
    }

    /// A pair for every name, and pairs for the names beside them (or, where there are none, the names that the
    /// certificate itself holds), as `--tls-sni-cert-key` gives them.
    pub fn from_pairs(
        any: KeyFiles,
        named: Vec<(KeyFiles, Vec<String>)>,
    ) -> Result<Arc<Self>, TlsError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let any = Source::open(any, Vec::new(), &provider)?;
        let named = named
            .into_iter()
            .map(|(files, names)| Source::open(files, names, &provider))
            .collect::<Result<_, _>>()?;
        let sources = Arc::new(Sources { any, named, provider: Arc::clone(&provider) });

        let mut config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Settings)?
            .with_client_cert_verifier(Arc::new(verifier::AnyCertificate::new(&provider)))
            .with_cert_resolver(Arc::clone(&sources) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(Self { sources, config: Arc::new(config) }))
    }

    /// Looks at the files now, as SIGHUP asks; what is broken is told in the log and changes nothing.
    pub fn reload_now(&self) {
        for source in self.sources.all() {
            source.reload(&self.sources.provider);
        }
    }

    /// Looks at the files again and again, for ever; secret mounts swap links, which polling sees and inotify does not.
    pub async fn watch(self: Arc<Self>, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            let this = Arc::clone(&self);
            // A slow disk must not hold up the requests of this thread.
            if tokio::task::spawn_blocking(move || this.reload_now()).await.is_err() {
                tracing::error!("looking at the serving certificate failed");
            }
        }
    }

    /// What the handshake uses.
    pub(crate) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }
}

#[derive(Debug)]
struct Sources {
    any: Source,
    named: Vec<Source>,
    provider: Arc<CryptoProvider>,
}

impl Sources {
    fn all(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.any).chain(&self.named)
    }
}

impl ResolvesServerCert for Sources {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let named = hello.server_name().and_then(|name| self.named.iter().find(|s| s.serves(name)));
        Some(Arc::clone(&named.unwrap_or(&self.any).pair.load().key))
    }
}

/// One pair of files and what was last read from them.
#[derive(Debug)]
struct Source {
    files: KeyFiles,
    names: Vec<String>,
    pair: ArcSwap<Pair>,
    /// A digest of the contents last looked at, good or bad, so that a broken pair is told once.
    seen: Mutex<u64>,
    digests: RandomState,
}

impl Source {
    fn open(
        files: KeyFiles,
        names: Vec<String>,
        provider: &CryptoProvider,
    ) -> Result<Self, TlsError> {
        let contents = Contents::read(&files)?;
        let pair = Pair::parse(&files, &contents, provider)?;
        let digests = RandomState::new();
        let seen = Mutex::new(digests.hash_one(&contents));
        let names = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
        Ok(Self { files, names, pair: ArcSwap::from_pointee(pair), seen, digests })
    }

    fn serves(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let pair = self.pair.load();
        let names = if self.names.is_empty() { &pair.names } else { &self.names };
        names.iter().any(|pattern| covers(pattern, &name))
    }

    fn reload(&self, provider: &CryptoProvider) {
        match self.read_if_new(provider) {
            Ok(Some(pair)) => {
                self.pair.store(Arc::new(pair));
                tracing::info!(certificate = %self.files.certificate.display(), "serving certificate replaced");
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "the new serving certificate is not usable, the old one stays");
            }
        }
    }

    fn read_if_new(&self, provider: &CryptoProvider) -> Result<Option<Pair>, TlsError> {
        let read = Contents::read(&self.files);
        let digest = match &read {
            Ok(contents) => self.digests.hash_one(contents),
            Err(error) => self.digests.hash_one(error.to_string()),
        };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *seen, digest) == digest {
            return Ok(None);
        }
        Pair::parse(&self.files, &read?, provider).map(Some)
    }
}

/// Whether a name of a certificate stands for this host: itself, or `*.` for one label.
fn covers(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(rest) => host.split_once('.').is_some_and(|(_, parent)| parent == rest),
        None => pattern == host,
    }
}

/// The bytes of both files.
#[derive(Hash)]
struct Contents {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Contents {
    fn read(files: &KeyFiles) -> Result<Self, TlsError> {
        let read = |path: &PathBuf| {
            std::fs::read(path).map_err(|error: io::Error| TlsError::Read(path.clone(), error))
        };
        Ok(Self { certificate: read(&files.certificate)?, key: read(&files.key)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificates::Authority;

    fn pair(authority: &Authority, dir: &std::path::Path, name: &str) -> KeyFiles {
        let (certificate, key) = authority.client(name, &[]).unwrap();
        let files = KeyFiles { certificate: dir.join("tls.crt"), key: dir.join("tls.key") };
        std::fs::write(&files.certificate, certificate).unwrap();
        std::fs::write(&files.key, key).unwrap();
        files
    }

    fn shown(tls: &TlsReload) -> Vec<u8> {
        tls.sources.any.pair.load().key.cert[0].to_vec()
    }

    #[test]
    fn a_new_pair_is_taken_and_a_broken_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let files = pair(&authority, dir.path(), "one");
        let tls = TlsReload::from_files(&files.certificate, &files.key).unwrap();
        let first = shown(&tls);

        tls.reload_now();
        assert_eq!(shown(&tls), first, "nothing changed");

        std::fs::write(&files.certificate, "garbage").unwrap();
        tls.reload_now();
        assert_eq!(shown(&tls), first, "a broken certificate is not taken");

        let (other, _) = authority.client("other", &[]).unwrap();
        std::fs::write(&files.certificate, other).unwrap();
        tls.reload_now();
        assert_eq!(shown(&tls), first, "a certificate of another key is not taken");

        std::fs::remove_file(&files.key).unwrap();
        tls.reload_now();
        assert_eq!(shown(&tls), first, "a missing key changes nothing");

        pair(&authority, dir.path(), "two");
        tls.reload_now();
        assert_ne!(shown(&tls), first, "a whole pair is taken");
    }

    #[test]
    fn names_choose_their_pair() {
        assert!(covers("a.example", "a.example"));
        assert!(!covers("a.example", "b.example"));
        assert!(covers("*.example", "a.example"));
        assert!(!covers("*.example", "a.b.example"));
        assert!(!covers("*.example", "example"));
    }

    #[test]
    fn a_named_pair_serves_its_own_names_or_those_it_was_given() {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let files = authority.serving(&["a.example".into(), "*.b.example".into()]).unwrap();
        let named = vec![(files.clone(), vec![]), (files.clone(), vec!["C.example".into()])];
        let tls = TlsReload::from_pairs(files, named).unwrap();
        let [own, given] = &tls.sources.named[..] else { panic!("two pairs") };
        assert!(own.serves("A.example") && own.serves("x.b.example") && !own.serves("c.example"));
        assert!(given.serves("c.EXAMPLE") && !given.serves("a.example"));
    }

    #[test]
    fn a_server_does_not_start_without_a_whole_pair() {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let files = pair(&authority, dir.path(), "one");
        let refused = |error: TlsError, word: &str| {
            assert!(error.to_string().contains(word), "{error} lacks {word}");
        };
        std::fs::write(&files.key, "").unwrap();
        let open = || TlsReload::from_files(&files.certificate, &files.key).unwrap_err();
        refused(open(), "no private key");
        std::fs::remove_file(&files.key).unwrap();
        refused(open(), "tls.key");
        std::fs::write(&files.certificate, "").unwrap();
        std::fs::write(&files.key, "").unwrap();
        refused(open(), "no certificate");
    }
}
