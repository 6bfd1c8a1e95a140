//! What the server itself writes into objects while they live.

mod habits;
pub mod metadata;
mod prepare;

pub use habits::{Generation, Habits, habits};
pub use prepare::{Moment, prepare_create, prepare_update};
