//! The activation of one group of expressions, with variables that are evaluated on first use.

use crate::policy::{Expression, Variable};
use crate::{Attributes, PolicyContext};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use ratchet_cel::library::authz::{self, Authorizer};
use ratchet_cel::{Activation, Budget, EvalError, PER_CALL_LIMIT, Program, Value};
use ratchet_net::Quoted;
use ratchet_object::Node;

/// The inputs that all expressions of a policy share for one attempt with one parameter.
#[derive(Clone, Copy)]
pub(crate) struct ActivationInputs<'s, 't> {
    pub(crate) object: Option<&'t Node<'t>>,
    pub(crate) old: Option<&'t Node<'t>>,
    pub(crate) params: Option<&'t Node<'t>>,
    pub(crate) request: &'t Node<'t>,
    pub(crate) namespace: Option<&'t Node<'t>>,
    pub(crate) authorizer_values: Option<&'s AuthorizerValues>,
    pub(crate) variables: &'s [Variable],
}

/// The values of `authorizer` and `authorizer.requestResource`.
#[derive(Clone, Debug)]
pub(crate) struct AuthorizerValues {
    pub(crate) authorizer: Value<'static>,
    pub(crate) request_resource: Value<'static>,
}

impl AuthorizerValues {
    /// The values for an attempt; none without an authorizer.
    pub(crate) fn of(attributes: &Attributes<'_>, cluster: &dyn PolicyContext) -> Option<Self> {
        let authorizer = Authorizer::new(cluster.authorizer()?);
        let request_resource = authorizer.resource_check(authz::Resource {
            group: attributes.resource.group.to_owned(),
            resource: attributes.resource.resource.to_owned(),
            subresource: attributes.subresource.to_owned(),
            namespace: attributes.effective_namespace().to_owned(),
            name: attributes.name.to_owned(),
            ..authz::Resource::default()
        });
        Some(Self { authorizer: Value::opaque(authorizer), request_resource })
    }
}

/// How far `variables.name` has come: it is evaluated when it is first read, and once.
#[derive(Clone)]
enum VariableState<'t> {
    /// Not evaluated yet.
    Pending,
    /// Being evaluated.
    Evaluating,
    /// Evaluated, with its result.
    Evaluated(Result<Value<'t>, EvalError>),
}

/// The activation of one group of expressions (conditions, validations, messages, annotations), with its own cache of
/// variables.
pub(crate) struct PolicyActivation<'s, 't> {
    inputs: ActivationInputs<'s, 't>,
    states: RefCell<Vec<VariableState<'t>>>,
    /// The cost of variables since the last call of [`Self::spent`].
    spent: Cell<u64>,
    /// The cost that the group may still incur.
    left: u64,
    /// The height of the expressions that are being evaluated, nested in one another.
    depth: Cell<u32>,
}

/// The height limit of nested expressions: one alone is always within this. The reference's
/// stack grows; ours does not.
const MAX_HEIGHT: u32 = 512;

/// The height that evaluating a variable adds to its expression's.
const VARIABLE_HEIGHT: u32 = 4;

/// The error that a group of expressions exceeded its cost budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BudgetExceeded;

impl BudgetExceeded {
    /// The API server's message.
    pub(crate) const MESSAGE: &'static str = "validation failed due to running out of cost budget, no further validation rules will be run";
}

impl<'s, 't> PolicyActivation<'s, 't> {
    /// An activation with this cost budget.
    pub(crate) fn new(inputs: ActivationInputs<'s, 't>, budget: u64) -> Self {
        let states = alloc::vec![VariableState::Pending; inputs.variables.len()];
        Self {
            inputs,
            states: RefCell::new(states),
            spent: Cell::new(0),
            left: budget,
            depth: Cell::new(0),
        }
    }

    /// The cost that the group may still incur.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// The cost of variables since the last call.
    pub(crate) fn spent(&self) -> u64 {
        self.spent.take()
    }

    /// Starts an expression that is not nested in another.
    pub(crate) fn enter(&self, program: &Program) {
        self.depth.set(program.height());
    }

    /// Evaluates an expression of the group: its value, or the error.
    pub(crate) fn evaluate(
        &mut self,
        expression: &Expression,
    ) -> Result<Result<Value<'t>, String>, BudgetExceeded> {
        let program = match &expression.program {
            Ok(program) => program,
            Err(error) => return Ok(Err(format!("compilation error: {error}"))),
        };
        let mut budget = Budget::new(PER_CALL_LIMIT);
        self.enter(program);
        let result = program.evaluate(&*self, &mut budget);
        for cost in [self.spent.take(), budget.spent()] {
            self.left = self.left.checked_sub(cost).ok_or(BudgetExceeded)?;
        }
        let text = &expression.text;
        Ok(result.map_err(|fault| format!("expression '{text}' resulted in error: {fault}")))
    }

    fn compute(&self, variable: &Variable) -> Result<Value<'t>, EvalError> {
        let name = Quoted(&variable.name);
        let program = variable.program.as_ref().map_err(|error| {
            EvalError::new(format!("composited variable {name} fails to compile: {error}"))
        })?;
        let outer = self.depth.get();
        let depth = outer.saturating_add(program.height()).saturating_add(VARIABLE_HEIGHT);
        if depth > MAX_HEIGHT {
            let reason = "variables that need one another are nested too deeply";
            return Err(EvalError::new(format!(
                "composited variable {name} fails to evaluate: {reason}"
            )));
        }
        self.depth.set(depth);
        let mut budget = Budget::new(PER_CALL_LIMIT);
        let result = program.evaluate(self, &mut budget);
        self.depth.set(outer);
        self.spent.set(self.spent.get().saturating_add(budget.spent()));
        result.map_err(|fault| {
            EvalError::new(format!("composited variable {name} fails to evaluate: {fault}"))
        })
    }

    fn variable_at(&self, index: usize) -> Option<Result<Value<'t>, EvalError>> {
        let variable = self.inputs.variables.get(index)?;
        let state = self.states.borrow().get(index)?.clone();
        match state {
            VariableState::Evaluated(result) => return Some(result),
            // With two variables of one name, the second may refer to itself. The reference does not survive that.
            VariableState::Evaluating => {
                let name = Quoted(&variable.name);
                let message =
                    format!("composited variable {name} fails to evaluate: it needs itself");
                return Some(Err(EvalError::new(message)));
            }
            VariableState::Pending => {}
        }
        self.set_state(index, VariableState::Evaluating);
        let result = self.compute(variable);
        self.set_state(index, VariableState::Evaluated(result.clone()));
        Some(result)
    }

    fn set_state(&self, index: usize, state: VariableState<'t>) {
        if let Some(slot) = self.states.borrow_mut().get_mut(index) {
            *slot = state;
        }
    }
}

impl<'t> Activation<'t> for PolicyActivation<'_, 't> {
    fn variable(&self, name: &str) -> Option<Value<'t>> {
        let tree = |node: Option<&'t Node<'t>>| Some(node.map_or(Value::Null, Value::of));
        match name {
            "object" => tree(self.inputs.object),
            "oldObject" => tree(self.inputs.old),
            "params" => tree(self.inputs.params),
            "request" => tree(Some(self.inputs.request)),
            "namespaceObject" => tree(self.inputs.namespace),
            "authorizer" => Some(self.inputs.authorizer_values?.authorizer.clone()),
            "authorizer.requestResource" => {
                Some(self.inputs.authorizer_values?.request_resource.clone())
            }
            _ => None,
        }
    }

    /// The cost of a variable is not charged to the expression that uses it: the variable has a limit of its own, and
    /// the group pays.
    fn member(
        &self,
        variable: &str,
        field: &str,
        _: &mut Budget,
    ) -> Option<Result<Value<'t>, EvalError>> {
        if variable != "variables" {
            return None;
        }
        let index = self.inputs.variables.iter().rposition(|variable| variable.name == field)?;
        self.variable_at(index)
    }
}
