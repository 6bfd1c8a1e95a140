//! A checked expression, ready to be evaluated again and again.

use crate::library::Prepared;
use crate::plan::Step;
use crate::{Budget, Fault, Type, Value, evaluate};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A checked expression.
#[derive(Debug)]
pub struct Program {
    pub(crate) root: Step,
    pub(crate) result: Type,
    pub(crate) variables: Vec<Arc<str>>,
    pub(crate) slots: usize,
    pub(crate) prepared: Prepared,
    pub(crate) height: u32,
}

/// What an evaluation asks about its surroundings.
pub trait World<'t> {
    /// The value of a variable; `None` if there is none.
    fn variable(&self, name: &str) -> Option<Value<'t>>;

    /// A field of a variable that is computed when it is asked for, as `variables.x` is; `None`
    /// where the variable is an ordinary value. Only variables of object types are asked.
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

    /// How deep its expressions stand in one another: what evaluating it takes of the stack goes with this.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Whether it mentions a variable.
    pub fn uses(&self, variable: &str) -> bool {
        self.variables.iter().any(|known| &**known == variable)
    }

    /// Evaluates it.
    pub fn evaluate<'t>(
        &self,
        world: &dyn World<'t>,
        budget: &mut Budget,
    ) -> Result<Value<'t>, Fault> {
        evaluate::run(self, world, budget)
    }
}
