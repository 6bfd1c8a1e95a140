//! A serving pair that is in no file: its owner replaces it, and the old one stays if the new one is not usable.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use arc_swap::ArcSwap;

use super::pair::Pair;
use super::{Contents, KeyFiles, Source, Sources, TlsError, TlsLimits, TlsReload, settings};

impl TlsReload {
    /// One pair for every server name, from texts in PEM; `origin` names them in errors.
    pub fn from_pem(origin: KeyFiles, certificate: &str, key: &str) -> Result<Arc<Self>, TlsError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let pair = Pair::parse(&origin, &contents(certificate, key), &provider)?;
        let any = Source {
            files: origin,
            is_file: false,
            names: Vec::new(),
            pair: ArcSwap::from_pointee(pair),
            last_digest: Mutex::default(),
            digests: Default::default(),
        };
        let sources =
            Arc::new(Sources { any, named: Vec::new(), provider, limits: TlsLimits::default() });
        let config = ArcSwap::from_pointee(settings(&sources, Vec::new())?);
        Ok(Arc::new(Self { sources, config }))
    }

    /// Uses another pair for new connections; if it is not usable, the old one stays.
    pub fn replace(&self, certificate: &str, key: &str) -> Result<(), TlsError> {
        let Sources { any, provider, .. } = &*self.sources;
        let pair = Pair::parse(&any.files, &contents(certificate, key), provider)?;
        any.pair.store(Arc::new(pair));
        Ok(())
    }

    /// When the certificate in use expires.
    pub fn expiry(&self) -> SystemTime {
        self.sources.any.pair.load().not_after
    }
}

fn contents(certificate: &str, key: &str) -> Contents {
    Contents { certificate: certificate.into(), key: key.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificates::{PemPair, new_authority};
    use std::time::Duration;

    fn pair(validity: u64) -> PemPair {
        let authority = new_authority("test", Duration::from_secs(60)).unwrap();
        authority.issue_serving(&["localhost".to_owned()], Duration::from_secs(validity)).unwrap()
    }

    #[test]
    fn another_pair_is_used_if_it_is_usable() {
        let (one, two) = (pair(30), pair(50));
        let origin = KeyFiles { certificate: "tls.crt".into(), key: "tls.key".into() };
        let tls = TlsReload::from_pem(origin, &one.certificate, &one.key).unwrap();
        let first = tls.expiry();
        tls.replace(&two.certificate, &one.key).unwrap_err();
        tls.replace("", &two.key).unwrap_err();
        tls.reload_now();
        assert_eq!(tls.expiry(), first, "the old pair stays");
        tls.replace(&two.certificate, &two.key).unwrap();
        assert!(tls.expiry() > first);
    }
}
