//! Large numbers and sizes: idle connections, watchers, watchers that do not read, a large object, many objects.
//! CI runs a part of them; `cargo xtask limits` all.

use crate::api::{self, Line};
use crate::hostile::Client;
use crate::hostile::process::Process;
use crate::hostile::wire::request;
use crate::number;
use ratchet_embedded::{Embedded, Options};
use ratchet_store::{Commit, Guard, Store, Write};
use std::time::{Duration, Instant};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A part of a number: the whole one in a full run.
fn part(whole: u64) -> usize {
    usize::try_from(whole * number("RATCHET_LIMITS_PERCENT", 5) / 100).unwrap()
}

fn create(client: &mut Client, name: &str, value: &str) {
    let body = format!(r#"{{"metadata":{{"name":"{name}"}},"data":{{"value":"{value}"}}}}"#);
    let made = client.post(MAPS, &body);
    assert_eq!(made.code, 201, "{}", made.text());
}

#[test]
fn idle_connections_cost_little_and_hold_up_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::start(folder.path(), "", &[]);
    let mut client = server.connect().unwrap();
    let (count, before) = (part(10_000), server.memory());
    let idle: Vec<Client> = (0..count).map(|_| client.again()).collect();
    let memory = server.memory();
    println!("{count} idle connections: {before} -> {memory} MB");
    create(&mut client, "among-many", "1");
    assert_eq!(client.get("/livez").code, 200);
    // Less than 64 kB each, whatever their handshakes took.
    let limit = before + 30 + u64::try_from(count).unwrap() * 64 / 1000;
    assert!(memory < limit, "{before} -> {memory} MB for {count} connections");
    drop(idle);
    server.is_well();
}

/// The next event of a watch.
fn next(client: &mut Client, text: &mut Vec<u8>) -> Option<(u64, String)> {
    loop {
        if let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            match api::line(&line) {
                Line::Event(event) => return Some((event.revision, event.key)),
                Line::Bookmark(_) => continue,
                Line::Error(text) => panic!("{text}"),
            }
        }
        match client.chunk() {
            Ok(chunk) if !chunk.is_empty() => text.extend(chunk),
            _ => return None,
        }
    }
}

/// Starts a watch.
fn watch(client: &Client, from: u64) -> Client {
    let mut watcher = client.again();
    let path = format!("{MAPS}?watch=1&resourceVersion={from}");
    watcher.write(&request("GET", &path, &[], b"")).unwrap();
    assert_eq!(watcher.head().unwrap().0, 200);
    watcher
}

#[test]
fn every_watcher_gets_every_event() {
    const WRITES: usize = 10;
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::start(folder.path(), "", &[]);
    let mut client = server.connect().unwrap();
    let from = api::version(&client.get(MAPS).json());
    let mut watchers: Vec<Client> = (0..part(1000)).map(|_| watch(&client, from)).collect();
    for number in 0..WRITES {
        create(&mut client, &format!("w{number}"), "1");
    }
    let mut seen = Vec::new();
    for watcher in &mut watchers {
        let mut text = Vec::new();
        let events: Vec<_> = (0..WRITES).map(|_| next(watcher, &mut text).unwrap()).collect();
        seen.push(events);
    }
    println!("{} watchers: {} MB", watchers.len(), server.memory());
    assert!(seen[0].is_sorted_by(|one, two| one.0 < two.0), "{:?}", seen[0]);
    assert!(seen.iter().all(|events| *events == seen[0]));
    server.is_well();
}

#[test]
fn a_watcher_that_does_not_read_is_cut_off_and_nobody_else() {
    /// The objects that change again and again.
    const LIVE: usize = 4;
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::start(folder.path(), "", &["--write-timeout=2s"]);
    let mut client = server.connect().unwrap();
    // More than the buffers of two sockets hold, so that bytes wait in the server; and more than it may keep of them.
    let (rounds, large) = (200, "x".repeat(500_000));
    let name = |number: usize| format!("s{}", number % LIVE);
    (0..LIVE).for_each(|number| create(&mut client, &name(number), &large));
    let before = server.memory();
    let from = api::version(&client.get(MAPS).json());
    let mut slow = watch(&client, from);
    let mut quick = watch(&client, from);
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        (0..rounds).map(|_| next(&mut quick, &mut text).unwrap().1).collect::<Vec<_>>()
    });
    for number in 0..rounds {
        let body = format!(
            r#"{{"metadata":{{"name":"{}"}},"data":{{"n":"{number}","value":"{large}"}}}}"#,
            name(number)
        );
        let path = format!("{MAPS}/{}", name(number));
        let put =
            client.send("PUT", &path, &[("Content-Type", "application/json")], body.as_bytes());
        assert_eq!(put.code, 200, "{}", put.text());
    }
    let names: Vec<String> = (0..rounds).map(name).collect();
    assert_eq!(reader.join().unwrap(), names, "who reads gets everything");
    // It is cut off once nothing has been read for two seconds, so it is not read before that.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(8) {
        assert_eq!(client.get("/livez").code, 200);
        std::thread::sleep(Duration::from_millis(100));
    }
    let mut text = Vec::new();
    let read = std::iter::from_fn(|| next(&mut slow, &mut text)).take(rounds).count();
    assert!(read < rounds, "it was not cut off");
    let memory = server.memory();
    println!("a watcher that does not read: {before} -> {memory} MB");
    // 100 MB were written. Recent changes of a resource may hold 16, each of two watchers 2, and the allocator keeps some.
    assert!(memory < before + 16 + 2 * 2 + 40, "{before} -> {memory} MB");
    server.is_well();
}

#[test]
fn an_object_as_large_as_etcd_takes_is_stored_read_and_watched() {
    const REVISIONS: &str = "/apis/apps/v1/namespaces/default/controllerrevisions";
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::start(folder.path(), "", &[]);
    let mut client = server.connect().unwrap();
    let body = |length: usize, revision: u64| {
        format!(
            r#"{{"metadata":{{"name":"large"}},"data":{{"x":"{}"}},"revision":{revision}}}"#,
            "x".repeat(length)
        )
    };
    let from = api::version(&client.get(REVISIONS).json());
    let mut watcher = client.again();
    let path = format!("{REVISIONS}?watch=1&resourceVersion={from}");
    watcher.write(&request("GET", &path, &[], b"")).unwrap();
    assert_eq!(watcher.head().unwrap().0, 200);
    let size = 3 << 19;
    let made = client.post(REVISIONS, &body(size, 1));
    assert_eq!(made.code, 201, "{}", made.text());
    assert_eq!(client.post(REVISIONS, &body(4 << 20, 1)).code, 413, "a body has a limit");
    let mut event = Vec::new();
    while !event.ends_with(b"\n") {
        event.extend(watcher.chunk().unwrap());
    }
    let event: serde_json::Value = serde_json::from_slice(&event).unwrap();
    let length = |object: &serde_json::Value| object["data"]["x"].as_str().map(str::len);
    assert_eq!(length(&event["object"]), Some(size));
    server.kill();
    server.spawn_again();
    server.wait_until_ready();
    let found = server.connect().unwrap().get(&format!("{REVISIONS}/large")).json();
    assert_eq!(length(&found), Some(size));
    server.is_well();
}

/// Puts objects into the store of a server that does not run.
fn fill(folder: &std::path::Path, count: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = Embedded::open(&folder.join("data/store"), Options::default()).unwrap();
        let numbers: Vec<usize> = (0..count).collect();
        for some in numbers.chunks(2000) {
            let write = |number: &usize| {
                let name = format!("m{number:06}");
                let object = format!(
                    r#"{{"metadata":{{"name":"{name}","namespace":"default","uid":"00000000-0000-4000-8000-{number:012}","creationTimestamp":"2026-01-01T00:00:00Z"}},"data":{{"n":"{number}"}}}}"#
                );
                let key = format!("/registry/configmaps/default/{name}");
                Write::put(&key, Guard::Absent, object)
            };
            let done = store.commit(some.iter().map(write).collect()).await.unwrap();
            assert!(matches!(done, Commit::Done(_)));
        }
    });
}

#[test]
fn many_objects_are_read_at_a_start_and_served_in_pages() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Process::start(folder.path(), "", &[]);
    server.terminate();
    let count = part(100_000);
    fill(folder.path(), count);
    server.spawn_again();
    server.wait_until_ready();
    println!("{count} objects: {} MB", server.memory());
    let mut client = server.connect().unwrap();
    create(&mut client, "n", "1");
    let (mut names, mut next) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("{MAPS}?limit=500&continue={next}"));
        assert_eq!(page.code, 200, "{}", page.text());
        let page = page.json();
        let items = page["items"].as_array().unwrap().iter();
        names.extend(items.map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()));
        next = page["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
        if next.is_empty() {
            break;
        }
    }
    names.retain(|name| name != "kube-root-ca.crt");
    let wanted = (0..count).map(|number| format!("m{number:06}")).chain(["n".to_owned()]);
    assert!(names.iter().cloned().eq(wanted), "{} names", names.len());
    let last = count - 1;
    let one = client.get(&format!("{MAPS}/m{last:06}")).json();
    assert_eq!(one["data"]["n"], last.to_string());
    assert_eq!(client.delete(&format!("{MAPS}/m{last:06}")).code, 200);
    assert_eq!(client.get(&format!("{MAPS}/m{last:06}")).code, 404);
    server.is_well();
}
