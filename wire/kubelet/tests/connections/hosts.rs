//! Kubelets at addresses of both families and behind DNS names.

use std::net::Ipv6Addr;

use super::authority::{Authority, Wanted};
use super::peer::{H1, H2, Peer};
use super::us::Us;

#[tokio::test]
async fn a_kubelet_at_an_address_of_version_6() {
    if std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        return; // a machine without it
    }
    let authority = Authority::new("kubelet-ca");
    for protocols in [H1, H2] {
        let leaf = authority.sign(&Wanted::node("node-a").names(&["::1"]));
        let peer = Peer::start_at("[::1]:0", &leaf, protocols).await;
        let us = Us::enforcing(&authority);
        us.get(&peer.of("node-a")).await.unwrap();
        us.dial(&peer.of("node-a")).await.unwrap();
        assert_eq!(*peer.hosts.lock().unwrap(), [format!("[::1]:{}", peer.address.port())]);
        assert_eq!(us.witnessed(), (2, 0));
        // Another form of the same address.
        us.get(&peer.at("node-a", "0:0:0:0:0:0:0:1")).await.unwrap();
        us.refused(&peer.of("node-b")).await;
        peer.show(&authority.sign(&Wanted::node("node-a").names(&["fd00::1", "127.0.0.1"])));
        let us = Us::enforcing(&authority);
        let error = us.refused(&peer.of("node-a")).await;
        assert!(
            error.ends_with("x509: certificate is valid for fd00::1, 127.0.0.1, not ::1"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_kubelet_behind_a_name() {
    let authority = Authority::new("kubelet-ca");
    let leaf = authority.sign(&Wanted::node("node-a").names(&["localhost"]));
    let peer = Peer::start(&leaf, H2).await;
    let us = Us::enforcing(&authority);
    us.get(&peer.at("node-a", "localhost")).await.unwrap();
    us.get(&peer.at("node-a", "LOCALHOST")).await.unwrap();
    // The name is sent to the server; an address never is.
    let server_names = peer.server_names.lock().unwrap().clone();
    assert_eq!(server_names[0].as_deref(), Some("localhost"));
    us.refused(&peer.of("node-a")).await;
    assert_eq!(peer.server_names.lock().unwrap().last(), Some(&None));
}

#[tokio::test]
async fn a_host_that_is_none() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H2).await;
    let us = Us::enforcing(&authority);
    for host in ["", "a b", "x\ny", "[", "a/b", "fe80::1%eth0"] {
        us.get(&peer.at("node-a", host)).await.unwrap_err();
        us.dial(&peer.at("node-a", host)).await.unwrap_err();
    }
    assert_eq!((peer.connections(), us.witnessed()), (0, (0, 0)));
}
