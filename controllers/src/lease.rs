//! Leader election by a Lease: one of several servers runs the controllers.

use crate::{Client, Failure};
use jiff::Timestamp;
use ratchet_object::{Node, percent_encode};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// The parameters of leader election.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Election {
    /// The namespace of the Lease.
    pub namespace: String,
    /// The name of the Lease.
    pub name: String,
    /// The identity of this server, unique among all servers.
    pub identity: String,
    /// How long after the last renewal another server may take the Lease.
    pub lease: Duration,
    /// How long the holder tries to renew before it gives up.
    pub renew: Duration,
    /// The interval between attempts.
    pub retry: Duration,
}

impl Election {
    /// The error in the durations, if they are inconsistent.
    pub fn refusal(&self) -> Option<&'static str> {
        let positive = [
            (self.lease, "leaseDuration must be greater than zero"),
            (self.renew, "renewDeadline must be greater than zero"),
            (self.retry, "retryPeriod must be greater than zero"),
        ];
        if self.lease <= self.renew {
            return Some("leaseDuration must be greater than renewDeadline");
        }
        if self.renew <= self.retry.mul_f64(JITTER) {
            return Some("renewDeadline must be greater than retryPeriod*JitterFactor");
        }
        positive.iter().find(|(time, _)| time.is_zero()).map(|(_, why)| *why)
    }
}

/// The attempts to release the Lease.
const RELEASE_ATTEMPTS: usize = 5;

/// The maximum jitter factor of intervals.
const JITTER: f64 = 1.2;

/// The Lease as last observed, and since when: clocks of other servers are not trusted.
struct Observed {
    record: String,
    since: Instant,
}

/// Acquires, renews and releases the Lease.
pub(crate) struct LeaderElector {
    client: Client,
    election: Election,
    observed: Option<Observed>,
}

/// The next step of an attempt.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// Another server holds the Lease.
    Wait,
    /// The Lease is ours, or free.
    Write {
        /// Whether the holder changes.
        acquires: bool,
    },
}

fn step(lease: &Node<'_>, identity: &str, unchanged: Duration, duration: Duration) -> Step {
    let holder = lease.text_at(&["spec", "holderIdentity"]);
    match holder {
        _ if holder == identity => Step::Write { acquires: false },
        "" => Step::Write { acquires: true },
        _ if unchanged < duration => Step::Wait,
        _ => Step::Write { acquires: true },
    }
}

impl LeaderElector {
    pub(crate) fn new(client: Client, election: Election) -> Self {
        Self { client, election, observed: None }
    }

    /// Waits until this server holds the Lease; false if `stop` completes before. An attempt that has begun is finished,
    /// since a Lease that it acquires must be released.
    pub(crate) async fn acquire(&mut self, mut stop: impl Future<Output = ()> + Unpin) -> bool {
        loop {
            match self.attempt().await {
                Ok(true) => return true,
                Ok(false) => {}
                Err(failure) => tracing::debug!(%failure, "the lease cannot be had"),
            }
            let factor = 1.0 + fastrand::f64() * (JITTER - 1.0);
            tokio::select! {
                () = &mut stop => return false,
                () = sleep(self.election.retry.mul_f64(factor)) => {}
            }
        }
    }

    /// Renews the Lease until it is lost.
    pub(crate) async fn renew(&mut self) {
        loop {
            let deadline = Instant::now() + self.election.renew;
            let renewed = async {
                loop {
                    match self.attempt().await {
                        Ok(is_ours) => return is_ours,
                        Err(failure) => tracing::debug!(%failure, "the lease cannot be renewed"),
                    }
                    sleep(self.election.retry).await;
                }
            };
            if timeout_at(deadline, renewed).await != Ok(true) {
                return;
            }
            sleep(self.election.retry).await;
        }
    }

    /// Releases the Lease, so that another server can take it at once.
    pub(crate) async fn release(&mut self) {
        for _ in 0..RELEASE_ATTEMPTS {
            match self.try_release().await {
                Ok(()) => return,
                // A renewal that was still on its way when it was abandoned.
                Err(failure) if failure.is_conflict() => {}
                Err(failure) => {
                    return tracing::debug!(%failure, "the lease could not be released");
                }
            }
        }
    }

    async fn try_release(&self) -> Result<(), Failure> {
        let mut lease = self.client.get(&self.path()).await?;
        if lease.text_at(&["spec", "holderIdentity"]) != self.election.identity {
            return Ok(());
        }
        lease.map_mut("spec").set("holderIdentity", Node::string(""));
        lease.map_mut("spec").set("leaseDurationSeconds", Node::int(1));
        self.client.put(&self.path(), &lease).await.map(drop)
    }

    /// Acquires or renews the Lease if possible, and returns whether this server holds it.
    async fn attempt(&mut self) -> Result<bool, Failure> {
        let lease = match self.client.get(&self.path()).await {
            Err(failure) if failure.is_not_found() => {
                let new = self.updated_lease(None, true);
                return self.client.post(&self.collection(), &new).await.map(|_| true);
            }
            result => result?,
        };
        let unchanged = self.observe(&lease);
        match step(&lease, &self.election.identity, unchanged, self.election.lease) {
            Step::Wait => Ok(false),
            Step::Write { acquires } => {
                let new = self.updated_lease(Some(&lease), acquires);
                match self.client.put(&self.path(), &new).await {
                    // A concurrent write; the next attempt will see its holder.
                    Err(failure) if failure.is_conflict() => Ok(false),
                    result => result.map(|_| true),
                }
            }
        }
    }

    /// How long the Lease has been unchanged.
    fn observe(&mut self, lease: &Node<'_>) -> Duration {
        let record = lease.get("spec").map(Node::to_json).unwrap_or_default();
        match &self.observed {
            Some(observed) if observed.record == record => observed.since.elapsed(),
            _ => {
                self.observed = Some(Observed { record, since: Instant::now() });
                Duration::ZERO
            }
        }
    }

    fn updated_lease(&self, old: Option<&Node<'static>>, acquires: bool) -> Node<'static> {
        let text = |text: &str| Node::string(text.to_owned());
        let mut lease = old.cloned().unwrap_or_else(|| {
            let names = [("name", &self.election.name), ("namespace", &self.election.namespace)];
            Node::map([("metadata", Node::map(names.map(|(name, value)| (name, text(value)))))])
        });
        lease.set("apiVersion", text("coordination.k8s.io/v1"));
        lease.set("kind", text("Lease"));
        let seconds = i64::try_from(self.election.lease.as_secs().max(1)).unwrap_or(i64::MAX);
        let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string();
        let spec = lease.map_mut("spec");
        let transitions = spec.get("leaseTransitions").and_then(Node::as_int).unwrap_or(0);
        spec.set("holderIdentity", text(&self.election.identity));
        spec.set("leaseDurationSeconds", Node::int(seconds));
        if acquires {
            spec.set("acquireTime", text(&now));
            let transitions = if old.is_some() { transitions.saturating_add(1) } else { 0 };
            spec.set("leaseTransitions", Node::int(transitions));
        }
        spec.set("renewTime", text(&now));
        lease
    }

    fn collection(&self) -> String {
        let namespace = percent_encode(&self.election.namespace);
        format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases")
    }

    fn path(&self) -> String {
        format!("{}/{}", self.collection(), percent_encode(&self.election.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::parse_json;

    fn election(lease: u64, renew: u64, retry: u64) -> Election {
        Election {
            namespace: "kube-system".to_owned(),
            name: "x".to_owned(),
            identity: "me".to_owned(),
            lease: Duration::from_secs(lease),
            renew: Duration::from_secs(renew),
            retry: Duration::from_secs(retry),
        }
    }

    #[test]
    fn times_must_fit() {
        assert_eq!(election(15, 10, 2).refusal(), None);
        for (lease, renew, retry, why) in [
            (10, 10, 2, "leaseDuration must be greater than renewDeadline"),
            (15, 10, 9, "renewDeadline must be greater than retryPeriod*JitterFactor"),
            (15, 10, 0, "retryPeriod must be greater than zero"),
        ] {
            assert_eq!(election(lease, renew, retry).refusal(), Some(why));
        }
    }

    #[test]
    fn a_lease_is_taken_from_the_silent_only() {
        let duration = Duration::from_secs(15);
        let lease = |holder: &str| {
            let text = format!(r#"{{"spec":{{"holderIdentity":"{holder}"}}}}"#);
            parse_json(text.as_bytes()).expect("reads").into_owned()
        };
        for (holder, unchanged, expected) in [
            ("me", 0, Step::Write { acquires: false }),
            ("me", 60, Step::Write { acquires: false }),
            ("", 0, Step::Write { acquires: true }),
            ("other", 0, Step::Wait),
            ("other", 14, Step::Wait),
            ("other", 15, Step::Write { acquires: true }),
        ] {
            let step = step(&lease(holder), "me", Duration::from_secs(unchanged), duration);
            assert_eq!(step, expected, "{holder} {unchanged}");
        }
    }
}
