//! Handler chain: a request of a listener or of this process enters; limited, authenticated, authorized and routed it
//! leaves as a response.

pub(crate) mod backup;
pub(crate) mod documents;
mod flow_control;
pub(crate) mod loopback;
pub(crate) mod route;
pub(crate) mod server;
