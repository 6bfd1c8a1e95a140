//! kubectl in front of an extension server, as a person at a terminal would use it.

use super::flunders::GROUP;
use super::world::{World, exists, wait_for};
use std::process::Command;

fn kubectl(world: &World, line: &str) -> (bool, String) {
    let program = std::env::var("RATCHET_KUBECTL").unwrap_or_else(|_| "kubectl".to_owned());
    let kubeconfig = world.kubeconfig();
    assert!(exists(&kubeconfig));
    let output = Command::new(program)
        .args(line.split(' '))
        .env("KUBECONFIG", kubeconfig)
        .env("HOME", world.folder.path())
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn kubectl_knows_the_resources_of_an_extension_server() {
    let (world, _extension) = World::available("aggregated");
    wait_for(|| kubectl(&world, "api-resources").1.contains("flunders").then_some(()));
    let (_, text) = kubectl(&world, "api-resources");
    let line = text.lines().find(|line| line.starts_with("flunders")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words, ["flunders", "fl", &format!("{GROUP}/v1alpha1"), "true", "Flunder"]);
    let manifest = world.folder.path().join("flunder.yaml");
    let text = format!(
        "apiVersion: {GROUP}/v1alpha1\nkind: Flunder\nmetadata:\n  name: one\nspec:\n  reference: there\n"
    );
    std::fs::write(&manifest, text).unwrap();
    let (is_done, text) =
        kubectl(&world, &format!("create --validate=false -f {}", manifest.display()));
    assert!(is_done, "{text}");
    assert_eq!(text, format!("flunder.{GROUP}/one created\n"));
    let (_, text) = kubectl(&world, "get fl");
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines, [["NAME", "REFERENCE"], ["one", "there"]], "{text}");
    let (is_done, text) = kubectl(&world, "get fl one -o jsonpath={.spec.reference}");
    assert!(is_done && text == "there", "{text}");
    let (is_done, text) = kubectl(&world, "explain flunder");
    assert!(is_done && text.contains("A flunder of Wardle."), "{text}");
    let (_, text) = kubectl(&world, "get apiservices v1alpha1.wardle.example.com");
    let row: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[..3], ["v1alpha1.wardle.example.com", "wardle/api", "True"], "{text}");
    let (is_done, text) = kubectl(&world, "delete fl one --wait=false");
    assert!(is_done, "{text}");
}
