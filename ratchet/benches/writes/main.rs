//! `cargo xtask writes`: what writes of large objects cost: applies, updates with `managedFields`, definitions, rules.
#![allow(clippy::print_stdout, reason = "a measurement speaks by printing")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::expect_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::indexing_slicing, reason = "a measurement that fails is no measurement")]

#[path = "../measurement/mod.rs"]
mod measurement;
mod objects;

use http_body_util::BodyExt;
use hyper::Method;
use measurement::arguments::Arguments;
use measurement::client::{Connection, Target};
use measurement::figures::Table;
use measurement::process::ServerProcess;
use measurement::times::Times;
use objects::{DEFINITIONS, custom_object, custom_objects, definition, pod};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::runtime::Builder;

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench writes [-- [--rounds N] [--kubeconfig FILE]]

Over one connection: applies and updates of a pod with a hundred containers, definitions until their API is served, and
updates of a custom object with a hundred fields and ten rules. Without --kubeconfig it starts its own server in a
temporary folder; with it, it measures the server that is there.";

const JSON: &str = "application/json";
const APPLY: &str = "application/apply-patch+yaml";
const PODS: &str = "/api/v1/namespaces/default/pods";

fn main() {
    let Some(args) = Arguments::read(USAGE) else { return };
    let rounds = args.number("--rounds").unwrap_or(200);
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let mut table = Table::default();
    let folder = tempfile::tempdir().unwrap();
    let (target, _server) = match args.value("--kubeconfig") {
        Some(kubeconfig) => (Target::read(kubeconfig), None),
        None => {
            // As kube-apiserver is by itself: without controllers.
            let flags = ["--controllers=", "--disable-admission-plugins=ServiceAccount"];
            let server = ServerProcess::start_with(folder.path(), &flags);
            (server.target(), Some(server))
        }
    };
    runtime.block_on(async {
        let mut connection = target.connect().await;
        pods(&mut connection, rounds, &mut table).await;
        definitions(&mut connection, rounds / 4, &mut table).await;
        custom(&mut connection, rounds, &mut table).await;
    });
    println!("{table}");
}

/// One write that must succeed: its duration, and the object that was answered.
async fn write(
    connection: &mut Connection,
    method: &Method,
    path: &str,
    (body, media_type): (&Value, &str),
) -> (Duration, Value) {
    let body = body.to_string();
    let begun = Instant::now();
    let answer = connection.send_as(method, path, body.into(), media_type).await;
    let code = answer.status();
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    let time = begun.elapsed();
    assert!(code.is_success(), "{method} {path}: {code} {}", String::from_utf8_lossy(&bytes));
    (time, serde_json::from_slice(&bytes).unwrap())
}

/// Applies and updates of pods with a hundred containers.
async fn pods(connection: &mut Connection, rounds: usize, table: &mut Table) {
    let path = |name: &str| format!("{PODS}/{name}?fieldManager=first");
    let mut times = Times::default();
    for round in 0..rounds {
        let name = format!("p{round}");
        let body = pod(&name, "i:1");
        times.0.push(write(connection, &Method::PATCH, &path(&name), (&body, APPLY)).await.0);
    }
    report(table, "a pod of 100 containers is created by an apply", times);
    let (mut times, body) = (Times::default(), pod("p0", "i:1"));
    for _ in 0..rounds {
        times.0.push(write(connection, &Method::PATCH, &path("p0"), (&body, APPLY)).await.0);
    }
    report(table, "the same apply again", times);
    let mut times = Times::default();
    for round in 0..rounds {
        let body = pod("p0", &format!("i:{}", round + 2));
        times.0.push(write(connection, &Method::PATCH, &path("p0"), (&body, APPLY)).await.0);
    }
    report(table, "an apply that changes one image", times);
    let path = format!("{PODS}/p1?fieldManager=second");
    let (code, bytes) = connection.request(&Method::GET, &path, bytes::Bytes::new()).await;
    assert_eq!(code, 200);
    let mut object: Value = serde_json::from_slice(&bytes).unwrap();
    let mut times = Times::default();
    for round in 0..rounds {
        object["spec"]["containers"][50]["image"] = json!(format!("i:{}", round + 2));
        let (time, answer) = write(connection, &Method::PUT, &path, (&object, JSON)).await;
        times.0.push(time);
        object = answer;
    }
    report(table, "PUT of it with its managedFields, one image changed", times);
}

/// Definitions, each until a list of its objects succeeds.
async fn definitions(connection: &mut Connection, rounds: usize, table: &mut Table) {
    let mut times = Times::default();
    for number in 1..=rounds {
        let begun = Instant::now();
        write(connection, &Method::POST, DEFINITIONS, (&definition(number, 1), JSON)).await;
        let list = custom_objects(number);
        while connection.request(&Method::GET, &list, bytes::Bytes::new()).await.0 != 200 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        times.0.push(begun.elapsed());
    }
    report(table, "a definition with 100 fields, until its API is served", times);
}

/// Updates of an object with a hundred fields by ten rules.
async fn custom(connection: &mut Connection, rounds: usize, table: &mut Table) {
    write(connection, &Method::POST, DEFINITIONS, (&definition(0, 10), JSON)).await;
    let list = custom_objects(0);
    while connection.request(&Method::GET, &list, bytes::Bytes::new()).await.0 != 200 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let (_, mut object) = write(connection, &Method::POST, &list, (&custom_object(0), JSON)).await;
    let mut times = Times::default();
    for round in 0..rounds {
        object["spec"]["field5"] = json!(format!("value {round}"));
        let path = format!("{list}/o");
        let (time, answer) = write(connection, &Method::PUT, &path, (&object, JSON)).await;
        times.0.push(time);
        object = answer;
    }
    report(table, "PUT of a custom object with 100 fields and ten rules", times);
}

fn report(table: &mut Table, what: &str, mut times: Times) {
    let figures = format!("p50 {:.2} ms, p99 {:.2} ms", times.at(0.5), times.at(0.99));
    table.row(what, figures);
}
