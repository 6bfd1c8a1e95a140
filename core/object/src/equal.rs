//! Equality of values as the API server compares them: by Go type, not by spelling.

use crate::base64;
use crate::path::Step;
use crate::proto::{Emptiness, Timestamp, emptiness};
use crate::quantity::Quantity;
use crate::schema::{self, Shape};
use crate::{Members, Node, Value};
use core::cmp::Ordering;

/// The two comparisons of Go values that the API server uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equality {
    /// `equality.Semantic.DeepEqual`: empty lists and maps equal absent ones.
    Semantic,
    /// `reflect.DeepEqual`: empty lists and maps differ from absent ones.
    Reflect,
}

/// Go's type of one field of an object: its shape, and whether it is a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    shape: Shape,
    is_pointer: bool,
}

impl Slot {
    /// A field without a schema: only the same value is equal.
    pub const UNKNOWN: Self = Self { shape: Shape::Any, is_pointer: true };

    /// The slot of a whole object, by its `apiVersion` and `kind`.
    #[must_use]
    pub fn of_object(object: &Node<'_>) -> Self {
        let api_version = object.text_at(&["apiVersion"]);
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        let row = schema::kind(group, version, object.text_at(&["kind"]));
        row.map_or(Self::UNKNOWN, |row| Self::value(Shape::Object(row.ty)))
    }

    const fn value(shape: Shape) -> Self {
        Self { shape, is_pointer: false }
    }

    /// The slot of the member `name`.
    #[must_use]
    pub fn member(self, name: &str) -> Self {
        match self.shape {
            Shape::Object(type_index) => {
                let Some(field) = schema::type_of(type_index).field(name) else {
                    return Self::UNKNOWN;
                };
                let is_pointer = matches!(
                    emptiness(type_index, name),
                    Emptiness::Pointer | Emptiness::NullPointer
                );
                Self { shape: field.shape, is_pointer }
            }
            Shape::Map(inner) => Self::value(*inner),
            _ => Self::UNKNOWN,
        }
    }

    /// The slot of a list item or map value.
    #[must_use]
    pub fn item(self) -> Self {
        match self.shape {
            Shape::List(inner) => Self::value(*inner),
            _ => Self::UNKNOWN,
        }
    }

    /// The slot one step further down.
    pub(crate) fn step(self, step: Step<'_>) -> Self {
        match step {
            Step::Field(name) | Step::Key(name) => self.member(name),
            Step::Index(_) => self.item(),
        }
    }

    /// Whether two values, either of which may be absent, are equal in this slot.
    #[must_use]
    pub fn equal(
        self,
        one: Option<&Node<'_>>,
        other: Option<&Node<'_>>,
        equality: Equality,
    ) -> bool {
        let set = |node: &&Node<'_>| !node.is_null();
        match (one.filter(set), other.filter(set)) {
            (None, None) => true,
            (Some(one), Some(other)) => equal_values(self.shape, one, other, equality),
            (Some(node), None) | (None, Some(node)) => {
                !self.is_pointer && is_zero(self.shape, node, equality)
            }
        }
    }
}

/// Whether the values at the path `names` are equal in two objects of the first one's kind.
#[must_use]
pub fn equal_at(one: &Node<'_>, other: &Node<'_>, names: &[&str], equality: Equality) -> bool {
    let slot = names.iter().fold(Slot::of_object(one), |slot, name| slot.member(name));
    slot.equal(one.find(names), other.find(names), equality)
}

fn equal_values(shape: Shape, one: &Node<'_>, other: &Node<'_>, equality: Equality) -> bool {
    let shape = resolve(shape, one);
    match (shape, &one.value, &other.value) {
        (Shape::Object(_), Value::Map(entries), Value::Map(others)) => {
            let slot = |name: &str| Slot::value(shape).member(name);
            entries.iter().all(|entry| {
                slot(&entry.key).equal(Some(&entry.node), other.get(&entry.key), equality)
            }) && others.iter().all(|entry| {
                one.get(&entry.key).is_some()
                    || slot(&entry.key).equal(None, Some(&entry.node), equality)
            })
        }
        (Shape::List(inner), Value::List(items), Value::List(others)) => {
            items.len() == others.len()
                && items
                    .iter()
                    .zip(others)
                    .all(|(one, other)| Slot::value(*inner).equal(Some(one), Some(other), equality))
        }
        (Shape::Map(inner), Value::Map(entries), Value::Map(others)) => {
            let mut members = Members::new(others);
            entries.len() == others.len()
                && entries.iter().all(|entry| {
                    members.get(&entry.key).is_some_and(|other| {
                        Slot::value(*inner).equal(Some(&entry.node), Some(other), equality)
                    })
                })
        }
        (Shape::Quantity, ..) => match (Quantity::of(one), Quantity::of(other)) {
            (Some(one), Some(other)) => one.compare(other) == Ordering::Equal,
            _ => one == other,
        },
        (Shape::Bytes, Value::Text(a), Value::Text(b)) => {
            one == other || base64::decode(a).is_ok_and(|a| base64::decode(b) == Ok(a))
        }
        (Shape::Time | Shape::MicroTime, Value::Text(a), Value::Text(b)) => {
            one == other || Timestamp::parse(a).is_some_and(|a| Timestamp::parse(b) == Some(a))
        }
        _ => one == other,
    }
}

/// The shape of a value that may have one of several.
fn resolve(shape: Shape, node: &Node<'_>) -> Shape {
    match shape {
        Shape::OneOf(shapes) => Shape::alternative(shapes, &node.value).copied(),
        shape => Some(shape),
    }
    .unwrap_or(Shape::Any)
}

/// Whether a value is the zero value of its Go type.
fn is_zero(shape: Shape, node: &Node<'_>, equality: Equality) -> bool {
    let is_semantic = equality == Equality::Semantic;
    match (shape, &node.value) {
        (_, Value::Null) => true,
        (Shape::Object(_), Value::Map(entries)) => entries.iter().all(|entry| {
            Slot::value(shape).member(&entry.key).equal(Some(&entry.node), None, equality)
        }),
        (Shape::List(_), Value::List(items)) => is_semantic && items.is_empty(),
        (Shape::Map(_), Value::Map(entries)) => is_semantic && entries.is_empty(),
        (Shape::Quantity, _) => Quantity::of(node).is_some_and(Quantity::is_zero),
        (Shape::String, Value::Text(text)) => text.is_empty(),
        (Shape::Bytes, Value::Text(text)) => is_semantic && text.is_empty(),
        (Shape::Bool, Value::Bool(truth)) => !truth,
        (Shape::Float, Value::Float(number)) => *number == 0.0,
        (Shape::Int32 | Shape::Int64 | Shape::Float | Shape::IntOrString, Value::Int(number)) => {
            *number == 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    /// Whether two specs of a kind are equal to either comparison.
    fn equal(kind: &str, one: &str, other: &str) -> (bool, bool) {
        let whole = |spec: &str| node(&alloc::format!("{{{kind}, spec: {spec}}}"));
        let (one, other) = (whole(one), whole(other));
        let equal = |equality| {
            let is = equal_at(&one, &other, &["spec"], equality);
            assert_eq!(is, equal_at(&other, &one, &["spec"], equality), "either way round");
            is
        };
        (equal(Equality::Semantic), equal(Equality::Reflect))
    }

    const POLICY: &str = "apiVersion: networking.k8s.io/v1, kind: NetworkPolicy";
    const POD: &str = "apiVersion: v1, kind: Pod";

    #[test]
    fn a_pointer_to_nothing_is_not_no_pointer() {
        let rules = ["[{from: [{podSelector: {}}]}]", "[{from: [{namespaceSelector: {}}]}]"];
        let [one, other] = rules.map(|rules| alloc::format!("{{ingress: {rules}}}"));
        assert_eq!(equal(POLICY, &one, &other), (false, false));
        assert_eq!(equal(POD, "{securityContext: {}}", "{}"), (false, false));
        assert_eq!(equal(POD, "{terminationGracePeriodSeconds: 0}", "{}"), (false, false));
        assert_eq!(equal(POD, "{securityContext: null}", "{}"), (true, true));
    }

    #[test]
    fn what_has_no_pointer_equals_its_zero() {
        assert_eq!(equal(POD, "{hostNetwork: false, nodeName: ''}", "{}"), (true, true));
        assert_eq!(
            equal(POD, "{containers: [{resources: {}}]}", "{containers: [{}]}"),
            (true, true)
        );
        assert_eq!(equal(POLICY, "{podSelector: {}}", "{}"), (true, true));
        assert_eq!(equal(POD, "{containers: [null]}", "{containers: [{name: ''}]}"), (true, true));
    }

    #[test]
    fn empty_lists_and_maps_are_what_the_two_comparisons_differ_in() {
        assert_eq!(equal(POLICY, "{ingress: []}", "{}"), (true, false));
        assert_eq!(equal(POLICY, "{podSelector: {matchLabels: {}}}", "{}"), (true, false));
        assert_eq!(equal(POLICY, "{ingress: [{}]}", "{ingress: []}"), (false, false));
    }

    #[test]
    fn an_entry_of_a_map_is_there_even_if_it_is_empty() {
        assert_eq!(equal(POD, "{nodeSelector: {a: ''}}", "{nodeSelector: {}}"), (false, false));
        assert_eq!(
            equal(POD, "{nodeSelector: {a: ''}}", "{nodeSelector: {a: null}}"),
            (true, true)
        );
        assert_eq!(
            equal(POD, "{nodeSelector: {a: ''}}", "{nodeSelector: {b: ''}}"),
            (false, false)
        );
    }

    #[test]
    fn amounts_times_and_bytes_are_compared_by_what_they_mean() {
        let limits =
            |memory: &str| alloc::format!("{{resources: {{limits: {{memory: {memory}}}}}}}");
        assert_eq!(equal(POD, &limits("1024"), &limits("1Ki")), (true, true));
        assert_eq!(equal(POD, &limits("1024"), &limits("1025")), (false, false));
        let lease = "apiVersion: coordination.k8s.io/v1, kind: Lease";
        let times = ["2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00.000000Z"];
        let [one, other] = times.map(|time| alloc::format!("{{renewTime: '{time}'}}"));
        assert_eq!(equal(lease, &one, &other), (true, true));
        let request = "apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest";
        assert_eq!(equal(request, "{request: YR==}", "{request: YQ==}"), (true, true));
    }

    #[test]
    fn what_no_schema_knows_is_compared_as_it_is_written() {
        let thing = "apiVersion: example.com/v1, kind: Thing";
        assert_eq!(equal(thing, "{a: []}", "{}"), (false, false));
        assert_eq!(equal(thing, "{a: {b: 1, c: ''}}", "{a: {c: '', b: 1}}"), (true, true));
    }
}
