//! Informers survive every failure of a watch, and a settled cluster causes no writes.

use crate::fake::{Fake, pass};
use ratchet_controllers::{Metrics, metrics};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Controllers with few collections, so that reads can be counted.
const FEW: &str = "namespace,clusterrole-aggregation,serviceaccount";

const SUM: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles/sum";
const PART: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles/part";

fn roles() -> Arc<Fake> {
    let fake = Fake::new();
    let gathers = r#"{aggregationRule: {clusterRoleSelectors: [{matchLabels: {add: "y"}}]}}"#;
    fake.set(SUM, gathers);
    fake
}

fn part(fake: &Fake, verb: &str) {
    let rules = format!("rules: [{{verbs: [{verb}]}}]");
    fake.set(PART, &format!(r#"{{metadata: {{labels: {{add: "y"}}}}, {rules}}}"#));
}

fn follows(fake: &Fake, verb: &str) -> bool {
    fake.get(SUM).expect("there").to_json().contains(&format!(r#""verbs":["{verb}"]"#))
}

#[tokio::test(start_paused = true)]
async fn what_happened_while_the_watch_was_too_old_is_seen() {
    for tell in [true, false] {
        let fake = roles();
        let _running = fake.start("*");
        pass(10).await;
        fake.compact(tell);
        part(&fake, "get");
        pass(2).await;
        assert!(follows(&fake, "get"), "{tell}");
        fake.compact(tell);
        fake.delete(PART);
        pass(2).await;
        assert!(!follows(&fake, "get"), "{tell}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_goes_on_where_it_was() {
    let fake = roles();
    let recorded = Arc::new(RecordedMetrics::default());
    let _running = fake.start_metered("clusterrole-aggregation", recorded.clone());
    pass(10).await;
    for verb in ["get", "list", "watch"] {
        fake.bookmark();
        pass(1).await;
        fake.forget();
        fake.hang_up();
        part(&fake, verb);
        pass(30).await;
        assert!(follows(&fake, verb), "{verb}");
    }
    assert_eq!(recorded.of(metrics::LISTS), 1.0);
    assert_eq!(recorded.of(metrics::WATCHES), 4.0);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_fails_for_a_while_is_asked_gently_until_it_answers() {
    let fake = roles();
    part(&fake, "get");
    fake.fail("", usize::MAX, 0);
    let _running = fake.start(FEW);
    pass(600).await;
    let reads = fake.reads();
    assert!((20..80).contains(&reads), "{reads}");
    fake.heal();
    pass(60).await;
    assert!(follows(&fake, "get"));

    for (code, verb) in [(500, "list"), (400, "watch"), (0, "patch")] {
        fake.fail("WATCH ", 5, code);
        fake.hang_up();
        part(&fake, verb);
        pass(60).await;
        assert!(follows(&fake, verb), "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_line_that_is_no_event_is_stepped_over() {
    let fake = roles();
    let recorded = Arc::new(RecordedMetrics::default());
    let _running = fake.start_metered("clusterrole-aggregation", recorded.clone());
    pass(10).await;
    fake.say("{");
    part(&fake, "get");
    pass(10).await;
    assert!(follows(&fake, "get"));
    assert_eq!(recorded.of(metrics::LISTS), 2.0);
}

#[tokio::test(start_paused = true)]
async fn a_restart_goes_on_and_writes_nothing_that_is_there_already() {
    let fake = roles();
    part(&fake, "get");
    for _ in 0..3 {
        let running = fake.start("*");
        pass(30).await;
        drop(running);
    }
    assert!(follows(&fake, "get"));
    assert_eq!(fake.writes().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_settled_cluster_is_left_in_peace() {
    let fake = roles();
    part(&fake, "get");
    fake.set("/api/v1/namespaces/default", "{spec: {finalizers: [kubernetes]}}");
    let _running = fake.start(FEW);
    pass(60).await;
    let (writes, reads) = (fake.writes().len(), fake.reads());
    pass(3600).await;
    assert_eq!(fake.writes().len(), writes);
    assert!(fake.reads() - reads <= 30, "only watches that are begun again");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_chosen_asks_nothing() {
    let fake = roles();
    part(&fake, "get");
    let _running = fake.start("");
    pass(60).await;
    assert_eq!((fake.reads(), fake.writes().len()), (0, 0));
    let _running = fake.start("*,-clusterrole-aggregation-controller");
    pass(60).await;
    assert!(fake.reads() > 0 && !follows(&fake, "get"));
}

#[tokio::test(start_paused = true)]
async fn controllers_are_measured() {
    let fake = roles();
    part(&fake, "get");
    fake.fail("PUT ", 2, 500);
    let recorded = Arc::new(RecordedMetrics::default());
    let _running = fake.start_metered("*", recorded.clone());
    pass(60).await;
    assert_eq!((recorded.of(metrics::RETRIES), recorded.of(metrics::ERRORS)), (2.0, 2.0));
    assert_eq!(recorded.of(metrics::DEPTH), 0.0);
    assert!(recorded.of(metrics::ADDS) >= 3.0 && recorded.of(metrics::WORKED) >= 3.0);
}

#[tokio::test(start_paused = true)]
async fn what_went_by_itself_is_no_error() {
    const SHOP: &str = "/api/v1/namespaces/shop";
    let fake = roles();
    fake.set(SHOP, "{spec: {finalizers: [kubernetes]}}");
    fake.delete(SHOP);
    let recorded = Arc::new(RecordedMetrics::default());
    let _running = fake.start_metered("*", recorded.clone());
    pass(1).await;
    fake.change(SHOP, |namespace| drop(namespace.remove("spec")));
    pass(60).await;
    assert_eq!(fake.get(SHOP), None);
    assert_eq!((recorded.of(metrics::ERRORS), fake.writes().len()), (0.0, 0));
}

/// Sums counters, keeps the last gauge, counts observations.
#[derive(Default)]
pub(crate) struct RecordedMetrics(Mutex<BTreeMap<&'static str, f64>>);

impl RecordedMetrics {
    pub(crate) fn of(&self, what: &str) -> f64 {
        self.0.lock().expect("no panic").get(what).copied().unwrap_or_default()
    }
}

impl Metrics for RecordedMetrics {
    fn count(&self, _: &'static str, what: &'static str, n: u64) {
        *self.0.lock().expect("no panic").entry(what).or_default() += n as f64;
    }

    fn gauge(&self, _: &'static str, what: &'static str, value: f64) {
        self.0.lock().expect("no panic").insert(what, value);
    }

    fn observe(&self, _: &'static str, what: &'static str, _: f64) {
        *self.0.lock().expect("no panic").entry(what).or_default() += 1.0;
    }
}
