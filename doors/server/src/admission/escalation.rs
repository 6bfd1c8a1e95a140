//! RBAC escalation check: a role or binding may not grant more than its writer has.

use crate::app::resource_request::ResourceRequest;
use crate::status::{About, StatusError};
use ratchet_access::{Attributes, EscalationError, Grant, Resource, Target};
use ratchet_object::Node;

const GROUP: &str = "rbac.authorization.k8s.io";

/// Rejects a role or binding that grants more than its writer has.
pub(crate) fn escalation(
    request: &ResourceRequest<'_>,
    new: &Node<'_>,
    old: Option<&Node<'_>>,
) -> Result<(), StatusError> {
    let row = request.resource.row();
    if row.group != GROUP {
        return Ok(());
    }
    let target = Resource {
        group: GROUP,
        version: row.version,
        resource: row.plural,
        namespace: &request.path.namespace,
        name: &request.path.name,
        ..Resource::default()
    };
    let verb = if old.is_some() { "update" } else { "create" };
    let attributes = Attributes { user: request.user, verb, target: Target::Resource(target) };
    let authorizer = &request.app.authorizer;
    let allowed = |attributes: &Attributes<'_>| authorizer.decide(attributes).is_allowed();
    let result = authorizer.rbac().rules.escalation(&Grant { attributes, new, old }, &allowed);
    result.map_err(|denial| match denial {
        EscalationError::Forbidden(why) => {
            let about = request.resource.about(new.text_at(&["metadata", "name"]));
            StatusError::forbidden(about, &why)
        }
        EscalationError::NotFound { resource, name } => {
            StatusError::not_found(About { group: GROUP, resource, name: &name })
        }
        EscalationError::BadRequest(why) => StatusError::bad_request(why),
        EscalationError::Internal(why) => StatusError::internal(why),
    })
}
