//! Tests of `ratchet check`: exit status, exceptions, baselines and pipes.

mod harness;

use harness::{BAD_MESSAGE, BAD_SERVICE, Folder, GOOD_SERVICE, WARNED_SERVICE, judge, run};
use serde_json::Value;
use std::io::Read;
use std::process::{Command, Stdio};

const BROKEN: &str = "apiVersion: v1\nkind: [\n";

/// The bad Service with this annotation.
fn annotated(text: &str) -> String {
    let annotation = format!("metadata:\n  annotations:\n    ratchet/ignore: {text:?}");
    BAD_SERVICE.replace("metadata:", &annotation)
}

#[test]
fn the_exit_status_tells_the_worst() {
    let folder = Folder::with(&[
        ("good.yaml", GOOD_SERVICE),
        ("bad.yaml", BAD_SERVICE),
        ("warned.yaml", WARNED_SERVICE),
        ("broken.yaml", BROKEN),
    ]);
    for (args, code) in [
        (vec!["good.yaml"], 0),
        (vec!["warned.yaml"], 0),
        (vec!["--warnings-as-errors", "warned.yaml"], 1),
        (vec!["--warnings-as-errors", "good.yaml"], 0),
        (vec!["bad.yaml"], 1),
        (vec!["good.yaml", "bad.yaml"], 1),
        (vec!["broken.yaml"], 2),
        (vec!["bad.yaml", "broken.yaml"], 2),
        (vec!["broken.yaml", "bad.yaml"], 2),
        (vec!["bad.yaml", "missing.yaml"], 2),
        (vec!["bad.yaml", "--no-such-flag"], 2),
        (vec!["bad.yaml", "-o", "pdf"], 2),
    ] {
        for format in ["human", "json", "sarif", "junit", "github", "markdown", "yaml", "html"] {
            let all = [&args[..], &["-o", format][..]].concat();
            let output = folder.check(if args.contains(&"pdf") { &args[..] } else { &all[..] });
            assert_eq!(output.code, code, "{all:?}: {}{}", output.stdout, output.stderr);
        }
    }
}

#[test]
fn what_can_be_judged_is_judged_beside_what_cannot() {
    let stream = format!("{BAD_SERVICE}---\n{BROKEN}---\n{WARNED_SERVICE}");
    let output = judge(&[], &stream);
    assert_eq!(output.code, 2);
    assert_eq!(output.outcomes(), ["Service web refused", "  unreadable", "Service odd warned"]);
    let report = run(&["check", "-"], &stream).stdout;
    for expected in [BAD_MESSAGE, "error[RTC-API-010]", "stdin:12:", "warning[RTC-SVC-002]"] {
        assert!(report.contains(expected), "{expected}: {report}");
    }
    assert!(report.contains("2 objects: 1 refused, 1 with warnings, 0 clean, 1 unreadable"));
}

#[test]
fn an_annotation_with_a_reason_excepts_its_rule() {
    for text in [
        "RTC-IP-001: the appliance reads it so",
        "RTC-DNS-001, RTC-IP-001: two at once",
        "RTC-DNS-001: one; RTC-IP-001: another",
        "RTC-DNS-001: one\nRTC-IP-001: another",
    ] {
        let output = judge(&[], &annotated(text));
        assert_eq!(output.code, 0, "{text}: {}", output.stdout);
        assert_eq!((output.count("refused"), output.count("suppressed")), (0, 1), "{text}");
    }
    let output = judge(&[], &annotated("RTC-IP-002: another rule"));
    assert_eq!((output.code, output.count("suppressed")), (1, 0));
}

#[test]
fn an_annotation_without_a_reason_excepts_nothing_and_says_so() {
    for text in ["RTC-IP-001", "RTC-IP-001:", "RTC-IP-001:   "] {
        let output = run(&["check", "-"], &annotated(text));
        assert_eq!(output.code, 1, "{text}");
        assert!(output.stdout.contains("= note: the annotation ratchet/ignore names"), "{text}");
        assert!(output.stdout.contains("without a reason"), "{text}: {}", output.stdout);
    }
}

#[test]
fn a_pod_template_can_carry_the_annotation_too() {
    let deployment = |object: &str, template: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web{object}}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    metadata: {{labels: {{a: b}}{template}}}\n    spec: {{dnsConfig: {{nameservers: [010.0.0.10]}}, containers: [{{name: c, image: i}}]}}\n"
        )
    };
    let annotation = ", annotations: {ratchet/ignore: \"RTC-IP-001: old resolver\"}";
    assert_eq!(judge(&[], &deployment("", "")).code, 1);
    assert_eq!(judge(&[], &deployment(annotation, "")).code, 0);
    assert_eq!(judge(&[], &deployment("", annotation)).code, 0);
    let bare = judge(&[], &deployment("", ", annotations: {ratchet/ignore: RTC-IP-001}"));
    assert_eq!(bare.code, 1);
    assert!(bare.stdout.contains("without a reason"), "{}", bare.stdout);
}

#[test]
fn an_exception_is_for_its_own_object_only() {
    let stream = format!("{}---\n{BAD_SERVICE}", annotated("RTC-IP-001: here only"));
    let output = judge(&[], &stream);
    assert_eq!((output.code, output.count("refused"), output.count("suppressed")), (1, 1, 1));
}

#[test]
fn a_baseline_passes_over_what_is_known_and_fails_what_is_new() {
    let folder = Folder::with(&[("web.yaml", BAD_SERVICE)]);
    let first = folder.check(&["--write-baseline", "known.json", "web.yaml"]);
    assert_eq!(first.code, 1, "writing it changes no verdict");
    let known: Value =
        serde_json::from_slice(&std::fs::read(folder.path("known.json")).unwrap()).unwrap();
    assert_eq!(known["version"], 1);
    assert_eq!(known["findings"].as_array().unwrap().len(), 1);
    let again = folder.json(&["--baseline", "known.json", "web.yaml"]);
    assert_eq!((again.code, again.count("suppressed")), (0, 1));
    folder.write("web.yaml", format!("# moved\n# down\n{BAD_SERVICE}"));
    assert_eq!(folder.json(&["--baseline", "known.json", "web.yaml"]).code, 0);
    folder.write("web.yaml", format!("{BAD_SERVICE}  - 192.0.2.011\n"));
    let grown = folder.json(&["--baseline", "known.json", "web.yaml"]);
    assert_eq!((grown.code, grown.findings().len()), (1, 1));
    assert!(grown.findings()[0].contains("192.0.2.011"), "{:?}", grown.findings());
}

#[test]
fn what_a_baseline_knows_and_nobody_finds_is_noted() {
    let folder = Folder::with(&[("web.yaml", BAD_SERVICE)]);
    folder.check(&["--write-baseline", "known.json", "web.yaml"]);
    folder.write("web.yaml", GOOD_SERVICE);
    let output = folder.json(&["--baseline", "known.json", "web.yaml"]);
    assert_eq!((output.code, output.count("staleBaseline")), (0, 1));
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    let note =
        "note: no longer found, remove it from the baseline: RTC-IP-001 web.yaml: Service web";
    assert!(output.stderr.starts_with(note), "{}", output.stderr);
}

#[test]
fn a_baseline_that_cannot_be_used_is_bad_usage() {
    let folder = Folder::with(&[
        ("web.yaml", GOOD_SERVICE),
        ("other.json", "{\"version\": 2}"),
        ("broken.json", "{"),
    ]);
    for name in ["other.json", "broken.json", "missing.json"] {
        let output = folder.check(&["--baseline", name, "web.yaml"]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{name}");
        let begin = format!("ratchet: --baseline {name}: ");
        assert!(output.stderr.starts_with(&begin), "{}", output.stderr);
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    }
    let output = folder.check(&["--write-baseline", "no/such/folder.json", "web.yaml"]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("--write-baseline no/such/folder.json"), "{}", output.stderr);
}

#[test]
fn findings_go_to_standard_output_and_notes_to_standard_error() {
    let folder = Folder::with(&[("bad.yaml", BAD_SERVICE), ("values.yaml", "replicas: 3\n")]);
    let output = folder.check(&["bad.yaml", "values.yaml"]);
    assert!(output.stdout.contains(BAD_MESSAGE));
    assert!(!output.stdout.contains("note: values.yaml"), "{}", output.stdout);
    assert!(output.stderr.starts_with("note: values.yaml:1: skipped: "), "{}", output.stderr);
    assert!(!output.stderr.contains("RTC-IP-001"));
}

#[test]
fn a_reader_who_has_read_enough_ends_the_check() {
    let folder = Folder::with(&[]);
    let stream: String = (0..20_000)
        .map(|n| format!("---\n{}", BAD_SERVICE.replace("web", &format!("s{n}"))))
        .collect();
    folder.write("big.yaml", stream);
    for format in ["human", "json", "yaml", "sarif", "junit", "github", "markdown", "html"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
            .args(["check", "-o", format, "big.yaml"])
            .current_dir(folder.path("."))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        // The pipe is closed here, with megabytes still to come.
        let done = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&done.stderr);
        assert_eq!(stderr, "", "{format}");
        assert!(done.status.code().is_some_and(|code| code <= 1), "{format}: {}", done.status);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let folder = Folder::with(&[("bad.yaml", BAD_SERVICE)]);
    let done = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .args(["check", "bad.yaml"])
        .current_dir(folder.path("."))
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{stderr}");
    assert!(stderr.starts_with("ratchet: ") && stderr.contains("No space left"), "{stderr}");
}
