//! Anchors of trust: certificates of authorities, each once in a bundle.

use crate::pem::first_pem_block;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use x509_parser::prelude::{FromDer, X509Certificate};

/// What is wrong with the blocks (PEM) of a bundle; repetitions are told if nothing else is wrong.
pub fn trust_anchor_faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut anchors: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
    let (mut rest, mut index) = (text.as_bytes(), 0);
    while let Some((block, after)) = first_pem_block(rest) {
        let fault = if block.label != "CERTIFICATE" {
            Some(format!("has bad block type: {}", block.label))
        } else if block.has_headers {
            Some("has PEM block headers".to_owned())
        } else {
            anchor_fault(&block.contents).map(str::to_owned)
        };
        match fault {
            Some(fault) => faults.push(format!("entry {index} {fault}")),
            None => anchors.entry(block.contents).or_default().push(index),
        }
        (rest, index) = (after, index + 1);
    }
    if !faults.is_empty() {
        return faults;
    }
    if anchors.is_empty() {
        return vec!["at least one trust anchor must be provided".to_owned()];
    }
    let mut repeated: Vec<Vec<usize>> =
        anchors.into_values().filter(|indices| indices.len() > 1).collect();
    repeated.sort();
    let words = |indices: Vec<usize>| {
        let indices: Vec<String> = indices.iter().map(ToString::to_string).collect();
        format!("duplicate trust anchor (indices [{}])", indices.join(" "))
    };
    repeated.into_iter().map(words).collect()
}

fn anchor_fault(der: &[u8]) -> Option<&'static str> {
    let Ok(([], certificate)) = X509Certificate::from_der(der) else {
        return Some("does not parse as X.509");
    };
    let constraints = certificate.basic_constraints().ok().flatten();
    let is_authority = constraints.is_some_and(|constraints| constraints.value.ca);
    (!is_authority).then_some("does not have the CA bit set")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};

    fn certificate(is_ca: IsCa) -> String {
        let mut params = CertificateParams::new(["a".to_owned()]).unwrap();
        params.is_ca = is_ca;
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().pem()
    }

    #[test]
    fn anchors_are_certificates_of_authorities_each_once() {
        let good = certificate(IsCa::Ca(BasicConstraints::Unconstrained));
        let other = certificate(IsCa::Ca(BasicConstraints::Unconstrained));
        let (leaf, plain) = (certificate(IsCa::ExplicitNoCa), certificate(IsCa::NoCa));
        let key = KeyPair::generate().unwrap().serialize_pem();
        let headed = good.replacen("-----\n", "-----\na: b\n\n", 1);
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        let none = "at least one trust anchor must be provided";
        for (bundle, wanted) in [
            (good.clone(), vec![]),
            (format!("text\n{good}text\n{other}"), vec![]),
            (String::new(), vec![none]),
            ("text".to_owned(), vec![none]),
            (format!("{good}{good}"), vec!["duplicate trust anchor (indices [0 1])"]),
            (
                format!("{good}{leaf}{good}{plain}"),
                vec![
                    "entry 1 does not have the CA bit set",
                    "entry 3 does not have the CA bit set",
                ],
            ),
            (key, vec!["entry 0 has bad block type: PRIVATE KEY"]),
            (headed, vec!["entry 0 has PEM block headers"]),
            (broken.to_owned(), vec!["entry 0 does not parse as X.509"]),
        ] {
            assert_eq!(trust_anchor_faults(&bundle), wanted, "{bundle}");
        }
    }
}
