//! Rules of `x-kubernetes-validations`: compiled once, then evaluated on objects.

mod compile;
mod evaluate;
mod field_path;
#[cfg(test)]
mod tests;

pub(crate) use compile::{Compiler, ExistingExpressions, RuleTree};
pub(crate) use evaluate::Evaluation;
pub(crate) use field_path::valid_field_path;

use alloc::string::String;
use ratchet_cel::{Environment, Program};

/// The CEL environments of rules. Making them takes a while: make them once.
#[derive(Clone, Debug)]
pub struct Environments {
    /// For new rules, which an older server must be able to compile as well.
    pub(crate) new: Environment,
    /// For stored rules.
    pub(crate) stored: Environment,
}

impl Environments {
    /// The environments of a server of a release, given by its minor number.
    pub fn of_release(minor: u32) -> Self {
        Self {
            new: Environment::kubernetes((1, minor.saturating_sub(1))),
            stored: Environment::kubernetes((1, minor)),
        }
    }
}

/// One of `x-kubernetes-validations`, or why it cannot be evaluated.
#[derive(Debug)]
pub(crate) struct CompiledRule {
    /// The rule itself; `None` if it is empty or did not compile.
    pub(crate) program: Option<Program>,
    /// Why the rule did not compile.
    pub(crate) error: Option<String>,
    /// The expression for the message, and its text.
    pub(crate) message: Option<(Program, String)>,
    /// Why the expression for the message did not compile.
    pub(crate) message_error: Option<String>,
    pub(crate) uses_old_self: bool,
    pub(crate) optional_old_self: bool,
    /// What the rule costs at worst.
    pub(crate) max_cost: u64,
    /// How often the rule is evaluated at worst, if nothing bounds the lists and maps around it.
    pub(crate) max_cardinality: u64,
    /// What the message costs at worst.
    pub(crate) message_max_cost: u64,
    /// What the rule is called in messages: its message, or its expression.
    pub(crate) text: String,
    /// What a violation is answered with where no expression gives the message.
    pub(crate) detail: String,
    pub(crate) reason: Reason,
    /// The field of the error, relative to the rule's own.
    pub(crate) field_path: String,
}

/// The reason of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Invalid,
    Forbidden,
    Required,
    Duplicate,
}
