//! Why an evaluation has no value, and what it may spend.

use alloc::string::String;
use core::fmt;

/// Why an evaluation has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// cel-go's words: `no such key: x`.
    pub message: String,
    /// Which sort.
    pub kind: FaultKind,
    /// Where the part of the expression stands that failed, in code points, if it is known.
    pub at: Option<u32>,
}

/// The sorts of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An error of the expression, which `&&` and `||` may forgive.
    Ordinary,
    /// The budget is spent; nothing forgives that.
    OverBudget,
}

/// What an expression says that spent all it may.
pub const OVER_BUDGET: &str = "operation cancelled: actual cost limit exceeded";

impl Fault {
    /// An error of the expression.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), kind: FaultKind::Ordinary, at: None }
    }

    /// No function takes arguments of these types.
    pub fn no_such_overload() -> Self {
        Self::new("no such overload")
    }

    /// The same fault, which happened at a place unless it knows better.
    pub(crate) fn or_at(self, at: u32) -> Self {
        Self { at: self.at.or(Some(at)), ..self }
    }

    /// The budget is spent.
    pub fn over_budget() -> Self {
        Self { message: OVER_BUDGET.into(), kind: FaultKind::OverBudget, at: None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for Fault {}

/// What an evaluation may still spend.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: u64,
    spent: u64,
}

impl Budget {
    /// A budget of so many units.
    pub fn new(limit: u64) -> Self {
        Self { limit, spent: 0 }
    }

    /// What has been spent, also where that is more than there was.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// What is left.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent)
    }

    /// Spends `units`; more than there is ends the evaluation.
    pub fn spend(&mut self, units: u64) -> Result<(), Fault> {
        self.spent = self.spent.saturating_add(units);
        if self.spent > self.limit { Err(Fault::over_budget()) } else { Ok(()) }
    }
}
