//! Admission attributes of a request, as plugins see them.

use crate::app::resource_request::ResourceRequest;
use ratchet_admission::{Attributes, Operation};
use ratchet_engine::Part;
use ratchet_object::Node;

/// The admission attributes of a request.
pub(super) fn attributes<'a>(
    request: &'a ResourceRequest<'_>,
    operation: Operation,
    part: &'a str,
    name: &'a str,
    old: Option<&'a Node<'a>>,
) -> Attributes<'a> {
    let row = request.resource.row();
    Attributes {
        operation,
        group: row.group,
        version: row.version,
        resource: row.plural,
        subresource: part,
        namespace: if row.namespaced { &request.path.namespace } else { "" },
        name,
        user: request.user,
        minor: request.app.api_config.emulated.minor(),
        old,
    }
}

/// Subresource and operation of an update; `binding` counts as a create.
pub(super) fn subresource_of(part: Part) -> (&'static str, Operation) {
    match part {
        Part::Main => ("", Operation::Update),
        Part::Sub("binding") => ("binding", Operation::Create),
        Part::Sub(name) => (name, Operation::Update),
    }
}
