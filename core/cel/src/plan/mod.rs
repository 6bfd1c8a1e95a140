//! What is to be done to evaluate an expression: names resolved, constants folded.

mod build;
mod calls;

pub(crate) use build::plan;

use crate::Value;
use crate::environment::Known;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Something to be done, which comes to a value.
#[derive(Debug)]
pub(crate) enum Step {
    /// Costs nothing.
    Constant(Value<'static>),
    /// A variable or another value, and what is looked up in it.
    Attribute(Box<Attribute>),
    /// All must be true.
    And(Vec<Self>),
    /// One must be true.
    Or(Vec<Self>),
    /// `==`, or `!=`.
    Equal { sides: Box<(Self, Self)>, negated: bool, at: u32 },
    /// Membership in a constant list.
    Among { item: Box<Self>, set: Arc<[Value<'static>]> },
    /// Anything but false, errors too.
    NotFalse(Box<Self>),
    /// A function.
    Call(Box<Call>),
    /// A list.
    List(Vec<(Self, bool)>),
    /// A map.
    Map(Vec<(Self, Self, bool)>),
    /// A loop.
    Fold(Box<Fold>),
    /// What a loop carries, and more: lists grow in place.
    Append { slot: usize, added: Box<Self> },
    /// The same for maps: the key and the value, or a map.
    Insert { slot: usize, added: Vec<Self> },
    /// The first if it has a value, else the second; `unwrap` takes the value out of the first.
    OptionalOr { sides: Box<(Self, Self)>, unwrap: bool },
}

/// A value and what is looked up in it, step by step.
#[derive(Debug)]
pub(crate) struct Attribute {
    /// Where it begins.
    pub(crate) root: Root,
    /// What is looked up.
    pub(crate) keys: Vec<Key>,
    /// What it costs by itself.
    pub(crate) cost: u64,
    /// Whether only presence is asked for.
    pub(crate) test: bool,
}

/// Where an attribute begins.
#[derive(Debug)]
pub(crate) enum Root {
    /// A name of a loop.
    Local(usize),
    /// A variable; a lazy one computes its fields when they are asked for.
    Variable { index: usize, lazy: bool },
    /// Any other value.
    Step(Step),
    /// One of two attributes.
    Choice(Box<(Step, Attribute, Attribute)>),
}

/// What is looked up in a value.
#[derive(Debug)]
pub(crate) struct Key {
    /// Which key.
    pub(crate) what: Sought,
    /// Whether it may be missing.
    pub(crate) optional: bool,
    /// Whether only its presence is asked for.
    pub(crate) test: bool,
    /// Where it stands.
    pub(crate) at: u32,
}

/// Which key is looked up.
#[derive(Debug)]
pub(crate) enum Sought {
    /// A constant.
    Constant(Value<'static>),
    /// What an attribute comes to, at no cost of its own.
    Attribute(Attribute),
    /// What a step comes to.
    Step(Step),
}

/// A call of a function.
#[derive(Debug)]
pub(crate) struct Call {
    /// Its name.
    pub(crate) function: String,
    /// What it can mean.
    pub(crate) overloads: Vec<Known>,
    /// Its arguments, the receiver first.
    pub(crate) arguments: Vec<Step>,
    /// How arguments and functions come together.
    pub(crate) style: Style,
    /// Where it stands.
    pub(crate) at: u32,
}

/// How arguments and functions come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// One function for all types, which judges its arguments itself.
    Operator,
    /// One function, whose types are checked.
    Single,
    /// Several functions, of which the types choose.
    Dispatched,
    /// A search with a pattern that is compiled already.
    Prepared,
}

/// A loop.
#[derive(Debug)]
pub(crate) struct Fold {
    /// What is gone through.
    pub(crate) range: Step,
    /// Where the item is kept.
    pub(crate) item: usize,
    /// Where the value is kept, in loops with two names.
    pub(crate) second: Option<usize>,
    /// Where what is carried is kept.
    pub(crate) carried: usize,
    /// What is carried into the first round.
    pub(crate) start: Step,
    /// Whether to go on.
    pub(crate) condition: Step,
    /// What is carried out of a round.
    pub(crate) step: Step,
    /// What the loop comes to.
    pub(crate) result: Step,
}
