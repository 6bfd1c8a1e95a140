//! `PolicyContext` of a request: equivalent resources, conversions, the authorizer, a clock.

use crate::app::App;
use crate::app::request_cluster::RequestCluster;
use crate::registry::ServedResource;
use ratchet_access::{Attributes, Resource, Target, User};
use ratchet_object::Node;
use ratchet_policy::authz::{self, Authorize};
use ratchet_policy::{Equivalent, GroupVersionKind, GroupVersionResource, PolicyContext};
use std::sync::Arc;

/// The `authorizer` variable of CEL expressions.
struct Asker {
    app: Arc<App>,
    user: User,
}

impl std::fmt::Debug for Asker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Asker").field(&self.user).finish()
    }
}

impl Authorize for Asker {
    fn decide(&self, ask: &authz::AuthorizationCheck) -> authz::Decision {
        let account;
        let user = match &ask.account {
            None => &self.user,
            Some((namespace, name)) => {
                account = User::service_account(namespace, name);
                &account
            }
        };
        let target = match &ask.target {
            authz::Target::Path(path) => Target::Path(path),
            authz::Target::Resource(resource) => Target::Resource(Resource {
                group: &resource.group,
                version: "*",
                resource: &resource.resource,
                subresource: &resource.subresource,
                namespace: &resource.namespace,
                name: &resource.name,
                field_selector: &resource.field_selector,
            }),
        };
        let decision = self.app.authorizer.decide(&Attributes { user, verb: &ask.verb, target });
        authz::Decision {
            allowed: decision.is_allowed(),
            reason: decision.reason().to_owned(),
            error: None,
        }
    }
}

impl PolicyContext for RequestCluster<'_> {
    fn equivalents(
        &self,
        resource: &GroupVersionResource<'_>,
        subresource: &str,
    ) -> Vec<Equivalent> {
        let GroupVersionResource { group, version, resource } = *resource;
        let Some(own) = self.app.registry.find(group, version, resource) else { return Vec::new() };
        let is_same = |candidate: &&Arc<ServedResource>| {
            let has_part = || candidate.row().subresource(subresource).is_some();
            candidate.shares_storage(&own) && (subresource.is_empty() || has_part())
        };
        let name = |candidate: &Arc<ServedResource>| {
            let row = candidate.row();
            let (group, version) = (row.group.to_owned(), row.version.to_owned());
            let kind = (group.clone(), version.clone(), row.kind.to_owned());
            Equivalent { group, version, resource: row.plural.to_owned(), kind }
        };
        let served = self.app.registry.now();
        served.sharing(&own).iter().filter(is_same).map(name).collect()
    }

    fn converted(&self, object: &Node<'_>, kind: &GroupVersionKind<'_>) -> Option<Node<'static>> {
        self.find_kind(kind)?.converted(object)
    }

    fn authorizer(&self) -> Option<Arc<dyn Authorize>> {
        Some(Arc::new(Asker { app: self.app.clone(), user: self.user.clone() }))
    }

    fn nanoseconds(&self) -> u64 {
        u64::try_from(self.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
