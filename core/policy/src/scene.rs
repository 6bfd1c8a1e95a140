//! What one group of expressions sees, with variables that are evaluated when they are first asked for.

use crate::policy::{Expression, Variable};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use ratchet_cel::{Budget, Fault, PER_CALL_LIMIT, Program, Value, World};
use ratchet_net::Quoted;
use ratchet_object::Node;

/// What is the same for all expressions of a policy about one attempt with one parameter.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'s, 't> {
    pub(crate) object: Option<&'t Node<'t>>,
    pub(crate) old: Option<&'t Node<'t>>,
    pub(crate) params: Option<&'t Node<'t>>,
    pub(crate) request: &'t Node<'t>,
    pub(crate) namespace: Option<&'t Node<'t>>,
    pub(crate) authority: Option<&'s Authority>,
    pub(crate) variables: &'s [Variable],
}

/// Who is asked what the user may do.
#[derive(Clone, Debug)]
pub(crate) struct Authority {
    pub(crate) authorizer: Value<'static>,
    pub(crate) request_resource: Value<'static>,
}

/// What a variable has come to.
#[derive(Clone)]
enum Known<'t> {
    /// Nobody asked yet.
    Not,
    /// It is being evaluated.
    Evaluating,
    /// So.
    As(Result<Value<'t>, Fault>),
}

/// One group of expressions (conditions, validations, messages, annotations): each remembers its variables for itself.
pub(crate) struct Scene<'s, 't> {
    sight: Sight<'s, 't>,
    known: RefCell<Vec<Known<'t>>>,
    /// What variables have cost since the last look.
    spent: Cell<u64>,
    /// What the group may still cost.
    left: u64,
    /// How deep the expressions are that are being evaluated, one for the other.
    depth: Cell<u32>,
}

/// How deep expressions may be that need one another: one that stands alone is always within this. The reference's
/// stack grows; ours does not.
const DEEPEST: u32 = 512;

/// What evaluating a variable takes beside its expression.
const DETOUR: u32 = 4;

/// A group of expressions has cost more than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhausted;

impl Exhausted {
    /// The words for it.
    pub(crate) const WORDS: &'static str = "validation failed due to running out of cost budget, no further validation rules will be run";
}

impl<'s, 't> Scene<'s, 't> {
    /// A group that may cost so much.
    pub(crate) fn new(sight: Sight<'s, 't>, budget: u64) -> Self {
        let known = alloc::vec![Known::Not; sight.variables.len()];
        Self {
            sight,
            known: RefCell::new(known),
            spent: Cell::new(0),
            left: budget,
            depth: Cell::new(0),
        }
    }

    /// What the group may still cost.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// What variables have cost since the last look.
    pub(crate) fn spent(&self) -> u64 {
        self.spent.take()
    }

    /// Begins with an expression that no other one needs.
    pub(crate) fn enter(&self, program: &Program) {
        self.depth.set(program.height());
    }

    /// Evaluates an expression of the group: its value, or what went wrong.
    pub(crate) fn evaluate(
        &mut self,
        expression: &Expression,
    ) -> Result<Result<Value<'t>, String>, Exhausted> {
        let program = match &expression.program {
            Ok(program) => program,
            Err(why) => return Ok(Err(format!("compilation error: {why}"))),
        };
        let mut budget = Budget::new(PER_CALL_LIMIT);
        self.enter(program);
        let result = program.evaluate(&*self, &mut budget);
        for cost in [self.spent.take(), budget.spent()] {
            self.left = self.left.checked_sub(cost).ok_or(Exhausted)?;
        }
        let text = &expression.text;
        Ok(result.map_err(|fault| format!("expression '{text}' resulted in error: {fault}")))
    }

    fn compute(&self, variable: &Variable) -> Result<Value<'t>, Fault> {
        let name = Quoted(&variable.name);
        let program = variable.program.as_ref().map_err(|why| {
            Fault::new(format!("composited variable {name} fails to compile: {why}"))
        })?;
        let around = self.depth.get();
        let depth = around.saturating_add(program.height()).saturating_add(DETOUR);
        if depth > DEEPEST {
            let why = "variables that need one another are nested too deeply";
            return Err(Fault::new(format!("composited variable {name} fails to evaluate: {why}")));
        }
        self.depth.set(depth);
        let mut budget = Budget::new(PER_CALL_LIMIT);
        let result = program.evaluate(self, &mut budget);
        self.depth.set(around);
        self.spent.set(self.spent.get().saturating_add(budget.spent()));
        result.map_err(|fault| {
            Fault::new(format!("composited variable {name} fails to evaluate: {fault}"))
        })
    }

    fn variable_at(&self, index: usize) -> Option<Result<Value<'t>, Fault>> {
        let variable = self.sight.variables.get(index)?;
        let known = self.known.borrow().get(index)?.clone();
        match known {
            Known::As(result) => return Some(result),
            // Two variables of one name: the second may speak of itself. The reference does not survive that.
            Known::Evaluating => {
                let name = Quoted(&variable.name);
                let why = format!("composited variable {name} fails to evaluate: it needs itself");
                return Some(Err(Fault::new(why)));
            }
            Known::Not => {}
        }
        self.remember(index, Known::Evaluating);
        let result = self.compute(variable);
        self.remember(index, Known::As(result.clone()));
        Some(result)
    }

    fn remember(&self, index: usize, known: Known<'t>) {
        if let Some(slot) = self.known.borrow_mut().get_mut(index) {
            *slot = known;
        }
    }
}

impl<'t> World<'t> for Scene<'_, 't> {
    fn variable(&self, name: &str) -> Option<Value<'t>> {
        let tree = |node: Option<&'t Node<'t>>| Some(node.map_or(Value::Null, Value::of));
        match name {
            "object" => tree(self.sight.object),
            "oldObject" => tree(self.sight.old),
            "params" => tree(self.sight.params),
            "request" => tree(Some(self.sight.request)),
            "namespaceObject" => tree(self.sight.namespace),
            "authorizer" => Some(self.sight.authority?.authorizer.clone()),
            "authorizer.requestResource" => Some(self.sight.authority?.request_resource.clone()),
            _ => None,
        }
    }

    /// What a variable costs is not the business of the expression that asks for it: it has a limit of its own, and
    /// the group pays.
    fn member(
        &self,
        variable: &str,
        field: &str,
        _: &mut Budget,
    ) -> Option<Result<Value<'t>, Fault>> {
        if variable != "variables" {
            return None;
        }
        let index = self.sight.variables.iter().rposition(|variable| variable.name == field)?;
        self.variable_at(index)
    }
}
