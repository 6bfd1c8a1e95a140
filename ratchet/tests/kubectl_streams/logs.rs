//! Tests of `kubectl logs`: every option, following, several pods, and an unknown certificate.

use super::cluster::{Cluster, Pod};
use kubelet_peer::authority::Authority;
use kubelet_peer::{Container, Log, Source};
use std::time::{Duration, SystemTime};

fn dated() -> Log {
    let log = Log::new();
    for (second, line) in [(1000, "one\n"), (2000, "two\n"), (3000, "three\n")] {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        log.append_at(at, Source::Stdout, line);
    }
    log
}

#[test]
fn logs_are_read_with_every_option() {
    let cluster = Cluster::start();
    let talker = Container { previous: Some("before\n".into()), ..Container::saying(dated()) };
    let pair = vec![("left", Container::saying("l\n")), ("right", Container::saying("r\n"))];
    cluster.add(vec![
        Pod::of("talker", "alpha", talker),
        Pod { name: "pair", node: "beta", containers: pair },
    ]);
    let rows = [
        ("logs talker", "one\ntwo\nthree\n"),
        ("logs talker --tail=1", "three\n"),
        ("logs talker --tail=0", ""),
        ("logs talker --limit-bytes=5", "one\nt"),
        ("logs talker --since-time=1970-01-01T00:33:20Z", "two\nthree\n"),
        ("logs talker --since=1h", ""),
        ("logs talker --timestamps --tail=1", "1970-01-01T00:50:00.000000000Z three\n"),
        ("logs talker --previous", "before\n"),
        ("logs talker --prefix --tail=1", "[pod/talker/main] three\n"),
        ("logs pair -c right", "r\n"),
    ];
    for (line, wanted) in rows {
        assert_eq!(cluster.kubectl.ok(line), wanted, "$ kubectl {line}");
    }
    let both = cluster.kubectl.ok("logs pair --all-containers"); // kubectl asks in any order
    assert!(["l\nr\n", "r\nl\n"].contains(&both.as_str()), "{both}");
    let output = cluster.kubectl.run("logs pair");
    assert_eq!((output.code, output.text().as_str()), (0, "l\n"));
    assert!(
        output.stderr.contains("Defaulted container \"left\" out of: left, right"),
        "{output:?}"
    );
    let raw = "get --raw /api/v1/namespaces/default/pods";
    let refusals = [
        ("logs pair -c nope".to_owned(), "container nope is not valid for pod pair"),
        (
            format!("{raw}/pair/log"),
            "a container name must be specified for pod pair, choose one of: [left right]",
        ),
        (format!("{raw}/pair/log?container=no"), "container no is not valid for pod pair"),
        (
            "logs pair -c left --previous".to_owned(),
            "previous terminated container \"left\" in pod \"pair_default\" not found",
        ),
        ("logs nobody".to_owned(), "pods \"nobody\" not found"),
    ];
    for (line, wanted) in refusals {
        cluster.kubectl.refused(&line, wanted);
    }
}

#[test]
fn a_log_is_followed_until_its_container_ends() {
    let cluster = Cluster::start();
    let log = Log::from("begin\n");
    cluster.add(vec![Pod::of("talker", "alpha", Container::saying(log.clone()))]);
    let following = cluster.kubectl.start("logs -f talker");
    following.says("begin\n");
    for number in 0..5 {
        log.append(format!("line {number}\n"));
        following.says(&format!("line {number}\n")); // each comes before the next is written
    }
    log.append("end\n");
    log.end();
    let (code, text) = following.ends();
    assert_eq!(code, 0);
    assert_eq!(text, "begin\nline 0\nline 1\nline 2\nline 3\nline 4\nend\n");
}

#[test]
fn logs_of_several_pods_on_two_nodes_come_together() {
    let cluster = Cluster::start();
    let logs = [("a", "alpha"), ("b", "beta"), ("c", "alpha")].map(|(name, node)| {
        let log = Log::from(format!("{name} on {node}\n").as_str());
        (name, node, log)
    });
    let pods =
        logs.iter().map(|(name, node, log)| Pod::of(name, node, Container::saying(log.clone())));
    cluster.add(pods.collect());
    let mut lines: Vec<String> =
        cluster.kubectl.ok("logs -l all=pods --prefix").lines().map(str::to_owned).collect();
    lines.sort();
    let wanted = ["[pod/a/main] a on alpha", "[pod/b/main] b on beta", "[pod/c/main] c on alpha"];
    assert_eq!(lines, wanted);
    let following = cluster.kubectl.start("logs -f -l all=pods");
    for (name, _, log) in &logs {
        log.append(format!("{name} again\n"));
        following.says(&format!("{name} again\n"));
        log.end();
    }
    assert_eq!(following.ends().0, 0);
}

#[test]
fn a_foreign_certificate_is_believed_only_when_asked_for() {
    let cluster = Cluster::start();
    cluster.add(vec![Pod::of("talker", "beta", Container::saying("said\n"))]);
    let kubelet = cluster.kubelet("beta");
    kubelet.set_certificate(&Authority::new("foreign").kubelet("beta")).unwrap();
    let insecure = "logs talker --insecure-skip-tls-verify-backend";
    for _ in 0..2 {
        cluster.kubectl.refused("logs talker", "x509: certificate signed by unknown authority");
        assert_eq!(cluster.kubectl.ok(insecure), "said\n");
    }
    let total = "kube_apiserver_validation_kubelet_cert_cn_total";
    for result in ["success", "failure"] {
        let count = cluster.metric(&format!("{total}{{result=\"{result}\"}}"));
        assert_eq!(count, 0, "names are looked at when all else is right: {result}");
    }
    kubelet.set_certificate(&cluster.certificate("beta")).unwrap();
    assert_eq!(cluster.kubectl.ok("logs talker"), "said\n");
}
