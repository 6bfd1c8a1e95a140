//! Deletion of the content of a namespace: pods first, then everything else, without force.

use crate::discovery::{DiscoveredResources, Resource};
use crate::{Client, Failure};
use jiff::Timestamp;
use ratchet_object::{Node, percent_encode};
use std::collections::BTreeMap;

/// Seconds allowed for the removal of finalizers.
const FINALIZER_SECONDS: u64 = 15;

/// Finalizers of the garbage collector: a deletion with background propagation removes them.
const COLLECTOR_FINALIZERS: [&str; 2] = ["foregroundDeletion", "orphan"];

/// The result of one round of deletion.
#[derive(Debug, Default)]
pub(super) struct ContentDeletion {
    /// Messages of failures.
    pub(super) failures: Vec<String>,
    /// Seconds that the remaining content may need; 0 if nothing remains, or nothing is known.
    pub(super) wait: u64,
    /// Remaining objects by `resource.group`.
    pub(super) remaining: BTreeMap<String, usize>,
    /// The number of objects with each finalizer.
    pub(super) finalizers: BTreeMap<String, usize>,
}

/// The objects of one resource.
#[derive(Default)]
struct Inventory {
    count: usize,
    /// Names of objects for which a deletion would have an effect.
    deletable: Vec<String>,
    finalizers: BTreeMap<String, usize>,
    /// The longest termination grace period of a running pod.
    grace: u64,
}

impl Inventory {
    fn add(&mut self, object: &Node<'_>, is_pod: bool) {
        self.count += 1;
        // A terminating pod may end sooner now: its grace period was longer, or it has stopped
        // since.
        let mut deletable = is_pod || object.metadata().deletion_timestamp().is_empty();
        let finalizers = object.find(&["metadata", "finalizers"]).map(Node::items);
        for finalizer in finalizers.unwrap_or_default().iter().filter_map(Node::text) {
            *self.finalizers.entry(finalizer.to_owned()).or_default() += 1;
            deletable |= COLLECTOR_FINALIZERS.contains(&finalizer);
        }
        if deletable {
            self.deletable.push(object.metadata().name().to_owned());
        }
        let has_ended = matches!(object.text_at(&["status", "phase"]), "Succeeded" | "Failed");
        let grace = object.find(&["spec", "terminationGracePeriodSeconds"]).and_then(Node::as_int);
        if let Some(grace) = grace.filter(|_| !has_ended) {
            self.grace = self.grace.max(u64::try_from(grace).unwrap_or_default());
        }
    }
}

/// Deletes the content of the namespace. While there are pods, nothing else is deleted: they may
/// need it (a network policy, a secret) until they end.
pub(super) async fn delete_content(
    client: &Client,
    namespace: &Node<'_>,
    discovered: &DiscoveredResources,
) -> ContentDeletion {
    let mut deleter = ContentDeleter {
        client,
        namespace: namespace.metadata().name(),
        since: seconds_since(namespace.metadata().deletion_timestamp()),
        result: ContentDeletion::default(),
    };
    for only_pods in [true, false] {
        let matching = |resource: &&Resource| resource.namespaced && resource.supports("delete");
        let matching = discovered.resources.iter().filter(matching);
        for resource in matching.filter(|resource| resource.is_pods() == only_pods) {
            deleter.delete_resource(resource).await;
        }
        if !deleter.result.remaining.is_empty() {
            break;
        }
    }
    deleter.result
}

struct ContentDeleter<'c> {
    client: &'c Client,
    namespace: &'c str,
    /// Seconds since the deletion of the namespace.
    since: u64,
    result: ContentDeletion,
}

impl ContentDeleter<'_> {
    async fn delete_resource(&mut self, resource: &Resource) {
        let path = resource.path(self.namespace);
        let outcome = async {
            let before = self.inventory(resource, &path).await?;
            // Absent objects, and those already terminating, need no deletion.
            if before.as_ref().is_none_or(|inventory| !inventory.deletable.is_empty()) {
                let deletable = before
                    .as_ref()
                    .map(|inventory| inventory.deletable.as_slice())
                    .unwrap_or_default();
                self.delete(resource, &path, deletable).await?;
                return Ok((before, self.inventory(resource, &path).await?));
            }
            Ok::<_, Failure>((None, before))
        };
        match outcome.await {
            Err(failure) => self.result.failures.push(failure.message),
            Ok((before, Some(remaining))) if remaining.count > 0 => {
                let grace = before
                    .map_or(remaining.grace, |inventory| inventory.grace.max(remaining.grace));
                self.record_remaining(
                    resource,
                    if resource.is_pods() { grace } else { 0 },
                    remaining,
                );
            }
            Ok(_) => {}
        }
    }

    /// Records what remains. What nothing holds should be gone, so that this is a failure.
    fn record_remaining(&mut self, resource: &Resource, grace: u64, remaining: Inventory) {
        let estimate = if self.since < grace { grace } else { 0 };
        let finalizer_wait = if remaining.finalizers.is_empty() { 0 } else { FINALIZER_SECONDS };
        let wait = if estimate > 0 { estimate } else { finalizer_wait };
        if wait == 0 {
            self.result.failures.push(format!(
                "unexpected items still remain in namespace: {} for gvr: {}/{}, Resource={}",
                self.namespace, resource.group, resource.version, resource.name
            ));
        }
        self.result.wait = self.result.wait.max(wait);
        self.result
            .remaining
            .insert(format!("{}.{}", resource.name, resource.group), remaining.count);
        for (finalizer, count) in remaining.finalizers {
            *self.result.finalizers.entry(finalizer).or_default() += count;
        }
    }

    /// The existing objects; `None` if the API does not list the resource.
    async fn inventory(
        &self,
        resource: &Resource,
        path: &str,
    ) -> Result<Option<Inventory>, Failure> {
        if !resource.supports("list") {
            return Ok(None);
        }
        let mut inventory = Inventory::default();
        match self.client.list(path, |object| inventory.add(&object, resource.is_pods())).await {
            Err(failure) if failure.is_not_offered() => Ok(None),
            Err(failure) => Err(failure),
            Ok(_) => Ok(Some(inventory)),
        }
    }

    /// Deletes the collection or, where that is not supported, one object after another.
    async fn delete(
        &self,
        resource: &Resource,
        path: &str,
        deletable: &[String],
    ) -> Result<(), Failure> {
        if resource.supports("deletecollection") {
            match self.client.delete(path).await {
                Err(failure) if failure.is_not_offered() => {}
                result => return result,
            }
        }
        for name in deletable {
            match self.client.delete(&format!("{path}/{}", percent_encode(name))).await {
                Err(failure) if failure.is_not_offered() => {}
                result => result?,
            }
        }
        Ok(())
    }
}

/// Seconds since a time; 0 if it is in the future, or not a time.
fn seconds_since(time: &str) -> u64 {
    let time: Option<Timestamp> = time.parse().ok();
    let elapsed = time.map(|time| Timestamp::now().as_second() - time.as_second());
    u64::try_from(elapsed.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::parse_json;

    #[test]
    fn a_look_counts_and_keeps_the_longest_grace_of_living_pods() {
        let mut inventory = Inventory::default();
        for object in [
            r#"{"metadata":{"name":"a","finalizers":["x","y"]},"spec":{"terminationGracePeriodSeconds":30}}"#,
            r#"{"metadata":{"name":"b","finalizers":["x"],"deletionTimestamp":"t"}}"#,
            r#"{"metadata":{"name":"c"},"spec":{"terminationGracePeriodSeconds":90},"status":{"phase":"Failed"}}"#,
            r#"{"metadata":{"name":"d"},"spec":{"terminationGracePeriodSeconds":-1}}"#,
        ] {
            inventory.add(&parse_json(object.as_bytes()).expect("reads"), false);
        }
        assert_eq!((inventory.count, inventory.grace), (4, 30));
        assert_eq!(inventory.deletable, ["a", "c", "d"]);
        let finalizers: Vec<_> =
            inventory.finalizers.iter().map(|(k, n)| (k.as_str(), *n)).collect();
        assert_eq!(finalizers, [("x", 2), ("y", 1)]);
    }

    #[test]
    fn what_is_on_its_way_is_deleted_again_only_if_that_helps() {
        let deletable = |finalizer: &str, is_pod| {
            let object = format!(
                r#"{{"metadata":{{"name":"a","deletionTimestamp":"t","finalizers":["{finalizer}"]}}}}"#
            );
            let mut inventory = Inventory::default();
            inventory.add(&parse_json(object.as_bytes()).expect("reads"), is_pod);
            !inventory.deletable.is_empty()
        };
        assert!(!deletable("x", false));
        assert!(
            deletable("x", true)
                && deletable("orphan", false)
                && deletable("foregroundDeletion", false)
        );
    }

    #[test]
    fn no_time_and_the_future_are_now() {
        assert_eq!((seconds_since(""), seconds_since("2999-01-01T00:00:00Z")), (0, 0));
        assert!(seconds_since("2020-01-01T00:00:00Z") > 1_000_000);
    }
}
