//! Emptying a namespace: pods first, then everything else, without forcing anything.

use crate::client::escaped;
use crate::discovery::{Discovered, Resource};
use crate::{Client, Failure};
use jiff::Timestamp;
use ratchet_object::Node;
use std::collections::BTreeMap;

/// So many seconds are given to those who must remove finalizers.
const FINALIZERS_NEED: u64 = 15;

/// Deletions that wait for dependents or let them go: ours, in the background, takes these out.
const OF_THE_COLLECTOR: [&str; 2] = ["foregroundDeletion", "orphan"];

/// What one round did.
#[derive(Debug, Default)]
pub(super) struct Swept {
    /// What failed, in words.
    pub(super) failures: Vec<String>,
    /// Seconds that what is left may need; none if nothing is left, or nothing is known.
    pub(super) wait: u64,
    /// What is left, `resource.group` each.
    pub(super) remaining: BTreeMap<String, usize>,
    /// How many objects each finalizer holds.
    pub(super) finalizers: BTreeMap<String, usize>,
}

/// What was seen of one resource.
#[derive(Default)]
struct Look {
    count: usize,
    /// Objects for which a deletion would do something.
    fresh: Vec<String>,
    finalizers: BTreeMap<String, usize>,
    /// The longest time that a pod may need to end.
    grace: u64,
}

impl Look {
    fn see(&mut self, object: &Node<'_>, is_pod: bool) {
        self.count += 1;
        // A pod that ends may end sooner now: its grace was longer, or it has stopped since.
        let mut fresh = is_pod || object.text_at(&["metadata", "deletionTimestamp"]).is_empty();
        let finalizers = object.find(&["metadata", "finalizers"]).map(Node::items);
        for finalizer in finalizers.unwrap_or_default().iter().filter_map(Node::text) {
            *self.finalizers.entry(finalizer.to_owned()).or_default() += 1;
            fresh |= OF_THE_COLLECTOR.contains(&finalizer);
        }
        if fresh {
            self.fresh.push(object.text_at(&["metadata", "name"]).to_owned());
        }
        let over = matches!(object.text_at(&["status", "phase"]), "Succeeded" | "Failed");
        let grace = object.find(&["spec", "terminationGracePeriodSeconds"]).and_then(Node::as_int);
        if let Some(grace) = grace.filter(|_| !over) {
            self.grace = self.grace.max(u64::try_from(grace).unwrap_or_default());
        }
    }
}

/// Deletes what is in the namespace. While there are pods, nothing else is touched: they may need
/// it (a network policy, a secret) until their end.
pub(super) async fn sweep(client: &Client, namespace: &Node<'_>, found: &Discovered) -> Swept {
    let mut broom = Broom {
        client,
        namespace: namespace.text_at(&["metadata", "name"]),
        since: seconds_since(namespace.text_at(&["metadata", "deletionTimestamp"])),
        swept: Swept::default(),
    };
    for pods in [true, false] {
        let held = |resource: &&Resource| resource.namespaced && resource.offers("delete");
        let held = found.resources.iter().filter(held);
        for resource in held.filter(|resource| resource.is_pods() == pods) {
            broom.sweep(resource).await;
        }
        if !broom.swept.remaining.is_empty() {
            break;
        }
    }
    broom.swept
}

struct Broom<'c> {
    client: &'c Client,
    namespace: &'c str,
    /// Seconds since the namespace was deleted.
    since: u64,
    swept: Swept,
}

impl Broom<'_> {
    async fn sweep(&mut self, resource: &Resource) {
        let path = resource.path(self.namespace);
        let outcome = async {
            let before = self.look(resource, &path).await?;
            // What is not there, or on its way already, needs no deletion.
            if before.as_ref().is_none_or(|look| !look.fresh.is_empty()) {
                let fresh = before.as_ref().map(|look| look.fresh.as_slice()).unwrap_or_default();
                self.delete(resource, &path, fresh).await?;
                return Ok((before, self.look(resource, &path).await?));
            }
            Ok::<_, Failure>((None, before))
        };
        match outcome.await {
            Err(failure) => self.swept.failures.push(failure.message),
            Ok((before, Some(left))) if left.count > 0 => {
                let grace = before.map_or(left.grace, |look| look.grace.max(left.grace));
                self.note(resource, if resource.is_pods() { grace } else { 0 }, left);
            }
            Ok(_) => {}
        }
    }

    /// Notes what is left. What nothing holds should be gone, so that this is a failure.
    fn note(&mut self, resource: &Resource, grace: u64, left: Look) {
        let estimate = if self.since < grace { grace } else { 0 };
        let held = if left.finalizers.is_empty() { 0 } else { FINALIZERS_NEED };
        let wait = if estimate > 0 { estimate } else { held };
        if wait == 0 {
            self.swept.failures.push(format!(
                "unexpected items still remain in namespace: {} for gvr: {}/{}, Resource={}",
                self.namespace, resource.group, resource.version, resource.name
            ));
        }
        self.swept.wait = self.swept.wait.max(wait);
        self.swept.remaining.insert(format!("{}.{}", resource.name, resource.group), left.count);
        for (finalizer, count) in left.finalizers {
            *self.swept.finalizers.entry(finalizer).or_default() += count;
        }
    }

    /// What is there; none if the API does not list it.
    async fn look(&self, resource: &Resource, path: &str) -> Result<Option<Look>, Failure> {
        if !resource.offers("list") {
            return Ok(None);
        }
        let mut look = Look::default();
        match self.client.list(path, |object| look.see(&object, resource.is_pods())).await {
            Err(failure) if failure.is_not_offered() => Ok(None),
            Err(failure) => Err(failure),
            Ok(_) => Ok(Some(look)),
        }
    }

    /// Deletes the collection or, where that is not offered, one object after another.
    async fn delete(
        &self,
        resource: &Resource,
        path: &str,
        fresh: &[String],
    ) -> Result<(), Failure> {
        if resource.offers("deletecollection") {
            match self.client.delete(path).await {
                Err(failure) if failure.is_not_offered() => {}
                answered => return answered,
            }
        }
        for name in fresh {
            match self.client.delete(&format!("{path}/{}", escaped(name))).await {
                Err(failure) if failure.is_not_offered() => {}
                answered => answered?,
            }
        }
        Ok(())
    }
}

/// Seconds since a time; none if it is in the future, or no time.
fn seconds_since(time: &str) -> u64 {
    let time: Option<Timestamp> = time.parse().ok();
    let passed = time.map(|time| Timestamp::now().as_second() - time.as_second());
    u64::try_from(passed.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::read;

    #[test]
    fn a_look_counts_and_keeps_the_longest_grace_of_living_pods() {
        let mut look = Look::default();
        for object in [
            r#"{"metadata":{"name":"a","finalizers":["x","y"]},"spec":{"terminationGracePeriodSeconds":30}}"#,
            r#"{"metadata":{"name":"b","finalizers":["x"],"deletionTimestamp":"t"}}"#,
            r#"{"metadata":{"name":"c"},"spec":{"terminationGracePeriodSeconds":90},"status":{"phase":"Failed"}}"#,
            r#"{"metadata":{"name":"d"},"spec":{"terminationGracePeriodSeconds":-1}}"#,
        ] {
            look.see(&read(object.as_bytes()).expect("reads"), false);
        }
        assert_eq!((look.count, look.grace), (4, 30));
        assert_eq!(look.fresh, ["a", "c", "d"]);
        let finalizers: Vec<_> = look.finalizers.iter().map(|(k, n)| (k.as_str(), *n)).collect();
        assert_eq!(finalizers, [("x", 2), ("y", 1)]);
    }

    #[test]
    fn what_is_on_its_way_is_deleted_again_only_if_that_helps() {
        let fresh = |finalizer: &str, is_pod| {
            let object = format!(
                r#"{{"metadata":{{"name":"a","deletionTimestamp":"t","finalizers":["{finalizer}"]}}}}"#
            );
            let mut look = Look::default();
            look.see(&read(object.as_bytes()).expect("reads"), is_pod);
            !look.fresh.is_empty()
        };
        assert!(!fresh("x", false));
        assert!(fresh("x", true) && fresh("orphan", false) && fresh("foregroundDeletion", false));
    }

    #[test]
    fn no_time_and_the_future_are_now() {
        assert_eq!((seconds_since(""), seconds_since("2999-01-01T00:00:00Z")), (0, 0));
        assert!(seconds_since("2020-01-01T00:00:00Z") > 1_000_000);
    }
}
