//! Apply configurations of mutating admission policies: merged without any ownership.

use crate::path_element::PathElement;
use crate::schema::TypeRef;
use crate::typed::{Duplicates, merge, validate};
use crate::value::sorted;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{GroupVersionKind, Node, Value};

/// The object with what a policy's apply configuration says; or why it may not say it.
pub fn merge_configuration(
    object: &Node<'_>,
    config: &Node<'_>,
    ty: TypeRef<'_>,
) -> Result<Node<'static>, String> {
    let kind = |node| {
        let text = |name: &str| Node::text_at(node, &[name]);
        GroupVersionKind::from_api_version(text("apiVersion"), text("kind")).to_string()
    };
    if kind(object) != kind(config) {
        let (patch, original) = (kind(config), kind(object));
        return Err(format!(
            "patch ({patch}) and original object ({original}) are not of the same gvk"
        ));
    }
    validate(config, ty, Duplicates::Refused)
        .map_err(|error| format!("failed to convert patch object to typed object: {error}"))?;
    let mut atomics = Atomics::default();
    atomics.find(config, ty);
    if !atomics.found.is_empty() {
        let found = atomics.found.join(", ");
        return Err(format!(
            "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {found}"
        ));
    }
    validate(object, ty, Duplicates::Allowed)
        .map_err(|error| format!("failed to convert original object to typed object: {error}"))?;
    let mut merged = merge(object, config, ty);
    // The merge leaves them out; here they stay as they are.
    if let Some(managed) = object.get("metadata").and_then(|meta| meta.get("managedFields")) {
        merged.map_mut("metadata").set("managedFields", crate::value::owned(managed));
    }
    Ok(merged)
}

/// The paths of atomic values in a configuration: a policy that sets some of their parts would remove the others.
#[derive(Default)]
struct Atomics<'a> {
    path: Vec<PathElement<'a>>,
    found: Vec<String>,
}

impl<'a> Atomics<'a> {
    fn find(&mut self, node: &'a Node<'a>, ty: TypeRef<'a>) {
        let atom = ty.atom();
        match (&node.value, atom.map, atom.list) {
            (Value::Map(entries), Some(map), _) => {
                self.report(map.is_atomic);
                for entry in sorted(entries) {
                    if let Some(ty) = map.field(&entry.key) {
                        self.below(PathElement::Field(&entry.key), &entry.node, ty);
                    }
                }
            }
            (Value::List(items), _, Some(list)) => {
                self.report(list.is_atomic());
                for (index, item) in (0..).zip(items) {
                    self.below(PathElement::Index(index), item, list.items);
                }
            }
            _ => {}
        }
    }

    fn below(&mut self, element: PathElement<'a>, node: &'a Node<'a>, ty: TypeRef<'a>) {
        self.path.push(element);
        self.find(node, ty);
        self.path.pop();
    }

    fn report(&mut self, is_atomic: bool) {
        if is_atomic {
            self.found.push(self.path.iter().map(ToString::to_string).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode, schema};

    fn tree(text: &str) -> Node<'_> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0)
    }

    fn merged(config: &str) -> Result<String, String> {
        let object = tree(
            "{apiVersion: v1, kind: Pod, metadata: {name: x, managedFields: [{manager: m}]},
              spec: {containers: [{name: a, image: i, args: [b]}]}}",
        );
        let pod = TypeRef::built_in(schema::kind("", "v1", "Pod").unwrap().ty);
        merge_configuration(&object, &tree(config), pod).map(|object| object.to_json())
    }

    #[test]
    fn a_configuration_is_merged() {
        assert_eq!(
            merged(
                "{apiVersion: v1, kind: Pod, metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: j}]}}"
            )
            .as_deref(),
            Ok(
                r#"{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"b"},"name":"x","managedFields":[{"manager":"m"}]},"spec":{"containers":[{"args":["b"],"image":"j","name":"a"}]}}"#
            )
        );
    }

    #[test]
    fn what_a_configuration_may_not_say() {
        for (config, error) in [
            (
                "{apiVersion: v1, kind: Service}",
                "patch (/v1, Kind=Service) and original object (/v1, Kind=Pod) are not of the same gvk",
            ),
            (
                "{apiVersion: v1, kind: Pod, spec: {banana: 1}}",
                "failed to convert patch object to typed object: .spec.banana: field not declared in schema",
            ),
            (
                "{apiVersion: v1, kind: Pod, spec: {nodeSelector: {a: b}, containers: [{name: a, args: [c]}]}}",
                "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[0].args, .spec.nodeSelector",
            ),
        ] {
            assert_eq!(merged(config).unwrap_err(), error);
        }
    }
}
