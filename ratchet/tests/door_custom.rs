//! Tests of `ratchet check` on custom objects: by the definitions in the input, in `--crds` and in `--against`.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]
#![allow(clippy::indexing_slicing, reason = "a helper of a test may fail like a test")]

mod harness;

use harness::{Folder, GOOD_SERVICE, Output};

/// A definition with this scope, these versions and this conversion.
fn definition(scope: &str, versions: &str, conversion: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  scope: {scope}
  names: {{plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}}
  conversion: {conversion}
  versions: [{versions}]
"
    )
}

/// A served version with these properties of `spec`.
fn version(name: &str, storage: bool, properties: &str) -> String {
    format!(
        "{{name: {name}, served: true, storage: {storage}, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{{properties}}}}}}}}}}}}}"
    )
}

const SIZE: &str = "size: {type: integer, default: 3, x-kubernetes-validations: [{rule: self < 5, message: too big}]}";

fn simple() -> String {
    definition("Namespaced", &version("v1", true, SIZE), "{strategy: None}")
}

/// A Widget with this spec.
fn widget(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec: {spec}\n")
}

const TOO_BIG: &str = "RTC-API-014 spec.size: Invalid value: 7: too big";

fn update(folder: &Folder, args: &[&str]) -> Output {
    folder.json(&[&["--against", "old", "new"], args].concat())
}

#[test]
fn definitions_of_the_input_hold_wherever_they_stand() {
    for (first, second) in [("a.yaml", "b.yaml"), ("b.yaml", "a.yaml")] {
        let folder = Folder::with(&[(first, &simple()), (second, &widget("{size: 7}"))]);
        let output = folder.json(&["."]);
        assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
        assert_eq!(output.findings(), [format!("./{second}:5:14 {TOO_BIG}")]);
        assert_eq!(output.outcomes(), ["Widget a refused"]);
        assert_eq!(output.count("objects"), 2);
        let message = "Widget.example.com \"a\" is invalid: spec.size: Invalid value: 7: too big";
        assert_eq!(output.json()["objects"][0]["message"], message);
        assert!(!output.stderr.contains("--crds"), "{}", output.stderr);
    }
    let stream = format!("{}---\n{}", widget("{size: 7}"), simple());
    let output = Folder::with(&[]).feed(&["-o", "json", "-"], stream);
    assert_eq!(output.findings(), [format!("stdin:5:14 {TOO_BIG}")]);
}

#[test]
fn definitions_can_stand_apart() {
    let folder = Folder::with(&[
        ("crds/deep/widgets.yaml", &simple()),
        ("crds/other.yaml", GOOD_SERVICE),
        ("crds/template.yaml", "{{- include \"x\" . }}\n"),
        ("new/a.yaml", &widget("{size: 7}")),
    ]);
    let output = folder.json(&["--crds", "crds", "new"]);
    assert_eq!((output.code, output.count("objects")), (1, 1), "{}", output.stderr);
    assert_eq!(output.findings(), [format!("new/a.yaml:5:14 {TOO_BIG}")]);
    let output = folder.json(&["--crds", "crds/other.yaml", "--crds", "crds/deep", "new"]);
    assert_eq!(output.findings(), [format!("new/a.yaml:5:14 {TOO_BIG}")]);
    folder.write("new/a.yaml", widget("{size: 4}"));
    let output = folder.json(&["--crds", "crds", "new"]);
    assert_eq!((output.code, output.findings().len()), (0, 0), "{}", output.stdout);
}

#[test]
fn every_format_has_the_rule_and_the_place() {
    let folder = Folder::with(&[("crd.yaml", &simple()), ("a.yaml", &widget("{size: 7}"))]);
    for (format, parts) in [
        ("human", ["a.yaml:5:14", "too big", "RTC-API-014"]),
        ("yaml", ["a.yaml", "too big", "RTC-API-014"]),
        ("sarif", ["\"startLine\":5", "too big", "RTC-API-014"]),
        ("junit", ["a.yaml", "too big", "RTC-API-014"]),
        ("github", ["file=a.yaml,line=5", "too big", "RTC-API-014"]),
        ("markdown", ["a.yaml", "too big", "RTC-API-014"]),
    ] {
        let output = folder.check(&["-o", format, "a.yaml", "--crds", "crd.yaml"]);
        assert_eq!(output.code, 1, "{format}: {}", output.stderr);
        let text = output.stdout.replace("\": ", "\":");
        for part in parts {
            assert!(text.contains(part), "{format}: {part}: {}", output.stdout);
        }
    }
}

#[test]
fn unknown_fields_have_their_places() {
    let folder = Folder::with(&[("crd.yaml", &simple())]);
    let text = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  sise: 3\n  size: 1\n  size: 2\n";
    folder.write("a.yaml", text);
    let crds = ["a.yaml", "--crds", "crd.yaml"];
    let output = folder.json(&crds);
    assert_eq!(output.code, 1);
    assert_eq!(
        output.findings(),
        [
            "a.yaml:7:3 RTC-API-008 duplicate field \"spec.size\"",
            "a.yaml:5:3 RTC-API-007 unknown field \"spec.sise\"",
        ]
    );
    let output = folder.json(&[&crds[..], &["--validate", "warn"]].concat());
    assert_eq!((output.code, output.count("warned")), (0, 1), "{}", output.stdout);
    let output = folder.json(&[&crds[..], &["--validate", "ignore"]].concat());
    assert_eq!((output.code, output.findings().len()), (0, 0), "{}", output.stdout);
    folder.write("a.yaml", text.replace("{name: a}", "{name: a, labels: [x]}"));
    let output = folder.json(&crds);
    assert_eq!(output.code, 1);
    let first = &output.findings()[0];
    assert!(first.starts_with("a.yaml:3:1 RTC-API-009 Widget in version \"v1\" cannot"), "{first}");
}

#[test]
fn without_a_definition_the_syntax_is_checked_and_a_note_says_so() {
    let folder = Folder::with(&[("a.yaml", &widget("{size: 7}")), ("b.yaml", &widget("{}"))]);
    let output = folder.json(&["."]);
    assert_eq!((output.code, output.findings().len()), (0, 0), "{}", output.stdout);
    let note = "note: only the syntax was checked of objects whose CustomResourceDefinition is missing: Widget.example.com (2); give definitions with --crds PATH";
    assert!(output.stderr.contains(note), "{}", output.stderr);
    folder.write("b.yaml", GOOD_SERVICE);
    folder.write("a.yaml", GOOD_SERVICE);
    assert_eq!(folder.json(&["."]).stderr, "");
}

#[test]
fn a_version_that_is_not_served_is_no_kind() {
    let versions = format!(
        "{}, {}",
        version("v1beta1", false, SIZE),
        version("v1", true, SIZE).replace("served: true", "served: false")
    );
    let text = definition("Namespaced", &versions, "{strategy: None}");
    let folder = Folder::with(&[("crd.yaml", &text), ("a.yaml", &widget("{}"))]);
    let output = folder.json(&["."]);
    assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
    assert_eq!(
        output.findings(),
        ["./a.yaml:2:7 RTC-API-011 no matches for kind \"Widget\" in version \"example.com/v1\""]
    );
    let hint = &output.json()["objects"][0]["findings"][0]["hint"];
    assert_eq!(hint, "its definition serves v1beta1");
}

#[test]
fn a_deprecated_version_is_warned_about() {
    let old = version("v1beta1", false, SIZE).replace("served:", "deprecated: true, served:");
    let versions = format!("{old}, {}", version("v1", true, SIZE));
    let folder =
        Folder::with(&[("crd.yaml", &definition("Namespaced", &versions, "{strategy: None}"))]);
    folder.write("a.yaml", widget("{}").replace("/v1", "/v1beta1"));
    let output = folder.json(&["."]);
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert_eq!(
        output.findings(),
        [
            "./a.yaml:1:13 RTC-API-005 example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"
        ]
    );
    folder.write("a.yaml", widget("{}"));
    assert_eq!(folder.json(&["."]).findings(), [""; 0]);
}

#[test]
fn a_definition_that_the_api_refuses_defines_nothing() {
    let refused = simple().replace("self < 5", "self <");
    let folder = Folder::with(&[("crd.yaml", &refused), ("a.yaml", &widget("{size: 7}"))]);
    let output = folder.json(&["."]);
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert_eq!(output.outcomes(), ["CustomResourceDefinition widgets.example.com refused"]);
    let note = "the API server refuses these definitions: Widget.example.com (./crd.yaml:1)";
    assert!(output.stderr.contains(note), "{}", output.stderr);

    let output = folder.json(&["a.yaml", "--crds", "crd.yaml"]);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{}", output.stderr);
    let place = "crd.yaml:9:";
    let name = "CustomResourceDefinition \"widgets.example.com\": spec.validation.openAPIV3Schema";
    assert!(output.stderr.contains(place) && output.stderr.contains(name), "{}", output.stderr);
    for (args, why) in [
        (["--crds", "a.yaml"], "no CustomResourceDefinition is there"),
        (["--crds", "none.yaml"], "none.yaml: No such file"),
    ] {
        let output = folder.json(&[&["a.yaml"], &args[..]].concat());
        assert_eq!(output.code, 2, "{args:?}");
        assert!(output.stderr.contains(why), "{args:?}: {}", output.stderr);
    }
}

#[test]
fn stored_values_may_stay_and_new_ones_may_not() {
    let folder = Folder::with(&[
        ("old/a.yaml", &widget("{size: 7}")),
        ("new/a.yaml", &widget("{size: 7}").replace("name: a", "name: a\n  labels: {x: z}")),
        ("new/crd.yaml", &simple()),
    ]);
    // The value did not change: the API server only warns.
    let output = update(&folder, &[]);
    assert_eq!((output.code, output.count("warned")), (0, 1), "{}", output.stdout);
    assert_eq!(output.findings(), [format!("new/a.yaml:6:14 {TOO_BIG}")]);
    folder.write("new/a.yaml", widget("{size: 8}"));
    let output = update(&folder, &[]);
    assert_eq!((output.code, output.count("refused")), (1, 1), "{}", output.stdout);
    // The default of the stored object is not a change either.
    folder.write("old/a.yaml", widget("{}"));
    folder.write("new/a.yaml", widget("{size: 3}"));
    folder.write("new/crd.yaml", simple().replace("self < 5", "self == oldSelf"));
    assert_eq!(update(&folder, &[]).code, 0);
    folder.write("new/a.yaml", widget("{size: 4}"));
    assert_eq!(update(&folder, &[]).code, 1);
}

#[test]
fn stored_definitions_count_after_those_that_are_given() {
    let strict = simple().replace("self < 5", "self < 4");
    let folder = Folder::with(&[
        ("old/crd.yaml", &strict),
        ("old/b.yaml", &widget("{}").replace("name: a", "name: b")),
        ("new/a.yaml", &widget("{size: 4}")),
        ("crd.yaml", &simple()),
    ]);
    let output = update(&folder, &[]);
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(output.findings()[0].contains("Invalid value: 4: too big"));
    assert_eq!(update(&folder, &["--crds", "crd.yaml"]).code, 0);
    folder.write("new/crd.yaml", simple());
    assert_eq!(update(&folder, &[]).code, 0);
    // The input counts before --crds.
    folder.write("crd.yaml", &strict);
    assert_eq!(update(&folder, &["--crds", "crd.yaml"]).code, 0);
    folder.commit();
    folder.write("new/a.yaml", widget("{size: 5}"));
    assert_eq!(folder.json(&["new", "--against", "git:HEAD"]).code, 1);
}

#[test]
fn a_definition_itself_is_an_update_too() {
    let folder = Folder::with(&[
        ("old/crd.yaml", &simple()),
        ("new/crd.yaml", &simple().replace("scope: Namespaced", "scope: Cluster")),
    ]);
    let output = update(&folder, &[]);
    assert_eq!(output.code, 0, "{}", output.stdout);
    let established = "status: {conditions: [{type: Established, status: \"True\", reason: a, message: b, lastTransitionTime: \"2020-01-01T00:00:00Z\"}], acceptedNames: {plural: widgets, kind: Widget}, storedVersions: [v1]}\n";
    folder.write("old/crd.yaml", simple() + established);
    let output = update(&folder, &[]);
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(
        output.findings()[0].contains("spec.scope: Invalid value: \"Cluster\": field is immutable")
    );
}

#[test]
fn versions_are_converted_unless_a_webhook_does_it() {
    let versions = format!("{}, {}", version("v1", false, SIZE), version("v2", true, SIZE));
    let folder = Folder::with(&[
        ("old/a.yaml", &widget("{size: 7}").replace("/v1", "/v2")),
        ("new/a.yaml", &widget("{size: 7}")),
        ("new/crd.yaml", &definition("Namespaced", &versions, "{strategy: None}")),
    ]);
    let output = update(&folder, &[]);
    assert_eq!((output.code, output.count("warned")), (0, 1), "{}", output.stdout);
    let webhook = "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: \"https://example.com\"}}}";
    folder.write("new/crd.yaml", definition("Namespaced", &versions, webhook));
    let output = update(&folder, &[]);
    assert_eq!((output.code, output.count("refused")), (1, 1), "{}", output.stdout);
    let note = "note: stored objects in versions that no webhook converts here count as new: Widget in example.com/v2";
    assert!(output.stderr.contains(note), "{}", output.stderr);
}

#[test]
fn scope_and_plural_come_from_the_definition() {
    let policy = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [gears]}]
  validations:
  - {expression: 'object.spec.size != 3 && !has(object.metadata.namespace)', message: 'no default'}
";
    let crd = definition("Cluster", &version("v1", true, SIZE), "{strategy: None}");
    let crd = crd.replace("widgets", "gears");
    let folder = Folder::with(&[
        ("policy.yaml", policy),
        ("crd.yaml", &crd),
        ("a.yaml", &widget("{}")),
        ("b.yaml", &widget("{size: 4}").replace("name: a", "name: b")),
    ]);
    let output = folder.json(&["a.yaml", "b.yaml", "crd.yaml", "--policies", "policy.yaml"]);
    assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
    assert_eq!(output.outcomes(), ["Widget a refused"], "{}", output.stdout);
    let message = output.json()["objects"][0]["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("gears.example.com \"a\" is forbidden: "), "{message}");
}

#[test]
fn exceptions_and_baselines_hold_for_custom_objects() {
    let folder = Folder::with(&[("crd.yaml", &simple()), ("a.yaml", &widget("{size: 7}"))]);
    let output = folder.json(&["a.yaml", "crd.yaml", "--write-baseline", "known.json"]);
    assert_eq!(output.code, 1);
    assert_eq!(folder.json(&["a.yaml", "crd.yaml", "--baseline", "known.json"]).code, 0);
    let excepted = "name: a\n  annotations: {ratchet/ignore: \"RTC-API-014: until May\"}";
    folder.write("a.yaml", widget("{size: 7}").replace("name: a", excepted));
    assert_eq!(folder.json(&["a.yaml", "crd.yaml"]).code, 0);
}

#[test]
fn hostile_definitions_and_objects_end() {
    // Deep schemas and deep objects.
    let depth = 60;
    let deep = format!(
        "a: {}{{type: string}}{}",
        "{type: object, properties: {a: ".repeat(depth),
        "}}".repeat(depth)
    );
    let crd = definition("Namespaced", &version("v1", true, &deep), "{strategy: None}");
    let object = widget(&format!("{}1{}", "{a: ".repeat(depth + 1), "}".repeat(depth + 1)));
    let folder = Folder::with(&[("crd.yaml", &crd), ("a.yaml", &object)]);
    let output = folder.json(&["."]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    // Patterns that are exponential for a backtracking matcher.
    let crd = definition(
        "Namespaced",
        &version("v1", true, "s: {type: string, pattern: '^(a+)+$'}"),
        "{strategy: None}",
    );
    folder.write("crd.yaml", crd);
    folder.write("a.yaml", widget(&format!("{{s: {}b}}", "a".repeat(100_000))));
    assert_eq!(folder.json(&["."]).code, 1);
    // Unknown fields without end.
    folder.write("crd.yaml", simple());
    let many: String = (0..20_000).map(|number| format!("  f{number}: 1\n")).collect();
    folder.write("a.yaml", widget(&format!("\n{many}")));
    let output = folder.json(&["."]);
    assert_eq!(output.code, 1);
    assert_eq!(output.findings().len(), 100);
    // An expression that would run for ever.
    let rule = "l: {type: array, maxItems: 1000, items: {type: integer}, x-kubernetes-validations: [{rule: 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))'}]}";
    let crd = definition("Namespaced", &version("v1", true, rule), "{strategy: None}");
    folder.write("crd.yaml", crd);
    let output = folder.json(&["."]);
    assert!(output.findings()[0].contains("cost"), "{:?}", output.findings().first());
}
