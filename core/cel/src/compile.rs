//! Compilation of an expression: parsed, checked, planned.

use crate::cost::{self, CostEstimate};
use crate::decl::DeclType;
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

    /// Parses and checks an expression, and estimates what it costs at worst if its variables are of the type `root`.
    pub fn compile_with_cost(
        &self,
        text: &str,
        root: &DeclType,
    ) -> Result<(Program, CostEstimate), Issues> {
        let source_error = |errors: Vec<SourceError>| Issues::of(text, errors);
        let (expr, count) = syntax::parse(text, self.version()).map_err(source_error)?;
        let checked = check::check(self, &expr, count).map_err(source_error)?;
        let cost = cost::estimate(&expr, &checked, root);
        let program = plan::plan(&expr, checked)
            .map_err(|(error, result)| Issues::instantiation(text, error, result))?;
        Ok((program, cost))
    }
}
