//! An expression by itself, tried by somebody who writes a policy: it sees what it would see in one.

use crate::environment::Grounds;
use crate::matching::Met;
use crate::policy::Variable;
use crate::scene::{Scene, Sight};
use crate::{Attempt, request};
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_cel::{
    Budget, Environment, Fault, Issues, PER_CALL_LIMIT, Program, RUNTIME_COST_BUDGET, Type, Value,
};
use ratchet_object::Node;

/// Expressions that are tried, with the variables that they may use.
#[derive(Debug)]
pub struct Trial {
    grounds: Grounds,
    variables: Vec<Variable>,
}

/// What expressions that are tried see; what is none is `null`.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'t> {
    /// `object`.
    pub object: Option<&'t Node<'t>>,
    /// `oldObject`.
    pub old: Option<&'t Node<'t>>,
    /// `params`.
    pub params: Option<&'t Node<'t>>,
    /// `namespaceObject`, as [`namespace_seen`] makes it.
    pub namespace: Option<&'t Node<'t>>,
    /// `request`, as [`request_seen`] makes it.
    pub request: &'t Node<'t>,
}

/// `request`, as expressions see an attempt.
pub fn request_seen(attempt: &Attempt<'_>) -> Node<'static> {
    request::request(attempt, &Met::Yes)
}

/// `namespaceObject`, as expressions see a namespace.
pub fn namespace_seen(namespace: Node<'static>) -> Node<'static> {
    request::namespace_object(namespace)
}

impl Trial {
    /// Nothing but what a release of Kubernetes knows, and parameters.
    pub fn new(version: (u32, u32)) -> Self {
        let base = Environment::kubernetes(version);
        Self { grounds: Grounds::new(&base, true), variables: Vec::new() }
    }

    /// Makes `variables.name` known to everything that is compiled later.
    pub fn declare(&mut self, name: &str, text: &str) -> Result<Type, Issues> {
        let program = self.compile(text)?;
        let ty = program.result().clone();
        self.grounds.declare(name, Some(&ty));
        self.variables.push(Variable { name: String::from(name), program: Ok(program) });
        Ok(ty)
    }

    /// Compiles an expression, whatever it comes to.
    pub fn compile(&self, text: &str) -> Result<Program, Issues> {
        self.grounds.environment(true).compile(text)
    }

    /// Evaluates an expression: what it comes to, and what that cost, its variables included.
    pub fn evaluate<'t>(
        &self,
        program: &Program,
        setting: &Setting<'t>,
    ) -> (Result<Value<'t>, Fault>, u64) {
        let Setting { object, old, params, namespace, request } = *setting;
        let variables = &self.variables;
        let sight = Sight { object, old, params, request, namespace, authority: None, variables };
        let scene = Scene::new(sight, RUNTIME_COST_BUDGET);
        let mut budget = Budget::new(PER_CALL_LIMIT);
        scene.enter(program);
        let result = program.evaluate(&scene, &mut budget);
        (result, budget.spent().saturating_add(scene.spent()))
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
    fn what_does_not_compile_is_told_with_its_place() {
        let mut trial = Trial::new((1, 36));
        let issues = trial.declare("x", "1 +\n nope").unwrap_err();
        let place = issues.issues.first().map(|issue| (issue.line, issue.column));
        assert_eq!(place, Some((2, 1)));
        assert!(trial.compile("variables.x").unwrap_err().to_string().contains("undefined field"));
    }
}
