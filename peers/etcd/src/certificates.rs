//! Certificates for an etcd with TLS and its clients.

use std::path::Path;

/// Writes an authority (`ca`) with a certificate for a server and one for a client, and another authority (`other`).
pub fn write_certificates(dir: &Path) {
    let authority = |name: &str| {
        let mut params = rcgen::CertificateParams::new(Vec::<String>::new()).unwrap();
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        std::fs::write(dir.join(format!("{name}.crt")), pem).unwrap();
        rcgen::Issuer::new(params, key)
    };
    let ca = authority("ca");
    authority("other");
    for (name, usage) in [
        ("server", rcgen::ExtendedKeyUsagePurpose::ServerAuth),
        ("client", rcgen::ExtendedKeyUsagePurpose::ClientAuth),
    ] {
        let mut params = rcgen::CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        // etcd calls itself through its gateway, with its own certificate.
        params.extended_key_usages = vec![usage, rcgen::ExtendedKeyUsagePurpose::ClientAuth];
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &ca).unwrap();
        std::fs::write(dir.join(format!("{name}.crt")), certificate.pem()).unwrap();
        std::fs::write(dir.join(format!("{name}.key")), key.serialize_pem()).unwrap();
    }
}
