//! Tests of every rule, with a kubelet that violates it and one that does not.

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

fn case(observation: Observation) -> AuditCase {
    let (kubelet, evidence) = (kubelet("10.0.0.1"), Vec::new());
    AuditCase { kubelet, observation, evidence, authorities: Vec::new(), same_endpoint: Vec::new() }
}

fn presented(chain: Vec<Vec<u8>>) -> AuditCase {
    case(Observation::Dialled(ProbeResult::Presented { chain, proof: Ok(()) }))
}

/// A certificate valid for a hundred days, and the authority that signed it.
struct IssuedCertificate {
    authority: String,
    leaf: Vec<u8>,
}

fn issue(change: impl FnOnce(&mut CertificateParams)) -> IssuedCertificate {
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
    IssuedCertificate { authority: own, leaf: leaf.der().to_vec() }
}

fn authority(pem: &str) -> Authority {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(pem.as_bytes()).unwrap();
    Authority::read(file.path()).unwrap()
}

fn auditor(days: i64) -> Auditor {
    Auditor { authority: None, now: BEGIN + days * DAY, warn_within: 30 * DAY }
}

fn ids(audited: &AuditedNode) -> Vec<&'static str> {
    audited.findings.iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn a_good_certificate_passes() {
    let good = issue(|_| ());
    let trusted = Auditor { authority: Some(authority(&good.authority)), ..auditor(50) };
    let audited = trusted.judge(presented(vec![good.leaf]));
    assert_eq!((audited.outcome, audited.verdict().as_str()), (Outcome::Passes, "passes"));
    assert!(audited.findings.is_empty());
    assert_eq!(audited.today, Some(Ok(())));
    assert_eq!(audited.shape.unwrap().id, "csr-issued");
}

#[test]
fn names_that_are_not_the_nodes_fail() {
    let other =
        issue(|leaf| leaf.distinguished_name.push(DnType::CommonName, "system:node:b\u{1b}[31m"));
    let audited = auditor(50).judge(presented(vec![other.leaf]));
    assert_eq!(audited.verdict(), "would fail: common name");
    let [finding] = audited.findings.as_slice() else { panic!("{:?}", audited.findings) };
    assert_eq!(
        finding.message,
        "it presents \"system:node:b\\x1b[31m\", and would have to present \"system:node:a\""
    );
    assert!(audited.fix(finding).iter().any(|step| step.contains("kubectl cordon a")));
    assert_eq!(audited.today, None);
}

#[test]
fn addresses_times_and_usages_are_looked_at() {
    let far =
        issue(|leaf| leaf.subject_alt_names = vec![SanType::DnsName("a".try_into().unwrap())]);
    let audited = auditor(50).judge(presented(vec![far.leaf.clone()]));
    assert_eq!(audited.verdict(), "would fail: address not in SANs");
    assert_eq!(
        audited.findings[0].message,
        "the API server dials \"10.0.0.1\", the certificate speaks for DNS a"
    );
    // Without a Node object the dialled address is unknown.
    let unknown = AuditCase { kubelet: kubelet(""), ..presented(vec![far.leaf]) };
    assert_eq!(auditor(50).judge(unknown).outcome, Outcome::Passes);
    let good = issue(|_| ());
    for (days, verdict, id) in [
        (-1, "would fail: not yet valid", "RTC-CERT-004"),
        (101, "would fail: expired", "RTC-CERT-003"),
    ] {
        let audited = auditor(days).judge(presented(vec![good.leaf.clone()]));
        assert_eq!((audited.verdict().as_str(), ids(&audited)), (verdict, vec![id]));
    }
    let client = issue(|leaf| leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]);
    let trusted = Auditor { authority: Some(authority(&client.authority)), ..auditor(50) };
    let audited = trusted.judge(presented(vec![client.leaf]));
    assert_eq!(ids(&audited), ["RTC-CERT-006"]);
    assert!(audited.today.unwrap().is_err());
}

#[test]
fn rotation_is_overdue_after_nine_tenths() {
    let good = issue(|_| ());
    let at = |days| ids(&auditor(days).judge(presented(vec![good.leaf.clone()])));
    // Twenty days are left, but a rotating kubelet has until the ninetieth.
    assert_eq!(at(80), [""; 0]);
    assert_eq!(at(92), ["RTC-CERT-016", "RTC-CERT-015"]);
    let by_hand = issue(|leaf| leaf.distinguished_name.push(DnType::OrganizationName, "company"));
    let audited = auditor(80).judge(presented(vec![by_hand.leaf]));
    assert_eq!((audited.outcome, ids(&audited)), (Outcome::Passes, vec!["RTC-CERT-015"]));
}

#[test]
fn chains_are_held_against_the_authority() {
    let (good, other) = (issue(|_| ()), issue(|_| ()));
    let foreign = Auditor { authority: Some(authority(&other.authority)), ..auditor(50) };
    let audited = foreign.judge(presented(vec![good.leaf.clone()]));
    assert_eq!(audited.verdict(), "would fail: unknown authority");
    assert_eq!(audited.today, Some(Err("certificate signed by unknown authority".to_owned())));
    // The name of an expired certificate is still checked.
    let late = Auditor { now: BEGIN + 200 * DAY, ..foreign };
    assert_eq!(ids(&late.judge(presented(vec![good.leaf]))), ["RTC-CERT-003", "RTC-CERT-005"]);
}

#[test]
fn a_certificate_of_its_own_is_known_only_with_the_authority() {
    let mut own = CertificateParams::default();
    own.distinguished_name.push(DnType::CommonName, "system:node:a");
    own.subject_alt_names = vec![SanType::IpAddress("10.0.0.1".parse().unwrap())];
    let own = own.self_signed(&KeyPair::generate().unwrap()).unwrap();
    let chain = || presented(vec![own.der().to_vec()]);
    assert_eq!(auditor(50).judge(chain()).verdict(), "unknown: self-signed");
    let listed = Auditor { authority: Some(authority(&own.pem())), ..auditor(50) };
    let audited = listed.judge(chain());
    assert_eq!((audited.outcome, ids(&audited)), (Outcome::Passes, vec!["RTC-CERT-017"]));
    let foreign = Auditor { authority: Some(authority(&issue(|_| ()).authority)), ..auditor(50) };
    assert_eq!(foreign.judge(chain()).verdict(), "would fail: unknown authority");
}

#[test]
fn what_is_not_seen_is_unknown() {
    let verdict = |observation| auditor(50).judge(case(observation)).verdict();
    let nothing = |why: &str| ProbeResult::Failed(why.to_owned());
    assert_eq!(verdict(Observation::Dialled(nothing("refused"))), "unknown: no answer");
    assert_eq!(
        verdict(Observation::Dialled(ProbeResult::NotTls("x".to_owned()))),
        "would fail: no TLS"
    );
    assert_eq!(
        verdict(Observation::File("a.pem".into(), nothing("empty"))),
        "unknown: no certificate file"
    );
    assert_eq!(verdict(Observation::NoFile), "unknown: no certificate file");
    assert_eq!(verdict(Observation::NoAddress), "unknown: no address");
    assert_eq!(verdict(Observation::NoNode), "unknown: no such node");
    let proxied = |proxied| Observation::Proxied { proxied, direct: Some("refused".to_owned()) };
    assert_eq!(verdict(proxied(ProxyResult::Reached)), "unknown: seen through the API server only");
    assert_eq!(verdict(proxied(ProxyResult::Failed("503".to_owned()))), "unknown: no answer");
    let refused = auditor(50).judge(case(proxied(ProxyResult::Refused("x509: no".to_owned()))));
    assert_eq!(refused.verdict(), "would fail: API server refuses it");
    assert_eq!(refused.evidence, ["dialled directly: refused"]);
}

#[test]
fn what_cannot_be_used_fails() {
    let audited = auditor(50).judge(presented(vec![b"noise".to_vec()]));
    assert_eq!(audited.verdict(), "would fail: unusable");
    let stolen = ProbeResult::Presented {
        chain: vec![issue(|_| ()).leaf],
        proof: Err("bad signature".to_owned()),
    };
    let audited = auditor(50).judge(case(Observation::Dialled(stolen)));
    assert_eq!(audited.verdict(), "would fail: unusable");
    assert!(audited.facts.is_some());
}

#[test]
fn shared_addresses_are_told() {
    let good = issue(|_| ());
    let shared = AuditCase { same_endpoint: vec!["b".to_owned()], ..presented(vec![good.leaf]) };
    let audited = auditor(50).judge(shared);
    assert_eq!(audited.outcome, Outcome::Passes);
    assert_eq!(audited.findings[0].message, "10.0.0.1:10250 is reported by b too");
}

#[test]
fn authorities_that_were_issued_are_told() {
    // The result of signing a request with the extensions that it asks for.
    let minted = issue(|leaf| leaf.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    let audited = auditor(50).judge(presented(vec![minted.leaf.clone()]));
    assert_eq!((audited.outcome, ids(&audited)), (Outcome::Passes, vec!["RTC-CERT-020"]));
    assert_eq!(
        audited.findings[0].message,
        "it presents the authority \"O=system:nodes,CN=system:node:a\", which \"CN=kubernetes\" has issued"
    );
    // A certificate with another node's name, signed by that authority, which follows in the chain.
    let good = issue(|_| ());
    let behind = auditor(50).judge(presented(vec![good.leaf.clone(), minted.leaf]));
    assert_eq!(ids(&behind), ["RTC-CERT-020"]);
    // The trusted authority itself may be part of the chain.
    let own = rustls::pki_types::CertificateDer::from_pem_slice(good.authority.as_bytes()).unwrap();
    let trusted = Auditor { authority: Some(authority(&good.authority)), ..auditor(50) };
    assert!(ids(&trusted.judge(presented(vec![good.leaf, own.to_vec()]))).is_empty());
    // Issued requests are evidence, also where the kubelet was not reached.
    let case_with_authority =
        AuditCase { authorities: vec!["x".to_owned()], ..case(Observation::NoFile) };
    assert_eq!(ids(&auditor(50).judge(case_with_authority)), ["RTC-CERT-013", "RTC-CERT-020"]);
}

#[test]
fn spans_are_words() {
    for (seconds, words) in
        [(0, "0 seconds"), (1, "1 second"), (90, "1 minute"), (7200, "2 hours"), (DAY, "1 day")]
    {
        assert_eq!(span(seconds), words);
    }
}
