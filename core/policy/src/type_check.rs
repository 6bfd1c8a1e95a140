//! What is likely wrong with a policy's expressions, by the types of the objects that it is about.

use crate::KindName;
use crate::environment::Grounds;
use crate::matching::texts;
use crate::schema_types::SchemaTypes;
use crate::validate::STORED;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::{Environment, Type};
use ratchet_object::schema::{self, KindRow};
use ratchet_object::{Node, Value};

/// With how many types the expressions of one rule are checked at most.
const MOST_TYPES: usize = 10;

/// Something that is likely wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionWarning {
    /// Where: `spec.validations[0].expression`.
    pub field: String,
    /// What, with a line for every type.
    pub warning: String,
}

/// Checks validations and their messages against every type that the policy's rules name. Types whose fields are not
/// known say nothing.
pub fn type_check(policy: &Node<'_>) -> Vec<ExpressionWarning> {
    let kinds = kinds(policy);
    let items = |name| policy.find(&["spec", name]).map(Node::items).unwrap_or_default();
    let base = Environment::kubernetes(STORED);
    let of =
        |row: &&'static KindRow| (name_of(row), grounds(&base, policy, row, items("variables")));
    let grounds: Vec<(KindName<'_>, Grounds)> = kinds.iter().map(of).collect();
    let mut warnings = Vec::new();
    for (index, row) in items("validations").iter().enumerate() {
        for name in ["expression", "messageExpression"] {
            let text = row.text_at(&[name]);
            let found: Vec<String> = grounds
                .iter()
                .filter_map(|(kind, grounds)| {
                    let issues = grounds.check(text).err()?;
                    Some(format!("{kind}: {issues}\n"))
                })
                .collect();
            let is_there = name == "expression" || !text.is_empty();
            if is_there && !found.is_empty() {
                let field = format!("spec.validations[{index}].{name}");
                warnings.push(ExpressionWarning { field, warning: found.join("\n") });
            }
        }
    }
    warnings
}

/// The status that says so, for the generation that was looked at.
pub fn status(policy: &Node<'_>) -> Node<'static> {
    let generation = policy.find(&["metadata", "generation"]).and_then(Node::as_int).unwrap_or(0);
    let warnings: Vec<Node<'static>> = type_check(policy)
        .into_iter()
        .map(|found| {
            let (field, warning) = (Node::string(found.field), Node::string(found.warning));
            Node::map([("fieldRef", field), ("warning", warning)])
        })
        .collect();
    let checked = match warnings.is_empty() {
        true => Node::empty_map(),
        false => Node::map([("expressionWarnings", Node::list(warnings))]),
    };
    let mut status =
        policy.get("status").map_or_else(Node::empty_map, |node| node.clone().into_owned());
    if !matches!(status.value, Value::Map(_)) {
        status = Node::empty_map();
    }
    status.set("observedGeneration", Node::int(generation));
    status.set("typeChecking", checked);
    status
}

/// Whether nobody has looked at this generation of a policy yet.
pub fn is_unchecked(policy: &Node<'_>) -> bool {
    let number = |names: &[&str]| policy.find(names).and_then(Node::as_int).unwrap_or(0);
    number(&["metadata", "generation"]) > number(&["status", "observedGeneration"])
}

fn name_of(row: &KindRow) -> KindName<'static> {
    KindName { group: row.group, version: row.version, kind: row.kind }
}

/// What expressions may name where objects are of one kind.
fn grounds(
    base: &Environment,
    policy: &Node<'_>,
    row: &'static KindRow,
    variables: &[Node<'_>],
) -> Grounds {
    let wanted = policy.find(&["spec", "paramKind"]).filter(|node| !node.is_null());
    let params = wanted.and_then(|node| {
        let written = node.text_at(&["apiVersion"]);
        let (group, version) = written.split_once('/').unwrap_or(("", written));
        schema::kind(group, version, node.text_at(&["kind"]))
    });
    let types = SchemaTypes { object: row, params };
    let params = params.map(|row| types.root(row));
    let object: Type = types.root(row);
    let mut grounds = Grounds::new(base, wanted.is_some()).typed(object, params, Arc::new(types));
    for variable in variables {
        let ty = grounds.check(variable.text_at(&["expression"])).ok();
        grounds.declare(variable.text_at(&["name"]), ty.as_ref());
    }
    grounds
}

/// The kinds that a policy's rules name, in order; a rule that says `*` says nothing about types.
fn kinds(policy: &Node<'_>) -> Vec<&'static KindRow> {
    let rules = policy.find(&["spec", "matchConstraints", "resourceRules"]);
    let mut found: Vec<&'static KindRow> = Vec::new();
    for rule in rules.map(Node::items).unwrap_or_default() {
        let list = |name: &str| {
            let mut list = texts(rule.get(name));
            list.sort_unstable();
            list
        };
        let (groups, versions) = (list("apiGroups"), list("apiVersions"));
        if groups.iter().chain(&versions).any(|text| text.contains('*')) {
            continue;
        }
        let mut resources = list("resources");
        resources.retain(|text| !text.contains(['*', '/']));
        let mut count = 0;
        for row in named(&groups, &versions, &resources) {
            if !found.contains(&row) {
                found.push(row);
            }
            count += 1;
            if count == MOST_TYPES {
                found.sort_unstable_by_key(|row| name_of(row));
                return found;
            }
        }
    }
    found.sort_unstable_by_key(|row| name_of(row));
    found
}

/// The kinds of these names. To the mapper of the reference no group is any group.
fn named(groups: &[String], versions: &[String], resources: &[String]) -> Vec<&'static KindRow> {
    let mut rows = Vec::new();
    for group in groups {
        for version in versions {
            for resource in resources {
                rows.extend(schema::KINDS.iter().filter(|row| {
                    !row.subresource
                        && (group.is_empty() || row.group == group)
                        && (row.version, row.plural) == (version, resource)
                }));
            }
        }
    }
    rows
}
