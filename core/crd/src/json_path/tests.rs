//! Paths as definitions write them.

use super::JsonPath;
use crate::testing::tree;
use alloc::string::String;

const OBJECT: &str = "{metadata: {name: a, annotations: {example.com/b: c}}, spec: {l: [{x: p, k: 1}, {x: q, k: 2}], a-b: dash, e: [], nothing: null, f: 1.5}, status: {conditions: [{type: Ready, status: 'True'}, {type: Other, status: 'False'}]}}";

fn first(path: &str) -> Option<String> {
    let object = tree(OBJECT);
    let path = JsonPath::parse(path).expect(path);
    path.first(&object).map(|found| found.node().to_json())
}

#[test]
fn values_are_found() {
    let cases = [
        (".metadata.name", Some("\"a\"")),
        (".metadata.annotations.example\\.com/b", Some("\"c\"")),
        (".metadata.annotations['example\\.com/b']", Some("\"c\"")),
        (".spec.a-b", Some("\"dash\"")),
        (".spec.l[0].x", Some("\"p\"")),
        (".spec.l[-1].x", Some("\"q\"")),
        (".spec.l[*].x", Some("\"p\"")),
        (".spec.l[1:].x", Some("\"q\"")),
        (".spec.l[?(@.x==\"q\")].k", Some("2")),
        (".spec.l[?(@.k>1)].x", Some("\"q\"")),
        (".status.conditions[?(@.type=='Ready')].status", Some("\"True\"")),
        (".status.conditions[?(@.type==\"None\")].status", None),
        (".spec.l[?(@.k)].x", Some("\"p\"")),
        ("..x", Some("\"p\"")),
        (".spec.nothing", Some("null")),
        (".spec.missing.deep", None),
        (".spec.l[7].x", None),
        (".spec.e[0]", None),
        (".metadata.name[0]", None),
        (".spec.l[?(@.k==\"1\")].x", None),
        (".spec.*", Some("[{\"x\":\"p\",\"k\":1},{\"x\":\"q\",\"k\":2}]")),
    ];
    for (path, expected) in cases {
        assert_eq!(first(path).as_deref(), expected, "{path}");
    }
}

#[test]
fn malformed_paths_are_refused() {
    for path in [".a[", ".a[x]", ".a[?(@.b]", ".a....b", ".a['b", "!", ".a[?(@.b==\"c)]", "range"] {
        assert_eq!(JsonPath::parse(path), None, "{path}");
    }
}
