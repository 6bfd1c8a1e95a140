//! Parts of EndpointSlices, and the writes of a plan.

mod apply;
mod endpoint;
mod port;
mod slice;

pub(crate) use apply::{WriteOutcome, apply_writes};
pub(crate) use endpoint::{Endpoint, EndpointKey, Hints, Reference};
pub(crate) use port::Port;
pub(crate) use slice::{Slice, annotate, annotate_all, is_owned, owner};

use ratchet_object::Node;

/// The label with the Service of a slice.
pub(crate) const SERVICE_NAME: &str = "kubernetes.io/service-name";

/// The label with the controller of a slice.
pub(crate) const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";

/// The path of all slices.
pub(crate) const SLICES: &str = "/apis/discovery.k8s.io/v1/endpointslices";

/// The paths of all Services, Pods and Endpoints.
pub(crate) const SERVICES: &str = "/api/v1/services";
pub(crate) const PODS: &str = "/api/v1/pods";
pub(crate) const ENDPOINTS: &str = "/api/v1/endpoints";

/// One write of a plan.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Write {
    /// Create this object; it has `generateName` or a name.
    Create(Node<'static>),
    /// Replace the object of this name and version.
    Update(Node<'static>),
    Delete(crate::Shared),
}

/// The prefix of generated names. It ends in a dash, unless the name is too long for it.
pub(crate) fn prefix(name: &str) -> String {
    const LONGEST: usize = 253;
    if name.len() < LONGEST { format!("{name}-") } else { name.to_owned() }
}
