//! What the server itself writes into objects while they live.

mod habits;
pub mod metadata;
mod prepare;

pub use habits::{Habits, habits};
pub use prepare::{Moment, prepare_create, prepare_update};
