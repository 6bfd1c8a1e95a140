//! The value of `--behavior`, which several commands have.

use clap::ValueEnum;

/// The side that decides where a proposal and released Kubernetes differ.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum BehaviorArg {
    /// As the proposals say. Default of serve and webhook.
    Proposal,
    /// As released Kubernetes does. Default of check.
    Released,
}
