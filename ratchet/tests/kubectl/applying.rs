//! Tests of server-side apply: `apply --server-side`, `--force-conflicts`, `diff --server-side`, and the way there from
//! client-side apply.

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

#[test]
fn managers_share_an_object_and_are_told_of_conflicts() {
    let (_serving, console) = Serving::start();
    console.file("paint.yaml", PAINT);
    console.file("blue.yaml", &PAINT.replace("red", "blue").replace("  size: big\n", ""));
    console.file("small.yaml", &PAINT.replace("  size: big\n", ""));
    console.all_refused(&[("diff --server-side -f paint.yaml", "+  color: red")]);
    console.all_ok(&[
        (
            "apply --server-side -f paint.yaml --dry-run=server",
            "configmap/paint serverside-applied (server dry run)",
        ),
        ("apply --server-side -f paint.yaml", "configmap/paint serverside-applied"),
        ("diff --server-side -f paint.yaml", ""),
        (
            "get cm paint -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields",
            "kubectl",
        ),
    ]);
    console.all_refused(&[
        (
            "apply --server-side --field-manager=other -f blue.yaml",
            "conflict with \"kubectl\": .data.color",
        ),
        (
            "diff --server-side --field-manager=other --force-conflicts -f blue.yaml",
            "+  color: blue",
        ),
    ]);
    console.all_ok(&[
        (
            "apply --server-side --field-manager=other --force-conflicts -f blue.yaml",
            "configmap/paint serverside-applied",
        ),
        ("get cm paint -o jsonpath={.data}", r#"{"color":"blue","size":"big"}"#),
        ("apply --server-side --force-conflicts -f small.yaml", "serverside-applied"),
        ("get cm paint -o jsonpath={.data}", r#"{"color":"red"}"#),
    ]);
}

#[test]
fn client_side_apply_is_taken_over() {
    let (_serving, console) = Serving::start();
    console.file("paint.yaml", PAINT);
    console.file("green.yaml", &PAINT.replace("red", "green").replace("  size: big\n", ""));
    console.all_ok(&[
        ("apply -f paint.yaml", "configmap/paint created"),
        ("apply --server-side -f green.yaml", "configmap/paint serverside-applied"),
        ("get cm paint -o jsonpath={.data}", r#"{"color":"green"}"#),
        (
            "get cm paint -o jsonpath={.metadata.managedFields[*].manager} --show-managed-fields",
            "kubectl",
        ),
        // What was applied last is kept for those who go back.
        ("apply -f paint.yaml", "configmap/paint configured"),
        ("get cm paint -o jsonpath={.data}", r#"{"color":"red","size":"big"}"#),
    ]);
}
