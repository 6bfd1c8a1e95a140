//! Fuzz target `mutation`: expressions of mutating policies are refused in words or applied, alike each time.

use ratchet_access::User;
use ratchet_fuzz::node;
use ratchet_object::{NoCluster, Node};
use ratchet_policy::{
    Attributes, Binding, GroupVersionKind, GroupVersionResource, MutatingPolicies, MutationFailure,
    Operation, Reader, ReinvocationContext, TypeConverter,
};
use std::sync::{Arc, LazyLock};

const WORDS: &[&str] = &[
    "Object{",
    "Object.metadata{",
    "Object.data{",
    "JSONPatch{",
    "op: ",
    "path: ",
    "from: ",
    "value: ",
    "'add'",
    "'remove'",
    "'test'",
    "'/data'",
    "'/data/k'",
    "'/metadata/labels'",
    "data: ",
    "metadata: ",
    "labels: ",
    "?labels: ",
    "optional.of(",
    "optional.none()",
    "{'a': 'b'}",
    "{'a': 1}",
    "{1: 2}",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    "'x'",
    "1",
    "1u",
    "1.5",
    "null",
    "b'x'",
    "duration('1s')",
    "timestamp(0)",
    "object",
    ".data",
    ".k",
    ".map(x, ",
    "x",
    " + ",
    " ? ",
    " : ",
    "true",
    "type(1)",
    "jsonpatch.escapeKey('a/b')",
    "quantity('1')",
];

/// A merge of the outermost members, which refuses numbers as text.
struct Merge;

impl TypeConverter for Merge {
    fn merge(
        &self,
        _: &GroupVersionKind<'_>,
        object: &Node<'_>,
        configuration: &Node<'_>,
    ) -> Result<Node<'static>, String> {
        let mut merged = object.clone().into_owned();
        for entry in configuration.entries() {
            if let Some(number) = entry.node.as_int() {
                return Err(format!(".{}: expected map, got &{{{number}}}", entry.key));
            }
            merged.set(entry.key.clone().into_owned(), entry.node.clone().into_owned());
        }
        Ok(merged)
    }
}

static READER: LazyLock<Reader> = LazyLock::new(|| Reader::new((1, 36)));

#[test]
fn mutation_anything() {
    ratchet_fuzz::fuzz!("mutation", WORDS, check);
}

fn check(text: &str) {
    for (patch_type, member) in
        [("ApplyConfiguration", "applyConfiguration"), ("JSONPatch", "jsonPatch")]
    {
        let mutation = Node::map([
            ("patchType", Node::string(patch_type)),
            (member, Node::map([("expression", Node::string(text.to_owned()))])),
        ]);
        let mut policy = node(
            "{metadata: {name: p}, spec: {matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [configmaps], operations: [CREATE]}]}}}",
        );
        policy.map_mut("spec").set("mutations", Node::list(vec![mutation]));
        let binding = node("{metadata: {name: b}, spec: {policyName: p}}");
        let policies = MutatingPolicies::new(
            vec![Arc::new(READER.mutating_policy(&policy))],
            vec![Arc::new(Binding::from_object(&binding))],
        );
        let once = applied(&policies);
        assert_eq!(once, applied(&policies), "alike each time");
    }
}

/// The object in the end, or why not, in words.
fn applied(policies: &MutatingPolicies) -> String {
    let object =
        node("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}, data: {k: v}}");
    let attributes = Attributes {
        operation: Operation::Create,
        kind: GroupVersionKind { group: "", version: "v1", kind: "ConfigMap" },
        resource: GroupVersionResource { group: "", version: "v1", resource: "configmaps" },
        subresource: "",
        name: "a",
        namespace: "b",
        object: Some(&object),
        old: None,
        options: None,
        user: &User::anonymous(),
        dry_run: false,
    };
    let mut reinvocation = ReinvocationContext::default();
    let result =
        policies.mutate(&attributes, object.clone(), &NoCluster, &Merge, &mut reinvocation);
    match result.failure {
        None => result.object.to_json(),
        Some(MutationFailure::Denied(errors)) => {
            errors.iter().map(|error| format!("{}\n", error.message())).collect()
        }
        Some(MutationFailure::Internal(text) | MutationFailure::MissingNamespace(text)) => text,
    }
}
