//! What measurements of a server share: arguments, connections, the server's process, figures.
#![allow(dead_code, reason = "a measurement uses a part of it")]

pub(crate) mod arguments;
pub(crate) mod client;
pub(crate) mod figures;
pub(crate) mod process;
pub(crate) mod times;
