//! Type checking of a policy's expressions against the types that its rules name.

use crate::GroupVersionKind;
use crate::environment::PolicyEnvironment;
use crate::matching::strings;
use crate::policy_types::{KindSchema, PolicyTypes};
use crate::served_kinds::ServedKinds;
use crate::validate::STORED;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::{Environment, Type};
use ratchet_object::schema;
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

/// Checks validations and their messages against every type that the policy's rules name, built in or served in
/// another way. Types without known fields give no warnings.
pub fn type_check(policy: &Node<'_>, served: &ServedKinds) -> Vec<ExpressionWarning> {
    let items = |name| policy.find(&["spec", name]).map(Node::items).unwrap_or_default();
    let base = Environment::kubernetes(STORED);
    let params = param_kind(policy).and_then(|kind| schema_of(kind, served));
    let kinds = kinds(policy, served);
    let environment = |kind: GroupVersionKind<'_>| {
        let types = PolicyTypes::new(schema_of(kind, served)?, params.clone());
        Some(policy_environment(&base, policy, types, items("variables")))
    };
    let policy_environment: Vec<(GroupVersionKind<'_>, PolicyEnvironment)> =
        kinds.into_iter().filter_map(|kind| Some((kind, environment(kind)?))).collect();
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
pub fn status(policy: &Node<'_>, served: &ServedKinds) -> Node<'static> {
    let generation = policy.metadata().generation().unwrap_or(0);
    let warnings: Vec<Node<'static>> = type_check(policy, served)
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

/// The kind of a policy's parameters.
pub(crate) fn param_kind<'p>(policy: &'p Node<'_>) -> Option<GroupVersionKind<'p>> {
    let node = policy.find(&["spec", "paramKind"]).filter(|node| !node.is_null())?;
    let api_version = node.text_at(&["apiVersion"]);
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    Some(GroupVersionKind { group, version, kind: node.text_at(&["kind"]) })
}

/// The schema of a kind; none if it is not known.
fn schema_of(kind: GroupVersionKind<'_>, served: &ServedKinds) -> Option<KindSchema> {
    match schema::kind(kind.group, kind.version, kind.kind) {
        Some(row) => Some(KindSchema::BuiltIn(row)),
        None => served.schema(kind).map(|ty| KindSchema::Declared(kind.kind.into(), ty)),
    }
}

/// The environment of expressions whose objects are of one kind.
fn policy_environment(
    base: &Environment,
    policy: &Node<'_>,
    types: PolicyTypes,
    variables: &[Node<'_>],
) -> PolicyEnvironment {
    let (object, params): (Type, Option<Type>) = (types.object(), types.params());
    let has_params = param_kind(policy).is_some();
    let mut policy_environment =
        PolicyEnvironment::new(base, has_params).typed(object, params, Arc::new(types));
    for variable in variables {
        let ty = policy_environment.check(variable.text_at(&["expression"])).ok();
        policy_environment.declare(variable.text_at(&["name"]), ty.as_ref());
    }
    policy_environment
}

/// The kinds that a policy's rules name, in order; a rule with `*` names none.
pub(crate) fn kinds<'s>(policy: &Node<'_>, served: &'s ServedKinds) -> Vec<GroupVersionKind<'s>> {
    let rules = policy.find(&["spec", "matchConstraints", "resourceRules"]);
    let mut kinds: BTreeSet<GroupVersionKind<'s>> = BTreeSet::new();
    'rules: for rule in rules.map(Node::items).unwrap_or_default() {
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
        let named = kinds_named(&groups, &versions, &resources, served);
        for (count, kind) in named.into_iter().enumerate() {
            kinds.insert(kind);
            if count + 1 == MAX_TYPES {
                break 'rules;
            }
        }
    }
    kinds.into_iter().collect()
}

/// The kinds of these names. To the reference's REST mapper an empty group is any group.
fn kinds_named<'s>(
    groups: &[String],
    versions: &[String],
    resources: &[String],
    served: &'s ServedKinds,
) -> Vec<GroupVersionKind<'s>> {
    let mut kinds = Vec::new();
    for group in groups {
        for version in versions {
            for resource in resources {
                let built_in = schema::KINDS.iter().filter(|row| {
                    !row.subresource
                        && (group.is_empty() || row.group == group)
                        && (row.version, row.plural) == (version, resource)
                });
                kinds.extend(built_in.map(|row| GroupVersionKind {
                    group: row.group,
                    version: row.version,
                    kind: row.kind,
                }));
                kinds.extend(served.named(group, version, resource));
            }
        }
    }
    kinds
}
