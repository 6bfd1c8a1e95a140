//! Objects of every kind with every field damaged, sent to two API servers whose answers are compared.
//!
//! `cargo xtask damage --server URL --compare URL` runs it. A base is a whole object; the schemas say which fields it could
//! have, `damages` what is done to a field of each shape, and every answer of the first server must be that of the second.

mod answer;
mod args;
mod bases;
mod damages;
mod members;
mod path;
mod report;
mod run;

pub use args::DamageArgs;
pub use report::{Difference, Report};
pub use run::run;
