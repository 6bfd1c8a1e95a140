//! Evaluation of a single expression, for authors of policies: it sees what it would see in a policy.

use crate::activation::{ActivationInputs, PolicyActivation};
use crate::environment::{PolicyEnvironment, Use};
use crate::matching::MatchKind;
use crate::mutating::{Mutation, PatchError, PatchType, Patcher};
use crate::objects::{ObjectInterfaces, TypeConverter};
use crate::policy::{Expression, Variable};
use crate::{Attributes, GroupVersionKind, request};
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_cel::{
    Budget, Environment, EvalError, Issues, PER_CALL_LIMIT, Program, RUNTIME_COST_BUDGET, Type,
    Value,
};
use ratchet_object::Node;

/// An environment for single expressions, with the variables that they may use.
#[derive(Debug)]
pub struct Trial {
    policy_environment: PolicyEnvironment,
    variables: Vec<Variable>,
}

/// The inputs of single expressions; absent ones are `null`.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'t> {
    /// `object`.
    pub object: Option<&'t Node<'t>>,
    /// `oldObject`.
    pub old: Option<&'t Node<'t>>,
    /// `params`.
    pub params: Option<&'t Node<'t>>,
    /// `namespaceObject`, as [`namespace_seen`] builds it.
    pub namespace: Option<&'t Node<'t>>,
    /// `request`, as [`request_seen`] builds it.
    pub request: &'t Node<'t>,
}

/// The value of `request` for an attempt.
pub fn request_seen(attributes: &Attributes<'_>) -> Node<'static> {
    request::request(attributes, &MatchKind::Exact)
}

/// The value of `namespaceObject` for a namespace.
pub fn namespace_seen(namespace: Node<'static>) -> Node<'static> {
    request::namespace_object(namespace)
}

impl Trial {
    /// The environment of a release of Kubernetes, with parameters and without variables.
    pub fn new(version: (u32, u32)) -> Self {
        let base = Environment::kubernetes(version);
        Self { policy_environment: PolicyEnvironment::new(&base, true), variables: Vec::new() }
    }

    /// Declares `variables.name` for everything that is compiled later.
    pub fn declare(&mut self, name: &str, text: &str) -> Result<Type, Issues> {
        let program = self.compile(text)?;
        let ty = program.result().clone();
        self.policy_environment.declare(name, Some(&ty));
        self.variables.push(Variable { name: String::from(name), program: Ok(program) });
        Ok(ty)
    }

    /// Compiles an expression of any result type.
    pub fn compile(&self, text: &str) -> Result<Program, Issues> {
        self.policy_environment.environment(Use::Variable).compile(text)
    }

    /// Compiles an expression of a mutation, which may construct `Object{…}` and `JSONPatch{…}`.
    pub fn compile_mutation(&self, text: &str) -> Result<Program, Issues> {
        self.policy_environment.environment(Use::JsonPatch).compile(text)
    }

    /// The object as a mutation leaves it, with defaults. The expression is one that [`Self::compile_mutation`]
    /// compiles; the error is what the API server tells behind `denied request: `.
    pub fn mutate(
        &self,
        text: &str,
        setting: &Setting<'_>,
        (objects, converter): (&dyn ObjectInterfaces, &dyn TypeConverter),
    ) -> Result<Node<'static>, String> {
        let program = self.compile_mutation(text);
        let is_list = program.is_ok_and(|program| program.result().full_name().starts_with("list"));
        let (patch_type, use_) = match is_list {
            true => (PatchType::JsonPatch, Use::JsonPatch),
            false => (PatchType::ApplyConfiguration, Use::ApplyConfiguration),
        };
        let expression = Expression::new(&self.policy_environment, text, use_);
        let text = |name: &str| setting.object.map_or("", |object| object.text_at(&[name]));
        let kind = GroupVersionKind::from_api_version(text("apiVersion"), text("kind"));
        let patcher = Patcher { kind, objects, converter };
        let patched = patcher.patch(&Mutation { patch_type, expression }, &self.inputs(setting));
        let mut patched = patched.map_err(|error| match error {
            PatchError::Failed(why) | PatchError::Internal(why) => why,
        })?;
        objects.default_object(&mut patched, &kind);
        Ok(patched)
    }

    /// Evaluates an expression: its value, and its cost, its variables included.
    pub fn evaluate<'t>(
        &self,
        program: &Program,
        setting: &Setting<'t>,
    ) -> (Result<Value<'t>, EvalError>, u64) {
        let activation = PolicyActivation::new(self.inputs(setting), RUNTIME_COST_BUDGET);
        let mut budget = Budget::new(PER_CALL_LIMIT);
        activation.enter(program);
        let result = program.evaluate(&activation, &mut budget);
        (result, budget.spent().saturating_add(activation.spent()))
    }

    fn inputs<'t>(&self, setting: &Setting<'t>) -> ActivationInputs<'_, 't> {
        let Setting { object, old, params, namespace, request } = *setting;
        let (authorizer_values, variables) = (None, self.variables.as_slice());
        ActivationInputs { object, old, params, request, namespace, authorizer_values, variables }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;
    use alloc::string::ToString;

    #[test]
    fn an_expression_sees_what_it_would_see_in_a_policy() {
        let (object, request) = (node("{spec: {replicas: 7}}"), node("{operation: CREATE}"));
        let setting = Setting {
            object: Some(&object),
            old: None,
            params: None,
            namespace: None,
            request: &request,
        };
        let mut trial = Trial::new((1, 36));
        assert_eq!(trial.declare("twice", "object.spec.replicas * 2"), Ok(Type::Int));
        let program = trial.compile("variables.twice + 1").unwrap();
        let (value, cost) = trial.evaluate(&program, &setting);
        assert_eq!(value.unwrap().as_int(), Some(15));
        assert!(cost > 3, "{cost}: the variable is paid for");
        let program = trial.compile("oldObject == null && request.operation == 'CREATE'").unwrap();
        assert_eq!(trial.evaluate(&program, &setting).0.unwrap().as_bool(), Some(true));
        let program = trial.compile("authorizer.path('/x').check('get').allowed()").unwrap();
        assert!(trial.evaluate(&program, &setting).0.is_err());
    }

    #[test]
    fn mutations_construct_patches() {
        let trial = Trial::new((1, 36));
        let program = trial.compile_mutation("[JSONPatch{op: 'remove', path: '/a'}]").unwrap();
        assert_eq!(program.result().full_name(), "list(JSONPatch)");
        assert!(trial.compile("Object{}").is_err(), "other expressions do not");
    }

    #[test]
    fn what_does_not_compile_is_told_with_its_place() {
        let mut trial = Trial::new((1, 36));
        let issues = trial.declare("x", "1 +\n nope").unwrap_err();
        let position = issues.issues.first().map(|issue| (issue.line, issue.column));
        assert_eq!(position, Some((2, 1)));
        assert!(trial.compile("variables.x").unwrap_err().to_string().contains("undefined field"));
    }
}
