//! TLS as the API server speaks it: a client may show any certificate, and our own pair is replaced while we serve.

mod pair;
mod verifier;

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use rustls::crypto::CryptoProvider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{DistinguishedName, ServerConfig};

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
    config: ArcSwap<ServerConfig>,
}

/// How many bytes the names of authorities may take together in a handshake: it has room for 2^16, and other things.
const MOST_NAMES: usize = 60_000;

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
        let sources = Arc::new(Sources { any, named, provider });
        let config = ArcSwap::from_pointee(settings(&sources, Vec::new())?);
        Ok(Arc::new(Self { sources, config }))
    }

    /// Names the authorities of clients in handshakes from now on, by the subjects of their certificates (the inside of
    /// the DER sequence). A client that holds certificates of several authorities chooses by these names. What does
    /// not fit is not named at all: an empty list stands for any authority.
    pub fn name_authorities<'s>(
        &self,
        subjects: impl IntoIterator<Item = &'s [u8]>,
    ) -> Result<(), TlsError> {
        let mut names: Vec<DistinguishedName> = Vec::new();
        for subject in subjects {
            let name = DistinguishedName::in_sequence(subject);
            if !names.iter().any(|known| known.as_ref() == name.as_ref()) {
                names.push(name);
            }
        }
        let size: usize = names.iter().map(|name| name.as_ref().len() + 2).sum();
        if size > MOST_NAMES {
            tracing::warn!(size, "too many authorities of clients to name them in handshakes");
            names.clear();
        }
        self.config.store(Arc::new(settings(&self.sources, names)?));
        Ok(())
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
        self.config.load_full()
    }
}

/// The settings of handshakes. New ones also forget the sessions of the old ones, and with them who clients were.
fn settings(
    sources: &Arc<Sources>,
    authorities: Vec<DistinguishedName>,
) -> Result<ServerConfig, TlsError> {
    let verifier = verifier::AnyCertificate::new(&sources.provider, authorities);
    let mut config = ServerConfig::builder_with_provider(Arc::clone(&sources.provider))
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Settings)?
        .with_client_cert_verifier(Arc::new(verifier))
        .with_cert_resolver(Arc::clone(sources) as Arc<dyn ResolvesServerCert>);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
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

    /// The names of authorities that a handshake tells a client.
    fn told(tls: &TlsReload, authority: &Authority) -> Vec<Vec<u8>> {
        #[derive(Debug, Default)]
        struct Listens(Mutex<Vec<Vec<u8>>>);
        impl rustls::client::ResolvesClientCert for Listens {
            fn resolve(
                &self,
                names: &[&[u8]],
                _: &[rustls::SignatureScheme],
            ) -> Option<Arc<CertifiedKey>> {
                *self.0.lock().unwrap() = names.iter().map(|name| name.to_vec()).collect();
                None
            }
            fn has_certs(&self) -> bool {
                true
            }
        }
        use rustls::pki_types::pem::PemObject;
        let mut roots = rustls::RootCertStore::empty();
        let root = rustls::pki_types::CertificateDer::from_pem_slice(authority.pem().as_bytes());
        roots.add(root.unwrap()).unwrap();
        let listens = Arc::new(Listens::default());
        let config = rustls::ClientConfig::builder_with_provider(tls.sources.provider.clone())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_client_cert_resolver(listens.clone());
        let name = "localhost".try_into().unwrap();
        let mut client = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
        let mut server = rustls::ServerConnection::new(tls.config()).unwrap();
        let mut bytes = Vec::new();
        // A handshake has three flights; one round more than that would be a fault of the test.
        for _ in 0..4 {
            while client.wants_write() {
                client.write_tls(&mut bytes).unwrap();
            }
            let sent = bytes.split_off(0);
            let mut rest = sent.as_slice();
            while !rest.is_empty() {
                server.read_tls(&mut rest).unwrap();
                server.process_new_packets().unwrap();
            }
            while server.wants_write() {
                server.write_tls(&mut bytes).unwrap();
            }
            let sent = bytes.split_off(0);
            let mut rest = sent.as_slice();
            while !rest.is_empty() {
                client.read_tls(&mut rest).unwrap();
                client.process_new_packets().unwrap();
            }
        }
        assert!(!client.is_handshaking() && !server.is_handshaking());
        listens.0.lock().unwrap().clone()
    }

    #[test]
    fn handshakes_name_the_authorities_of_clients() {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let files = authority.serving(&["localhost".into()]).unwrap();
        let tls = TlsReload::from_pairs(files, Vec::new()).unwrap();
        assert!(told(&tls, &authority).is_empty());
        let name = |text: &'static [u8]| DistinguishedName::in_sequence(text).as_ref().to_vec();
        tls.name_authorities([b"one".as_slice(), b"two", b"one"]).unwrap();
        assert_eq!(told(&tls, &authority), [name(b"one"), name(b"two")]);
        tls.name_authorities([b"three".as_slice()]).unwrap();
        assert_eq!(told(&tls, &authority), [name(b"three")], "others since");
        let many: Vec<Vec<u8>> =
            (0..700_u32).map(|number| [number.to_be_bytes(); 25].concat()).collect();
        tls.name_authorities(many.iter().map(Vec::as_slice)).unwrap();
        assert!(told(&tls, &authority).is_empty(), "more than a handshake can hold");
        tls.name_authorities(many.iter().take(500).map(Vec::as_slice)).unwrap();
        assert_eq!(told(&tls, &authority).len(), 500);
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
