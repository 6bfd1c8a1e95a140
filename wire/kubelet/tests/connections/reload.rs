//! Files change while connections are open.

use std::path::Path;
use std::time::Duration;

use http_body_util::BodyExt;
use ratchet_kubelet::{ClientKeyFiles, KubeletClient, NameCheck, Settings, Trust};

use super::authority::{Authority, Leaf, Wanted};
use super::peer::{H1, H2, Peer};
use super::us::Us;

fn write(files: &ClientKeyFiles, leaf: &Leaf) {
    std::fs::write(&files.certificate, &leaf.pem).unwrap();
    std::fs::write(&files.key, &leaf.key_pem).unwrap();
}

fn files(folder: &Path) -> ClientKeyFiles {
    ClientKeyFiles { certificate: folder.join("client.crt"), key: folder.join("client.key") }
}

#[tokio::test]
async fn a_new_authority_is_believed_and_the_old_one_is_not() {
    let (old, new) = (Authority::new("old-ca"), Authority::new("new-ca"));
    for protocols in [H1, H2] {
        let peer = Peer::start(&old.sign(&Wanted::node("node-a")), protocols).await;
        let us = Us::enforcing(&old);
        assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), 1);
        us.reload_now();
        assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), 1, "nothing changed");

        std::fs::write(us.file("ca.crt"), "garbage").unwrap();
        us.reload_now();
        assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), 1, "a broken file changes nothing");
        std::fs::remove_file(us.file("ca.crt")).unwrap();
        us.reload_now();
        assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), 1, "nor does none");

        std::fs::write(us.file("ca.crt"), new.pem()).unwrap();
        us.reload_now();
        let error = us.refused(&peer.of("node-a")).await;
        assert!(error.ends_with("x509: certificate signed by unknown authority"), "{error}");
        peer.until_open(0).await;

        peer.show(&new.sign(&Wanted::node("node-a")));
        us.get(&peer.of("node-a")).await.unwrap();
        // Names are still checked.
        peer.show(&new.sign(&Wanted::node("node-b")));
        let error = us.dial(&peer.of("node-a")).await.unwrap_err().to_string();
        assert!(error.contains("does not match"), "{error}");
    }
}

#[tokio::test]
async fn what_is_under_way_goes_on() {
    let (old, new) = (Authority::new("old-ca"), Authority::new("new-ca"));
    for protocols in [H1, H2] {
        let peer = Peer::start(&old.sign(&Wanted::node("node-a")), protocols).await;
        let us = Us::enforcing(&old);
        let mut body = us.begin(&peer.of("node-a"), "/stream").await.unwrap();
        body.frame().await.unwrap().unwrap();
        std::fs::write(us.file("ca.crt"), new.pem()).unwrap();
        us.reload_now();
        us.refused(&peer.of("node-a")).await;
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            peer.pieces.add_permits(1);
            let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
            assert_eq!(piece, "piece");
        }
        drop(body);
        peer.until_open(0).await;
    }
}

#[tokio::test]
async fn an_answer_that_ends_after_a_change_does_not_bring_its_connection_back() {
    let (old, new) = (Authority::new("old-ca"), Authority::new("new-ca"));
    let peer = Peer::start(&old.sign(&Wanted::node("node-a")), H1).await;
    let us = Us::enforcing(&old);
    let begun = us.begin(&peer.of("node-a"), "/big").await.unwrap();
    std::fs::write(us.file("ca.crt"), new.pem()).unwrap();
    us.reload_now();
    begun.into_body().collect().await.unwrap();
    peer.until_open(0).await;
    us.refused(&peer.of("node-a")).await;
}

#[tokio::test]
async fn our_certificate_is_shown_and_replaced() {
    let authority = Authority::new("kubelet-ca");
    let ours = |name| {
        let mut wanted = Wanted::cn(name);
        wanted.for_clients_only = true;
        authority.sign(&wanted)
    };
    let (first, second) = (ours("first"), ours("second"));
    for protocols in [H1, H2] {
        let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), protocols).await;
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        write(&files, &first);
        let file = folder.path().join("ca.crt");
        std::fs::write(&file, authority.pem()).unwrap();
        let trust = Trust::Authority { file, names: NameCheck::Enforce };
        let settings = Settings { trust, client: Some(files.clone()), ..Settings::default() };
        let us = Us::open(settings, folder);

        us.get(&peer.of("node-a")).await.unwrap();
        us.get_insecurely(&peer.of("node-a")).await.unwrap();
        us.dial(&peer.of("node-a")).await.unwrap();
        peer.until_connections(3).await;
        let presented = std::mem::take(&mut *peer.clients.lock().unwrap());
        assert_eq!(presented, vec![first.chain[0].to_vec(); 3]);

        // A certificate whose key has not arrived yet is not used.
        std::fs::write(&files.certificate, &second.pem).unwrap();
        us.reload_now();
        us.dial(&peer.of("node-a")).await.unwrap();
        peer.until_connections(4).await;
        write(&files, &second);
        us.reload_now();
        assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), 5, "a new connection");
        let presented = std::mem::take(&mut *peer.clients.lock().unwrap());
        assert_eq!(presented, [first.chain[0].to_vec(), second.chain[0].to_vec()]);
    }
}

#[tokio::test]
async fn files_are_watched() {
    let (old, new) = (Authority::new("old-ca"), Authority::new("new-ca"));
    let peer = Peer::start(&new.sign(&Wanted::node("node-a")), H2).await;
    let us = Us::enforcing(&old);
    let watching = tokio::spawn(us.kubelets.clone().watch(Duration::from_millis(20)));
    us.refused(&peer.of("node-a")).await;
    std::fs::write(us.file("ca.crt"), new.pem()).unwrap();
    for _ in 0..100 {
        if us.get(&peer.of("node-a")).await.is_ok() {
            watching.abort();
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the new authority was not seen");
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let open = |settings| KubeletClient::open(settings, Box::new(|_| {})).unwrap_err().to_string();
    let believing = |file| {
        let trust = Trust::Authority { file, names: NameCheck::Off };
        Settings { trust, ..Settings::default() }
    };
    let showing = |client| Settings { client: Some(client), ..Settings::default() };

    assert_eq!(open(believing("/nonexist".into())), "open /nonexist: no such file or directory");
    let missing = ClientKeyFiles { certificate: "/nonexist".into(), key: "/nonexist".into() };
    assert_eq!(open(showing(missing)), "open /nonexist: no such file or directory");

    let file = folder.path().join("ca.crt");
    std::fs::write(&file, "no certificate").unwrap();
    assert!(open(believing(file.clone())).starts_with("unable to load root certificates: "));

    let files = files(folder.path());
    let authority = Authority::new("ca");
    let (one, other) = (authority.sign(&Wanted::cn("x")), authority.sign(&Wanted::cn("x")));
    write(&files, &one);
    assert!(KubeletClient::open(showing(files.clone()), Box::new(|_| {})).is_ok());
    std::fs::write(&files.key, &other.key_pem).unwrap();
    let error = open(showing(files.clone()));
    assert!(error.starts_with("tls: private key does not match public key"), "{error}");
    std::fs::write(&files.key, "").unwrap();
    let error = open(showing(files.clone()));
    assert!(error.starts_with("tls: failed to find any PEM data in key input"), "{error}");
    std::fs::write(&files.certificate, "").unwrap();
    let error = open(showing(files));
    assert!(error.starts_with("tls: failed to find any PEM data in certificate input"), "{error}");
}

#[tokio::test]
async fn without_an_authority_anyone_is_believed_and_nothing_is_counted() {
    let foreign = Authority::new("foreign-ca");
    let mut wanted = Wanted::cn("whoever").names(&["10.0.0.9"]);
    wanted.until = (2021, 1, 1);
    let peer = Peer::start(&foreign.sign(&wanted), H2).await;
    let us = Us::open(Settings::default(), tempfile::tempdir().unwrap());
    us.get(&peer.of("node-a")).await.unwrap();
    us.dial(&peer.of("node-b")).await.unwrap();
    assert_eq!(us.witnessed(), (0, 0));
}
