//! Evaluation time of compiled policies on one attempt.
#![allow(missing_docs, reason = "criterion's macros make functions")]

use criterion::{Criterion, criterion_group, criterion_main};
use ratchet_access::User;
use ratchet_object::{ClusterReader, Limits, Node, RestMapping, decode};
use ratchet_policy::{
    Attributes, Binding, GroupVersionKind, GroupVersionResource, Operation, Policies, Policy,
    PolicyContext, Reader,
};
use std::hint::black_box;
use std::sync::Arc;

struct Cluster(Node<'static>);

impl ClusterReader for Cluster {
    fn get(&self, _: &GroupVersionResource<'_>, _: &str, _: &str) -> Option<Node<'static>> {
        Some(self.0.clone())
    }

    fn list(&self, _: &GroupVersionResource<'_>, _: &str, _: usize) -> Vec<Node<'static>> {
        Vec::new()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}

impl PolicyContext for Cluster {}

fn node(text: &str) -> Node<'static> {
    let decoded = decode(text, Limits::DEFAULT).ok();
    let node = decoded.and_then(|mut decoded| decoded.documents.pop());
    node.map_or_else(Node::empty_map, Node::into_owned)
}

const OBJECT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: xylophone, namespace: shop, labels: {app: x}}
spec:
  replicas: 3
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}}
    spec:
      containers:
      - {name: a, image: 'registry.example.com/a:1', resources: {}}
      - {name: b, image: 'registry.example.com/b:1', resources: {}}
";

fn policy(reader: &Reader, resource: &str, expression: &str) -> Arc<Policy> {
    let text = format!(
        "{{metadata: {{name: p}}, spec: {{matchConstraints: {{resourceRules: [{{apiGroups: [apps], apiVersions: [v1], resources: [{resource}], operations: ['*']}}]}}, validations: [{{expression: \"{expression}\"}}]}}}}"
    );
    Arc::new(reader.policy(&node(&text)))
}

fn judge(criterion: &mut Criterion) {
    let cluster = Cluster(node("{metadata: {name: shop}, spec: {}, status: {phase: Active}}"));
    let (user, object) = (User { name: "alice".into(), ..User::default() }, node(OBJECT));
    let attributes = Attributes {
        operation: Operation::Create,
        kind: GroupVersionKind { group: "apps", version: "v1", kind: "Deployment" },
        resource: GroupVersionResource { group: "apps", version: "v1", resource: "deployments" },
        subresource: "",
        name: "xylophone",
        namespace: "shop",
        object: Some(&object),
        old: None,
        options: None,
        user: &user,
        dry_run: false,
    };
    let reader = Reader::new((1, 36));
    let two = "object.spec.replicas <= 5 && object.metadata.name.startsWith('x')";
    let images =
        "object.spec.template.spec.containers.all(c, c.image.startsWith('registry.example.com/'))";
    for (name, resource, expression) in [
        ("two clauses", "deployments", two),
        ("images", "deployments", images),
        ("other", "daemonsets", two),
    ] {
        let binding = Binding::from_object(&node(
            "{metadata: {name: b}, spec: {policyName: p, validationActions: [Deny]}}",
        ));
        let policies =
            Policies::new(vec![policy(&reader, resource, expression)], vec![Arc::new(binding)]);
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| black_box(policies.judge(black_box(&attributes), &cluster)).admits());
        });
    }
    criterion.bench_function("compile", |bencher| {
        bencher.iter(|| black_box(policy(&reader, "deployments", two)));
    });
    criterion.bench_function("nothing", |bencher| {
        let none = Policies::default();
        bencher.iter(|| black_box(none.judge(black_box(&attributes), &cluster)).admits());
    });
}

criterion_group!(benches, judge);
criterion_main!(benches);
