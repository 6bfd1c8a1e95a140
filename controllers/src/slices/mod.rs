//! What an EndpointSlice is made of, and the writes that a plan asks for.

mod carry;
mod endpoint;
mod port;
mod slice;

pub(crate) use carry::{Carried, carry_out};
pub(crate) use endpoint::{Endpoint, EndpointKey, Hints, Reference};
pub(crate) use port::Port;
pub(crate) use slice::{Slice, annotate, annotate_all, is_owned, owner};

use ratchet_object::Node;

/// Names the Service that a slice belongs to.
pub(crate) const SERVICE_NAME: &str = "kubernetes.io/service-name";

/// Names the controller that keeps a slice.
pub(crate) const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";

/// Where all slices are.
pub(crate) const SLICES: &str = "/apis/discovery.k8s.io/v1/endpointslices";

/// Where Services, Pods and Endpoints are.
pub(crate) const SERVICES: &str = "/api/v1/services";
pub(crate) const PODS: &str = "/api/v1/pods";
pub(crate) const ENDPOINTS: &str = "/api/v1/endpoints";

/// One thing that a plan asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Write {
    /// Make this object; it has no name yet, or the one that it shall have.
    Create(Node<'static>),
    /// Replace the object of this name and version.
    Update(Node<'static>),
    /// Delete this object.
    Delete(crate::Shared),
}

/// What generated names begin with. A dash makes them prettier, unless the name is too long for it.
pub(crate) fn prefix(name: &str) -> String {
    const LONGEST: usize = 253;
    if name.len() < LONGEST { format!("{name}-") } else { name.to_owned() }
}
