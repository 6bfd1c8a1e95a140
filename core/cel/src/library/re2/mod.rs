//! Regular expressions in the syntax of RE2 as Go reads it, with Go's words for what is wrong.

mod class;
mod escape;
mod fault;
mod group;
mod parse;
#[cfg(test)]
mod tests;
mod text;
mod unicode;

pub(crate) use fault::{Fault, Reason};
pub(crate) use parse::parse;
