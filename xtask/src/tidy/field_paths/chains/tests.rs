//! Tests of paths in snippets of source code.

use super::*;
use crate::tokens;

fn paths(text: &str) -> Vec<String> {
    of(&tokens::of(text)).iter().map(ToString::to_string).collect()
}

#[test]
fn calls_one_after_another_are_one_path() {
    assert_eq!(paths(r#"root.field("spec").field(name).items()"#), ["spec.*[]"]);
    assert_eq!(
        paths(r#"node.find(&["spec", "a"])?.get("b").text_at(&["c", d])"#),
        ["spec.a.b.c.*"]
    );
    assert_eq!(paths(r#"self.node().get("a").is_some_and(|x| x.get("b"))"#), ["a", "b"]);
    assert_eq!(paths(r#"new.map_mut("status").set("x", old.get("y"))"#), ["status.x", "y"]);
}

#[test]
fn functions_and_texts_name_paths_too() {
    assert_eq!(paths(r#"items(pod, &["spec", "volumes"])"#), ["spec.volumes"]);
    assert_eq!(paths(r#"other(pod, &["spec", "volumes"])"#), ["spec.volumes"]);
    assert_eq!(paths(r#"one_of(at, &["Always", "Never"])"#), Vec::<String>::new());
    assert_eq!(paths(r#"invalid("spec.ports[0].port")"#), ["spec.ports.*.port"]);
    let row = of(&tokens::of(r#""Service" "spec.clusterIP""#)).pop();
    assert_eq!(row.and_then(|path| path.kind), Some("Service"));
}

#[test]
fn a_variable_carries_its_path_on() {
    let text = r#"
        fn f(root: At) {
            let spec = root.field("spec");
            for port in spec.field("ports").items() { port.field("name"); }
            if let Some(x) = spec.get("x") { x.get("y"); }
            list.map(|spec| spec.field("z"));
        }
        fn g(spec: At) { spec.field("w"); }
    "#;
    assert_eq!(
        paths(text),
        ["spec", "spec.ports[]", "spec.ports[].name", "spec.x", "spec.x.y", "z", "w"]
    );
}

#[test]
fn what_is_no_access_to_a_member_is_left_alone() {
    for text in [
        r#"f.debug_struct("A").field("b", &c)"#,
        r#"list.get(0)"#,
        r#"map.get(&key)"#,
        r#"text.find("x")"#,
        r#"// node.get("x")"#,
        r#"list.find(|x| a && ["b", "c"].contains(x))"#,
    ] {
        assert_eq!(paths(text), Vec::<String>::new(), "{text}");
    }
}
