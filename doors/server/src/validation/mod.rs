//! Validation: a create or update with its objects enters; errors leave as one `Invalid` status, and the verdict of the
//! engine's plugins as a `Judgement`.

pub(crate) mod csr;
mod device_rights;
mod judgement;
mod pod_certificate;
mod policy_rights;
mod public_key;
mod trust_bundle;

pub(crate) use judgement::{Judgement, judge};
