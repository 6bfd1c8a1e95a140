//! Reading requests: what is asked, of what, and in which form the answer should be.

pub mod accept;
pub mod ask;
mod percent;
pub mod query;

pub use accept::{Form, Media, Output};
pub use ask::{Ask, Place, Target};
pub use query::Params;
