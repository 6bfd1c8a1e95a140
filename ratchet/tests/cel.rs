//! Tests of `ratchet cel`: evaluation of expressions, and messages for wrong ones.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

mod harness;

use harness::{Folder, Output, run, run_in};

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 7
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: c, image: i}]}
";

/// Evaluates an expression on the deployment.
fn cel(args: &[&str]) -> Output {
    let all = [&["cel", "-f", "-"], args].concat();
    run(&all, DEPLOYMENT)
}

/// The value of an expression, which must have one.
fn value(args: &[&str]) -> String {
    let output = cel(args);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{args:?}");
    output.stdout.strip_suffix('\n').unwrap().to_owned()
}

#[test]
fn values_are_written_as_they_are_or_as_json() {
    for (expression, text) in [
        ("object.spec.replicas <= 5", "false"),
        ("object.metadata.name", "web"),
        ("object.metadata.labels", "{\"app\":\"web\"}"),
        ("[dyn(1), dyn(2.5), dyn('x'), dyn(null), dyn(true)]", "[1,2.5,\"x\",null,true]"),
        ("{'a': [1], 'b': []}", "{\"a\":[1],\"b\":[]}"),
        ("object.spec.?nothing", "null"),
        ("duration('90m')", "5400s"),
        ("timestamp('2026-01-02T03:04:05Z')", "2026-01-02T03:04:05Z"),
        ("ip('192.0.2.1')", "192.0.2.1"),
        ("cidr('192.0.2.0/24')", "192.0.2.0/24"),
        ("type(1)", "int"),
        ("18446744073709551615u", "18446744073709551615"),
        ("-1 + 2", "1"),
    ] {
        assert_eq!(value(&[expression]), text, "{expression}");
    }
    assert_eq!(value(&["object.metadata.name", "-o", "json"]), "\"web\"");
    assert_eq!(value(&["object.metadata.labels", "-o", "yaml"]), "app: web");
}

#[test]
fn an_expression_needs_no_object() {
    let output = run(&["cel", "'a,b'.split(',')"], "");
    assert_eq!((output.code, output.stdout.as_str()), (0, "[\"a\",\"b\"]\n"));
    assert_eq!(run(&["cel", "object == null"], "").stdout, "true\n");
}

#[test]
fn it_sees_what_a_policy_sees() {
    for (expression, text) in [
        // Defaults are there.
        ("object.spec.strategy.type", "RollingUpdate"),
        ("request.operation", "CREATE"),
        ("request.resource.resource", "deployments"),
        ("request.userInfo.username", "kubernetes-admin"),
        ("request.namespace", "shop"),
        ("namespaceObject.metadata.labels", "{\"kubernetes.io/metadata.name\":\"shop\"}"),
        ("oldObject == null && params == null", "true"),
    ] {
        assert_eq!(value(&[expression]), text, "{expression}");
    }
    assert_eq!(value(&["request.operation", "--operation", "CONNECT"]), "CONNECT");
    assert_eq!(
        value(&["object == null && oldObject.spec.replicas == 7", "--operation", "delete"]),
        "true"
    );
    let jane = ["request.userInfo.groups", "--as", "jane", "--as-group", "dev"];
    assert_eq!(value(&jane), "[\"dev\",\"system:authenticated\"]");
}

#[test]
fn other_objects_come_from_files() {
    let folder = Folder::with(&[
        ("new.yaml", DEPLOYMENT),
        ("old.yaml", &DEPLOYMENT.replace("replicas: 7", "replicas: 2")),
        (
            "params.yaml",
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: p}, data: {most: '9'}}",
        ),
        (
            "ns.yaml",
            "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {tier: prod}}}",
        ),
    ]);
    let files = [
        "cel",
        "-f",
        "new.yaml",
        "--old",
        "old.yaml",
        "--params",
        "params.yaml",
        "--namespace-object",
        "ns.yaml",
    ];
    let expression = "string(object.spec.replicas - oldObject.spec.replicas) + params.data.most + namespaceObject.metadata.labels.tier + request.operation";
    let output = run_in(&folder.path(""), &[&files[..], &[expression]].concat(), b"", &[]);
    assert_eq!(output.stdout, "59prodUPDATE\n", "{}", output.stderr);
    let gone =
        run_in(&folder.path(""), &["cel", "--old", "old.yaml", "request.operation"], b"", &[]);
    assert_eq!(gone.stdout, "DELETE\n");
}

#[test]
fn variables_are_built_on_each_other() {
    let args =
        ["variables.b + 1", "--var", "a=object.spec.replicas * 2", "--var", "b=variables.a * 10"];
    assert_eq!(value(&args), "141");
    let output = cel(&["variables.a", "--var", "a=objct.spec"]);
    assert_eq!(output.code, 1);
    assert!(
        output.stderr.starts_with("variables.a does not compile:\nERROR: "),
        "{}",
        output.stderr
    );
    for bad in ["a", "=1", "1a=2"] {
        assert_eq!(cel(&["true", "--var", bad]).code, 2, "{bad}");
    }
}

#[test]
fn the_cost_is_told_beside_the_value() {
    let output = cel(&["object.spec.replicas <= 5", "--cost"]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "false\n"));
    let text: Vec<&str> = output.stderr.split_whitespace().collect();
    assert_eq!((text[0], text[2], text[3]), ("cost:", "of", "1000000"), "{}", output.stderr);
    assert!(text[1].parse::<u64>().unwrap() > 0, "{}", output.stderr);
}

#[test]
fn an_error_is_pointed_at_and_the_way_out_told() {
    for (expression, caret, error, help) in [
        ("objct.spec", 0, "undeclared reference to 'objct'", "did you mean `object`?"),
        (
            "object.metadata.name.startWith('a')",
            30,
            "undeclared reference to 'startWith'",
            "did you mean `startsWith`?",
        ),
        (
            "isIP(3)",
            4,
            "found no matching overload for 'isIP' applied to '(int)'",
            "it is called so: isIP(string): bool",
        ),
        ("1 + 'a'", 2, "found no matching overload for '_+_'", "convert with int()"),
        ("[1, 'a']", 4, "expected type 'int' but found 'string'", "wrap them in dyn()"),
        ("request.nam == ''", 7, "undefined field 'nam'", "did you mean `name`?"),
        ("object.spec.replicas = 5", 21, "Syntax error", "two values are compared with `==`"),
        ("object.spec.replcas", 12, "no such key: replcas", "did you mean `replicas`?"),
        ("object.spec.nothing", 12, "no such key: nothing", "`has(….nothing)`"),
    ] {
        let output = cel(&[expression]);
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{expression}");
        let stderr = &output.stderr;
        let source_line = format!(" | {expression}\n | {}^", ".".repeat(caret));
        assert!(stderr.starts_with("ERROR: <input>:1:"), "{expression}: {stderr}");
        assert!(stderr.contains(&source_line), "{expression}: {stderr}");
        assert!(stderr.contains(error), "{expression}: {stderr}");
        assert!(
            stderr.lines().any(|line| line.starts_with("help: ") && line.contains(help)),
            "{expression}: {stderr}"
        );
    }
}

#[test]
fn what_costs_too_much_is_stopped() {
    let list = "[0,1,2,3,4,5,6,7,8,9]";
    let nested = format!(
        "{list}.all(a, {list}.all(b, {list}.all(c, {list}.all(d, {list}.all(e, {list}.all(f, true))))))"
    );
    let output = run(&["cel", &nested], "");
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(output.stderr.contains("actual cost limit exceeded"), "{}", output.stderr);
    assert!(output.stderr.contains("help: look at less"), "{}", output.stderr);
}

#[test]
fn hostile_expressions_end_with_an_error() {
    let nested = format!("{}1{}", "(".repeat(5000), ")".repeat(5000));
    let chained = format!("object{}", ".a".repeat(20_000));
    for expression in [&nested, &chained, "", "\u{0}", "'", "é", "\"\\xff"] {
        let output = run(&["cel", &expression.replace('\u{0}', "\u{1}")], "");
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.stderr);
    }
}

#[test]
fn functions_are_those_of_the_release() {
    let expression = "semver('1.2.3').major()";
    assert_eq!(run(&["cel", expression], "").stdout, "1\n");
    let output = run(&["cel", expression, "--kubernetes-version", "1.32"], "");
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("`semver` is there since Kubernetes 1."), "{}", output.stderr);
    assert_eq!(run(&["cel", "true", "--target-version", "1.9"], "").code, 2);
}

#[test]
fn nobody_here_knows_who_may_do_what() {
    let output = cel(&["authorizer.path('/x').check('get').allowed()"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("help: nobody knows here who may do what"), "{}", output.stderr);
}

#[test]
fn bad_usage_and_unreadable_files_are_no_fault_of_the_expression() {
    for args in [
        &["cel"][..],
        &["cel", "true", "-f", "no/such/file"],
        &["cel", "true", "-f", "-", "--old", "-"],
        &["cel", "true", "--operation", "PATCH"],
        &["cel", "true", "-o", "xml"],
        &["cel", "true", "--as-group", "dev"],
    ] {
        let output = run(args, "");
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{args:?}: {}", output.stderr);
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
    for text in ["", "a: [", "a: 1\n---\nb: 2\n"] {
        let output = run(&["cel", "true", "-f", "-"], text);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{text:?}: {}", output.stderr);
    }
}

#[test]
fn help_tells_what_there_is() {
    let help = run(&["cel", "--help"], "").stdout;
    for text in ["namespaceObject", "Exit status", "--kubernetes-version", "--cost", "Examples:"] {
        assert!(help.contains(text), "{text}: {help}");
    }
}

#[test]
fn a_mutation_shows_what_it_makes_of_the_object() {
    let apply = "Object{spec: Object.spec{replicas: object.spec.replicas - 4}}";
    let changed: serde_json::Value = serde_json::from_str(&value(&["--mutation", apply])).unwrap();
    assert_eq!(changed.pointer("/spec/replicas"), Some(&3.into()));
    assert_eq!(changed.pointer("/metadata/name"), Some(&"web".into()));
    let patch = "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'c'}]";
    let changed: serde_json::Value = serde_json::from_str(&value(&["--mutation", patch])).unwrap();
    assert_eq!(changed.pointer("/metadata/labels/a~1b"), Some(&"c".into()));
    let wrong = cel(&["--mutation", "Object{spec: Object.spec{nope: 1}}"]);
    let why = "ERROR: error applying patch: failed to convert patch object to typed object: .spec.nope: field not declared in schema\n";
    assert_eq!((wrong.code, wrong.stderr.as_str()), (1, why));
    let plain = cel(&[apply]);
    assert_eq!(plain.code, 1, "other expressions make no objects: {}", plain.stderr);
}
