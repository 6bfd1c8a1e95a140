//! Troubles of lists: many pages, tokens that expire, a server that is busy or away, and audits that are killed between pages.

use super::front::{Fault, Front, Received};
use super::legacy::fill;
use super::{Cluster, OLD, sorted_findings};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A server with some objects of every kind, and the report of an audit that nothing disturbs.
fn filled() -> (Arc<Cluster>, Value) {
    let cluster = Arc::new(Cluster::start(OLD));
    fill(&cluster, 96);
    let output = cluster.audit(&["-o", "json"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    (cluster, output.json())
}

/// Asserts that two audits found the same, each object once.
fn assert_same(report: &Value, whole: &Value) {
    assert_eq!(report["summary"], whole["summary"]);
    assert_eq!(sorted_findings(report), sorted_findings(whole));
    for member in ["externalIPs", "searches", "namespaces", "policies", "missing"] {
        assert_eq!(report[member], whole[member], "{member}");
    }
}

/// Whether a path asks for a page of a list after the first.
fn continues(path: &str, list: &str) -> bool {
    path.starts_with(&format!("{list}?")) && path.contains("continue=")
}

fn requests(received: &[Received], wanted: impl Fn(&str) -> bool) -> usize {
    received.iter().filter(|(_, path)| wanted(path)).count()
}

#[test]
fn pages_of_any_size_are_one_list() {
    let (cluster, whole) = filled();
    for size in ["1", "5"] {
        let front = Front::start(&cluster, |_| None);
        let output = cluster
            .audit_through(&front.kubeconfig(&cluster), &["-o", "json", "--chunk-size", size]);
        assert_eq!(output.code, 1, "{}", output.stderr);
        let report = output.json();
        assert_same(&report, &whole);
        let pages = requests(&front.received(), |path| continues(path, "/api/v1/pods"));
        assert!(pages >= 3, "{pages} further pages of {size}");
    }
}

#[test]
fn a_list_whose_token_expires_goes_on_without_duplicates() {
    let (cluster, whole) = filled();
    let mut times = [0; 2];
    let front = Front::start(&cluster, move |path| {
        for (list, times) in ["/api/v1/pods", "/api/v1/services"].iter().zip(&mut times) {
            if !continues(path, list) {
                continue;
            }
            *times += 1;
            // Pods begin anew twice; Services go on with the token that the server offers.
            match (*list, *times) {
                ("/api/v1/pods", 2 | 5) => return Fault::status(410, "", "too old"),
                ("/api/v1/services", 2) => {
                    let token = path.split("continue=").nth(1).unwrap();
                    let body = format!(
                        r#"{{"kind":"Status","apiVersion":"v1","metadata":{{"continue":"{token}"}},"code":410}}"#
                    );
                    return Some(Fault::Answer(410, "", body));
                }
                _ => {}
            }
        }
        None
    });
    let kubeconfig = front.kubeconfig(&cluster);
    let output = cluster.audit_through(&kubeconfig, &["-o", "json", "--chunk-size", "2"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let report = output.json();
    assert_same(&report, &whole);
    let first = |path: &str| path.starts_with("/api/v1/pods?") && !path.contains("continue=");
    assert_eq!(requests(&front.received(), first), 3);
}

#[test]
fn a_list_that_expires_for_ever_is_named_with_what_was_not_seen() {
    let (cluster, whole) = filled();
    let front = Front::start(&cluster, |path| match continues(path, "/api/v1/pods") {
        true => Fault::status(410, "", "too old"),
        false => None,
    });
    let kubeconfig = front.kubeconfig(&cluster);
    let output = cluster.audit_through(&kubeconfig, &["-o", "json", "--chunk-size", "3"]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    let report = output.json();
    let missing = report["missing"].as_array().unwrap();
    assert_eq!(missing.len(), 1, "{missing:?}");
    let (reason, unseen) = (missing[0]["reason"].to_string(), missing[0]["unseen"].to_string());
    assert!(reason.contains("too old (410)"), "{reason}");
    assert!(unseen.contains("every Pod that the list has after guarded/o"), "{unseen}");
    // The first page of pods and all other kinds are judged, once.
    let pods = |report: &Value| {
        let findings = report["findings"].as_array().unwrap();
        findings.iter().filter(|row| row["object"]["kind"] == "Pod").count()
    };
    let others = |report: &Value| report["findings"].as_array().unwrap().len() - pods(report);
    assert_eq!(others(&report), others(&whole));
    assert!(pods(&report) < pods(&whole), "{}", pods(&report));
}

#[test]
fn a_busy_server_is_left_alone_for_as_long_as_it_says() {
    let (cluster, whole) = filled();
    let mut is_busy = true;
    let front = Front::start(&cluster, move |path| {
        let is_list = path.starts_with("/apis/apps/v1/deployments?");
        match is_list && std::mem::take(&mut is_busy) {
            true => Fault::status(429, "Retry-After: 3\r\n", "too many requests"),
            false => None,
        }
    });
    let kubeconfig = front.kubeconfig(&cluster);
    let output = cluster.audit_through(&kubeconfig, &["-o", "json", "--parallel", "1"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert_same(&output.json(), &whole);
    let received = front.received();
    let busy = received.iter().position(|(_, path)| path.starts_with("/apis/apps/v1/deployments?"));
    let [(before, refused), (after, repeated), ..] = &received[busy.unwrap()..] else {
        panic!("{received:?}")
    };
    assert_eq!(refused, repeated);
    let pause = *after - *before;
    assert!(pause >= Duration::from_millis(2900), "{pause:?}");
}

#[test]
fn a_connection_that_breaks_is_made_again() {
    let (cluster, whole) = filled();
    let mut breaks = 0;
    let front = Front::start(&cluster, move |path| {
        let is_it = continues(path, "/api/v1/services") || path == "/apis/batch/v1";
        breaks += u32::from(is_it);
        (is_it && breaks % 3 != 0).then_some(Fault::Close)
    });
    let kubeconfig = front.kubeconfig(&cluster);
    let output = cluster.audit_through(&kubeconfig, &["-o", "json", "--chunk-size", "8"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert_same(&output.json(), &whole);
    // A server that never answered is not waited for.
    let front = Front::start(&cluster, |_| Some(Fault::Close));
    let output = cluster.audit_through(&front.kubeconfig(&cluster), &[]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("cannot reach the API server http://127"), "{}", output.stderr);
    assert!(front.received().len() <= 2, "{:?}", front.received());
}

#[test]
fn discovery_that_is_refused_hides_nothing_and_a_page_of_something_else_is_an_error() {
    let (cluster, whole) = filled();
    let front = Front::start(&cluster, |path| match path {
        "/api/v1" | "/apis/apps/v1" => Fault::status(403, "", "no discovery"),
        _ => None,
    });
    let output = cluster.audit_through(&front.kubeconfig(&cluster), &["-o", "json"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert_same(&output.json(), &whole);
    for (code, body, why) in [
        (200, "<html>log in</html>", "is it an API server of Kubernetes?"),
        (404, "not found", "has no /api/v1"),
        (401, "", "log in again"),
    ] {
        let front = Front::start(&cluster, move |_| Some(Fault::Answer(code, "", body.to_owned())));
        let output = cluster.audit_through(&front.kubeconfig(&cluster), &[]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{}", output.stderr);
        assert!(output.stderr.contains(why), "{code}: {}", output.stderr);
    }
    // An answer that is cut off in the middle of a list.
    let front = Front::start(&cluster, |path| {
        let cut = r#"{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"meta"#;
        path.starts_with("/api/v1/pods?").then(|| Fault::Answer(200, "", cut.to_owned()))
    });
    let output = cluster.audit_through(&front.kubeconfig(&cluster), &["-o", "json"]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    let missing = output.json()["missing"].to_string();
    assert!(missing.contains("pods") && missing.contains("cannot be read"), "{missing}");
}

/// Kills an audit when it asks for the third page of pods; returns the journal's path.
fn kill_between_pages(cluster: &Cluster, front: &Front, stage: &AtomicU32) -> String {
    let journal = cluster.folder.path("between-pages");
    let mut child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .args(["audit", "-o", "json", "--qps", "0", "--chunk-size", "2", "--kubeconfig"])
        .arg(front.kubeconfig(cluster))
        .arg("--resume")
        .arg(&journal)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while stage.load(Ordering::SeqCst) == 0 && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(stage.load(Ordering::SeqCst), 1, "the third page was not requested");
    let text = std::fs::read_to_string(&journal).unwrap();
    let pods = text.lines().filter(|line| line.contains(r#""resource":"pods.""#)).count();
    assert_eq!(pods, 2, "{text}");
    journal.to_str().unwrap().to_owned()
}

#[test]
fn an_audit_that_is_killed_between_pages_goes_on_there() {
    let (cluster, whole) = filled();
    for expires in [false, true] {
        // 0: the first run; 1: it waits for the third page; 2: the second run.
        let stage = Arc::new(AtomicU32::new(0));
        let (shared, mut further, mut expired) = (Arc::clone(&stage), 0, !expires);
        let front = Front::start(&cluster, move |path| {
            if !continues(path, "/api/v1/pods") {
                return None;
            }
            further += 1;
            match shared.load(Ordering::SeqCst) {
                0 if further == 2 => {
                    shared.store(1, Ordering::SeqCst);
                    Some(Fault::Close)
                }
                1 => Some(Fault::Close),
                2 if !std::mem::replace(&mut expired, true) => Fault::status(410, "", "too old"),
                _ => None,
            }
        });
        let journal = kill_between_pages(&cluster, &front, &stage);
        stage.store(2, Ordering::SeqCst);
        let before = front.received().len();
        let output = cluster.audit_through(
            &front.kubeconfig(&cluster),
            &["-o", "json", "--chunk-size", "2", "--resume", &journal],
        );
        assert_eq!(output.code, 1, "{}", output.stderr);
        assert_same(&output.json(), &whole);
        let first = |path: &str| path.starts_with("/api/v1/pods?") && !path.contains("continue=");
        let anew = requests(&front.received()[before..], first);
        assert_eq!(anew, usize::from(expires), "the list of pods began anew");
        assert!(!std::path::Path::new(&journal).exists());
    }
}
