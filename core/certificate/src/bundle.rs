//! Bundles of certificate authorities, as Go's TLS client takes them.

use crate::facts::Facts;
use crate::pem::first_pem_block;
use alloc::string::{String, ToString};

/// Why a bundle (PEM) has no certificate that can be trusted; `None` if it has one. What else is in it does not matter.
pub fn ca_bundle_error(bundle: &[u8]) -> Option<String> {
    let mut rest = bundle;
    let mut first_error = None;
    while !rest.is_empty() {
        let Some((block, after)) = first_pem_block(rest) else {
            first_error.get_or_insert("unable to parse bytes as PEM block");
            break;
        };
        rest = after;
        if block.label != "CERTIFICATE" || block.has_headers {
            continue;
        }
        if Facts::from_der(&block.contents).is_ok() {
            return None;
        }
        first_error.get_or_insert("failed to parse certificate: x509: malformed certificate");
    }
    Some(first_error.unwrap_or("no valid certificate authority data seen").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn one_certificate_is_enough() {
        let key = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(["ca".to_string()]).unwrap();
        let good = params.self_signed(&key).unwrap().pem();
        let key = key.serialize_pem();
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        let headed = good.replacen("-----\n", "-----\nkey: value\n\n", 1);
        for (bundle, error) in [
            (good.clone(), None),
            (format!("text\n{key}{broken}{good}text"), None),
            (key.clone(), Some("no valid certificate authority data seen")),
            (headed, Some("no valid certificate authority data seen")),
            (format!("{key}text"), Some("unable to parse bytes as PEM block")),
            ("text".into(), Some("unable to parse bytes as PEM block")),
            (broken.into(), Some("failed to parse certificate: x509: malformed certificate")),
        ] {
            assert_eq!(ca_bundle_error(bundle.as_bytes()).as_deref(), error, "{bundle}");
        }
    }
}
