//! Very many findings: the formats that hold findings in memory hold a bounded number of them, and count them all.

use super::harness::{Folder, run_in};
use std::fmt::Write as _;

/// Services, of which one in five has a value that is refused, and a few pods that freeze.
fn dump() -> String {
    let mut text = String::from("apiVersion: v1\nkind: List\nitems:\n");
    for number in 0..11_000 {
        writeln!(
            text,
            "- {{apiVersion: v1, kind: Service, metadata: {{name: s{number}, namespace: n{}}}, spec: {{ports: [{{port: 80}}], externalIPs: [192.0.2.01, 192.0.2.02]}}}}",
            number % 3
        )
        .unwrap();
    }
    for number in 0..5 {
        writeln!(
            text,
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: p{number}, namespace: z}}, spec: {{containers: [{{name: c, image: x}}], dnsConfig: {{nameservers: [010.0.0.1]}}}}}}"
        )
        .unwrap();
    }
    text
}

#[test]
fn a_page_lists_the_worst_and_counts_all() {
    let folder = Folder::with(&[("dump.yaml", &dump())]);
    let run = |format: &str| {
        let output =
            run_in(&folder.path(""), &["audit", "-f", "dump.yaml", "-o", format], b"", &[]);
        assert_eq!(output.code, 1, "{}", output.stderr);
        output
    };
    let report = run("json").json();
    let total = report["findings"].as_array().unwrap().len();
    assert!(total > 22_000, "{total}");
    let page = run("html").stdout;
    let omitted = total - 20_000;
    assert!(page.contains(&format!("not on this page: {omitted} findings, the mildest")));
    let grouped = format!("{},{:03} findings", total / 1000, total % 1000);
    assert!(page.contains(&grouped), "the summary does not have {grouped}");
    assert!(page.contains("5 objects would freeze"), "objects are counted by what is listed");
    // Frozen objects stand at the end of the dump, and are on the page nevertheless.
    assert_eq!(page.matches("\"p4\"").count(), 1);
    let reports = run("policyreport").json();
    for report in reports["items"].as_array().unwrap() {
        let results = report["results"].as_array().unwrap().len();
        assert!(results <= 1000, "{results}");
        if report["metadata"]["namespace"] == "n0" {
            assert!(report["summary"]["fail"].as_u64().unwrap() > 1000, "{}", report["summary"]);
        }
    }
}
