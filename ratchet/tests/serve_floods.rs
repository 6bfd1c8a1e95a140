//! Tests of `ratchet serve` under floods: slow clients, many clients, resets, watchers that never read, random
//! requests.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]
#![allow(clippy::print_stdout, reason = "figures behind a bound are told")]

mod hostile;

use hostile::flood::{Dice, shot};
use hostile::server::{complaint, is_calm, short};
use hostile::wire::request;
use hostile::{Client, Server, http2};
use std::time::{Duration, Instant};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const JSON: (&str, &str) = ("Content-Type", "application/json");
const MIB: u64 = 1024;

#[test]
fn http2_floods_do_not_hurt() {
    let mut server = Server::start();
    let before = server.memory();
    for _ in 0..4 {
        http2::rapid_reset(&mut server.client2(), 20_000, "/api/v1/pods");
    }
    http2::endless_headers(&mut server.client2(), 20_000);
    for bytes in [
        &[0xff; 5000][..],
        &[0; 100],
        b"\0\0\x04\x08\0\0\0\0\0\0\0\0\0",
        b"\xff\xff\xff\x00\x00\0\0\0\x01",
    ] {
        let _ = http2::garbage(&mut server.client2(), bytes);
    }
    let bound = before + 60 * MIB;
    let after = server.settled_memory(bound);
    assert!(after < bound, "{before} -> {after} KiB");
    server.is_well();
}

#[test]
fn slow_clients_hold_up_nobody_and_are_left() {
    let mut server = Server::start();
    let before = server.memory();
    let template = server.client();
    // Headers that never end, bodies that never come, connections that never send.
    let mut slow: Vec<Client> = (0..60).map(|_| template.again()).collect();
    for (number, client) in slow.iter_mut().enumerate() {
        let begin = match number % 3 {
            0 => "GET /api/v1/pods HTTP/1.1\r\nX-A: b\r\n".to_owned(),
            1 => format!("POST {MAPS} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{{"),
            _ => String::new(),
        };
        client.write(begin.as_bytes()).unwrap();
    }
    let silent: Vec<std::net::TcpStream> =
        (0..300).map(|_| std::net::TcpStream::connect(server.address).unwrap()).collect();
    let begun = Instant::now();
    server.is_well();
    assert!(begun.elapsed() < Duration::from_secs(5), "others wait: {:?}", begun.elapsed());
    assert!(server.memory() < before + 80 * MIB, "{before} -> {} KiB", server.memory());
    // The header timeout is 32 seconds; one byte now and then does not extend it.
    let loris = &mut slow[0];
    loris.wait_at_most(Duration::from_secs(3));
    let mut piece = [0; 100];
    let mut left = false;
    while begun.elapsed() < Duration::from_secs(50) && !left {
        let written = loris.write(b"X-C: d\r\n");
        left = written.is_err() || matches!(loris.read(&mut piece), Ok(0));
    }
    assert!(left, "a head may take for ever");
    drop(silent);
    server.is_well();
}

#[test]
fn watchers_that_never_read_cost_little() {
    const WATCHERS: u64 = 50;
    let mut server = Server::start();
    let mut writer = server.client();
    let body = |number: usize| {
        format!(
            r#"{{"metadata":{{"name":"w{}"}},"data":{{"n":"{number}","x":"{}"}}}}"#,
            number % 4,
            "x".repeat(200_000)
        )
    };
    for number in 0..4 {
        assert_eq!(writer.post(MAPS, &body(number)).code, 201);
    }
    let before = server.memory();
    let mut watchers: Vec<Client> = (0..WATCHERS).map(|_| writer.again()).collect();
    for watcher in &mut watchers {
        watcher.write(&request("GET", &format!("{MAPS}?watch=1"), &[], b"")).unwrap();
    }
    let round = |writer: &mut Client, from: usize| {
        for number in from..from + 120 {
            let put = writer.send(
                "PUT",
                &format!("{MAPS}/w{}", number % 4),
                &[JSON],
                body(number).as_bytes(),
            );
            assert_eq!(put.code, 200, "{}", short(&put.text()));
        }
        server.memory()
    };
    let first = round(&mut writer, 0);
    let second = round(&mut writer, 120);
    let third = round(&mut writer, 240);
    println!("{WATCHERS} watchers that never read: {before} -> {first} -> {second} -> {third} KiB");
    // 24 MB were written in each round; a copy for every watcher would be 1.2 GB. Recent changes of a resource may hold
    // 16 MB, a watcher one or two, and the allocator keeps some.
    assert!(third < first + 64 * MIB, "{first} -> {second} -> {third} KiB");
    let bound = before + (16 + 2 * WATCHERS + 40) * MIB;
    assert!(third < bound, "{before} -> {first} -> {second} -> {third} KiB");
    drop(watchers);
    server.is_well();
}

/// A policy that computes for a while on every config map, and its binding.
const POLICY: [(&str, &str); 2] = [
    (
        "validatingadmissionpolicies",
        r#"{"metadata":{"name":"costly"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE","UPDATE"],"resources":["configmaps"]}]},"validations":[{"expression":"object.data.all(a, object.data.all(b, a + b != ''))"}]}}"#,
    ),
    (
        "validatingadmissionpolicybindings",
        r#"{"metadata":{"name":"costly"},"spec":{"policyName":"costly","validationActions":["Deny"]}}"#,
    ),
];

#[test]
fn work_adds_few_threads() {
    let mut server = Server::start();
    let mut admin = server.client();
    for number in 0..20 {
        let body = format!(
            r#"{{"metadata":{{"name":"m{number}"}},"data":{{"a":"{}"}}}}"#,
            "x".repeat(20_000)
        );
        assert_eq!(admin.post(MAPS, &body).code, 201);
    }
    let root = "/apis/admissionregistration.k8s.io/v1";
    for (resource, body) in POLICY {
        let made = admin.post(&format!("{root}/{resource}"), body);
        assert_eq!(made.code, 201, "{}", made.text());
    }
    let entries: Vec<String> = (0..60).map(|number| format!(r#""k{number}":"v""#)).collect();
    let small = format!(r#"{{"metadata":{{"name":"w"}},"data":{{{}}}}}"#, entries.join(","));
    let large = small.replace(r#""v""#, &format!("\"{}\"", "v".repeat(800)));
    let ends = Instant::now() + Duration::from_secs(5);
    let before = server.threads();
    let mut most = 0;
    std::thread::scope(|scope| {
        for number in 0..60 {
            let (mut client, body) = (admin.again(), if number % 2 == 0 { &small } else { &large });
            scope.spawn(move || {
                while Instant::now() < ends {
                    let made = client.post(&format!("{MAPS}?dryRun=All"), body);
                    assert_eq!(made.code, 201, "{}", short(&made.text()));
                }
            });
        }
        for query in ["?pretty=1", "?labelSelector=a", "?fieldSelector=metadata.name%21%3Dx"] {
            let mut client = admin.again();
            scope.spawn(move || {
                while Instant::now() < ends {
                    assert_eq!(client.get(&format!("{MAPS}{query}")).code, 200);
                }
            });
        }
        // Of policies that have changed nothing is known, and whoever evaluates them may take long.
        let mut number = 0;
        while Instant::now() < ends {
            number += 1;
            let patch = format!(r#"{{"metadata":{{"labels":{{"n":"{number}"}}}}}}"#);
            let merge = [("Content-Type", "application/merge-patch+json")];
            let path = format!("{root}/validatingadmissionpolicies/costly");
            assert_eq!(admin.send("PATCH", &path, &merge, patch.as_bytes()).code, 200);
            most = most.max(server.threads());
        }
    });
    // One for each permit to compute, and one that is on its way from there; and files with certificates are looked at
    // beside the workers.
    let permits = 6.max(2 * std::thread::available_parallelism().unwrap().get() as u64);
    assert!(most <= before + 2 * permits + 4, "{before} -> {most} threads");
    server.is_well();
}

#[test]
fn many_connections_come_and_go() {
    let mut server = Server::start();
    let template = server.client();
    let round = |count: usize| {
        let mut all: Vec<Client> = (0..count).map(|_| template.again()).collect();
        for client in &mut all {
            assert_eq!(client.get("/readyz").code, 200);
        }
    };
    round(200);
    let first = server.memory();
    round(200);
    round(200);
    let bound = first + 30 * MIB;
    let after = server.settled_memory(bound);
    assert!(after < bound, "{first} -> {after} KiB");
    server.is_well();
}

#[test]
fn ten_thousand_random_requests_do_no_harm() {
    let count = std::env::var("RATCHET_HOSTILE_REQUESTS").ok().and_then(|text| text.parse().ok());
    let seed = std::env::var("RATCHET_HOSTILE_SEED").ok().and_then(|text| text.parse().ok());
    let count = count.unwrap_or(10_000);
    let mut server = Server::start();
    let mut client = server.client();
    let paths = collections(&mut client);
    assert!(paths.len() > 60, "{paths:?}");
    let mut dice = Dice::new(seed.unwrap_or(20_260_401));
    let mut memory = 0;
    let mut complaints: Vec<String> = Vec::new();
    let mut codes = std::collections::BTreeMap::<u16, usize>::new();
    for number in 0..count {
        if number == count / 4 {
            clean(&mut client, &paths);
            memory = server.memory();
        }
        let shot = shot(&mut dice, &paths);
        let headers: Vec<(&str, &str)> =
            shot.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let what = || {
            format!(
                "{number}: {} {} {:?} {}",
                shot.method,
                shot.path,
                shot.headers,
                short(&String::from_utf8_lossy(&shot.body))
            )
        };
        if shot.path.contains("watch") {
            let mut watcher = client.again();
            watcher.write(&request(shot.method, &shot.path, &headers, &shot.body)).unwrap();
            let (code, head) = watcher.head().unwrap_or_else(|why| panic!("{}: {why}", what()));
            if code >= 500 {
                let answer = hostile::Answer { code, body: watcher.rest(), head };
                // An answer to HEAD does not say why; GET of the same is asked often enough.
                let tells = shot.method != "HEAD" || answer.code < 500;
                let complaint = complaint(&answer).filter(|_| tells);
                complaints.extend(complaint.map(|text| format!("{}: {text}", what())));
            }
            continue;
        }
        let answer = client.send(shot.method, &shot.path, &headers, &shot.body);
        // An answer to HEAD does not say why; GET of the same is asked often enough.
        let tells = shot.method != "HEAD" || answer.code < 500;
        let complaint = complaint(&answer).filter(|_| tells);
        complaints.extend(complaint.map(|complaint| format!("{}: {complaint}", what())));
        *codes.entry(answer.code).or_default() += 1;
    }
    assert!(complaints.is_empty(), "{}: {}", complaints.len(), complaints.join("\n"));
    clean(&mut client, &paths);
    assert!(
        codes.keys().len() > 8 && codes.get(&201).is_some_and(|made| *made > count / 50),
        "{codes:?}"
    );
    let bound = memory + 48 * MIB;
    let after = server.settled_memory(bound);
    assert!(after < bound, "{memory} -> {after} KiB");
    server.is_well();
}

/// The paths of all collections in discovery.
fn collections(client: &mut Client) -> Vec<String> {
    let mut roots = vec!["/api/v1".to_owned()];
    for group in client.get("/apis").json()["groups"].as_array().unwrap() {
        for version in group["versions"].as_array().unwrap() {
            roots.push(format!("/apis/{}", version["groupVersion"].as_str().unwrap()));
        }
    }
    let mut paths = Vec::new();
    for root in roots {
        for resource in client.get(&root).json()["resources"].as_array().unwrap() {
            let name = resource["name"].as_str().unwrap();
            if !name.contains('/') {
                let namespaced = resource["namespaced"].as_bool().unwrap();
                let place = if namespaced { "/namespaces/default" } else { "" };
                paths.push(format!("{root}{place}/{name}"));
            }
        }
    }
    paths
}

/// Deletes the objects that the requests created, with or without finalizers.
fn clean(client: &mut Client, paths: &[String]) {
    for path in paths {
        let lasting = ["/namespaces", "/clusterroles", "/clusterrolebindings", "/flowschemas"];
        if lasting.iter().any(|end| path.ends_with(end)) || path.contains("/priority") {
            continue;
        }
        is_calm(
            path,
            &client.delete(&format!("{path}?gracePeriodSeconds=0&propagationPolicy=Background")),
        );
    }
}
