//! Client certificates: whether an authority vouches for one, and whose it is.

use crate::Reloading;
use aws_lc_rs::digest::{Context, SHA256, digest};
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

/// The attribute of a subject that holds the uid.
const UID: &str = "1.3.6.1.4.1.57683.2";
/// How long a verdict about a chain is remembered, in seconds.
const REMEMBERED: i64 = 60;
/// How many verdicts are remembered; then all are forgotten.
const MANY: usize = 4096;

/// The authorities whose signature is believed: the certificates of a bundle.
#[derive(Debug)]
pub struct Authorities {
    /// Each with the seconds between which it is valid: webpki does not look at that.
    anchors: Vec<(TrustAnchor<'static>, i64, i64)>,
}

impl Authorities {
    /// The authorities of a PEM bundle.
    pub fn from_pem(pem: &[u8]) -> Result<Self, String> {
        let mut anchors = Vec::new();
        for (at, der) in CertificateDer::pem_slice_iter(pem).enumerate() {
            let wrong = |why: String| format!("certificate {}: {why}", at + 1);
            let der = der.map_err(|error| wrong(format!("{error:?}")))?;
            let anchor = anchor_from_trusted_cert(&der);
            let anchor = anchor.map_err(|error| wrong(error.to_string()))?.to_owned();
            let (begin, end) = validity(&der).ok_or_else(|| wrong("unreadable".into()))?;
            anchors.push((anchor, begin, end));
        }
        if anchors.is_empty() {
            return Err("data does not contain any valid certificates".into());
        }
        Ok(Self { anchors })
    }

    /// The names of the authorities: the subjects of their certificates, as handshakes name them to clients.
    pub fn subjects(&self) -> impl Iterator<Item = &[u8]> {
        self.anchors.iter().map(|(anchor, ..)| anchor.subject.as_ref())
    }

    /// Authorities that follow a file.
    pub fn open(path: &std::path::Path) -> Result<Reloading<Self>, crate::ReloadError> {
        Reloading::open(path, Self::from_pem)
    }

    /// Whether one of the authorities vouches for the chain as a client's.
    fn vouch(&self, chain: &[CertificateDer<'_>], now: i64) -> Result<(), String> {
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

/// A certificate of a client: it is for clients, for anything, or does not say what it is for. webpki itself knows no
/// certificate that is for anything.
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

/// The seconds between which a certificate is valid.
fn validity(der: &[u8]) -> Option<(i64, i64)> {
    let (_, certificate) = X509Certificate::from_der(der).ok()?;
    let validity = certificate.validity();
    Some((validity.not_before.timestamp(), validity.not_after.timestamp()))
}

/// A client's certificate that an authority vouches for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The common name; empty if there is none.
    pub(crate) name: String,
    organizations: Vec<String>,
    /// The uid, or why there is none that can be used.
    uid: Result<String, String>,
    fingerprint: String,
}

impl Subject {
    fn read(der: &[u8]) -> Result<Self, String> {
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

    /// The user; none if the certificate names nobody.
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

/// Who vouches for clients, with a memory: a connection sends the same chain with every request.
#[derive(Debug)]
pub(crate) struct Vouching {
    authorities: Arc<Reloading<Authorities>>,
    remembered: Mutex<HashMap<[u8; 32], Remembered>>,
}

#[derive(Debug)]
struct Remembered {
    /// The authorities that were asked; the answer of others may be another.
    asked: Arc<Authorities>,
    since: i64,
    until: i64,
    answer: Result<Arc<Subject>, String>,
}

impl Vouching {
    pub(crate) fn new(authorities: Arc<Reloading<Authorities>>) -> Self {
        Self { authorities, remembered: Mutex::default() }
    }

    /// The subject of the chain's first certificate, if an authority vouches for it.
    pub(crate) fn subject(
        &self,
        chain: &[CertificateDer<'_>],
        now: Timestamp,
    ) -> Result<Arc<Subject>, String> {
        let (now, authorities) = (now.as_second(), self.authorities.get());
        let key = fingerprint(chain);
        if let Some(key) = key {
            let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
            let fresh = |known: &&Remembered| {
                Arc::ptr_eq(&known.asked, &authorities) && (known.since..known.until).contains(&now)
            };
            if let Some(known) = remembered.get(&key).filter(fresh) {
                return known.answer.clone();
            }
        }
        let answer = authorities.vouch(chain, now).and_then(|()| {
            let leaf = chain.first().map(AsRef::as_ref).unwrap_or_default();
            Subject::read(leaf).map(Arc::new)
        });
        if let Some(key) = key {
            let until = turns(chain, now);
            let known =
                Remembered { asked: authorities, since: now, until, answer: answer.clone() };
            let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
            if remembered.len() >= MANY {
                remembered.clear();
            }
            remembered.insert(key, known);
        }
        answer
    }
}

/// Until when an answer holds: a minute, or until a certificate becomes or ceases to be valid.
fn turns(chain: &[CertificateDer<'_>], now: i64) -> i64 {
    let times = chain.iter().filter_map(|der| validity(der)).flat_map(|(begin, end)| [begin, end]);
    let next = times.filter(|time| *time > now).min().unwrap_or(i64::MAX);
    next.min(now.saturating_add(REMEMBERED))
}

/// A hash of the whole chain.
fn fingerprint(chain: &[CertificateDer<'_>]) -> Option<[u8; 32]> {
    let mut context = Context::new(&SHA256);
    for der in chain {
        context.update(&(der.len() as u64).to_be_bytes());
        context.update(der);
    }
    context.finish().as_ref().try_into().ok()
}
