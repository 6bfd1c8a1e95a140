//! Tests of the report formats, each parsed back.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

mod harness;

use harness::{BAD_MESSAGE, BAD_SERVICE, Folder, GOOD_SERVICE, WARNED_SERVICE, run, run_in};
use ratchet_object::{Limits, Node, Value as Yaml, decode};
use serde_json::Value;
use std::collections::BTreeSet;

/// One object of every outcome: refused, warned, skipped, unreadable, suppressed, clean.
fn everything() -> Folder {
    let excepted = BAD_SERVICE
        .replace("name: web", "name: kept\n  annotations: {ratchet/ignore: \"RTC-IP-001: known\"}");
    let odd = BAD_SERVICE.replace("192.0.2.010", "\"1.2.3.04<&>'\\\"%|`,:\\n\\u00e9 \\u65e5\"");
    let stream = [BAD_SERVICE, WARNED_SERVICE, "a: 1\n", "b: [\n", &excepted, GOOD_SERVICE, &odd];
    Folder::with(&[("all, 100%.yaml", &stream.join("---\n")), ("bad.yaml", BAD_SERVICE)])
}

fn report(folder: &Folder, format: &str) -> String {
    let output = folder.check(&["-o", format, "all, 100%.yaml", "bad.yaml"]);
    assert_eq!(output.code, 2);
    assert!(!output.stdout.contains('\x1b'), "{}", output.stdout);
    output.stdout
}

#[test]
fn people_see_the_line_and_the_place_underlined() {
    let folder = Folder::with(&[("web.yaml", BAD_SERVICE)]);
    let output = folder.check(&["web.yaml"]);
    let wanted = format!(
        "\
error[RTC-IP-001]: {BAD_MESSAGE}
 --> web.yaml:9:5
  |
9 |   - 192.0.2.010
  |     ^^^^^^^^^^^ write `192.0.2.10`
"
    );
    assert!(output.stdout.starts_with(&wanted), "{}", output.stdout);
    let refused =
        format!("web.yaml:1: Service web refused: Service \"web\" is invalid: {BAD_MESSAGE}\n");
    assert!(output.stdout.contains(&refused), "{}", output.stdout);
    assert!(output.stdout.ends_with("(Kubernetes 1.36, behavior released)\n"), "{}", output.stdout);
    let warned = run(&["check", "-"], WARNED_SERVICE).stdout;
    assert!(warned.starts_with("warning[RTC-SVC-002]: "), "{warned}");
    assert!(warned.contains("= help: "), "{warned}");
    assert_eq!(run(&["check", "-o", "text", "-"], WARNED_SERVICE).stdout, warned);
}

#[test]
fn carets_stand_under_wide_letters_too() {
    let text = "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {sessionAffinity: None, externalName: \"日本é\", externalIPs: [01.2.3.4]}\n";
    let output = run(&["check", "-o", "json", "-"], text);
    assert!(output.findings()[1].starts_with("stdin:4:66 "), "{:?}", output.findings());
    let report = run(&["check", "-"], text).stdout;
    assert!(report.contains("stdin:4:66"), "{report}");
    assert!(report.contains("^^^^^^^^ write"), "{report}");
}

#[test]
fn colour_comes_when_asked_for_and_only_then() {
    let folder = Folder::with(&[("web.yaml", BAD_SERVICE)]);
    let check = |args: &[&str], environment: &[(&str, &str)]| {
        let all = [&["check", "web.yaml"], args].concat();
        run_in(&folder.path("."), &all, b"", environment).stdout
    };
    let plain = check(&[], &[]);
    assert!(!plain.contains('\x1b'), "{plain}");
    for (args, environment) in [
        (&["--color", "never"][..], &[][..]),
        (&[], &[("NO_COLOR", "1")]),
        (&["--color", "auto"], &[("NO_COLOR", "")]),
        (&[], &[("CLICOLOR_FORCE", "0"), ("TERM", "dumb")]),
    ] {
        assert_eq!(check(args, environment), plain);
    }
    let coloured = check(&["--color", "always"], &[]);
    assert!(coloured.contains("\x1b["), "{coloured}");
    assert!(coloured.contains("192.0.2.010"), "{coloured}");
    for format in ["json", "yaml", "sarif", "junit", "github", "markdown", "html"] {
        assert!(!check(&["--color", "always", "-o", format], &[]).contains('\x1b'), "{format}");
    }
}

#[test]
fn json_says_everything() {
    let folder = everything();
    let report: Value = serde_json::from_str(&report(&folder, "json")).unwrap();
    assert_eq!(report["version"], "ratchet.check/v1");
    let policy = &report["policy"];
    assert_eq!(policy["targetVersion"], "1.36");
    assert_eq!(policy["behavior"], "released");
    let outcomes: Vec<&str> = report["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|object| object["outcome"].as_str().unwrap())
        .collect();
    let wanted = ["refused", "warned", "skipped", "unreadable", "admitted", "refused", "refused"];
    assert_eq!(outcomes, wanted);
    let first = &report["objects"][0];
    assert_eq!(first["file"], "all, 100%.yaml");
    assert_eq!((&first["kind"], &first["name"]), (&"Service".into(), &"web".into()));
    assert_eq!(first["message"], format!("Service \"web\" is invalid: {BAD_MESSAGE}"));
    let finding = &first["findings"][0];
    assert_eq!(finding["rule"], "RTC-IP-001");
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["field"], "spec.externalIPs[0]");
    assert_eq!(finding["fix"], "192.0.2.10");
    let place = ["line", "column", "endLine", "endColumn"].map(|name| finding[name].as_u64());
    assert_eq!(place, [Some(9), Some(5), Some(9), Some(16)]);
    let summary = &report["summary"];
    assert_eq!((summary["unreadable"].as_u64(), summary["skipped"].as_u64()), (Some(1), Some(1)));
    assert_eq!(summary["objects"], 6);
}

fn plain(node: &Node<'_>) -> Value {
    match &node.value {
        Yaml::Null => Value::Null,
        Yaml::Bool(truth) => (*truth).into(),
        Yaml::Int(number) => (*number).into(),
        Yaml::Float(number) => (*number).into(),
        Yaml::Text(text) => text.as_ref().into(),
        Yaml::List(items) => items.iter().map(plain).collect(),
        Yaml::Map(entries) => {
            entries.iter().map(|entry| (entry.key.to_string(), plain(&entry.node))).collect()
        }
    }
}

#[test]
fn yaml_says_the_same_as_json() {
    let clean = Folder::with(&[("all, 100%.yaml", "a: ["), ("bad.yaml", GOOD_SERVICE)]);
    let none = Folder::with(&[("all, 100%.yaml", "["), ("bad.yaml", "")]);
    for folder in [everything(), clean, none] {
        let json: Value = serde_json::from_str(&report(&folder, "json")).unwrap();
        let yaml = report(&folder, "yaml");
        let decoded =
            decode(&yaml, Limits::DEFAULT).unwrap_or_else(|error| panic!("{error}:\n{yaml}"));
        assert!(decoded.repeated.is_empty(), "{yaml}");
        assert_eq!(decoded.documents.len(), 1, "{yaml}");
        assert_eq!(plain(&decoded.documents[0]), json, "{yaml}");
    }
    let empty = run(&["check", "-o", "yaml", "-"], GOOD_SERVICE).stdout;
    assert!(empty.contains("objects: []\n"), "{empty}");
}

#[test]
fn sarif_names_rules_and_places() {
    let folder = everything();
    let report: Value = serde_json::from_str(&report(&folder, "sarif")).unwrap();
    assert_eq!(report["version"], "2.1.0");
    assert!(report["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let run = &report["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "ratchet");
    let rules: BTreeSet<&str> = driver["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 5, "{results:?}");
    for result in results {
        assert!(rules.contains(result["ruleId"].as_str().unwrap()), "{result}");
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let print = result["partialFingerprints"]["ratchet/v1"].as_str().unwrap();
        assert_eq!(print.len(), 16, "{result}");
        let place = &result["locations"][0]["physicalLocation"];
        let region = &place["region"];
        let number = |name: &str| region[name].as_u64().unwrap();
        assert!(number("startLine") >= 1 && number("startColumn") >= 1, "{result}");
        assert!(number("endLine") >= number("startLine"), "{result}");
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(["all%2C%20100%25.yaml", "bad.yaml"].contains(&uri), "{uri}");
    }
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 9);
    assert_eq!((&region["startColumn"], &region["endColumn"]), (&5.into(), &16.into()));
    assert_eq!(results[0]["level"], "error");
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn a_fingerprint_survives_what_is_written_above() {
    let prints = |text: &str| -> Vec<Value> {
        let folder = Folder::with(&[("web.yaml", text)]);
        let report = folder.check(&["-o", "sarif", "web.yaml"]).json();
        let results = report["runs"][0]["results"].as_array().unwrap().clone();
        results.into_iter().map(|result| result["partialFingerprints"].clone()).collect()
    };
    let two = format!("{BAD_SERVICE}  - 192.0.2.011\n");
    let before = prints(&two);
    assert_eq!(before.len(), 2);
    assert_ne!(before[0], before[1]);
    assert_eq!(prints(&format!("# a\n\n# b\n{GOOD_SERVICE}---\n{two}")), before);
    assert_ne!(prints(&two.replace("name: web", "name: other"))[0], before[0]);
}

/// Asserts that a text is well-formed XML, as far as a report uses it; returns the names of its tags.
fn tags(xml: &str) -> Vec<String> {
    let body = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").unwrap();
    let (mut open, mut tag_names): (Vec<String>, Vec<String>) = Default::default();
    let mut parts = body.split('<');
    assert_eq!(parts.next().unwrap().trim(), "");
    for part in parts {
        let (tag, text) = part.split_once('>').unwrap_or_else(|| panic!("no end: {part}"));
        assert!(!text.contains('>'), "{text}");
        for entity in part.split('&').skip(1) {
            let name = entity.split(';').next().unwrap();
            assert!(["amp", "lt", "gt", "quot", "apos", "#10"].contains(&name), "{entity}");
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let (name, rest) = tag.split_once(' ').unwrap_or((tag, ""));
        assert_eq!(rest.matches('"').count() % 2, 0, "{tag}");
        let name = name.trim_end_matches('/').to_owned();
        tag_names.push(name.clone());
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} stay open");
    tag_names
}

#[test]
fn junit_is_well_formed() {
    let xml = report(&everything(), "junit");
    let tags = tags(&xml);
    let count = |name: &str| tags.iter().filter(|tag| *tag == name).count();
    assert_eq!((count("testsuites"), count("testsuite"), count("testcase")), (1, 2, 8), "{xml}");
    assert_eq!((count("failure"), count("error"), count("skipped")), (3, 1, 1), "{xml}");
    let allowed = |c: char| c >= ' ' || c == '\n' || c == '\t';
    assert!(xml.chars().all(allowed), "{xml}");
    let empty = run(&["check", "-o", "junit", "-"], "").stdout;
    assert_eq!(self::tags(&empty), ["testsuites"]);
}

#[test]
fn github_commands_are_escaped() {
    let folder = everything();
    let text = report(&folder, "github");
    let lines: Vec<&str> = text.lines().collect();
    let (last, commands) = lines.split_last().unwrap();
    assert!(last.starts_with("ratchet: 6 objects, "), "{last}");
    for line in commands {
        let command = ["::error ", "::warning ", "::notice "].iter().any(|c| line.starts_with(c));
        assert!(command, "{line}");
    }
    let head =
        "::error file=all%2C 100%25.yaml,line=9,col=5,endLine=9,endColumn=16,title=RTC-IP-001::";
    assert_eq!(commands[0], format!("{head}{BAD_MESSAGE}%0Awrite 192.0.2.10"));
    assert!(commands.iter().any(|line| line.contains("%25|`,:")), "{text}");
}

#[test]
fn html_is_one_page_with_every_finding() {
    let folder = everything();
    let page = report(&folder, "html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    let json: Value = serde_json::from_str(&report(&folder, "json")).unwrap();
    let objects = json["objects"].as_array().unwrap().iter();
    let findings = objects.map(|object| object["findings"].as_array().unwrap().len()).sum();
    assert_eq!(data["findings"].as_array().map(Vec::len), Some(findings));
    assert_eq!(data["subject"], "manifests");
    assert!(page.contains("the document could not be read"), "unreadable documents are gaps");
    let clean = run(&["check", "-o", "html", "-"], GOOD_SERVICE).stdout;
    assert!(clean.contains("<span>Yes</span>"), "{clean}");
}

#[test]
fn markdown_is_one_table() {
    let text = report(&everything(), "markdown");
    let (table, rest) = text.split_once("\n\n").unwrap();
    let mut rows = table.lines();
    assert_eq!(rows.next(), Some("| | place | object | what the API says | fix |"));
    assert_eq!(rows.next(), Some("|---|---|---|---|---|"));
    for row in rows {
        let bars = row.replace("\\\\", "").replace("\\|", "").matches('|').count();
        assert_eq!(bars, 6, "{row}");
    }
    assert!(table.contains("| error | `bad.yaml:9:5` | Service web |"), "{table}");
    assert!(rest.starts_with("6 objects, 3 refused, "), "{rest}");
    let clean = run(&["check", "-o", "markdown", "-"], GOOD_SERVICE).stdout;
    assert!(!clean.contains('|'), "{clean}");
}
