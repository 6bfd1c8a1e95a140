//! Node names in certificates: every kind of wrong name, on every path to a kubelet.

use ratchet_kubelet::{KubeletError, NameCheck};

use super::authority::{Authority, CN, O, Wanted, attribute, subject};
use super::peer::{H1, H2, Peer};
use super::us::Us;

/// Subjects that are not node-a's, and the error for each.
fn strangers() -> Vec<(Vec<u8>, &'static str)> {
    let text = |value: &str| attribute(CN, 0x0c, value.as_bytes());
    let right = text("system:node:node-a");
    let one = |value: &str| subject(&[&[text(value)]]);
    let typed = |tag, value: &[u8]| subject(&[&[attribute(CN, tag, value)]]);
    let wide: Vec<u8> = "system:node:node-a".bytes().flat_map(|byte| [0, byte]).collect();
    vec![
        (one("system:node:node-b"), "common name \"system:node:node-b\" does not match"),
        (one("node-a"), "common name \"node-a\" does not match"),
        (one(""), "common name \"\" does not match"),
        (one("system:node:node-a "), "common name \"system:node:node-a \" does not match"),
        (one(" system:node:node-a"), "common name \" system:node:node-a\" does not match"),
        (one("system:node:Node-A"), "common name \"system:node:Node-A\" does not match"),
        (one("SYSTEM:NODE:NODE-A"), "common name \"SYSTEM:NODE:NODE-A\" does not match"),
        (one("system:node:*"), "common name \"system:node:*\" does not match"),
        (one("system:node:node-a\0"), "common name \"system:node:node-a\\x00\" does not match"),
        (one("system:node:node-a\0.x"), "common name \"system:node:node-a\\x00.x\" does not match"),
        (one("a\nb"), "common name \"a\\nb\" does not match"),
        (subject(&[]), "has no common name"),
        (subject(&[&[attribute(O, 0x0c, b"system:node:node-a")]]), "has no common name"),
        (subject(&[&[right.clone(), text("x")]]), "has 2 common names ("),
        (subject(&[&[text("x"), right.clone()]]), "has 2 common names ("),
        (subject(&[&[right.clone(), right.clone()]]), "has 2 common names ("),
        (
            subject(&[std::slice::from_ref(&right), std::slice::from_ref(&right)]),
            "has 2 common names (",
        ),
        (subject(&[std::slice::from_ref(&right), &[text("x")]]), "has 2 common names ("),
        (subject(&[&[text("x")], std::slice::from_ref(&right)]), "has 2 common names ("),
        (typed(0x14, b"system:node:node-a"), "has a common name that is a TeletexString"),
        (typed(0x1e, &wide), "has a common name that is a BMPString"),
        (typed(0x1c, b"system:node:node-a"), "has a common name that is a UniversalString"),
        (typed(0x04, b"system:node:node-a"), "has a common name that is a value of no string type"),
        (typed(0x0c, b"system:node:node-a\xff"), "has a common name that is no valid UTF8String"),
        (
            typed(0x13, b"system:node:node-a\0"),
            "has a common name that is no valid PrintableString",
        ),
    ]
}

#[tokio::test]
async fn enforced_a_stranger_is_refused_on_every_way() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H2).await;
    for (subject, words) in strangers() {
        // The right name is among the alternative names, where it does not count.
        let wanted = Wanted::new(subject).names(&["127.0.0.1", "system:node:node-a", "node-a"]);
        peer.show(&authority.sign(&wanted));
        let us = Us::enforcing(&authority);
        let requests = peer.requests();
        let error = us.refused(&peer.of("node-a")).await;
        let start = format!("x509: kubelet serving certificate {words}");
        assert!(error.starts_with(&start), "{error} does not start with {start}");
        assert!(
            error.ends_with("expected \"system:node:node-a\"") || error.contains("expected only"),
            "{error}"
        );
        assert_eq!(us.witnessed(), (0, 2), "{words}");
        assert_eq!(peer.requests(), requests, "nothing was asked of a stranger");
        assert!(us.get(&peer.of("node-a")).await.unwrap_err().mentions_x509());
    }
}

#[tokio::test]
async fn observed_a_stranger_is_counted_and_served() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H2).await;
    for (subject, words) in strangers() {
        peer.show(&authority.sign(&Wanted::new(subject)));
        let us = Us::new(&authority, NameCheck::Observe);
        us.get(&peer.of("node-a")).await.expect(words);
        us.dial(&peer.of("node-a")).await.expect(words);
        assert_eq!(us.witnessed(), (0, 2), "{words}");
    }
}

#[tokio::test]
async fn the_right_name_is_served_in_every_mode_and_type() {
    let authority = Authority::new("kubelet-ca");
    for tag in [0x0c, 0x13, 0x16] {
        let name = attribute(CN, tag, b"system:node:node-a");
        let leaf = authority.sign(&Wanted::new(subject(&[&[name]])));
        let peer = Peer::start(&leaf, H2).await;
        for (mode, witnessed) in
            [(NameCheck::Off, (0, 0)), (NameCheck::Observe, (2, 0)), (NameCheck::Enforce, (2, 0))]
        {
            let us = Us::new(&authority, mode);
            us.get(&peer.of("node-a")).await.unwrap();
            us.dial(&peer.of("node-a")).await.unwrap();
            assert_eq!(us.witnessed(), witnessed, "{mode:?}");
        }
    }
}

#[tokio::test]
async fn off_names_are_not_looked_at() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::cn("host.example")), H2).await;
    let us = Us::new(&authority, NameCheck::Off);
    us.get(&peer.of("node-a")).await.unwrap();
    us.dial(&peer.of("node-a")).await.unwrap();
    assert_eq!(us.witnessed(), (0, 0));
}

#[tokio::test]
async fn only_the_leaf_counts() {
    // The CA itself has the node's name, and is in the presented chain.
    let authority = Authority::new("system:node:node-a");
    let peer = Peer::start(&authority.sign(&Wanted::cn("system:node:node-b")), H2).await;
    let us = Us::enforcing(&authority);
    assert!(matches!(us.get(&peer.of("node-a")).await, Err(KubeletError::Name(_))));
    us.get(&peer.of("node-b")).await.unwrap();
}

#[tokio::test]
async fn two_nodes_at_one_address_never_share_a_connection() {
    let authority = Authority::new("kubelet-ca");
    for protocols in [H1, H2] {
        for (owner, other) in [("node-a", "node-b"), ("node-b", "node-a")] {
            let peer = Peer::start(&authority.sign(&Wanted::node(owner)), protocols).await;
            let us = Us::enforcing(&authority);
            for _ in 0..3 {
                assert_eq!(
                    us.get(&peer.of(owner)).await.unwrap(),
                    1,
                    "one connection for its owner"
                );
                let error = us.refused(&peer.of(other)).await;
                assert!(
                    error.contains(&format!("\"system:node:{owner}\" does not match")),
                    "{error}"
                );
            }
            assert_eq!(peer.requests(), 3, "no request for the other arrived");
            assert_eq!(us.witnessed(), (1, 6));
        }
    }
}

#[tokio::test]
async fn a_stranger_first_does_not_open_the_door_for_itself_later() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H2).await;
    // While names are only observed, each node still has its own connection.
    let us = Us::new(&authority, NameCheck::Observe);
    assert_eq!(us.get(&peer.of("node-b")).await.unwrap(), 1);
    assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), 2);
    assert_eq!(us.get(&peer.of("node-b")).await.unwrap(), 1);
    assert_eq!(us.witnessed(), (1, 1));
}

#[tokio::test]
async fn an_address_that_moved_to_another_node_is_verified_again() {
    let authority = Authority::new("kubelet-ca");
    for protocols in [H1, H2] {
        let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), protocols).await;
        let us = Us::enforcing(&authority);
        us.get(&peer.of("node-a")).await.unwrap();
        // The Node object with this address is node-b's now, and its kubelet answers there.
        peer.show(&authority.sign(&Wanted::node("node-b")));
        assert_eq!(us.get(&peer.of("node-b")).await.unwrap(), 2);
        // A request for node-a on a new connection does not reach node-b.
        assert!(matches!(us.dial(&peer.of("node-a")).await, Err(KubeletError::Name(_))));
        assert_eq!(us.witnessed(), (2, 1));
    }
}

#[tokio::test]
async fn a_new_certificate_is_checked_when_it_is_first_shown() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H1).await;
    let us = Us::enforcing(&authority);
    us.get(&peer.of("node-a")).await.unwrap();
    peer.show(&authority.sign(&Wanted::node("node-b")));
    assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), 1, "what stands goes on");
    peer.hangs_up.store(true, std::sync::atomic::Ordering::SeqCst);
    us.get(&peer.of("node-a")).await.unwrap();
    peer.until_open(0).await;
    let error = us.refused(&peer.of("node-a")).await;
    assert!(error.contains("\"system:node:node-b\" does not match"), "{error}");
    assert_eq!(us.witnessed(), (1, 2));
}

#[tokio::test]
async fn tickets_are_not_taken_up() {
    let authority = Authority::new("kubelet-ca");
    for protocols in [H1, H2] {
        let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), protocols).await;
        let us = Us::enforcing(&authority);
        for _ in 0..3 {
            us.get(&peer.of("node-a")).await.unwrap();
            // Reading lets the tickets in.
            let mut connection = us.dial(&peer.of("node-a")).await.unwrap();
            let wait = std::time::Duration::from_millis(50);
            let mut byte = [0];
            let read = tokio::io::AsyncReadExt::read(&mut connection, &mut byte);
            let _ = tokio::time::timeout(wait, read).await;
            us.refused(&peer.of("node-b")).await;
        }
        assert_eq!(peer.resumed.load(std::sync::atomic::Ordering::SeqCst), 0);
    }
}
