//! The quantity library: `quantity()` and the functions of `kubernetes.Quantity`.

mod amount;
mod decimal;
#[cfg(test)]
mod tests;

use super::arguments::{int, opaque, text};
use super::{Context, Cost, Library, Overload};
use crate::{EvalError, Opaque, Value};
use amount::{Amount, ParseError};
use core::any::Any;
use core::cmp::Ordering;

/// A quantity value.
#[derive(Clone, Debug)]
pub(super) struct Quantity {
    amount: Amount,
    /// Whether it is a sum or a difference.
    computed: bool,
}

impl Opaque for Quantity {
    fn type_name(&self) -> &'static str {
        "kubernetes.Quantity"
    }

    fn equal(&self, other: &dyn Opaque) -> bool {
        let other: Option<&Self> = other.as_any().downcast_ref();
        other.is_some_and(|other| !other.computed && self.amount.compare(&other.amount).is_eq())
    }

    /// On the right of `==`, the API server does not recognize a computed quantity as one.
    fn meets(&self, other: &dyn Opaque) -> bool {
        let other: Option<&Self> = other.as_any().downcast_ref();
        other.is_some_and(|other| !other.computed)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn quantity<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    match Amount::parse(text(arguments, 0)?) {
        Ok(amount) => Ok(Value::opaque(Quantity { amount, computed: false })),
        Err(ParseError::Invalid(message)) => Err(EvalError::new(message)),
        Err(ParseError::TooLong) => Err(EvalError::over_budget()),
    }
}

fn is_quantity<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let error = Amount::parse(text(arguments, 0)?).err();
    Ok((!matches!(error, Some(ParseError::Invalid(_)))).into())
}

fn amount<'a>(arguments: &'a [Value<'_>], index: usize) -> Result<&'a Amount, EvalError> {
    opaque::<Quantity>(arguments, index).map(|quantity| &quantity.amount)
}

fn sign<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Ok(Value::Int(amount(arguments, 0)?.sign()))
}

fn is_integer<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Ok(amount(arguments, 0)?.whole().is_some().into())
}

fn as_integer<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let whole = amount(arguments, 0)?.whole();
    whole.map(Value::Int).ok_or_else(|| EvalError::new("cannot convert value to integer"))
}

fn as_float<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Ok(Value::Double(amount(arguments, 0)?.approximate()))
}

fn order(arguments: &[Value<'_>]) -> Result<Ordering, EvalError> {
    Ok(amount(arguments, 0)?.compare(amount(arguments, 1)?))
}

/// The second argument, a quantity or an integer.
fn other(arguments: &[Value<'_>]) -> Result<Amount, EvalError> {
    match int(arguments, 1) {
        Ok(number) => Ok(Amount::Small(number, 0)),
        Err(_) => amount(arguments, 1).cloned(),
    }
}

fn compute<'t>(
    arguments: &[Value<'t>],
    how: fn(&Amount, &Amount) -> Option<Amount>,
) -> Result<Value<'t>, EvalError> {
    let amount =
        how(amount(arguments, 0)?, &other(arguments)?).ok_or_else(EvalError::over_budget)?;
    Ok(Value::opaque(Quantity { amount, computed: true }))
}

fn add<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    compute(arguments, Amount::plus)
}

fn sub<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    compute(arguments, Amount::minus)
}

/// Kubernetes' quantity library.
pub(super) static QUANTITY: Library = Library {
    name: "kubernetes.quantity",
    since: (1, 28),
    overloads: &[
        Overload {
            id: "string_to_quantity",
            signature: "quantity(string): kubernetes.Quantity",
            call: quantity,
            cost: Cost::SCAN,
        },
        Overload {
            id: "is_quantity_string",
            signature: "isQuantity(string): bool",
            call: is_quantity,
            cost: Cost::SCAN,
        },
        Overload {
            id: "quantity_sign",
            signature: "sign(kubernetes.Quantity): int",
            call: sign,
            cost: Cost::ONE,
        },
        Overload {
            id: "quantity_is_greater_than",
            signature: "kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool",
            call: |_, arguments| Ok(order(arguments)?.is_gt().into()),
            cost: Cost::ONE,
        },
        Overload {
            id: "quantity_is_less_than",
            signature: "kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool",
            call: |_, arguments| Ok(order(arguments)?.is_lt().into()),
            cost: Cost::ONE,
        },
        Overload {
            id: "quantity_compare_to",
            signature: "kubernetes.Quantity.compareTo(kubernetes.Quantity): int",
            call: |_, arguments| Ok(Value::Int(order(arguments)? as i64)),
            cost: Cost::ONE,
        },
        Overload {
            id: "quantity_get_float",
            signature: "kubernetes.Quantity.asApproximateFloat(): double",
            call: as_float,
            cost: Cost::ONE,
        },
        Overload {
            id: "quantity_get_int",
            signature: "kubernetes.Quantity.asInteger(): int",
            call: as_integer,
            cost: Cost::ONE,
        },
        Overload {
            id: "quantity_is_integer",
            signature: "kubernetes.Quantity.isInteger(): bool",
            call: is_integer,
            cost: Cost::ONE,
        },
        Overload {
            id: "quantity_add",
            signature: "kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity",
            call: add,
            cost: Cost::ONE,
        },
        Overload {
            id: "quantity_add_int",
            signature: "kubernetes.Quantity.add(int): kubernetes.Quantity",
            call: add,
            cost: Cost::ONE,
        },
        Overload {
            id: "quantity_sub",
            signature: "kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity",
            call: sub,
            cost: Cost::ONE,
        },
        Overload {
            id: "quantity_sub_int",
            signature: "kubernetes.Quantity.sub(int): kubernetes.Quantity",
            call: sub,
            cost: Cost::ONE,
        },
    ],
    constants: &[],
    types: &[],
};
