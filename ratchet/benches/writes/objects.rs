//! The objects that are written: a pod of a hundred containers, definitions and a custom object of a hundred fields.

use serde_json::{Map, Value, json};

/// Where definitions are.
pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A pod of a hundred containers; the image is that of one of them.
pub(crate) fn pod(name: &str, image: &str) -> Value {
    let containers: Vec<Value> = (0..100)
        .map(|number| {
            json!({
                "name": format!("c{number}"),
                "image": if number == 50 { image } else { "i:1" },
                "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                "ports": [{"containerPort": 8000 + number}],
                "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
            })
        })
        .collect();
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"a": "b"}},
        "spec": {"containers": containers},
    })
}

fn group(number: usize) -> String {
    format!("g{number}.writes.example.com")
}

/// Where the objects of a definition are.
pub(crate) fn custom_objects(number: usize) -> String {
    format!("/apis/{}/v1/namespaces/default/widgets", group(number))
}

/// A definition with a hundred fields and some rules.
pub(crate) fn definition(number: usize, rules: usize) -> Value {
    let properties: Map<String, Value> = (0..100)
        .map(|field| (format!("field{field}"), json!({"type": "string", "maxLength": 64})))
        .collect();
    let rules: Vec<Value> = (0..rules)
        .map(|rule| json!({"rule": format!("!has(self.field{rule}) || self.field{rule}.size() < 60")}))
        .collect();
    let spec =
        json!({"type": "object", "properties": properties, "x-kubernetes-validations": rules});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    let group = group(number);
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("widgets.{group}")},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

/// An object of a definition, with all fields.
pub(crate) fn custom_object(number: usize) -> Value {
    let spec: Map<String, Value> =
        (0..100).map(|field| (format!("field{field}"), json!("some value"))).collect();
    json!({
        "apiVersion": format!("{}/v1", group(number)),
        "kind": "Widget",
        "metadata": {"name": "o"},
        "spec": spec,
    })
}
