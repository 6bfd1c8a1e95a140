//! `Program`: a compiled expression, ready to be evaluated.

use crate::Type;
use crate::library::Prepared;
use crate::plan::Step;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A compiled expression, which can be evaluated any number of times.
#[derive(Debug)]
pub struct Program {
    pub(crate) root: Step,
    pub(crate) result: Type,
    pub(crate) variables: Vec<Arc<str>>,
    pub(crate) slots: usize,
    pub(crate) prepared: Prepared,
    pub(crate) height: u32,
}

impl Program {
    /// The type of its value.
    pub fn result(&self) -> &Type {
        &self.result
    }

    /// The nesting depth of its expressions: the stack that an evaluation takes is proportional to it.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Whether it references a variable.
    pub fn uses(&self, variable: &str) -> bool {
        self.variables.iter().any(|referenced| &**referenced == variable)
    }
}
