//! A clock that jumps below a running server: what has a time follows it; order, watches and what is stored do not.

use crate::api::{self, Line};
use crate::hostile::Client;
use crate::hostile::process::Process;
use crate::hostile::wire::request;
use serde_json::{Value, json};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const EVENTS: &str = "/api/v1/namespaces/default/events";
const TOKENS: &str = "/api/v1/namespaces/default/serviceaccounts/default/token";
const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// The clock of one server.
struct Clock(File);

impl Clock {
    /// The clock, and the shell commands by which a server gets it.
    fn new(folder: &Path) -> (Self, String) {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fire/clock.c");
        let (library, ahead) = (folder.join("clock.so"), folder.join("ahead"));
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let flags = ["-shared", "-fPIC", "-o"];
        let compiled = Command::new(compiler).args(flags).arg(&library).arg(source).status();
        assert!(compiled.expect("a C compiler").success());
        std::fs::write(&ahead, [0; 8]).unwrap();
        let file = File::options().write(true).open(&ahead).unwrap();
        let (library, ahead) = (library.display(), ahead.display());
        (Self(file), format!("export LD_PRELOAD='{library}' RATCHET_TEST_CLOCK='{ahead}'"))
    }

    /// Sets how far it is ahead of the truth.
    fn set(&self, seconds: i64) {
        self.0.write_all_at(&seconds.to_ne_bytes(), 0).unwrap();
    }
}

fn post(client: &mut Client, path: &str, body: &Value) -> Value {
    let made = client.post(path, &body.to_string());
    assert_eq!(made.code, 201, "{}", made.text());
    made.json()
}

fn create(client: &mut Client, name: &str) -> Value {
    post(client, MAPS, &json!({"metadata": {"name": name}}))
}

/// The time at which an object says that it was created, in seconds after the true time.
fn created(object: &Value) -> i64 {
    let text = object["metadata"]["creationTimestamp"].as_str().unwrap();
    let at: jiff::Timestamp = text.parse().unwrap();
    at.as_second() - jiff::Timestamp::now().as_second()
}

fn create_event(client: &mut Client, name: &str) -> String {
    let about = json!({"kind": "ConfigMap", "namespace": "default", "name": "before"});
    let body = json!({
        "metadata": {"name": name}, "involvedObject": about, "reason": "Seen", "type": "Normal",
    });
    post(client, EVENTS, &body);
    format!("{EVENTS}/{name}")
}

fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what} does not come to hold");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_clock_that_jumps_moves_what_has_a_time_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, preload) = Clock::new(folder.path());
    let mut server = Process::start(folder.path(), &preload, &["--event-ttl=1h"]);
    let mut client = server.connect().unwrap();
    let first = create(&mut client, "before");
    let from = api::version(&first);
    let mut watcher = client.again();
    let path = format!("{MAPS}?watch=1&resourceVersion={from}");
    watcher.write(&request("GET", &path, &[], b"")).unwrap();
    assert_eq!(watcher.head().unwrap().0, 200);
    let event = create_event(&mut client, "passes");
    eventually("the account is there", || {
        client.get("/api/v1/namespaces/default/serviceaccounts/default").code == 200
    });
    let token = post(&mut client, TOKENS, &json!({"spec": {"expirationSeconds": 600}}));
    let token = format!("Bearer {}", token["status"]["token"].as_str().unwrap());
    let mut anyone = Client::connect(server.address, None, &[b"http/1.1"]).unwrap();
    let mut is_known = || {
        let own = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
        let headers = [("Authorization", &*token), ("Content-Type", "application/json")];
        anyone.send("POST", own, &headers, b"{}").code != 401
    };
    assert!(is_known());

    // Nearly an hour back: certificates are made for that, and nothing ends early.
    clock.set(-50 * MINUTE);
    let behind = create(&mut client, "behind");
    assert!(created(&behind) < -49 * MINUTE);
    assert_eq!(client.get(&event).code, 200);

    // Two hours ahead: the event and the token are over, and nothing else.
    clock.set(2 * HOUR);
    let ahead = create(&mut client, "ahead");
    assert!(created(&ahead) > 2 * HOUR - 5 * MINUTE);
    eventually("the event goes", || client.get(&event).code == 404);
    assert!(!is_known(), "the token is over");
    let later = create_event(&mut client, "stays");
    // A controller works on, and a new connection is let in.
    post(&mut client, "/api/v1/namespaces", &json!({"metadata": {"name": "made-ahead"}}));
    let mut other = client.again();
    eventually("the namespace has its account", || {
        other.get("/api/v1/namespaces/made-ahead/serviceaccounts/default").code == 200
    });

    // The truth again: what was made in the future is there, and lives on.
    clock.set(0);
    let last = create(&mut client, "last");
    assert_eq!(client.get(&later).code, 200);
    for endpoint in ["/readyz", "/livez"] {
        assert_eq!(client.get(endpoint).code, 200, "{endpoint}");
    }

    // The watch saw all of it in the order of the versions.
    let versions = [&behind, &ahead, &last].map(api::version);
    assert!(from < versions[0] && versions.is_sorted(), "{from} {versions:?}");
    let (mut seen, mut text) = (Vec::new(), Vec::new());
    while seen.len() < versions.len() {
        text.extend(watcher.chunk().unwrap());
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            if let Line::Event(event) = api::line(&line) {
                seen.push(event.revision);
            }
        }
    }
    assert_eq!(seen, versions);

    // A server that starts with another clock finds the same.
    clock.set(-50 * MINUTE);
    server.kill();
    server.spawn_again();
    server.wait_until_ready();
    let mut client = server.connect().unwrap();
    for (name, made) in
        [("before", &first), ("behind", &behind), ("ahead", &ahead), ("last", &last)]
    {
        assert_eq!(client.get(&format!("{MAPS}/{name}")).json(), *made);
    }
    let next = create(&mut client, "next");
    assert!(api::version(&next) > versions[2]);
    server.is_well();
}
