//! Tests of the input of `ratchet check`: files, folders, streams and lists, in all variants of YAML and JSON.

mod harness;

use harness::{BAD_MESSAGE, BAD_SERVICE, Folder, GOOD_SERVICE, judge};

/// The same as the bad Service, in JSON and under another name.
const BAD_JSON: &str = r#"{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "json"},
 "spec": {"ports": [{"port": 80}], "externalIPs": ["192.0.2.010"]}}
"#;

fn bad(name: &str) -> String {
    BAD_SERVICE.replace("name: web", &format!("name: {name}"))
}

#[test]
fn a_file_is_read_whatever_its_ending() {
    let folder = Folder::with(&[("web.yaml", BAD_SERVICE), ("web.txt", BAD_SERVICE)]);
    for name in ["web.yaml", "web.txt"] {
        let output = folder.json(&[name]);
        assert_eq!(output.code, 1);
        assert_eq!(output.findings(), [format!("{name}:9:5 RTC-IP-001 {BAD_MESSAGE}")]);
    }
}

#[test]
fn a_folder_gives_its_own_level_and_with_r_all_of_them() {
    let folder = Folder::with(&[
        ("all/b.yaml", &bad("b")),
        ("all/a.json", BAD_JSON),
        ("all/c.yml", &bad("c")),
        ("all/notes.txt", &bad("txt")),
        ("all/deep/deeper/d.yaml", &bad("d")),
        ("all/.hidden/e.yaml", &bad("e")),
    ]);
    let level = ["Service json refused", "Service b refused", "Service c refused"];
    assert_eq!(folder.json(&["all"]).outcomes(), level);
    let bottom = [&level[..], &["Service d refused"]].concat();
    assert_eq!(folder.json(&["-R", "all"]).outcomes(), bottom);
    assert_eq!(folder.json(&["--recursive", "all/"]).outcomes(), bottom);
}

#[test]
fn a_dash_reads_standard_input() {
    let folder = Folder::with(&[]);
    let output = folder.feed(&["-"], BAD_SERVICE);
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("--> stdin:9:5"), "{}", output.stdout);
    let output = folder.feed(&["-f", "-"], GOOD_SERVICE);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
}

#[test]
fn paths_and_f_flags_mix() {
    let folder = Folder::with(&[
        ("a.yaml", &bad("a")),
        ("b.yaml", &bad("b")),
        ("c/c.yaml", &bad("c")),
        ("d.yaml", &bad("d")),
    ]);
    let mixed = ["-f", "a.yaml", "b.yaml", "-f", "c", "--filename", "d.yaml"];
    let mut names = folder.json(&mixed).outcomes();
    names.sort();
    let wanted = ["a", "b", "c", "d"].map(|name| format!("Service {name} refused"));
    assert_eq!(names, wanted);
    let output = folder.feed(&["-o", "json", "a.yaml", "-"], bad("stdin"));
    assert_eq!(output.outcomes(), ["Service a refused", "Service stdin refused"]);
}

#[test]
fn nothing_to_check_is_bad_usage() {
    let output = Folder::with(&[]).check(&[]);
    assert_eq!(output.code, 2);
    assert_eq!(
        output.stderr,
        "ratchet: nothing to check: name files or directories, or - for standard input\n"
    );
}

#[test]
fn every_document_of_a_stream_is_judged_at_its_own_line() {
    let stream = format!("# first\n---\n{}---\n{GOOD_SERVICE}--- # third\n{}", bad("a"), bad("b"));
    let output = judge(&[], &stream);
    assert_eq!(output.code, 1);
    assert_eq!(
        output.findings(),
        [
            format!("stdin:11:5 RTC-IP-001 {BAD_MESSAGE}"),
            format!("stdin:29:5 RTC-IP-001 {BAD_MESSAGE}"),
        ]
    );
    assert_eq!(output.count("objects"), 3);
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_change_no_place() {
    let windows = format!("\u{feff}{}", BAD_SERVICE.replace('\n', "\r\n"));
    let output = judge(&[], &windows);
    assert_eq!(output.findings(), [format!("stdin:9:5 RTC-IP-001 {BAD_MESSAGE}")]);
    let stream = format!("{}---\r\n{windows}", GOOD_SERVICE.replace('\n', "\r\n"));
    assert_eq!(judge(&[], &stream).findings(), [format!("stdin:17:5 RTC-IP-001 {BAD_MESSAGE}")]);
}

#[test]
fn several_json_values_stand_in_one_text() {
    let output = judge(&[], &format!("{BAD_JSON}{}", BAD_JSON.replace("json", "again")));
    assert_eq!(output.outcomes(), ["Service json refused", "Service again refused"]);
    let places = [2, 4].map(|line| format!("stdin:{line}:52 RTC-IP-001 {BAD_MESSAGE}"));
    assert_eq!(output.findings(), places);
}

#[test]
fn the_items_of_a_list_are_judged_one_by_one() {
    let item = bad("a").replace('\n', "\n  ");
    let other = GOOD_SERVICE.replace('\n', "\n  ");
    let text = format!("apiVersion: v1\nkind: List\nitems:\n- {item}\n- {other}\n");
    let output = judge(&[], &text);
    assert_eq!(output.outcomes(), ["Service a refused"]);
    assert_eq!(output.count("objects"), 2);
    assert_eq!(output.findings(), [format!("stdin:12:7 RTC-IP-001 {BAD_MESSAGE}")]);
}

#[test]
fn lists_in_lists_and_empty_lists_are_read_too() {
    let inner = format!(r#"{{"apiVersion": "v1", "kind": "List", "items": [{BAD_JSON}]}}"#);
    let outer = format!(r#"{{"apiVersion": "v1", "kind": "List", "items": [{inner}, {inner}]}}"#);
    assert_eq!(judge(&[], &outer).count("refused"), 2);
    let output = judge(&[], r#"{"apiVersion": "v1", "kind": "List", "items": []}"#);
    assert_eq!((output.code, output.count("objects")), (0, 0));
}

#[test]
fn the_items_of_a_typed_list_need_not_name_their_kind() {
    let text = r#"{"apiVersion": "v1", "kind": "PodList", "items": [
{"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}],
"dnsConfig": {"nameservers": ["010.0.0.10"]}}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "q"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}]}"#;
    let output = judge(&[], text);
    assert_eq!(output.outcomes(), ["Pod p refused"]);
    assert_eq!(output.count("objects"), 2);
    assert!(output.findings()[0].starts_with("stdin:3:31 RTC-IP-001"), "{:?}", output.findings());
}

#[test]
fn a_large_list_is_taken_apart_and_every_item_judged() {
    let pad = "y".repeat(1000);
    let mut items: Vec<String> = (0..1500)
        .map(|n| format!(r#"{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "c{n}"}}, "data": {{"k": "{pad}"}}}}"#))
        .collect();
    items.push(BAD_JSON.trim_end().to_owned());
    let json = format!(
        "{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n{}]}}",
        items.join(",\n")
    );
    let output = judge(&[], &json);
    assert_eq!((output.code, output.count("objects")), (1, 1501));
    assert_eq!(output.findings(), [format!("stdin:1503:52 RTC-IP-001 {BAD_MESSAGE}")]);
}

#[test]
fn words_of_yaml_1_1_are_truth_values() {
    let pod = |value: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  hostNetwork: {value}\n  containers: [{{name: c, image: i}}]\n"
        )
    };
    for (value, code) in [("yes", 1), ("on", 1), ("Y", 1), ("no", 0), ("off", 0), ("False", 0)] {
        let output = judge(&["--pod-security", "baseline"], &pod(value));
        assert_eq!(output.code, code, "{value}: {}", output.stdout);
    }
    let output = judge(&["--pod-security", "baseline"], &pod("\"yes\""));
    assert!(output.findings()[0].contains("cannot unmarshal string"), "{:?}", output.findings());
    let output = judge(&[], &BAD_SERVICE.replace("name: web", "name: no"));
    assert!(output.findings()[0].contains("cannot unmarshal bool"), "{:?}", output.findings());
}

#[test]
fn numbers_of_yaml_1_1_may_be_octal() {
    for (port, number) in [("0100", "64"), ("0x40", "64"), ("1_000", "1000")] {
        let text = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers: [{{name: c, image: i, ports: [{{containerPort: 1, hostPort: {port}}}]}}]\n"
        );
        let output = judge(&["--pod-security", "baseline"], &text);
        let message = format!("hostPort (container \"c\" uses hostPort {number})");
        assert!(output.findings()[0].contains(&message), "{port}: {:?}", output.findings());
    }
}

#[test]
fn merge_keys_bring_their_values_to_the_verdict() {
    let text = "\
apiVersion: v1
kind: Service
metadata: &m {name: web}
x: &x
  ports: [{port: 80}]
  externalIPs: [192.0.2.010]
spec:
  <<: *x
  type: ClusterIP
";
    let output = judge(&["--validate", "ignore"], text);
    assert_eq!(output.findings(), [format!("stdin:6:17 RTC-IP-001 {BAD_MESSAGE}")]);
    let overridden = format!("{text}  externalIPs: []\n");
    assert_eq!(judge(&["--validate", "ignore"], &overridden).code, 0);
}

#[test]
fn an_object_without_a_namespace_lives_in_the_one_that_is_named() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {hostPID: true, containers: [{name: c, image: i}]}\n";
    let shop = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: baseline}}\n";
    let text = format!("{pod}---\n{shop}");
    assert_eq!(judge(&[], &text).code, 0);
    assert_eq!(judge(&["-n", "shop"], &text).code, 1);
    assert_eq!(judge(&["--namespace", "other"], &text).code, 0);
}

#[test]
fn many_files_come_out_in_their_order_however_many_work() {
    let folder = Folder::with(&[]);
    for number in 0..200 {
        folder.write(&format!("all/{number:03}.yaml"), bad(&format!("s{number}")));
    }
    let one = folder.json(&["--jobs", "1", "all"]);
    let many = folder.json(&["--jobs", "7", "all"]);
    assert_eq!(one.count("refused"), 200);
    assert_eq!(one.stdout, many.stdout);
    assert_eq!(folder.check(&["--jobs", "0", "all"]).code, 2);
}
