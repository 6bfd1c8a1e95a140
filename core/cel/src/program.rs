//! Compiled expressions.

use crate::library::Prepared;
use crate::plan::Step;
use crate::{Budget, Fault, Type, Value, evaluate};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A compiled expression, which can be evaluated any number of times.
#[derive(Debug)]
pub struct Program {
    pub(crate) root: Step,
    pub(crate) result: Type,
    pub(crate) variables: Vec<Arc<str>>,
    pub(crate) slots: usize,
    pub(crate) prepared: Prepared,
    pub(crate) height: u32,
}

/// The variables of an evaluation (cel-go's `Activation`).
pub trait Activation<'t> {
    /// The value of a variable; `None` if there is none.
    fn variable(&self, name: &str) -> Option<Value<'t>>;

    /// A field of a variable that is computed on demand, as `variables.x` is; `None`
    /// where the variable is an ordinary value. Only called for variables of object types.
    fn member(
        &self,
        variable: &str,
        field: &str,
        budget: &mut Budget,
    ) -> Option<Result<Value<'t>, Fault>> {
        let _ = (variable, field, budget);
        None
    }
}

impl Program {
    /// The type of its value.
    pub fn result(&self) -> &Type {
        &self.result
    }

    /// The nesting depth of its expressions: the stack that an evaluation takes is proportional to it.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Whether it references a variable.
    pub fn uses(&self, variable: &str) -> bool {
        self.variables.iter().any(|referenced| &**referenced == variable)
    }

    /// Evaluates it, charging `budget`.
    pub fn evaluate<'t>(
        &self,
        world: &dyn Activation<'t>,
        budget: &mut Budget,
    ) -> Result<Value<'t>, Fault> {
        evaluate::run(self, world, budget)
    }
}
