//! What was made of the files at one time: the settings of TLS, until the files change.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{ResolvesClientCert, Resumption};
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, version};

use crate::files::Contents;
use crate::verifier::Anyone;
use crate::{OpenError, Settings, Verification};

/// Which protocols are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// HTTP/2, and HTTP/1.1 for who does not speak it.
    Any,
    /// HTTP/1.1, the one that can be upgraded.
    Upgradeable,
}

/// The settings of TLS with a number that grows.
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
        let anyone: Arc<dyn ServerCertVerifier> = Arc::new(Anyone::new(&provider));
        let believed = match contents.authorities(settings, &provider)? {
            Some(authorities) => Arc::new(authorities),
            None => Arc::clone(&anyone),
        };
        let client = contents.client(settings, &provider)?;
        let client = client.map(|pair| pair as Arc<dyn ResolvesClientCert>);
        let made = |verifier: &Arc<dyn ServerCertVerifier>, offer| {
            config(&provider, Arc::clone(verifier), client.clone(), offer)
        };
        Ok(Self {
            number,
            verified: made(&believed, Offer::Any)?,
            verified_upgradeable: made(&believed, Offer::Upgradeable)?,
            skipped: made(&anyone, Offer::Any)?,
        })
    }

    /// What a handshake of this sort uses.
    pub(crate) fn config(&self, verification: Verification, offer: Offer) -> Arc<ClientConfig> {
        Arc::clone(match (verification, offer) {
            (Verification::Full, Offer::Any) => &self.verified,
            (Verification::Full, Offer::Upgradeable) => &self.verified_upgradeable,
            (Verification::Skipped, _) => &self.skipped,
        })
    }
}

/// Settings of TLS that never take up an earlier session: it would bring back a certificate that was checked for
/// another node, or by another authority.
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

/// The generation of now, which follows its files.
#[derive(Debug)]
pub(crate) struct Generations {
    current: ArcSwap<Generation>,
    /// A digest of what was last looked at, good or bad, so that broken files are told once.
    seen: Mutex<u64>,
    digests: RandomState,
}

impl Generations {
    pub(crate) fn open(settings: &Settings) -> Result<Self, OpenError> {
        let contents = Contents::read(settings)?;
        let first = Generation::new(1, settings, &contents)?;
        let digests = RandomState::new();
        let seen = Mutex::new(digests.hash_one(&contents));
        Ok(Self { current: ArcSwap::from_pointee(first), seen, digests })
    }

    pub(crate) fn current(&self) -> Arc<Generation> {
        self.current.load_full()
    }

    /// Looks at the files; the number of the new generation if they changed and are good.
    pub(crate) fn reload(&self, settings: &Settings) -> Result<Option<u64>, OpenError> {
        let read = Contents::read(settings);
        let digest = match &read {
            Ok(contents) => self.digests.hash_one(contents),
            Err(error) => self.digests.hash_one(error.to_string()),
        };
        // Held until the end, so that of two reloads at once the later one stays.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *seen, digest) == digest {
            return Ok(None);
        }
        let number = self.current.load().number + 1;
        self.current.store(Arc::new(Generation::new(number, settings, &read?)?));
        Ok(Some(number))
    }
}
