//! Evaluation of the literals of messages.

use super::{EvalResult, Evaluator, check_levels, not_optional, recoverable};
use crate::plan::Struct;
use crate::{EvalError, ObjectVal, Value};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The cost of creating a message.
const STRUCT_COST: u64 = 40;

impl<'p, 't> Evaluator<'p, 't> {
    pub(super) fn message(&mut self, message: &'p Struct) -> EvalResult<'t> {
        let object = recoverable(self.construct(message))?;
        self.budget.spend(STRUCT_COST)?;
        object.and_then(|object| check_levels(Value::Object(Arc::new(object))))
    }

    fn construct(&mut self, message: &'p Struct) -> Result<ObjectVal<'t>, EvalError> {
        let mut fields: Vec<(Arc<str>, Value<'t>)> = Vec::with_capacity(message.fields.len());
        for (name, step, optional) in &message.fields {
            let value = match self.step(step)? {
                value if !optional => Some(value),
                Value::Optional(inner) => inner.map(|value| value.as_ref().clone()),
                other => {
                    return Err(not_optional(&format!("entry '{name}'"), &other).or_at(message.at));
                }
            };
            // Of fields with one name the last one counts, also if it is absent.
            fields.retain(|(own, _)| own != name);
            fields.extend(value.map(|value| (name.clone(), value)));
        }
        ObjectVal::new(message.name.clone(), fields).map_err(|error| error.or_at(message.at))
    }
}
