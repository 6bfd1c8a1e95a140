//! Every mode, every way and every certificate: which succeed, how the rest fails, and what is counted.

use crate::certificates::{self, Fault, Row};
use crate::service;
use crate::ways::Way;
use crate::world::{Mode, NAMESPACE, World, kubelet, saying};
use kubelet_peer::{Container, Kubelet};

/// A kubelet that logs `hello`, echoes attached clients, and forwards port 80 to an echo.
async fn furnished(world: &World, row: &Row) -> Kubelet {
    let kubelet = kubelet(row.identity.clone(), |_| {}).await;
    world.node(row.node, kubelet.address()).await;
    world.pod_of(row.node, row.node, &["main", "shell"]).await;
    let add = |name, container| kubelet.add_container(NAMESPACE, row.node, name, container);
    add("main", saying("hello\n")).unwrap();
    add("shell", Container::running(["cat"])).unwrap();
    kubelet.forward_port(NAMESPACE, row.node, 80, service::echo().await);
    kubelet
}

/// The expected error, if the way must fail.
fn refusal(mode: Mode, way: Way, fault: &Fault) -> Option<&str> {
    match fault {
        _ if mode == Mode::Anyone || way == Way::LogInsecure => None,
        Fault::Chain(words) => Some(words),
        Fault::Name(words) if mode == Mode::Enforce => Some(words),
        _ => None,
    }
}

/// The expected counts of matching and mismatching names: once per connection, and pooled ways share one that succeeds.
fn counted(mode: Mode, fault: &Fault) -> (u64, u64) {
    let counts = |way: &&Way| **way != Way::LogInsecure;
    let all = Way::ALL.iter().filter(counts).count() as u64;
    let pooled = Way::ALL.iter().filter(|way| way.is_pooled()).count() as u64;
    let connections = all - pooled + 1;
    match (fault, mode) {
        (Fault::Chain(_), _) => (0, 0),
        (Fault::Nothing, _) => (connections, 0),
        (Fault::Name(_), Mode::Observe) => (0, connections),
        (Fault::Name(_), _) => (0, all),
    }
}

async fn every_way(mode: Mode) {
    let world = World::new(mode).await;
    let is_active = matches!(mode, Mode::Observe | Mode::Enforce);
    assert_eq!(world.names().await, is_active.then_some((0, 0)), "both at zero, or none at all");
    let mut expected = (0, 0);
    for row in certificates::all(&world.authority) {
        let kubelet = furnished(&world, &row).await;
        let authority = kubelet.address().to_string();
        for way in Way::ALL {
            let result = way.go(&world.admin, row.node).await;
            let what = format!("{mode:?} {way:?} {}", row.node);
            match refusal(mode, way, &row.fault) {
                None => assert_eq!(result, None, "{what}"),
                Some(why) => {
                    let mut result = result.unwrap_or_else(|| panic!("{what} works"));
                    let wanted = way.failure(row.node, &authority, why);
                    if why.ends_with("current time ") {
                        result.message.truncate(wanted.message.len());
                    }
                    assert_eq!(result, wanted, "{what}");
                }
            }
        }
        if is_active {
            let (right, wrong) = counted(mode, &row.fault);
            expected = (expected.0 + right, expected.1 + wrong);
            assert_eq!(world.names().await, Some(expected), "{mode:?} {}", row.node);
        }
        let resumed = kubelet.requests().iter().filter(|request| request.resumed).count();
        assert_eq!(resumed, 0, "no session is taken up again");
    }
    assert_eq!(world.names().await, is_active.then_some(expected));
}

#[tokio::test]
async fn anyone_is_believed_without_an_authority() {
    every_way(Mode::Anyone).await;
}

#[tokio::test]
async fn names_are_not_looked_at_when_that_is_off() {
    every_way(Mode::Off).await;
}

#[tokio::test]
async fn wrong_names_are_counted_and_nothing_fails() {
    every_way(Mode::Observe).await;
}

#[tokio::test]
async fn wrong_names_fail_on_every_way() {
    every_way(Mode::Enforce).await;
}
