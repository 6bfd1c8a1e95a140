//! Evaluation errors, and the cost budget of an evaluation.

use alloc::string::String;
use core::fmt;

/// An evaluation error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// cel-go's message: `no such key: x`.
    pub message: String,
    /// Whether it can be recovered from.
    pub kind: EvalErrorKind,
    /// The offset of the failing subexpression, in code points, if it is known.
    pub at: Option<u32>,
}

/// The kinds of evaluation errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalErrorKind {
    /// An error of the expression, which `&&` and `||` may discard.
    Ordinary,
    /// The budget is spent; nothing recovers from that.
    OverBudget,
}

/// cel-go's message for an expression that exceeded its cost limit.
pub const OVER_BUDGET: &str = "operation cancelled: actual cost limit exceeded";

impl EvalError {
    /// An ordinary error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), kind: EvalErrorKind::Ordinary, at: None }
    }

    /// The error that no overload takes arguments of these types.
    pub fn no_such_overload() -> Self {
        Self::new("no such overload")
    }

    /// This error with an offset, unless it has one.
    pub(crate) fn or_at(self, at: u32) -> Self {
        Self { at: self.at.or(Some(at)), ..self }
    }

    /// The error that the budget is spent.
    pub fn over_budget() -> Self {
        Self { message: OVER_BUDGET.into(), kind: EvalErrorKind::OverBudget, at: None }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for EvalError {}

/// The cost that an evaluation may still incur.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: u64,
    spent: u64,
}

impl Budget {
    /// A budget of `limit` units.
    pub fn new(limit: u64) -> Self {
        Self { limit, spent: 0 }
    }

    /// The cost so far, which may exceed the limit.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// The units that are left.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent)
    }

    /// Charges `units`; exceeding the limit ends the evaluation.
    pub fn spend(&mut self, units: u64) -> Result<(), EvalError> {
        self.spent = self.spent.saturating_add(units);
        if self.spent > self.limit { Err(EvalError::over_budget()) } else { Ok(()) }
    }
}
