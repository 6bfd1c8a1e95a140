//! TLS configuration of the server: any client certificate is accepted, and our own pairs are
//! reloaded.

mod memory;
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
use rustls::{DistinguishedName, ServerConfig, SupportedCipherSuite, SupportedProtocolVersion};

use pair::Pair;
pub use pair::TlsError;

/// The files of a certificate chain and its key, both in PEM.
#[derive(Debug, Clone)]
pub struct KeyFiles {
    /// The chain, the server's own certificate first.
    pub certificate: PathBuf,
    /// The private key of the certificate.
    pub key: PathBuf,
}

/// What a server does not offer in handshakes, though it could.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsLimits {
    /// Whether TLS 1.2 is refused.
    pub only_tls13: bool,
    /// Whether HTTP/2 is not offered.
    pub only_http1: bool,
    /// The cipher suites of TLS 1.2 that are offered, by their IANA names; all if there is no list.
    pub cipher_suites: Option<Vec<String>>,
}

/// The server's certificates, which follow their files.
///
/// A new pair is used when both files are complete and belong together; until then the old one
/// stays. Existing connections are not affected.
#[derive(Debug)]
pub struct TlsReload {
    sources: Arc<Sources>,
    config: ArcSwap<ServerConfig>,
}

/// The maximum size of all CA names in a handshake: its limit is 2^16 bytes, including other data.
const MAX_NAMES_SIZE: usize = 60_000;

impl TlsReload {
    /// One pair for every server name.
    pub fn from_files(
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Result<Arc<Self>, TlsError> {
        let files = KeyFiles { certificate: certificate.into(), key: key.into() };
        Self::from_pairs(files, Vec::new())
    }

    /// A default pair, and pairs for given server names (or, if none are given, the names in the
    /// certificate itself), as `--tls-sni-cert-key` specifies.
    pub fn from_pairs(
        any: KeyFiles,
        named: Vec<(KeyFiles, Vec<String>)>,
    ) -> Result<Arc<Self>, TlsError> {
        Self::limited(any, named, TlsLimits::default())
    }

    /// The same with less than all that this server offers in handshakes.
    pub fn limited(
        any: KeyFiles,
        named: Vec<(KeyFiles, Vec<String>)>,
        limits: TlsLimits,
    ) -> Result<Arc<Self>, TlsError> {
        let mut provider = rustls::crypto::aws_lc_rs::default_provider();
        if let Some(names) = &limits.cipher_suites {
            // As in Go, those of TLS 1.3 cannot be chosen.
            let is_kept = |suite: &SupportedCipherSuite| {
                suite.tls13().is_some() || names.contains(&format!("{:?}", suite.suite()))
            };
            provider.cipher_suites.retain(is_kept);
        }
        let provider = Arc::new(provider);
        let any = Source::open(any, Vec::new(), &provider)?;
        let named = named
            .into_iter()
            .map(|(files, names)| Source::open(files, names, &provider))
            .collect::<Result<_, _>>()?;
        let sources = Arc::new(Sources { any, named, provider, limits });
        let config = ArcSwap::from_pointee(settings(&sources, Vec::new())?);
        Ok(Arc::new(Self { sources, config }))
    }

    /// Announces the client CAs in handshakes from now on, by the subjects of their certificates
    /// (the content of the DER sequence). A client with certificates of several CAs chooses by
    /// these names. If they do not fit, none is announced: an empty list stands for any CA.
    pub fn name_authorities<'s>(
        &self,
        subjects: impl IntoIterator<Item = &'s [u8]>,
    ) -> Result<(), TlsError> {
        let mut names: Vec<DistinguishedName> = Vec::new();
        for subject in subjects {
            let name = DistinguishedName::in_sequence(subject);
            if !names.iter().any(|existing| existing.as_ref() == name.as_ref()) {
                names.push(name);
            }
        }
        let size: usize = names.iter().map(|name| name.as_ref().len() + 2).sum();
        if size > MAX_NAMES_SIZE {
            tracing::warn!(size, "too many authorities of clients to name them in handshakes");
            names.clear();
        }
        self.config.store(Arc::new(settings(&self.sources, names)?));
        Ok(())
    }

    /// Reloads the files now, as on SIGHUP; broken files are logged and change nothing.
    pub fn reload_now(&self) {
        for source in self.sources.all().filter(|source| source.is_file) {
            source.reload(&self.sources.provider);
        }
    }

    /// Reloads the files periodically, for ever; secret mounts swap links, which polling sees and
    /// inotify does not.
    pub async fn watch(self: Arc<Self>, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            let this = Arc::clone(&self);
            // A slow disk must not block the requests of this thread.
            if tokio::task::spawn_blocking(move || this.reload_now()).await.is_err() {
                tracing::error!("looking at the serving certificate failed");
            }
        }
    }

    /// The current handshake configuration.
    pub(crate) fn config(&self) -> Arc<ServerConfig> {
        self.config.load_full()
    }
}

/// A new server configuration. It also forgets the sessions of the old one, and with them the
/// client certificates.
fn settings(
    sources: &Arc<Sources>,
    authorities: Vec<DistinguishedName>,
) -> Result<ServerConfig, TlsError> {
    const ONLY_TLS13: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13];
    let verifier = verifier::AnyCertificate::new(&sources.provider, authorities);
    let versions = match sources.limits.only_tls13 {
        true => ONLY_TLS13,
        false => rustls::DEFAULT_VERSIONS,
    };
    let mut config = ServerConfig::builder_with_provider(Arc::clone(&sources.provider))
        .with_protocol_versions(versions)
        .map_err(TlsError::Settings)?
        .with_client_cert_verifier(Arc::new(verifier))
        .with_cert_resolver(Arc::clone(sources) as Arc<dyn ResolvesServerCert>);
    config.alpn_protocols = match sources.limits.only_http1 {
        true => vec![b"http/1.1".to_vec()],
        false => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
    };
    Ok(config)
}

#[derive(Debug)]
struct Sources {
    any: Source,
    named: Vec<Source>,
    provider: Arc<CryptoProvider>,
    limits: TlsLimits,
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

/// One pair of files and its current contents.
#[derive(Debug)]
struct Source {
    files: KeyFiles,
    /// Whether the pair follows its files; another is replaced by its owner.
    is_file: bool,
    names: Vec<String>,
    pair: ArcSwap<Pair>,
    /// A digest of the last contents, valid or not, so that a broken pair is reported once.
    last_digest: Mutex<u64>,
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
        let last_digest = Mutex::new(digests.hash_one(&contents));
        let names = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
        let pair = ArcSwap::from_pointee(pair);
        Ok(Self { files, is_file: true, names, pair, last_digest, digests })
    }

    fn serves(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let pair = self.pair.load();
        let names = if self.names.is_empty() { &pair.names } else { &self.names };
        names.iter().any(|pattern| matches_host(pattern, &name))
    }

    fn reload(&self, provider: &CryptoProvider) {
        match self.load_if_changed(provider) {
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

    fn load_if_changed(&self, provider: &CryptoProvider) -> Result<Option<Pair>, TlsError> {
        let contents = Contents::read(&self.files);
        let digest = match &contents {
            Ok(contents) => self.digests.hash_one(contents),
            Err(error) => self.digests.hash_one(error.to_string()),
        };
        let mut last_digest = self.last_digest.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *last_digest, digest) == digest {
            return Ok(None);
        }
        Pair::parse(&self.files, &contents?, provider).map(Some)
    }
}

/// Whether a certificate name matches this host: exactly, or by `*.` for one label.
fn matches_host(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(rest) => host.split_once('.').is_some_and(|(_, parent)| parent == rest),
        None => pattern == host,
    }
}

/// The contents of both files.
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

    fn presented_certificate(tls: &TlsReload) -> Vec<u8> {
        tls.sources.any.pair.load().key.cert[0].to_vec()
    }

    #[test]
    fn a_new_pair_is_taken_and_a_broken_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let files = pair(&authority, dir.path(), "one");
        let tls = TlsReload::from_files(&files.certificate, &files.key).unwrap();
        let first = presented_certificate(&tls);

        tls.reload_now();
        assert_eq!(presented_certificate(&tls), first, "nothing changed");

        std::fs::write(&files.certificate, "garbage").unwrap();
        tls.reload_now();
        assert_eq!(presented_certificate(&tls), first, "a broken certificate is not taken");

        let (other, _) = authority.client("other", &[]).unwrap();
        std::fs::write(&files.certificate, other).unwrap();
        tls.reload_now();
        assert_eq!(presented_certificate(&tls), first, "a certificate of another key is not taken");

        std::fs::remove_file(&files.key).unwrap();
        tls.reload_now();
        assert_eq!(presented_certificate(&tls), first, "a missing key changes nothing");

        pair(&authority, dir.path(), "two");
        tls.reload_now();
        assert_ne!(presented_certificate(&tls), first, "a whole pair is taken");
    }

    /// The CA names that a handshake announces to a client.
    fn announced_authorities(tls: &TlsReload, authority: &Authority) -> Vec<Vec<u8>> {
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
        // A handshake has three flights; more rounds would be a bug of the test.
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
        assert!(announced_authorities(&tls, &authority).is_empty());
        let name = |text: &'static [u8]| DistinguishedName::in_sequence(text).as_ref().to_vec();
        tls.name_authorities([b"one".as_slice(), b"two", b"one"]).unwrap();
        assert_eq!(announced_authorities(&tls, &authority), [name(b"one"), name(b"two")]);
        tls.name_authorities([b"three".as_slice()]).unwrap();
        assert_eq!(announced_authorities(&tls, &authority), [name(b"three")], "others since");
        let many: Vec<Vec<u8>> =
            (0..700_u32).map(|number| [number.to_be_bytes(); 25].concat()).collect();
        tls.name_authorities(many.iter().map(Vec::as_slice)).unwrap();
        assert!(
            announced_authorities(&tls, &authority).is_empty(),
            "more than a handshake can hold"
        );
        tls.name_authorities(many.iter().take(500).map(Vec::as_slice)).unwrap();
        assert_eq!(announced_authorities(&tls, &authority).len(), 500);
    }

    #[test]
    fn limits_are_limits_of_what_is_offered() {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let files = authority.serving(&["localhost".into()]).unwrap();
        let name = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256".to_owned();
        let limits = TlsLimits {
            only_tls13: false,
            only_http1: true,
            cipher_suites: Some(vec![name.clone(), "TLS_RSA_WITH_AES_128_CBC_SHA".into()]),
        };
        let tls = TlsReload::limited(files.clone(), Vec::new(), limits).unwrap();
        let suites = &tls.sources.provider.cipher_suites;
        let old = suites.iter().filter(|suite| suite.tls13().is_none());
        assert_eq!(old.map(|suite| format!("{:?}", suite.suite())).collect::<Vec<_>>(), [name]);
        assert!(suites.iter().any(|suite| suite.tls13().is_some()));
        assert_eq!(tls.config().alpn_protocols, [b"http/1.1".to_vec()]);
        let limits = TlsLimits { only_tls13: true, ..TlsLimits::default() };
        let tls = TlsReload::limited(files, Vec::new(), limits).unwrap();
        assert_eq!(tls.config().alpn_protocols[0], b"h2");
        let greeted_in = |versions: &[&'static SupportedProtocolVersion]| {
            let provider = tls.sources.provider.clone();
            let config = rustls::ClientConfig::builder_with_provider(provider)
                .with_protocol_versions(versions)
                .unwrap()
                .with_root_certificates(rustls::RootCertStore::empty())
                .with_no_client_auth();
            let name = "localhost".try_into().unwrap();
            let mut client = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
            let mut server = rustls::ServerConnection::new(tls.config()).unwrap();
            let mut bytes = Vec::new();
            client.write_tls(&mut bytes).unwrap();
            server.read_tls(&mut bytes.as_slice()).unwrap();
            server.process_new_packets().map(|_| ())
        };
        assert!(greeted_in(&[&rustls::version::TLS12]).is_err());
        assert!(greeted_in(&[&rustls::version::TLS13]).is_ok());
    }

    #[test]
    fn names_choose_their_pair() {
        assert!(matches_host("a.example", "a.example"));
        assert!(!matches_host("a.example", "b.example"));
        assert!(matches_host("*.example", "a.example"));
        assert!(!matches_host("*.example", "a.b.example"));
        assert!(!matches_host("*.example", "example"));
    }

    #[test]
    fn a_named_pair_serves_its_own_names_or_those_it_was_given() {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let files = authority.serving(&["a.example".into(), "*.b.example".into()]).unwrap();
        let named = vec![(files.clone(), vec![]), (files.clone(), vec!["C.example".into()])];
        let tls = TlsReload::from_pairs(files, named).unwrap();
        let [own, custom] = &tls.sources.named[..] else { panic!("two pairs") };
        assert!(own.serves("A.example") && own.serves("x.b.example") && !own.serves("c.example"));
        assert!(custom.serves("c.EXAMPLE") && !custom.serves("a.example"));
    }

    #[test]
    fn a_server_does_not_start_without_a_whole_pair() {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let files = pair(&authority, dir.path(), "one");
        let refused = |error: TlsError, expected_text: &str| {
            assert!(error.to_string().contains(expected_text), "{error} lacks {expected_text}");
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
