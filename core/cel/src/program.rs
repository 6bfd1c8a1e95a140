//! A checked expression, ready to be evaluated again and again.

use crate::{Budget, Fault, Type, Value};

/// A checked expression.
#[derive(Debug)]
pub struct Program {
    result: Type,
}

/// What an evaluation asks about its surroundings.
pub trait World<'t> {
    /// The value of a variable; `None` if there is none.
    fn variable(&self, name: &str) -> Option<Value<'t>>;

    /// A field of a variable that is computed when it is asked for, as `variables.x` is; `None`
    /// where the variable is an ordinary value. The world charges what it costs to `budget`.
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

    /// Whether it mentions a variable.
    pub fn uses(&self, variable: &str) -> bool {
        let _ = variable;
        false
    }

    /// Evaluates it.
    pub fn evaluate<'t>(
        &self,
        world: &dyn World<'t>,
        budget: &mut Budget,
    ) -> Result<Value<'t>, Fault> {
        let _ = (world, budget);
        Err(Fault::no_such_overload())
    }
}
