//! `cargo xtask definitions`: what a thousand definitions with ten thousand objects cost: start, memory, one more.
#![allow(clippy::print_stdout, reason = "a measurement speaks by printing")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::expect_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::indexing_slicing, reason = "a measurement that fails is no measurement")]

#[path = "../measurement/mod.rs"]
mod measurement;

use bytes::Bytes;
use hyper::Method;
use measurement::arguments::Arguments;
use measurement::client::Connection;
use measurement::figures::Table;
use measurement::process::ServerProcess;
use measurement::times::Times;
use serde_json::{Value, json};
use std::time::Instant;
use tokio::runtime::Builder;

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench definitions [-- [--quick] [--definitions N] [--objects N]]

Creates definitions with a hundred fields and ten CEL rules each, and objects of them; measures a creation of both, lists
before and after a definition changed, memory, and how long a restarted server needs until it is ready.";

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn main() {
    let Some(args) = Arguments::read(USAGE) else { return };
    let quick = args.has("--quick");
    let (definitions, objects) = if quick { (100, 1000) } else { (1000, 10_000) };
    let definitions: usize = args.number("--definitions").unwrap_or(definitions);
    let objects: usize = args.number("--objects").unwrap_or(objects);
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let mut table = Table::default();
    let folder = tempfile::tempdir().unwrap();
    let mut server = ServerProcess::start(folder.path());
    table.row("memory of an empty server", megabytes(&server));
    runtime.block_on(async {
        let mut connection = server.target().connect().await;
        let mut times = Times::default();
        let begun = Instant::now();
        for number in 0..definitions {
            times.0.push(create(&mut connection, DEFINITIONS, &definition(number)).await);
        }
        table.row("definitions created", times.summary(begun.elapsed()));
        let (mut times, begun) = (Times::default(), Instant::now());
        for number in 0..objects {
            let path = widgets(number % definitions);
            times.0.push(create(&mut connection, &path, &widget(number, definitions)).await);
        }
        table.row("objects created", times.summary(begun.elapsed()));
        table.row("memory with all of them", megabytes(&server));
        list(&mut connection, "a list of one definition's objects", &mut table).await;
        let path = format!("{DEFINITIONS}/widgets.g0.example.com");
        let (code, text) = connection.request(&Method::GET, &path, Bytes::new()).await;
        assert_eq!(code, 200);
        let mut changed: Value = serde_json::from_slice(&text).unwrap();
        changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
            ["more"] = json!({"type": "string", "default": "x"});
        let body = Bytes::from(changed.to_string());
        let begun = Instant::now();
        let (code, text) = connection.request(&Method::PUT, &path, body).await;
        assert_eq!(code, 200, "{}", String::from_utf8_lossy(&text));
        table.row("a definition changed", milliseconds(begun));
        list(&mut connection, "the same list with a new default", &mut table).await;
    });
    for round in 1..=3 {
        server = server.restart();
        table.row(&format!("restart {round}"), server.startup_summary());
        table.row("memory after it", megabytes(&server));
    }
    runtime.block_on(async {
        let mut connection = server.target().connect().await;
        let begun = Instant::now();
        create(&mut connection, DEFINITIONS, &definition(definitions)).await;
        table.row("one more definition", milliseconds(begun));
        let begun = Instant::now();
        create(&mut connection, &widgets(definitions), &widget(definitions, definitions + 1)).await;
        table.row("its first object", milliseconds(begun));
    });
    println!("{table}");
}

fn milliseconds(begun: Instant) -> String {
    format!("{:.1} ms", begun.elapsed().as_secs_f64() * 1000.0)
}

fn megabytes(server: &ServerProcess) -> String {
    format!("{:.0} MB", server.memory())
}

async fn list(connection: &mut Connection, what: &str, table: &mut Table) {
    let mut times = Times::default();
    let begun = Instant::now();
    for _ in 0..50 {
        let begun = Instant::now();
        connection.request_ok(&Method::GET, &widgets(0), Bytes::new()).await;
        times.0.push(begun.elapsed());
    }
    table.row(what, times.summary(begun.elapsed()));
}

async fn create(connection: &mut Connection, path: &str, object: &Value) -> std::time::Duration {
    let begun = Instant::now();
    let (code, text) = connection.request(&Method::POST, path, object.to_string().into()).await;
    assert_eq!(code, 201, "{}", String::from_utf8_lossy(&text));
    begun.elapsed()
}

fn widgets(number: usize) -> String {
    format!("/apis/g{number}.example.com/v1/namespaces/default/widgets")
}

/// A definition with a hundred fields, ten of them with a rule.
fn definition(number: usize) -> Value {
    let mut properties = serde_json::Map::new();
    for field in 0..100 {
        let mut schema = json!({"type": "string", "maxLength": 64, "description": "A field of the measurement, described in some words."});
        if field % 10 == 0 {
            schema["x-kubernetes-validations"] =
                json!([{"rule": "self.size() < 60", "message": "too long"}]);
        }
        properties.insert(format!("field{field}"), schema);
    }
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}});
    let group = format!("g{number}.example.com");
    json!({
        "metadata": {"name": format!("widgets.{group}")},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

fn widget(number: usize, definitions: usize) -> Value {
    let group = format!("g{}.example.com", number % definitions);
    let spec: serde_json::Map<String, Value> =
        (0..20).map(|field| (format!("field{field}"), json!("some value"))).collect();
    json!({
        "apiVersion": format!("{group}/v1"),
        "kind": "Widget",
        "metadata": {"name": format!("w{number}")},
        "spec": spec,
    })
}
