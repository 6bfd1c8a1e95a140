//! The server's own certificate authority in a directory: serving and client certificates for the
//! first start.

mod client;
mod files;
mod inspect;
mod issuing;
mod kubeconfig;
mod pem_pair;

use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256,
};

use crate::tls::KeyFiles;
use files::Writer;
pub use issuing::SigningAuthority;
pub use kubeconfig::kubeconfig;
pub use pem_pair::{PemPair, expiry, new_authority, split_bundle};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The lifetime of the CA certificate.
const AUTHORITY_LIFETIME: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
/// The lifetime of issued certificates.
const LEAF_LIFETIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// A certificate is renewed when it has less time left.
const RENEW_BEFORE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Why a certificate could not be issued or stored.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file or directory of the authority could not be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, #[source] io::Error),
    /// A file has invalid contents.
    #[error("{0}: {1}")]
    Content(PathBuf, String),
    /// The request is refused, with the reason.
    #[error("{0}")]
    Refused(String),
    /// rcgen failed.
    #[error("cannot make a certificate: {0}")]
    Make(#[from] rcgen::Error),
}

/// A certificate authority whose key stays in one directory.
pub struct Authority {
    dir: PathBuf,
    pem: String,
    issuer: Issuer<'static, KeyPair>,
    writer: Writer,
}

impl Authority {
    /// Opens the authority in this directory, or creates one.
    ///
    /// A certificate without its key is an error: creating a second authority in its place would
    /// lock out everyone who trusts the first.
    pub fn load_or_create(dir: impl Into<PathBuf>) -> Result<Self, CertificateError> {
        Self::in_dir(dir.into(), Writer { flush: true })
    }

    /// The same for a directory that nobody needs after a power cut: its files are not flushed.
    pub fn ephemeral(dir: impl Into<PathBuf>) -> Result<Self, CertificateError> {
        Self::in_dir(dir.into(), Writer { flush: false })
    }

    fn in_dir(dir: PathBuf, writer: Writer) -> Result<Self, CertificateError> {
        files::make_private_dir(&dir)?;
        let (certificate_path, key_path) = (dir.join("ca.crt"), dir.join("ca.key"));
        let certificate = files::read_if_exists(&certificate_path)?;
        let key = files::read_if_exists(&key_path)?;
        let (pem, key) = match (certificate, key) {
            (Some(pem), Some(key)) => {
                let key = KeyPair::from_pem(&key)
                    .map_err(|error| CertificateError::Content(key_path, error.to_string()))?;
                (pem, key)
            }
            (Some(_), None) => {
                let why = "the authority's key is missing beside its certificate ca.crt";
                return Err(CertificateError::Content(key_path, why.to_owned()));
            }
            (None, key) => create(writer, &certificate_path, &key_path, key)?,
        };
        inspect::belongs(&pem, &key)
            .map_err(|why| CertificateError::Content(certificate_path.clone(), why))?;
        let issuer = Issuer::from_ca_cert_pem(&pem, key)
            .map_err(|error| CertificateError::Content(certificate_path, error.to_string()))?;
        Ok(Self { dir, pem, issuer, writer })
    }

    /// The CA certificate in PEM, which clients must trust.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// The path of the CA certificate, for `--client-ca-file`.
    pub fn path(&self) -> PathBuf {
        self.dir.join("ca.crt")
    }

    /// The paths of the CA certificate and its key.
    pub fn files(&self) -> KeyFiles {
        KeyFiles { certificate: self.path(), key: self.dir.join("ca.key") }
    }

    /// Whether a complete pair stands in these files that somebody else has issued.
    pub fn is_foreign(&self, files: &KeyFiles) -> Result<bool, CertificateError> {
        let pem = files::read_if_exists(&files.certificate)?;
        let has_key = files::read_if_exists(&files.key)?.is_some();
        Ok(pem.is_some_and(|pem| has_key && !inspect::signed_by(&pem, &self.pem)))
    }

    /// The serving pair, issued anew when it is missing, has other names, or expires within thirty
    /// days.
    ///
    /// Call it at startup and once a day; a [`crate::TlsReload`] of these files reloads them by
    /// itself.
    pub fn serving(&self, names: &[String]) -> Result<KeyFiles, CertificateError> {
        let files = serving_files(&self.dir);
        let names = canonical(names);
        if !self.is_current(&files, |certificate| certificate.names == names)? {
            let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
            let mut params = leaf(ExtendedKeyUsagePurpose::ServerAuth);
            params.subject_alt_names = CertificateParams::new(names)?.subject_alt_names;
            params.distinguished_name.push(DnType::CommonName, "kube-apiserver");
            let pem = params.signed_by(&key, &self.issuer)?.pem();
            write_pair(self.writer, &files, &pem, &key)?;
            tracing::info!(certificate = %files.certificate.display(), "serving certificate made");
        }
        Ok(files)
    }

    /// The certificate and key (PEM) of the first administrator, `kubernetes-admin` in
    /// `system:masters`, stored in the directory and renewed within thirty days of expiry.
    pub fn admin(&self) -> Result<(String, String), CertificateError> {
        let files = self.stored_client("admin", "kubernetes-admin", &["system:masters"])?;
        let read = |path: &Path| {
            let not_found = || io::Error::from(io::ErrorKind::NotFound);
            files::read_if_exists(path)?
                .ok_or_else(|| CertificateError::File(path.into(), not_found()))
        };
        Ok((read(&files.certificate)?, read(&files.key)?))
    }

    /// The client pair for kubelets, stored and renewed like that of the administrator.
    pub fn kubelet_client(&self) -> Result<KeyFiles, CertificateError> {
        self.stored_client(
            "apiserver-kubelet-client",
            "kube-apiserver-kubelet-client",
            &["system:masters"],
        )
    }

    /// The client pair of a proxy that states the identity of others, stored and renewed like that
    /// of the administrator, and in no group itself.
    pub fn proxy_client(&self, common_name: &str) -> Result<KeyFiles, CertificateError> {
        self.stored_client(common_name, common_name, &[])
    }

    /// A client pair, stored in the directory and renewed within thirty days of expiry.
    fn stored_client(
        &self,
        stem: &str,
        common_name: &str,
        organizations: &[&str],
    ) -> Result<KeyFiles, CertificateError> {
        let file = |ending: &str| self.dir.join(format!("{stem}.{ending}"));
        let files = KeyFiles { certificate: file("crt"), key: file("key") };
        if !self.is_current(&files, |_| true)? {
            let (pem, key) = self.client(common_name, organizations)?;
            self.writer.write_private(&files.key, &key)?;
            self.writer.write_public(&files.certificate, &pem)?;
        }
        Ok(files)
    }

    /// A certificate and key (PEM) for a user in these groups, not stored.
    pub fn client(
        &self,
        common_name: &str,
        organizations: &[&str],
    ) -> Result<(String, String), CertificateError> {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        let params = leaf(ExtendedKeyUsagePurpose::ClientAuth);
        let plain = params.signed_by(&key, &self.issuer)?;
        let pem = client::with_subject(plain.der(), common_name, organizations, self.issuer.key())?;
        Ok((pem, key.serialize_pem()))
    }

    /// Whether a stored pair is complete, issued by this authority, not about to expire, and
    /// `wanted`.
    fn is_current(
        &self,
        files: &KeyFiles,
        is_wanted: impl Fn(&inspect::Certificate) -> bool,
    ) -> Result<bool, CertificateError> {
        let pem = files::read_if_exists(&files.certificate)?;
        let key = files::read_if_exists(&files.key)?;
        let (Some(pem), Some(key)) = (pem, key) else { return Ok(false) };
        let Ok(key) = KeyPair::from_pem(&key) else { return Ok(false) };
        let Ok(certificate) = inspect::parse(&pem) else { return Ok(false) };
        let deadline = SystemTime::now() + RENEW_BEFORE;
        Ok(inspect::belongs(&pem, &key).is_ok()
            && inspect::signed_by(&pem, &self.pem)
            && certificate.not_after > deadline
            && is_wanted(&certificate))
    }
}

/// Creates an authority; a key left by an interrupted start is reused.
fn create(
    writer: Writer,
    certificate_path: &Path,
    key_path: &Path,
    key: Option<String>,
) -> Result<(String, KeyPair), CertificateError> {
    let key = match key {
        Some(pem) => KeyPair::from_pem(&pem)
            .map_err(|error| CertificateError::Content(key_path.into(), error.to_string()))?,
        None => KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?,
    };
    let mut params = valid_for(AUTHORITY_LIFETIME);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![
        KeyUsagePurpose::DigitalSignature,
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::CrlSign,
    ];
    params.distinguished_name.push(DnType::CommonName, "kubernetes");
    let pem = params.self_signed(&key)?.pem();
    // The key first: a key without a certificate is reused at the next start.
    writer.write_private(key_path, &key.serialize_pem())?;
    writer.write_public(certificate_path, &pem)?;
    tracing::info!(certificate = %certificate_path.display(), "certificate authority founded");
    Ok((pem, key))
}

/// The paths of a serving certificate and its key in a directory.
pub fn serving_files(dir: &Path) -> KeyFiles {
    KeyFiles { certificate: dir.join("apiserver.crt"), key: dir.join("apiserver.key") }
}

fn write_pair(
    writer: Writer,
    files: &KeyFiles,
    pem: &str,
    key: &KeyPair,
) -> Result<(), CertificateError> {
    writer.write_private(&files.key, &key.serialize_pem())?;
    writer.write_public(&files.certificate, pem)
}

fn leaf(usage: ExtendedKeyUsagePurpose) -> CertificateParams {
    let mut params = valid_for(LEAF_LIFETIME);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![usage];
    params.use_authority_key_identifier_extension = true;
    params
}

fn valid_for(lifetime: Duration) -> CertificateParams {
    let mut params = CertificateParams::default();
    let now = SystemTime::now();
    params.distinguished_name = DistinguishedName::new();
    // Backdated by a day, for clients whose clock is slow.
    params.not_before = (now - DAY).into();
    params.not_after = (now + lifetime).into();
    params
}

/// Names as a set: canonical addresses, lower-case host names, sorted, without duplicates.
fn canonical(names: &[String]) -> Vec<String> {
    let mut names: Vec<String> = names
        .iter()
        .map(|name| match name.parse::<IpAddr>() {
            Ok(address) => address.to_string(),
            Err(_) => name.to_ascii_lowercase(),
        })
        .filter(|name| !name.is_empty())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The names of every API server inside its cluster and on its own machine.
pub fn usual_names() -> Vec<String> {
    const NAMES: &[&str] = &[
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local",
        "localhost",
        "127.0.0.1",
        "::1",
    ];
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim().to_ascii_lowercase();
    let is_host_name =
        !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
    NAMES.iter().map(|&name| name.to_owned()).chain(is_host_name.then_some(host)).collect()
}

#[cfg(test)]
mod tests;
