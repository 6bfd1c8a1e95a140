//! Activation: the variables of an evaluation.

use crate::{Budget, EvalError, Value};

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
    ) -> Option<Result<Value<'t>, EvalError>> {
        let _ = (variable, field, budget);
        None
    }
}
