//! Response: a `Reply` or a `StatusError` enters; an encoded, compressed and counted HTTP response leaves.

pub(crate) mod compress;
pub(crate) mod render;
pub(crate) mod respond;
mod transform;
