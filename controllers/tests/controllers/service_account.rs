//! Every remaining namespace has its service account `default`, created once.

use crate::fake::{Fake, pass};
use crate::frame::RecordedMetrics;
use ratchet_controllers::metrics;
use std::sync::Arc;

const SHOP: &str = "/api/v1/namespaces/shop";
const ACCOUNTS: &str = "/api/v1/namespaces/shop/serviceaccounts";
const DEFAULT: &str = "/api/v1/namespaces/shop/serviceaccounts/default";
const ALONE: &str = "serviceaccount-controller";

/// A namespace with a finalizer.
fn shop() -> Arc<Fake> {
    let fake = Fake::new();
    fake.set(SHOP, "{spec: {finalizers: [kubernetes]}}");
    fake
}

fn posts(fake: &Fake) -> usize {
    let writes = fake.writes();
    assert!(writes.iter().all(|write| *write == format!("POST {ACCOUNTS}")), "{writes:?}");
    writes.len()
}

#[tokio::test(start_paused = true)]
async fn every_namespace_gets_one_account_whenever_it_was_made() {
    let fake = shop();
    // The account of another namespace, and another account, do not count.
    fake.set("/api/v1/namespaces/shop/serviceaccounts/other", "{}");
    let _running = fake.start(ALONE);
    pass(1).await;
    let account = fake.get(DEFAULT).expect("made");
    assert_eq!(account.text_at(&["kind"]), "ServiceAccount");
    assert_eq!(account.metadata().namespace(), "shop");
    for name in ["a", "b", "c"] {
        fake.set(&format!("/api/v1/namespaces/{name}"), "{}");
    }
    pass(1).await;
    for name in ["a", "b", "c"] {
        let path = format!("/api/v1/namespaces/{name}/serviceaccounts/default");
        assert!(fake.get(&path).is_some(), "{name}");
    }
    assert_eq!(fake.writes().len(), 4);
    pass(3600).await;
    assert_eq!(fake.writes().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn what_is_there_already_is_not_written() {
    let fake = shop();
    fake.set(DEFAULT, "{imagePullSecrets: [{name: mine}]}");
    let _running = fake.start(ALONE);
    pass(60).await;
    fake.change(SHOP, |namespace| drop(namespace.map_mut("metadata").remove("uid")));
    fake.change(DEFAULT, |account| drop(account.remove("imagePullSecrets")));
    pass(60).await;
    assert_eq!(posts(&fake), 0);
}

#[tokio::test(start_paused = true)]
async fn an_account_that_is_deleted_comes_again_unless_its_namespace_goes() {
    let fake = shop();
    fake.set("/api/v1/namespaces/shop/serviceaccounts/other", "{}");
    let _running = fake.start(ALONE);
    pass(1).await;
    fake.delete(DEFAULT);
    pass(1).await;
    assert!(fake.get(DEFAULT).is_some());
    assert_eq!(posts(&fake), 2);
    fake.delete("/api/v1/namespaces/shop/serviceaccounts/other");
    pass(60).await;
    assert_eq!(posts(&fake), 2, "nobody promised the other one");
    fake.delete(SHOP);
    fake.delete(DEFAULT);
    pass(60).await;
    assert_eq!((fake.get(DEFAULT), posts(&fake)), (None, 2));
}

#[tokio::test(start_paused = true)]
async fn failures_are_tried_again() {
    for code in [0, 403, 500, 503] {
        let fake = shop();
        fake.fail("POST ", 3, code);
        let recorded = Arc::new(RecordedMetrics::default());
        let _running = fake.start_metered(ALONE, recorded.clone());
        pass(60).await;
        assert!(fake.get(DEFAULT).is_some(), "{code}");
        assert_eq!((posts(&fake), recorded.of(metrics::ERRORS)), (4, 3.0), "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_was_faster_is_no_error() {
    for code in [404, 409] {
        let fake = shop();
        fake.fail("POST ", usize::MAX, code);
        let recorded = Arc::new(RecordedMetrics::default());
        let _running = fake.start_metered(ALONE, recorded.clone());
        pass(600).await;
        assert_eq!((posts(&fake), recorded.of(metrics::ERRORS)), (1, 0.0), "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_namespace_of_which_nobody_told_that_it_goes_is_no_error() {
    let fake = shop();
    let recorded = Arc::new(RecordedMetrics::default());
    let _running = fake.start_metered(ALONE, recorded.clone());
    pass(10).await;
    // Events of accounts arrive, those of namespaces do not.
    fake.fail("WATCH /api/v1/namespaces", usize::MAX, 500);
    fake.fail("GET /api/v1/namespaces", usize::MAX, 500);
    fake.hang_up();
    pass(10).await;
    fake.delete(SHOP);
    fake.delete(DEFAULT);
    pass(60).await;
    assert_eq!((posts(&fake), recorded.of(metrics::ERRORS)), (2, 0.0));
    assert_eq!(fake.get(DEFAULT), None);
}
