//! What a server shows of itself: a chain of certificates, and the key of the first.

use std::fmt;
use std::io;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A chain of certificates, and the key of the first.
pub struct Shown {
    /// The leaf first.
    pub chain: Vec<CertificateDer<'static>>,
    /// The leaf's key.
    pub key: PrivateKeyDer<'static>,
}

impl Shown {
    /// Reads both from PEM.
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

impl Clone for Shown {
    fn clone(&self) -> Self {
        Self { chain: self.chain.clone(), key: self.key.clone_key() }
    }
}

impl fmt::Debug for Shown {
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
        let shown = Authority::new("ca").kubelet("n");
        let read = Shown::from_pem(shown.chain_pem().as_bytes(), shown.key_pem().as_bytes());
        let read = read.unwrap();
        assert_eq!(read.chain, shown.chain);
        assert_eq!(read.key.secret_der(), shown.key.secret_der());
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let shown = Authority::new("ca").kubelet("n");
        let pem = shown.chain_pem();
        assert!(Shown::from_pem(pem.as_bytes(), pem.as_bytes()).is_err());
    }
}
