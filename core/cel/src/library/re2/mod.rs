//! A parser of regular expressions in Go's RE2 syntax, with Go's error messages.

mod class;
mod error;
mod escape;
mod group;
mod parse;
#[cfg(test)]
mod tests;
mod text;
mod unicode;

pub(crate) use error::{PatternError, Reason};
pub(crate) use parse::parse;
