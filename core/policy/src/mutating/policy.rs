//! A MutatingAdmissionPolicy with its expressions compiled.

use crate::bound::NamedPolicy;
use crate::environment::{PolicyEnvironment, Use};
use crate::matching::Criteria;
use crate::policy::{Expression, GROUP, ParameterKind, Reader, Variable, rows};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_cel::Program;
use ratchet_object::{Node, defaults};

/// A MutatingAdmissionPolicy with its expressions compiled.
#[derive(Debug)]
pub struct MutatingPolicy {
    pub(super) name: String,
    /// Whether the failure policy is `Ignore`.
    pub(super) ignores_failures: bool,
    /// Whether the reinvocation policy is `IfNeeded`.
    pub(super) is_reinvocable: bool,
    pub(super) parameters: Option<ParameterKind>,
    pub(super) criteria: Option<Criteria>,
    pub(super) conditions: Vec<Expression>,
    pub(super) variables: Vec<Variable>,
    pub(super) mutations: Vec<Mutation>,
    /// Whether any expression may use the authorizer.
    pub(super) uses_authorizer: bool,
    /// Whether any expression may use the namespace.
    pub(super) uses_namespace: bool,
}

/// One of `spec.mutations`: an expression, and what its value is.
#[derive(Debug)]
pub(crate) struct Mutation {
    pub(crate) patch_type: PatchType,
    pub(crate) expression: Expression,
}

/// The types of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatchType {
    /// An object that is merged into the one of the request.
    ApplyConfiguration,
    /// A list of operations.
    JsonPatch,
}

impl PatchType {
    /// Each type with its name, the member that has its expression, and the use of the expression.
    const ALL: [(Self, &str, &str, Use); 2] = [
        (
            Self::ApplyConfiguration,
            "ApplyConfiguration",
            "applyConfiguration",
            Use::ApplyConfiguration,
        ),
        (Self::JsonPatch, "JSONPatch", "jsonPatch", Use::JsonPatch),
    ];
}

impl NamedPolicy for MutatingPolicy {
    fn name(&self) -> &str {
        &self.name
    }

    fn criteria(&self) -> Option<&Criteria> {
        self.criteria.as_ref()
    }
}

impl MutatingPolicy {
    /// Compiles a policy for a release of Kubernetes. Never fails: errors are reported when the policy is applied. A
    /// caller with many policies keeps a [`Reader`].
    pub fn compile(object: &Node<'_>, version: (u32, u32)) -> Self {
        Reader::new(version).mutating_policy(object)
    }

    /// The policy's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Reader {
    /// Compiles a mutating policy, as [`MutatingPolicy::compile`] does.
    pub fn mutating_policy(&self, object: &Node<'_>) -> MutatingPolicy {
        let mut node = object.clone();
        defaults::apply(GROUP, "v1", "MutatingAdmissionPolicy", &mut node);
        let node = &node;
        let spec = |name: &str| node.find(&["spec", name]).filter(|node| !node.is_null());
        let parameters = spec("paramKind").map(ParameterKind::parse);
        let mut environment = PolicyEnvironment::new(self.environment(), parameters.is_some());
        let mut variables = Vec::new();
        for row in rows(node, "variables") {
            let program = environment.compile(row.text_at(&["expression"]), Use::Variable);
            let name = row.text_at(&["name"]).to_owned();
            environment.declare(&name, program.as_ref().ok().map(Program::result));
            variables.push(Variable { name, program });
        }
        let condition = |row: &Node<'_>| {
            Expression::new(&environment, row.text_at(&["expression"]), Use::Condition)
        };
        let mutation = |row: &Node<'_>| {
            let name = row.text_at(&["patchType"]);
            let (patch_type, _, member, use_) =
                *PatchType::ALL.iter().find(|(_, own, ..)| *own == name)?;
            let text = row.get(member).filter(|node| !node.is_null())?.text_at(&["expression"]);
            Some(Mutation { patch_type, expression: Expression::new(&environment, text, use_) })
        };
        let mentions = |name: &str| mentions(node, name);
        MutatingPolicy {
            uses_authorizer: mentions("authorizer"),
            uses_namespace: mentions("namespaceObject"),
            name: node.metadata().name().to_owned(),
            ignores_failures: node.text_at(&["spec", "failurePolicy"]) == "Ignore",
            is_reinvocable: node.text_at(&["spec", "reinvocationPolicy"]) == "IfNeeded",
            criteria: spec("matchConstraints").map(Criteria::parse),
            conditions: rows(node, "matchConditions").iter().map(condition).collect(),
            mutations: rows(node, "mutations").iter().filter_map(mutation).collect(),
            variables,
            parameters,
        }
    }
}

/// Whether any expression of a policy contains a name: what is not named need not be looked up.
fn mentions(node: &Node<'_>, name: &str) -> bool {
    let contains = |row: &Node<'_>, path: &[&str]| row.text_at(path).contains(name);
    ["matchConditions", "variables"]
        .iter()
        .any(|list| rows(node, list).iter().any(|row| contains(row, &["expression"])))
        || rows(node, "mutations").iter().any(|row| {
            PatchType::ALL.iter().any(|(_, _, member, _)| contains(row, &[member, "expression"]))
        })
}
