//! Nobody gives what they do not have: roles and bindings are looked at before they are validated.

use crate::resource_request::ResourceRequest;
use crate::status::{About, StatusError};
use ratchet_access::{Attempt, Grant, Refusal as No, Resource, Target};
use ratchet_object::Node;

const GROUP: &str = "rbac.authorization.k8s.io";

/// Refuses a role or binding that gives more than its writer has.
pub(crate) fn escalation(
    request: &ResourceRequest<'_>,
    new: &Node<'_>,
    old: Option<&Node<'_>>,
) -> Result<(), StatusError> {
    let row = request.resource.row;
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
    let attempt = Attempt { user: request.user, verb, target: Target::Resource(target) };
    let authorizer = &request.app.authorizer;
    let allowed = |attempt: &Attempt<'_>| authorizer.decide(attempt).is_allowed();
    let checked = authorizer.book().rules.escalation(&Grant { attempt, new, old }, &allowed);
    checked.map_err(|no| match no {
        No::Forbidden(why) => {
            let about = request.resource.about(new.text_at(&["metadata", "name"]));
            StatusError::forbidden(about, &why)
        }
        No::NotFound { resource, name } => {
            StatusError::not_found(About { group: GROUP, resource, name: &name })
        }
        No::BadRequest(why) => StatusError::bad_request(why),
        No::Internal(why) => StatusError::internal(why),
    })
}
