//! Function libraries as tables: each overload has a name, a signature, an implementation and a cost.

mod arguments;
pub mod authz;
mod cidr;
mod format;
mod ip;
mod lists;
mod lists_ext;
mod optional;
mod quantity;
mod re2;
pub(crate) mod regex;
mod semver;
mod sets;
mod signature;
pub(crate) mod standard;
mod standard_compare;
mod standard_convert;
mod standard_numbers;
mod standard_text;
mod standard_time;
pub(crate) mod string_format;
pub(crate) mod string_format_check;
mod strings;
#[cfg(test)]
mod tests;
mod url;
mod zone;

pub use cidr::Cidr;
pub use ip::Ip;
pub use signature::Signature;
pub(crate) use signature::parse_type;

use crate::compare::equal_in;
use crate::{Fault, Value};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::cell::Cell;

/// An overload of a function.
#[derive(Debug)]
pub struct Overload {
    /// The overload id of cel-go: `string_to_ip`.
    pub id: &'static str,
    /// `receiver.name(arguments): result`, `name(arguments): result`, or, for a function in a namespace,
    /// `fn space.name(arguments): result`.
    pub signature: &'static str,
    /// The implementation.
    pub call: Call,
    /// The cost function.
    pub cost: Cost,
}

/// The implementation of a function; the receiver of a member call is the first argument.
pub type Call = for<'a, 't> fn(&'a Context<'a>, &'a [Value<'t>]) -> Result<Value<'t>, Fault>;

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

/// The context of a call: its memory limit and precompiled patterns.
#[derive(Debug)]
pub struct Context<'a> {
    room: Cell<u64>,
    prepared: Option<&'a Prepared>,
}

impl<'a> Context<'a> {
    /// A context with room for so many bytes.
    pub fn new(room: u64) -> Self {
        Self { room: Cell::new(room), prepared: None }
    }

    pub(crate) fn with(room: u64, prepared: &'a Prepared) -> Self {
        Self { room: Cell::new(room), prepared: Some(prepared) }
    }

    /// Reserves room for a text or a list of `length` bytes or items before it is built: what one
    /// evaluation builds is bounded.
    pub fn room(&self, length: usize) -> Result<(), Fault> {
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        let left = self.room.get().checked_sub(length).ok_or_else(Fault::over_budget)?;
        self.room.set(left);
        Ok(())
    }

    /// Whether two values are equal; comparing takes room too, since the cost of an evaluation
    /// does not reflect how much there is to compare.
    pub(crate) fn equal(&self, one: &Value<'_>, other: &Value<'_>) -> Result<bool, Fault> {
        let mut left = self.room.get();
        let equal = equal_in(&mut left, one, other);
        self.room.set(left);
        equal
    }

    pub(crate) fn room_left(&self) -> u64 {
        self.room.get()
    }

    /// A compiled pattern; constant patterns were compiled before.
    pub(crate) fn regex(&self, pattern: &str) -> Result<Arc<regex::Regex>, String> {
        if let Some(compiled) = self.prepared.and_then(|prepared| prepared.patterns.get(pattern)) {
            return Ok(compiled.clone());
        }
        regex::compile(pattern).map(Arc::new)
    }
}

/// What is computed once for all evaluations of an expression.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    patterns: BTreeMap<String, Arc<regex::Regex>>,
}

impl Prepared {
    /// Compiles a constant pattern.
    pub(crate) fn prepare(&mut self, pattern: &str) -> Result<(), Fault> {
        if !self.patterns.contains_key(pattern) {
            let compiled = regex::compile(pattern).map_err(Fault::new)?;
            self.patterns.insert(pattern.to_string(), Arc::new(compiled));
        }
        Ok(())
    }
}

/// A constant of a library.
#[derive(Debug)]
pub struct Constant {
    /// The qualified name.
    pub name: &'static str,
    /// The type, in the syntax of signatures.
    pub ty: &'static str,
    /// The value.
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

/// All libraries, in the order of declaration.
pub static LIBRARIES: &[&Library] = &[
    &standard::STANDARD,
    &standard::CROSS_TYPE,
    &optional::OPTIONAL,
    &url::URL,
    &regex::REGEX,
    &lists::LISTS,
    &authz::AUTHZ,
    &quantity::QUANTITY,
    &strings::STRINGS,
    &strings::STRINGS_2,
    &sets::SETS,
    &ip::IP,
    &cidr::CIDR,
    &format::FORMAT,
    &authz::AUTHZ_SELECTORS,
    &semver::SEMVER,
    &lists_ext::LISTS_EXT,
];
