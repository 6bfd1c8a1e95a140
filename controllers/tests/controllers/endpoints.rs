//! Services, pods and custom Endpoints become slices and Endpoints, and then nothing more is
//! written.

use crate::fake::{Fake, node, pass};
use crate::frame::RecordedMetrics;
use ratchet_controllers::metrics;
use ratchet_object::Node;
use std::sync::Arc;

const ALL: &str = "endpointslice,endpoint,endpointslicemirroring";
const SHOP: &str = "/api/v1/namespaces/shop";
const WEB: &str = "/api/v1/namespaces/shop/services/web";
const ENDPOINTS: &str = "/api/v1/namespaces/shop/endpoints/web";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices";

/// A namespace, two nodes, and a Service without pods.
fn shop() -> Arc<Fake> {
    let fake = Fake::new();
    fake.set(SHOP, "{spec: {finalizers: [kubernetes]}}");
    for (name, zone) in [("n1", "z1"), ("n2", "z2")] {
        let text = format!("{{metadata: {{labels: {{topology.kubernetes.io/zone: {zone}}}}}}}");
        fake.set(&format!("/api/v1/nodes/{name}"), &text);
    }
    fake.set(WEB, "{spec: {clusterIP: 10.96.0.1, ipFamilies: [IPv4], selector: {app: web}, ports: [{port: 80}]}}");
    fake
}

fn pod(fake: &Fake, name: &str, ip: &str) {
    let text = format!(
        "{{metadata: {{labels: {{app: web}}}}, spec: {{nodeName: n1}}, status: {{podIPs: [{{ip: '{ip}'}}], conditions: [{{type: Ready, status: 'True'}}]}}}}"
    );
    fake.set(&format!("{SHOP}/pods/{name}"), &text);
}

fn pods(fake: &Fake, count: usize) {
    for n in 0..count {
        pod(fake, &format!("p{n:03}"), &format!("010.0.{}.{}", n / 250, n % 250 + 1));
    }
}

/// The addresses in all slices of the Service `web`.
fn in_slices(fake: &Fake) -> Vec<String> {
    let slices = fake.paths(SLICES).into_iter().filter_map(|path| fake.get(&path));
    let mut all = Vec::new();
    for slice in slices {
        let endpoints = slice.get("endpoints").map(Node::items).unwrap_or_default();
        let addresses = endpoints.iter().flat_map(|it| it.get("addresses").expect("some").items());
        all.extend(addresses.filter_map(Node::text).map(str::to_owned));
    }
    all.sort();
    all
}

/// The addresses in its Endpoints.
fn in_endpoints(fake: &Fake) -> Vec<String> {
    let endpoints = fake.get(ENDPOINTS).expect("there");
    let subsets = endpoints.get("subsets").map(Node::items).unwrap_or_default();
    let lists = subsets.iter().filter_map(|subset| subset.get("addresses"));
    let mut all: Vec<_> =
        lists.flat_map(Node::items).map(|address| address.text_at(&["ip"]).to_owned()).collect();
    all.sort();
    all
}

#[tokio::test(start_paused = true)]
async fn pods_become_endpoints_as_they_come_and_go() {
    let fake = shop();
    let _running = fake.start(ALL);
    pass(1).await;
    assert_eq!((fake.paths(SLICES).len(), in_slices(&fake).len()), (1, 0));
    pod(&fake, "a", "010.0.0.1");
    pod(&fake, "b", "::ffff:10.0.0.2");
    pass(1).await;
    for addresses in [in_slices(&fake), in_endpoints(&fake)] {
        assert_eq!(addresses, ["10.0.0.1", "10.0.0.2"]);
    }
    fake.change(&format!("{SHOP}/pods/a"), |pod| {
        pod.map_mut("status").set("conditions", node("[{type: Ready, status: 'False'}]"));
    });
    pass(1).await;
    assert_eq!((in_slices(&fake).len(), in_endpoints(&fake)), (2, vec!["10.0.0.2".to_owned()]));
    fake.delete(&format!("{SHOP}/pods/a"));
    fake.change(&format!("{SHOP}/pods/b"), |pod| {
        pod.map_mut("metadata").set("labels", node("{app: other}"));
    });
    pass(1).await;
    assert_eq!((in_slices(&fake).len(), in_endpoints(&fake).len()), (0, 0));
    assert_eq!(fake.paths(SLICES).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_changes_at_once_is_written_at_once() {
    let fake = shop();
    let _running = fake.start(ALL);
    pass(1).await;
    let before = fake.writes().len();
    pods(&fake, 90);
    pass(1).await;
    assert_eq!((in_slices(&fake).len(), in_endpoints(&fake).len()), (90, 90));
    assert_eq!(fake.writes().len() - before, 2, "{:?}", fake.writes());
}

#[tokio::test(start_paused = true)]
async fn a_settled_cluster_is_left_in_peace_over_restarts_and_lost_watches() {
    let fake = shop();
    pods(&fake, 230);
    fake.set(&format!("{SHOP}/services/db"), "{spec: {clusterIP: 10.96.0.2, ports: [{port: 80}]}}");
    let subsets =
        "{subsets: [{addresses: [{ip: 010.9.9.9}, {ip: '2001:DB8::1'}], ports: [{port: 80}]}]}";
    fake.set(&format!("{SHOP}/endpoints/db"), subsets);
    let running = fake.start(ALL);
    pass(60).await;
    assert_eq!(in_slices(&fake).len(), 232);
    // Three slices and the Endpoints of one Service, two slices of the other.
    let settled = fake.writes().len();
    assert_eq!(settled, 6, "{:?}", fake.writes());
    for _ in 0..3 {
        fake.hang_up();
        pass(1000).await;
        fake.compact(true);
        pass(1000).await;
    }
    drop(running);
    for _ in 0..3 {
        let _running = fake.start(ALL);
        pass(3600).await;
    }
    assert_eq!(fake.writes().len(), settled, "{:?}", fake.writes());
}

#[tokio::test(start_paused = true)]
async fn news_that_comes_late_makes_no_second_slice() {
    let fake = shop();
    pods(&fake, 5);
    let _running = fake.start(ALL);
    pass(1).await;
    // Slices are written, but their events are delayed; the pods go on changing.
    fake.fail("WATCH /apis/discovery.k8s.io/v1/endpointslices", 6, 500);
    fake.hang_up();
    pods(&fake, 150);
    pass(3).await;
    let written = fake.writes().len();
    pods(&fake, 90);
    pass(20).await;
    assert_eq!(fake.writes().len(), written, "{:?}", fake.writes());
    pass(120).await;
    assert_eq!((in_slices(&fake).len(), fake.paths(SLICES).len()), (150, 2));
}

#[tokio::test(start_paused = true)]
async fn who_changes_or_deletes_what_we_keep_is_answered_once() {
    let fake = shop();
    pods(&fake, 3);
    let _running = fake.start(ALL);
    pass(10).await;
    let slice = fake.paths(SLICES).remove(0);
    let before = fake.writes().len();
    fake.change(&slice, |slice| slice.set("endpoints", Node::list(Vec::new())));
    pass(10).await;
    assert_eq!((in_slices(&fake).len(), fake.writes().len() - before), (3, 1));
    fake.delete(&slice);
    fake.delete(ENDPOINTS);
    pass(10).await;
    assert_eq!((in_slices(&fake).len(), in_endpoints(&fake).len()), (3, 3));
    assert_eq!(fake.writes().len() - before, 3);
    // A slice taken over by another controller stays with it.
    let slice = fake.paths(SLICES).remove(0);
    fake.change(&slice, |slice| {
        let labels = slice.map_mut("metadata").map_mut("labels");
        labels.set("endpointslice.kubernetes.io/managed-by", Node::string("me"));
    });
    pass(60).await;
    assert_eq!((fake.paths(SLICES).len(), fake.writes().len() - before), (2, 4));
}

#[tokio::test(start_paused = true)]
async fn nodes_that_come_late_bring_their_pods() {
    let fake = shop();
    fake.delete("/api/v1/nodes/n1");
    pods(&fake, 2);
    let _running = fake.start(ALL);
    pass(10).await;
    assert_eq!((in_slices(&fake).len(), in_endpoints(&fake).len()), (0, 2));
    fake.set("/api/v1/nodes/n1", "{metadata: {labels: {topology.kubernetes.io/zone: z9}}}");
    pass(2).await;
    assert_eq!(in_slices(&fake).len(), 2);
    let slice = fake.get(&fake.paths(SLICES)[0]).expect("there");
    let zones = slice.get("endpoints").expect("some").items();
    assert!(zones.iter().all(|endpoint| endpoint.text_at(&["zone"]) == "z9"));
}

#[tokio::test(start_paused = true)]
async fn endpoints_go_with_their_service_even_if_nobody_looked() {
    let fake = shop();
    pods(&fake, 2);
    let running = fake.start(ALL);
    pass(10).await;
    fake.delete(WEB);
    pass(10).await;
    assert_eq!(fake.get(ENDPOINTS), None);
    drop(running);
    // Left over from before the start, except those that were never endpoints.
    fake.set(ENDPOINTS, "{}");
    let leader = "{metadata: {annotations: {control-plane.alpha.kubernetes.io/leader: ''}}}";
    fake.set(&format!("{SHOP}/endpoints/leader"), leader);
    let _running = fake.start(ALL);
    pass(10).await;
    assert_eq!(fake.get(ENDPOINTS), None);
    assert!(fake.get(&format!("{SHOP}/endpoints/leader")).is_some());
    // Endpoints created before their Service are left alone for a while.
    fake.set(ENDPOINTS, "{}");
    pass(600).await;
    assert!(fake.get(ENDPOINTS).is_some());
}

#[tokio::test(start_paused = true)]
async fn services_that_select_nothing_are_left_to_others() {
    let fake = shop();
    pods(&fake, 2);
    for spec in
        ["{clusterIP: 10.96.0.1}", "{type: ExternalName, externalName: x.y, selector: {app: web}}"]
    {
        fake.set(WEB, &format!("{{spec: {spec}}}"));
        let _running = fake.start(ALL);
        pass(60).await;
        assert_eq!(fake.writes(), [""; 0], "{spec}");
    }
}

#[tokio::test(start_paused = true)]
async fn hand_made_endpoints_are_mirrored_while_the_service_selects_nothing() {
    let fake = shop();
    fake.set(WEB, "{spec: {clusterIP: 10.96.0.1, ports: [{port: 80}]}}");
    let _running = fake.start(ALL);
    pass(1).await;
    fake.set(
        ENDPOINTS,
        "{subsets: [{addresses: [{ip: 010.0.0.1}, {ip: what}], ports: [{port: 80}]}]}",
    );
    pass(2).await;
    assert_eq!(in_slices(&fake), ["10.0.0.1"]);
    fake.change(ENDPOINTS, |endpoints| {
        let labels = node("{endpointslice.kubernetes.io/skip-mirror: 'true'}");
        endpoints.map_mut("metadata").set("labels", labels);
    });
    pass(2).await;
    assert_eq!(fake.paths(SLICES).len(), 0);
    fake.change(ENDPOINTS, |endpoints| drop(endpoints.map_mut("metadata").remove("labels")));
    pass(2).await;
    assert_eq!(in_slices(&fake), ["10.0.0.1"]);
    fake.change(WEB, |service| service.map_mut("spec").set("selector", node("{app: web}")));
    pass(2).await;
    assert!(in_slices(&fake).is_empty(), "the slices are those of the pods now");
    fake.change(WEB, |service| drop(service.map_mut("spec").remove("selector")));
    fake.change(ENDPOINTS, |endpoints| {
        endpoints.set("subsets", node("[{addresses: [{ip: 10.0.0.2}]}]"));
    });
    pass(2).await;
    assert_eq!(in_slices(&fake), ["10.0.0.2"]);
    fake.delete(ENDPOINTS);
    pass(2).await;
    assert!(in_slices(&fake).is_empty());
}

#[tokio::test(start_paused = true)]
async fn failures_are_tried_again_and_a_namespace_that_goes_is_no_failure() {
    for code in [0, 403, 409, 500, 503] {
        let fake = shop();
        pods(&fake, 3);
        fake.fail("POST ", 4, code);
        let _running = fake.start(ALL);
        pass(120).await;
        assert_eq!((in_slices(&fake).len(), in_endpoints(&fake).len()), (3, 3), "{code}");
        assert_eq!(fake.paths(SLICES).len(), 1, "{code}");
    }
    let fake = shop();
    fake.delete(SHOP);
    let recorded = Arc::new(RecordedMetrics::default());
    let _running = fake.start_metered(ALL, recorded.clone());
    pass(600).await;
    assert!((2..=3).contains(&fake.writes().len()), "{:?}", fake.writes());
    assert_eq!(recorded.of(metrics::ERRORS), 0.0);
}

/// Reason and message of the events about an object.
fn events_of(fake: &Fake, kind: &str) -> Vec<String> {
    let events = fake.paths(&format!("{SHOP}/events")).into_iter().filter_map(|at| fake.get(&at));
    let about = events.filter(|event| event.text_at(&["involvedObject", "kind"]) == kind);
    let mut events: Vec<_> = about
        .map(|event| format!("{}: {}", event.text_at(&["reason"]), event.text_at(&["message"])))
        .collect();
    events.sort();
    events
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_done_is_told() {
    let fake = shop();
    pods(&fake, 1);
    fake.set(&format!("{SHOP}/services/db"), "{spec: {clusterIP: 10.96.0.2}}");
    let subsets = "{subsets: [{addresses: [{ip: what}, {ip: 10.0.0.1}, {ip: 10.0.0.256}]}]}";
    fake.set(&format!("{SHOP}/endpoints/db"), subsets);
    fake.fail("POST /apis/discovery.k8s.io", 1, 500);
    fake.fail("POST /api/v1/namespaces/shop/endpoints", 1, 500);
    let _running = fake.start("endpointslice,endpoint");
    pass(60).await;
    let why = "an error on the server (code 500) has prevented the request from succeeding";
    let expected = format!(
        "FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service shop/web: {why}"
    );
    assert_eq!(events_of(&fake, "Service"), [expected]);
    let expected =
        format!("FailedToCreateEndpoint: Failed to create endpoint for service shop/web: {why}");
    assert_eq!(events_of(&fake, "Endpoints"), [expected]);
    let _running = fake.start("endpointslicemirroring");
    pass(60).await;
    let expected =
        "InvalidIPAddress: Skipped 2 invalid IP addresses when mirroring to EndpointSlices";
    assert!(events_of(&fake, "Endpoints").iter().any(|event| event == expected));
}
