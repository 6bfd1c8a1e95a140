//! Verification of certificate chains against the authority that the API server trusts.

use crate::minting;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, TrustAnchor, UnixTime};
use std::path::Path;
use std::time::Duration;
use webpki::{EndEntityCert, Error, KeyUsage, anchor_from_trusted_cert};

/// The certificates of `--kubelet-certificate-authority`.
pub(crate) struct Authority {
    anchors: Vec<TrustAnchor<'static>>,
    certificates: Vec<CertificateDer<'static>>,
}

impl Authority {
    /// Reads a file of PEM certificates.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let place = path.display();
        let bytes = std::fs::read(path).map_err(|error| {
            format!("cannot read --kubelet-certificate-authority {place}: {error}")
        })?;
        Self::of(&bytes).map_err(|why| format!("--kubelet-certificate-authority {place}: {why}"))
    }

    fn of(pem: &[u8]) -> Result<Self, String> {
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        if certificates.is_empty() {
            return Err("there is no certificate in it (PEM is expected)".to_owned());
        }
        let anchors = certificates
            .iter()
            .map(|one| anchor_from_trusted_cert(one).map(|anchor| anchor.to_owned()))
            .collect::<Result<_, _>>()
            .map_err(|error| format!("it holds what is no certificate: {error}"))?;
        Ok(Self { anchors, certificates })
    }

    /// Whether a certificate is one of the authority's.
    pub(crate) fn contains(&self, certificate: &[u8]) -> bool {
        self.certificates.iter().any(|one| one.as_ref() == certificate)
    }

    /// Notes about the authority file itself.
    pub(crate) fn notes(&self) -> Vec<String> {
        minting::issuer_also_trusted(&self.certificates)
    }

    /// Verifies that the leaf of a chain leads to the authority at a point in time.
    pub(crate) fn verify(&self, chain: &[Vec<u8>], now: i64) -> Result<(), String> {
        let Some((leaf, others)) = chain.split_first() else {
            return Err("nothing was presented".to_owned());
        };
        if self.contains(leaf) {
            return Ok(());
        }
        let leaf = CertificateDer::from(leaf.as_slice());
        let others: Vec<CertificateDer<'_>> =
            others.iter().map(|one| CertificateDer::from(one.as_slice())).collect();
        let time = UnixTime::since_unix_epoch(Duration::from_secs(u64::try_from(now).unwrap_or(0)));
        let algorithms =
            rustls::crypto::aws_lc_rs::default_provider().signature_verification_algorithms;
        let end = EndEntityCert::try_from(&leaf).map_err(|error| describe(&error))?;
        let done = end.verify_for_usage(
            algorithms.all,
            &self.anchors,
            &others,
            time,
            KeyUsage::server_auth(),
            None,
            None,
        );
        match done {
            Ok(_) => Ok(()),
            Err(error) => Err(describe(&error)),
        }
    }
}

fn describe(error: &Error) -> String {
    match error {
        Error::UnknownIssuer | Error::InvalidSignatureForPublicKey => {
            "certificate signed by unknown authority".to_owned()
        }
        Error::CertExpired { .. } => "a certificate of the chain has expired".to_owned(),
        Error::CertNotValidYet { .. } => "a certificate of the chain is not valid yet".to_owned(),
        Error::CaUsedAsEndEntity => {
            "the certificate of an authority is presented as a server's".to_owned()
        }
        other => other.to_string(),
    }
}
