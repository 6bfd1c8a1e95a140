//! An etcd of three members that demands certificates of its clients.

use crate::server::refused_at_home;
use crate::{MAPS, create, eventually, map, start};
use etcd_peer::{Cluster, required_programs, write_certificates};
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
