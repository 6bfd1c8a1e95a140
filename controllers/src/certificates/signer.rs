//! Signer of certificates that a door lends to the controllers.

use ratchet_certificate::CertificateRequest;
use std::sync::Arc;
use std::time::Duration;

/// Signs certificates; controllers hold no keys themselves.
pub trait CertificateSigner: Send + Sync + 'static {
    /// A PEM certificate for a request, for exactly these usages and with this lifetime.
    fn sign(
        &self,
        request: &CertificateRequest,
        usages: &[&str],
        lifetime: Duration,
    ) -> Result<String, String>;
}

/// The signer and the longest lifetime it grants.
#[derive(Clone)]
pub struct Signing {
    /// Signs the certificates.
    pub signer: Arc<dyn CertificateSigner>,
    /// The lifetime of a certificate whose request asks for no shorter one.
    pub longest: Duration,
}
