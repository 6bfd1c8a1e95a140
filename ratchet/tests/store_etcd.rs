//! Tests of `ratchet store` with real etcd: copies between it and data directories, backups of a server on it.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

#[allow(dead_code, reason = "others use more of it")]
mod server;

use etcd_peer::{Cluster, required_programs};
use ratchet_embedded::{Embedded, Options};
use ratchet_etcd::{EtcdConfig, EtcdStore};
use ratchet_store::copy::MARKER;
use ratchet_store::{Guard, Operation, Query, Store, Write};
use serde_json::{Value, json};
use server::Server;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const BINARY: &str = env!("CARGO_BIN_EXE_ratchet");
const RECORDS: usize = 4000;

fn copy(from: &str, to: &str) -> Output {
    command(from, to).output().unwrap()
}

fn command(from: &str, to: &str) -> Command {
    let mut command = Command::new(BINARY);
    command.args(["store", "copy", "--from", from, "--to", to]);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

async fn content(store: &dyn Store) -> Vec<(String, Vec<u8>)> {
    let records = store.list(Query::default()).await.unwrap().records;
    records.into_iter().map(|record| (record.key.to_string(), record.value.to_vec())).collect()
}

fn open(data: &Path) -> Embedded {
    Embedded::open(&data.join("store"), Options::default()).unwrap()
}

/// A store of objects of many sizes, and one that expires.
async fn fill(data: &Path) -> Vec<(String, Vec<u8>)> {
    let store = open(data);
    let numbers: Vec<usize> = (0..RECORDS).collect();
    for chunk in numbers.chunks(500) {
        let write = |number: &usize| {
            let value = vec![b'v'; number * 17 % 3000];
            Write::put(&format!("/registry/pods/default/{number:05}"), Guard::Anything, value)
        };
        store.commit(chunk.iter().map(write).collect()).await.unwrap();
    }
    let large = Write::put("/registry/secrets/a/large", Guard::Absent, vec![b'l'; 1_200_000]);
    let act = Operation::Put { value: "e".into(), lives: Some(Duration::from_secs(3600)) };
    let event = Write { key: "/registry/events/a/e".into(), guard: Guard::Absent, act };
    store.commit(vec![large, event]).await.unwrap();
    content(&store).await
}

/// The target of a copy, as a test sees it.
enum Target<'t> {
    Etcd(&'t EtcdStore),
    Directory(&'t Path),
}

impl Target<'_> {
    /// Whether a copy into it has begun.
    async fn has_begun(&self) -> bool {
        match self {
            Self::Etcd(store) => store.get(MARKER).await.unwrap().is_some(),
            // Nobody else can open it as long as it is copied into.
            Self::Directory(data) => data.join("store/state.redb").exists(),
        }
    }

    async fn content(&self) -> Vec<(String, Vec<u8>)> {
        match self {
            Self::Etcd(store) => content(*store).await,
            Self::Directory(data) => content(&open(data)).await,
        }
    }
}

/// Copies, killed again and again, until everything is there; what the last one says, unless it was to be killed.
async fn copy_with_interruptions(
    from: &str,
    to: &str,
    target: Target<'_>,
    wanted: &[(String, Vec<u8>)],
) -> Option<String> {
    let mut halves = 0;
    for round in 1..=40 {
        let mut child = command(from, to).stdout(Stdio::null()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && !target.has_begun().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(25 * round)).await;
        child.kill().unwrap();
        child.wait().unwrap();
        let there = target.content().await;
        let is_marked = there.iter().any(|(key, _)| key == MARKER);
        // The file of a directory is there before the copy marks it.
        let is_unbegun = matches!(target, Target::Directory(_)) && there.is_empty();
        assert!(is_marked || is_unbegun || there == wanted, "{} records", there.len());
        halves += usize::from(is_marked);
        if halves == 3 || there == wanted {
            break;
        }
    }
    assert!(halves > 0, "it was never interrupted");
    let mut message = None;
    if target.content().await != wanted {
        let output = copy(from, to);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        message = Some(text(&output.stdout));
    }
    assert_eq!(target.content().await, wanted);
    message
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn everything_moves_to_etcd_and_back() {
    for program in required_programs() {
        let folder = tempfile::tempdir().unwrap();
        let (data, back) = (folder.path().join("data"), folder.path().join("back"));
        let wanted = fill(&data).await;
        let cluster = Cluster::start(&program, 3, &[]);
        let members: Vec<String> =
            cluster.urls().iter().map(|url| url.replace("http://", "")).collect();
        let etcd = format!("etcd://{}", members.join(","));
        let data = data.to_str().unwrap();

        let store = EtcdStore::connect(EtcdConfig::new(cluster.urls())).await.unwrap();
        let to_etcd = Target::Etcd(&store);
        if let Some(message) = copy_with_interruptions(data, &etcd, to_etcd, &wanted).await {
            let counted = format!("{} records of revision 9, ", RECORDS + 2);
            assert!(message.contains(&counted), "{message}");
        }
        let expiring = store.expiring().await.unwrap().keys;
        assert_eq!(expiring.len(), 1);
        let left = expiring[0].1.as_secs();
        assert!((3000..4000).contains(&left), "{left} seconds are left");

        let again = copy(data, &etcd);
        assert_eq!(again.status.code(), Some(2));
        let line = text(&again.stderr);
        assert!(line.contains(&format!("it has {} records", RECORDS + 2)), "{line}");

        let to_back = Target::Directory(&back);
        let back_text = back.to_str().unwrap();
        if let Some(message) = copy_with_interruptions(&etcd, back_text, to_back, &wanted).await {
            let counted = format!("{} records of revision ", RECORDS + 2);
            assert!(message.contains(&counted), "{message}");
        }
        let returned = open(&back);
        assert_eq!(content(&returned).await, wanted);
        assert_eq!(returned.expiring().await.unwrap().keys.len(), 1);
    }
}

#[tokio::test]
#[ignore = "needs RATCHET_ETCD"]
async fn prefixes_are_apart_and_an_absent_etcd_is_told() {
    let program = required_programs().remove(0);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let wanted = fill(&data).await;
    let cluster = Cluster::start(&program, 1, &[]);
    let url = cluster.urls().remove(0);
    let output = command(data.to_str().unwrap(), &url)
        .args(["--etcd-prefix", "/clusters/one"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let usual = EtcdStore::connect(EtcdConfig::new([url.clone()])).await.unwrap();
    assert_eq!(content(&usual).await, []);
    let config =
        EtcdConfig { prefix: "/clusters/one".to_owned(), ..EtcdConfig::new([url.clone()]) };
    assert_eq!(content(&EtcdStore::connect(config).await.unwrap()).await, wanted);
    drop(cluster);
    let output = copy(&url, folder.path().join("other").to_str().unwrap());
    let line = text(&output.stderr);
    assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    assert!(line.contains("etcd cannot be used"), "{line}");
}

/// The etcd of a program whose clients have the certificates of a folder, and how a client of it is configured.
async fn start_with_tls(program: &Path, folder: &Path) -> (Cluster, EtcdConfig) {
    let flag = |name: &str, file: &str| format!("--{name}={}", folder.join(file).display());
    let flags = [
        flag("cert-file", "server.crt"),
        flag("key-file", "server.key"),
        flag("trusted-ca-file", "ca.crt"),
        "--client-cert-auth".to_owned(),
    ];
    let cluster = Cluster::start_tls(program, 1, &flags.each_ref().map(String::as_str));
    let config = EtcdConfig {
        ca_file: Some(folder.join("ca.crt")),
        client_files: Some((folder.join("client.crt"), folder.join("client.key"))),
        timeout: Duration::from_secs(60),
        ..EtcdConfig::new(cluster.urls())
    };
    // It is healthy as soon as somebody with a certificate has an answer.
    EtcdStore::connect(config.clone()).await.unwrap();
    (cluster, config)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn an_etcd_with_tls_is_copied_to_and_from_by_who_has_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    etcd_peer::write_certificates(folder.path());
    let wanted = fill(Path::new(&path("data"))).await;
    for (number, program) in required_programs().into_iter().enumerate() {
        let (_cluster, config) = start_with_tls(&program, folder.path()).await;
        let (url, data, back) =
            (&config.endpoints[0], path("data"), path(&format!("back{number}")));
        let with = |from: &str, to: &str, authority: &str, ours: &[&str]| {
            let mut command = command(from, to);
            command.args(["--etcd-cafile", &path(authority)]);
            for (flag, file) in ["--etcd-certfile", "--etcd-keyfile"].iter().zip(ours) {
                command.args([flag, path(file).as_str()]);
            }
            command.output().unwrap()
        };
        let ours = ["client.crt", "client.key"];
        for refused in [
            with(&data, url, "ca.crt", &[]),
            with(&data, url, "other.crt", &ours),
            copy(&data, url),
        ] {
            let line = text(&refused.stderr);
            assert_eq!((refused.status.code(), line.lines().count()), (Some(2), 1), "{line}");
            assert!(line.contains("etcd cannot be used"), "{line}");
        }
        let store = EtcdStore::connect(config.clone()).await.unwrap();
        assert_eq!(content(&store).await, [], "nothing was written");
        for (from, to) in [(&data, url), (url, &back)] {
            let output = with(from, to, "ca.crt", &ours);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        }
        assert_eq!(content(&store).await, wanted);
        assert_eq!(content(&open(Path::new(&back))).await, wanted);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs RATCHET_ETCD"]
async fn no_server_starts_on_an_etcd_that_is_copied_to() {
    for program in required_programs() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fill(&data).await;
        let cluster = Cluster::start(&program, 1, &[]);
        let url = cluster.urls().remove(0);
        let store = EtcdStore::connect(EtcdConfig::new([url.clone()])).await.unwrap();
        let flags = format!("--etcd-servers={url}");

        // The copy is killed as soon as it has begun.
        let mut child =
            command(data.to_str().unwrap(), &url).stdout(Stdio::null()).spawn().unwrap();
        while !Target::Etcd(&store).has_begun().await {
            assert_eq!(child.try_wait().unwrap(), None, "it ends before it was seen to begin");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(Target::Etcd(&store).has_begun().await, "it had no time to end");
        let line = server::refused_at_home(folder.path(), &[&flags]);
        assert!(line.contains("the target of a copy that was not finished"), "{line}");
        let back = folder.path().join("back");
        let output = copy(&url, back.to_str().unwrap());
        assert_eq!(output.status.code(), Some(2), "half a copy is no source");

        let output = copy(data.to_str().unwrap(), &url);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(!Target::Etcd(&store).has_begun().await);
        // What was copied are no objects: a server starts where there are none.
        let records = store.list(Query::default()).await.unwrap().records;
        for some in records.chunks(100) {
            let delete =
                |record: &ratchet_store::Record| Write::delete(&record.key, Guard::Anything);
            store.commit(some.iter().map(delete).collect()).await.unwrap();
        }
        let home = folder.path().to_owned();
        let started = tokio::task::spawn_blocking(move || {
            Server::start_at_home(&home, &[&flags]).get("/version").0
        });
        assert_eq!(started.await.unwrap(), 200);
    }
}

#[test]
#[ignore = "needs RATCHET_ETCD"]
fn a_running_server_on_etcd_is_backed_up() {
    const MAPS: &str = "/api/v1/namespaces/default/configmaps";
    let map = |name: &str| {
        let metadata = json!({"name": name, "labels": {"of": "test"}});
        json!({"metadata": metadata, "data": {"of": name}}).to_string()
    };
    let maps = |server: &Server| {
        let (code, text) = server.get(&format!("{MAPS}?labelSelector=of%3Dtest"));
        assert_eq!(code, 200, "{text}");
        let list: Value = serde_json::from_str(&text).unwrap();
        list["items"].clone()
    };
    for program in required_programs() {
        let folder = tempfile::tempdir().unwrap();
        let cluster = Cluster::start(&program, 1, &[]);
        let flags = format!("--etcd-servers={}", cluster.urls()[0]);
        let running = Server::start_at_home(folder.path(), &[&flags]);
        for number in 0..30 {
            let (code, text) = running.request("POST", MAPS, &map(&format!("m{number}")));
            assert_eq!(code, 201, "{text}");
        }
        let expected = maps(&running);
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (archive, data) = (path("archive"), path("data"));
        let kubeconfig = path("ratchet/kubeconfig");
        let run = |arguments: &[&str]| {
            let output = Command::new(BINARY).arg("store").args(arguments).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            text(&output.stdout)
        };
        run(&["backup", &archive, "--kubeconfig", &kubeconfig]);
        assert_eq!(running.request("POST", MAPS, &map("later")).0, 201);
        assert_eq!(running.request("DELETE", &format!("{MAPS}/m0"), "").0, 200);

        run(&["restore", &archive, "--data-dir", &data]);
        let restored = Server::start(Path::new(&data), &[]);
        assert_eq!(maps(&restored), expected, "what was there when it was asked for");
    }
}
