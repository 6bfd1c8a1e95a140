//! Estimates of whole expressions, on both sides of what the reference accepts.

use crate::decl::{DeclField, DeclKind, DeclType, Fields, SelfTypes, Topology};
use crate::{CostEstimate, Environment};
use alloc::sync::Arc;

fn estimate(root: &Arc<DeclType>, rule: &str) -> CostEstimate {
    let types = SelfTypes::new(root.clone());
    let ty = types.self_type().expect("a type");
    let environment = Environment::kubernetes((1, 36)).with("self", ty).with_types(Arc::new(types));
    let (_, cost) = environment.compile_with_cost(rule, root).expect(rule);
    cost
}

fn text(length: u64) -> DeclType {
    DeclType::sized(DeclKind::String, length, 2)
}

fn list(items: DeclType, length: u64) -> DeclType {
    let kind = DeclKind::List { items: Arc::new(items), topology: Topology::Atomic };
    DeclType::sized(kind, length, 2)
}

fn object(fields: &[(&str, DeclType)]) -> DeclType {
    let fields = fields.iter().map(|(name, ty)| DeclField::new(name, Arc::new(ty.clone())));
    DeclType::scalar(DeclKind::Object(Fields::new(fields.collect())), 2)
}

#[test]
fn costs_follow_the_sizes_of_the_declaration() {
    let root = Arc::new(object(&[
        ("s", text(40)),
        ("l", list(text(40), 10)),
        ("n", DeclType::scalar(DeclKind::Int, 1)),
    ]));
    let cases = [
        ("true", 0),
        ("self.n > 1", 3),
        ("self.n == 1", 2),
        ("self.s == 'abc'", 3),
        ("self.s.startsWith('abcdefghijk')", 4),
        ("self.s.matches('^a+b+c+$')", 12),
        ("self.l.all(x, x == 'a')", 53),
        ("has(self.s)", 1),
        ("size(self.l) < 3", 4),
        ("self.l.join(',').size() > 1", 45),
        ("'a' in self.l", 12),
        ("type(self.n) == int", 4),
        ("type(self.n) == google.protobuf.Duration", 4),
    ];
    for (rule, max) in cases {
        assert_eq!(estimate(&root, rule).max, max, "{rule}");
    }
}

#[test]
fn lists_are_compared_with_themselves() {
    let root = Arc::new(object(&[("l", list(text(40), 10)), ("n", list(text(40), 100))]));
    for (rule, range) in [
        ("self.l.sort() == self.l", 221..=250),
        ("self.l.distinct() == self.l", 211..=240),
        ("self.l.slice(0, 3) == self.l", 14..=20),
        ("self.l.reverse() == self.l", 21..=30),
        ("sets.contains(self.l, self.n)", 1001..=1010),
        ("sets.equivalent(self.l, self.n)", 2001..=2010),
        ("lists.range(5).size() > 1", 16..=25),
    ] {
        let cost = estimate(&root, rule).max;
        assert!(range.contains(&cost), "{rule}: {cost}");
    }
}

#[test]
fn nested_loops_multiply() {
    let root = Arc::new(list(text(400), 1000));
    let cost = estimate(&root, "self.all(x, self.exists_one(y, x == y))").max;
    assert!((43_000_000..45_000_000).contains(&cost), "{cost}");
    let small = Arc::new(list(text(40), 20));
    assert!(estimate(&small, "self.all(x, self.exists_one(y, x == y))").max < 10_000);
}

#[test]
fn what_is_not_declared_has_no_bound() {
    let root = Arc::new(text(40));
    assert!(estimate(&root, "string(size(self)).contains(self)").max > 1 << 60);
}
