//! Every case of the engine gets the same verdict, verbatim, through `ratchet check`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

mod harness;

use harness::{GOOD_SERVICE, run};
use ratchet_object::{Limits, Node, Value, decode};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// Features of cases that manifests and flags cannot express: subresources, existing pods, exemptions.
const BEYOND_A_MANIFEST: [&str; 2] = ["part", "existing"];

#[test]
fn the_door_says_what_the_cases_want() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let mut judged = 0;
    let mut wrong = Vec::new();
    for path in files(&root) {
        let text = std::fs::read_to_string(&path).unwrap();
        let case = json_of(&decode(&text, Limits::DEFAULT).unwrap().documents[0]);
        let is_beyond = BEYOND_A_MANIFEST.iter().any(|key| !case[*key].is_null())
            || !case["policy"]["exempt"].is_null()
            || !case["door"].is_null();
        if is_beyond {
            continue;
        }
        judged += 1;
        if let Err(why) = agrees(&case) {
            wrong.push(format!("{}: {why}", path.strip_prefix(&root).unwrap().display()));
        }
    }
    assert!(judged > 250, "only {judged} cases were brought to the door");
    assert!(wrong.is_empty(), "of {judged} cases:\n{}", wrong.join("\n"));
}

#[test]
fn every_plugin_that_serve_knows_is_known_to_check() {
    let names: Vec<&str> = ratchet_server::PLUGINS.iter().map(|plugin| plugin.name).collect();
    assert!(names.contains(&"PodResizeValidator"));
    let enabled = format!("--enable-admission-plugins={}", names.join(","));
    let output = run(&["check", &enabled, "-"], GOOD_SERVICE);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    for (door, code) in [(["check", "-"].as_slice(), 2), (&["serve"], 1)] {
        let args = [door, &["--enable-admission-plugins=PodResize"]].concat();
        let output = run(&args, GOOD_SERVICE);
        assert_eq!(output.code, code, "{args:?}");
        let error = "enable-admission-plugins plugin \"PodResize\" is unknown";
        assert!(output.stderr.contains(error), "{args:?}: {}", output.stderr);
    }
}

#[test]
fn unknown_and_duplicate_fields_are_named_in_the_order_of_the_file() {
    for line in include_str!("strict_decoding.txt").lines().skip(1) {
        let (body, error) = line.split_once(" => ").unwrap();
        let output = run(&["check", "-o", "json", "-"], body);
        let report: Json = serde_json::from_str(&output.stdout).unwrap();
        let message = report["objects"][0]["message"].as_str().unwrap();
        assert!(message.ends_with(&format!("strict decoding error: {error}")), "{message}");
    }
}

#[test]
fn custom_objects_get_one_answer() {
    let text = include_str!("custom_objects.yaml");
    let documents = decode(text, Limits::DEFAULT).unwrap().documents;
    let (definition, cases) = documents.split_first().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, object: &Json| {
        let path = folder.path().join(name);
        std::fs::write(&path, object.to_string()).unwrap();
        path.display().to_string()
    };
    let crds = write("crd.json", &json_of(definition));
    let mut wrong = Vec::new();
    for case in cases.iter().map(json_of) {
        let manifest = |object: &Json| {
            let mut object = object.clone();
            object["apiVersion"] = json!("example.com/v1");
            object["kind"] = json!("Widget");
            object
        };
        let new = write("new.json", &manifest(&case["new"]));
        let mut args = vec!["check", "-o", "json", "--crds", &crds, &new];
        let old = (!case["old"].is_null()).then(|| write("old.json", &manifest(&case["old"])));
        args.extend(old.iter().flat_map(|old| ["--against", old.as_str()]));
        let output = run(&args, "");
        let report = output.json();
        let row = report["objects"].as_array().unwrap().first().unwrap_or(&Json::Null);
        let findings = row["findings"].as_array().into_iter().flatten();
        let warnings = findings.filter(|finding| finding["severity"] == "warning");
        let warnings: Vec<&Json> = warnings.map(|finding| &finding["message"]).collect();
        let wanted: Vec<&Json> = case["warnings"].as_array().into_iter().flatten().collect();
        if row["message"] != case["status"] || warnings != wanted {
            wrong.push(format!("{}: {} {warnings:?}", case["case"], row["message"]));
        }
    }
    assert!(cases.len() > 15 && wrong.is_empty(), "{}", wrong.join("\n"));
}

fn agrees(case: &Json) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, objects: &[&Json]| {
        let texts: Vec<String> = objects.iter().map(ToString::to_string).collect();
        std::fs::write(folder.path().join(name), texts.join("\n")).unwrap();
        folder.path().join(name).display().to_string()
    };
    let name = case["new"]["metadata"]["namespace"].as_str().unwrap_or("default");
    let namespace = json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": case["namespace"]},
    });
    let mut args =
        vec!["check".to_owned(), "-o".into(), "json".into(), "--validate".into(), "ignore".into()];
    let flags = [
        ("release", "--target-version"),
        ("behavior", "--behavior"),
        ("emulated", "--emulated-version"),
        ("gates", "--feature-gates"),
    ];
    for (key, flag) in flags {
        if let Some(value) = case["policy"][key].as_str() {
            args.extend([flag.to_owned(), value.to_owned()]);
        }
    }
    for plugin in case["policy"]["plugins"].as_array().into_iter().flatten() {
        args.extend(["--enable-admission-plugins".to_owned(), plugin.as_str().unwrap().to_owned()]);
    }
    if !case["old"].is_null() {
        args.extend(["--against".to_owned(), write("old.json", &[&case["old"]])]);
    }
    args.push(write("new.json", &[&case["new"]]));
    if !case["namespace"].is_null() {
        args.push(write("namespace.json", &[&namespace]));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let output = run(&args, "");
    let report: Json = serde_json::from_str(&output.stdout)
        .map_err(|error| format!("{error}: {} {}", output.stdout, output.stderr))?;
    let rows = report["objects"].as_array().unwrap();
    let row = rows.iter().find(|row| row["file"].as_str().unwrap().ends_with("new.json"));
    let message = row.map_or(&Json::Null, |row| &row["message"]);
    if *message != case["want"]["status"] {
        return Err(format!("the door says {message}"));
    }
    let findings = row.and_then(|row| row["findings"].as_array()).into_iter().flatten();
    let warnings: Vec<&Json> = findings
        .filter(|finding| finding["severity"] == "warning")
        .map(|finding| &finding["message"])
        .collect();
    let wanted: Vec<&Json> = case["want"]["warnings"].as_array().into_iter().flatten().collect();
    if warnings != wanted {
        return Err(format!("the door warns {warnings:?}"));
    }
    Ok(())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "yaml") {
            all.push(path);
        }
    }
    all.sort();
    all
}

fn json_of(node: &Node<'_>) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!(number),
        Value::Float(number) => json!(number),
        Value::Text(text) => json!(text),
        Value::List(items) => items.iter().map(json_of).collect(),
        Value::Map(entries) => {
            entries.iter().map(|entry| (entry.key.to_string(), json_of(&entry.node))).collect()
        }
    }
}
