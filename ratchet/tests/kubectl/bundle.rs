//! A bundle of 45 objects, like a chart's, is applied twice, and the second time changes nothing.

use super::console::Console;
use super::serving::Serving;
use std::collections::BTreeMap;

const BUNDLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bundle");

/// Every object of the bundle with its version.
fn versions(console: &Console) -> BTreeMap<String, String> {
    let form = "-o jsonpath='{range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{\"\\n\"}{end}'";
    let text = console.ok(&format!("get -f {BUNDLE} {form}"));
    let pair = |line: &str| line.split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned()));
    text.lines().filter_map(pair).collect()
}

#[test]
fn a_bundle_is_applied_twice() {
    let (_serving, console) = Serving::start();
    let first = console.ok(&format!("apply -f {BUNDLE}"));
    assert!(first.lines().all(|line| line.ends_with(" created")), "{first}");
    assert_eq!(first.lines().count(), 45);
    let before = versions(&console);
    let second = console.ok(&format!("apply -f {BUNDLE}"));
    // kubectl always sends the selector of a budget, for its merge is a replacement; the server sees that it is the same.
    let rest = second.lines().filter(|line| !line.starts_with("poddisruptionbudget.policy/"));
    assert!(rest.clone().all(|line| line.ends_with(" unchanged")), "{second}");
    assert_eq!(rest.count(), 43);
    assert_eq!(versions(&console), before);
    let diff = console.run(&format!("diff -f {BUNDLE}"));
    assert_eq!(diff.code, 0, "{}", diff.text);
    // Everything can be deleted again.
    let third = console.ok(&format!("delete --wait=false -f {BUNDLE}"));
    assert_eq!(third.lines().filter(|line| line.contains(" deleted")).count(), 45, "{third}");
}
