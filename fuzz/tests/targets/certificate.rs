//! Fuzz target `certificate`: a certificate bears a node's name or not, whatever its bytes, and errors are one short
//! line.

use ratchet_certificate::NodeName;

/// Pieces of DER, in hexadecimal as the seeds are.
const WORDS: &[&str] = &[
    "0603550403",                               // the identifier of the common name
    "060355040a",                               // and of the organization
    "0c1273797374656d3a6e6f64653a6e6f64652d61", // the right name, as a UTF8String
    "131273797374656d3a6e6f64653a6e6f64652d61", // as a PrintableString
    "1e1273797374656d3a6e6f64653a6e6f64652d61", // as a BMPString
    "73797374656d3a6e6f64653a6e6f64652d61",
    "30",
    "31",
    "3080",
    "0000",
    "0500",
    "00",
    "0c00",
    "1f",
    "2c",
    "81",
    "82ffff",
    "84ffffffff",
    "a003020102",
    "ff",
];

#[test]
fn certificate() {
    ratchet_fuzz::fuzz!("certificate", WORDS, check);
}

fn check(text: &str) {
    let leaf = ratchet_fuzz::unhex(text);
    let node = |name| NodeName::new(name).unwrap_or_else(|| panic!("no name: {name}"));
    let (a, b) = (node("node-a").is_borne_by(&leaf), node("node-b").is_borne_by(&leaf));
    assert!(a.is_err() || b.is_err(), "one certificate bears two names");
    if a.is_ok() {
        let name = b"system:node:node-a";
        assert!(leaf.windows(name.len()).any(|window| window == name));
        let longer = [&leaf[..], &[0]].concat();
        assert!(node("node-a").is_borne_by(&longer).is_err(), "something may follow");
    }
    for fault in [a, b].into_iter().filter_map(Result::err) {
        let message = fault.to_string();
        assert!(message.starts_with("x509: kubelet serving certificate "), "{message}");
        assert!(message.chars().count() < 500, "{message:?}");
        assert!(!message.contains(char::is_control), "{message:?}");
        assert!(fault.presented().chars().count() < 350);
    }
}
