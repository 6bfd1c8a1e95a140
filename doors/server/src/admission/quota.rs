//! ResourceQuota: the usage of a request is charged in the commit that stores its object, or the request is denied.

use super::attributes::{attributes, subresource_of};
use super::plugin::{CommitConditions, PendingWrite, Plugin, PluginResult};
use super::pure::status_error;
use crate::app::metrics::Step;
use crate::app::request_cluster::RequestCluster;
use crate::app::resource_request::ResourceRequest;
use crate::registry::ServedResource;
use crate::status::StatusError;
use crate::storage::cache::{Item, storable};
use ratchet_admission::{Attributes, Denial, Operation, quota};
use ratchet_object::{ClusterReader, GroupVersionResource, Node};
use ratchet_store::{Guard, Revision, Write};
use std::sync::Arc;
use std::time::Instant;

/// `ResourceQuota`.
pub(super) struct ResourceQuota;

impl Plugin for ResourceQuota {
    fn name(&self) -> &'static str {
        "ResourceQuota"
    }

    fn conditions<'f, 'a: 'f>(
        &'f self,
        request: &'a ResourceRequest<'_>,
        write: &'f PendingWrite<'_>,
    ) -> PluginResult<'f, CommitConditions<'a>> {
        PluginResult::later(self.charge(request, write))
    }
}

impl ResourceQuota {
    /// Charges the quotas of the namespace for a write.
    async fn charge<'a>(
        &self,
        request: &'a ResourceRequest<'_>,
        write: &PendingWrite<'_>,
    ) -> Result<CommitConditions<'a>, StatusError> {
        let PendingWrite { part, new, old } = *write;
        let (part, operation) = match old {
            Some(_) => subresource_of(part),
            None => ("", Operation::Create),
        };
        let name = new.text_at(&["metadata", "name"]);
        let attributes = attributes(request, operation, part, name, old);
        let Some(resource) = request.app.registry.core("resourcequotas") else {
            return Ok(CommitConditions::default());
        };
        if !quota::counts(&attributes, new) || quotas_of(request, &resource)?.is_empty() {
            return Ok(CommitConditions::default());
        }
        let lock = request.app.quota_locks.lock(&request.path.namespace).await;
        request.app.cache.fresh().await?;
        let started = Instant::now();
        let items = quotas_of(request, &resource)?;
        let charged = charge_quotas(request, items, &attributes, new).await;
        let labels = (self.name(), Step::Validate, operation);
        request.app.metrics.plugin_ran(labels, charged.is_err(), started.elapsed());
        let charged = charged.map_err(|denial| status_error(request, name, denial))?;
        let write = |(item, after): (Arc<Item>, Node<'static>)| {
            let key = resource.key(&request.path.namespace, after.text_at(&["metadata", "name"]));
            let guard = Guard::At(Revision(item.revision));
            Ok(Write::put(&key, guard, storable(&after)?.bytes()))
        };
        let writes = charged.into_iter().map(write).collect::<Result<_, StatusError>>()?;
        Ok(CommitConditions { writes, lock })
    }
}

fn quotas_of(
    request: &ResourceRequest<'_>,
    resource: &ServedResource,
) -> Result<Vec<Arc<Item>>, StatusError> {
    let prefix = format!("{}/", request.path.namespace);
    let snapshot = resource.cache.now();
    match snapshot.unreadable_within(&prefix) {
        Some(found) => Err(found.into()),
        None => Ok(snapshot.within(&prefix).cloned().collect()),
    }
}

/// The quotas that a request changes, with their new contents.
async fn charge_quotas(
    request: &ResourceRequest<'_>,
    items: Vec<Arc<Item>>,
    attributes: &Attributes<'_>,
    new: &Node<'_>,
) -> Result<Vec<(Arc<Item>, Node<'static>)>, Denial> {
    let stored: Vec<Node<'static>> = items.iter().map(|item| item.node()).collect();
    let now = request.app.seconds();
    let mut quotas = stored.clone();
    recount(request, &mut quotas, now, |one| !quota::is_current(one)).await;
    let mut charged = quotas.clone();
    if quota::charge(attributes, new, &mut charged, now).is_err() {
        // Objects may have been deleted since the last count: a denial is based on a fresh one.
        recount(request, &mut quotas, now, |_| true).await;
        charged = quotas;
        quota::charge(attributes, new, &mut charged, now)?;
    }
    let pairs = items.into_iter().zip(&stored).zip(charged);
    let changed = pairs.filter(|((_, before), after)| *before != after);
    Ok(changed.map(|((item, _), after)| (item, after)).collect())
}

/// Counts for some of the quotas what is there. That decodes every object of the namespace, so it waits for a permit, and
/// for one that no list needs.
async fn recount(
    request: &ResourceRequest<'_>,
    quotas: &mut [Node<'static>],
    now: i64,
    is_counted: impl Fn(&Node<'_>) -> bool,
) {
    let mut counted: Vec<_> = quotas.iter_mut().filter(|one| is_counted(one)).collect();
    if counted.is_empty() {
        return;
    }
    let count = || {
        let cluster = RequestCluster::new(request.app, request.user);
        let list = |group: &str, resource: &str| {
            let served = request.app.registry.find_in_group(group, resource);
            let is_served = served.is_some_and(|served| served.row().namespaced);
            let resource = GroupVersionResource::any_version(group, resource);
            is_served.then(|| cluster.list(&resource, &request.path.namespace, usize::MAX))
        };
        counted.iter_mut().for_each(|one| quota::recount(one, &list, now));
    };
    request.app.compute.evaluate(true, count).await;
}
