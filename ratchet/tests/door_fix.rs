//! Tests of `ratchet fix` through the binary: diffs, writing, refusals, formats, exit statuses.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]
#![allow(clippy::indexing_slicing, reason = "a helper of a test may fail like a test")]

mod harness;

use harness::{BAD_SERVICE, Folder, GOOD_SERVICE, Output, run, run_in};

/// A Service with a value of each sort: unambiguous, octal or decimal, network or host.
const SERVICE: &str = "\
# our service\r
apiVersion: v1\r
kind: Service\r
metadata: {name: web, namespace: shop}\r
spec:\r
  type: LoadBalancer\r
  ports: [{port: 80}]\r
  externalIPs:\r
  - '192.0.2.01' # ours\r
  - 010.0.0.1\r
  loadBalancerSourceRanges: [ 10.1.2.3/8 ]\r
";

/// A command in a folder.
fn run_here(folder: &Folder, args: &[&str]) -> Output {
    run_in(&folder.path("."), args, b"", &[])
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap()
}

#[test]
fn a_diff_is_printed_and_nothing_written() {
    let folder = Folder::with(&[("web.yaml", SERVICE)]);
    let output = run_here(&folder, &["fix", "web.yaml"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stdout.starts_with("--- a/web.yaml\n+++ b/web.yaml\n@@ "), "{}", output.stdout);
    assert!(output.stdout.contains("-  - '192.0.2.01' # ours\r\n+  - '192.0.2.1' # ours\r\n"));
    let refused = "refused: web.yaml:10:5: Service shop/web spec.externalIPs[1]: \"010.0.0.1\": leading zeros: 10.0.0.1 to Go, 8.0.0.1 to programs that read octal numbers";
    assert!(output.stderr.contains(refused), "{}", output.stderr);
    assert!(output.stderr.contains("--read-as decimal|octal"), "{}", output.stderr);
    assert!(output.stderr.contains("--host-bits network|host"), "{}", output.stderr);
    assert_eq!(read(&folder, "web.yaml"), SERVICE);
}

#[test]
fn choices_decide_and_a_second_run_has_nothing_to_do() {
    for (flags, ip, range) in [
        (["decimal", "network"], "- 10.0.0.1", "[ 10.0.0.0/8 ]"),
        (["octal", "host"], "- 8.0.0.1", "[ 10.1.2.3/32 ]"),
    ] {
        let folder = Folder::with(&[("web.yaml", SERVICE)]);
        let args =
            ["fix", "-f", "web.yaml", "--write", "--read-as", flags[0], "--host-bits", flags[1]];
        let output = run_here(&folder, &args);
        assert_eq!(output.code, 0, "{}", output.stderr);
        let wanted = SERVICE
            .replace("192.0.2.01", "192.0.2.1")
            .replace("- 010.0.0.1", ip)
            .replace("[ 10.1.2.3/8 ]", range);
        assert_eq!(read(&folder, "web.yaml"), wanted);
        let again = run_here(&folder, &args);
        assert_eq!((again.code, again.stdout.as_str()), (0, ""), "{}", again.stderr);
        let check = run_here(&folder, &["check", "web.yaml", "-o", "json"]);
        assert_eq!(check.code, 0, "{}", check.stdout);
    }
}

#[test]
fn directories_values_and_templates_are_fixed_together() {
    let template = "kind: Service\napiVersion: v1\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n  externalIPs:\n  - 192.0.2.01\n  - {{ .Values.ip }}\n";
    let folder = Folder::with(&[
        ("a/bad.yaml", BAD_SERVICE),
        ("a/good.yaml", GOOD_SERVICE),
        ("chart/values.yaml", "service: {externalIPs: ['192.0.2.01']} # x\n"),
        ("chart/templates/service.yaml", template),
        ("notes.txt", BAD_SERVICE),
    ]);
    let output = run_here(&folder, &["fix", "-R", ".", "--write", "--read-as=decimal"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(read(&folder, "a/bad.yaml"), BAD_SERVICE.replace("2.010", "2.10"));
    assert_eq!(read(&folder, "a/good.yaml"), GOOD_SERVICE);
    assert_eq!(read(&folder, "chart/values.yaml"), "service: {externalIPs: ['192.0.2.1']} # x\n");
    assert_eq!(read(&folder, "chart/templates/service.yaml"), template.replace("2.01", "2.1"));
    assert_eq!(read(&folder, "notes.txt"), BAD_SERVICE);
    assert!(output.stderr.contains("3 values rewritten in 3 files"), "{}", output.stderr);
}

#[test]
fn one_file_is_spoken_of_as_one() {
    let folder = Folder::with(&[("web.yaml", BAD_SERVICE), ("good.yaml", GOOD_SERVICE)]);
    let note = |args: &[&str]| run_here(&folder, args).stderr.trim_end().to_owned();
    assert_eq!(
        note(&["fix", "web.yaml", "--read-as=decimal"]),
        "1 file: 1 value to rewrite in 1 file, 0 refused, 0 errors"
    );
    assert_eq!(
        note(&["fix", ".", "--read-as=decimal", "--write"]),
        "2 files: 1 value rewritten in 1 file, 0 refused, 0 errors"
    );
    let service = ("v1", "Service", "services", "/spec/externalIPs/0", "192.0.2.01");
    folder.write("audit.json", audit(&[service]));
    assert_eq!(note(&["fix", "--from-audit", "audit.json"]), "1 patch, 0 other steps");
}

#[test]
fn a_stream_is_filtered() {
    let text = SERVICE.replace("  - 010.0.0.1\r\n", "");
    let output = run(&["fix", "-", "--write", "--host-bits", "network"], &text);
    let wanted = text.replace("2.01", "2.1").replace("10.1.2.3/8", "10.0.0.0/8");
    assert_eq!((output.code, output.stdout), (0, wanted), "{}", output.stderr);
    let output = run(&["fix", "-", "--write"], GOOD_SERVICE);
    assert_eq!((output.code, output.stdout.as_str()), (0, GOOD_SERVICE));
    let output = run(&["fix", "-"], GOOD_SERVICE);
    assert_eq!((output.code, output.stdout.as_str()), (0, ""));
}

#[test]
fn json_says_what_was_edited_and_refused() {
    let folder = Folder::with(&[("web.yaml", SERVICE), ("fine.yaml", GOOD_SERVICE)]);
    let report = run_here(&folder, &["fix", ".", "-o", "json"]).json();
    assert_eq!(report["version"], "ratchet.fix/v1");
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.len(), 1);
    let edit = &files[0]["edits"][0];
    assert_eq!((edit["line"].as_u64(), edit["column"].as_u64()), (Some(9), Some(5)));
    assert_eq!(edit["fields"][0], "spec.externalIPs[0]");
    assert_eq!((&edit["value"], &edit["canonical"]), (&"192.0.2.01".into(), &"192.0.2.1".into()));
    assert_eq!((&edit["rule"], &edit["object"]["name"]), (&"RTC-IP-001".into(), &"web".into()));
    let reasons: Vec<_> =
        files[0]["refused"].as_array().unwrap().iter().map(|one| &one["reason"]).collect();
    assert_eq!(reasons, ["leading-zeros", "host-bits"]);
    assert_eq!(report["summary"]["edits"], 1);
    assert_eq!(report["summary"]["files"], 2);
}

#[test]
fn what_cannot_be_read_or_used_is_an_error() {
    let folder = Folder::with(&[("broken.yaml", "a: [\n"), ("web.yaml", BAD_SERVICE)]);
    let output = run_here(&folder, &["fix", ".", "--write", "--read-as=decimal"]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    assert!(output.stderr.contains("broken.yaml:"), "{}", output.stderr);
    assert_eq!(read(&folder, "web.yaml"), BAD_SERVICE.replace("2.010", "2.10"), "the rest is done");
    for args in [
        &["fix"][..],
        &["fix", "no/such/file"],
        &["fix", "-o", "patches", "web.yaml"],
        &["fix", "-", "web.yaml", "--write"],
        &["fix", "--apply", "web.yaml"],
        &["fix", "--from-audit", "web.yaml"],
        &["fix", "--from-audit", "no-such.json"],
        &["fix", "--read-as", "hex", "web.yaml"],
    ] {
        assert_eq!(run_here(&folder, args).code, 2, "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::with(&[("web.yaml", BAD_SERVICE)]);
    let path = folder.path("web.yaml");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    symlink("web.yaml", folder.path("link.yaml")).unwrap();
    let output = run_here(&folder, &["fix", "link.yaml", "--write", "--read-as=decimal"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(std::fs::symlink_metadata(folder.path("link.yaml")).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(read(&folder, "web.yaml"), BAD_SERVICE.replace("2.010", "2.10"));
}

/// An audit with a finding: kind, namespace, name, resource, pointer, value, state.
fn audit(findings: &[(&str, &str, &str, &str, &str)]) -> String {
    let findings: Vec<serde_json::Value> = findings
        .iter()
        .map(|(api_version, kind, resource, pointer, value)| {
            serde_json::json!({
                "object": {"apiVersion": api_version, "kind": kind, "namespace": "shop", "name": "web", "resource": resource},
                "field": pointer.trim_start_matches('/').replace('/', "."),
                "pointer": pointer, "value": value, "canonical": null, "state": "frozen",
                "refuses": ["create", "update"], "rule": "RTC-IP-001", "message": ""
            })
        })
        .collect();
    serde_json::json!({"version": "ratchet.audit/v1", "findings": findings}).to_string()
}

#[test]
fn patches_are_printed_in_an_order_that_works() {
    let template = "/spec/template/spec/dnsConfig/nameservers/0";
    let audit = audit(&[
        ("v1", "Service", "services", "/spec/clusterIP", "10.0.0.01"),
        ("v1", "Service", "services", "/status/loadBalancer/ingress/0/ip", "192.0.2.02"),
        ("apps/v1", "ReplicaSet", "replicasets", template, "192.0.2.01"),
        ("apps/v1", "Deployment", "deployments", template, "192.0.2.01"),
        ("v1", "Pod", "pods", "/spec/dnsConfig/nameservers/0", "010.0.0.1"),
    ]);
    let folder = Folder::with(&[("audit.json", &audit)]);
    let output = run_here(
        &folder,
        &["fix", "--from-audit", "audit.json", "-o", "patches", "--context", "a b"],
    );
    assert_eq!(output.code, 1, "{}", output.stderr);
    let commands: Vec<&str> = output.stdout.lines().filter(|line| !line.starts_with('#')).collect();
    let patch = |pointer: &str, old: &str, new: &str| {
        format!(
            "--type=json --patch='[{{\"op\":\"test\",\"path\":\"{pointer}\",\"value\":\"{old}\"}},{{\"op\":\"replace\",\"path\":\"{pointer}\",\"value\":\"{new}\"}}]'"
        )
    };
    let ingress = "/status/loadBalancer/ingress/0/ip";
    assert_eq!(
        commands,
        [
            format!(
                "kubectl '--context=a b' patch deployments.apps web --namespace=shop {}",
                patch(template, "192.0.2.01", "192.0.2.1")
            ),
            format!(
                "kubectl '--context=a b' patch replicasets.apps web --namespace=shop {}",
                patch(template, "192.0.2.01", "192.0.2.1")
            ),
            format!(
                "kubectl '--context=a b' patch services web --namespace=shop --subresource=status {}",
                patch(ingress, "192.0.2.02", "192.0.2.2")
            ),
        ]
    );
    assert!(output.stdout.contains("Service shop/web must be made again."), "{}", output.stdout);
    assert!(
        output.stdout.contains("\"010.0.0.1\" is not repaired: leading zeros"),
        "{}",
        output.stdout
    );
    let none =
        Folder::with(&[("audit.json", "{\"version\": \"ratchet.audit/v1\", \"findings\": []}")]);
    assert_eq!(run_here(&none, &["fix", "--from-audit", "audit.json"]).code, 0);
    let other = Folder::with(&[("audit.json", "{\"version\": \"x\", \"findings\": []}")]);
    let output = run_here(&other, &["fix", "--from-audit", "audit.json"]);
    assert!(
        output.code == 2 && output.stderr.contains("ratchet audit -o json"),
        "{}",
        output.stderr
    );
}
