//! Every rule on a kubelet that breaks it, and on one that does not.

use super::*;
use crate::nodes::Address;
use ratchet_certificate::NodeName;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    SanType,
};
use rustls::pki_types::pem::PemObject;
use std::io::Write;

const DAY: i64 = 86_400;

/// 2026-01-01.
const BEGIN: i64 = 1_767_225_600;

fn kubelet(host: &str) -> Kubelet {
    let address = Address { kind: "InternalIP".to_owned(), text: host.to_owned() };
    let host = Some(host.to_owned()).filter(|host| !host.is_empty());
    Kubelet { node: NodeName::new("a").unwrap(), addresses: vec![address], host, port: 10250 }
}

fn case(witness: Witness) -> Case {
    let (kubelet, evidence) = (kubelet("10.0.0.1"), Vec::new());
    Case { kubelet, witness, evidence, authorities: Vec::new(), shares: Vec::new() }
}

fn presented(chain: Vec<Vec<u8>>) -> Case {
    case(Witness::Dialled(Seen::Presented { chain, proof: Ok(()) }))
}

/// An authority, and a certificate of a hundred days that it signed.
struct Made {
    authority: String,
    leaf: Vec<u8>,
}

fn made(change: impl FnOnce(&mut CertificateParams)) -> Made {
    let mut authority = CertificateParams::default();
    authority.distinguished_name.push(DnType::CommonName, "kubernetes");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let mut leaf = CertificateParams::default();
    leaf.distinguished_name = rcgen::DistinguishedName::new();
    leaf.distinguished_name.push(DnType::OrganizationName, "system:nodes");
    leaf.distinguished_name.push(DnType::CommonName, "system:node:a");
    leaf.subject_alt_names = vec![SanType::IpAddress("10.0.0.1".parse().unwrap())];
    leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    leaf.not_before = rcgen::date_time_ymd(2026, 1, 1);
    leaf.not_after = rcgen::date_time_ymd(2026, 4, 11);
    change(&mut leaf);
    let own = authority.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(authority, &key);
    let leaf = leaf.signed_by(&KeyPair::generate().unwrap(), &issuer).unwrap();
    Made { authority: own, leaf: leaf.der().to_vec() }
}

fn authority(pem: &str) -> Authority {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(pem.as_bytes()).unwrap();
    Authority::read(file.path()).unwrap()
}

fn measure(days: i64) -> Measure {
    Measure { authority: None, now: BEGIN + days * DAY, warn_within: 30 * DAY }
}

fn ids(judged: &Judged) -> Vec<&'static str> {
    judged.findings.iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn a_good_certificate_passes() {
    let good = made(|_| ());
    let trusted = Measure { authority: Some(authority(&good.authority)), ..measure(50) };
    let judged = trusted.judge(presented(vec![good.leaf]));
    assert_eq!((judged.outcome, judged.verdict().as_str()), (Outcome::Passes, "passes"));
    assert!(judged.findings.is_empty());
    assert_eq!(judged.today, Some(Ok(())));
    assert_eq!(judged.shape.unwrap().id, "csr-issued");
}

#[test]
fn names_that_are_not_the_nodes_fail() {
    let other =
        made(|leaf| leaf.distinguished_name.push(DnType::CommonName, "system:node:b\u{1b}[31m"));
    let judged = measure(50).judge(presented(vec![other.leaf]));
    assert_eq!(judged.verdict(), "would fail: common name");
    let [finding] = judged.findings.as_slice() else { panic!("{:?}", judged.findings) };
    assert_eq!(
        finding.message,
        "it presents \"system:node:b\\x1b[31m\", and would have to present \"system:node:a\""
    );
    assert!(judged.fix(finding).iter().any(|step| step.contains("kubectl cordon a")));
    assert_eq!(judged.today, None);
}

#[test]
fn addresses_times_and_usages_are_looked_at() {
    let far = made(|leaf| leaf.subject_alt_names = vec![SanType::DnsName("a".try_into().unwrap())]);
    let judged = measure(50).judge(presented(vec![far.leaf.clone()]));
    assert_eq!(judged.verdict(), "would fail: address not in SANs");
    assert_eq!(
        judged.findings[0].message,
        "the API server dials \"10.0.0.1\", the certificate speaks for DNS a"
    );
    // Without a Node nobody knows what would be dialled.
    let unknown = Case { kubelet: kubelet(""), ..presented(vec![far.leaf]) };
    assert_eq!(measure(50).judge(unknown).outcome, Outcome::Passes);
    let good = made(|_| ());
    for (days, verdict, id) in [
        (-1, "would fail: not yet valid", "RTC-CERT-004"),
        (101, "would fail: expired", "RTC-CERT-003"),
    ] {
        let judged = measure(days).judge(presented(vec![good.leaf.clone()]));
        assert_eq!((judged.verdict().as_str(), ids(&judged)), (verdict, vec![id]));
    }
    let client = made(|leaf| leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]);
    let trusted = Measure { authority: Some(authority(&client.authority)), ..measure(50) };
    let judged = trusted.judge(presented(vec![client.leaf]));
    assert_eq!(ids(&judged), ["RTC-CERT-006"]);
    assert!(judged.today.unwrap().is_err());
}

#[test]
fn rotation_is_overdue_after_nine_tenths() {
    let good = made(|_| ());
    let at = |days| ids(&measure(days).judge(presented(vec![good.leaf.clone()])));
    // Twenty days are left, but a kubelet that rotates has until the ninetieth.
    assert_eq!(at(80), [""; 0]);
    assert_eq!(at(92), ["RTC-CERT-016", "RTC-CERT-015"]);
    let by_hand = made(|leaf| leaf.distinguished_name.push(DnType::OrganizationName, "company"));
    let judged = measure(80).judge(presented(vec![by_hand.leaf]));
    assert_eq!((judged.outcome, ids(&judged)), (Outcome::Passes, vec!["RTC-CERT-015"]));
}

#[test]
fn chains_are_held_against_the_authority() {
    let (good, other) = (made(|_| ()), made(|_| ()));
    let foreign = Measure { authority: Some(authority(&other.authority)), ..measure(50) };
    let judged = foreign.judge(presented(vec![good.leaf.clone()]));
    assert_eq!(judged.verdict(), "would fail: unknown authority");
    assert_eq!(judged.today, Some(Err("certificate signed by unknown authority".to_owned())));
    // What has expired is still told whose it is not.
    let late = Measure { now: BEGIN + 200 * DAY, ..foreign };
    assert_eq!(ids(&late.judge(presented(vec![good.leaf]))), ["RTC-CERT-003", "RTC-CERT-005"]);
}

#[test]
fn a_certificate_of_its_own_is_known_only_with_the_authority() {
    let mut own = CertificateParams::default();
    own.distinguished_name.push(DnType::CommonName, "system:node:a");
    own.subject_alt_names = vec![SanType::IpAddress("10.0.0.1".parse().unwrap())];
    let own = own.self_signed(&KeyPair::generate().unwrap()).unwrap();
    let chain = || presented(vec![own.der().to_vec()]);
    assert_eq!(measure(50).judge(chain()).verdict(), "unknown: self-signed");
    let listed = Measure { authority: Some(authority(&own.pem())), ..measure(50) };
    let judged = listed.judge(chain());
    assert_eq!((judged.outcome, ids(&judged)), (Outcome::Passes, vec!["RTC-CERT-017"]));
    let foreign = Measure { authority: Some(authority(&made(|_| ()).authority)), ..measure(50) };
    assert_eq!(foreign.judge(chain()).verdict(), "would fail: unknown authority");
}

#[test]
fn what_is_not_seen_is_unknown() {
    let verdict = |witness| measure(50).judge(case(witness)).verdict();
    let nothing = |why: &str| Seen::Nothing(why.to_owned());
    assert_eq!(verdict(Witness::Dialled(nothing("refused"))), "unknown: no answer");
    assert_eq!(verdict(Witness::Dialled(Seen::NotTls("x".to_owned()))), "would fail: no TLS");
    assert_eq!(
        verdict(Witness::File("a.pem".into(), nothing("empty"))),
        "unknown: no certificate file"
    );
    assert_eq!(verdict(Witness::NoFile), "unknown: no certificate file");
    assert_eq!(verdict(Witness::NoAddress), "unknown: no address");
    assert_eq!(verdict(Witness::NoNode), "unknown: no such node");
    let proxied = |proxied| Witness::Proxied { proxied, direct: Some("refused".to_owned()) };
    assert_eq!(verdict(proxied(Proxied::Reached)), "unknown: seen through the API server only");
    assert_eq!(verdict(proxied(Proxied::Nothing("503".to_owned()))), "unknown: no answer");
    let refused = measure(50).judge(case(proxied(Proxied::Refused("x509: no".to_owned()))));
    assert_eq!(refused.verdict(), "would fail: API server refuses it");
    assert_eq!(refused.evidence, ["dialled directly: refused"]);
}

#[test]
fn what_cannot_be_used_fails() {
    let judged = measure(50).judge(presented(vec![b"noise".to_vec()]));
    assert_eq!(judged.verdict(), "would fail: unusable");
    let stolen =
        Seen::Presented { chain: vec![made(|_| ()).leaf], proof: Err("bad signature".to_owned()) };
    let judged = measure(50).judge(case(Witness::Dialled(stolen)));
    assert_eq!(judged.verdict(), "would fail: unusable");
    assert!(judged.facts.is_some());
}

#[test]
fn shared_addresses_are_told() {
    let good = made(|_| ());
    let shared = Case { shares: vec!["b".to_owned()], ..presented(vec![good.leaf]) };
    let judged = measure(50).judge(shared);
    assert_eq!(judged.outcome, Outcome::Passes);
    assert_eq!(judged.findings[0].message, "10.0.0.1:10250 is reported by b too");
}

#[test]
fn authorities_that_were_issued_are_told() {
    // What comes of signing a request with the extensions that it asks for.
    let minted = made(|leaf| leaf.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    let judged = measure(50).judge(presented(vec![minted.leaf.clone()]));
    assert_eq!((judged.outcome, ids(&judged)), (Outcome::Passes, vec!["RTC-CERT-020"]));
    assert_eq!(
        judged.findings[0].message,
        "it presents the authority \"O=system:nodes,CN=system:node:a\", which \"CN=kubernetes\" has issued"
    );
    // Another node's name, signed with it: the one that signed stands behind it.
    let good = made(|_| ());
    let behind = measure(50).judge(presented(vec![good.leaf.clone(), minted.leaf]));
    assert_eq!(ids(&behind), ["RTC-CERT-020"]);
    // The certificate of the authority itself may stand there.
    let own = rustls::pki_types::CertificateDer::from_pem_slice(good.authority.as_bytes()).unwrap();
    let trusted = Measure { authority: Some(authority(&good.authority)), ..measure(50) };
    assert!(ids(&trusted.judge(presented(vec![good.leaf, own.to_vec()]))).is_empty());
    // The cluster's own answers are evidence, also where the kubelet was not seen.
    let told = Case { authorities: vec!["x".to_owned()], ..case(Witness::NoFile) };
    assert_eq!(ids(&measure(50).judge(told)), ["RTC-CERT-013", "RTC-CERT-020"]);
}

#[test]
fn spans_are_words() {
    for (seconds, words) in
        [(0, "0 seconds"), (1, "1 second"), (90, "1 minute"), (7200, "2 hours"), (DAY, "1 day")]
    {
        assert_eq!(span(seconds), words);
    }
}
