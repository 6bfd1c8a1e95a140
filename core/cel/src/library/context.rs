//! Context of a call: the room that is left for what it builds, and the patterns compiled before.

use super::pattern::{Regex, compile};
use crate::compare::equal_in;
use crate::{EvalError, Value};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::cell::Cell;

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
    pub fn room(&self, length: usize) -> Result<(), EvalError> {
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        let left = self.room.get().checked_sub(length).ok_or_else(EvalError::over_budget)?;
        self.room.set(left);
        Ok(())
    }

    /// Whether two values are equal; comparing takes room too, since the cost of an evaluation
    /// does not reflect how much there is to compare.
    pub(crate) fn equal(&self, one: &Value<'_>, other: &Value<'_>) -> Result<bool, EvalError> {
        let mut left = self.room.get();
        let equal = equal_in(&mut left, one, other);
        self.room.set(left);
        equal
    }

    pub(crate) fn room_left(&self) -> u64 {
        self.room.get()
    }

    /// A compiled pattern; constant patterns were compiled before.
    pub(crate) fn regex(&self, pattern: &str) -> Result<Arc<Regex>, String> {
        if let Some(compiled) = self.prepared.and_then(|prepared| prepared.patterns.get(pattern)) {
            return Ok(compiled.clone());
        }
        compile(pattern).map(Arc::new)
    }
}

/// What is computed once for all evaluations of an expression.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    patterns: BTreeMap<String, Arc<Regex>>,
}

impl Prepared {
    /// Compiles a constant pattern.
    pub(crate) fn prepare(&mut self, pattern: &str) -> Result<(), EvalError> {
        if !self.patterns.contains_key(pattern) {
            let compiled = compile(pattern).map_err(EvalError::new)?;
            self.patterns.insert(pattern.to_string(), Arc::new(compiled));
        }
        Ok(())
    }
}
