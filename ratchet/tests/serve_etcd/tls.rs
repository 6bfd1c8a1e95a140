//! An etcd of three members that demands certificates of its clients.

use crate::server::refused_at_home;
use crate::{MAPS, create, eventually, map, start};
use etcd_peer::{Cluster, required_programs};
use ratchet_etcd::{EtcdConfig, EtcdStore};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

fn flag(name: &str, folder: &Path, file: &str) -> String {
    format!("--{name}={}", folder.join(file).display())
}

/// Waits for a leader: only those with a certificate can ask.
fn wait_for_leader(cluster: &Cluster, folder: &Path) {
    let config = EtcdConfig {
        ca_file: Some(folder.join("ca.crt")),
        client_files: Some((folder.join("client.crt"), folder.join("client.key"))),
        timeout: Duration::from_secs(60),
        ..EtcdConfig::new(cluster.urls())
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        EtcdStore::connect(config).await.unwrap();
    });
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn an_etcd_with_tls_serves_those_with_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_certificates(folder);
    for program in required_programs() {
        let theirs = [
            flag("cert-file", folder, "server.crt"),
            flag("key-file", folder, "server.key"),
            flag("trusted-ca-file", folder, "ca.crt"),
            "--client-cert-auth".to_owned(),
        ];
        let theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
        let mut cluster = Cluster::start_tls(&program, 3, &theirs);
        wait_for_leader(&cluster, folder);

        let authority = flag("etcd-cafile", folder, "ca.crt");
        let certificate = flag("etcd-certfile", folder, "client.crt");
        let key = flag("etcd-keyfile", folder, "client.key");
        let home = tempfile::tempdir().unwrap();
        let server = start(home.path(), &cluster, &[&authority, &certificate, &key]);
        let made = create(&server, MAPS, &map("a"));
        let (code, text) = server.get(&format!("{MAPS}/a"));
        assert_eq!(code, 200, "{text}");
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, made);

        // Neither a client that is nobody nor one that does not believe the members gets anything.
        let servers = format!("--etcd-servers={}", cluster.urls().join(","));
        let other = tempfile::tempdir().unwrap();
        let text = refused_at_home(other.path(), &[&servers, &authority]);
        assert!(text.contains("etcd cannot be used"), "{text}");
        let stranger = flag("etcd-cafile", folder, "other.crt");
        let text = refused_at_home(other.path(), &[&servers, &stranger, &certificate, &key]);
        assert!(text.contains("etcd cannot be used"), "{text}");

        // Two of three are enough, whichever the server is connected to.
        cluster.member(0).power_off();
        eventually("the server writes again", || {
            matches!(server.request("POST", MAPS, &map("after")).0, 201 | 409)
        });
        assert_eq!(server.get(&format!("{MAPS}/a")).0, 200);
    }
}

/// An authority with a server and a client certificate, and another authority.
fn write_certificates(dir: &Path) {
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
