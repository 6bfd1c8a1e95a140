//! Overload of a function: signature, implementation and cost; and the library that declares it.

use super::context::Context;
use crate::{EvalError, Value};

/// An overload of a function.
#[derive(Debug)]
pub struct Overload {
    /// The overload id of cel-go: `string_to_ip`.
    pub id: &'static str,
    /// `receiver.name(arguments): result`, `name(arguments): result`, or, for a function in a namespace,
    /// `fn space.name(arguments): result`.
    pub signature: &'static str,
    /// The implementation.
    pub call: FunctionOp,
    /// The cost function.
    pub cost: Cost,
}

/// The implementation of a function; the receiver of a member call is the first argument.
pub type FunctionOp =
    for<'a, 't> fn(&'a Context<'a>, &'a [Value<'t>]) -> Result<Value<'t>, EvalError>;

/// The cost of a call, by its arguments and its result (`None` if it failed).
#[derive(Clone, Copy, Debug)]
pub struct Cost(pub for<'a, 't> fn(&'a [Value<'t>], Option<&'a Value<'t>>) -> u64);

impl Cost {
    /// One unit.
    pub const ONE: Self = Self(|_, _| 1);
    /// A tenth of the size of the first argument, rounded up.
    pub const SCAN: Self = Self(|arguments, _| tenths(size_of(arguments, 0), 1));
}

/// The size of an argument for cost estimation; 0 if there is no such argument.
pub fn size_of(arguments: &[Value<'_>], index: usize) -> u64 {
    arguments.get(index).map_or(0, Value::cost_size)
}

/// `size` × `tenths`/10, rounded up, as Kubernetes rounds the costs of string traversal.
pub fn tenths(size: u64, tenths: u64) -> u64 {
    size.saturating_mul(tenths).div_ceil(10)
}

/// A constant of a library.
#[derive(Debug)]
pub struct Constant {
    /// The qualified name.
    pub name: &'static str,
    /// The type, in the syntax of signatures.
    pub ty: &'static str,
    /// Constructs the value, which a `static` cannot hold.
    pub value: fn() -> Value<'static>,
}

/// A library: functions that Kubernetes introduced together.
#[derive(Debug)]
pub struct Library {
    /// The name of the library.
    pub name: &'static str,
    /// The first release that has it.
    pub since: (u32, u32),
    /// The overloads that it declares.
    pub overloads: &'static [Overload],
    /// The constants that it declares.
    pub constants: &'static [Constant],
    /// The opaque types that expressions may name.
    pub types: &'static [&'static str],
}
