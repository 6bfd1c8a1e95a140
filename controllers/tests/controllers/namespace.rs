//! Deleted namespaces are emptied and removed, with conditions on the way.

use crate::fake::{Fake, node, pass};
use ratchet_object::Node;
use std::sync::Arc;

const SHOP: &str = "/api/v1/namespaces/shop";
const CONFIGMAPS: &str = "/api/v1/namespaces/shop/configmaps";
const DEPLOYMENT: &str = "/apis/apps/v1/namespaces/shop/deployments/web";
const WIDGET: &str = "/apis/example.com/v1/namespaces/shop/widgets/w";
const POD: &str = "/api/v1/namespaces/shop/pods/p";
const HELD: &str = "{metadata: {finalizers: [example.com/hold]}}";

/// A namespace with three configmaps, a deployment and a widget, and another one.
fn shop() -> Arc<Fake> {
    let fake = Fake::new();
    for namespace in [SHOP, "/api/v1/namespaces/other"] {
        fake.set(namespace, "{spec: {finalizers: [kubernetes]}, status: {phase: Active}}");
        for name in ["a", "b", "c"] {
            fake.set(&format!("{namespace}/configmaps/{name}"), "{}");
        }
    }
    fake.set(DEPLOYMENT, "{}");
    fake.set(WIDGET, "{}");
    fake
}

fn condition(fake: &Fake, kind: &str) -> [String; 3] {
    let namespace = fake.get(SHOP).expect("still there");
    let conditions = namespace.find(&["status", "conditions"]).expect("conditions").items();
    let one = conditions.iter().find(|one| one.text_at(&["type"]) == kind).expect("this one");
    ["status", "reason", "message"].map(|name| one.text_at(&[name]).to_owned())
}

fn unhold(object: &mut Node<'static>) {
    object.map_mut("metadata").remove("finalizers");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_namespace_goes_with_everything_in_it_and_no_other() {
    let fake = shop();
    let _running = fake.start("namespace");
    pass(60).await;
    assert_eq!(fake.writes(), [""; 0]);
    fake.delete(SHOP);
    pass(4).await;
    assert_eq!(fake.writes(), [""; 0], "last creations may still arrive");
    pass(2).await;
    for gone in [SHOP, DEPLOYMENT, WIDGET, &format!("{CONFIGMAPS}/a"), &format!("{CONFIGMAPS}/c")] {
        assert_eq!(fake.get(gone), None, "{gone}");
    }
    assert!(fake.get("/api/v1/namespaces/other/configmaps/a").is_some());
    let expected = [
        "PUT /api/v1/namespaces/shop/status",
        "DELETE /api/v1/namespaces/shop/configmaps",
        "DELETE /apis/apps/v1/namespaces/shop/deployments",
        "DELETE /apis/example.com/v1/namespaces/shop/widgets/w",
        "PUT /api/v1/namespaces/shop/status",
        "PUT /api/v1/namespaces/shop/finalize",
    ];
    assert_eq!(fake.writes(), expected);
    pass(3600).await;
    assert_eq!(fake.writes(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_keeps_the_namespace_until_it_is_removed() {
    let fake = shop();
    fake.set(DEPLOYMENT, HELD);
    fake.delete(SHOP);
    let _running = fake.start("*");
    pass(10).await;
    assert_eq!((fake.get(WIDGET), fake.get(&format!("{CONFIGMAPS}/b"))), (None, None));
    let expected = "Some resources are remaining: deployments.apps has 1 resource instances";
    let remaining = condition(&fake, "NamespaceContentRemaining");
    assert_eq!(remaining, ["True", "SomeResourcesRemain", expected]);
    let expected = "Some content in the namespace has finalizers remaining: \
                    example.com/hold in 1 resource instances";
    let finalizers = condition(&fake, "NamespaceFinalizersRemaining");
    assert_eq!(finalizers, ["True", "SomeFinalizersRemain", expected]);
    assert_eq!(condition(&fake, "NamespaceDeletionContentFailure")[0], "False");
    assert_eq!(fake.get(SHOP).expect("there").text_at(&["status", "phase"]), "Terminating");

    let (writes, reads) = (fake.writes(), fake.reads());
    pass(600).await;
    assert_eq!(fake.writes(), writes, "waiting writes nothing");
    assert!(fake.reads() - reads < 100 * 20, "waiting is not asking all the time");

    fake.change(DEPLOYMENT, unhold);
    pass(10).await;
    assert_eq!(fake.get(SHOP), None);
}

#[tokio::test(start_paused = true)]
async fn pods_go_first_and_in_their_own_time() {
    let fake = shop();
    fake.set(POD, "{spec: {terminationGracePeriodSeconds: 30}}");
    fake.delete(SHOP);
    let _running = fake.start("*");
    pass(20).await;
    assert!(fake.get(POD).is_some() && fake.get(DEPLOYMENT).is_some());
    let expected = "Some resources are remaining: pods. has 1 resource instances";
    assert_eq!(condition(&fake, "NamespaceContentRemaining")[2], expected);
    fake.change(POD, |pod| drop(pod.remove("spec")));
    pass(20).await;
    assert_eq!((fake.get(DEPLOYMENT), fake.get(SHOP)), (None, None));
}

#[tokio::test(start_paused = true)]
async fn what_discovery_cannot_say_is_told_and_the_rest_is_deleted() {
    let fake = shop();
    fake.fail("GET /apis/example.com/v1", usize::MAX, 503);
    fake.delete(SHOP);
    let _running = fake.start("*");
    pass(30).await;
    assert_eq!((fake.get(DEPLOYMENT), fake.get(WIDGET).is_some()), (None, true));
    let expected = "Discovery failed for some groups, 1 failing: unable to retrieve the complete \
                    list of server APIs: example.com/v1: the server is currently unable to handle \
                    the request";
    let failure = condition(&fake, "NamespaceDeletionDiscoveryFailure");
    assert_eq!(failure, ["True", "DiscoveryFailed", expected]);
    fake.heal();
    pass(61).await;
    assert_eq!((fake.get(WIDGET), fake.get(SHOP)), (None, None));
}

#[tokio::test(start_paused = true)]
async fn content_that_cannot_be_deleted_is_told_and_tried_again() {
    let fake = shop();
    fake.fail("DELETE /apis/apps", usize::MAX, 500);
    fake.delete(SHOP);
    let _running = fake.start("*");
    pass(30).await;
    let expected = "Failed to delete all resource types, 1 remaining: an error on the server \
                    (code 500) has prevented the request from succeeding";
    let failure = condition(&fake, "NamespaceDeletionContentFailure");
    assert_eq!(failure, ["True", "ContentDeletionFailed", expected]);
    assert_eq!(fake.get(WIDGET), None);
    fake.heal();
    pass(61).await;
    assert_eq!(fake.get(SHOP), None);
}

#[tokio::test(start_paused = true)]
async fn where_collections_cannot_be_deleted_objects_are() {
    let fake = shop();
    fake.set(&format!("{CONFIGMAPS}/held"), HELD);
    fake.fail("DELETE /api/v1/namespaces/shop/configmaps", 1, 405);
    fake.delete(SHOP);
    let _running = fake.start("*");
    pass(10).await;
    let expected = ["a", "b", "c", "held"].map(|name| format!("DELETE {CONFIGMAPS}/{name}"));
    let writes = fake.writes();
    assert!(expected.iter().all(|write| writes.contains(write)), "{writes:?}");
    let remaining = condition(&fake, "NamespaceContentRemaining");
    assert!(remaining[2].ends_with("configmaps. has 1 resource instances"), "{remaining:?}");
}

#[tokio::test(start_paused = true)]
async fn who_else_holds_the_namespace_is_left_to_it() {
    let fake = shop();
    fake.change(SHOP, |namespace| {
        namespace.set("spec", node("{finalizers: [mine, kubernetes]}"));
    });
    fake.delete(SHOP);
    let _running = fake.start("*");
    pass(60).await;
    let namespace = fake.get(SHOP).expect("held");
    assert_eq!(
        namespace.get("spec").map(Node::to_json).as_deref(),
        Some(r#"{"finalizers":["mine"]}"#)
    );
    let writes = fake.writes();
    fake.change(SHOP, |namespace| {
        namespace.set("spec", node("{finalizers: []}"));
        namespace.map_mut("metadata").set("finalizers", node("[other]"));
    });
    pass(600).await;
    assert_eq!(fake.writes(), writes);
}

#[tokio::test(start_paused = true)]
async fn conflicts_and_lost_answers_only_delay() {
    let fake = shop();
    for write in ["PUT /api/v1/namespaces/shop/status", "PUT /api/v1/namespaces/shop/finalize"] {
        fake.fail(write, 7, 409);
        fake.fail(write, 2, 0);
    }
    fake.delete(SHOP);
    let _running = fake.start("*");
    pass(30).await;
    assert_eq!(fake.get(SHOP), None);
}
