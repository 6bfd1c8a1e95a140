//! Tests of `ratchet check` on malformed and hostile input: no panic, and a position for every error.

mod harness;

use harness::{BAD_MESSAGE, BAD_SERVICE, Folder, GOOD_SERVICE, Output, judge};

/// A document between two valid ones that are checked nevertheless.
fn between(middle: &[u8]) -> Output {
    let folder = Folder::with(&[]);
    let stream =
        [BAD_SERVICE.as_bytes(), b"---\n", middle, b"\n---\n", GOOD_SERVICE.as_bytes()].concat();
    folder.write("all.yaml", stream);
    let output = folder.json(&["all.yaml"]);
    assert_eq!(output.code, 2, "{}", output.stdout);
    assert_eq!(output.outcomes(), ["Service web refused", "  unreadable"]);
    assert_eq!(output.count("objects"), 2);
    output
}

#[test]
fn an_empty_file_and_an_empty_folder_hold_nothing() {
    let folder = Folder::with(&[("empty.yaml", ""), ("comment.yaml", "# nothing\n---\n---\n")]);
    std::fs::create_dir(folder.path("none")).unwrap();
    for name in ["empty.yaml", "comment.yaml", "none"] {
        let output = folder.json(&[name]);
        assert_eq!((output.code, output.count("objects")), (0, 0), "{name}");
        assert_eq!(output.count("unreadable"), 0, "{name}");
    }
}

#[test]
fn a_document_that_is_too_large_costs_only_itself() {
    let output = between(&[b"a: ".as_slice(), &vec![b'x'; 10_000_000]].concat());
    assert_eq!(
        output.findings()[1],
        "all.yaml:11:1 RTC-API-010 the document is larger than 3 MiB, which is all that the API takes"
    );
}

#[test]
fn bytes_that_are_not_utf_8_cost_only_their_document() {
    let output = between(b"a: \xff\xfe");
    assert_eq!(output.findings()[1], "all.yaml:11:1 RTC-API-010 the document is not UTF-8");
}

#[test]
fn a_binary_file_is_not_judged() {
    let folder = Folder::with(&[]);
    let bytes: Vec<u8> =
        (0..5000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    folder.write("a.bin", [b"\x7fELF\0\0".as_slice(), &bytes].concat());
    let output = folder.check(&["a.bin"]);
    assert_eq!(output.code, 2);
    assert!(output.stdout.contains("RTC-API-010"), "{}", output.stdout);
    assert!(output.stdout.contains("a.bin"), "{}", output.stdout);
}

#[test]
fn what_is_cut_short_says_where() {
    for (text, place) in [
        (r#"{"apiVersion": "v1", "kind": "Service""#, "stdin:1:39"),
        ("{\"apiVersion\": \"v1\",\n", "stdin:2:1"),
        ("apiVersion: v1\nkind: Service\nmetadata: {name: x\n", "stdin:3:11"),
        ("apiVersion: v1\nkind: \"Service", "stdin:2:7"),
    ] {
        let output = judge(&[], text);
        assert_eq!(output.code, 2, "{text}");
        let findings = output.findings();
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].contains("RTC-API-010"), "{findings:?}");
        assert!(findings[0].starts_with(&format!("{place} ")), "{text}: {findings:?}");
    }
}

#[test]
fn deep_nesting_is_refused_where_it_becomes_too_deep() {
    for text in [
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        format!("a: {}", "[".repeat(100_000)),
        format!("a: {}", "{b: ".repeat(100_000)),
        "- ".repeat(100_000),
    ] {
        let output = judge(&[], &text);
        assert_eq!(output.code, 2);
        let finding = &output.findings()[0];
        assert!(finding.starts_with("stdin:1:") && finding.contains("RTC-API-010"), "{finding}");
        between(text.as_bytes());
    }
}

#[test]
fn aliases_cannot_blow_up() {
    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, before) in "bcdefghij".chars().zip("abcdefghi".chars()) {
        bomb += &format!("{name}: &{name} [{}]\n", vec![format!("*{before}"); 9].join(", "));
    }
    let output = between(bomb.as_bytes());
    assert!(output.findings()[1].contains("more than 131072 values"), "{:?}", output.findings());
    let selfish = judge(&[], "a: &a [*a]\n");
    assert_eq!(selfish.code, 2);
    assert!(selfish.findings()[0].starts_with("stdin:1:8 "), "{:?}", selfish.findings());
}

#[test]
fn a_kind_that_its_group_does_not_have_is_refused() {
    let text = BAD_SERVICE.replace("kind: Service", "kind: Servce");
    let output = judge(&[], &text);
    assert_eq!(output.code, 1);
    assert!(
        output.findings()[0]
            .ends_with("RTC-API-011 no matches for kind \"Servce\" in version \"v1\""),
        "{:?}",
        output.findings()
    );
}

#[test]
fn kinds_of_other_groups_pass() {
    let text = "apiVersion: example.com/v1\nkind: Service\nmetadata: {name: x}\nspec: {externalIPs: [192.0.2.010], any: {thing: 1}}\n";
    let output = judge(&[], text);
    assert_eq!((output.code, output.count("objects")), (0, 1));
    assert_eq!(output.findings(), Vec::<String>::new());
}

#[test]
fn an_object_says_what_it_is() {
    for (text, missing) in [
        ("apiVersion: v1\nmetadata: {name: x}\n", "Kind"),
        ("kind: Service\nmetadata: {name: x}\n", "apiVersion"),
        ("apiVersion: v1\nkind: {a: b}\n", "Kind"),
        ("metadata: {name: x}\n", "Kind"),
    ] {
        let output = judge(&[], text);
        assert_eq!(output.code, 2, "{text}");
        let wanted = format!("stdin:1:1 RTC-API-010 Object '{missing}' is missing");
        assert_eq!(output.findings(), [wanted], "{text}");
    }
    for text in ["hello\n", "- a\n- b\n", "5\n", "\"x\"\n"] {
        let output = judge(&[], text);
        assert_eq!(output.findings(), ["stdin:1:1 RTC-API-010 a manifest must be an object"]);
    }
}

#[test]
fn what_is_no_object_at_all_is_passed_over_with_a_note() {
    let folder = Folder::with(&[("values.yaml", "replicas: 3\nimage: {tag: v1}\n")]);
    let output = folder.check(&["values.yaml"]);
    assert_eq!(output.code, 0);
    let note = "note: values.yaml:1: skipped: not a Kubernetes object: it has neither apiVersion nor kind\n";
    assert_eq!(output.stderr, note);
}

#[test]
fn tabs_and_zero_bytes_are_pointed_at() {
    let tabs = judge(&[], "apiVersion: v1\nkind: Service\nmetadata:\n\tname: x\n");
    assert_eq!(tabs.code, 2);
    assert!(tabs.findings()[0].starts_with("stdin:4:"), "{:?}", tabs.findings());
    assert!(tabs.findings()[0].contains("tabs"), "{:?}", tabs.findings());
    let zero = judge(&[], "apiVersion: v1\nkind: Service\nmetadata:\n  name: \"x\0y\"\n");
    assert_eq!(zero.code, 2);
    assert!(zero.findings()[0].starts_with("stdin:4:11 "), "{:?}", zero.findings());
}

#[test]
fn templates_of_helm_are_passed_over_with_a_note() {
    let template = "{{- if .Values.on }}\napiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.name }}\n{{- end }}\n";
    let folder = Folder::with(&[("t.yaml", template), ("bad.yaml", BAD_SERVICE)]);
    let output = folder.check(&["t.yaml"]);
    assert_eq!(output.code, 0);
    assert!(
        output.stderr.starts_with("note: t.yaml:1: skipped: a Helm template"),
        "{}",
        output.stderr
    );
    assert!(output.stderr.contains("helm template"), "{}", output.stderr);
    assert_eq!(
        folder.json(&["t.yaml", "bad.yaml"]).findings(),
        [format!("bad.yaml:9:5 RTC-IP-001 {BAD_MESSAGE}")]
    );
}

#[test]
fn a_path_that_leads_nowhere_is_named() {
    let folder = Folder::with(&[("good.yaml", GOOD_SERVICE)]);
    std::os::unix::fs::symlink("no/such/file.yaml", folder.path("broken.yaml")).unwrap();
    for name in ["missing.yaml", "broken.yaml"] {
        let output = folder.check(&["good.yaml", name]);
        assert_eq!(output.code, 2, "{name}");
        assert!(output.stdout.contains("No such file or directory"), "{}", output.stdout);
        assert!(output.stdout.contains(name), "{}", output.stdout);
        assert!(output.stdout.contains("1 clean, 1 unreadable"), "{}", output.stdout);
    }
}

#[test]
fn links_in_circles_end() {
    let folder = Folder::with(&[("all/bad.yaml", BAD_SERVICE)]);
    std::os::unix::fs::symlink("..", folder.path("all/up")).unwrap();
    std::os::unix::fs::symlink("self.yaml", folder.path("all/self.yaml")).unwrap();
    let output = folder.json(&["-R", "."]);
    assert_eq!(output.count("refused"), 1, "{}", output.stdout);
}

#[test]
fn a_file_that_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with(&[("a.yaml", GOOD_SERVICE), ("b.yaml", GOOD_SERVICE)]);
    let path = folder.path("a.yaml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&path).is_ok() {
        return; // the superuser may read everything
    }
    let output = folder.json(&["."]);
    assert_eq!((output.code, output.count("objects")), (2, 1));
    assert!(output.findings()[0].contains("Permission denied"), "{:?}", output.findings());
}

#[test]
fn numbers_that_no_field_can_hold_are_refused() {
    for number in ["99999999999999999999999", "2147483648", "1.5", "-9223372036854775809"] {
        let output = judge(&[], &BAD_SERVICE.replace("port: 80", &format!("port: {number}")));
        assert_eq!(output.code, 1, "{number}");
        let finding = &output.findings()[0];
        assert!(finding.starts_with("stdin:7:11 RTC-API-009"), "{finding}");
        assert!(finding.contains("cannot unmarshal number"), "{finding}");
    }
    let output = judge(&[], &BAD_SERVICE.replace("port: 80", "port: .inf"));
    assert_eq!(output.code, 2);
    assert!(output.findings()[0].starts_with("stdin:7:11 RTC-API-010"), "{:?}", output.findings());
}

#[test]
fn a_member_that_is_written_twice_follows_validate() {
    let text = BAD_SERVICE.replace("  ports:", "  type: ClusterIP\n  type: NodePort\n  ports:");
    let twice = "stdin:7:3 RTC-API-008 duplicate field \"spec.type\"".to_owned();
    let strict = judge(&[], &text);
    assert!(strict.findings().contains(&twice), "{:?}", strict.findings());
    assert!(strict.stdout.contains("strict decoding error: duplicate field \\\"spec.type\\\""));
    let good = GOOD_SERVICE.replace("  ports:", "  type: ClusterIP\n  type: NodePort\n  ports:");
    for (mode, code, outcome) in
        [("strict", 1, "refused"), ("warn", 0, "warned"), ("true", 1, "refused")]
    {
        let output = judge(&["--validate", mode], &good);
        assert_eq!(output.code, code, "{mode}");
        assert_eq!(output.outcomes(), [format!("Service fine {outcome}")]);
    }
    assert_eq!(judge(&["--validate=ignore"], &good).outcomes(), Vec::<String>::new());
    let json =
        r#"{"apiVersion": "v1", "kind": "Service", "kind": "Service", "metadata": {"name": "x"}}"#;
    assert!(judge(&[], json).findings()[0].contains("duplicate field \"kind\""));
}

#[test]
fn a_field_that_the_kind_does_not_have_follows_validate() {
    let text = GOOD_SERVICE.replace("  ports:", "  externlIPs: [1.2.3.4]\n  ports:");
    let unknown = "stdin:6:3 RTC-API-007 unknown field \"spec.externlIPs\"";
    for (mode, code) in [("strict", 1), ("warn", 0)] {
        let output = judge(&["--validate", mode], &text);
        assert_eq!((output.code, output.findings()), (code, vec![unknown.to_owned()]));
    }
    assert_eq!(judge(&["--validate", "ignore"], &text).findings(), Vec::<String>::new());
    assert_eq!(judge(&["--validate", "maybe"], &text).code, 2);
}

#[test]
fn values_of_the_wrong_type_are_pointed_at() {
    for (from, to, place) in [
        ("ports:\n  - port: 80", "ports: hello", "stdin:6:10"),
        ("port: 80", "port: \"80\"", "stdin:7:11"),
        ("name: web", "name: [web]", "stdin:4:9"),
        ("metadata:\n  name: web", "metadata: 5", "stdin:3:11"),
        ("- 192.0.2.010", "- {ip: 192.0.2.1}", "stdin:9:5"),
        ("- 192.0.2.010", "- 1.2", "stdin:9:5"),
    ] {
        let output = judge(&["--validate", "ignore"], &BAD_SERVICE.replace(from, to));
        assert_eq!(output.code, 1, "{to}");
        let finding = &output.findings()[0];
        assert!(finding.starts_with(place), "{to}: {finding}");
        assert!(finding.contains("RTC-API-009") && finding.contains("json: cannot unmarshal"));
    }
}
