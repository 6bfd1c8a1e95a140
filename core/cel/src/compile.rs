//! Compilation of an expression: parsed, checked, planned.

use crate::syntax::{self, SourceError};
use crate::{Environment, Issues, Program, check, plan};
use alloc::vec::Vec;

impl Environment {
    /// Parses and checks an expression.
    pub fn compile(&self, text: &str) -> Result<Program, Issues> {
        let source_error = |errors: Vec<SourceError>| Issues::of(text, errors);
        let (expr, count) = syntax::parse(text, self.version()).map_err(source_error)?;
        let checked = check::check(self, &expr, count).map_err(source_error)?;
        plan::plan(&expr, checked)
            .map_err(|(error, result)| Issues::instantiation(text, error, result))
    }
}
