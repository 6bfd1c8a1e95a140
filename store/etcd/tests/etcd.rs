//! The store on real etcd: the conformance suite, several stores at once, lost members, TLS.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use etcd_peer::{Cluster, required_programs, write_certificates};
use ratchet_etcd::{ConnectError, EtcdConfig, EtcdStore};
use ratchet_store::{
    Commit, EventKind, Guard, Operation, Query, Revision, State, Store, StoreError, Watch, Write,
    conformance,
};

fn config(cluster: &Cluster) -> EtcdConfig {
    EtcdConfig { root: String::new(), ..EtcdConfig::new(cluster.urls()) }
}

async fn connect(cluster: &Cluster) -> EtcdStore {
    EtcdStore::connect(config(cluster)).await.unwrap()
}

async fn put(store: &EtcdStore, key: &str, value: &str) -> Revision {
    let write = Write::put(key, Guard::Anything, value.to_owned());
    match store.commit(vec![write]).await.unwrap() {
        Commit::Done(revision) => revision,
        refused @ Commit::Refused { .. } => panic!("{refused:?}"),
    }
}

/// The next events of a watch as `key=value` or `key-`.
async fn events(watch: &mut Box<dyn Watch>, count: usize) -> Vec<String> {
    let mut found = Vec::new();
    while found.len() < count {
        for event in watch.next().await.unwrap().events {
            found.push(match event.act {
                EventKind::Put { value, .. } => {
                    format!("{}={}", event.key, String::from_utf8_lossy(&value))
                }
                EventKind::Deleted => format!("{}-", event.key),
            });
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn passes_the_conformance_suite() {
    for program in required_programs() {
        // Each check has an etcd of its own, for all keys share the revisions of one.
        let last: Mutex<Option<Cluster>> = Mutex::default();
        conformance::run_all(|| {
            let cluster = Cluster::start(&program, 1, &[]);
            let config = config(&cluster);
            *last.lock().unwrap() = Some(cluster);
            async { Arc::new(EtcdStore::connect(config).await.unwrap()) as Arc<dyn Store> }
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn stores_of_one_etcd_are_one_and_prefixes_are_apart() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        let (one, two) = (connect(&cluster).await, connect(&cluster).await);
        let registry2 = EtcdConfig { prefix: "/registry2".to_owned(), ..config(&cluster) };
        let other = EtcdStore::connect(registry2).await.unwrap();
        let mut watch = two.watch("/a", Revision(0)).await.unwrap();
        put(&one, "/a/1", "x").await;
        put(&other, "/a/2", "not ours").await;
        put(&one, "/b", "x").await;
        let third = put(&two, "/a/3", "y").await;
        assert_eq!(events(&mut watch, 2).await, ["/a/1=x", "/a/3=y"]);
        assert_eq!(one.latest().await.unwrap(), third);
        let keys = |page: ratchet_store::Page| {
            page.records.iter().map(|record| record.key.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(keys(one.list(Query::default()).await.unwrap()), ["/a/1", "/a/3", "/b"]);
        assert_eq!(keys(other.list(Query::default()).await.unwrap()), ["/a/2"]);
    }
}

/// Revisions that others make outside of the prefix reach watches all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn a_watch_reaches_revisions_of_others() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        let store = connect(&cluster).await;
        let foreign = EtcdConfig { prefix: "/else".to_owned(), ..config(&cluster) };
        let other = EtcdStore::connect(foreign).await.unwrap();
        let mut watch = store.watch("", Revision(0)).await.unwrap();
        let first = put(&other, "/x", "1").await;
        let latest = store.latest().await.unwrap();
        assert_eq!(latest, first);
        let batch = watch.next().await.unwrap();
        assert!(batch.events.is_empty() && batch.upto >= latest, "{batch:?}");
        put(&other, "/x", "2").await;
        let past = store.past("/", first).await.unwrap();
        assert!(past.events.is_empty() && past.upto > first, "{past:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn one_of_several_takes_each_turn() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        let stores = [connect(&cluster).await, connect(&cluster).await, connect(&cluster).await];
        for store in &stores {
            assert!(!store.take_turn("compact").await.unwrap(), "the first question only learns");
        }
        for round in 0..3 {
            let mut taken = Vec::new();
            for offset in 0..3 {
                taken.push(stores[(round + offset) % 3].take_turn("compact").await.unwrap());
            }
            assert_eq!(taken, [true, false, false], "round {round}");
        }
        assert!(stores[0].take_turn("another").await.is_ok_and(|turn| !turn));
        assert_eq!(stores[0].list(Query::default()).await.unwrap().records, []);
    }
}

/// Keys that expire at nearly the same time share a lease, and so go in one revision; a thousand of them do, because etcd
/// deletes them in one transaction.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn keys_of_one_time_share_a_lease() {
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        let store = connect(&cluster).await;
        // They may share it for a minute, which is long enough to write them.
        let lives = Duration::from_secs(20 * 60);
        let write = |number: usize| {
            let act = Operation::Put { value: "e".into(), lives: Some(lives) };
            Write { key: format!("/events/{number}").into(), guard: Guard::Absent, act }
        };
        for (numbers, leases) in [(0..5, 1.0), (5..1000, 1.0), (1000..1001, 2.0)] {
            let writes: Vec<Write> = numbers.map(write).collect();
            for some in writes.chunks(100) {
                store.commit(some.to_vec()).await.unwrap();
            }
            let granted = cluster.metric(0, "etcd_debugging_lease_granted_total");
            assert_eq!(granted, Some(leases), "after {} more keys", writes.len());
        }
    }
}

/// Three members: the leader is killed, another hangs, all go away and come back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn members_may_come_and_go() {
    for program in required_programs() {
        let mut cluster = Cluster::start(&program, 3, &[]);
        let store = connect(&cluster).await;
        let mut watch = store.watch("", Revision(0)).await.unwrap();
        put(&store, "/a", "0").await;
        let leader = cluster.leader().expect("a leader");
        cluster.member(leader).power_off();
        eventually(|| try_put(&store, "1")).await;
        cluster.member(leader).restart();
        let paused = (leader + 1) % 3;
        cluster.member(paused).pause();
        eventually(|| try_put(&store, "2")).await;
        // Whoever was leader for the write may lose it to the member that has just come back.
        eventually(async || store.get("/a").await.is_ok()).await;
        cluster.member(paused).resume();
        (0..3).for_each(|index| cluster.member(index).power_off());
        let away = store.commit(vec![Write::put("/a", Guard::Anything, "no")]).await;
        assert!(matches!(away, Err(StoreError::Broken(_))), "{away:?}");
        eventually(async || matches!(store.health().state, State::Broken(_))).await;
        (0..3).for_each(|index| cluster.member(index).restart());
        eventually(async || store.health().state == State::Sound).await;
        eventually(|| try_put(&store, "3")).await;
        let mut seen = Vec::new();
        while seen.last().map(String::as_str) != Some("/a=3") {
            seen.extend(events(&mut watch, 1).await);
        }
        // A put whose answer was lost may have happened, and is tried again.
        seen.dedup();
        assert_eq!(seen, ["/a=0", "/a=1", "/a=2", "/a=3"], "one watch tells all of it");
    }
}

/// A member that takes connections and says nothing; it hangs as long as the listener is there.
fn hanging_member(scheme: &str) -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("{scheme}://{}", listener.local_addr().unwrap());
    (listener, url)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn a_list_of_members_may_have_some_that_are_dead_or_hang() {
    let dead = {
        let (_, url) = hanging_member("http");
        url
    };
    let (_hangs, hanging) = hanging_member("http");
    for program in required_programs() {
        let cluster = Cluster::start(&program, 1, &[]);
        for other in [&dead, &hanging] {
            // Which member is the first one is chance.
            for round in 0..6 {
                let endpoints = vec![other.clone(), cluster.urls().remove(0)];
                let store = EtcdStore::connect(EtcdConfig { endpoints, ..config(&cluster) });
                let store = store.await.unwrap();
                let after = store.latest().await.unwrap();
                let mut watch = store.watch("", after).await.unwrap();
                let value = format!("{other} {round}");
                put(&store, "/a", &value).await;
                assert_eq!(events(&mut watch, 1).await, [format!("/a={value}")]);
                assert_eq!(store.health().state, State::Sound);
            }
        }
    }
}

/// Dialing a member with TLS takes two seconds if it hangs; who asks waits for its own time only.
#[tokio::test]
async fn dialing_takes_no_longer_than_the_call_may() {
    let dir = tempfile::tempdir().unwrap();
    write_certificates(dir.path());
    let hanging: Vec<_> = (0..8).map(|_| hanging_member("https")).collect();
    let config = EtcdConfig {
        ca_file: Some(dir.path().join("ca.crt")),
        ..EtcdConfig::new(hanging.iter().map(|(_, url)| url.clone()))
    };
    let began = Instant::now();
    let error = EtcdStore::connect(config).await.unwrap_err().to_string();
    assert!(error.contains("no member accepts a connection in time"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
}

/// Questions for the latest revision share one call, and so does one that comes while another has no answer yet.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn nobody_waits_for_the_question_of_another_besides() {
    for program in required_programs() {
        let mut cluster = Cluster::start(&program, 1, &[]);
        let timeout = Duration::from_secs(16);
        let store =
            Arc::new(EtcdStore::connect(EtcdConfig { timeout, ..config(&cluster) }).await.unwrap());
        cluster.member(0).pause();
        let ask = async |store: Arc<EtcdStore>| {
            let began = Instant::now();
            let answer = store.latest().await;
            assert!(matches!(answer, Err(StoreError::Broken(_))), "{answer:?}");
            began.elapsed()
        };
        let first = tokio::spawn(ask(Arc::clone(&store)));
        tokio::time::sleep(Duration::from_secs(1)).await;
        let second = tokio::spawn(ask(Arc::clone(&store)));
        // Half of the time of a write; seven more seconds would be needed for both questions.
        for took in [first.await.unwrap(), second.await.unwrap()] {
            assert!(took < Duration::from_secs(12), "{took:?}");
        }
        cluster.member(0).resume();
        eventually(async || store.latest().await.is_ok()).await;
    }
}

async fn try_put(store: &EtcdStore, value: &'static str) -> bool {
    store.commit(vec![Write::put("/a", Guard::Anything, value)]).await.is_ok()
}

async fn eventually<F: Future<Output = bool>>(holds: impl Fn() -> F) {
    for _ in 0..600 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it does not come to hold");
}

/// The flags of an etcd that serves with the certificates of a folder and demands one of its clients.
fn tls_flags(folder: &Path) -> [String; 4] {
    let flag = |name: &str, file: &str| format!("--{name}={}", folder.join(file).display());
    [
        flag("cert-file", "server.crt"),
        flag("key-file", "server.key"),
        flag("trusted-ca-file", "ca.crt"),
        "--client-cert-auth".to_owned(),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn tls_needs_the_right_certificates() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    write_certificates(dir.path());
    for program in required_programs() {
        let flags = tls_flags(dir.path());
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let cluster = Cluster::start_tls(&program, 1, &flags);
        let right = EtcdConfig {
            ca_file: Some(path("ca.crt")),
            client_files: Some((path("client.crt"), path("client.key"))),
            timeout: Duration::from_secs(60),
            ..config(&cluster)
        };
        let store = EtcdStore::connect(right.clone()).await.unwrap();
        put(&store, "/a", "1").await;
        assert!(store.size().await.unwrap() > 0);
        let short = Duration::from_secs(2);
        let nobody = EtcdConfig { client_files: None, timeout: short, ..right.clone() };
        assert!(matches!(EtcdStore::connect(nobody).await, Err(ConnectError::Away(_))));
        let stranger =
            EtcdConfig { ca_file: Some(path("other.crt")), timeout: short, ..right.clone() };
        assert!(matches!(EtcdStore::connect(stranger).await, Err(ConnectError::Away(_))));
        let missing = EtcdConfig { ca_file: Some(path("none")), ..right };
        assert!(matches!(EtcdStore::connect(missing).await, Err(ConnectError::File { .. })));
    }
}

/// Certificates of both sides are replaced by those of another authority, and the store goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn certificates_may_be_replaced_while_they_are_used() {
    for program in required_programs() {
        let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write_certificates(old.path());
        write_certificates(new.path());
        let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let place = |from: &tempfile::TempDir, to: &tempfile::TempDir, name: &str| {
            std::fs::copy(from.path().join(name), to.path().join(name)).unwrap();
        };
        let server_files = ["ca.crt", "server.crt", "server.key"];
        let client_files = ["ca.crt", "client.crt", "client.key"];
        server_files.iter().for_each(|name| place(&old, &theirs, name));
        client_files.iter().for_each(|name| place(&old, &ours, name));
        let flags = tls_flags(theirs.path());
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let mut cluster = Cluster::start_tls(&program, 1, &flags);
        let path = |name: &str| ours.path().join(name);
        let config = EtcdConfig {
            ca_file: Some(path("ca.crt")),
            client_files: Some((path("client.crt"), path("client.key"))),
            ..config(&cluster)
        };
        let store =
            EtcdStore::connect(EtcdConfig { timeout: Duration::from_secs(20), ..config }).await;
        let store = store.unwrap();
        let mut watch = store.watch("", Revision(0)).await.unwrap();
        put(&store, "/a", "1").await;

        server_files.iter().for_each(|name| place(&new, &theirs, name));
        cluster.member(0).restart();
        eventually(async || matches!(store.health().state, State::Broken(_))).await;
        // A certificate whose key is not there yet cannot be used, and harms nothing.
        place(&new, &ours, "ca.crt");
        place(&new, &ours, "client.crt");
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(matches!(store.health().state, State::Broken(_)));
        place(&new, &ours, "client.key");
        eventually(async || store.health().state == State::Sound).await;
        eventually(|| try_put(&store, "2")).await;
        let mut seen = events(&mut watch, 2).await;
        seen.dedup();
        assert_eq!(seen, ["/a=1", "/a=2"], "watches go on, too");
    }
}

#[tokio::test]
async fn urls_and_absence_are_told() {
    let none = EtcdConfig::new(Vec::<String>::new());
    assert!(matches!(EtcdStore::connect(none).await, Err(ConnectError::NoEndpoint)));
    let unix = EtcdConfig::new(["unix:///tmp/x"]);
    assert!(matches!(EtcdStore::connect(unix).await, Err(ConnectError::Url { .. })));
    let closed = EtcdConfig {
        timeout: Duration::from_millis(200),
        ..EtcdConfig::new(["http://127.0.0.1:1"])
    };
    let error = EtcdStore::connect(closed).await.unwrap_err().to_string();
    assert!(error.contains("127.0.0.1:1: "), "{error}");
}
