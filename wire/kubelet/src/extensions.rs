//! Client for extension API servers: TLS for the name of their Service, and our certificate as the
//! proof that the identity in the request headers is ours to state.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use bytes::Bytes;
use http::uri::Scheme;
use http::{Request, Response};
use http_body::Body;
use http_body_util::BodyExt;
use ratchet_tls::AcceptAnyServer;
use rustls::client::ResolvesClientCert;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::files::Contents;
use crate::generation::{Offer, config};
use crate::http_connection::{BoxError, Target};
use crate::pool::{DialedConnection, Pool};
use crate::settings::authority;
use crate::verifier::Authorities;
use crate::{
    ClientKeyFiles, Connection, KubeletError, OpenError, PooledBody, Proxies, Settings, Timing,
    dial, proxy, tls,
};

/// Where Linux distributions keep the authorities that the system trusts, in the order in which Go
/// looks for them.
const SYSTEM_AUTHORITIES: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Which serving certificates of an extension server are accepted.
pub struct ExtensionTrust {
    is_insecure: bool,
    ca_bundle: Vec<u8>,
    verifier: Arc<dyn ServerCertVerifier>,
}

impl ExtensionTrust {
    /// From `caBundle`, which is PEM, and `insecureSkipTLSVerify`. Without either the authorities of
    /// the system are trusted. The error is that of the reference.
    pub fn new(ca_bundle: &[u8], is_insecure: bool) -> Result<Self, String> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier: Arc<dyn ServerCertVerifier> = match (is_insecure, ca_bundle) {
            (true, _) => Arc::new(AcceptAnyServer::new(&provider)),
            (false, b"") => system_authorities(&provider),
            (false, pem) => Arc::new(authorities(pem, &provider).ok_or_else(|| {
                "unable to load root certificates: unable to parse bytes as PEM block".to_owned()
            })?),
        };
        Ok(Self { is_insecure, ca_bundle: ca_bundle.to_vec(), verifier })
    }

    fn key(&self) -> (bool, &[u8]) {
        (self.is_insecure, &self.ca_bundle)
    }
}

/// Two are equal if they accept the same certificates: connections are shared between them.
impl PartialEq for ExtensionTrust {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for ExtensionTrust {}

impl Hash for ExtensionTrust {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for ExtensionTrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtensionTrust")
            .field("is_insecure", &self.is_insecure)
            .field("ca_bundle", &self.ca_bundle.len())
            .finish_non_exhaustive()
    }
}

fn authorities(pem: &[u8], provider: &Arc<CryptoProvider>) -> Option<Authorities> {
    // As in Go, a PEM block that is no certificate is skipped as long as one remains.
    let certificates = CertificateDer::pem_slice_iter(pem).filter_map(Result::ok).collect();
    Authorities::new(certificates, provider)
}

/// The authorities of the system; without any, no certificate is accepted.
fn system_authorities(provider: &Arc<CryptoProvider>) -> Arc<dyn ServerCertVerifier> {
    let given = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    let files = given.into_iter().chain(SYSTEM_AUTHORITIES.map(PathBuf::from));
    let read = |file: PathBuf| authorities(&std::fs::read(file).ok()?, provider);
    let found = files.into_iter().find_map(read);
    Arc::new(found.unwrap_or_else(|| Authorities::any_number(Vec::new(), provider)))
}

/// An extension API server: where it is dialed, and who it must be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExtensionServer {
    /// An address or a DNS name, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Where the connection goes in place of host and port, which URLs have: the endpoint behind a cluster IP. No proxy
    /// is on the way to it.
    pub endpoint: Option<(String, u16)>,
    /// The name that its certificate must be valid for: `service.namespace.svc`.
    pub name: String,
    /// Which certificates are accepted.
    pub trust: Arc<ExtensionTrust>,
}

impl ExtensionServer {
    /// `host:port` as in a URL.
    pub fn authority(&self) -> String {
        authority(&self.host, self.port)
    }
}

/// A client for extension API servers. Clones share the connection pool.
#[derive(Clone)]
pub struct Extensions(Arc<Inner>);

struct Inner {
    dialer: Arc<Dialer>,
    pool: Arc<Pool<ExtensionServer>>,
}

struct Dialer {
    settings: Settings,
    provider: Arc<CryptoProvider>,
    /// Our certificate, and how often it was replaced.
    client: ArcSwap<(u64, Option<Arc<dyn ResolvesClientCert>>)>,
    /// The contents of its files when they were last looked at, so that a broken one is told once.
    last: Mutex<Option<Contents>>,
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions").finish_non_exhaustive()
    }
}

impl Extensions {
    /// Opens a client that proves its identity with this certificate, if there is one.
    pub fn open(
        timing: Timing,
        proxies: Proxies,
        client: Option<ClientKeyFiles>,
    ) -> Result<Self, OpenError> {
        let settings = Settings { client, timing, proxies, ..Settings::default() };
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let contents = Contents::read(&settings)?;
        let client = contents.client(&settings, &provider)?;
        let client = client.map(|pair| pair as Arc<dyn ResolvesClientCert>);
        let pool = Pool::new(settings.timing.clone());
        let dialer = Dialer {
            settings,
            provider,
            client: ArcSwap::from_pointee((1, client)),
            last: Mutex::new(Some(contents)),
        };
        Ok(Self(Arc::new(Inner { dialer: Arc::new(dialer), pool })))
    }

    /// Sends a request, whose URI is a path with its query, and returns the response as soon as its
    /// head arrives.
    pub async fn send<B>(
        &self,
        to: &ExtensionServer,
        request: Request<B>,
    ) -> Result<Response<PooledBody>, KubeletError>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let target = Target::new(Scheme::HTTPS, &to.authority())?;
        let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
        let dial = || {
            let (dialer, to) = (Arc::clone(&self.0.dialer), to.clone());
            async move { dialer.dial(&to, Offer::Any).await }
        };
        self.0.pool.send(to, &target, dial, request).await
    }

    /// A new connection to be upgraded.
    pub async fn dial(&self, to: &ExtensionServer) -> Result<Connection, KubeletError> {
        Ok(self.0.dialer.dial(to, Offer::Upgradeable).await?.connection)
    }

    /// Reloads our certificate now; broken files are logged and change nothing.
    pub fn reload_now(&self) {
        match self.0.dialer.reload() {
            Ok(Some(generation)) => {
                self.0.pool.retire(generation);
                tracing::info!("the certificate for extension API servers was replaced");
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "the new certificate for extension API servers is not usable, the old one stays");
            }
        }
    }
}

impl Dialer {
    async fn dial(
        &self,
        to: &ExtensionServer,
        offer: Offer,
    ) -> Result<DialedConnection, KubeletError> {
        let Settings { timing, proxies, .. } = &self.settings;
        let (generation, client) = (*self.client.load_full()).clone();
        let name = match to.trust.is_insecure {
            true => tls::server_name_or_none(&to.name),
            false => tls::server_name(&to.name).ok_or_else(|| no_name(&to.name))?,
        };
        let config = config(&self.provider, Arc::clone(&to.trust.verifier), client, offer)
            .map_err(|error| KubeletError::Handshake(error.to_string()))?;
        let tcp = match &to.endpoint {
            Some((host, port)) => dial::tcp(host, *port, timing).await?,
            None => proxy::tcp(proxies, &to.host, to.port, timing).await?,
        };
        let stream = tls::handshake(tcp, config, name, timing.handshake).await?;
        Ok(DialedConnection { connection: Connection::tls(stream), generation })
    }

    /// Rereads the files; the number of the new certificate if there is one.
    fn reload(&self) -> Result<Option<u64>, OpenError> {
        let contents = Contents::read(&self.settings)?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref() == Some(&contents) {
            return Ok(None);
        }
        let client = contents.client(&self.settings, &self.provider);
        *last = Some(contents);
        let client = client?.map(|pair| pair as Arc<dyn ResolvesClientCert>);
        let generation = self.client.load().0 + 1;
        self.client.store(Arc::new((generation, client)));
        Ok(Some(generation))
    }
}

fn no_name(name: &str) -> KubeletError {
    let name = name.escape_default();
    KubeletError::Certificate(format!(
        "x509: certificate is not valid for any names, but wanted to match {name}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_trusts_the_same_shares_connections() {
        let pem = rcgen::generate_simple_self_signed(["a.b.svc".to_owned()]).unwrap().cert.pem();
        let one = ExtensionTrust::new(pem.as_bytes(), false).unwrap();
        assert_eq!(one, ExtensionTrust::new(pem.as_bytes(), false).unwrap());
        assert_ne!(one, ExtensionTrust::new(b"", true).unwrap());
        assert_eq!(
            ExtensionTrust::new(b"none", false).unwrap_err(),
            "unable to load root certificates: unable to parse bytes as PEM block"
        );
        assert!(ExtensionTrust::new(b"", false).is_ok(), "the system may trust nobody");
    }
}
