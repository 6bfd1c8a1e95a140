//! The objects that a token can be bound to: service accounts, pods, secrets and nodes.

use jiff::Timestamp;
use ratchet_object::{ClusterReader, GroupVersionResource, Node};

pub(crate) const SERVICE_ACCOUNTS: GroupVersionResource<'_> =
    GroupVersionResource::any_version("", "serviceaccounts");
pub(crate) const PODS: GroupVersionResource<'_> = GroupVersionResource::any_version("", "pods");
pub(crate) const SECRETS: GroupVersionResource<'_> =
    GroupVersionResource::any_version("", "secrets");
pub(crate) const NODES: GroupVersionResource<'_> = GroupVersionResource::any_version("", "nodes");

/// How long a token outlives the request to delete the object that it is bound to, in seconds.
const DELETION_GRACE: i64 = 60;

/// The uid of an object. `None` if it does not exist, or if its deletion was requested more than a minute ago.
pub(crate) fn uid(
    cluster: &dyn ClusterReader,
    resource: &GroupVersionResource<'_>,
    (namespace, name): (&str, &str),
    now: i64,
) -> Option<String> {
    let object = cluster.get(resource, namespace, name)?;
    let deletion = object.text_at(&["metadata", "deletionTimestamp"]).parse::<Timestamp>();
    let is_deleted = deletion.is_ok_and(|at| now - at.as_second() > DELETION_GRACE);
    (!is_deleted).then(|| object.text_at(&["metadata", "uid"]).to_owned())
}

/// The secret of a bootstrap token or of a token that is stored; `None` if its deletion was requested.
pub(crate) fn secret(
    cluster: &dyn ClusterReader,
    namespace: &str,
    name: &str,
) -> Option<Node<'static>> {
    let secret = cluster.get(&SECRETS, namespace, name)?;
    secret.text_at(&["metadata", "deletionTimestamp"]).is_empty().then_some(secret)
}
