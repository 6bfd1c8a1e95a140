//! Stored, renewed and protected certificates.

use super::*;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use x509_parser::prelude::{FromDer, X509Certificate};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn read_file(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn an_authority_is_founded_once() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("pki");
    let first = Authority::load_or_create(&dir).unwrap();
    let second = Authority::load_or_create(&dir).unwrap();
    assert_eq!(first.pem(), second.pem());
    let der = CertificateDer::from_pem_slice(first.pem().as_bytes()).unwrap();
    let (_, certificate) = X509Certificate::from_der(&der).unwrap();
    assert!(certificate.is_ca());
    let ends = inspect::parse(first.pem()).unwrap().not_after;
    assert!(ends > SystemTime::now() + 3640 * DAY && ends < SystemTime::now() + 3660 * DAY);
}

#[test]
fn half_an_authority_is_finished_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::load_or_create(dir.path()).unwrap();
    let key = read_file(&dir.path().join("ca.key"));

    std::fs::remove_file(dir.path().join("ca.crt")).unwrap();
    let again = Authority::load_or_create(dir.path()).unwrap();
    assert_eq!(read_file(&dir.path().join("ca.key")), key, "the key that was there is used");
    assert!(inspect::belongs(again.pem(), &KeyPair::from_pem(&key).unwrap()).is_ok());

    std::fs::remove_file(dir.path().join("ca.key")).unwrap();
    assert!(Authority::load_or_create(dir.path()).is_err(), "no second authority is founded");
    let other = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
    std::fs::write(dir.path().join("ca.key"), other.serialize_pem()).unwrap();
    assert!(Authority::load_or_create(dir.path()).is_err(), "another key is not taken");
    drop(authority);
}

#[test]
fn a_serving_pair_is_kept_until_something_changes() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::load_or_create(dir.path()).unwrap();
    let files = authority.serving(&names(&["Localhost", "127.0.0.1", "::1"])).unwrap();
    let first = read_file(&files.certificate);
    assert_eq!(inspect::parse(&first).unwrap().names, ["127.0.0.1", "::1", "localhost"]);

    authority.serving(&names(&["0:0::1", "localhost", "127.0.0.1", "localhost"])).unwrap();
    assert_eq!(read_file(&files.certificate), first, "the same names in other words");

    authority.serving(&names(&["localhost"])).unwrap();
    let second = read_file(&files.certificate);
    assert_ne!(second, first, "other names");

    std::fs::remove_file(&files.key).unwrap();
    authority.serving(&names(&["localhost"])).unwrap();
    let third = read_file(&files.certificate);
    assert_ne!(third, second, "a lost key");

    std::fs::write(&files.key, authority.client("x", &[]).unwrap().1).unwrap();
    authority.serving(&names(&["localhost"])).unwrap();
    assert_ne!(read_file(&files.certificate), third, "a key of another pair");
}

#[test]
fn a_pair_of_another_authority_or_near_its_end_is_not_good() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::load_or_create(dir.path().join("one")).unwrap();
    let other = Authority::load_or_create(dir.path().join("two")).unwrap();
    let files = authority.serving(&names(&["localhost"])).unwrap();
    assert!(authority.is_current(&files, |_| true).unwrap());
    assert!(!other.is_current(&files, |_| true).unwrap());

    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
    for (days, good) in [(29, false), (31, true)] {
        let mut params = leaf(ExtendedKeyUsagePurpose::ServerAuth);
        params.not_after = (SystemTime::now() + days * DAY).into();
        let pem = params.signed_by(&key, &authority.issuer).unwrap().pem();
        write_pair(authority.writer, &files, &pem, &key).unwrap();
        assert_eq!(authority.is_current(&files, |_| true).unwrap(), good, "{days} days");
    }
}

#[test]
fn a_complete_pair_of_somebody_else_is_foreign() {
    let dir = tempfile::tempdir().unwrap();
    let own = Authority::ephemeral(dir.path().join("own")).unwrap();
    let other = Authority::load_or_create(dir.path().join("other")).unwrap();
    let files = own.serving(&names(&["localhost"])).unwrap();
    assert!(!own.is_foreign(&files).unwrap());
    assert!(other.is_foreign(&files).unwrap());
    std::fs::remove_file(&files.key).unwrap();
    assert!(!other.is_foreign(&files).unwrap(), "a certificate without its key is nobody's pair");
}

#[test]
fn a_client_has_its_name_and_all_its_groups() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::load_or_create(dir.path()).unwrap();
    let long = "g".repeat(300);
    let (pem, key) = authority.client("jäne", &["dev", "ops", &long]).unwrap();
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    let (rest, certificate) = X509Certificate::from_der(&der).unwrap();
    assert!(rest.is_empty());
    let subject = certificate.subject();
    let common: Vec<_> = subject.iter_common_name().map(|name| name.as_str().unwrap()).collect();
    let groups: Vec<_> = subject.iter_organization().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(common, ["jäne"]);
    assert_eq!(groups, ["dev", "ops", long.as_str()]);
    assert!(inspect::belongs(&pem, &KeyPair::from_pem(&key).unwrap()).is_ok());
    assert!(inspect::signed_by(&pem, authority.pem()));
}

#[test]
fn the_administrator_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::load_or_create(dir.path()).unwrap();
    let (pem, key) = authority.admin().unwrap();
    assert_eq!(authority.admin().unwrap(), (pem.clone(), key));
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    let (_, certificate) = X509Certificate::from_der(&der).unwrap();
    assert_eq!(certificate.subject().to_string(), "O=system:masters, CN=kubernetes-admin");
}

#[cfg(unix)]
#[test]
fn keys_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("deep").join("pki");
    let authority = Authority::load_or_create(&dir).unwrap();
    authority.serving(&usual_names()).unwrap();
    authority.admin().unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    for entry in std::fs::read_dir(&dir).unwrap() {
        let path = entry.unwrap().path();
        let wanted = if path.extension().is_some_and(|end| end == "key") { 0o600 } else { 0o644 };
        assert_eq!(mode(&path), wanted, "{}", path.display());
    }
}
