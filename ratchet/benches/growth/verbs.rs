//! What each verb costs among the pods that are there.

use super::cluster::{Cluster, figure, namespace, node, path, pod};
use super::grid::Grid;
use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const ROUNDS: usize = 200;
/// Rounds of what looks at all objects.
const FEW_ROUNDS: usize = 3;
/// Rounds of what is read from the store.
const OLD_ROUNDS: usize = 20;
/// The size of collections that are deleted.
const SOME: usize = 100;
const PAGE: &str = "/api/v1/pods?limit=500";
const PAGE_LENGTH: usize = 500;
/// Writes after which no snapshot is left of what was there before: each resource keeps 4,096 changes.
const MANY_WRITES: usize = 5000;

/// The collections that are deleted, of another resource than the columns count.
const COLLECTION: &str = "deletecollection of 100 ConfigMaps";
const DEPENDENTS: &str = "garbage collection of 100 ConfigMaps";
const NAMESPACE: &str = "namespace of 100 ConfigMaps deleted";

/// Reads that need not grow, by their paths; `{…}` stands for what a pod in the middle has.
const READS: &[(&str, &str)] = &[
    ("get", "{path}"),
    ("page of 500, first", "/api/v1/pods?limit=500"),
    (
        "list by name in a namespace",
        "/api/v1/namespaces/{namespace}/pods?fieldSelector=metadata.name%3D{name}",
    ),
    ("list by name", "/api/v1/pods?fieldSelector=metadata.name%3D{name}"),
    ("list by node (30 pods)", "/api/v1/pods?fieldSelector=spec.nodeName%3D{node}"),
];

/// Those of them that are measured beside watches too.
const FEW_READS: &[&str] = &["get", "page of 500, first"];

/// Reads that look at every object.
const SCANS: &[(&str, &str)] = &[
    ("list by label (10 pods)", "/api/v1/pods?labelSelector=app%3D{app}"),
    ("list by phase (no pods)", "/api/v1/pods?fieldSelector=status.phase%3DFailed"),
    ("list of all", "/api/v1/pods"),
];

/// Measures everything once.
pub(crate) async fn measure(cluster: &mut Cluster, grid: &mut Grid) {
    let middle = cluster.pods() / 2;
    reads(cluster, grid, ROUNDS, READS).await;
    reads(cluster, grid, FEW_ROUNDS, SCANS).await;
    pages(cluster, grid).await;
    writes(cluster, grid).await;
    starts(cluster, grid, &node(middle)).await;
    deletions(cluster, grid).await;
    old_page(cluster, grid).await;
}

/// Measures the verbs that are used most.
pub(crate) async fn measure_few(cluster: &mut Cluster, grid: &mut Grid) {
    let few: Vec<_> = READS.iter().filter(|(what, _)| FEW_READS.contains(what)).copied().collect();
    reads(cluster, grid, ROUNDS, &few).await;
    writes(cluster, grid).await;
}

/// Reads, each for so many times.
async fn reads(
    cluster: &mut Cluster,
    grid: &mut Grid,
    rounds: usize,
    rows: &[(&'static str, &str)],
) {
    let middle = cluster.pods() / 2;
    let fill_in = |text: &str| {
        text.replace("{path}", &path(middle))
            .replace("{namespace}", &namespace(middle))
            .replace("{name}", &format!("pod-{middle:06}"))
            .replace("{node}", &node(middle))
            .replace("{app}", &format!("web-{}", middle / 10))
    };
    for (what, path) in rows {
        let path = fill_in(path);
        let read = |_| (Method::GET, path.clone(), Bytes::new());
        // The first one may have to read what the others find.
        cluster.cost(1, read).await;
        grid.add(what, cluster.cost(rounds, read).await);
    }
}

/// The path of a page after so many others, or of the last one.
async fn page_after(cluster: &mut Cluster, pages: usize) -> String {
    let mut path = PAGE.to_owned();
    for _ in 0..pages {
        let list = cluster.get(&path).await;
        match list["metadata"]["continue"].as_str() {
            Some(next) => path = format!("{PAGE}&continue={next}"),
            None => break,
        }
    }
    path
}

/// A page of a list that began before so many writes that it is read from the store.
async fn old_page(cluster: &mut Cluster, grid: &mut Grid) {
    let path = page_after(cluster, (cluster.pods() / PAGE_LENGTH / 2).max(1)).await;
    cluster.touch(MANY_WRITES).await;
    let page = |_| (Method::GET, path.clone(), Bytes::new());
    grid.add("page of 500 in the middle, after 5,000 writes", cluster.cost(OLD_ROUNDS, page).await);
}

/// Pages far from the first, also after a write.
async fn pages(cluster: &mut Cluster, grid: &mut Grid) {
    let far = page_after(cluster, 100).await;
    let page = |_| (Method::GET, far.clone(), Bytes::new());
    grid.add("page of 500, the hundredth or last", cluster.cost(ROUNDS, page).await);
    let pods = format!("/api/v1/namespaces/{}/pods", namespace(999_998));
    cluster.make(&pods, &pod(999_998)).await;
    grid.add("the same after a write", cluster.cost(ROUNDS, page).await);
    cluster.one.request_ok(&Method::DELETE, &now(&path(999_998)), Bytes::new()).await;
}

/// The path that deletes a pod at once.
fn now(path: &str) -> String {
    format!("{path}?gracePeriodSeconds=0")
}

async fn writes(cluster: &mut Cluster, grid: &mut Grid) {
    let new = |round: usize| 900_000 + round;
    let create = |round| {
        let path = format!("/api/v1/namespaces/{}/pods", namespace(new(round)));
        (Method::POST, path, Bytes::from(pod(new(round)).to_string()))
    };
    grid.add("create", cluster.cost(ROUNDS, create).await);
    let mut bodies = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let mut changed = cluster.get(&path(new(round))).await;
        changed["metadata"]["annotations"] = json!({"round": round.to_string()});
        bodies.push(Bytes::from(changed.to_string()));
    }
    let update = |round: usize| (Method::PUT, path(new(round)), bodies[round].clone());
    grid.add("update", cluster.cost(ROUNDS, update).await);
    let delete = |round| (Method::DELETE, now(&path(new(round))), Bytes::new());
    grid.add("delete", cluster.cost(ROUNDS, delete).await);
}

/// Starts of watches: until the answer begins, or until the initial events are over.
async fn starts(cluster: &mut Cluster, grid: &mut Grid, node: &str) {
    let list = cluster.get("/api/v1/pods?limit=1").await;
    let version = list["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let selector = format!("fieldSelector=spec.nodeName%3D{node}");
    let from =
        format!("/api/v1/pods?watch=1&resourceVersion={version}&timeoutSeconds=1&{selector}");
    let initial = format!(
        "/api/v1/pods?watch=1&timeoutSeconds=1&{selector}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    );
    for (what, path) in
        [("watch start, from a version", from), ("watch start, 30 initial events", initial)]
    {
        cluster.rest().await;
        let before = cluster.processor();
        let mut open = Vec::new();
        for _ in 0..SOME {
            let mut connection = cluster.target.connect().await;
            let path = path.clone();
            open.push(tokio::spawn(async move {
                connection.request_ok(&Method::GET, &path, Bytes::new()).await
            }));
        }
        for task in open {
            task.await.unwrap();
        }
        grid.add(what, figure(cluster.processor() - before, SOME, 0.0));
    }
}

fn map(name: &str, labels: Value, owner: Option<&Value>) -> Value {
    let mut map = json!({"metadata": {"name": name, "labels": labels}, "data": {"a": "b"}});
    if let Some(owner) = owner {
        map["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "v1", "kind": "ConfigMap",
            "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
        }]);
    }
    map
}

/// Deletions of a hundred ConfigMaps: of a collection, by their namespace, and by their owner. Time until all are gone,
/// and processor time, of all of them.
async fn deletions(cluster: &mut Cluster, grid: &mut Grid) {
    let name = format!("short-{}", cluster.pods());
    cluster.make_namespace(&name).await;
    let maps = format!("/api/v1/namespaces/{name}/configmaps");
    let all = format!("{maps}?labelSelector=of%3Dbench");
    for what in [COLLECTION, DEPENDENTS, NAMESPACE] {
        let owner = cluster.make(&maps, &map("owner", json!({}), None)).await;
        let owner = (what == DEPENDENTS).then_some(owner);
        for number in 0..SOME {
            let map = map(&format!("m{number}"), json!({"of": "bench"}), owner.as_ref());
            cluster.make(&maps, &map).await;
        }
        cluster.rest().await;
        let (before, begun) = (cluster.processor(), Instant::now());
        let path = match what {
            COLLECTION => all.clone(),
            DEPENDENTS => format!("{maps}/owner"),
            _ => format!("/api/v1/namespaces/{name}"),
        };
        cluster.one.request_ok(&Method::DELETE, &path, Bytes::new()).await;
        while !cluster.get(&all).await["items"].as_array().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let median = begun.elapsed().as_secs_f64() * 1000.0;
        grid.add(what, figure(cluster.processor() - before, 1, median));
        if what == COLLECTION {
            cluster.one.request_ok(&Method::DELETE, &format!("{maps}/owner"), Bytes::new()).await;
        }
    }
}
