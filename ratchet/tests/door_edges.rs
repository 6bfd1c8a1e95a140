//! Tests of `ratchet check` on edge cases: pipes, unusual numbers, templates, large lists, long lines, missing paths.

mod harness;

use harness::{BAD_MESSAGE, BAD_SERVICE, Folder, GOOD_SERVICE, judge, run};
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn a_pipe_is_judged_like_a_file() {
    let folder = Folder::with(&[("bad.yaml", BAD_SERVICE)]);
    let output = folder.feed(&["/dev/stdin"], BAD_SERVICE);
    assert_eq!(output.code, 1, "{}", output.stdout);
    let script = format!("{} check <(cat bad.yaml)", env!("CARGO_BIN_EXE_ratchet"));
    let done =
        Command::new("bash").args(["-c", &script]).current_dir(folder.path(".")).output().unwrap();
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stdout));
}

#[test]
fn a_whole_number_with_a_fraction_of_zero_is_that_number() {
    let pod = |user: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  securityContext: {{runAsNonRoot: true, seccompProfile: {{type: RuntimeDefault}}}}\n  containers:\n  - {{name: c, image: i, securityContext: {{runAsUser: {user}, allowPrivilegeEscalation: false, capabilities: {{drop: [ALL]}}}}}}\n"
        )
    };
    for user in ["0", "0.0", "0e0"] {
        assert_eq!(judge(&["--pod-security", "restricted"], &pod(user)).code, 1, "{user}");
    }
    let port = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: 08}]}]}\n";
    assert_eq!(judge(&["--pod-security", "baseline"], port).code, 1);
}

#[test]
fn braces_in_a_comment_or_a_text_hide_nothing() {
    for mark in ["# {{ .Values.x }}", "  annotations: {a: \"{{- x }}\"}"] {
        let text = BAD_SERVICE.replace("metadata:", &format!("metadata:\n{mark}"));
        assert_eq!(judge(&[], &text).code, 1, "{mark}");
    }
}

fn padding() -> String {
    format!("# {}\n", "pad".repeat(30)).repeat(13_000)
}

#[test]
fn nothing_hides_behind_a_large_list() {
    let item = format!(
        r#"{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "c"}}, "data": {{"k": "{}"}}}}"#,
        "y".repeat(1000)
    );
    let list = format!(
        r#"{{"apiVersion": "v1", "kind": "List", "items": [{}]}}"#,
        vec![item; 1500].join(",\n")
    );
    let bad = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": {"ports": [{"port": 80}], "externalIPs": ["192.0.2.010"]}}"#;
    assert_eq!(judge(&[], &format!("{list}\n{bad}\n")).count("refused"), 1);
    let text = BAD_SERVICE.replace("spec:", "items:\n- {}\nspec:");
    assert_eq!(
        judge(&["--validate", "ignore"], &format!("{}{text}", padding())).count("refused"),
        1
    );
}

#[test]
fn a_large_typed_list_keeps_the_kind_of_its_items() {
    let item =
        format!(r#"{{"metadata": {{"name": "c"}}, "data": {{"k": "{}"}}}}"#, "y".repeat(1000));
    let list = format!(
        r#"{{"apiVersion": "v1", "kind": "ConfigMapList", "items": [{}]}}"#,
        vec![item; 1500].join(",\n")
    );
    let output = judge(&[], &list);
    assert_eq!((output.code, output.count("objects")), (0, 1500));
}

#[test]
fn a_missing_path_keeps_no_other_from_being_judged() {
    let folder = Folder::with(&[("bad.yaml", BAD_SERVICE)]);
    let output = folder.json(&["missing.yaml", "bad.yaml"]);
    assert_eq!((output.code, output.count("refused")), (2, 1));
}

#[test]
fn people_are_told_the_line_of_what_is_no_text() {
    let folder = Folder::with(&[]);
    folder.write("a.yaml", [GOOD_SERVICE.as_bytes(), b"---\na: \xff\n"].concat());
    folder.write("b.yaml", "apiVersion: v1\nkind: Service\nmetadata:\n  name: \"x\n");
    for (name, place) in [("a.yaml", "a.yaml:9"), ("b.yaml", "b.yaml:5")] {
        let report = folder.check(&[name]).stdout;
        assert!(report.contains(place), "{report}");
    }
}

#[test]
fn a_missing_reason_is_told_once() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {ratchet/ignore: RTC-IP-001}}\nspec: {dnsConfig: {nameservers: [010.0.0.10]}, containers: [{name: c, image: i}]}\n";
    assert_eq!(run(&["check", "-"], pod).stdout.matches("without a reason").count(), 1);
}

#[test]
fn standard_input_is_compared_with_a_commit_too() {
    let folder = Folder::with(&[("a.yaml", BAD_SERVICE), ("a.txt", BAD_SERVICE)]);
    folder.commit();
    let output = folder.feed(&["-o", "json", "--against", "git:HEAD", "-"], BAD_SERVICE);
    assert_eq!(output.code, 0, "{}", output.stderr);
}

#[test]
fn a_named_file_of_any_ending_is_compared_with_a_commit() {
    let folder = Folder::with(&[("a.txt", BAD_SERVICE)]);
    folder.commit();
    assert_eq!(folder.json(&["--against", "git:HEAD", "a.txt"]).code, 0);
}

#[test]
fn a_manifest_cannot_colour_the_terminal() {
    let text = BAD_SERVICE.replace("name: web", "name: \"a\\e[31mb\"");
    assert!(!run(&["check", "-"], &text).stdout.contains('\x1b'));
}

#[test]
fn a_baseline_hides_no_unreadable_document() {
    let folder = Folder::with(&[("a.yaml", "a: [\n")]);
    folder.check(&["--write-baseline", "known.json", "a.yaml", "missing.yaml"]);
    for name in ["a.yaml", "other.yaml"] {
        let output = folder.check(&["--baseline", "known.json", name]);
        assert_eq!(output.code, 2);
        assert!(output.stdout.contains("RTC-API-010"), "{}", output.stdout);
    }
}

#[test]
fn the_namespace_of_the_flag_can_be_exempt() {
    let configuration = "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults: {enforce: baseline}\nexemptions: {namespaces: [kube-system]}\n";
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {hostPID: true, containers: [{name: c, image: i}]}\n";
    let folder = Folder::with(&[("c.yaml", configuration), ("p.yaml", pod)]);
    let args = ["-n", "kube-system", "--admission-control-config-file", "c.yaml", "p.yaml"];
    assert_eq!(folder.json(&args).code, 0);
}

#[test]
fn namespaces_in_typed_and_nested_lists_lend_their_labels() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {hostPID: true, containers: [{name: c, image: i}]}\n";
    let bare =
        "{metadata: {name: default, labels: {pod-security.kubernetes.io/enforce: baseline}}}";
    let typed = format!("apiVersion: v1\nkind: NamespaceList\nitems:\n- {bare}\n");
    let full = bare.replacen('{', "{apiVersion: v1, kind: Namespace, ", 1);
    let nested = format!(
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - {full}\n"
    );
    for list in [typed, nested] {
        assert_eq!(judge(&[], &format!("{list}---\n{pod}")).code, 1, "{list}");
    }
}

#[test]
fn the_last_value_of_a_gate_wins_before_it_is_refused() {
    let gates = "RelaxedDNSSearchValidation=false,RelaxedDNSSearchValidation=true";
    assert_eq!(judge(&["--feature-gates", gates], GOOD_SERVICE).code, 0);
}

#[test]
fn a_gate_that_was_always_there_can_be_set_under_emulation() {
    let args = ["--emulated-version", "1.33", "--feature-gates", "AllowServiceExternalIPs=true"];
    assert_eq!(run(&[&["check", "-"], &args[..]].concat(), GOOD_SERVICE).code, 0);
}

#[test]
fn junit_holds_no_letter_that_xml_cannot_hold() {
    let text = BAD_SERVICE.replace("name: web", "name: \"a\\uFFFEb\"");
    let xml = run(&["check", "-o", "junit", "-"], &text).stdout;
    assert!(!xml.contains('\u{fffe}'), "{xml}");
}

#[test]
fn many_findings_on_one_line_cost_no_more_than_their_number() {
    let ips: Vec<String> =
        (0..5000).map(|n| format!("\"0{}.{}.2.3\"", n % 200 + 1, n / 200)).collect();
    let text = format!(
        r#"{{"apiVersion": "v1", "kind": "Service", "metadata": {{"name": "x"}}, "spec": {{"ports": [{{"port": 80}}], "externalIPs": [{}]}}}}"#,
        ips.join(",")
    );
    let folder = Folder::with(&[("one.json", &text)]);
    let mut check = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .args(["check", "--jobs", "1", "-o", "json", "one.json"])
        .current_dir(folder.path("."))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status_file = format!("/proc/{}/status", check.id());
    let mut peak = 0;
    let status = loop {
        peak = peak.max(peak_of(&std::fs::read_to_string(&status_file).unwrap_or_default()));
        match check.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    assert_eq!(status.code(), Some(1));
    assert!((1..200_000).contains(&peak), "{peak} kB");
}

/// The most memory that a process has held, in kB; 0 once it has ended.
fn peak_of(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or(0, |size| size.trim().trim_end_matches(" kB").parse().unwrap_or_default())
}

#[test]
fn a_kind_that_does_not_exist_is_pointed_at() {
    let output = judge(&[], &BAD_SERVICE.replace("kind: Service", "kind: Servce"));
    assert!(output.findings()[0].starts_with("stdin:2:"), "{:?} {BAD_MESSAGE}", output.findings());
}
