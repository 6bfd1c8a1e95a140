//! Requests with every key algorithm, made by openssl: valid ones pass, changed ones fail.

use super::*;
use ratchet_engine::{Behavior, Release};
use ratchet_object::{Limits, Node, Object, decode};

/// A name and a request a line, made by openssl.
const REQUESTS: &str = include_str!("requests.txt");
/// A certificate, made by openssl.
const CERTIFICATE: &str = include_str!("certificate.txt").trim_ascii_end();

fn requests() -> impl Iterator<Item = (&'static str, &'static str)> {
    REQUESTS.lines().filter_map(|line| line.split_once(' '))
}

fn fault(request: &str) -> Option<String> {
    decode_request(request).and_then(|der| verify_signature(&der)).err()
}

fn encoded(label: &str, der: &[u8]) -> String {
    let body = BASE64_STANDARD.encode(der);
    BASE64_STANDARD.encode(format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n"))
}

#[test]
fn whoever_has_the_key_is_believed() {
    assert_eq!(requests().count(), 7);
    for (name, request) in requests() {
        assert_eq!(fault(request), None, "{name}");
    }
}

#[test]
fn what_was_changed_is_not_believed() {
    for (name, request) in requests() {
        let mut der = decode_request(request).unwrap();
        let last = der.len() - 1;
        der[last] ^= 1;
        let failure = match name.split('-').next() {
            Some("rsa") => "crypto/rsa: verification error",
            Some("ed25519") => "x509: Ed25519 verification failure",
            _ => "x509: ECDSA verification failure",
        };
        let changed = encoded("CERTIFICATE REQUEST", &der);
        assert_eq!(fault(&changed).as_deref(), Some(failure), "{name}");
    }
}

#[test]
fn what_is_no_request_is_told() {
    for text in ["", "%", "eA==", &encoded("CERTIFICATE", b"x")] {
        assert_eq!(fault(text).as_deref(), Some(NO_REQUEST), "{text}");
    }
    let (_, request) = requests().next().unwrap();
    let mut der = decode_request(request).unwrap();
    der.push(0);
    let more = encoded("CERTIFICATE REQUEST", &der);
    assert_eq!(fault(&more).as_deref(), Some("asn1: syntax error: trailing data"));
    der.truncate(40);
    for der in [&der[..], &[][..], &b"x"[..]] {
        let text = encoded("CERTIFICATE REQUEST", der);
        assert!(fault(&text).is_some_and(|why| why.starts_with("asn1: ")), "{der:?}");
    }
}

#[test]
fn a_key_of_another_sort_does_not_sign() {
    let der = |name: &str| {
        let (_, request) = requests().find(|(own, _)| *own == name).unwrap();
        decode_request(request).unwrap()
    };
    // The signature algorithm is the last object identifier of the request.
    let mut request = der("p256");
    let ecdsa = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
    let at = request.windows(8).rposition(|bytes| bytes == ecdsa).unwrap();
    request[at + 7] = 9;
    let unknown = encoded("CERTIFICATE REQUEST", &request);
    let error = "x509: cannot verify signature: algorithm unimplemented";
    assert_eq!(fault(&unknown).as_deref(), Some(error));
    let mut request = der("ed25519");
    let key = [0x2b, 0x65, 0x70];
    let at = request.windows(3).position(|bytes| bytes == key).unwrap();
    request[at + 2] = 0x71;
    let unknown = encoded("CERTIFICATE REQUEST", &request);
    assert_eq!(fault(&unknown).as_deref(), Some("x509: unknown public key algorithm"));
}

#[test]
fn certificates_are_certificates() {
    let good = CERTIFICATE.trim();
    assert_eq!(check_certificates(good), Ok(()));
    assert_eq!(check_certificates(""), Ok(()));
    let pem = String::from_utf8(BASE64_STANDARD.decode(good).unwrap()).unwrap();
    let text = |pem: &str| check_certificates(&BASE64_STANDARD.encode(pem)).unwrap_err();
    assert_eq!(check_certificates(&BASE64_STANDARD.encode(format!("{pem}{pem}"))), Ok(()));
    assert_eq!(text("hello"), "must contain at least one CERTIFICATE PEM block");
    let with_headers = pem.replacen("-----\n", "-----\na: b\n\n", 1);
    assert_eq!(text(&with_headers), "no PEM block headers are permitted");
    let (_, request) = requests().next().unwrap();
    let request = String::from_utf8(BASE64_STANDARD.decode(request).unwrap()).unwrap();
    assert_eq!(
        text(&format!("{pem}{request}")),
        "only CERTIFICATE PEM blocks are allowed, found \"CERTIFICATE REQUEST\""
    );
    let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert_eq!(text(garbage), "x509: malformed certificate");
}

fn field_errors(change: &Change<'_>) -> Vec<String> {
    let config = ApiConfig::of(Release::REFERENCE, Behavior::Released);
    let mut verdict = ratchet_engine::judge(change, &ratchet_engine::Facts::default(), &config);
    check(change, &config, &mut verdict);
    verdict.errors.iter().map(|one| format!("{}: {}", one.field, one.message())).collect()
}

fn object(request: &str, usages: &str, certificate: &str) -> Object<'static> {
    let text = format!(
        "{{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {{name: r, resourceVersion: '1'}}, spec: {{request: '{request}', signerName: a.b/c, usages: [{usages}]}}, status: {{certificate: '{certificate}'}}}}"
    );
    let node: Node<'static> =
        decode(&text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
    Object::new(node)
}

#[test]
fn the_request_is_told_of_before_the_rest() {
    let bad = object("eA==", "", "");
    assert_eq!(
        field_errors(&Change::create(&bad).unwrap()),
        [
            "spec.request: Invalid value: \"eA==\": PEM block type must be CERTIFICATE REQUEST",
            "spec.usages: Required value",
        ]
    );
    let good = object(requests().next().unwrap().1, "any", "");
    assert!(field_errors(&Change::create(&good).unwrap()).is_empty());
}

#[test]
fn a_certificate_is_looked_at_where_it_is_given() {
    let given = |old: &str, new: &str| {
        let (old, new) = (object("eA==", "any", old), object("eA==", "any", new));
        field_errors(&Change::update(&old, &new).unwrap().through(Part::STATUS))
    };
    assert!(given("", CERTIFICATE.trim()).is_empty());
    let bad = "status.certificate: Invalid value: \"<certificate data>\": must contain at least one CERTIFICATE PEM block";
    assert_eq!(given("", "eA=="), [bad]);
    assert!(given("eA==", "eA==").is_empty(), "it was there before");
}
