//! Tests of `ratchet store`: backups of running servers, restored, damaged and killed; check, compact and copy; files of
//! newer versions.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

#[allow(dead_code, reason = "others use more of it")]
mod server;

use ratchet_embedded::{Embedded, Options};
use ratchet_store::copy::MARKER;
use ratchet_store::{Guard, Query, Store, Write as StoreWrite};
use redb::{Database, ReadableTable, TableDefinition};
use serde_json::{Value, json};
use server::Server;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const BINARY: &str = env!("CARGO_BIN_EXE_ratchet");
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.arg("store").args(arguments).stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Standard output of a command that must succeed.
fn run(arguments: &[&str]) -> String {
    let output = command(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The one line of standard error of a command that must fail.
fn failure(arguments: &[&str]) -> String {
    one_line(&command(arguments).output().unwrap())
}

fn one_line(output: &Output) -> String {
    let line = text(&output.stderr);
    assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    line.trim_end().to_owned()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn map(name: &str, value: usize) -> String {
    let metadata = json!({"name": name, "labels": {"of": "test"}});
    json!({"metadata": metadata, "data": {"value": value.to_string()}}).to_string()
}

fn maps(server: &Server, query: &str) -> Vec<Value> {
    let (code, body) = server.get(&format!("{MAPS}?labelSelector=of%3Dtest{query}"));
    assert_eq!(code, 200, "{body}");
    let list: Value = serde_json::from_str(&body).unwrap();
    list["items"].as_array().unwrap().clone()
}

/// A store in a data directory, with this many records.
fn fill(data: &Path, records: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = Embedded::open(&data.join("store"), Options::default()).unwrap();
    let numbers: Vec<usize> = (0..records).collect();
    for chunk in numbers.chunks(500) {
        let write = |number: &usize| {
            let value = json!({"metadata": {"name": format!("p{number}")}, "x": "y".repeat(900)});
            let key = format!("/registry/pods/default/p{number:06}");
            StoreWrite::put(&key, Guard::Anything, value.to_string())
        };
        runtime.block_on(store.commit(chunk.iter().map(write).collect())).unwrap();
    }
}

/// Keys and values of the store in a data directory.
fn content(data: &Path) -> Vec<(String, Vec<u8>)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = Embedded::open(&data.join("store"), Options::default()).unwrap();
    let records = runtime.block_on(store.list(Query::default())).unwrap().records;
    records.into_iter().map(|record| (record.key.to_string(), record.value.to_vec())).collect()
}

/// Gives the store in a data directory another format, as the program with this name would.
fn set_format(data: &Path, format: u64, program: &str) {
    let head: TableDefinition<'_, (), (u64, u64, u64, u64, u64)> = TableDefinition::new("head");
    let writer: TableDefinition<'_, (), &str> = TableDefinition::new("writer");
    let mix = |checksum: u64, chunk: u64| {
        (checksum ^ chunk).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    };
    let database = Database::open(data.join("store/state.redb")).unwrap();
    let transaction = database.begin_write().unwrap();
    let mut table = transaction.open_table(head).unwrap();
    let (_, latest, oldest, swept, _) = table.get(()).unwrap().unwrap().value();
    let checksum = [format, latest, oldest, swept].into_iter().fold(1, mix);
    table.insert((), (format, latest, oldest, swept, checksum)).unwrap();
    drop(table);
    transaction.open_table(writer).unwrap().insert((), program).unwrap();
    transaction.commit().unwrap();
}

#[test]
fn a_running_server_is_backed_up_while_others_write() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Server::start(folder.path(), &[]);
    for number in 0..60 {
        assert_eq!(server.request("POST", MAPS, &map(&format!("m{number}"), number)).0, 201);
    }
    let archive = other.path().join("backup");
    let stop = AtomicBool::new(false);
    let message = std::thread::scope(|scope| {
        let writers = [0, 1].map(|writer| {
            let (server, stop) = (&server, &stop);
            scope.spawn(move || {
                let mut written = 0;
                while !stop.load(Ordering::Relaxed) {
                    let name = format!("m{}", (written * 2 + writer) % 60);
                    let (code, _) =
                        server.request("PUT", &format!("{MAPS}/{name}"), &map(&name, written));
                    assert_eq!(code, 200);
                    written += 1;
                }
                written
            })
        });
        std::thread::sleep(Duration::from_millis(200));
        let message = run(&["backup", path(&archive), "--data-dir", path(folder.path())]);
        std::thread::sleep(Duration::from_millis(200));
        stop.store(true, Ordering::Relaxed);
        assert!(writers.into_iter().map(|writer| writer.join().unwrap()).sum::<usize>() > 1);
        message
    });
    let revision =
        message.split("revision ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
    let exact = format!("&resourceVersion={revision}&resourceVersionMatch=Exact");
    let expected = maps(&server, &exact);
    assert_eq!(expected.len(), 60);
    assert_ne!(maps(&server, ""), expected, "it was written after the backup");
    let restored = other.path().join("data");
    let message = run(&["restore", path(&archive), "--data-dir", path(&restored)]);
    assert!(message.contains(&format!("of revision {revision}, now at revision ")), "{message}");
    let later = (revision.parse::<u64>().unwrap() + 1).to_string();
    let second = Server::start(&restored, &[]);
    assert_eq!(maps(&second, ""), expected);
    // Whoever saw what was written after the backup has to list again.
    let (code, body) =
        second.get(&format!("{MAPS}?watch=1&timeoutSeconds=1&resourceVersion={later}"));
    assert!(code == 410 || body.contains("\"code\":410"), "{code} {body}");
}

#[test]
fn only_who_may_gets_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    const PATH: &str = "/ratchet/backup";
    assert_eq!(server.request_anonymously("GET", PATH, "").0, 403);
    let as_user = "Impersonate-User: jane\r\n";
    let (code, body) = server.request_with_headers(as_user, "GET", PATH, "");
    assert_eq!(code, 403, "{body}");
    assert!(body.contains("cannot get path \\\"/ratchet/backup\\\""), "{body}");
    assert_eq!(server.request("POST", PATH, "").0, 405);
    let role = json!({
        "metadata": {"name": "backup"},
        "rules": [{"nonResourceURLs": [PATH], "verbs": ["get"]}],
    });
    let group = "rbac.authorization.k8s.io";
    let binding = json!({
        "metadata": {"name": "backup"},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "backup"},
        "subjects": [{"apiGroup": group, "kind": "User", "name": "jane"}],
    });
    for (resource, object) in [("clusterroles", role), ("clusterrolebindings", binding)] {
        let path = format!("/apis/{group}/v1/{resource}");
        assert_eq!(server.request("POST", &path, &object.to_string()).0, 201);
    }
    let head = server.stream("GET", PATH, as_user).head();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.to_lowercase().contains("content-type: application/octet-stream"), "{head}");
}

#[test]
fn a_stopped_store_is_backed_up_restored_checked_and_compacted() {
    let folder = tempfile::tempdir().unwrap();
    let (data, new) = (folder.path().join("data"), folder.path().join("new"));
    let (data_text, new_text) = (path(&data), path(&new));
    let absent = failure(&["backup", "x", "--data-dir", data_text]);
    assert!(absent.contains("there is no store in") && absent.contains(data_text), "{absent}");
    assert!(!data.exists(), "nothing was made");
    fill(&data, 1200);
    let archive = folder.path().join("archive");
    let archive_text = path(&archive);
    let message = run(&["backup", archive_text, "--data-dir", data_text]);
    assert!(message.contains("revision 3, 1200 records, "), "{message}");
    let piped = command(&["backup", "-", "--data-dir", data_text]).output().unwrap();
    assert_eq!(piped.stdout.len(), std::fs::read(&archive).unwrap().len());

    run(&["restore", archive_text, "--data-dir", new_text]);
    assert_eq!(content(&new), content(&data));
    let again = failure(&["restore", archive_text, "--data-dir", new_text]);
    assert!(again.contains("there is a store in") && again.ends_with("or replace it with --force"));
    let plain =
        ["restore", archive_text, "--data-dir", new_text, "--force", "--bump-revision", "0"];
    assert!(run(&plain).contains("1200 records of revision 3, now at revision 3"));

    fill(&new, 1200);
    let message = run(&["check", "--data-dir", new_text]);
    assert!(message.contains("format 1 of ratchet ") && message.ends_with("sound\n"), "{message}");
    assert!(
        message.contains("revision 6, history from revision 3, 1200 records, 1200 older values")
    );
    let pods = message.lines().find(|line| line.starts_with("pods ")).unwrap();
    assert_eq!(pods.split_whitespace().nth(1), Some("1200"));
    let message = run(&["compact", "--data-dir", new_text]);
    assert!(message.contains(" before, ") && message.ends_with(" after\n"), "{message}");
    let message = run(&["check", "--data-dir", new_text]);
    assert!(message.contains("revision 6, history from revision 6, 1200 records, 0 older values"));
    assert_eq!(content(&new), content(&data));
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fill(&data, 3);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = Embedded::open(&data.join("store"), Options::default()).unwrap();
    let broken = vec![StoreWrite::put("/registry/pods/default/bad", Guard::Absent, "{")];
    runtime.block_on(store.commit(broken)).unwrap();
    let in_use = failure(&["check", "--data-dir", path(&data)]);
    assert!(in_use.contains("is in use by another process"), "{in_use}");
    drop(store);
    let checked = command(&["check", "--data-dir", path(&data)]).output().unwrap();
    let message = text(&checked.stdout);
    assert_eq!(checked.status.code(), Some(1), "{message}");
    assert!(
        message.contains("damaged: /registry/pods/default/bad: its value is no object"),
        "{message}"
    );
    // Bytes of the file are changed: values are found by their checksums, the rest by the engine's.
    let file = data.join("store/state.redb");
    let sound = std::fs::read(&file).unwrap();
    let at = sound.windows(9).position(|part| part == b"yyyyyyyyy").unwrap();
    let mut rotten = sound.clone();
    rotten[at] = b'z';
    std::fs::write(&file, &rotten).unwrap();
    let checked = command(&["check", "--data-dir", path(&data)]).output().unwrap();
    assert_eq!(checked.status.code(), Some(1), "{}", text(&checked.stdout));
    assert!(text(&checked.stdout).contains("damaged: "), "{}", text(&checked.stdout));
    std::fs::write(&file, &sound[..sound.len() / 2]).unwrap();
    let checked = command(&["check", "--data-dir", path(&data)]).output().unwrap();
    assert_eq!(checked.status.code(), Some(1), "{}", text(&checked.stdout));
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_keeps_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let [data, other] = ["data", "other"].map(|name| folder.path().join(name));
    let (data_text, other_text) = (path(&data), path(&other));
    fill(&data, 40);
    fill(&other, 1);
    let before = content(&data);
    set_format(&data, 2, "ratchet 9.1.0");
    let version = env!("CARGO_PKG_VERSION");
    let wanted = format!(
        "/data/store/state.redb has format 2, and ratchet {version} reads up to format 1: use ratchet 9.1.0 or a newer one"
    );
    let archive = folder.path().join("archive");
    let absent = folder.path().join("absent");
    let commands: [&[&str]; 5] = [
        &["check", "--data-dir", data_text],
        &["backup", path(&archive), "--data-dir", data_text],
        &["compact", "--data-dir", data_text],
        &["copy", "--from", data_text, "--to", path(&absent)],
        &["copy", "--from", other_text, "--to", data_text],
    ];
    for arguments in commands {
        let line = failure(arguments);
        assert!(line.starts_with("ratchet: ") && line.ends_with(&wanted), "{arguments:?}: {line}");
    }
    let port = server::free_port().to_string();
    let line = server::refused(&["--data-dir", data_text, "--secure-port", &port]);
    assert!(line.starts_with("Error: ") && line.ends_with(&wanted), "{line}");
    assert!(!archive.exists() && !absent.exists(), "nothing was made of it");
    // The engine notes every closing in the file, so that its bytes cannot be compared; but the version that wrote it
    // finds everything.
    set_format(&data, 1, "ratchet 9.1.0");
    assert_eq!(content(&data), before);
}

#[test]
fn a_damaged_archive_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (data, new) = (folder.path().join("data"), folder.path().join("new"));
    fill(&data, 40);
    let archive = folder.path().join("archive");
    run(&["backup", path(&archive), "--data-dir", path(&data)]);
    let bytes = std::fs::read(&archive).unwrap();
    let damaged = folder.path().join("damaged");
    let refuse = |bytes: &[u8], wanted: &str| {
        std::fs::write(&damaged, bytes).unwrap();
        for data in [&new, &data] {
            let line = failure(&["restore", path(&damaged), "--data-dir", path(data), "--force"]);
            assert!(line.contains(path(&damaged)) && line.contains(wanted), "{wanted}: {line}");
        }
        assert!(
            !new.join("store/state.redb").exists() && !new.join("store/state.redb.new").exists()
        );
    };
    let middle = bytes.len() / 2;
    for (at, wanted) in [
        (0, "is no archive of a store"),
        (8, "has archive version"),
        (12, "is damaged"),
        (middle, "is damaged"),
        (bytes.len() - 40, "is damaged"),
        (bytes.len() - 1, "its SHA-256 does not match"),
    ] {
        let mut changed = bytes.clone();
        changed[at] ^= 0x40;
        refuse(&changed, wanted);
    }
    for length in [0, 7, 11, 27, middle, bytes.len() - 33, bytes.len() - 1] {
        let wanted = if length < 8 { "is no archive" } else { "is cut short" };
        refuse(&bytes[..length], wanted);
    }
    refuse(&[&bytes[..], b"\n"].concat(), "there is something behind its end");
    assert_eq!(content(&data).len(), 40, "it is as it was");
    let absent = failure(&["restore", "/no/such/archive", "--data-dir", path(&new)]);
    assert!(absent.starts_with("ratchet: /no/such/archive cannot be read: "), "{absent}");
}

#[test]
fn a_killed_restore_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let (data, new) = (folder.path().join("data"), folder.path().join("new"));
    fill(&data, 15_000);
    let archive = folder.path().join("archive");
    run(&["backup", path(&archive), "--data-dir", path(&data)]);
    let bytes = std::fs::read(&archive).unwrap();
    fill(&new, 5);
    let before = content(&new);
    let arguments = ["restore", "-", "--data-dir", path(&new), "--force"];
    for part in [1000, bytes.len() / 2, bytes.len() - 1] {
        let mut child = command(&arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(&bytes[..part]).unwrap();
        input.flush().unwrap();
        std::thread::sleep(Duration::from_millis(300));
        child.kill().unwrap();
        child.wait().unwrap();
        drop(input);
        assert_eq!(content(&new), before, "killed after {part} bytes");
    }
    run(&["restore", path(&archive), "--data-dir", path(&new), "--force"]);
    assert_eq!(content(&new), content(&data));
}

#[test]
fn a_killed_copy_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (data, new) = (folder.path().join("data"), folder.path().join("new"));
    fill(&data, 6_000);
    let wanted = content(&data);
    let arguments = ["copy", "--from", path(&data), "--to", path(&new)];
    let mut halves = 0;
    for round in 1..=200 {
        let mut child = command(&arguments).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(25 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        if !new.join("store/state.redb").exists() {
            continue;
        }
        let there = content(&new);
        let is_marked = there.iter().any(|(key, _)| key == MARKER);
        assert!(is_marked || there.is_empty() || there == wanted, "{} records", there.len());
        if is_marked {
            halves += 1;
            let line = server::refused(&[
                "--data-dir",
                path(&new),
                "--secure-port",
                &server::free_port().to_string(),
            ]);
            assert!(line.contains("a copy that was not finished"), "{line}");
        }
        if halves == 2 || there == wanted {
            break;
        }
    }
    assert!(halves > 0, "it was never interrupted");
    if content(&new) != wanted {
        let message = run(&arguments);
        assert!(message.contains("6000 records of revision 12, "), "{message}");
        assert!(message.contains("both sides have sha256:"), "{message}");
    }
    assert_eq!(content(&new), wanted);
    let again = failure(&arguments);
    assert!(again.contains("the target is not empty: it has 6000 records"), "{again}");
}

/// What a copy that succeeds writes to a terminal of some kind beside its output.
fn copied_on_terminal(kind: &str, from: &Path, to: &Path) -> String {
    let (mut pty, end) = pty_process::blocking::open().unwrap();
    pty.resize(pty_process::Size::new(24, 100)).unwrap();
    let mut child = pty_process::blocking::Command::new(BINARY)
        .args(["store", "copy", "--from", path(from), "--to", path(to)])
        .env("TERM", kind)
        .stdout(Stdio::null())
        .spawn(end)
        .unwrap();
    let (mut displayed, mut piece) = (Vec::new(), [0; 4096]);
    // Reading fails when the last program on the terminal has ended.
    while let Ok(count @ 1..) = pty.read(&mut piece) {
        displayed.extend_from_slice(&piece[..count]);
    }
    let displayed = text(&displayed);
    assert_eq!(child.wait().unwrap().code(), Some(0), "{displayed}");
    displayed
}

#[test]
fn how_far_a_copy_is_stands_on_a_terminal_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    // Enough that it takes longer than a line waits to be shown.
    fill(&data, 15_000);
    let displayed = copied_on_terminal("xterm-256color", &data, &folder.path().join("on-terminal"));
    let lines = displayed.split('\r').filter_map(|line| line.split_once(" records, "));
    let counts: Vec<usize> = lines.map(|(count, _)| count.parse().unwrap()).collect();
    assert!(!counts.is_empty() && displayed.contains(" copied"), "{displayed:?}");
    assert!(counts.is_sorted() && counts.iter().all(|count| *count <= 15_000), "{counts:?}");
    assert!(displayed.ends_with("\r\u{1b}[K"), "it is gone at the end: {displayed:?}");
    let displayed = copied_on_terminal("dumb", &data, &folder.path().join("on-dumb"));
    assert_eq!(displayed, "", "it cannot move its cursor");
    let piped = folder.path().join("piped");
    let output = command(&["copy", "--from", path(&data), "--to", path(&piped)]).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    let message = text(&output.stdout);
    assert!(message.starts_with("15000 records of ") && message.lines().count() == 1, "{message}");
}
