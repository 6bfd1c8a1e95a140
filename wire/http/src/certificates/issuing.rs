//! Signing of certificate requests by an authority whose files are read anew each time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ratchet_certificate::{CertificateRequest, Issuance, IssuerCertificate, signed, validity};
use rcgen::{
    KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ECDSA_P521_SHA512, PKCS_ED25519,
    PKCS_RSA_SHA256, SignatureAlgorithm, SigningKey as _,
};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{AlgorithmIdentifier, CertificateDer, alg_id};

use super::{CertificateError, client, files, inspect};
use crate::tls::KeyFiles;

/// An authority that signs requests. Its key is in memory only during a signature.
pub struct SigningAuthority {
    files: KeyFiles,
}

/// The parsed files of an authority.
struct LoadedAuthority {
    issuer: IssuerCertificate,
    key: KeyPair,
    algorithm: AlgorithmIdentifier,
}

/// The signature algorithms of keys.
static ALGORITHMS: &[(&SignatureAlgorithm, AlgorithmIdentifier)] = &[
    (&PKCS_ECDSA_P256_SHA256, alg_id::ECDSA_SHA256),
    (&PKCS_ECDSA_P384_SHA384, alg_id::ECDSA_SHA384),
    (&PKCS_ECDSA_P521_SHA512, alg_id::ECDSA_SHA512),
    (&PKCS_ED25519, alg_id::ED25519),
    (&PKCS_RSA_SHA256, alg_id::RSA_PKCS1_SHA256),
];

impl SigningAuthority {
    /// The authority of these files, which must be usable now.
    pub fn open(files: KeyFiles) -> Result<Self, CertificateError> {
        let authority = Self { files };
        authority.load()?;
        Ok(authority)
    }

    /// A certificate (PEM) for a request whose sender holds its key. Usages and lifetime are
    /// decided here; no extension of the request is taken over.
    pub fn sign(
        &self,
        request: &CertificateRequest,
        usages: &[&str],
        life: Duration,
    ) -> Result<String, CertificateError> {
        let provider = rustls::crypto::aws_lc_rs::default_provider();
        if !is_proven(request, &provider) {
            let why = "unable to verify certificate request signature";
            return Err(CertificateError::Refused(why.to_owned()));
        }
        let LoadedAuthority { issuer, key, algorithm } = self.load()?;
        let mut serial = [0; 16];
        let no_chance = |_| CertificateError::Refused("unable to generate a serial number".into());
        provider.secure_random.fill(&mut serial).map_err(no_chance)?;
        let life = i64::try_from(life.as_secs()).unwrap_or(i64::MAX);
        let (not_before, not_after) =
            validity(now(), life, issuer.not_after).map_err(CertificateError::Refused)?;
        let issuance = Issuance {
            issuer: &issuer,
            algorithm: &algorithm,
            serial,
            not_before,
            not_after,
            usages,
        };
        let body = issuance.to_be_signed(request).map_err(CertificateError::Refused)?;
        let signature = key.sign(&body)?;
        Ok(client::pem(&signed(body, &algorithm, &signature)))
    }

    fn load(&self) -> Result<LoadedAuthority, CertificateError> {
        let KeyFiles { certificate: certificate_path, key: key_path } = &self.files;
        let text = |path| {
            let not_found = || std::io::Error::from(std::io::ErrorKind::NotFound);
            files::read_if_exists(path)?
                .ok_or_else(|| CertificateError::File(path.into(), not_found()))
        };
        let (pem, key) = (text(certificate_path)?, text(key_path)?);
        let invalid = |why: String| CertificateError::Content(certificate_path.clone(), why);
        let invalid_key = |why: String| CertificateError::Content(key_path.clone(), why);
        let der = CertificateDer::from_pem_slice(pem.as_bytes())
            .map_err(|_| invalid("there is no certificate in it (PEM is expected)".to_owned()))?;
        let issuer = IssuerCertificate::from_der(&der).map_err(invalid)?;
        let key = KeyPair::from_pem(&key).map_err(|error| invalid_key(error.to_string()))?;
        inspect::belongs(&pem, &key).map_err(invalid)?;
        let supported = ALGORITHMS.iter().find(|(supported, _)| *supported == key.algorithm());
        let Some((_, algorithm)) = supported else {
            return Err(invalid_key("keys of this sort sign no certificates here".to_owned()));
        };
        Ok(LoadedAuthority { issuer, key, algorithm: *algorithm })
    }
}

/// Whether the sender of the request holds its key.
fn is_proven(request: &CertificateRequest, provider: &CryptoProvider) -> bool {
    let proof = request.proof();
    let all = provider.signature_verification_algorithms.all;
    let mut fitting = all.iter().filter(|supported| {
        supported.public_key_alg_id().as_ref() == proof.key_algorithm.as_slice()
            && supported.signature_alg_id().as_ref() == proof.algorithm.as_slice()
    });
    fitting.any(|supported| {
        supported.verify_signature(&proof.key, &proof.message, &proof.signature).is_ok()
    })
}

/// The Unix time in seconds.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificates::Authority;
    use ratchet_certificate::Facts;
    use rcgen::{BasicConstraints, CertificateParams, CertificateSigningRequest, DnType, IsCa};

    const USAGES: &[&str] = &["digital signature", "server auth"];

    fn csr(key: &KeyPair) -> CertificateSigningRequest {
        let mut params = CertificateParams::new(vec!["a.example".to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "system:node:a");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.serialize_request(key).unwrap()
    }

    fn request(csr: &CertificateSigningRequest) -> CertificateRequest {
        CertificateRequest::from_der(csr.der()).unwrap()
    }

    fn authority(folder: &std::path::Path) -> SigningAuthority {
        SigningAuthority::open(Authority::load_or_create(folder).unwrap().files()).unwrap()
    }

    #[test]
    fn what_is_signed_is_believed_and_signs_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let authority = authority(folder.path());
        let ca_pem = std::fs::read(folder.path().join("ca.crt")).unwrap();
        let ca_pem = CertificateDer::from_pem_slice(&ca_pem).unwrap();
        let (_, ca_pem) = x509_parser::parse_x509_certificate(&ca_pem).unwrap();
        for key in [KeyPair::generate().unwrap(), KeyPair::generate_for(&PKCS_ED25519).unwrap()] {
            let pem =
                authority.sign(&request(&csr(&key)), USAGES, Duration::from_secs(3600)).unwrap();
            let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
            let facts = Facts::from_der(&der).unwrap();
            assert!(!facts.is_ca);
            assert_eq!(facts.not_after - facts.not_before, 3900);
            assert!(inspect::belongs(&pem, &key).is_ok());
            let (_, parsed) = x509_parser::parse_x509_certificate(&der).unwrap();
            let signature = parsed.signature_value.data.as_ref();
            let body = parsed.tbs_certificate.as_ref();
            let algorithms =
                rustls::crypto::aws_lc_rs::default_provider().signature_verification_algorithms;
            let key = ca_pem.public_key().subject_public_key.data.as_ref();
            let fitting = algorithms
                .all
                .iter()
                .filter(|algorithm| algorithm.public_key_alg_id() == alg_id::ECDSA_P256);
            assert!(
                fitting
                    .into_iter()
                    .any(|algorithm| algorithm.verify_signature(key, body, signature).is_ok())
            );
        }
    }

    #[test]
    fn who_does_not_hold_the_key_gets_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let csr = csr(&KeyPair::generate().unwrap());
        let mut der = csr.der().to_vec();
        let name = b"system:node:a";
        let at = der.windows(name.len()).position(|window| window == name).unwrap();
        der[at + name.len() - 1] = b'b';
        let forged = CertificateRequest::from_der(&der).unwrap();
        assert_eq!(forged.common_names.last().unwrap(), "system:node:b");
        let refused = authority(folder.path()).sign(&forged, USAGES, Duration::from_secs(3600));
        assert_eq!(
            refused.unwrap_err().to_string(),
            "unable to verify certificate request signature"
        );
    }

    #[test]
    fn an_authority_that_cannot_sign_is_told_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let files = Authority::load_or_create(folder.path()).unwrap().files();
        let open_error = |files: KeyFiles| SigningAuthority::open(files).err().unwrap().to_string();
        let not_found = folder.path().join("gone");
        assert!(open_error(KeyFiles { key: not_found, ..files.clone() }).contains("gone: "));
        let swapped = KeyFiles { certificate: files.key.clone(), key: files.certificate.clone() };
        assert!(open_error(swapped).contains("there is no certificate in it"));
        let second = tempfile::tempdir().unwrap();
        let other = Authority::load_or_create(second.path()).unwrap().files();
        let mixed = KeyFiles { certificate: files.certificate.clone(), key: other.key.clone() };
        assert!(open_error(mixed).contains("two different pairs"));
        let leaf = tempfile::tempdir().unwrap();
        let leaf_authority = Authority::load_or_create(leaf.path()).unwrap();
        let serving = leaf_authority.serving(&["a".to_owned()]).unwrap();
        assert!(open_error(serving).contains("no certificate of an authority"));
    }

    #[test]
    fn every_sort_of_key_that_is_read_signs() {
        for (algorithm, _) in ALGORITHMS {
            let folder = tempfile::tempdir().unwrap();
            let key = KeyPair::generate_for(algorithm).unwrap();
            let mut params = CertificateParams::default();
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            let (certificate, key_file) = (folder.path().join("c"), folder.path().join("k"));
            std::fs::write(&certificate, params.self_signed(&key).unwrap().pem()).unwrap();
            std::fs::write(&key_file, key.serialize_pem()).unwrap();
            let authority =
                SigningAuthority::open(KeyFiles { certificate, key: key_file }).unwrap();
            let csr = csr(&KeyPair::generate().unwrap());
            assert!(authority.sign(&request(&csr), USAGES, Duration::from_secs(3600)).is_ok());
        }
    }
}
