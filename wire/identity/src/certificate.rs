//! Client certificates: verification of chains, and the user in the subject.

use crate::Reloading;
use aws_lc_rs::digest::{SHA256, digest};
use jiff::Timestamp;
use ratchet_access::User;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, TrustAnchor, UnixTime};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use webpki::{
    EndEntityCert, ExtendedKeyUsageValidator, KeyPurposeId, KeyPurposeIdIter, KeyUsage,
    anchor_from_trusted_cert,
};
use x509_parser::prelude::{FromDer, X509Certificate};

/// The subject attribute with the uid.
const UID: &str = "1.3.6.1.4.1.57683.2";
/// How long the result for a chain is cached, in seconds.
const CACHE_SECONDS: i64 = 60;
/// The capacity of the cache, which is cleared when full.
const CACHE_CAPACITY: usize = 4096;
/// The bytes of the largest chain whose result is cached.
const MAX_CACHED_BYTES: usize = 8 << 10;

/// The trusted client CAs of a bundle.
#[derive(Debug)]
pub struct Authorities {
    /// Each with its validity in seconds, which webpki does not check.
    anchors: Vec<(TrustAnchor<'static>, i64, i64)>,
}

impl Authorities {
    /// The authorities of a PEM bundle.
    pub fn from_pem(pem: &[u8]) -> Result<Self, String> {
        let mut anchors = Vec::new();
        for (at, der) in CertificateDer::pem_slice_iter(pem).enumerate() {
            let invalid = |why: String| format!("certificate {}: {why}", at + 1);
            let der = der.map_err(|error| invalid(format!("{error:?}")))?;
            let anchor = anchor_from_trusted_cert(&der);
            let anchor = anchor.map_err(|error| invalid(error.to_string()))?.to_owned();
            let (begin, end) = validity(&der).ok_or_else(|| invalid("unreadable".into()))?;
            anchors.push((anchor, begin, end));
        }
        if anchors.is_empty() {
            return Err("data does not contain any valid certificates".into());
        }
        Ok(Self { anchors })
    }

    /// The subjects of the CA certificates, as handshakes announce them to clients.
    pub fn subjects(&self) -> impl Iterator<Item = &[u8]> {
        self.anchors.iter().map(|(anchor, ..)| anchor.subject.as_ref())
    }

    /// Authorities that are reloaded from a file.
    pub fn open(path: &std::path::Path) -> Result<Reloading<Self>, crate::ReloadError> {
        Reloading::open(path, Self::from_pem)
    }

    /// Whether the chain is a valid client chain of one of the authorities.
    fn verify(&self, chain: &[CertificateDer<'_>], now: i64) -> Result<(), String> {
        let Some((leaf, others)) = chain.split_first() else { return Err("no chain".into()) };
        let valid = self.anchors.iter().filter(|(_, begin, end)| (*begin..=*end).contains(&now));
        let anchors: Vec<_> = valid.map(|(anchor, ..)| anchor.clone()).collect();
        let time = UnixTime::since_unix_epoch(Duration::from_secs(now.try_into().unwrap_or(0)));
        let leaf = EndEntityCert::try_from(leaf).map_err(|error| error.to_string())?;
        let all = webpki::ALL_VERIFICATION_ALGS;
        leaf.verify_for_usage(all, &anchors, others, time, ClientUsage, None, None)
            .map(|_| ())
            .map_err(|error| error.to_string())
    }
}

/// `id-kp-clientAuth` (1.3.6.1.5.5.7.3.2).
const CLIENT_AUTH: KeyPurposeId<'static> = KeyPurposeId::new(&[43, 6, 1, 5, 5, 7, 3, 2]);
/// `anyExtendedKeyUsage` (2.5.29.37.0).
const ANY_USAGE: KeyPurposeId<'static> = KeyPurposeId::new(&[85, 29, 37, 0]);

/// Accepts certificates for clients, for any usage, or without usages. webpki itself does not
/// support `anyExtendedKeyUsage`.
struct ClientUsage;

impl ExtendedKeyUsageValidator for ClientUsage {
    fn validate(&self, usages: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        let mut present = Vec::new();
        for usage in usages {
            let usage = usage?;
            if usage == CLIENT_AUTH || usage == ANY_USAGE {
                return Ok(());
            }
            present.push(usage.to_decoded_oid());
        }
        if present.is_empty() {
            return Ok(());
        }
        let required = KeyUsage::client_auth();
        let context = webpki::RequiredEkuNotFoundContext { required, present };
        Err(webpki::Error::RequiredEkuNotFoundContext(context))
    }
}

/// The validity of a certificate in seconds.
fn validity(der: &[u8]) -> Option<(i64, i64)> {
    let (_, certificate) = X509Certificate::from_der(der).ok()?;
    let validity = certificate.validity();
    Some((validity.not_before.timestamp(), validity.not_after.timestamp()))
}

/// The subject of a verified client certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The common name; empty if there is none.
    pub(crate) name: String,
    organizations: Vec<String>,
    /// The uid, or why it cannot be used.
    uid: Result<String, String>,
    fingerprint: String,
}

impl Subject {
    fn parse(der: &[u8]) -> Result<Self, String> {
        let (_, certificate) = X509Certificate::from_der(der).map_err(|error| error.to_string())?;
        let (mut name, mut organizations, mut uids) = (String::new(), Vec::new(), Vec::new());
        for attribute in certificate.subject().iter_attributes() {
            let text = attribute.as_str().ok().map(ToOwned::to_owned);
            match attribute.attr_type().to_id_string().as_str() {
                "2.5.4.3" => name = text.unwrap_or(name),
                "2.5.4.10" => organizations.extend(text),
                UID => uids.push(text.ok_or("unable to parse UID into a string")?),
                _ => {}
            }
        }
        let uid = match uids.as_slice() {
            [] => Ok(String::new()),
            [empty] if empty.is_empty() => Err("UID cannot be an empty string".into()),
            [uid] => Ok(uid.clone()),
            several => Err(format!("expected 1 UID, but found multiple: {several:?}")),
        };
        let mut fingerprint = String::new();
        for byte in digest(&SHA256, der).as_ref() {
            // Writing to a String cannot fail.
            let _ = write!(fingerprint, "{byte:02x}");
        }
        Ok(Self { name, organizations, uid, fingerprint })
    }

    /// The user; `None` if the certificate has no common name.
    pub(crate) fn user(&self) -> Result<Option<User>, String> {
        if self.name.is_empty() {
            return Ok(None);
        }
        let credential = vec![format!("X509SHA256={}", self.fingerprint)];
        Ok(Some(User {
            name: self.name.clone(),
            uid: self.uid.clone()?,
            groups: self.organizations.clone(),
            extra: vec![("authentication.kubernetes.io/credential-id".into(), credential)],
        }))
    }
}

/// Verifies client chains with a cache: a connection sends the same chain with every request.
#[derive(Debug)]
pub(crate) struct ClientVerifier {
    authorities: Arc<Reloading<Authorities>>,
    cache: Mutex<HashMap<SignatureEnd, CachedResult>>,
}

/// The end of a certificate's signature, by which its result is found: cheaper than a hash of the chain. Two with the same
/// end take each other's place.
type SignatureEnd = [u8; 32];

#[derive(Debug)]
struct CachedResult {
    chain: Box<[CertificateDer<'static>]>,
    /// The authorities that verified the chain; others may come to another result.
    authorities: Arc<Authorities>,
    since: i64,
    until: i64,
    answer: Result<Arc<Subject>, String>,
}

impl ClientVerifier {
    pub(crate) fn new(authorities: Arc<Reloading<Authorities>>) -> Self {
        Self { authorities, cache: Mutex::default() }
    }

    /// The subject of the chain's first certificate, if the chain is valid.
    pub(crate) fn subject(
        &self,
        chain: &[CertificateDer<'_>],
        now: Timestamp,
    ) -> Result<Arc<Subject>, String> {
        let (now, authorities) = (now.as_second(), self.authorities.get());
        let key = signature_end(chain);
        if let Some(key) = &key {
            let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            let is_current = |cached: &&CachedResult| {
                Arc::ptr_eq(&cached.authorities, &authorities)
                    && (cached.since..cached.until).contains(&now)
                    && *cached.chain == *chain
            };
            if let Some(cached) = cache.get(key).filter(is_current) {
                return cached.answer.clone();
            }
        }
        let answer = authorities.verify(chain, now).and_then(|()| {
            let leaf = chain.first().map(AsRef::as_ref).unwrap_or_default();
            Subject::parse(leaf).map(Arc::new)
        });
        if let Some(key) = key {
            let until = cache_deadline(chain, now);
            let chain = chain.iter().map(|der| der.clone().into_owned()).collect();
            let answer = answer.clone();
            let cached = CachedResult { chain, authorities, since: now, until, answer };
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            if cache.len() >= CACHE_CAPACITY {
                cache.clear();
            }
            cache.insert(key, cached);
        }
        answer
    }
}

/// Until when a result may be cached: a minute, or until a certificate becomes valid or expires.
fn cache_deadline(chain: &[CertificateDer<'_>], now: i64) -> i64 {
    let times = chain.iter().filter_map(|der| validity(der)).flat_map(|(begin, end)| [begin, end]);
    let next = times.filter(|time| *time > now).min().unwrap_or(i64::MAX);
    next.min(now.saturating_add(CACHE_SECONDS))
}

/// The key of a chain; none if it is too large to be kept.
fn signature_end(chain: &[CertificateDer<'_>]) -> Option<SignatureEnd> {
    let size: usize = chain.iter().map(|der| der.len()).sum();
    chain.first()?.last_chunk().filter(|_| size <= MAX_CACHED_BYTES).copied()
}
