//! Tests of every signer on requests that it accepts, and on others.

use super::*;
use alloc::vec;
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, SanType};

fn request(organization: &str, name: &str, names: Vec<SanType>) -> CertificateRequest {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::OrganizationName, organization);
    params.distinguished_name.push(DnType::CommonName, name);
    params.subject_alt_names = names;
    let made = params.serialize_request(&KeyPair::generate().unwrap()).unwrap();
    CertificateRequest::from_der(made.der()).unwrap()
}

fn dns() -> SanType {
    SanType::DnsName("a.example".try_into().unwrap())
}

fn check_error(signer: &str, request: &CertificateRequest, usages: &[&str]) -> String {
    Signer::named(signer).unwrap().check(request, usages).err().unwrap_or_default()
}

#[test]
fn serving_certificates_are_for_nodes_and_their_addresses() {
    let signer = "kubernetes.io/kubelet-serving";
    let usages = [SIGNATURE, ENCIPHERMENT, SERVER];
    let good = request("system:nodes", "system:node:a", vec![dns()]);
    assert_eq!(check_error(signer, &good, &usages), "");
    assert_eq!(check_error(signer, &good, &[SERVER, SIGNATURE]), "");
    let wrong = "usages did not match [digital signature key encipherment server auth]";
    for usages in [&[SERVER][..], &[SIGNATURE, CLIENT], &[SIGNATURE, SERVER, "cert sign"], &[]] {
        assert_eq!(check_error(signer, &good, usages), wrong, "{usages:?}");
    }
    let rows = [
        (
            "system:masters",
            "system:node:a",
            vec![dns()],
            "subject organization is not system:nodes",
        ),
        ("system:nodes", "system:node:a", vec![], "DNS or IP subjectAltName is required"),
        (
            "system:nodes",
            "system:node:a",
            vec![dns(), SanType::Rfc822Name("a@example".try_into().unwrap())],
            "Email subjectAltNames are not allowed",
        ),
        (
            "system:nodes",
            "system:node:a",
            vec![dns(), SanType::URI("x:y".try_into().unwrap())],
            "URI subjectAltNames are not allowed",
        ),
        ("system:nodes", "a", vec![dns()], "subject common name does not begin with system:node:"),
    ];
    for (organization, name, names, why) in rows {
        assert_eq!(check_error(signer, &request(organization, name, names), &usages), why);
    }
}

#[test]
fn client_certificates_of_kubelets_speak_for_no_host() {
    let signer = "kubernetes.io/kube-apiserver-client-kubelet";
    let usages = [SIGNATURE, CLIENT];
    let good = request("system:nodes", "system:node:a", vec![]);
    assert_eq!(check_error(signer, &good, &usages), "");
    assert_eq!(
        check_error(signer, &good, &[SIGNATURE, SERVER]),
        "usages did not match [client auth digital signature key encipherment]"
    );
    let named = request("system:nodes", "system:node:a", vec![dns()]);
    assert_eq!(check_error(signer, &named, &usages), "DNS subjectAltNames are not allowed");
    let other = request("system:nodes", "ada", vec![]);
    assert_eq!(
        check_error(signer, &other, &usages),
        "subject common name does not begin with system:node:"
    );
}

#[test]
fn clients_are_anybody_with_the_usages_of_a_client() {
    let signer = "kubernetes.io/kube-apiserver-client";
    let ada = request("readers", "ada", vec![]);
    assert_eq!(check_error(signer, &ada, &[CLIENT]), "");
    assert_eq!(check_error(signer, &ada, &[CLIENT, SIGNATURE, ENCIPHERMENT]), "");
    assert_eq!(
        check_error(signer, &ada, &[CLIENT, SERVER]),
        "invalid usage for client certificate: server auth"
    );
    assert_eq!(
        check_error(signer, &ada, &[SIGNATURE]),
        "missing required usage for client certificate: client auth"
    );
}

#[test]
fn nobody_signs_for_two_names_or_lets_others_sign() {
    let mut two = request("system:nodes", "system:node:a", vec![dns()]);
    two.common_names.push("system:node:b".to_owned());
    for signer in SIGNERS {
        for usages in [&[SIGNATURE, SERVER][..], &[SIGNATURE, CLIENT]] {
            let why = signer.check(&two, usages).unwrap_err();
            assert_eq!(why, "subject has more than one common name", "{}", signer.name);
        }
        let one = request("system:nodes", "system:node:a", vec![dns()]);
        for usage in ["cert sign", "crl sign", "any"] {
            assert!(signer.check(&one, &[SIGNATURE, CLIENT, SERVER, usage]).is_err());
        }
    }
    assert!(Signer::named("kubernetes.io/legacy-unknown").is_none());
}
