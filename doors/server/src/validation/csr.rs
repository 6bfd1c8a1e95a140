//! Validation of the PEM contents of CertificateSigningRequests: the request and its signature, the certificate.

use aws_lc_rs::signature::{self, UnparsedPublicKey, VerificationAlgorithm};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ratchet_certificate::first_pem_block;
use ratchet_engine::field_validation::{FieldErrors, ValidationContext};
use ratchet_engine::{ApiConfig, Change, Part, Verdict};
use ratchet_object::At;
use x509_parser::certification_request::X509CertificationRequest;
use x509_parser::prelude::{FromDer, X509Certificate};

const NO_REQUEST: &str = "PEM block type must be CERTIFICATE REQUEST";

/// Adds errors in `spec.request` of a new object and in `status.certificate` of an update.
pub(crate) fn check<'a>(change: &Change<'a>, config: &ApiConfig, verdict: &mut Verdict) {
    if (change.kind.group, change.kind.name) != ("certificates.k8s.io", "CertificateSigningRequest")
    {
        return;
    }
    let root = change.new_root();
    let request = root.field("spec").field("request");
    if change.is_create()
        && let Err(why) =
            decode_request(request.text_or_empty()).and_then(|der| verify_signature(&der))
    {
        let displayed = match request.is_set() {
            true => ratchet_net::Quoted(request.text_or_empty()).to_string(),
            false => "null".into(),
        };
        // The reference validates it after metadata and before everything else.
        let before = |field: &str| !field.starts_with("metadata");
        add(&ValidationContext { change, config }, verdict, before, &request, &displayed, why);
    }
    let Some(old) = change.old_root() else { return };
    let of = |root: At<'a>| root.field("status").field("certificate");
    let (certificate, stored) = (of(root), of(old));
    if change.part != Part::STATUS || certificate.equals(&stored) {
        return;
    }
    if let (Err(why), Ok(())) = (
        check_certificates(certificate.text_or_empty()),
        check_certificates(stored.text_or_empty()),
    ) {
        let before = |field: &str| field == "status.certificate";
        let displayed = "\"<certificate data>\"";
        add(&ValidationContext { change, config }, verdict, before, &certificate, displayed, why);
    }
}

/// Adds an error before the first one whose field matches `before`.
fn add(
    ctx: &ValidationContext<'_>,
    verdict: &mut Verdict,
    before: impl Fn(&str) -> bool,
    at: &At<'_>,
    displayed: &str,
    why: String,
) {
    let count = verdict.errors.len();
    let index = verdict.errors.iter().position(|error| before(&error.field));
    FieldErrors::new(ctx, verdict).invalid_as(at, displayed, why);
    if verdict.errors.len() > count
        && let Some(behind) = verdict.errors.get_mut(index.unwrap_or(count)..)
    {
        behind.rotate_right(1);
    }
}

/// Decodes the DER of a request from PEM in base64.
pub(crate) fn decode_request(text: &str) -> Result<Vec<u8>, String> {
    let pem = BASE64_STANDARD.decode(text).unwrap_or_default();
    match first_pem_block(&pem) {
        Some((block, _)) if block.label == "CERTIFICATE REQUEST" => Ok(block.contents),
        _ => Err(NO_REQUEST.into()),
    }
}

/// Parses the DER of a request.
pub(crate) fn parse(der: &[u8]) -> Result<X509CertificationRequest<'_>, String> {
    match X509CertificationRequest::from_der(der) {
        Ok(([], request)) => Ok(request),
        Ok(_) => Err("asn1: syntax error: trailing data".into()),
        Err(_) if der.is_empty() => Err("asn1: syntax error: sequence truncated".into()),
        Err(error) if error.is_incomplete() => Err("asn1: syntax error: data truncated".into()),
        Err(error) => Err(format!("asn1: structure error: {error}")),
    }
}

/// A public key algorithm.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyAlgorithm {
    Rsa,
    Ecdsa,
    Ed25519,
}

impl KeyAlgorithm {
    /// Its name, its Go type, and the error text of a bad signature.
    fn texts(self) -> [&'static str; 3] {
        match self {
            Self::Rsa => ["RSA", "*rsa.PublicKey", "crypto/rsa: verification error"],
            Self::Ecdsa => ["ECDSA", "*ecdsa.PublicKey", "x509: ECDSA verification failure"],
            Self::Ed25519 => ["Ed25519", "ed25519.PublicKey", "x509: Ed25519 verification failure"],
        }
    }
}

/// Public key algorithms by OID.
const KEYS: [(&str, KeyAlgorithm); 3] = [
    ("1.2.840.113549.1.1.1", KeyAlgorithm::Rsa),
    ("1.2.840.10045.2.1", KeyAlgorithm::Ecdsa),
    ("1.3.101.112", KeyAlgorithm::Ed25519),
];

const P256: &str = "1.2.840.10045.3.1.7";
const P384: &str = "1.3.132.0.34";
const P521: &str = "1.3.132.0.35";

type Algorithm = &'static dyn VerificationAlgorithm;

/// Signature algorithms: OID, key algorithm, curve OID, verifier.
const SIGNATURES: [(&str, KeyAlgorithm, &str, Algorithm); 19] = [
    (
        "1.2.840.113549.1.1.5",
        KeyAlgorithm::Rsa,
        "",
        &signature::RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY,
    ),
    (
        "1.2.840.113549.1.1.11",
        KeyAlgorithm::Rsa,
        "",
        &signature::RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY,
    ),
    ("1.2.840.113549.1.1.12", KeyAlgorithm::Rsa, "", &signature::RSA_PKCS1_2048_8192_SHA384),
    (
        "1.2.840.113549.1.1.13",
        KeyAlgorithm::Rsa,
        "",
        &signature::RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY,
    ),
    ("1.2.840.113549.1.1.10", KeyAlgorithm::Rsa, "", &signature::RSA_PSS_2048_8192_SHA256),
    ("1.2.840.113549.1.1.10", KeyAlgorithm::Rsa, "", &signature::RSA_PSS_2048_8192_SHA384),
    ("1.2.840.113549.1.1.10", KeyAlgorithm::Rsa, "", &signature::RSA_PSS_2048_8192_SHA512),
    ("1.2.840.10045.4.1", KeyAlgorithm::Ecdsa, P256, &signature::ECDSA_P256_SHA1_ASN1),
    ("1.2.840.10045.4.1", KeyAlgorithm::Ecdsa, P521, &signature::ECDSA_P521_SHA1_ASN1),
    ("1.2.840.10045.4.3.2", KeyAlgorithm::Ecdsa, P256, &signature::ECDSA_P256_SHA256_ASN1),
    ("1.2.840.10045.4.3.2", KeyAlgorithm::Ecdsa, P384, &signature::ECDSA_P384_SHA256_ASN1),
    ("1.2.840.10045.4.3.2", KeyAlgorithm::Ecdsa, P521, &signature::ECDSA_P521_SHA256_ASN1),
    ("1.2.840.10045.4.3.3", KeyAlgorithm::Ecdsa, P256, &signature::ECDSA_P256_SHA384_ASN1),
    ("1.2.840.10045.4.3.3", KeyAlgorithm::Ecdsa, P384, &signature::ECDSA_P384_SHA384_ASN1),
    ("1.2.840.10045.4.3.3", KeyAlgorithm::Ecdsa, P521, &signature::ECDSA_P521_SHA384_ASN1),
    ("1.2.840.10045.4.3.4", KeyAlgorithm::Ecdsa, P256, &signature::ECDSA_P256_SHA512_ASN1),
    ("1.2.840.10045.4.3.4", KeyAlgorithm::Ecdsa, P384, &signature::ECDSA_P384_SHA512_ASN1),
    ("1.2.840.10045.4.3.4", KeyAlgorithm::Ecdsa, P521, &signature::ECDSA_P521_SHA512_ASN1),
    ("1.3.101.112", KeyAlgorithm::Ed25519, "", &signature::ED25519),
];

/// Verifies that the request is signed by its own key.
pub(super) fn verify_signature(der: &[u8]) -> Result<(), String> {
    let request = parse(der)?;
    let info = &request.certification_request_info;
    let key = &info.subject_pki;
    let algorithm = KEYS.iter().find(|(oid, _)| key.algorithm.algorithm.to_id_string() == *oid);
    let Some((_, algorithm)) = algorithm else {
        return Err("x509: unknown public key algorithm".into());
    };
    let curve = key.algorithm.parameters.as_ref().and_then(|any| any.as_oid().ok());
    let curve = curve.map(|oid| oid.to_id_string()).unwrap_or_default();
    let signed = request.signature_algorithm.algorithm.to_id_string();
    let named: Vec<_> = SIGNATURES.iter().filter(|row| row.0 == signed).collect();
    let Some((_, wanted, ..)) = named.first() else {
        return Err("x509: cannot verify signature: algorithm unimplemented".into());
    };
    let [_, own, failure] = algorithm.texts();
    if wanted != algorithm {
        let [name, ..] = wanted.texts();
        return Err(format!(
            "x509: signature algorithm specifies an {name} public key, but have public key of type {own}"
        ));
    }
    let matches_curve =
        |row: &&&(&str, KeyAlgorithm, &str, Algorithm)| row.2.is_empty() || row.2 == curve;
    let verifies = |row: &(&str, KeyAlgorithm, &str, Algorithm)| {
        let public = UnparsedPublicKey::new(row.3, &key.subject_public_key.data);
        public.verify(info.raw, &request.signature_value.data).is_ok()
    };
    if named.iter().filter(matches_curve).any(|row| verifies(row)) {
        Ok(())
    } else {
        Err(failure.into())
    }
}

/// Checks that PEM in base64 contains only certificates; empty is valid.
fn check_certificates(text: &str) -> Result<(), String> {
    let pem = BASE64_STANDARD.decode(text).unwrap_or_default();
    if pem.is_empty() {
        return Ok(());
    }
    let (mut rest, mut count) = (pem.as_slice(), 0);
    while let Some((block, next)) = first_pem_block(rest) {
        if block.label != "CERTIFICATE" {
            let label = ratchet_net::Quoted(&block.label);
            return Err(format!("only CERTIFICATE PEM blocks are allowed, found {label}"));
        }
        if block.has_headers {
            return Err("no PEM block headers are permitted".into());
        }
        if block.contents.is_empty() {
            return Err("found CERTIFICATE PEM block containing 0 certificates".into());
        }
        let mut remaining = block.contents.as_slice();
        while !remaining.is_empty() {
            let parsed = X509Certificate::from_der(remaining);
            (remaining, _) = parsed.map_err(|_| "x509: malformed certificate")?;
        }
        count += 1;
        rest = next;
    }
    if count == 0 {
        return Err("must contain at least one CERTIFICATE PEM block".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
