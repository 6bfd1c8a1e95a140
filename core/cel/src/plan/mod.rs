//! Evaluation plans of expressions: names resolved, constants folded.

mod build;
mod calls;

pub(crate) use build::plan;

use crate::Value;
use crate::library::OverloadDecl;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A node of the plan, which evaluates to a value.
#[derive(Debug)]
pub(crate) enum Step {
    /// A constant, which costs nothing.
    Constant(Value<'static>),
    /// A variable or another value, and the keys that are selected from it.
    Attribute(Box<Attribute>),
    /// All must be true.
    And(Vec<Self>),
    /// One must be true.
    Or(Vec<Self>),
    /// `==`, or `!=`.
    Equal { sides: Box<(Self, Self)>, negated: bool, at: u32 },
    /// Membership in a constant list.
    Among { item: Box<Self>, set: Arc<[Value<'static>]> },
    /// `@not_strictly_false`: anything but false, errors too.
    NotFalse(Box<Self>),
    /// A function.
    Call(Box<Call>),
    /// A list literal; optional items are marked.
    List(Vec<(Self, bool)>),
    /// A map literal of keys and values; optional entries are marked.
    Map(Vec<(Self, Self, bool)>),
    /// The literal of a message.
    Struct(Box<Struct>),
    /// A loop.
    Fold(Box<Fold>),
    /// Appends to the accumulator of a loop in place.
    Append { slot: usize, added: Box<Self> },
    /// Inserts into the accumulator of a loop in place: the key and the value, or a map.
    Insert { slot: usize, added: Vec<Self> },
    /// The first if it has a value, else the second; `unwrap` unwraps the first.
    OptionalOr { sides: Box<(Self, Self)>, unwrap: bool },
}

/// A value and the keys that are selected from it, one after another.
#[derive(Debug)]
pub(crate) struct Attribute {
    /// The start of the path.
    pub(crate) root: Root,
    pub(crate) keys: Vec<Key>,
    /// Its own cost.
    pub(crate) cost: u64,
    /// Whether this is a presence test.
    pub(crate) test: bool,
}

/// The start of an attribute.
#[derive(Debug)]
pub(crate) enum Root {
    /// The slot of a loop variable.
    Local(usize),
    /// A variable; a lazy one computes its fields on demand.
    Variable { index: usize, lazy: bool },
    /// Any other value.
    Step(Step),
    /// One of two attributes.
    Choice(Box<(Step, Attribute, Attribute)>),
}

/// A key that is selected from a value.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) source: KeySource,
    /// Whether it may be absent.
    pub(crate) optional: bool,
    /// Whether only its presence is tested.
    pub(crate) test: bool,
    /// Its offset in the expression.
    pub(crate) at: u32,
}

/// Where the value of a key comes from.
#[derive(Debug)]
pub(crate) enum KeySource {
    /// A key that is written in the expression.
    Constant(Value<'static>),
    /// An attribute, at no cost of its own.
    Attribute(Attribute),
    /// Any other step.
    Step(Step),
}

/// A call of a function.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) function: String,
    /// The candidates.
    pub(crate) overloads: Vec<OverloadDecl>,
    /// The arguments, the receiver first.
    pub(crate) arguments: Vec<Step>,
    pub(crate) style: Style,
    /// Its offset in the expression.
    pub(crate) at: u32,
}

/// The literal of a message: the type, and the fields; optional ones are marked.
#[derive(Debug)]
pub(crate) struct Struct {
    pub(crate) name: Arc<str>,
    pub(crate) fields: Vec<(Arc<str>, Step, bool)>,
    /// Its offset in the expression.
    pub(crate) at: u32,
}

/// How a call is dispatched to an overload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// One implementation for all types, which checks its arguments itself.
    Operator,
    /// One overload, whose argument types are checked.
    Single,
    /// Several overloads, chosen by the argument types.
    Dispatched,
    /// A search with a precompiled pattern.
    Prepared,
}

/// A comprehension.
#[derive(Debug)]
pub(crate) struct Fold {
    /// The list or map.
    pub(crate) range: Step,
    /// The slot of the item.
    pub(crate) item: usize,
    /// The slot of the value, in comprehensions with two variables.
    pub(crate) second: Option<usize>,
    /// The slot of the accumulator.
    pub(crate) accumulator: usize,
    /// The initial accumulator.
    pub(crate) start: Step,
    /// The loop condition.
    pub(crate) condition: Step,
    /// The next accumulator.
    pub(crate) step: Step,
    /// The value of the comprehension.
    pub(crate) result: Step,
}
