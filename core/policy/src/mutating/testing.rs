//! A merge that knows the built-in schemas, and helpers to apply policies in tests.

use super::*;
use crate::GroupVersionKind;
use crate::testing::{Cluster, alice, creation, map, node};
use alloc::format;
use alloc::string::String;
use ratchet_object::Value as Tree;
use ratchet_object::schema::{self, Shape};

impl ObjectInterfaces for Cluster {}

/// A merge that knows the built-in schemas: maps and lists with names are merged, other lists are atomic.
pub(super) struct Merge;

impl TypeConverter for Merge {
    fn merge(
        &self,
        kind: &GroupVersionKind<'_>,
        object: &Node<'_>,
        configuration: &Node<'_>,
    ) -> Result<Node<'static>, String> {
        let typed =
            |error: String| format!("failed to convert patch object to typed object: {error}");
        let row = schema::kind(kind.group, kind.version, kind.kind)
            .filter(|row| !row.subresource)
            .ok_or_else(|| typed(format!("no corresponding type for {kind}")))?;
        check(configuration, Shape::Object(row.ty), "").map_err(typed)?;
        let mut merged = object.clone().into_owned();
        merge_into(&mut merged, configuration, "").map_err(|path| {
            format!(
                "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {path}"
            )
        })?;
        Ok(merged)
    }
}

fn check(node: &Node<'_>, shape: Shape, path: &str) -> Result<(), String> {
    match (shape, &node.value) {
        (Shape::Object(ty), Tree::Map(entries)) => entries.iter().try_for_each(|entry| {
            let path = format!("{path}.{}", entry.key);
            let field = schema::type_of(ty).field(&entry.key);
            let field = field.ok_or_else(|| format!("{path}: field not declared in schema"))?;
            check(&entry.node, field.shape, &path)
        }),
        (Shape::Map(inner), Tree::Map(entries)) => entries
            .iter()
            .try_for_each(|entry| check(&entry.node, *inner, &format!("{path}.{}", entry.key))),
        (Shape::List(inner), Tree::List(items)) => {
            items.iter().try_for_each(|item| check(item, *inner, path))
        }
        (Shape::Object(_) | Shape::Map(_), Tree::Text(text)) => {
            Err(format!("{path}: expected map, got &{{{text}}}"))
        }
        (Shape::Object(_) | Shape::Map(_), Tree::Int(number)) => {
            Err(format!("{path}: expected map, got &{{{number}}}"))
        }
        (Shape::String, Tree::Int(number)) => {
            Err(format!("{path}: expected string, got &value.valueUnstructured{{Value:{number}}}"))
        }
        (Shape::Bytes, Tree::Int(number)) => {
            Err(format!("{path}: expected string, got &value.valueUnstructured{{Value:{number}}}"))
        }
        (Shape::Int32 | Shape::Int64, Tree::Text(_)) => {
            Err(format!("{path}: expected numeric (int or float), got string"))
        }
        _ => Ok(()),
    }
}

fn merge_into(target: &mut Node<'static>, patch: &Node<'_>, path: &str) -> Result<(), String> {
    match (&mut target.value, &patch.value) {
        (Tree::Map(_), Tree::Map(entries)) => {
            for entry in entries {
                let path = format!("{path}.{}", entry.key);
                if target.get(&entry.key).is_none() && !matches!(entry.node.value, Tree::List(_)) {
                    target.set(entry.key.clone().into_owned(), entry.node.clone().into_owned());
                    continue;
                }
                if target.get(&entry.key).is_none() {
                    target.set(entry.key.clone().into_owned(), Node::list(Vec::new()));
                }
                if let Some(member) = target.get_mut(&entry.key) {
                    merge_into(member, &entry.node, &path)?;
                }
            }
            Ok(())
        }
        (Tree::List(items), Tree::List(others)) => {
            for other in others {
                let name = other.text_at(&["name"]);
                if name.is_empty() {
                    return Err(path.to_string());
                }
                let same = items.iter_mut().find(|item| item.text_at(&["name"]) == name);
                match same {
                    Some(item) => merge_into(item, other, path)?,
                    None => items.push(other.clone().into_owned()),
                }
            }
            Ok(())
        }
        _ => {
            *target = patch.clone().into_owned();
            Ok(())
        }
    }
}

const RULES: &str = "resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [configmaps, pods], operations: [CREATE, UPDATE]}]";

pub(super) fn policy_named(name: &str, spec: &str) -> Arc<MutatingPolicy> {
    let constraints = match spec.contains("matchConstraints") {
        true => String::new(),
        false => format!("matchConstraints: {{{RULES}}},"),
    };
    let text = format!("{{metadata: {{name: {name}}}, spec: {{{constraints} {spec}}}}}");
    Arc::new(MutatingPolicy::compile(&node(&text), (1, 36)))
}

pub(super) fn binding_named(name: &str, policy: &str, spec: &str) -> Arc<Binding> {
    let text = format!("{{metadata: {{name: {name}}}, spec: {{policyName: {policy}, {spec}}}}}");
    Arc::new(Binding::from_object(&node(&text)))
}

pub(super) fn bound(policy_spec: &str, binding_spec: &str) -> MutatingPolicies {
    let policies = alloc::vec![policy_named("p", policy_spec)];
    MutatingPolicies::new(policies, alloc::vec![binding_named("b", "p", binding_spec)])
}

/// A YAML list of mutations: those that begin with `[` are JSON patches.
pub(super) fn mutations(expressions: &[&str]) -> String {
    let row = |text: &&str| {
        let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
        match text.starts_with('[') {
            true => format!("{{patchType: JSONPatch, jsonPatch: {{expression: \"{quoted}\"}}}}"),
            false => format!(
                "{{patchType: ApplyConfiguration, applyConfiguration: {{expression: \"{quoted}\"}}}}"
            ),
        }
    };
    let rows: Vec<String> = expressions.iter().map(row).collect();
    format!("mutations: [{}]", rows.join(", "))
}

pub(super) fn mutated(policies: &MutatingPolicies, object: &Node<'static>) -> MutationResult {
    let user = alice();
    let attributes = creation(&user, object);
    let mut reinvocation = ReinvocationContext::default();
    policies.mutate(&attributes, object.clone(), &Cluster, &Merge, &mut reinvocation)
}

/// The `data` of a ConfigMap with `k: '1'` after a policy, or the error.
pub(super) fn outcome(spec: &str, binding_spec: &str) -> Result<String, String> {
    let result = mutated(&bound(spec, binding_spec), &map("k: '1'"));
    match result.failure {
        None => Ok(result.object.get("data").map(Node::to_json).unwrap_or_default()),
        Some(MutationFailure::Denied(errors)) => {
            let texts: Vec<String> = errors
                .iter()
                .map(|error| format!("{}: {}", error.reason, error.message()))
                .collect();
            Err(texts.join("; "))
        }
        Some(MutationFailure::Internal(text)) => Err(format!("500: {text}")),
        Some(MutationFailure::MissingNamespace(name)) => Err(format!("404: {name}")),
    }
}

pub(super) fn data_after(expressions: &[&str]) -> Result<String, String> {
    outcome(&mutations(expressions), "")
}

pub(super) fn denied(words: &str) -> Result<String, String> {
    Err(format!("Invalid: policy 'p' with binding 'b' denied request: {words}"))
}
