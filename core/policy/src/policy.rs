//! Policies and bindings, parsed from their objects once; expressions are compiled then and never again.

use crate::GroupVersionKind;
use crate::environment::{PolicyEnvironment, Use};
use crate::matching::{Criteria, strings};
use crate::result::Reason;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_cel::{Environment, Program};
use ratchet_object::selector::LabelSelector;
use ratchet_object::{Node, defaults};

pub(crate) const GROUP: &str = "admissionregistration.k8s.io";

/// A ValidatingAdmissionPolicy with its expressions compiled.
#[derive(Debug)]
pub struct Policy {
    pub(crate) name: String,
    /// Whether the failure policy is `Ignore`.
    pub(crate) ignores_failures: bool,
    pub(crate) parameters: Option<ParameterKind>,
    pub(crate) criteria: Option<Criteria>,
    pub(crate) conditions: Vec<Expression>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) validations: Vec<Validation>,
    pub(crate) annotations: Vec<(String, Expression)>,
    /// Whether any expression may use the authorizer.
    pub(crate) uses_authorizer: bool,
    /// Whether any expression may use the request.
    pub(crate) uses_request: bool,
    /// Whether any expression may use the namespace.
    pub(crate) uses_namespace: bool,
}

/// The kind of a policy's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParameterKind {
    group: String,
    version: String,
    kind: String,
}

impl ParameterKind {
    pub(crate) fn parse(node: &Node<'_>) -> Self {
        let api_version = node.text_at(&["apiVersion"]);
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let kind = node.text_at(&["kind"]);
        Self { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() }
    }

    /// The group, version and kind.
    pub(crate) fn name(&self) -> GroupVersionKind<'_> {
        GroupVersionKind { group: &self.group, version: &self.version, kind: &self.kind }
    }
}

/// A compiled expression, or the error.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) text: String,
    pub(crate) program: Result<Program, String>,
}

impl Expression {
    pub(crate) fn new(policy_environment: &PolicyEnvironment, text: &str, use_: Use) -> Self {
        Self { text: text.to_owned(), program: policy_environment.compile(text, use_) }
    }
}

#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) program: Result<Program, String>,
}

/// A validation with its message and reason.
#[derive(Debug)]
pub(crate) struct Validation {
    pub(crate) expression: Expression,
    pub(crate) message: String,
    pub(crate) message_expression: Option<Expression>,
    pub(crate) reason: Reason,
}

/// The items of a list in the spec.
pub(crate) fn rows<'n>(node: &'n Node<'n>, name: &str) -> &'n [Node<'n>] {
    node.find(&["spec", name]).map(Node::items).unwrap_or_default()
}

/// Whether any expression of a policy contains a name: what is not named need not be looked up.
fn mentions(node: &Node<'_>, name: &str) -> bool {
    const LISTS: [&str; 4] = ["matchConditions", "variables", "validations", "auditAnnotations"];
    const TEXTS: [&str; 3] = ["expression", "messageExpression", "valueExpression"];
    let in_row = |row: &Node<'_>| TEXTS.iter().any(|text| row.text_at(&[text]).contains(name));
    LISTS.iter().any(|list| rows(node, list).iter().any(in_row))
}

impl Policy {
    /// Parses a policy for a release of Kubernetes. Never fails: errors are reported when the policy is applied. A
    /// caller with many policies keeps a [`Reader`].
    pub fn compile(object: &Node<'_>, version: (u32, u32)) -> Self {
        Reader::new(version).policy(object)
    }

    fn parse_with(object: &Node<'_>, base: &Environment) -> Self {
        let mut node = object.clone();
        defaults::apply(GROUP, "v1", "ValidatingAdmissionPolicy", &mut node);
        let node = &node;
        let spec = |name: &str| node.find(&["spec", name]).filter(|node| !node.is_null());
        let parameters = spec("paramKind").map(ParameterKind::parse);
        let mut policy_environment = PolicyEnvironment::new(base, parameters.is_some());
        let mut variables = Vec::new();
        for row in rows(node, "variables") {
            let program = policy_environment.compile(row.text_at(&["expression"]), Use::Variable);
            let name = row.text_at(&["name"]).to_owned();
            policy_environment.declare(&name, program.as_ref().ok().map(Program::result));
            variables.push(Variable { name, program });
        }
        let compiled = |row: &Node<'_>, name: &str, use_| {
            Expression::new(&policy_environment, row.text_at(&[name]), use_)
        };
        let validation = |row: &Node<'_>| Validation {
            expression: compiled(row, "expression", Use::Condition),
            message: row.text_at(&["message"]).to_owned(),
            message_expression: match row.text_at(&["messageExpression"]) {
                "" => None,
                _ => Some(compiled(row, "messageExpression", Use::Message)),
            },
            reason: Reason::parse(row.text_at(&["reason"])),
        };
        let annotation = |row: &Node<'_>| {
            let key = row.text_at(&["key"]).to_owned();
            (key, compiled(row, "valueExpression", Use::Annotation))
        };
        let condition = |row: &Node<'_>| compiled(row, "expression", Use::Condition);
        let mentions = |name: &str| mentions(node, name);
        Self {
            uses_authorizer: mentions("authorizer"),
            uses_request: mentions("request"),
            uses_namespace: mentions("namespaceObject"),
            name: node.metadata().name().to_owned(),
            ignores_failures: node.text_at(&["spec", "failurePolicy"]) == "Ignore",
            criteria: spec("matchConstraints").map(Criteria::parse),
            conditions: rows(node, "matchConditions").iter().map(condition).collect(),
            validations: rows(node, "validations").iter().map(validation).collect(),
            annotations: rows(node, "auditAnnotations").iter().map(annotation).collect(),
            variables,
            parameters,
        }
    }

    /// The policy's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Parses policies: the function declarations of expressions are built once for all of them.
#[derive(Clone, Debug)]
pub struct Reader(Environment);

impl Reader {
    /// A reader for a release of Kubernetes.
    pub fn new(version: (u32, u32)) -> Self {
        Self(Environment::kubernetes(version))
    }

    /// Parses a policy, as [`Policy::compile`] does.
    pub fn policy(&self, object: &Node<'_>) -> Policy {
        Policy::parse_with(object, &self.0)
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.0
    }
}

/// The actions for a denied validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Deny,
    Warn,
    Audit,
}

/// A ValidatingAdmissionPolicyBinding or a MutatingAdmissionPolicyBinding.
#[derive(Debug)]
pub struct Binding {
    pub(crate) name: String,
    pub(crate) policy: String,
    pub(crate) parameter: Option<ParameterRef>,
    pub(crate) criteria: Option<Criteria>,
    pub(crate) actions: Vec<Action>,
}

/// The reference of a binding to its parameters.
#[derive(Debug)]
pub(crate) struct ParameterRef {
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) selector: Option<Result<LabelSelector, String>>,
    pub(crate) denies_missing: bool,
}

impl ParameterRef {
    fn parse(node: &Node<'_>) -> Self {
        let selector = node.get("selector").filter(|node| !node.is_null());
        Self {
            name: node.text_at(&["name"]).to_owned(),
            namespace: node.text_at(&["namespace"]).to_owned(),
            selector: selector.map(|node| LabelSelector::from_tree(Some(node))),
            denies_missing: node.text_at(&["parameterNotFoundAction"]) == "Deny",
        }
    }
}

impl Binding {
    /// Parses a binding of a validating or of a mutating policy. Never fails: errors are reported when it is applied.
    pub fn from_object(object: &Node<'_>) -> Self {
        let mut node = object.clone();
        // Both kinds have the same defaults.
        defaults::apply(GROUP, "v1", "ValidatingAdmissionPolicyBinding", &mut node);
        let spec = |name: &str| node.find(&["spec", name]).filter(|node| !node.is_null());
        let action = |action_name: &String| match action_name.as_str() {
            "Deny" => Some(Action::Deny),
            "Warn" => Some(Action::Warn),
            "Audit" => Some(Action::Audit),
            _ => None,
        };
        Self {
            name: node.metadata().name().to_owned(),
            policy: node.text_at(&["spec", "policyName"]).to_owned(),
            parameter: spec("paramRef").map(ParameterRef::parse),
            criteria: spec("matchResources").map(Criteria::parse),
            actions: strings(spec("validationActions")).iter().filter_map(action).collect(),
        }
    }

    /// The binding's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the policy that it binds.
    pub fn policy_name(&self) -> &str {
        &self.policy
    }
}

/// Resources that no policy matches: policies themselves, which must always be repairable, and reviews that
/// change nothing.
static EXEMPT: &[(&str, &str)] = &[
    (GROUP, "validatingadmissionpolicies"),
    (GROUP, "validatingadmissionpolicybindings"),
    (GROUP, "mutatingadmissionpolicies"),
    (GROUP, "mutatingadmissionpolicybindings"),
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
];

/// Whether no policy matches a resource.
pub fn is_exempt(group: &str, resource: &str) -> bool {
    EXEMPT.contains(&(group, resource))
}

impl Action {
    /// The name in bindings.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "Deny",
            Self::Warn => "Warn",
            Self::Audit => "Audit",
        }
    }
}
