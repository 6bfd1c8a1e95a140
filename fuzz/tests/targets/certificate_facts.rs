//! Fuzz target `certificate_facts`: bytes that look like a certificate are parsed or refused, and the contents can be
//! judged.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ratchet_certificate::{CertificateRequest, Facts, NodeName, SHAPES, SIGNERS, Shape};
use ratchet_fuzz::Choices;

const WORDS: &[&str] = &[
    "-----BEGIN CERTIFICATE-----\n",
    "-----END CERTIFICATE-----\n",
    "MIIB",
    "BgNVBAM",
    "VR0R",
    "\u{0}",
    "\u{30}\u{7f}",
    "\u{1e}",
    "AAAA",
    "////",
];

#[test]
fn certificate_facts() {
    ratchet_fuzz::fuzz!("certificate_facts", WORDS, check);
}

fn check(text: &str) {
    let mut choices = Choices::hashed(text.as_bytes());
    check_bytes(text.as_bytes());
    let lines = text.lines().filter(|line| !line.starts_with("-----"));
    let letters: String = lines.flat_map(str::chars).filter(char::is_ascii).collect();
    let whole = letters.len() / 4 * 4;
    let Some(letters) = letters.get(..whole) else { return };
    let Ok(der) = BASE64_STANDARD.decode(letters) else { return };
    check_bytes(&der);
    for _ in 0..16 {
        check_bytes(&damaged(&der, &mut choices));
    }
}

fn check_bytes(der: &[u8]) {
    check_request(der);
    let Some(node) = NodeName::new("a") else { return };
    let borne = node.is_borne_by(der);
    let Ok(facts) = Facts::from_der(der) else {
        assert!(borne.is_err(), "a name is borne by what cannot be read");
        return;
    };
    let shape = Shape::of(&facts, &node);
    assert!(SHAPES.contains(&shape));
    // Whoever bears the name has one name, and is of a shape that says so.
    if borne.is_ok() {
        assert_eq!(facts.common_names, [node.common_name()]);
        assert!(matches!(shape.id, "csr-issued" | "node-named"), "{}", shape.id);
    }
    assert!(!facts.issuer.is_empty() || facts.issuer_common_names.is_empty());
    for address in &facts.addresses {
        assert!(facts.speaks_for(&address.to_string()));
    }
    for name in facts.dns_names.iter().filter(|name| !name.contains('*')) {
        let is_address = name.parse::<std::net::IpAddr>().is_ok();
        let is_name = !name.trim_end_matches('.').is_empty() && !name.ends_with('.');
        assert!(facts.speaks_for(name) || is_address || !is_name, "{name:?}");
    }
    for now in [i64::MIN, 0, i64::MAX] {
        let _ = facts.age(now);
    }
}

/// A request is read or refused, and whoever would sign it for a node signs for one name.
fn check_request(der: &[u8]) {
    let Ok(request) = CertificateRequest::from_der(der) else { return };
    for usages in [&["digital signature", "server auth"][..], &["digital signature", "client auth"]]
    {
        for signer in SIGNERS.iter().filter(|signer| signer.check(&request, usages).is_ok()) {
            assert!(request.common_names.len() <= 1, "{}", signer.name);
        }
    }
    assert!(!request.proof().message.is_empty());
}

/// Some bytes changed, taken out or put in.
fn damaged(bytes: &[u8], choices: &mut Choices<'_>) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=choices.below(3) {
        let at = choices.below(bytes.len());
        let byte = u8::try_from(choices.below(256)).unwrap_or_default();
        match choices.below(8) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, byte),
            _ => {
                if let Some(old) = bytes.get_mut(at) {
                    *old = byte;
                }
            }
        }
    }
    bytes
}
