//! The signer of approved certificate signing requests: the authority that flags name, or the server's own.

use super::args::ControllerArgs;
use ratchet_certificate::CertificateRequest;
use ratchet_controllers::{CertificateSigner, Signing};
use ratchet_http::KeyFiles;
use ratchet_http::certificates::SigningAuthority;
use std::sync::Arc;
use std::time::Duration;

/// A signing authority, adapted to the controllers' trait.
struct Authority(SigningAuthority);

impl CertificateSigner for Authority {
    fn sign(
        &self,
        request: &CertificateRequest,
        usages: &[&str],
        life: Duration,
    ) -> Result<String, String> {
        self.0.sign(request, usages, life).map_err(|why| why.to_string())
    }
}

/// Errors of the flags, before any file is read.
pub(crate) fn refusals(args: &ControllerArgs) -> Vec<String> {
    let mut all = Vec::new();
    if args.cluster_signing_cert_file.is_some() != args.cluster_signing_key_file.is_some() {
        all.push(
            "--cluster-signing-cert-file and --cluster-signing-key-file must be specified together"
                .into(),
        );
    }
    let life = args.cluster_signing_duration;
    if life.is_negative() || life.length().is_zero() {
        all.push("--cluster-signing-duration must be greater than zero".into());
    }
    all
}

/// The signer; `own` are the files of the server's own authority.
pub(crate) fn signer(args: &ControllerArgs, own: KeyFiles) -> Result<Signing, String> {
    let given = args.cluster_signing_cert_file.clone().zip(args.cluster_signing_key_file.clone());
    let files = given.map_or(own, |(certificate, key)| KeyFiles { certificate, key });
    let authority = SigningAuthority::open(files)
        .map_err(|why| format!("--cluster-signing-cert-file cannot sign: {why}"))?;
    let longest = args.cluster_signing_duration.length();
    Ok(Signing { signer: Arc::new(Authority(authority)), longest })
}
