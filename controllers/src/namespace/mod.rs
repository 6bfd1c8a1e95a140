//! Controller that finishes the deletion of namespaces: their content first, then the finalizer.

mod conditions;
mod content;

use crate::discovery::DiscoveredResources;
use crate::{BoxFuture, Change, Client, Failure, Outcome, Reconcile, RetryDelay, Row, Setup};
use content::ContentDeletion;
use ratchet_object::Node;
use std::time::Duration;

pub(crate) const ROW: Row = Row {
    name: "namespace-controller",
    aliases: &["namespace"],
    on_by_default: true,
    retry_delay: RetryDelay { longest: Duration::from_secs(60), ..RetryDelay::DEFAULT },
    workers: 1,
    start,
};

const NAMESPACES: &str = "/api/v1/namespaces";

/// The finalizer in `spec.finalizers` that this controller removes at the end.
const FINALIZER: &str = "kubernetes";

/// Servers need a moment to see that nothing may be created in the namespace any more, and last
/// creations a moment to arrive: before that, an empty namespace may not stay empty.
const GRACE: Duration = Duration::from_secs(5);

/// How often a write that met a conflict is retried at once.
const ATTEMPTS: u32 = 5;

struct Namespaces {
    client: Client,
}

fn start(setup: &mut Setup<'_>) -> Box<dyn Reconcile> {
    let queue = setup.queue.clone();
    setup.listen(NAMESPACES, move |change: &Change| {
        if change.new.as_ref().is_some_and(|namespace| is_deleted(namespace)) {
            queue.add_after(&change.key, GRACE);
        }
    });
    Box::new(Namespaces { client: setup.client.clone() })
}

impl Reconcile for Namespaces {
    fn reconcile<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Outcome, Failure>> {
        Box::pin(async move {
            match self.finish_deletion(key).await {
                // Deleted meanwhile: nothing is left to do.
                Err(failure) if failure.is_not_found() => Ok(Outcome::Done),
                outcome => outcome,
            }
        })
    }
}

impl Namespaces {
    /// One round of deletion. The namespace is fetched anew: many writers change one that is being
    /// deleted.
    async fn finish_deletion(&self, name: &str) -> Result<Outcome, Failure> {
        let path = format!("{NAMESPACES}/{name}");
        let namespace = self.client.get(&path).await?;
        if !is_deleted(&namespace) {
            return Ok(Outcome::Done);
        }
        let namespace = self.write(&path, "status", namespace, terminating).await?;
        if finalizers(&namespace).is_empty() {
            return Ok(Outcome::Done);
        }
        let discovered = DiscoveredResources::fetch(&self.client).await;
        let deletion = content::delete_content(&self.client, &namespace, &discovered).await;
        let namespace = self.update_conditions(&path, namespace, &discovered, &deletion).await;
        if let Some(failure) = first_failure(&discovered, &deletion) {
            return Err(failure);
        }
        if deletion.wait > 0 {
            return Ok(Outcome::RequeueAfter(Duration::from_secs(deletion.wait / 2 + 1)));
        }
        self.write(&path, "finalize", namespace, finalized).await?;
        Ok(Outcome::Done)
    }

    /// Updates the conditions. A failed write is made up for in the next round.
    async fn update_conditions(
        &self,
        path: &str,
        namespace: Node<'static>,
        discovered: &DiscoveredResources,
        deletion: &ContentDeletion,
    ) -> Node<'static> {
        let desired = conditions::desired_conditions(discovered, deletion);
        let set = |namespace: &Node<'static>| conditions::set(namespace, &desired);
        match self.write(path, "status", namespace.clone(), set).await {
            Ok(written) => written,
            Err(failure) => {
                tracing::warn!(path, %failure, "cannot write the conditions");
                namespace
            }
        }
    }

    /// Writes a subresource of the namespace as `change` wants it, if it wants anything, and
    /// fetches it again after a conflict. One with another uid is another namespace.
    async fn write(
        &self,
        path: &str,
        subresource: &str,
        mut namespace: Node<'static>,
        change: impl Fn(&Node<'static>) -> Option<Node<'static>> + Sync,
    ) -> Result<Node<'static>, Failure> {
        let uid = namespace.metadata().uid().to_owned();
        let mut attempts = 1;
        loop {
            let Some(mut new) = change(&namespace) else {
                return Ok(namespace);
            };
            new.set("apiVersion", Node::string("v1"));
            new.set("kind", Node::string("Namespace"));
            match self.client.put(&format!("{path}/{subresource}"), &new).await {
                Err(failure) if failure.is_conflict() && attempts < ATTEMPTS => attempts += 1,
                result => return result,
            }
            namespace = self.client.get(path).await?;
            if namespace.metadata().uid() != uid {
                return Err(Failure::new("namespace uid has changed across retries"));
            }
        }
    }
}

fn is_deleted(namespace: &Node<'_>) -> bool {
    !namespace.metadata().deletion_timestamp().is_empty()
}

fn finalizers<'n, 't>(namespace: &'n Node<'t>) -> &'n [Node<'t>] {
    namespace.find(&["spec", "finalizers"]).map(Node::items).unwrap_or_default()
}

/// The namespace in phase `Terminating`, or `None` if it is already.
fn terminating(namespace: &Node<'static>) -> Option<Node<'static>> {
    if !is_deleted(namespace) || namespace.text_at(&["status", "phase"]) == "Terminating" {
        return None;
    }
    let mut new = namespace.clone();
    new.map_mut("status").set("phase", Node::string("Terminating"));
    Some(new)
}

/// The namespace without our finalizer, or `None` if it has none.
fn finalized(namespace: &Node<'static>) -> Option<Node<'static>> {
    let all = finalizers(namespace);
    let others: Vec<_> =
        all.iter().filter(|finalizer| finalizer.text() != Some(FINALIZER)).cloned().collect();
    if others.len() == all.len() {
        return None;
    }
    let mut new = namespace.clone();
    new.map_mut("spec").set("finalizers", Node::list(others));
    Some(new)
}

/// Why the namespace cannot be finalized yet, if something failed.
fn first_failure(discovered: &DiscoveredResources, deletion: &ContentDeletion) -> Option<Failure> {
    let discovery = discovered.failure.iter().chain(&discovered.unparsed);
    let messages: Vec<_> = discovery.chain(&deletion.failures).map(String::as_str).collect();
    (!messages.is_empty()).then(|| Failure::new(messages.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::parse_json;

    fn namespace(text: &str) -> Node<'static> {
        parse_json(text.as_bytes()).expect("reads").into_owned()
    }

    #[test]
    fn only_our_finalizer_is_taken_out() {
        let held = namespace(r#"{"spec":{"finalizers":["a","kubernetes","b"]}}"#);
        let new = finalized(&held).expect("changes");
        assert_eq!(new.to_json(), r#"{"spec":{"finalizers":["a","b"]}}"#);
        assert_eq!(finalized(&new), None);
        assert_eq!(finalized(&namespace("{}")), None);
    }

    #[test]
    fn the_phase_is_written_once_and_only_for_deleted_ones() {
        let alive = r#"{"metadata":{},"status":{"phase":"Active"}}"#;
        assert_eq!(terminating(&namespace(alive)), None);
        let deleted = r#"{"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}}"#;
        let new = terminating(&namespace(deleted)).expect("changes");
        assert_eq!(new.text_at(&["status", "phase"]), "Terminating");
        assert_eq!(terminating(&new), None);
    }
}
