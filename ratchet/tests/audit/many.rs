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
            let fail = report["summary"]["fail"].as_u64().unwrap();
            let warn = report["summary"]["warn"].as_u64().unwrap();
            assert!(fail > 1000, "{}", report["summary"]);
            let omitted = &report["metadata"]["annotations"]["ratchet/omitted"];
            assert_eq!(*omitted, (fail + warn - 1000).to_string());
            let is_worst = |row: &serde_json::Value| row["result"] == "fail";
            assert!(report["results"].as_array().unwrap().iter().all(is_worst));
        }
    }
}

/// Pods of two namespaces with two search names each that need the relaxed reading, the last of them first.
fn searching_pods(numbers: impl Iterator<Item = usize>) -> String {
    let mut text = String::from("apiVersion: v1\nkind: List\nitems:\n");
    for number in numbers {
        writeln!(
            text,
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: p{number:05}, namespace: n{}}}, spec: {{containers: [{{name: c, image: x, livenessProbe: {{httpGet: {{port: 80, host: 10.0.0.1}}}}}}], dnsConfig: {{searches: [_tcp.example, a_b.example]}}}}}}",
            number % 2
        )
        .unwrap();
    }
    text
}

#[test]
fn lists_beside_the_findings_have_the_first_rows_in_any_order_and_say_what_they_lack() {
    let folder = Folder::with(&[
        ("forth.yaml", &searching_pods(0..3000)),
        ("back.yaml", &searching_pods((0..3000).rev())),
        ("first.yaml", &searching_pods(0..1500)),
        ("second.yaml", &searching_pods((1500..3000).rev())),
    ]);
    let run = |dumps: &[&str], more: &[&str]| {
        let mut arguments = vec!["audit"];
        dumps.iter().for_each(|dump| arguments.extend(["-f", dump]));
        arguments.extend(more);
        run_in(&folder.path(""), &arguments, b"", &[])
    };
    let output = run(&["forth.yaml"], &["-o", "json"]);
    let message = "note: searches: 1000 more are counted, but not listed\n";
    assert_eq!((output.code, output.stderr.as_str()), (0, message));
    let whole = output.json();
    let rows = whole["searches"].as_array().unwrap();
    assert_eq!((rows.len(), &whole["omitted"]["searches"]), (5000, &1000.into()));
    let names: Vec<&str> = rows.iter().map(|row| row["object"]["name"].as_str().unwrap()).collect();
    assert_eq!((names[0], names[2], names[3000]), ("p00000", "p00002", "p00001"));
    let hosts = &whole["namespaces"][0];
    assert_eq!(hosts["probeHosts"].as_array().unwrap().len(), 10);
    assert_eq!(hosts["probeHostsOmitted"], 1490);
    assert_eq!(hosts["probeHosts"][9].as_str().unwrap().split(' ').nth(1), Some("p00018"));
    for (dumps, jobs) in [
        (&["back.yaml"][..], "1"),
        (&["back.yaml"], "4"),
        (&["second.yaml", "first.yaml"], "3"),
        (&["first.yaml", "second.yaml"], "2"),
    ] {
        let other = run(dumps, &["-o", "json", "--jobs", jobs]).json();
        for member in ["searches", "omitted", "namespaces", "summary"] {
            assert!(other[member] == whole[member], "{dumps:?} {jobs}: {member} differs");
        }
    }
    for format in ["table", "markdown"] {
        let text = run(&["back.yaml"], &["-o", format]).stdout;
        assert!(text.contains("Pod n0/p00000 spec.dnsConfig.searches[0]: _tcp.example"), "{text}");
        assert!(text.contains("and 5950 more") && text.contains("1500 probe hosts"), "{text}");
    }
    let page = run(&["back.yaml"], &["-o", "html"]).stdout;
    assert!(page.contains("<li>and 5,950 more</li>"), "the page does not say what it lacks");
}

#[test]
fn an_allow_list_keeps_every_address_and_an_object_counts_all_its_findings() {
    let mut text = String::from("apiVersion: v1\nkind: List\nitems:\n");
    for number in 0..5_200 {
        writeln!(
            text,
            "- {{apiVersion: v1, kind: Service, metadata: {{name: s{number}, namespace: a}}, spec: {{ports: [{{port: 80}}], externalIPs: [10.1.{}.{}]}}}}",
            number / 250,
            number % 250
        )
        .unwrap();
    }
    let many: Vec<String> =
        (0..400).map(|number| format!("010.2.{}.{}", number / 250, number % 250)).collect();
    writeln!(
        text,
        "- {{apiVersion: v1, kind: Service, metadata: {{name: zzz, namespace: z}}, spec: {{ports: [{{port: 80}}], externalIPs: [{}]}}}}",
        many.join(", ")
    )
    .unwrap();
    let folder = Folder::with(&[("dump.yaml", &text)]);
    let output = run_in(&folder.path(""), &["audit", "-f", "dump.yaml", "-o", "json"], b"", &[]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let report = output.json();
    let allowed = report["externalIPAllowList"].as_str().unwrap();
    let networks = allowed.split("networks: ").nth(1).unwrap();
    assert_eq!(networks.trim().split(", ").count(), 5_600);
    assert_eq!(report["omitted"]["externalIPs"], 201);
    // A hundred of each of the two rules are listed, of 400.
    let findings = report["findings"].as_array().unwrap();
    let of_one = findings.iter().filter(|row| row["object"]["name"] == "zzz").count();
    let omitted = report["omitted"]["findings"].as_u64().unwrap();
    assert!(of_one >= 200 && omitted >= 600, "{of_one} are listed, {omitted} are not");
    assert!(
        output.stderr.contains(&format!("note: findings: {omitted} more")),
        "{}",
        output.stderr
    );
    assert!(output.stderr.contains("note: externalIPs: 201 more"), "{}", output.stderr);
}
