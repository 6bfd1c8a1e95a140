//! Our own certificate authority: what a server needs to speak TLS and to let its first user in, kept in a folder.

mod client;
mod files;
mod issuing;
mod kubeconfig;
mod look;

use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256,
};

use crate::tls::KeyFiles;
pub use issuing::SigningAuthority;
pub use kubeconfig::kubeconfig;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the authority's own certificate is valid.
const AUTHORITY_LIFE: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
/// How long what it signs is valid.
const LEAF_LIFE: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// A certificate that ends sooner than this is made anew.
const RENEW_BEFORE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Why a certificate could not be made or kept.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file or folder of the authority could not be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, #[source] io::Error),
    /// What a file holds is not what it should hold.
    #[error("{0}: {1}")]
    Content(PathBuf, String),
    /// It is not signed, and why.
    #[error("{0}")]
    Refused(String),
    /// The library could not make it.
    #[error("cannot make a certificate: {0}")]
    Make(#[from] rcgen::Error),
}

/// A certificate authority whose key stays in one folder.
pub struct Authority {
    dir: PathBuf,
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    /// Opens the authority in this folder, or founds one there.
    ///
    /// A certificate without its key is an error: founding a second authority in its place would lock out everyone who
    /// trusts the first.
    pub fn load_or_create(dir: impl Into<PathBuf>) -> Result<Self, CertificateError> {
        let dir = dir.into();
        files::make_private_dir(&dir)?;
        let (certificate_path, key_path) = (dir.join("ca.crt"), dir.join("ca.key"));
        let certificate = files::read_if_there(&certificate_path)?;
        let key = files::read_if_there(&key_path)?;
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
            (None, key) => found(&certificate_path, &key_path, key)?,
        };
        look::belongs(&pem, &key)
            .map_err(|why| CertificateError::Content(certificate_path.clone(), why))?;
        let issuer = Issuer::from_ca_cert_pem(&pem, key)
            .map_err(|error| CertificateError::Content(certificate_path, error.to_string()))?;
        Ok(Self { dir, pem, issuer })
    }

    /// The authority's certificate in PEM: what clients must trust.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Where the authority's certificate is, as `--client-ca-file` wants it.
    pub fn path(&self) -> PathBuf {
        self.dir.join("ca.crt")
    }

    /// Where its certificate and its key are.
    pub fn files(&self) -> KeyFiles {
        KeyFiles { certificate: self.path(), key: self.dir.join("ca.key") }
    }

    /// The pair to serve with, made anew when it is missing, names others than these, or ends within thirty days.
    ///
    /// Call it at the start and once a day; a [`crate::TlsReload`] on these files takes what is new by itself.
    pub fn serving(&self, names: &[String]) -> Result<KeyFiles, CertificateError> {
        let files = KeyFiles {
            certificate: self.dir.join("apiserver.crt"),
            key: self.dir.join("apiserver.key"),
        };
        let names = canonical(names);
        if !self.still_good(&files, |certificate| certificate.names == names)? {
            let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
            let mut params = leaf(ExtendedKeyUsagePurpose::ServerAuth);
            params.subject_alt_names = CertificateParams::new(names)?.subject_alt_names;
            params.distinguished_name.push(DnType::CommonName, "kube-apiserver");
            let pem = params.signed_by(&key, &self.issuer)?.pem();
            write_pair(&files, &pem, &key)?;
            tracing::info!(certificate = %files.certificate.display(), "serving certificate made");
        }
        Ok(files)
    }

    /// The certificate and key (PEM) of the first administrator, `kubernetes-admin` of `system:masters`, kept in the
    /// folder and made anew within thirty days of their end.
    pub fn admin(&self) -> Result<(String, String), CertificateError> {
        let files = self.kept_client("admin", "kubernetes-admin")?;
        let read = |path: &Path| {
            let gone = || io::Error::from(io::ErrorKind::NotFound);
            files::read_if_there(path)?.ok_or_else(|| CertificateError::File(path.into(), gone()))
        };
        Ok((read(&files.certificate)?, read(&files.key)?))
    }

    /// The pair with which the server shows kubelets who it is, kept like that of the administrator.
    pub fn kubelet_client(&self) -> Result<KeyFiles, CertificateError> {
        self.kept_client("apiserver-kubelet-client", "kube-apiserver-kubelet-client")
    }

    /// A pair of somebody who may do everything, kept in the folder and made anew within thirty days of its end.
    fn kept_client(&self, stem: &str, common_name: &str) -> Result<KeyFiles, CertificateError> {
        let file = |ending: &str| self.dir.join(format!("{stem}.{ending}"));
        let files = KeyFiles { certificate: file("crt"), key: file("key") };
        if !self.still_good(&files, |_| true)? {
            let (pem, key) = self.client(common_name, &["system:masters"])?;
            files::write_private(&files.key, &key)?;
            files::write_public(&files.certificate, &pem)?;
        }
        Ok(files)
    }

    /// A certificate and key (PEM) for a user of these groups, kept nowhere.
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

    /// Whether a pair on disk is whole, of this authority, not about to end, and as `wanted`.
    fn still_good(
        &self,
        files: &KeyFiles,
        wanted: impl Fn(&look::Certificate) -> bool,
    ) -> Result<bool, CertificateError> {
        let pem = files::read_if_there(&files.certificate)?;
        let key = files::read_if_there(&files.key)?;
        let (Some(pem), Some(key)) = (pem, key) else { return Ok(false) };
        let Ok(key) = KeyPair::from_pem(&key) else { return Ok(false) };
        let Ok(certificate) = look::read(&pem) else { return Ok(false) };
        let deadline = SystemTime::now() + RENEW_BEFORE;
        Ok(look::belongs(&pem, &key).is_ok()
            && look::signed_by(&pem, &self.pem)
            && certificate.ends > deadline
            && wanted(&certificate))
    }
}

/// Founds an authority; with a key that is there already, left by a start that was interrupted, it is used.
fn found(
    certificate_path: &Path,
    key_path: &Path,
    key: Option<String>,
) -> Result<(String, KeyPair), CertificateError> {
    let key = match key {
        Some(pem) => KeyPair::from_pem(&pem)
            .map_err(|error| CertificateError::Content(key_path.into(), error.to_string()))?,
        None => KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?,
    };
    let mut params = valid_for(AUTHORITY_LIFE);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![
        KeyUsagePurpose::DigitalSignature,
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::CrlSign,
    ];
    params.distinguished_name.push(DnType::CommonName, "kubernetes");
    let pem = params.self_signed(&key)?.pem();
    // The key first: a key without a certificate is taken up again at the next start.
    files::write_private(key_path, &key.serialize_pem())?;
    files::write_public(certificate_path, &pem)?;
    tracing::info!(certificate = %certificate_path.display(), "certificate authority founded");
    Ok((pem, key))
}

fn write_pair(files: &KeyFiles, pem: &str, key: &KeyPair) -> Result<(), CertificateError> {
    files::write_private(&files.key, &key.serialize_pem())?;
    files::write_public(&files.certificate, pem)
}

fn leaf(usage: ExtendedKeyUsagePurpose) -> CertificateParams {
    let mut params = valid_for(LEAF_LIFE);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![usage];
    params.use_authority_key_identifier_extension = true;
    params
}

fn valid_for(life: Duration) -> CertificateParams {
    let mut params = CertificateParams::default();
    let now = SystemTime::now();
    params.distinguished_name = DistinguishedName::new();
    // A day back, for clients whose clock is behind.
    params.not_before = (now - DAY).into();
    params.not_after = (now + life).into();
    params
}

/// Names as a set: addresses in their one spelling, host names in small letters, sorted, each once.
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

/// The names by which every API server is known inside its cluster and on its own machine.
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
    let fits =
        !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
    NAMES.iter().map(|&name| name.to_owned()).chain(fits.then_some(host)).collect()
}

#[cfg(test)]
mod tests;
