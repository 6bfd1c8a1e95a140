//! Rules on objects: messages, reasons, transitions, budgets.

use super::{Environments, Evaluation, RuleTree};
use crate::path::Path;
use crate::schema::JsonSchemaProps;
use crate::structural::Structural;
use crate::testing::{texts, tree};
use crate::value::Correlation;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Errors and warnings of an update, or of a create.
fn run(schema: &str, new: &str, old: Option<&str>) -> (Vec<String>, Vec<String>) {
    let props = JsonSchemaProps::decode(&tree(schema));
    let structural = Structural::compile(&props);
    let decl = Arc::new(structural.declare(true));
    let environments = Environments::of_release(36);
    let rules = RuleTree::compile(&props, &structural, &decl, &environments).expect("rules");
    let (new, old) = (tree(new), old.map(tree));
    let correlation = old.as_ref().map(|old| Correlation { new: &new, old, schema: &structural });
    let mut evaluation = Evaluation::default();
    evaluation.run(&rules, &structural, &new, old.as_ref(), correlation, &Path::NIL);
    let warnings = evaluation.warnings.iter().map(|warning| warning.text.clone()).collect();
    (texts(evaluation.errors), warnings)
}

fn errors(schema: &str, new: &str, old: Option<&str>) -> Vec<String> {
    run(schema, new, old).0
}

fn on(ty: &str, rules: &str) -> String {
    alloc::format!(
        "{{type: object, properties: {{f: {{{ty}, x-kubernetes-validations: [{rules}]}}, g: {{type: string}}}}}}"
    )
}

#[test]
fn messages() {
    let cases = [
        ("{rule: self > 5}", "f: Invalid value: 5: failed rule: self > 5"),
        ("{rule: self > 5, message: ' too small '}", "f: Invalid value: 5: too small"),
        (
            "{rule: self > 5, messageExpression: \"'got ' + string(self)\"}",
            "f: Invalid value: 5: got 5",
        ),
        ("{rule: self > 5, message: m, messageExpression: \"' '\"}", "f: Invalid value: 5: m"),
        (
            "{rule: self > 5, message: m, messageExpression: \"[''][self]\"}",
            "f: Invalid value: 5: m",
        ),
        ("{rule: self > 5, reason: FieldValueForbidden, message: nope}", "f: Forbidden: nope"),
        ("{rule: self > 5, reason: FieldValueRequired, message: nope}", "f: Required value: nope"),
        ("{rule: self > 5, reason: FieldValueDuplicate}", "f: Duplicate value: 5"),
        (
            "{rule: 10 / (self - 5) > 1}",
            "f: Invalid value: \"integer\": division by zero evaluating rule: 10 / (self - 5) > 1",
        ),
    ];
    for (rule, expected) in cases {
        assert_eq!(errors(&on("type: integer", rule), "{f: 5}", None), [expected], "{rule}");
        assert!(errors(&on("type: integer", rule), "{f: 7}", None).is_empty(), "{rule}");
    }
}

#[test]
fn objects_and_lists_are_not_shown_and_paths_are_added() {
    let object = on(
        "type: object, properties: {a: {type: integer}, b: {type: integer}}",
        "{rule: self.a <= self.b, message: order, fieldPath: .a}",
    );
    assert_eq!(errors(&object, "{f: {a: 2, b: 1}}", None), ["f.a: Invalid value: order"]);
    assert_eq!(
        errors(&object, "{f: {a: 2}}", None),
        ["f: Invalid value: \"object\": no such key: b evaluating rule: order"]
    );
    let map = on(
        "type: object, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}",
        "{rule: size(self) < 3}",
    );
    assert_eq!(
        errors(&map, "{f: {a: 1, b: 0}}", None),
        ["f[b]: Invalid value: 0: failed rule: self > 0"]
    );
    let list = on(
        "type: array, items: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}",
        "{rule: 'self.all(x, x < 3)', message: large}",
    );
    assert_eq!(
        errors(&list, "{f: [1, 0, 3]}", None),
        ["f: Invalid value: large", "f[1]: Invalid value: 0: failed rule: self > 0"]
    );
    let root = "{type: object, properties: {n: {type: integer}}, x-kubernetes-validations: [{rule: self.metadata.name == 'a'}]}";
    assert_eq!(
        errors(root, "{metadata: {name: b}}", None),
        ["<nil>: Invalid value: failed rule: self.metadata.name == 'a'"]
    );
}

#[test]
fn transitions_need_an_old_value() {
    let rule = on("type: string", "{rule: self == oldSelf, message: immutable}");
    assert!(errors(&rule, "{f: a}", None).is_empty());
    assert!(errors(&rule, "{f: a}", Some("{}")).is_empty());
    assert!(errors(&rule, "{f: a}", Some("{f: a}")).is_empty());
    assert_eq!(errors(&rule, "{f: b}", Some("{f: a}")), ["f: Invalid value: \"b\": immutable"]);
    let optional = on(
        "type: string",
        "{rule: oldSelf.hasValue() || self == 'first', optionalOldSelf: true, message: m}",
    );
    assert_eq!(errors(&optional, "{f: x}", None), ["f: Invalid value: \"x\": m"]);
    assert!(errors(&optional, "{f: x}", Some("{f: first}")).is_empty());
    let keyed = "{type: object, properties: {l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}, v: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf, message: shrunk}]}}}}}}";
    assert_eq!(
        errors(keyed, "{l: [{k: b, v: 1}, {k: a, v: 1}]}", Some("{l: [{k: a, v: 2}]}")),
        ["l[1].v: Invalid value: 1: shrunk"]
    );
}

#[test]
fn what_did_not_change_is_only_warned_of() {
    let rule = on("type: string", "{rule: self == 'a', message: must be a}");
    let (errors, warnings) = run(&rule, "{f: z, g: x}", Some("{f: z, g: y}"));
    assert!(errors.is_empty());
    assert_eq!(warnings, ["f: Invalid value: \"z\": must be a"]);
    let (errors, warnings) = run(&rule, "{f: y}", Some("{f: z}"));
    assert_eq!((errors.len(), warnings.len()), (1, 0));
    let atomic = on(
        "type: array, items: {type: string, x-kubernetes-validations: [{rule: self == 'a'}]}",
        "",
    );
    let (errors, warnings) = run(&atomic, "{f: [z], g: x}", Some("{f: [z], g: y}"));
    assert_eq!((errors.len(), warnings.len()), (0, 1));
    let (errors, _) = run(&atomic, "{f: [z, a]}", Some("{f: [z]}"));
    assert_eq!(errors.len(), 1);
}

#[test]
fn budgets_are_kept() {
    let rule = on(
        "type: array, items: {type: integer}",
        "{rule: 'self.all(a, self.all(b, a + b >= 0))'}, {rule: 'false'}",
    );
    let items: Vec<String> = (0..1000).map(|n: i32| n.to_string()).collect();
    let object = alloc::format!("{{f: [{}]}}", items.join(", "));
    assert_eq!(
        errors(&rule, &object, None),
        [
            "f: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.all(a, self.all(b, a + b >= 0))"
        ]
    );
    let rules = ["{rule: 'self.all(a, self.all(b, a + b >= 0))'}"; 40].join(", ");
    let rule = on("type: array, items: {type: integer}", &rules);
    let object = alloc::format!("{{f: [{}]}}", items[..300].join(", "));
    assert_eq!(
        errors(&rule, &object, None),
        [
            "f: Invalid value: \"array\": validation failed due to running out of cost budget, no further validation rules will be run"
        ]
    );
}
