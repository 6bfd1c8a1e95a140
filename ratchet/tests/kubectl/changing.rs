//! Tests of changes: `apply`, `diff`, `replace`, `edit`, `patch`, `label`, `annotate`, `scale`, `set`.

use super::console::Line;
use super::serving::Serving;

const PAINT: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: paint
data:
  color: red
  size: big
";

const BROKEN: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: broken}
spec:
  replicas: 1
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, imag: x}]}}
";

#[test]
fn apply_sends_what_differs_and_forgets_what_is_gone() {
    let (_serving, console) = Serving::start();
    console.file("paint.yaml", PAINT);
    console.file("small.yaml", &PAINT.replace("  size: big\n", "  shape: round\n"));
    console.file("broken.yaml", BROKEN);
    console.all_refused(&[("diff -f paint.yaml", "+  color: red")]);
    console.all_ok(&[
        ("apply -f paint.yaml --dry-run=server", "configmap/paint created (server dry run)"),
        ("apply -f paint.yaml", "configmap/paint created"),
        ("apply -f paint.yaml", "configmap/paint unchanged"),
        ("diff -f paint.yaml", ""),
    ]);
    console.all_refused(&[("diff -f small.yaml", "-  size: big\n")]);
    console.all_ok(&[
        ("apply -f small.yaml", "configmap/paint configured"),
        ("get cm paint -o jsonpath={.data}", r#"{"color":"red","shape":"round"}"#),
        ("apply view-last-applied cm paint", "shape: round"),
        ("apply set-last-applied -f paint.yaml", "configmap/paint configured"),
        ("replace -f paint.yaml", "configmap/paint replaced"),
        ("get cm paint -o jsonpath={.data}", r#"{"color":"red","size":"big"}"#),
        ("replace --force -f paint.yaml", "configmap/paint replaced"),
        ("delete -f paint.yaml", "configmap \"paint\" deleted"),
    ]);
    console.all_refused(&[
        ("replace -f paint.yaml", "configmaps \"paint\" not found"),
        ("apply -f broken.yaml", "unknown field \"spec.template.spec.containers[0].imag\""),
        (
            "apply -f broken.yaml --validate=false",
            "spec.template.spec.containers[0].image: Required value",
        ),
    ]);
}

#[test]
fn kustomize_and_prune_keep_a_folder_and_the_server_alike() {
    let (_serving, console) = Serving::start();
    console.file("k/paint.yaml", PAINT);
    console.file(
        "k/kustomization.yaml",
        "resources: [paint.yaml]\nnamePrefix: k-\nlabels:\n- pairs: {team: one}\n\
         configMapGenerator:\n- name: made\n  literals: [a=b]\n",
    );
    console.file(
        "other.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, labels: {team: one}}\n",
    );
    console.all_ok(&[
        ("apply -k k", "configmap/k-paint created"),
        ("apply -k k", "configmap/k-paint unchanged"),
        ("apply -f other.yaml", "created"),
        (
            "apply --prune -f other.yaml -l team=one --prune-allowlist=core/v1/ConfigMap",
            "configmap/k-paint pruned",
        ),
        ("get cm -l team=one -o name", "configmap/other\n"),
        ("delete -k k --ignore-not-found", ""),
    ]);
}

#[test]
fn an_editor_changes_an_object() {
    let (_serving, console) = Serving::start();
    console.ok("create configmap paint --from-literal=color=red");
    let script = console.file("editor", "sed -i 's/color: red/color: blue/' \"$1\"\n");
    let editor = format!("sh {}", script.display());
    let output = console.run_with("edit cm paint", &[("KUBE_EDITOR", &editor)]);
    assert!(output.code == 0 && output.text.contains("configmap/paint edited"), "{}", output.text);
    assert_eq!(console.ok("get cm paint -o jsonpath={.data.color}"), "blue");
    let output = console.run_with("edit cm paint", &[("KUBE_EDITOR", "true")]);
    assert!(output.text.contains("Edit cancelled, no changes made"), "{}", output.text);
}

const CHANGES: &[Line] = &[
    ("label cm paint a=b c=d", "configmap/paint labeled"),
    ("label cm paint a=x --overwrite", "configmap/paint labeled"),
    ("label cm paint a-", "configmap/paint unlabeled"),
    ("label cm --all z=y", "configmap/paint labeled"),
    ("annotate cm paint note='hello there'", "configmap/paint annotated"),
    (
        "get cm paint -o jsonpath={.metadata.labels}{.metadata.annotations.note}",
        r#"{"c":"d","z":"y"}hello there"#,
    ),
    ("annotate cm paint note-", "configmap/paint annotated"),
    ("patch cm paint -p '{\"data\":{\"new\":\"1\"}}'", "configmap/paint patched"),
    ("patch cm paint -p '{\"data\":{\"new\":\"1\"}}'", "configmap/paint patched (no change)"),
    (
        "patch cm paint --type=merge -p '{\"data\":{\"new\":null,\"m\":\"2\"}}'",
        "configmap/paint patched",
    ),
    (
        "patch cm paint --type=json -p '[{\"op\":\"test\",\"path\":\"/data/m\",\"value\":\"2\"},{\"op\":\"replace\",\"path\":\"/data/m\",\"value\":\"3\"}]'",
        "patched",
    ),
    ("get cm paint -o jsonpath={.data}", r#"{"color":"red","m":"3"}"#),
    (
        "patch deploy web -p '{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"side\",\"image\":\"busybox\"}]}}}}'",
        "patched",
    ),
    ("get deploy web -o jsonpath={.spec.template.spec.containers[*].name}", "side nginx"),
    (
        "patch deploy web -p '{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"side\",\"$patch\":\"delete\"}]}}}}'",
        "patched",
    ),
    (
        "get deploy web -o jsonpath={.spec.template.spec.containers[*].name}:{.metadata.generation}",
        "nginx:3",
    ),
    ("scale deploy web --replicas=4", "deployment.apps/web scaled"),
    ("scale deploy web --replicas=5 --current-replicas=4", "deployment.apps/web scaled"),
    ("get deploy web -o jsonpath={.spec.replicas}", "5"),
    ("set image deploy/web nginx=nginx:2", "deployment.apps/web image updated"),
    ("set env deploy/web A=B", "deployment.apps/web env updated"),
    ("set env deploy/web --list", "A=B"),
    ("set env deploy/web A-", "deployment.apps/web env updated"),
    (
        "set resources deploy web --limits=cpu=200m,memory=512Mi",
        "deployment.apps/web resource requirements updated",
    ),
    ("set serviceaccount deploy web robot", "deployment.apps/web serviceaccount updated"),
    ("set selector svc web app=other", "service/web selector updated"),
    (
        "set subject rolebinding reads --user=bob",
        "rolebinding.rbac.authorization.k8s.io/reads subjects updated",
    ),
    ("get rolebinding reads -o jsonpath={.subjects[*].name}", "jane bob"),
];

const REFUSED: &[Line] = &[
    ("label cm paint c=x", "--overwrite is false"),
    (
        "label cm paint long=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "must be no more than 63 ",
    ),
    (
        "patch cm paint --type=json -p '[{\"op\":\"test\",\"path\":\"/data/m\",\"value\":\"2\"}]'",
        "the server rejected our request due to an error in our request",
    ),
    (
        "patch cm paint --type=json -p '[{\"op\":\"remove\",\"path\":\"/data/zzz\"}]'",
        "the server rejected our request due to an error in our request",
    ),
    ("patch cm paint -p '{\"data\":'", "unexpected end of JSON input"),
    (
        "patch deploy web --type=merge -p '{\"spec\":{\"selector\":{\"matchLabels\":{\"app\":\"x\"}}}}'",
        "field is immutable",
    ),
    ("scale deploy web --replicas=1 --current-replicas=3", "Expected replicas to be 3, was 5"),
    (
        "patch svc web --type=merge -p '{\"spec\":{\"clusterIP\":\"10.96.9.9\"}}'",
        "may not change once set",
    ),
];

#[test]
fn every_sort_of_change_is_taken_and_every_sort_of_mistake_is_not() {
    let (_serving, console) = Serving::start();
    console.all_ok(&[
        ("create sa robot", ""),
        ("create configmap paint --from-literal=color=red", ""),
        ("create deployment web --image=nginx --replicas=2", ""),
        ("expose deployment web --port=80", ""),
        ("create role reader --verb=get --resource=pods", ""),
        ("create rolebinding reads --role=reader --user=jane", ""),
    ]);
    console.all_ok(CHANGES);
    console.all_refused(REFUSED);
}
