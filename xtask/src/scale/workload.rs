//! A cluster's workload on the API, by its number of nodes.

/// Pods on a node: 150,000 on 5,000 nodes are what Kubernetes is released for.
const PODS_PER_NODE: f64 = 30.0;
/// How long a pod lives on average.
const POD_SECONDS: f64 = 6.0 * 3600.0;
/// Kubelets renew their Lease every ten seconds, and write a status that has not changed every five minutes.
const LEASES_PER_NODE_SECOND: f64 = 0.1;
const STATUSES_PER_NODE_SECOND: f64 = 1.0 / 300.0;
/// Writes of a pod's life: it is created and deleted once; it is bound, starts, is ready, is told to end and ends.
const UPDATES_PER_POD: f64 = 6.0;
/// Events that tell of it, each kept for an hour.
const EVENTS_PER_POD: f64 = 5.0;
const EVENT_SECONDS: f64 = 3600.0;
/// The share of pods behind a Service; each changes a slice when it is ready and when it ends.
const POD_SHARE_OF_SERVICES: f64 = 0.5;
const SLICE_UPDATES_PER_POD: f64 = 2.0;
/// Endpoints of the slice of a pod, on average, where half of the pods are behind Services of 5, a quarter behind those of 30
/// and a quarter behind those of 250, as in the load tests of Kubernetes; a slice has a hundred at most, so that the last
/// have 90.
const ENDPOINTS_PER_SLICE: f64 = 0.5 * 5.0 + 0.25 * 30.0 + 0.25 * 90.0;
/// JSON of an endpoint: an address, conditions, its pod with uid, its node and zone; and of a slice without any.
const ENDPOINT_BYTES: f64 = 250.0;
const EMPTY_SLICE_BYTES: f64 = 1000.0;
pub(super) const SLICE_BYTES: f64 = EMPTY_SLICE_BYTES + ENDPOINTS_PER_SLICE * ENDPOINT_BYTES;
/// JSON of a Lease, and of an Event.
pub(super) const LEASE_BYTES: f64 = 1000.0;
pub(super) const EVENT_BYTES: f64 = 1000.0;
/// Open watches of a node: a kubelet's of its pods, its node, Services, drivers, classes, and of Secrets and ConfigMaps
/// that its pods use; a proxy's of Services, slices, its node.
const WATCHES_PER_NODE: f64 = 12.0;
const PROXY_WATCHES_PER_NODE: f64 = 3.0;
/// Connections of a node: kubelet and proxy.
const CONNECTIONS_PER_NODE: f64 = 2.0;
/// Watches of everything, by schedulers and controllers.
const CLUSTER_WATCHERS: f64 = 6.0;
/// Reads of single objects by nodes, controllers and people.
const GETS_PER_NODE_SECOND: f64 = 0.02;
/// Objects beside pods, nodes, Leases and events: ReplicaSets, Secrets, ConfigMaps and the like.
const OTHERS_PER_POD: f64 = 0.5;

/// What a cluster asks of its API, each second where it is a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Workload {
    pub(super) nodes: f64,
    pub(super) pods: f64,
    pub(super) objects: f64,
    pub(super) events: f64,
    pub(super) watches: f64,
    /// Of these, those of proxies.
    pub(super) proxy_watches: f64,
    pub(super) connections: f64,
    pub(super) gets: f64,
    pub(super) creates: f64,
    pub(super) updates: f64,
    pub(super) deletes: f64,
    /// Of all writes, those of Leases, of events and of pods: what can be moved to another store.
    pub(super) lease_writes: f64,
    pub(super) event_writes: f64,
    pub(super) pod_writes: f64,
    /// Events that go to those who watch everything or one node.
    pub(super) deliveries: f64,
    /// Changes of slices that the proxy of every node is sent.
    pub(super) slice_changes: f64,
}

impl Workload {
    /// The workload of so many nodes.
    pub(super) fn of(nodes: f64) -> Self {
        let pods = nodes * PODS_PER_NODE;
        let new_pods = pods / POD_SECONDS;
        let lease_writes = nodes * LEASES_PER_NODE_SECOND;
        let statuses = nodes * STATUSES_PER_NODE_SECOND;
        let event_creates = new_pods * EVENTS_PER_POD;
        let slice_updates = new_pods * POD_SHARE_OF_SERVICES * SLICE_UPDATES_PER_POD;
        let pod_writes = new_pods * (2.0 + UPDATES_PER_POD);
        // What is created goes again: pods when they end, events after an hour.
        let event_writes = 2.0 * event_creates;
        let events = event_creates * EVENT_SECONDS;
        Self {
            nodes,
            pods,
            objects: pods * (1.0 + OTHERS_PER_POD) + 2.0 * nodes + events,
            events,
            watches: nodes * WATCHES_PER_NODE,
            proxy_watches: nodes * PROXY_WATCHES_PER_NODE,
            connections: nodes * CONNECTIONS_PER_NODE,
            gets: nodes * GETS_PER_NODE_SECOND,
            creates: new_pods + event_creates,
            updates: lease_writes + statuses + new_pods * UPDATES_PER_POD + slice_updates,
            deletes: new_pods + event_creates,
            lease_writes,
            event_writes,
            pod_writes,
            deliveries: pod_writes * (CLUSTER_WATCHERS + 1.0)
                + statuses * (CLUSTER_WATCHERS + 1.0)
                + slice_updates * CLUSTER_WATCHERS
                // Leases are watched by the controller that tells which nodes are gone, events by nobody.
                + lease_writes,
            slice_changes: slice_updates,
        }
    }

    /// The same where every proxy is sent the slices of its zone only.
    pub(super) fn by_zone(self, zones: f64) -> Self {
        Self { slice_changes: self.slice_changes / zones, ..self }
    }

    /// All writes.
    pub(super) fn writes(&self) -> f64 {
        self.creates + self.updates + self.deletes
    }

    /// Events of slices that are delivered to proxies.
    pub(super) fn slice_deliveries(&self) -> f64 {
        self.slice_changes * self.nodes
    }

    /// All events that are delivered.
    pub(super) fn all_deliveries(&self) -> f64 {
        self.deliveries + self.slice_deliveries()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_grows_with_the_nodes_and_slices_with_their_square() {
        let (one, ten) = (Workload::of(1000.0), Workload::of(10_000.0));
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        for (small, large) in [
            (one.pods, ten.pods),
            (one.objects, ten.objects),
            (one.watches, ten.watches),
            (one.writes(), ten.writes()),
            (one.deliveries, ten.deliveries),
        ] {
            assert!(near(small * 10.0, large), "{small} {large}");
        }
        assert!(near(one.slice_deliveries() * 100.0, ten.slice_deliveries()));
    }

    #[test]
    fn five_thousand_nodes_are_the_released_size() {
        let load = Workload::of(5000.0);
        assert_eq!(load.pods, 150_000.0);
        assert_eq!(load.lease_writes, 500.0);
        assert!(load.lease_writes + load.event_writes + load.pod_writes < load.writes());
    }

    #[test]
    fn a_third_of_the_slices_is_a_third_of_their_deliveries_and_no_other_load() {
        let (all, zone) = (Workload::of(9000.0), Workload::of(9000.0).by_zone(3.0));
        assert!((zone.slice_deliveries() * 3.0 / all.slice_deliveries() - 1.0).abs() < 1e-9);
        assert_eq!((zone.writes(), zone.deliveries), (all.writes(), all.deliveries));
    }

    #[test]
    fn a_slice_is_a_third_full() {
        assert_eq!((ENDPOINTS_PER_SLICE, SLICE_BYTES), (32.5, 9125.0));
    }
}
