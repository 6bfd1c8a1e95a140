//! Tests of `ratchet check --against`: updates against objects from a path or a commit.

mod harness;

use harness::{BAD_MESSAGE, BAD_SERVICE, Folder, GOOD_SERVICE, Output};

const FROZEN: &str =
    "freezes this object: every later update will be refused while this value is stored";

/// A Service with these external IPs.
fn service(ips: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec: {{ports: [{{port: 80}}], externalIPs: [{ips}]}}\n"
    )
}

/// A NetworkPolicy that lets these ranges in.
fn policy(ranges: &[&str]) -> String {
    let peers: String =
        ranges.iter().map(|range| format!("    - ipBlock: {{cidr: {range}}}\n")).collect();
    format!(
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: web}}\nspec:\n  podSelector: {{}}\n  ingress:\n  - from:\n{peers}"
    )
}

/// A Deployment with this nameserver.
fn deployment(replicas: u8, nameserver: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{a: b}}}}
  template:
    metadata: {{labels: {{a: b}}}}
    spec:
      dnsConfig: {{nameservers: [\"{nameserver}\"]}}
      containers: [{{name: c, image: i}}]
"
    )
}

/// Two trees, one stored and one proposed, and the report on the second.
fn update(old: &str, new: &str, args: &[&str]) -> Output {
    let folder = Folder::with(&[("old/all.yaml", old), ("new/all.yaml", new)]);
    folder.json(&[&["--against", "old", "new"], args].concat())
}

#[test]
fn a_stored_bad_address_may_stay_in_a_service() {
    let old = service("192.0.2.010");
    for new in [
        old.replace("port: 80", "port: 81"),
        service("192.0.2.1, 192.0.2.010"),
        service("192.0.2.010, 192.0.2.010"),
    ] {
        let output = update(&old, &new, &[]);
        assert_eq!((output.code, output.count("refused")), (0, 0), "{new}: {}", output.stdout);
    }
    let output = update(&old, &service("192.0.2.010, 192.0.2.011"), &[]);
    assert_eq!(output.code, 1);
    assert_eq!(
        output.findings(),
        [
            "new/all.yaml:4:56 RTC-IP-001 spec.externalIPs[1]: Invalid value: \"192.0.2.011\": must not have leading 0s"
        ]
    );
}

#[test]
fn a_stored_bad_range_may_stay_in_a_network_policy() {
    let old = policy(&["10.0.0.0/8", "010.0.0.0/8"]);
    let moved = policy(&["010.0.0.0/8", "192.168.0.0/16", "10.0.0.0/8"]);
    assert_eq!(update(&old, &moved, &[]).count("refused"), 0);
    let added = policy(&["010.0.0.0/8", "011.0.0.0/8"]);
    let output = update(&old, &added, &[]);
    assert_eq!(output.code, 1);
    assert!(
        output.findings()[0].starts_with(
            "new/all.yaml:9:23 RTC-IP-002 spec.ingress[0].from[1].ipBlock.cidr: Invalid value: \"011.0.0.0/8\""
        ),
        "{:?}",
        output.findings()
    );
    assert_eq!(update(&policy(&["10.0.0.0/8"]), &old, &[]).code, 1);
}

#[test]
fn objects_are_paired_by_kind_namespace_and_name() {
    let old = BAD_SERVICE;
    assert_eq!(update(old, BAD_SERVICE, &[]).code, 0);
    let elsewhere = BAD_SERVICE.replace("name: web", "name: web\n  namespace: shop");
    for (new, args) in [
        (BAD_SERVICE.replace("name: web", "name: other"), vec![]),
        (elsewhere.clone(), vec![]),
        (BAD_SERVICE.replace("name: web", "generateName: web"), vec![]),
    ] {
        assert_eq!(update(old, &new, &args).code, 1, "{new}");
    }
    assert_eq!(update(&elsewhere, BAD_SERVICE, &[]).code, 1);
    assert_eq!(update(&elsewhere, BAD_SERVICE, &["-n", "shop"]).code, 0);
    let explicit = BAD_SERVICE.replace("name: web", "name: web\n  namespace: default");
    assert_eq!(update(&explicit, BAD_SERVICE, &[]).code, 0);
}

#[test]
fn what_is_stored_may_stand_in_a_list_or_in_another_file_or_in_json() {
    let item = BAD_SERVICE.replace('\n', "\n  ");
    let list = format!("{GOOD_SERVICE}---\napiVersion: v1\nkind: List\nitems:\n- {item}\n");
    assert_eq!(update(&list, BAD_SERVICE, &[]).code, 0);
    let json = r#"{"apiVersion": "v1", "kind": "ServiceList", "items": [{"metadata": {"name": "web"}, "spec": {"externalIPs": ["192.0.2.010"]}}]}"#;
    let folder = Folder::with(&[("old/x/y.json", json), ("web.yaml", BAD_SERVICE)]);
    assert_eq!(folder.json(&["--against", "old/x/y.json", "web.yaml"]).code, 0);
    assert_eq!(folder.json(&["-R", "--against", "old", "web.yaml"]).code, 0);
    assert_eq!(folder.json(&["--against", "old", "web.yaml"]).code, 1);
}

#[test]
fn released_kubernetes_freezes_what_the_proposal_lets_pass() {
    let (old, new) = (deployment(1, "010.0.0.10"), deployment(2, "010.0.0.10"));
    let frozen = update(&old, &new, &[]);
    assert_eq!(frozen.code, 1);
    let finding = &frozen.json()["objects"][0]["findings"][0];
    let note = finding["notes"][0].as_str().unwrap();
    assert!(note.starts_with("released ") && note.contains(FROZEN), "{note}");
    assert_eq!(finding["line"], 10);
    let free = update(&old, &new, &["--behavior", "proposal"]);
    assert_eq!((free.code, free.count("refused")), (0, 0), "{}", free.stdout);
    let added = update(&deployment(1, "10.0.0.10"), &new, &["--behavior", "proposal"]);
    assert_eq!(added.code, 1);
    assert!(!added.stdout.contains(FROZEN), "{}", added.stdout);
}

#[test]
fn a_refusal_that_depends_on_the_behavior_names_the_switch() {
    let switch = |this: &str, other: &str| {
        format!("refused under --behavior {this}; --behavior {other} does not refuse it for this")
    };
    let (old, new) = (deployment(1, "010.0.0.10"), deployment(2, "010.0.0.10"));
    let notes = |output: &Output| output.json()["objects"][0]["findings"][0]["notes"].clone();
    let frozen = update(&old, &new, &[]);
    assert_eq!(notes(&frozen)[1], switch("released", "proposal"));
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers: [{name: a, image: i}]\n  dnsConfig: {searches: [_tcp.example.com]}\n";
    let folder = Folder::with(&[("pod.yaml", pod)]);
    assert_eq!(folder.check(&["pod.yaml"]).code, 0, "a released cluster takes it");
    let served = folder.check(&["-o", "json", "--for", "ratchet", "pod.yaml"]);
    assert_eq!(served.code, 1, "{}", served.stdout);
    assert_eq!(notes(&served)[1], switch("proposal", "released"));
    let always = folder.check(&["-o", "json", "--for", "kubernetes", "pod.yaml"]);
    assert_eq!(always.code, 0, "{}", always.stdout);
}

#[test]
fn people_are_told_about_the_freeze_too() {
    let (old, new) = (deployment(1, "010.0.0.10"), deployment(2, "010.0.0.10"));
    let folder = Folder::with(&[("old.yaml", &old), ("new.yaml", &new)]);
    let output = folder.check(&["--against", "old.yaml", "new.yaml"]);
    let note = output.stdout.lines().find(|line| line.contains("= note: released "));
    assert!(note.is_some_and(|line| line.ends_with(FROZEN)), "{}", output.stdout);
    for format in ["sarif", "github", "markdown", "html"] {
        let output = folder.check(&["-o", format, "--against", "old.yaml", "new.yaml"]);
        assert!(output.stdout.contains(FROZEN), "{format}: {}", output.stdout);
    }
}

#[test]
fn the_plugin_lets_external_ips_go_but_not_come() {
    let old = service("192.0.2.1, 192.0.2.2");
    let plugin = ["--enable-admission-plugins", "DenyServiceExternalIPs"];
    for (new, code) in [
        (service("192.0.2.2"), 0),
        (service(""), 0),
        (service("192.0.2.2, 192.0.2.1, 192.0.2.2"), 0),
        (service("192.0.2.1, 192.0.2.3"), 1),
        (service("192.0.2.1, 192.0.2.2, 2001:db8::1"), 1),
    ] {
        assert_eq!(update(&old, &new, &plugin).code, code, "{new}");
        assert_eq!(update(&old, &new, &[]).code, 0, "{new}");
    }
    let output = update(&service(""), &old, &plugin);
    let message = output.json()["objects"][0]["message"].as_str().unwrap().to_owned();
    assert_eq!(
        message,
        "services \"web\" is forbidden: Use of external IPs is denied by admission control"
    );
}

#[test]
fn a_raised_level_warns_about_stored_pods() {
    let namespace = |labels: &str| {
        format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: shop, labels: {{{labels}}}}}\n")
    };
    let pod = |name: &str, rest: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{{rest}containers: [{{name: c, image: i}}]}}\n"
        )
    };
    let old = format!("{}{}{}", namespace(""), pod("bad", "hostPID: true, "), pod("good", ""));
    let raised = namespace("pod-security.kubernetes.io/enforce: baseline");
    let output = update(&old, &raised, &[]);
    assert_eq!((output.code, output.count("warned")), (0, 1));
    let texts: Vec<String> = output
        .findings()
        .iter()
        .map(|finding| finding[finding.find("RTC").unwrap()..].into())
        .collect();
    assert_eq!(
        texts,
        [
            "RTC-PSA-020 existing pods in namespace \"shop\" violate the new PodSecurity enforce level \"baseline:latest\"",
            "RTC-PSA-020 bad: host namespaces",
        ]
    );
    assert_eq!(update(&old, &raised, &["--warnings-as-errors"]).code, 1);
    let stored =
        old.replace("labels: {}", "labels: {pod-security.kubernetes.io/enforce: baseline}");
    assert_eq!(update(&stored, &raised, &[]).count("warned"), 0);
}

#[test]
fn a_commit_holds_what_is_stored() {
    let folder = Folder::with(&[
        ("apps/web.yaml", BAD_SERVICE),
        ("apps/more.yaml", GOOD_SERVICE),
        ("other/x.yaml", "not: relevant\n"),
    ]);
    folder.commit();
    let against = |path: &str| folder.json(&["--against", "git:HEAD", path]);
    assert_eq!(against("apps").code, 0);
    assert_eq!(against("apps/web.yaml").code, 0);
    assert_eq!(against("./apps/").code, 0);
    assert_eq!(folder.json(&["apps"]).code, 1, "without --against it is new");
    folder.write("apps/web.yaml", BAD_SERVICE.replace("010", "011"));
    assert_eq!(against("apps").count("refused"), 1);
    folder.write("apps/new.yaml", BAD_SERVICE.replace("name: web", "name: new"));
    assert_eq!(
        against("apps/new.yaml").findings(),
        [format!("apps/new.yaml:9:5 RTC-IP-001 {BAD_MESSAGE}")]
    );
}

#[test]
fn an_older_commit_and_a_branch_can_be_named() {
    let folder = Folder::with(&[("web.yaml", BAD_SERVICE)]);
    folder.commit();
    folder.git(&["branch", "stored"]);
    folder.write("web.yaml", GOOD_SERVICE.replace("fine", "web"));
    folder.git(&["commit", "-q", "-a", "-m", "repaired"]);
    folder.write("web.yaml", BAD_SERVICE);
    for (revision, code) in [("HEAD", 1), ("HEAD~1", 0), ("stored", 0), ("main", 1)] {
        let against = format!("git:{revision}");
        assert_eq!(folder.json(&["--against", &against, "web.yaml"]).code, code, "{revision}");
    }
}

#[test]
fn a_commit_is_read_from_a_folder_below_the_top_as_well() {
    let folder = Folder::with(&[("deep/er/web.yaml", BAD_SERVICE), ("web.yaml", GOOD_SERVICE)]);
    folder.commit();
    let run = |from: &str, path: &str| {
        let args = ["check", "-o", "json", "--against", "git:HEAD", path];
        harness::run_in(&folder.path(from), &args, b"", &[]).code
    };
    assert_eq!(run("deep", "er"), 0);
    assert_eq!(run("deep/er", "web.yaml"), 0);
    assert_eq!(run("deep/er", "."), 0);
    assert_eq!(run("deep/er", "../er/web.yaml"), 0);
    let absolute = folder.path("deep/er/web.yaml");
    assert_eq!(run("deep", absolute.to_str().unwrap()), 0);
}

#[test]
fn names_with_blanks_and_foreign_letters_are_found_in_a_commit() {
    let folder = Folder::with(&[("a b/grün\"x.yaml", BAD_SERVICE)]);
    folder.commit();
    assert_eq!(folder.json(&["--against", "git:HEAD", "a b"]).code, 0);
}

#[test]
fn what_cannot_be_compared_with_is_told_in_one_line() {
    let folder = Folder::with(&[("web.yaml", BAD_SERVICE)]);
    let one_line = |against: &str, expected: &[&str]| {
        let output = folder.check(&["--against", against, "web.yaml"]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{against}");
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        assert!(output.stderr.starts_with(&format!("ratchet: --against {against}: ")));
        for text in expected {
            assert!(output.stderr.contains(text), "{text}: {}", output.stderr);
        }
    };
    one_line("no/such/place", &["No such file or directory"]);
    one_line("git:HEAD", &["not a git repository"]);
    folder.commit();
    one_line("git:no-such-branch", &["no-such-branch"]);
    one_line("git:HEAD~99", &["HEAD~99"]);
}
