//! Dumps: lists of kubectl, archives of a store, backups of Velero, all of them like the cluster itself.

use super::harness::{Folder, run_in};
use super::legacy::fill;
use super::{Cluster, OLD};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write;

/// Findings as `kind namespace/name field rule state`, sorted.
fn findings(report: &Value) -> Vec<String> {
    let row = |finding: &Value| {
        let (object, text) = (&finding["object"], |name: &str| finding[name].to_string());
        format!(
            "{} {}/{} {} {} {}",
            object["kind"],
            object["namespace"],
            object["name"],
            text("field"),
            text("rule"),
            text("state")
        )
    };
    let mut all: Vec<String> = report["findings"].as_array().unwrap().iter().map(row).collect();
    all.sort_unstable();
    all
}

const LISTS: [&str; 14] = [
    "api/v1/namespaces",
    "api/v1/services",
    "api/v1/endpoints",
    "api/v1/nodes",
    "api/v1/pods",
    "apis/discovery.k8s.io/v1/endpointslices",
    "apis/networking.k8s.io/v1/networkpolicies",
    "apis/networking.k8s.io/v1/ingresses",
    "apis/apps/v1/deployments",
    "apis/apps/v1/statefulsets",
    "apis/apps/v1/daemonsets",
    "apis/apps/v1/replicasets",
    "apis/batch/v1/jobs",
    "apis/batch/v1/cronjobs",
];

/// One tar entry.
fn entry(out: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    let mut header = [0u8; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
    header[148..156].copy_from_slice(b"        ");
    header[156] = b'0';
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend(header);
    out.extend(bytes);
    out.resize(out.len().next_multiple_of(512), 0);
}

#[test]
fn every_dump_is_judged_like_the_cluster() {
    let cluster = Cluster::start(OLD);
    fill(&cluster, 96);
    let live = cluster.audit(&["-o", "json"]);
    assert_eq!(live.code, 1, "{}", live.stderr);
    let wanted = findings(&live.json());
    assert!(wanted.len() > 50, "{}", wanted.len());
    // Lists as kubectl writes them: one file of items with kinds, and one of the server's own lists.
    let mut items = Vec::new();
    let mut tar = Vec::new();
    let mut documents = String::new();
    for path in LISTS {
        let (code, body) = cluster.server.get(&format!("/{path}"));
        assert_eq!(code, 200, "{path}: {body}");
        documents.push_str(&format!("---\n{body}\n"));
        let list: Value = serde_json::from_str(&body).unwrap();
        let kind = list["kind"].as_str().unwrap().trim_end_matches("List").to_owned();
        for item in list["items"].as_array().unwrap() {
            let mut item = item.clone();
            item["kind"] = json!(kind);
            item["apiVersion"] = list["apiVersion"].clone();
            let name = item["metadata"]["name"].as_str().unwrap();
            let plural = path.rsplit('/').next().unwrap();
            for folder in ["", "v1-preferredversion/"] {
                let name = format!("resources/{plural}/{folder}namespaces/x/{name}.json");
                entry(&mut tar, &name, item.to_string().as_bytes());
            }
            items.push(item);
        }
    }
    tar.extend([0; 1024]);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&tar).unwrap();
    let folder = Folder::with(&[("lists.yaml", &documents)]);
    folder
        .write("one.json", json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string());
    folder.write("backups/velero.tar.gz", gzip.finish().unwrap());
    let archive = folder.path("store.archive");
    let data = cluster.folder.path("data");
    let (archive, data) = (archive.to_str().unwrap(), data.to_str().unwrap());
    let backup = ["store", "backup", archive, "--data-dir", data];
    let done = run_in(&folder.path(""), &backup, b"", &[]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    for dump in ["lists.yaml", "one.json", "backups", "store.archive"] {
        let output = run_in(&folder.path(""), &["audit", "-o", "json", "-f", dump], b"", &[]);
        assert_eq!(output.code, 1, "{dump}: {}", output.stderr);
        assert_eq!(findings(&output.json()), wanted, "{dump}");
    }
    let output =
        run_in(&folder.path(""), &["audit", "-o", "json", "-f", "-"], documents.as_bytes(), &[]);
    assert_eq!(findings(&output.json()), wanted);
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_judged() {
    let good = "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}], externalIPs: [192.0.2.010]}}";
    let folder = Folder::with(&[("a.yaml", &format!("{good}\n---\n{{a: [\n---\nhello\n"))]);
    folder.write("broken.tar.gz", [0x1f, 0x8b, 8, 0, 1, 2, 3]);
    let output = run_in(&folder.path(""), &["audit", "-o", "json", "-f", "."], b"", &[]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    let report = output.json();
    assert!(!report["findings"].as_array().unwrap().is_empty());
    let unreadable = report["unreadable"].to_string();
    assert!(
        unreadable.contains("a.yaml:3") && unreadable.contains("broken.tar.gz"),
        "{unreadable}"
    );
}

#[test]
fn a_list_of_many_megabytes_is_judged_in_pieces() {
    let service = |number: usize| {
        let padding = "x".repeat(1000);
        format!(
            "- apiVersion: v1\n  kind: Service\n  metadata: {{name: s{number}, namespace: a, annotations: {{p: {padding}}}}}\n  spec:\n    ports: [{{port: 80}}]\n    externalIPs: [192.0.2.0{}]\n",
            number % 9 + 1
        )
    };
    let items: String = (0..6000).map(service).collect();
    let folder =
        Folder::with(&[("big.yaml", &format!("apiVersion: v1\nitems:\n{items}kind: List\n"))]);
    let output = run_in(&folder.path(""), &["audit", "-o", "json", "-f", "big.yaml"], b"", &[]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert_eq!(output.json()["summary"]["refused"], 6000);
}
