//! Validation: a create or update with its objects enters; errors leave as one `Invalid` status, and the verdict of the
//! engine's plugins as a `Judgement`.

pub(crate) mod csr;
mod device_rights;
mod judgement;
mod policy_rights;

pub(crate) use judgement::{Judgement, judge};
