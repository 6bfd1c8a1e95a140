//! Tests of `FlowController`: seats, waits, changes of the configuration.

use super::*;
use crate::storage::cache::{Item, ObjectState};
use ratchet_access::{Target, User};
use ratchet_flow_control::bootstrap_objects;
use std::time::Duration;

/// A controller with the server's own objects and one more level with two seats and one queue of one request.
fn controller(total: usize) -> FlowController {
    let (schemas, levels): (Arc<ResourceCache>, Arc<ResourceCache>) = Default::default();
    for (number, object) in bootstrap_objects().into_iter().enumerate() {
        let cache = match object.node.text_at(&["kind"]) {
            "FlowSchema" => &schemas,
            _ => &levels,
        };
        let mut stored = object.node.clone();
        stored.remove("kind");
        stored.remove("apiVersion");
        put(cache, number as u64 + 1, stored.metadata().name(), &stored.to_json());
    }
    FlowController::over(schemas, levels, total, &Registry::new())
}

fn put(cache: &ResourceCache, revision: u64, name: &str, json: &str) {
    let item = Item::stored(name.into(), revision, json.as_bytes()).unwrap();
    cache.apply(vec![(revision, name.into(), ObjectState::Item(item))]);
}

fn add_narrow_level(controller: &FlowController) {
    put(
        &controller.levels,
        100,
        "narrow",
        r#"{"metadata":{"name":"narrow","uid":"level"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":1,"borrowingLimitPercent":0,"limitResponse":{"type":"Queue","queuing":{"queues":1,"handSize":1,"queueLengthLimit":1}}}}}"#,
    );
    put(
        &controller.schemas,
        101,
        "narrow",
        r#"{"metadata":{"name":"narrow","uid":"schema"},"spec":{"matchingPrecedence":3,"priorityLevelConfiguration":{"name":"narrow"},"distinguisherMethod":{"type":"ByUser"},"rules":[{"subjects":[{"kind":"User","user":{"name":"ann"}}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]}}"#,
    );
}

fn user(name: &str) -> User {
    User { name: name.into(), groups: vec!["system:authenticated".into()], ..User::default() }
}

async fn ask(controller: &FlowController, name: &str, wait: Duration) -> Result<Seat, Rejected> {
    ask_for(controller, name, wait, Work::ONE).await
}

async fn ask_for(
    controller: &FlowController,
    name: &str,
    wait: Duration,
    work: Work,
) -> Result<Seat, Rejected> {
    let user = user(name);
    let attributes = Attributes { user: &user, verb: "get", target: Target::Path("/version") };
    let info = Arc::new(RequestInfo::nothing());
    let wait_until = Instant::now() + wait;
    let request = SeatRequest { attributes: &attributes, info: &info, wait_until };
    controller.admit(request, |_| work).await
}

const LONG: Duration = Duration::from_secs(600);

fn narrow(controller: &FlowController) -> Arc<Level> {
    controller.now().levels.iter().find(|level| level.name() == "narrow").unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_configuration_is_in_force_at_once() {
    let controller = controller(600);
    let seat = ask(&controller, "ann", LONG).await.ok().unwrap();
    assert_eq!(seat.flow().schema.name, "global-default");
    add_narrow_level(&controller);
    let seat = ask(&controller, "ann", LONG).await.ok().unwrap();
    assert_eq!(seat.flow().schema.name, "narrow");
    let mut headers = http::HeaderMap::new();
    seat.flow().set_headers(&mut headers);
    assert_eq!(headers["x-kubernetes-pf-flowschema-uid"], "schema");
    assert_eq!(headers["x-kubernetes-pf-prioritylevel-uid"], "level");
    controller.levels.apply(vec![(102, "narrow".into(), ObjectState::Deleted)]);
    let other = ask(&controller, "ann", LONG).await.ok().unwrap();
    assert_eq!(other.flow().schema.name, "global-default", "a schema without a level is not used");
    assert_eq!(controller.now().quiescing.len(), 1, "one request still has its seat");
    let page = controller.dump("dump_priority_levels", false).unwrap();
    let row = page.lines().find(|line| line.starts_with("narrow,")).unwrap();
    let row: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(row, ["narrow,", "0,", "false,", "true,", "0,", "1,", "1,", "0,", "0,", "0"]);
    drop(seat);
}

#[tokio::test(start_paused = true)]
async fn a_request_waits_for_a_seat_and_is_rejected_after_its_time() {
    let controller = Arc::new(controller(100));
    add_narrow_level(&controller);
    let level = narrow(&controller);
    let limit = level.state().set.configuration().1;
    assert!(limit > 0);
    let mut seats = Vec::new();
    for _ in 0..limit {
        seats.push(ask(&controller, "ann", LONG).await.ok().unwrap());
    }
    let rejected = ask(&controller, "ann", Duration::from_secs(1)).await.err().unwrap();
    assert_eq!((rejected.flow.schema.name.as_str(), rejected.retry_after), ("narrow", 1));
    let waiting = tokio::spawn({
        let controller = controller.clone();
        async move { ask(&controller, "ann", LONG).await.is_ok() }
    });
    while level.state().set.totals().waiting == 0 {
        tokio::task::yield_now().await;
    }
    assert!(ask(&controller, "ann", LONG).await.is_err(), "the queue is full");
    assert!(ask(&controller, "bob", LONG).await.is_ok(), "others have queues of their own");
    let page = controller.dump("dump_requests", true).unwrap();
    assert!(
        page.lines().any(|line| line.contains("narrow,") && line.contains("0001-01-01T00:00:00Z,")),
        "{page}"
    );
    seats.pop();
    assert!(waiting.await.unwrap(), "it gets the seat that was given back");
    drop(seats);
    assert!(level.is_idle());
    let totals = level.state().set.totals();
    assert_eq!((totals.rejected, totals.cancelled), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn who_goes_away_leaves_the_queue() {
    let controller = controller(100);
    add_narrow_level(&controller);
    let level = narrow(&controller);
    let limit = level.state().set.configuration().1;
    let mut seats = Vec::new();
    for _ in 0..limit {
        seats.push(ask(&controller, "ann", LONG).await.ok().unwrap());
    }
    tokio::select! {
        _ = ask(&controller, "ann", LONG) => panic!("there is no seat"),
        () = tokio::time::sleep(Duration::from_millis(5)) => {}
    }
    assert_eq!(level.state().set.totals().waiting, 0);
    drop(seats);
    assert!(level.is_idle());
}

#[tokio::test(start_paused = true)]
async fn metrics_have_the_names_of_the_reference() {
    let registry = Registry::new();
    let (schemas, levels): (Arc<ResourceCache>, Arc<ResourceCache>) = Default::default();
    let controller = Arc::new(FlowController::over(schemas, levels, 600, &registry));
    let own = controller.clone();
    registry.collector(Box::new(move |writer| own.write_metrics(writer)));
    let seat = ask(&controller, "ann", LONG).await.ok().unwrap();
    let text = registry.render();
    for line in [
        "apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"catch-all\",priority_level=\"catch-all\"} 1",
        "apiserver_flowcontrol_current_executing_requests{flow_schema=\"catch-all\",priority_level=\"catch-all\"} 1",
        "apiserver_flowcontrol_current_inqueue_requests{flow_schema=\"exempt\",priority_level=\"exempt\"} 0",
        "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"catch-all\"} 600",
        "apiserver_flowcontrol_request_wait_duration_seconds_count{execute=\"true\",flow_schema=\"catch-all\",priority_level=\"catch-all\"} 1",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    drop(seat);
}

#[tokio::test(start_paused = true)]
async fn a_schema_without_a_condition_gets_one() {
    let controller = controller(600);
    let needed = controller.dangling();
    assert_eq!(needed.len(), 11);
    assert!(needed.iter().all(|(_, condition)| condition.status == "False"));
    controller.levels.apply(vec![(102, "system".into(), ObjectState::Deleted)]);
    let needed = controller.dangling();
    let dangling: Vec<_> = needed.iter().filter(|(_, own)| own.status == "True").collect();
    assert_eq!(dangling.len(), 1);
    assert_eq!(dangling[0].0, "system-nodes");
}

#[tokio::test(start_paused = true)]
async fn a_write_keeps_its_seats_while_watches_are_told_of_it() {
    let controller = controller(100);
    add_narrow_level(&controller);
    let level = narrow(&controller);
    let lingers = Duration::from_millis(20);
    let seat = ask_for(&controller, "ann", LONG, Work { seats: 1, lingers }).await.ok().unwrap();
    drop(seat);
    tokio::time::sleep(lingers / 2).await;
    assert!(!level.is_idle(), "watches have work");
    tokio::time::sleep(lingers).await;
    assert!(level.is_idle());
    let (_, limit) = level.state().set.configuration();
    let mut seats = Vec::new();
    for _ in 0..limit {
        seats.push(ask(&controller, "ann", LONG).await.ok().unwrap());
    }
    let waits = ask_for(&controller, "ann", lingers, Work { seats: 1, lingers }).await;
    assert!(waits.is_err(), "who was never served");
    drop(seats);
    assert!(level.is_idle(), "keeps nothing");
}
