//! TLS listeners in place of kubelets, with any certificate, no answer, or garbage.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, SanType,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

/// A certificate authority.
pub(crate) struct Authority {
    pub(crate) pem: String,
    issuer: Issuer<'static, KeyPair>,
    /// One key for all certificates, because generating keys is slow.
    key: KeyPair,
}

/// The contents of a certificate.
#[derive(Clone)]
pub(crate) struct Wanted {
    name: Option<String>,
    organization: Option<String>,
    issuer: Option<String>,
    address: String,
    is_expired: bool,
    /// Days from today to the ends of its validity.
    days: Option<(i64, i64)>,
}

/// A certificate in DER and PEM.
pub(crate) struct Issued {
    pub(crate) pem: String,
    pub(crate) der: Vec<u8>,
}

impl Wanted {
    pub(crate) fn nameless() -> Self {
        let address = "127.0.0.1".to_owned();
        Self {
            name: None,
            organization: None,
            issuer: None,
            address,
            is_expired: false,
            days: None,
        }
    }

    pub(crate) fn named(name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..Self::nameless() }
    }

    pub(crate) fn of(self, organization: &str) -> Self {
        Self { organization: Some(organization.to_owned()), ..self }
    }

    /// Signed by a new authority.
    pub(crate) fn by(self, issuer: &str) -> Self {
        Self { issuer: Some(issuer.to_owned()), ..self }
    }

    pub(crate) fn at(self, address: &str) -> Self {
        Self { address: address.to_owned(), ..self }
    }

    pub(crate) fn expired(self) -> Self {
        Self { is_expired: true, ..self }
    }

    /// Valid from and to so many days from today.
    #[allow(dead_code, reason = "not every test looks at times")]
    pub(crate) fn valid(self, from: i64, to: i64) -> Self {
        Self { days: Some((from, to)), ..self }
    }
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(params, key), key: KeyPair::generate().unwrap() }
    }

    pub(crate) fn issue(&self, wanted: &Wanted) -> Issued {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        if let Some(organization) = &wanted.organization {
            params.distinguished_name.push(DnType::OrganizationName, organization.as_str());
        }
        if let Some(name) = &wanted.name {
            params.distinguished_name.push(DnType::CommonName, name.as_str());
        }
        params.subject_alt_names = vec![SanType::IpAddress(wanted.address.parse().unwrap())];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let (from, to) = if wanted.is_expired { (2001, 2002) } else { (2001, 2100) };
        params.not_before = rcgen::date_time_ymd(from, 1, 1);
        params.not_after = rcgen::date_time_ymd(to, 1, 1);
        if let Some((from, to)) = wanted.days {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
            let day = |days: i64| now.checked_add_signed(days * 86_400).unwrap();
            let time = |days| rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(day(days));
            (params.not_before, params.not_after) = (time(from), time(to));
        }
        let own = wanted.issuer.as_deref().map(Self::new);
        let issuer = own.as_ref().map_or(&self.issuer, |own| &own.issuer);
        let made = params.signed_by(&self.key, issuer).unwrap();
        Issued { pem: made.pem(), der: made.der().to_vec() }
    }
}

/// A listener on a port of 127.0.0.1 that runs as long as the test.
pub(crate) struct Listener {
    pub(crate) port: u16,
    handshakes: Arc<AtomicUsize>,
    bytes_received: Arc<AtomicUsize>,
}

impl Listener {
    /// Number of handshakes.
    pub(crate) fn handshakes(&self) -> usize {
        self.handshakes.load(Ordering::SeqCst)
    }

    /// Number of bytes received after the handshakes.
    pub(crate) fn bytes_received(&self) -> usize {
        self.bytes_received.load(Ordering::SeqCst)
    }

    /// A TLS server with this certificate that requests a client certificate without requiring it, as kubelets do.
    pub(crate) fn presenting(authority: &Authority, wanted: &Wanted) -> Self {
        let chain = vec![CertificateDer::from(authority.issue(wanted).der)];
        let key = PrivateKeyDer::try_from(authority.key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.pem.as_bytes()).unwrap()).unwrap();
        let asking =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .allow_unauthenticated()
                .build()
                .unwrap();
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(asking)
            .with_single_cert(chain, key)
            .unwrap();
        let config = Arc::new(config);
        Self::serving(move |mut socket, handshakes, bytes_received| {
            let mut tls = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            while tls.is_handshaking() {
                if tls.complete_io(&mut socket).is_err() {
                    return;
                }
            }
            handshakes.fetch_add(1, Ordering::SeqCst);
            let mut rest = Vec::new();
            let _ = rustls::Stream::new(&mut tls, &mut socket).read_to_end(&mut rest);
            bytes_received.fetch_add(rest.len(), Ordering::SeqCst);
        })
    }

    /// Accepts connections and sends nothing.
    pub(crate) fn silent() -> Self {
        Self::serving(|mut socket, _, _| {
            let _ = socket.read_to_end(&mut Vec::new());
        })
    }

    /// Sends this to every client.
    pub(crate) fn saying(text: &'static [u8]) -> Self {
        Self::serving(move |mut socket, _, _| {
            let _ = socket.write_all(text);
            let _ = socket.read(&mut [0; 4096]);
        })
    }

    fn serving(
        serve: impl Fn(TcpStream, &AtomicUsize, &AtomicUsize) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (handshakes, bytes_received) =
            (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let serve = Arc::new(serve);
        let counts = (Arc::clone(&handshakes), Arc::clone(&bytes_received));
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (serve, counts) =
                    (Arc::clone(&serve), (Arc::clone(&counts.0), Arc::clone(&counts.1)));
                socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                std::thread::spawn(move || serve(socket, &counts.0, &counts.1));
            }
        });
        Self { port, handshakes, bytes_received }
    }
}
