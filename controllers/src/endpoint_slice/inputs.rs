//! Inputs of a plan: a Service, its pods and its slices.

use super::topology::Ratios;
use crate::Shared;
use crate::pod::Pod;
use crate::service::Service;
use jiff::Timestamp;

/// The inputs of a plan.
pub(crate) struct SliceInputs<'a> {
    pub(crate) service: &'a Service<'a>,
    /// The pods that the Service selects.
    pub(crate) pods: &'a [Pod<'a>],
    /// The zone of a node, empty if it has none; `None` if there is no such node.
    pub(crate) zone: &'a dyn Fn(&str) -> Option<String>,
    /// The share of the cluster's CPU in each zone, if known.
    pub(crate) ratios: Option<&'a Ratios>,
    /// This controller's slices of the Service, without those that are being deleted, ordered by
    /// name.
    pub(crate) slices: &'a [Shared],
    /// When the change happened that triggers the writes.
    pub(crate) trigger: Option<Timestamp>,
}
