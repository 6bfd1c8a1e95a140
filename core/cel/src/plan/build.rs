//! Planning of checked expressions.

use super::{Attribute, Fold, Key, KeySource, Root, Step, Struct};
use crate::check::{Checked, Reference};
use crate::library::Prepared;
use crate::syntax::{self, Expr, Kind};
use crate::{EvalError, Program, Type, Value};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Plans an expression. A subexpression that fails whatever the variables are fails here.
pub(crate) fn plan(expr: &Expr, checked: Checked) -> Result<Program, (EvalError, Type)> {
    let result = checked.types.get(expr.id).cloned().unwrap_or(Type::Dyn);
    let mut planner = Planner {
        checked,
        variables: Vec::new(),
        scopes: Vec::new(),
        slots: 0,
        accumulators: Vec::new(),
        prepared: Prepared::default(),
        depth: 0,
        height: 0,
    };
    let root = match planner.step(expr) {
        Ok(root) => root,
        Err(error) => return Err((error, result)),
    };
    let Planner { variables, slots, prepared, height, .. } = planner;
    Ok(Program { root, result, variables, slots, prepared, height })
}

pub(super) struct Planner {
    checked: Checked,
    variables: Vec<Arc<str>>,
    /// Loop variables in scope with their slots, the innermost last.
    scopes: Vec<(String, usize)>,
    slots: usize,
    /// The slots of the accumulators that only macros can name.
    pub(super) accumulators: Vec<usize>,
    pub(super) prepared: Prepared,
    /// The current nesting depth in the expression, and the maximum so far.
    depth: u32,
    height: u32,
}

impl Planner {
    pub(super) fn reference(&self, expr: &Expr) -> Reference {
        self.checked.references.get(expr.id).cloned().unwrap_or(Reference::None)
    }

    pub(super) fn step(&mut self, expr: &Expr) -> Result<Step, EvalError> {
        self.depth += 1;
        self.height = self.height.max(self.depth);
        let step = self.step_kind(expr);
        self.depth -= 1;
        step
    }

    fn step_kind(&mut self, expr: &Expr) -> Result<Step, EvalError> {
        match &expr.kind {
            Kind::Literal(value) => Ok(Step::Constant(value.clone())),
            Kind::Ident(_) => self.name(expr),
            Kind::Select { operand, field, test } => self.select(expr, operand, field, *test),
            Kind::Call { target, function, arguments } => {
                self.call(expr, target.as_deref(), function, arguments)
            }
            Kind::List(items) => self.list(items),
            Kind::Map(entries) => self.map(entries),
            Kind::Struct { name, fields } => self.message(expr, name, fields),
            Kind::Comprehension(fold) => self.fold(fold),
        }
    }

    fn name(&mut self, expr: &Expr) -> Result<Step, EvalError> {
        match self.reference(expr) {
            Reference::Constant(value) => Ok(Step::Constant(value)),
            Reference::Undefined(name) => {
                Err(EvalError::new(format!("reference to undefined type: {name}")))
            }
            Reference::Variable(name) => {
                let lazy = matches!(self.checked.types.get(expr.id), Some(Type::Object(_)));
                Ok(Step::Attribute(Box::new(self.variable(&name, lazy))))
            }
            _ => Err(EvalError::new("unsupported expression")),
        }
    }

    fn variable(&mut self, name: &str, lazy: bool) -> Attribute {
        let local = self.scopes.iter().rev().find(|(declared, _)| declared == name);
        let root = match local {
            Some((_, slot)) => Root::Local(*slot),
            None => {
                let existing = self.variables.iter().position(|existing| &**existing == name);
                let index = existing.unwrap_or(self.variables.len());
                if existing.is_none() {
                    self.variables.push(name.into());
                }
                Root::Variable { index, lazy }
            }
        };
        Attribute { root, keys: Vec::new(), cost: 1, test: false }
    }

    fn select(
        &mut self,
        expr: &Expr,
        operand: &Expr,
        field: &str,
        test: bool,
    ) -> Result<Step, EvalError> {
        if !test && !matches!(self.reference(expr), Reference::None) {
            return self.name(expr);
        }
        let operand = self.step(operand)?;
        let source = KeySource::Constant(Value::text(field));
        // The field name is behind its dot.
        let at = expr.at.saturating_add(1);
        let mut attribute = with_key(operand, Key { source, optional: false, test, at });
        if test {
            // A presence test costs what the path to the field costs.
            attribute.test = true;
            attribute.cost = 0;
        }
        Ok(Step::Attribute(attribute))
    }

    fn list(&mut self, items: &[(Expr, bool)]) -> Result<Step, EvalError> {
        let mut steps = Vec::with_capacity(items.len());
        for (item, optional) in items {
            steps.push((self.step(item)?, *optional));
        }
        let constant = |(step, optional): &(Step, bool)| match step {
            Step::Constant(value) if !optional => Some(value.clone()),
            _ => None,
        };
        match steps.iter().map(constant).collect::<Option<Vec<_>>>() {
            Some(values) => Ok(Step::Constant(Value::list(values))),
            None => Ok(Step::List(steps)),
        }
    }

    fn map(&mut self, entries: &[syntax::Entry]) -> Result<Step, EvalError> {
        let mut steps = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = self.step(&entry.key)?;
            steps.push((key, self.step(&entry.value)?, entry.optional));
        }
        let constant = |(key, value, optional): &(Step, Step, bool)| match (key, value) {
            (Step::Constant(key), Step::Constant(value)) if !optional => {
                Some((key.clone(), value.clone()))
            }
            _ => None,
        };
        match steps.iter().map(constant).collect::<Option<Vec<_>>>() {
            Some(values) => Ok(Step::Constant(Value::map(values))),
            None => Ok(Step::Map(steps)),
        }
    }

    fn message(
        &mut self,
        expr: &Expr,
        name: &str,
        fields: &[syntax::StructField],
    ) -> Result<Step, EvalError> {
        let mut steps = Vec::with_capacity(fields.len());
        for field in fields {
            steps.push((field.name.as_str().into(), self.step(&field.value)?, field.optional));
        }
        let name = name.strip_prefix('.').unwrap_or(name).into();
        Ok(Step::Struct(Box::new(Struct { name, fields: steps, at: expr.at })))
    }

    fn slot(&mut self, name: &str) -> usize {
        let slot = self.slots;
        self.slots += 1;
        self.scopes.push((name.to_string(), slot));
        slot
    }

    fn fold(&mut self, fold: &syntax::Comprehension) -> Result<Step, EvalError> {
        let start = self.step(&fold.start)?;
        let range = self.step(&fold.range)?;
        let depth = self.scopes.len();
        let accumulator = self.slot(&fold.accumulator);
        if fold.accumulator == syntax::ACCUMULATOR {
            self.accumulators.push(accumulator);
        }
        let item = self.slot(&fold.item);
        let second = fold.second.as_ref().map(|name| self.slot(name));
        let condition = self.step(&fold.condition)?;
        let step = self.step(&fold.step)?;
        self.scopes.truncate(depth + 1);
        let result = self.step(&fold.result)?;
        self.scopes.truncate(depth);
        let fold = Fold { range, item, second, accumulator, start, condition, step, result };
        Ok(Step::Fold(Box::new(fold)))
    }
}

/// A step as an attribute to select from.
pub(super) fn attribute(step: Step) -> Box<Attribute> {
    match step {
        Step::Attribute(attribute) => attribute,
        other => {
            let root = Root::Step(other);
            Box::new(Attribute { root, keys: Vec::new(), cost: 1, test: false })
        }
    }
}

/// The same with one more key.
pub(super) fn with_key(operand: Step, key: Key) -> Box<Attribute> {
    let mut attribute = attribute(operand);
    attribute.keys.push(key);
    attribute
}
