//! TLS identities: a certificate chain and the key of its leaf.

use std::fmt;
use std::io;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate chain and the key of its leaf.
pub struct Identity {
    /// The certificates, the leaf first.
    pub chain: Vec<CertificateDer<'static>>,
    /// The leaf's key.
    pub key: PrivateKeyDer<'static>,
}

impl Identity {
    /// Parses both from PEM.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> io::Result<Self> {
        let chain = CertificateDer::pem_slice_iter(chain)
            .collect::<Result<Vec<_>, _>>()
            .map_err(io::Error::other)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(io::Error::other)?;
        Ok(Self { chain, key })
    }

    /// The chain as PEM.
    pub fn chain_pem(&self) -> String {
        self.chain.iter().map(|certificate| pem("CERTIFICATE", certificate)).collect()
    }

    /// The key as PEM.
    pub fn key_pem(&self) -> String {
        let label = match &self.key {
            PrivateKeyDer::Pkcs1(_) => "RSA PRIVATE KEY",
            PrivateKeyDer::Sec1(_) => "EC PRIVATE KEY",
            _ => "PRIVATE KEY",
        };
        pem(label, self.key.secret_der())
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self { chain: self.chain.clone(), key: self.key.clone_key() }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shown").field("chain", &self.chain.len()).finish_non_exhaustive()
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    let lines = der.chunks(48).map(|line| BASE64_STANDARD.encode(line) + "\n").collect::<String>();
    format!("-----BEGIN {label}-----\n{lines}-----END {label}-----\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::Authority;

    #[test]
    fn pem_comes_back_as_it_went() {
        let identity = Authority::new("ca").kubelet("n");
        let parsed =
            Identity::from_pem(identity.chain_pem().as_bytes(), identity.key_pem().as_bytes());
        let parsed = parsed.unwrap();
        assert_eq!(parsed.chain, identity.chain);
        assert_eq!(parsed.key.secret_der(), identity.key.secret_der());
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let identity = Authority::new("ca").kubelet("n");
        let pem = identity.chain_pem();
        assert!(Identity::from_pem(pem.as_bytes(), pem.as_bytes()).is_err());
    }
}
