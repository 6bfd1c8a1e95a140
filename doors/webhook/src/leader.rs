//! `LeaderLease`: replicas agree through a Lease which of them makes certificates, as client-go elects a leader.

use ratchet_cluster::Cluster;
use ratchet_object::Node;
use std::time::{Duration, Instant, SystemTime};

/// A Lease that replicas compete for.
pub(crate) struct LeaderLease {
    cluster: Cluster,
    namespace: String,
    name: String,
    identity: String,
    duration: Duration,
    /// The holder and its last renewal as they were last seen to change, by the clock of this process: clocks of
    /// replicas need not agree.
    observed: Option<(String, String, Instant)>,
    is_leader: bool,
}

impl LeaderLease {
    pub(crate) fn new(
        cluster: Cluster,
        namespace: &str,
        name: &str,
        identity: String,
        duration: Duration,
    ) -> Self {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        Self { cluster, namespace, name, identity, duration, observed: None, is_leader: false }
    }

    fn collection(&self) -> String {
        format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", self.namespace)
    }

    /// Takes or renews the Lease if that is possible; returns whether this replica holds it.
    pub(crate) async fn hold(&mut self) -> Result<bool, String> {
        self.is_leader = false;
        let path = format!("{}/{}", self.collection(), self.name);
        let found = self.cluster.ask(&path).await.map_err(|error| error.to_string())?;
        let answer = match found.code {
            404 => {
                let lease = self.lease(None);
                self.cluster.create(&self.collection(), &lease).await
            }
            _ if found.is_success() => {
                let old = found.object().ok_or("the Lease is no JSON")?;
                if !self.is_free(&old) {
                    return Ok(false);
                }
                self.cluster.update(&path, &self.lease(Some(&old))).await
            }
            _ => return Err(format!("cannot read the Lease {}: {}", self.name, found.describe())),
        };
        let answer = answer.map_err(|error| error.to_string())?;
        match answer.code {
            // Another replica was quicker.
            409 => Ok(false),
            _ if answer.is_success() => {
                self.is_leader = true;
                Ok(true)
            }
            _ => Err(format!("cannot write the Lease {}: {}", self.name, answer.describe())),
        }
    }

    /// Gives the Lease up, so that another replica need not wait for its end.
    pub(crate) async fn release(&mut self) {
        if !std::mem::take(&mut self.is_leader) {
            return;
        }
        let path = format!("{}/{}", self.collection(), self.name);
        let Ok(found) = self.cluster.ask(&path).await else { return };
        let Some(mut lease) = found.object().filter(|_| found.is_success()) else { return };
        if lease.text_at(&["spec", "holderIdentity"]) == self.identity {
            lease.map_mut("spec").set("holderIdentity", Node::string(""));
            // A failure leaves the Lease to its end.
            let _ = self.cluster.update(&path, &lease).await;
        }
    }

    /// Whether this replica may hold a Lease that looks so.
    fn is_free(&mut self, lease: &Node<'_>) -> bool {
        let holder = lease.text_at(&["spec", "holderIdentity"]);
        if holder.is_empty() || holder == self.identity {
            return true;
        }
        let renewed = lease.text_at(&["spec", "renewTime"]);
        let is_same = |(own, at, _): &&(String, String, Instant)| own == holder && at == renewed;
        let Some((_, _, since)) = self.observed.as_ref().filter(is_same) else {
            self.observed = Some((holder.to_owned(), renewed.to_owned(), Instant::now()));
            return false;
        };
        let seconds = lease.find(&["spec", "leaseDurationSeconds"]).and_then(Node::as_int);
        let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
        let duration = seconds.map_or(self.duration, Duration::from_secs);
        since.elapsed() >= duration
    }

    fn lease(&self, old: Option<&Node<'static>>) -> Node<'static> {
        let now = micro_time(SystemTime::now());
        let old_holder = old.map(|old| old.text_at(&["spec", "holderIdentity"]).to_owned());
        let mut lease = old.cloned().unwrap_or_else(|| {
            let metadata = [("name", self.name.clone()), ("namespace", self.namespace.clone())];
            Node::map([
                ("apiVersion", Node::string("coordination.k8s.io/v1")),
                ("kind", Node::string("Lease")),
                ("metadata", Node::map(metadata.map(|(key, text)| (key, Node::string(text))))),
            ])
        });
        let transitions = lease.find(&["spec", "leaseTransitions"]).and_then(Node::as_int);
        let spec = lease.map_mut("spec");
        if old_holder.as_deref() != Some(self.identity.as_str()) {
            spec.set("acquireTime", Node::string(now.clone()));
            let transitions = transitions.map_or(0, |count| count.saturating_add(1));
            spec.set("leaseTransitions", Node::int(transitions));
        }
        let seconds = i64::try_from(self.duration.as_secs().max(1)).unwrap_or(i64::MAX);
        spec.set("holderIdentity", Node::string(self.identity.clone()));
        spec.set("leaseDurationSeconds", Node::int(seconds));
        spec.set("renewTime", Node::string(now));
        lease
    }
}

/// A time as `metav1.MicroTime` writes it.
pub(crate) fn micro_time(time: SystemTime) -> String {
    let time = jiff::Timestamp::try_from(time).unwrap_or_default();
    time.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
}

/// A name for this process that no other replica has: the host name, which is that of the pod, and chance.
pub(crate) fn identity() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{}_{}", host.trim(), uuid::Uuid::new_v4())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_six_places() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_micros(1_500_000);
        assert_eq!(micro_time(time), "1970-01-01T00:00:01.500000Z");
    }
}
