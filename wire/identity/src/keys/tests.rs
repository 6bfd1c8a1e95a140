//! Keys of every type sign, verify and are published.

use super::*;

fn pem(label: &str, der: &[u8]) -> String {
    let body = BASE64_STANDARD.encode(der);
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

fn check(key: &SigningKey, name: &str) {
    let signature = key.sign(b"message").expect("signed");
    assert_eq!(key.public().algorithm.name(), name);
    assert!(key.public().proves(b"message", &signature));
    assert!(!key.public().proves(b"massage", &signature));
    let jwk = key.public().to_jwk();
    assert_eq!(jwk["kid"], key.public().id);
    assert_eq!(jwk["alg"], name);
}

#[test]
fn every_curve_signs_and_proves() {
    for (curve, name) in CURVES.into_iter().zip(["ES256", "ES384", "ES512"]) {
        let pair = EcdsaKeyPair::generate(curve).expect("a key");
        let pkcs8 = pair.to_pkcs8v1().expect("written");
        let key = SigningKey::from_pem(pem("PRIVATE KEY", pkcs8.as_ref()).as_bytes());
        check(&key.expect("read"), name);
    }
}

#[test]
fn rsa_signs_and_proves() {
    let pair = RsaKeyPair::generate(aws_lc_rs::rsa::KeySize::Rsa2048).expect("a key");
    let pkcs8: aws_lc_rs::encoding::Pkcs8V1Der<'_> = pair.as_der().expect("written");
    let text = pem("PRIVATE KEY", pkcs8.as_ref());
    let key = SigningKey::from_pem(text.as_bytes()).expect("read");
    check(&key, "RS256");
    let jwk = key.public().to_jwk();
    assert_eq!(jwk["e"], "AQAB");
    assert_eq!(jwk["n"].as_str().map(str::len), Some(342));
}

#[test]
fn a_new_key_can_be_kept() {
    let (key, text) = SigningKey::generate().expect("a key");
    check(&key, "ES256");
    assert!(text.lines().all(|line| line.len() <= 64));
    let again = SigningKey::from_pem(text.as_bytes()).expect("read");
    assert_eq!(again.public(), key.public());
    let jwk = key.public().to_jwk();
    assert_eq!((jwk["kty"].as_str(), jwk["crv"].as_str()), (Some("EC"), Some("P-256")));
    assert!(!format!("{key:?}").contains("MIG"));
}

#[test]
fn public_keys_come_from_all_kinds_of_blocks() {
    let (key, private) = SigningKey::generate().expect("a key");
    let public = pem("PUBLIC KEY", &key.public().spki);
    let pair = rcgen::KeyPair::from_pem(&private).expect("read");
    let certificate = rcgen::CertificateParams::default().self_signed(&pair).expect("made").pem();
    for text in [&private, &public, &certificate] {
        let keys = PublicKey::all_from_pem(text.as_bytes()).expect("read");
        assert_eq!(keys, [key.public().clone()]);
    }
    let all = format!("{private}{public}");
    assert_eq!(PublicKey::all_from_pem(all.as_bytes()).map(|keys| keys.len()), Ok(2));
}

#[test]
fn what_is_no_key_is_refused() {
    assert_eq!(PublicKey::all_from_pem(b"nothing"), Err(KeyError::None));
    let bad = pem("PUBLIC KEY", b"abc");
    assert_eq!(PublicKey::all_from_pem(bad.as_bytes()), Err(KeyError::Unknown));
    assert_eq!(SigningKey::from_pem(b"").err(), Some(KeyError::None));
    let bad = pem("PRIVATE KEY", b"abc");
    assert_eq!(SigningKey::from_pem(bad.as_bytes()).err(), Some(KeyError::Unknown));
    let public = pem("PUBLIC KEY", &SigningKey::generate().expect("a key").0.public().spki);
    assert_eq!(SigningKey::from_pem(public.as_bytes()).err(), Some(KeyError::None));
    assert!(matches!(
        SigningKey::from_pem(b"-----BEGIN PRIVATE KEY-----\n*\n-----END PRIVATE KEY-----\n"),
        Err(KeyError::Pem(_))
    ));
}
