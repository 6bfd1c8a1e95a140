//! Tests of `ratchet kubelet-certs` against real TLS listeners, behind a real API server, and on files.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod harness;
mod kubelets;
#[allow(dead_code, reason = "only a part of it is needed here")]
mod server;

use harness::{Folder, Output, run_in};
use kubelets::{Authority, Listener, Wanted};
use serde_json::{Value, json};
use server::Server;
use std::path::Path;

/// A server, its nodes, and their listeners.
struct Cluster {
    server: Server,
    folder: Folder,
    authority: Authority,
    listeners: Vec<Listener>,
}

impl Cluster {
    fn new() -> Self {
        let folder = Folder::with(&[]);
        let server = Server::start(&folder.path("data"), &[]);
        let authority = Authority::new("kubernetes");
        folder.write("ca.crt", &authority.pem);
        Self { server, folder, authority, listeners: Vec::new() }
    }

    /// Creates a node with its kubelet at this port of 127.0.0.1.
    fn add(&self, name: &str, port: u16) {
        let node = json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"is": name}},
            "status": {
                "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}, {"type": "Unknown", "address": "x"}],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
            },
        });
        let (code, body) = self.server.request("POST", "/api/v1/nodes", &node.to_string());
        assert_eq!(code, 201, "{body}");
    }

    /// Creates a node whose kubelet presents this certificate.
    fn present(&mut self, name: &str, wanted: Wanted) {
        let listener = Listener::presenting(&self.authority, &wanted);
        self.add(name, listener.port);
        self.listeners.push(listener);
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let kubeconfig = self.folder.path("data/kubeconfig");
        let kubeconfig = kubeconfig.to_str().unwrap();
        let all =
            [&["kubelet-certs", "--kubeconfig", kubeconfig, "--timeout", "1s"], arguments].concat();
        run_in(&self.folder.path(""), &all, b"", &[])
    }

    /// The verdict of every node.
    fn verdicts(&self, arguments: &[&str]) -> (i32, Vec<(String, String)>) {
        let output = self.run(&[&["-o", "json"], arguments].concat());
        let nodes = output.json()["nodes"].as_array().unwrap().clone();
        let text = |node: &Value, name: &str| node[name].as_str().unwrap().to_owned();
        (
            output.code,
            nodes.iter().map(|node| (text(node, "name"), text(node, "verdict"))).collect(),
        )
    }
}

fn node<'r>(report: &'r Value, name: &str) -> &'r Value {
    report["nodes"].as_array().unwrap().iter().find(|node| node["name"] == name).unwrap()
}

#[test]
fn every_shape_is_seen_behind_a_real_server() {
    let mut cluster = Cluster::new();
    cluster.present("good", Wanted::named("system:node:good").of("system:nodes"));
    cluster.present("rogue", Wanted::named("system:node:good").of("system:nodes"));
    cluster.present("plain", Wanted::named("plain@1700000000").by("plain-ca@1700000000"));
    cluster.present("light", Wanted::named("light").by("k3s-server-ca@1700000000"));
    cluster.present("ranch", Wanted::named("ranch").by("rke2-server-ca@1700000000"));
    cluster.present("own", Wanted::named("own"));
    cluster.present("odd", Wanted::named("odd \u{1b}[31m\u{202e}name"));
    cluster.present("none", Wanted::nameless());
    cluster.present("past", Wanted::named("system:node:past").of("system:nodes").expired());
    cluster.present("moved", Wanted::named("system:node:moved").of("system:nodes").at("10.9.9.9"));
    cluster.present("foreign", Wanted::named("system:node:foreign").by("other"));
    let silent = Listener::silent();
    let garbage = Listener::saying(b"HTTP/1.0 400 Bad Request\r\n\r\n");
    cluster.add("slow", silent.port);
    cluster.add("web", garbage.port);
    cluster.add("gone", server::free_port());

    let (code, verdicts) = cluster.verdicts(&["--kubelet-certificate-authority", "ca.crt"]);
    let wanted = [
        ("foreign", "would fail: unknown authority"),
        ("gone", "unknown: no answer"),
        ("good", "passes"),
        ("light", "would fail: common name, unknown authority"),
        ("moved", "would fail: address not in SANs"),
        ("none", "would fail: common name"),
        ("odd", "would fail: common name"),
        ("own", "would fail: common name"),
        ("past", "would fail: expired"),
        ("plain", "would fail: common name, unknown authority"),
        ("ranch", "would fail: common name, unknown authority"),
        ("rogue", "would fail: common name"),
        ("slow", "unknown: no answer"),
        ("web", "would fail: no TLS"),
    ];
    let wanted = wanted.map(|(name, verdict)| (name.to_owned(), verdict.to_owned()));
    assert_eq!((code, verdicts), (2, wanted.to_vec()));
    // Unknown nodes take precedence over failing ones in the exit status.
    assert_eq!(cluster.verdicts(&["good"]), (0, vec![("good".to_owned(), "passes".to_owned())]));
    assert_eq!(cluster.verdicts(&["good", "rogue"]).0, 1);
    assert_eq!(cluster.verdicts(&["good", "gone"]).0, 2);
    assert_eq!(cluster.verdicts(&["-l", "is=good"]).0, 0);
    assert_eq!(cluster.verdicts(&["good", "nope"]).1[1].1, "unknown: no such node");

    shapes_and_facts(&cluster);
    reports(&cluster);
    refusals(&cluster);
    ways(&cluster);
    // Nothing but a handshake was sent.
    assert!(cluster.listeners.iter().all(|one| one.handshakes() > 0 && one.bytes_received() == 0));
}

fn shapes_and_facts(cluster: &Cluster) {
    let report =
        cluster.run(&["-o", "json", "--via", "direct", "--expiry-warning", "40000d"]).json();
    for (name, shape) in [
        ("good", "csr-issued"),
        ("rogue", "another-node"),
        ("plain", "self-generated"),
        ("light", "k3s"),
        ("ranch", "rke2"),
        ("own", "host-named"),
        ("odd", "custom"),
        ("none", "nameless"),
        ("foreign", "node-named"),
    ] {
        let node = node(&report, name);
        assert_eq!(node["shape"], shape, "{name}");
        assert_eq!(node["via"], "direct");
        let fails = node["outcome"] == "would fail";
        assert_eq!(fails, !matches!(name, "good" | "foreign"), "{name}");
        let fix = node["findings"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|one| one["fix"].as_array().unwrap());
        assert_eq!(fix.count() > 0, name != "good", "{name}");
    }
    let good = node(&report, "good");
    assert_eq!(good["certificate"]["subject"], "O=system:nodes,CN=system:node:good");
    assert_eq!(good["certificate"]["issuer"], "CN=kubernetes");
    assert_eq!(
        good["addresses"][0],
        json!({"type": "InternalIP", "address": "127.0.0.1", "inCertificate": true})
    );
    assert_eq!(good["today"], Value::Null);
    let foreign = node(&report, "foreign");
    assert_eq!(foreign["findings"][0]["rule"], "RTC-CERT-015");
    assert_eq!(report["summary"]["nodes"], 14);
    assert_eq!(report["summary"]["isSafe"], false);
}

fn reports(cluster: &Cluster) {
    let few = ["good", "odd", "gone"];
    let table = cluster.run(&few);
    let lines: Vec<&str> = table.stdout.lines().collect();
    let column = lines[0].find("ENFORCEMENT").unwrap();
    let verdicts: Vec<&str> = lines[1..4].iter().map(|line| &line[column..]).collect();
    assert_eq!(verdicts, ["unknown: no answer", "passes", "would fail: common name"]);
    assert!(table.stdout.is_ascii() && !table.stdout.contains('\u{1b}'), "{}", table.stdout);
    assert!(
        table.stdout.contains("3 nodes: 1 passes, 1 would fail, 1 unknown"),
        "{}",
        table.stdout
    );
    assert!(table.stderr.contains("note: chains are not verified"), "{}", table.stderr);
    assert!(!table.stderr.contains('\u{1b}'), "a bar belongs on a terminal");
    let painted = cluster.run(&["good", "--color", "always"]);
    assert!(painted.stdout.contains("\u{1b}[32mpasses\u{1b}[0m"), "{}", painted.stdout);

    let html = cluster.run(&["-o", "html", "good", "odd"]).stdout;
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("class=\"life\""), "{html}");
    let markdown = cluster.run(&["-o", "markdown", "good", "odd"]).stdout;
    assert!(markdown.starts_with("| node | address |"), "{markdown}");
    assert_eq!(markdown.lines().take(4).filter(|line| line.starts_with("| ")).count(), 3);

    let metrics = cluster.run(&["-o", "prometheus", "good", "odd", "gone"]).stdout;
    for line in [
        "# TYPE ratchet_kubelet_cert_name_ok gauge",
        "ratchet_kubelet_cert_name_ok{node=\"good\"} 1",
        "ratchet_kubelet_cert_name_ok{node=\"odd\"} 0",
        "ratchet_kubelet_cert_would_fail{node=\"odd\"} 1",
        "ratchet_kubelet_cert_unknown{node=\"gone\"} 1",
        "ratchet_kubelet_cert_nodes{outcome=\"passes\"} 1",
    ] {
        assert!(metrics.lines().any(|one| one == line), "{line}\n{metrics}");
    }
    assert!(!metrics.contains("name_ok{node=\"gone\"}"), "{metrics}");

    let sarif = cluster.run(&["-o", "sarif", "good", "odd", "gone"]).json();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{result}");
        assert!(result["message"]["text"].is_string());
        let place = &result["locations"][0]["physicalLocation"];
        assert!(
            place["artifactLocation"]["uri"].as_str().unwrap().starts_with("nodes/"),
            "{result}"
        );
        assert_eq!(place["region"]["startLine"], 1);
    }
    assert_eq!(results[0]["level"], "warning");
    assert_eq!(results[1]["partialFingerprints"]["ratchet/v1"], "RTC-CERT-001:odd");
}

/// Errors of the cluster and of its kubeconfig.
fn refusals(cluster: &Cluster) {
    let error_of = |arguments: &[&str]| {
        let output = cluster.run(arguments);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        output.stderr
    };
    let forbidden = error_of(&["--as", "nobody"]);
    assert!(
        forbidden.contains("refuses GET /api/v1/nodes (403): nodes is forbidden: User \"nobody\""),
        "{forbidden}"
    );
    assert!(forbidden.contains("--context or --user"), "{forbidden}");
    let context = error_of(&["--context", "nope"]);
    assert!(context.contains("has no context \"nope\"; its contexts are "), "{context}");
    let user = error_of(&["--user", "nope"]);
    assert!(user.contains("has no user \"nope\""), "{user}");
    let missing = error_of(&["--kubelet-certificate-authority", "nope.crt"]);
    assert!(missing.contains("nope.crt"), "{missing}");
    cluster.folder.write("empty.crt", "");
    let empty = error_of(&["--kubelet-certificate-authority", "empty.crt"]);
    assert!(empty.contains("no certificate in it"), "{empty}");
    let selector = error_of(&["-l", "a in"]);
    assert!(selector.contains("(400)"), "{selector}");
}

/// Through the proxy no certificate is visible, whatever the proxy answers.
fn ways(cluster: &Cluster) {
    let report = cluster.run(&["-o", "json", "--via", "proxy", "good"]);
    assert_eq!(report.code, 2, "{}", report.stdout);
    let json = report.json();
    let good = node(&json, "good");
    assert_eq!((&good["via"], &good["certificate"]), (&json!("proxy"), &Value::Null));
    let report = cluster.run(&["-o", "json", "gone"]).json();
    let evidence = node(&report, "gone")["evidence"][0].as_str().unwrap();
    assert!(
        evidence.starts_with("dialled directly: ") && evidence.contains("refused"),
        "{evidence}"
    );
    let report =
        cluster.run(&["-o", "json", "--kubelet-preferred-address-types", "ExternalIP", "good"]);
    assert_eq!(report.json()["nodes"][0]["verdict"], "unknown: no address");
}

#[test]
fn a_cluster_without_nodes_is_told() {
    let cluster = Cluster::new();
    let output = cluster.run(&[]);
    assert_eq!(output.code, 2);
    assert!(output.stdout.contains("0 nodes"), "{}", output.stdout);
    assert!(output.stderr.contains("the cluster has no nodes"), "{}", output.stderr);
    let output = cluster.run(&["-l", "a=b"]);
    assert!(output.stderr.contains("no node has the labels \"a=b\""), "{}", output.stderr);
}

#[test]
fn two_nodes_at_one_address_are_told() {
    let mut cluster = Cluster::new();
    cluster.present("one", Wanted::named("system:node:one").of("system:nodes"));
    cluster.add("two", cluster.listeners[0].port);
    let report = cluster.run(&["-o", "json"]).json();
    assert_eq!(node(&report, "one")["verdict"], "passes");
    assert_eq!(node(&report, "two")["verdict"], "would fail: common name");
    for name in ["one", "two"] {
        let findings = node(&report, name)["findings"].as_array().unwrap();
        assert!(findings.iter().any(|finding| finding["rule"] == "RTC-CERT-018"), "{name}");
    }
}

#[test]
fn a_bad_kubeconfig_is_named() {
    let folder = Folder::with(&[("broken", "clusters: 5"), ("empty", "")]);
    let dead = format!(
        "clusters: [{{name: c, cluster: {{server: 'https://127.0.0.1:{}'}}}}]\ncontexts: [{{name: x, context: {{cluster: c}}}}]\ncurrent-context: x\n",
        server::free_port()
    );
    folder.write("dead", dead);
    for (file, text) in [
        ("nope", "cannot read the kubeconfig nope"),
        ("broken", "broken is no kubeconfig"),
        ("empty", "empty has no current context"),
        ("dead", "cannot reach the API server https://127.0.0.1:"),
    ] {
        let output = run_in(&folder.path(""), &["kubelet-certs", "--kubeconfig", file], b"", &[]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{file}");
        assert!(output.stderr.contains(text), "{file}: {}", output.stderr);
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    }
    let nowhere = folder.path("");
    let home = [("HOME", nowhere.to_str().unwrap()), ("KUBECONFIG", "")];
    let output = run_in(&nowhere, &["kubelet-certs"], b"", &home);
    assert!(
        output.code == 2 && output.stderr.contains("there is no kubeconfig"),
        "{}",
        output.stderr
    );
}

fn offline(folder: &Folder, arguments: &[&str]) -> Output {
    run_in(
        Path::new(&folder.path("")),
        &[&["kubelet-certs", "--offline", "."], arguments].concat(),
        b"",
        &[],
    )
}

#[test]
fn a_thousand_nodes_offline() {
    let authority = Authority::new("kubernetes");
    let folder = Folder::with(&[]);
    folder.write("ca/ca.crt", &authority.pem);
    let mut nodes = Vec::new();
    for number in 0..1000 {
        let name = format!("node-{number:04}.example");
        let wanted = Wanted::named(&format!("system:node:{name}")).of("system:nodes");
        folder.write(&format!("{name}.pem"), authority.issue(&wanted).pem);
        let addresses = json!([{"type": "InternalIP", "address": "127.0.0.1"}]);
        let port = json!({"kubeletEndpoint": {"Port": 10000 + number}});
        nodes.push(json!({"metadata": {"name": name}, "status": {"addresses": addresses, "daemonEndpoints": port}}));
    }
    folder.write("nodes.json", json!({"kind": "List", "items": nodes}).to_string());
    let output = offline(&folder, &["--kubelet-certificate-authority", "ca/ca.crt"]);
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert!(
        output.stdout.contains("1000 nodes: 1000 pass, 0 would fail, 0 unknown"),
        "{}",
        output.stdout
    );
    let broken = Wanted::named("node-0007").of("system:nodes");
    folder.write("node-0007.example.pem", authority.issue(&broken).pem);
    assert_eq!(offline(&folder, &[]).code, 1);
    std::fs::remove_file(folder.path("node-0008.example.pem")).unwrap();
    let output = offline(&folder, &["-o", "json"]);
    assert_eq!(output.code, 2);
    assert_eq!(
        node(&output.json(), "node-0008.example")["verdict"],
        "unknown: no certificate file"
    );
}

#[test]
fn files_of_every_sort_are_read() {
    let authority = Authority::new("kubernetes");
    let issue = |name: &str| {
        authority.issue(&Wanted::named(&format!("system:node:{name}")).of("system:nodes"))
    };
    let folder = Folder::with(&[
        ("notes.txt", "not a certificate"),
        ("empty.pem", ""),
        ("noise.der", "noise"),
    ]);
    folder.write("a.crt", issue("a").pem);
    folder.write("b.der", &issue("b").der);
    folder.write(
        "c.cer",
        format!("CONNECTED(00000003)\n---\n{}{}---\n", issue("c").pem, authority.pem),
    );
    folder.write("text.pem", "no PEM here");
    let output = offline(&folder, &["-o", "json"]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("there is no nodes.json"), "{}", output.stderr);
    let report = output.json();
    for name in ["a", "b", "c"] {
        let one = node(&report, name);
        assert_eq!((&one["verdict"], &one["via"]), (&json!("passes"), &json!("file")), "{name}");
    }
    for name in ["empty", "noise", "text"] {
        assert_eq!(node(&report, name)["outcome"], "unknown", "{name}");
    }
    assert_eq!(report["nodes"].as_array().unwrap().len(), 6);
    assert_eq!(offline(&folder, &["a", "b"]).code, 0);
    folder.write("a.pem", issue("a").pem);
    let twice = offline(&folder, &[]);
    assert!(twice.code == 2 && twice.stderr.contains("both of one node"), "{}", twice.stderr);
    folder.write("nodes.json", "{}");
    let nobody = offline(&folder, &[]);
    assert!(nobody.code == 2 && nobody.stderr.contains("holds no Node"), "{}", nobody.stderr);
    let nothing = offline(&Folder::with(&[]), &[]);
    assert!(
        nothing.code == 2 && nothing.stderr.contains("there is no certificate in"),
        "{}",
        nothing.stderr
    );
}

#[test]
fn usage_is_refused() {
    for arguments in [
        &["--offline", "x", "--context", "y"][..],
        &["--offline", "nowhere"],
        &["--parallel", "0"],
        &["--timeout", "soon"],
        &["-o", "xml"],
        &["--as-group", "g"],
    ] {
        let output = run_in(Path::new("."), &[&["kubelet-certs"], arguments].concat(), b"", &[]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{arguments:?}");
    }
}

/// A certificate of an authority, or of a node, signed by another.
fn signed(
    name: &str,
    is_authority: bool,
    key: &rcgen::KeyPair,
    issuer: Option<(&rcgen::CertificateParams, &rcgen::KeyPair)>,
) -> (rcgen::CertificateParams, String) {
    let mut params = rcgen::CertificateParams::new(vec!["10.0.0.1".to_owned()]).unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    if is_authority {
        params.subject_alt_names.clear();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    }
    let made = match issuer {
        None => params.self_signed(key).unwrap(),
        Some((by, with)) => params.signed_by(key, &rcgen::Issuer::new(by.clone(), with)).unwrap(),
    };
    (params, made.pem())
}

#[test]
fn an_authority_that_was_issued_to_a_node_is_told() {
    let [root_key, node_key, key] = [0; 3].map(|_| rcgen::KeyPair::generate().unwrap());
    let (root, root_pem) = signed("kubernetes", true, &root_key, None);
    // What node b got with a request for CA:TRUE, and what it signed with it.
    let (minted, minted_pem) = signed("system:node:b", true, &node_key, Some((&root, &root_key)));
    let (_, stolen_pem) = signed("system:node:a", false, &key, Some((&minted, &node_key)));
    let folder = Folder::with(&[]);
    folder.write("certs/a.pem", format!("{stolen_pem}{minted_pem}"));
    folder.write("ca.crt", &root_pem);
    let run = |authority: &str| {
        let flags = [
            "kubelet-certs",
            "--offline",
            "certs",
            "-o",
            "json",
            "--kubelet-certificate-authority",
        ];
        run_in(&folder.path(""), &[&flags[..], &[authority]].concat(), b"", &[])
    };
    let output = run("ca.crt");
    let report = output.json();
    let findings = node(&report, "a")["findings"].as_array().unwrap().clone();
    // Its name is right and it leads to the authority: only the chain reveals the fault.
    assert_eq!((output.code, &node(&report, "a")["verdict"]), (0, &json!("passes")));
    assert_eq!(findings[0]["rule"], "RTC-CERT-020", "{findings:?}");
    let message = findings[0]["message"].as_str().unwrap();
    assert_eq!(
        message,
        "it presents the authority \"CN=system:node:b\", which \"CN=kubernetes\" has issued"
    );
    assert!(!output.stderr.contains("RTC-CERT-020"), "{}", output.stderr);
    folder.write("both.crt", format!("{root_pem}{minted_pem}"));
    let output = run("both.crt");
    assert!(
        output.stderr.contains("note: RTC-CERT-020: --kubelet-certificate-authority believes"),
        "{}",
        output.stderr
    );
    let explained = run_in(&folder.path(""), &["explain", "RTC-CERT-020"], b"", &[]);
    assert!(explained.stdout.contains("-copy_extensions"), "{}", explained.stdout);
}
