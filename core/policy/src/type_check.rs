//! Type checking of a policy's expressions against the types that its rules name.

use crate::GroupVersionKind;
use crate::environment::PolicyEnvironment;
use crate::matching::strings;
use crate::schema_types::SchemaTypes;
use crate::validate::STORED;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::{Environment, Type};
use ratchet_object::schema::{self, KindRow};
use ratchet_object::{Node, Value};

/// The most types that the expressions of one rule are checked with.
const MAX_TYPES: usize = 10;

/// A type checking warning (`status.typeChecking.expressionWarnings`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionWarning {
    /// The field: `spec.validations[0].expression`.
    pub field: String,
    /// The warning, with a line for every type.
    pub warning: String,
}

/// Checks validations and their messages against every type that the policy's rules name. Types without known
/// fields give no warnings.
pub fn type_check(policy: &Node<'_>) -> Vec<ExpressionWarning> {
    let kinds = kinds(policy);
    let items = |name| policy.find(&["spec", name]).map(Node::items).unwrap_or_default();
    let base = Environment::kubernetes(STORED);
    let of = |row: &&'static KindRow| {
        (name_of(row), policy_environment(&base, policy, row, items("variables")))
    };
    let policy_environment: Vec<(GroupVersionKind<'_>, PolicyEnvironment)> =
        kinds.iter().map(of).collect();
    let mut warnings = Vec::new();
    for (index, row) in items("validations").iter().enumerate() {
        for name in ["expression", "messageExpression"] {
            let text = row.text_at(&[name]);
            let type_warnings: Vec<String> = policy_environment
                .iter()
                .filter_map(|(kind, policy_environment)| {
                    let issues = policy_environment.check(text).err()?;
                    Some(format!("{kind}: {issues}\n"))
                })
                .collect();
            let is_set = name == "expression" || !text.is_empty();
            if is_set && !type_warnings.is_empty() {
                let field = format!("spec.validations[{index}].{name}");
                warnings.push(ExpressionWarning { field, warning: type_warnings.join("\n") });
            }
        }
    }
    warnings
}

/// The status with the warnings, for the generation that was checked.
pub fn status(policy: &Node<'_>) -> Node<'static> {
    let generation = policy.metadata().generation().unwrap_or(0);
    let warnings: Vec<Node<'static>> = type_check(policy)
        .into_iter()
        .map(|expression_warning| {
            let (field, warning) =
                (Node::string(expression_warning.field), Node::string(expression_warning.warning));
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

/// Whether this generation of a policy has not been checked yet.
pub fn is_unchecked(policy: &Node<'_>) -> bool {
    let number = |names: &[&str]| policy.find(names).and_then(Node::as_int).unwrap_or(0);
    number(&["metadata", "generation"]) > number(&["status", "observedGeneration"])
}

fn name_of(row: &KindRow) -> GroupVersionKind<'static> {
    GroupVersionKind { group: row.group, version: row.version, kind: row.kind }
}

/// The environment of expressions whose objects are of one kind.
fn policy_environment(
    base: &Environment,
    policy: &Node<'_>,
    row: &'static KindRow,
    variables: &[Node<'_>],
) -> PolicyEnvironment {
    let param_kind = policy.find(&["spec", "paramKind"]).filter(|node| !node.is_null());
    let params = param_kind.and_then(|node| {
        let api_version = node.text_at(&["apiVersion"]);
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        schema::kind(group, version, node.text_at(&["kind"]))
    });
    let types = SchemaTypes { object: row, params };
    let params = params.map(|row| types.root(row));
    let object: Type = types.root(row);
    let mut policy_environment =
        PolicyEnvironment::new(base, param_kind.is_some()).typed(object, params, Arc::new(types));
    for variable in variables {
        let ty = policy_environment.check(variable.text_at(&["expression"])).ok();
        policy_environment.declare(variable.text_at(&["name"]), ty.as_ref());
    }
    policy_environment
}

/// The kinds that a policy's rules name, in order; a rule with `*` names none.
fn kinds(policy: &Node<'_>) -> Vec<&'static KindRow> {
    let rules = policy.find(&["spec", "matchConstraints", "resourceRules"]);
    let mut kind_rows: Vec<&'static KindRow> = Vec::new();
    for rule in rules.map(Node::items).unwrap_or_default() {
        let list = |name: &str| {
            let mut list = strings(rule.get(name));
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
        for row in kinds_named(&groups, &versions, &resources) {
            if !kind_rows.contains(&row) {
                kind_rows.push(row);
            }
            count += 1;
            if count == MAX_TYPES {
                kind_rows.sort_unstable_by_key(|row| name_of(row));
                return kind_rows;
            }
        }
    }
    kind_rows.sort_unstable_by_key(|row| name_of(row));
    kind_rows
}

/// The kinds of these names. To the reference's REST mapper an empty group is any group.
fn kinds_named(
    groups: &[String],
    versions: &[String],
    resources: &[String],
) -> Vec<&'static KindRow> {
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
