//! Expressions over trees with declared types.

use super::{DeclField, DeclKind, DeclType, Fields, SelfTypes, Topology};
use crate::{Activation, Budget, Environment, PER_CALL_LIMIT, Value};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_object::{Limits, Node, decode};

struct World<'t>(Value<'t>, Value<'t>);

impl<'t> Activation<'t> for World<'t> {
    fn variable(&self, name: &str) -> Option<Value<'t>> {
        match name {
            "self" => Some(self.0.clone()),
            "oldSelf" => Some(self.1.clone()),
            _ => None,
        }
    }
}

fn scalar(kind: DeclKind) -> DeclType {
    DeclType::scalar(kind, 1)
}

fn list(items: DeclType, topology: Topology) -> DeclType {
    scalar(DeclKind::List { items: Arc::new(items), topology })
}

fn object(fields: &[(&str, DeclType)]) -> DeclType {
    let fields = fields.iter().map(|(name, ty)| DeclField::new(name, Arc::new(ty.clone())));
    scalar(DeclKind::Object(Fields::new(fields.collect())))
}

fn declaration() -> Arc<DeclType> {
    let item = object(&[("k", scalar(DeclKind::String)), ("v", scalar(DeclKind::Int))]);
    let odd = object(&[("k.", scalar(DeclKind::String)), ("k!", scalar(DeclKind::String))]);
    let nullable = DeclType { nullable: true, ..scalar(DeclKind::Int) };
    Arc::new(object(&[
        ("a-b", scalar(DeclKind::Int)),
        ("namespace", scalar(DeclKind::String)),
        ("n", nullable.clone()),
        ("d", scalar(DeclKind::Double)),
        ("t", scalar(DeclKind::DateTime)),
        ("w", scalar(DeclKind::Duration)),
        ("b", scalar(DeclKind::Bytes)),
        ("i", scalar(DeclKind::IntOrString)),
        ("set", list(scalar(DeclKind::String), Topology::Set)),
        ("map", list(item, Topology::Map(["k".into()].into()))),
        ("odd", list(odd, Topology::Map(["k.".into(), "k!".into()].into()))),
        ("atoms", list(scalar(DeclKind::String), Topology::Atomic)),
        ("m", scalar(DeclKind::Map { values: Arc::new(nullable) })),
        ("x", scalar(DeclKind::Preserved)),
    ]))
}

fn tree(text: &str) -> Node<'_> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0)
}

fn result(new: &str, old: &str, rule: &str) -> String {
    let root = declaration();
    let types = SelfTypes::new(root.clone());
    let ty = types.self_type().unwrap();
    let environment = Environment::kubernetes((1, 36))
        .with("self", ty.clone())
        .with("oldSelf", ty)
        .with_types(Arc::new(types));
    let (new, old) = (tree(new), tree(old));
    let program = match environment.compile(rule) {
        Ok(program) => program,
        Err(issues) => return issues.issues.first().unwrap().message.clone(),
    };
    let world = World(root.value(&new), root.value(&old));
    match program.evaluate(&world, &mut Budget::new(PER_CALL_LIMIT)) {
        Ok(Value::Bool(truth)) => truth.to_string(),
        Ok(other) => format!("{other:?}"),
        Err(error) => error.message,
    }
}

#[test]
fn fields_have_their_declared_types() {
    let tree = "{a-b: 1, namespace: x, n: null, d: 2, t: '2024-01-02T03:04:05Z', w: 1 day, b: YWI=, i: 5%, m: {k: null, l: 3}, x: {}}";
    let cases = [
        ("self.a__dash__b == 1", "true"),
        ("self.namespace == 'x' && self.__namespace__ == 'x'", "true"),
        ("has(self.n)", "false"),
        ("self.n == 1", "no such key: n"),
        ("self.d == 2.0", "true"),
        ("self.t.getFullYear() == 2024", "true"),
        ("self.w == duration('24h')", "true"),
        ("self.b == b'ab'", "true"),
        ("type(self.i) == string && self.i.endsWith('%')", "true"),
        ("'k' in self.m && self.m['l'] == 3", "true"),
        ("self.m.all(k, k == 'k' || self.m[k] == 3)", "true"),
        ("self.x == self.x", "undefined field 'x'"),
        ("self.n == null", "found no matching overload for '_==_' applied to '(int, null)'"),
        ("size(self.m) == 2", "true"),
        ("self == oldSelf", "true"),
    ];
    for (rule, expected) in cases {
        assert_eq!(result(tree, tree, rule), expected, "{rule}");
    }
}

#[test]
fn data_that_does_not_fit_fails_where_it_is_used() {
    let tree = "{a-b: x, d: x, t: never, set: [1], m: 3}";
    let cases = [
        ("self.a__dash__b == 1", "invalid data, expected int, got string"),
        ("self.d > 1.0", "invalid data, expected float, got string"),
        ("has(self.t)", "Invalid date-time formatted string never"),
        ("self.t < timestamp('2024-01-02T03:04:05Z')", "Invalid date-time formatted string never"),
        ("self.set.all(x, x == 'a')", "invalid data, expected string, got int64"),
        (
            "size(self.m) == 1",
            "invalid data, expected a map for the provided schema with type=object",
        ),
    ];
    for (rule, expected) in cases {
        assert_eq!(result(tree, tree, rule), expected, "{rule}");
    }
}

#[test]
fn sets_and_keyed_lists_have_no_order() {
    let one = "{set: [a, b], atoms: [a, b], map: [{k: a, v: 1}, {k: b, v: 2}]}";
    let other = "{set: [b, a], atoms: [b, a], map: [{k: b, v: 2}, {k: a, v: 1}]}";
    let cases = [
        ("self.set == oldSelf.set", "true"),
        ("self.atoms == oldSelf.atoms", "false"),
        ("self.map == oldSelf.map", "true"),
        ("size(self.set + oldSelf.set) == 2", "true"),
        ("size(self.set + ['c', 'a']) == 3", "true"),
        ("(self.set + ['c']) == (['c'] + oldSelf.set)", "true"),
        ("(['c'] + oldSelf.set) == (self.set + ['c'])", "false"),
        ("(self.set + ['c']) == (oldSelf.set + ['c'])", "true"),
        ("size(self.map + oldSelf.map) == 2", "true"),
        ("size(self.atoms + oldSelf.atoms) == 4", "true"),
    ];
    for (rule, expected) in cases {
        assert_eq!(result(one, other, rule), expected, "{rule}");
    }
    // Keys are called as the tree calls them, even if no expression can.
    let one = "{odd: [{k.: a, k!: b}, {k.: c, k!: d}]}";
    let other = "{odd: [{k.: c, k!: d}, {k.: a, k!: b}]}";
    assert_eq!(result(one, other, "self.odd == oldSelf.odd"), "true");
    assert_eq!(result(one, other, "self.odd[0].k__dot__ == oldSelf.odd[1].k__dot__"), "true");
    let changed = "{odd: [{k.: c, k!: d}, {k.: a, k!: x}]}";
    assert_eq!(result(one, changed, "self.odd == oldSelf.odd"), "false");
    let one = "{set: [a, b], map: [{k: a, v: 1}, {k: b, v: 2}]}";
    let changed = "{map: [{k: a, v: 1}, {k: b, v: 3}], set: [a, c]}";
    assert_eq!(result(one, changed, "self.map == oldSelf.map"), "false");
    assert_eq!(result(one, changed, "self.set == oldSelf.set"), "false");
}

#[test]
fn large_objects_are_found_by_index() {
    let members: Vec<String> = (0..200).map(|n| format!("k{n}: {n}")).collect();
    let tree = format!("{{m: {{{}}}}}", members.join(", "));
    assert_eq!(result(&tree, &tree, "self.m['k199'] == 199 && self.m == oldSelf.m"), "true");
}
