//! Generations of the TLS client configuration, which follow changes of the files.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use ratchet_tls::AcceptAnyServer;
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{ResolvesClientCert, Resumption};
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, version};

use crate::files::Contents;
use crate::{OpenError, Settings, Verification};

/// The protocols offered by ALPN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// HTTP/2, with HTTP/1.1 as a fallback.
    Any,
    /// HTTP/1.1 only, because it can be upgraded.
    Upgradeable,
}

/// A TLS configuration with an increasing number.
#[derive(Debug)]
pub(crate) struct Generation {
    pub(crate) number: u64,
    verified: Arc<ClientConfig>,
    verified_upgradeable: Arc<ClientConfig>,
    skipped: Arc<ClientConfig>,
}

impl Generation {
    fn new(number: u64, settings: &Settings, contents: &Contents) -> Result<Self, OpenError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let anyone: Arc<dyn ServerCertVerifier> = Arc::new(AcceptAnyServer::new(&provider));
        let trusted = match contents.authorities(settings, &provider)? {
            Some(authorities) => Arc::new(authorities),
            None => Arc::clone(&anyone),
        };
        let client = contents.client(settings, &provider)?;
        let client = client.map(|pair| pair as Arc<dyn ResolvesClientCert>);
        let build = |verifier: &Arc<dyn ServerCertVerifier>, offer| {
            config(&provider, Arc::clone(verifier), client.clone(), offer)
        };
        Ok(Self {
            number,
            verified: build(&trusted, Offer::Any)?,
            verified_upgradeable: build(&trusted, Offer::Upgradeable)?,
            skipped: build(&anyone, Offer::Any)?,
        })
    }

    /// The configuration for a handshake.
    pub(crate) fn config(&self, verification: Verification, offer: Offer) -> Arc<ClientConfig> {
        Arc::clone(match (verification, offer) {
            (Verification::Full, Offer::Any) => &self.verified,
            (Verification::Full, Offer::Upgradeable) => &self.verified_upgradeable,
            (Verification::Skipped, _) => &self.skipped,
        })
    }
}

/// A TLS configuration without session resumption, which would bring back a certificate that was
/// checked for another node, or by another authority.
pub(crate) fn config(
    provider: &Arc<CryptoProvider>,
    verifier: Arc<dyn ServerCertVerifier>,
    client: Option<Arc<dyn ResolvesClientCert>>,
    offer: Offer,
) -> Result<Arc<ClientConfig>, OpenError> {
    let builder = ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_protocol_versions(&[&version::TLS13, &version::TLS12])?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match client {
        Some(client) => builder.with_client_cert_resolver(client),
        None => builder.with_no_client_auth(),
    };
    config.resumption = Resumption::disabled();
    config.enable_early_data = false;
    config.alpn_protocols = match offer {
        Offer::Any => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
        Offer::Upgradeable => vec![b"http/1.1".to_vec()],
    };
    Ok(Arc::new(config))
}

/// The current generation, reloaded when the files change.
#[derive(Debug)]
pub(crate) struct Generations {
    current: ArcSwap<Generation>,
    /// A digest of the last contents, valid or not, so that broken files are reported once.
    last_digest: Mutex<u64>,
    digests: RandomState,
}

impl Generations {
    pub(crate) fn open(settings: &Settings) -> Result<Self, OpenError> {
        let contents = Contents::read(settings)?;
        let first = Generation::new(1, settings, &contents)?;
        let digests = RandomState::new();
        let last_digest = Mutex::new(digests.hash_one(&contents));
        Ok(Self { current: ArcSwap::from_pointee(first), last_digest, digests })
    }

    pub(crate) fn current(&self) -> Arc<Generation> {
        self.current.load_full()
    }

    /// Checks the files, and returns the number of the new generation if they changed and are
    /// valid.
    pub(crate) fn reload(&self, settings: &Settings) -> Result<Option<u64>, OpenError> {
        let contents = Contents::read(settings);
        let digest = match &contents {
            Ok(contents) => self.digests.hash_one(contents),
            Err(error) => self.digests.hash_one(error.to_string()),
        };
        // Held until the end, so that of two concurrent reloads the later one wins.
        let mut last_digest = self.last_digest.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *last_digest, digest) == digest {
            return Ok(None);
        }
        let number = self.current.load().number + 1;
        self.current.store(Arc::new(Generation::new(number, settings, &contents?)?));
        Ok(Some(number))
    }
}
