//! Tests of concurrent clients: what must never be allocated twice, and what must never slip through.

use crate::client::text;
use crate::server::Server;
use serde_json::json;
use std::collections::BTreeSet;

#[tokio::test(flavor = "multi_thread")]
async fn no_two_services_share_an_address_or_a_node_port() {
    const SERVICES: usize = 64;
    let server = Server::start();
    let client = server.admin().await;
    let (namespace, _) = client.namespace().await;
    let path = format!("/api/v1/namespaces/{namespace}/services");
    let requests: Vec<_> = (0..SERVICES)
        .map(|index| {
            let (client, path) = (client.clone(), path.clone());
            tokio::spawn(async move {
                let spec = json!({"type": "NodePort", "ports": [{"port": 80}]});
                let body = json!({"metadata": {"name": format!("s{index}")}, "spec": spec});
                client.post(&path, body).await
            })
        })
        .collect();
    let (mut addresses, mut ports) = (BTreeSet::new(), BTreeSet::new());
    for request in requests {
        let answer = request.await.unwrap();
        assert_eq!(answer.code, 201, "{}", answer.text());
        let spec = answer.json()["spec"].clone();
        addresses.insert(text(&spec["clusterIP"]));
        ports.insert(spec["ports"][0]["nodePort"].as_u64().unwrap());
    }
    assert_eq!((addresses.len(), ports.len()), (SERVICES, SERVICES));
    let allocated = client.get("/apis/networking.k8s.io/v1/ipaddresses").await.names();
    assert!(addresses.iter().all(|address| allocated.contains(address)));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_is_taken_by_one() {
    let server = Server::start();
    let client = server.admin().await;
    let (namespace, _) = client.namespace().await;
    let path = format!("/api/v1/namespaces/{namespace}/services");
    let requests: Vec<_> = (0..16)
        .map(|index| {
            let (client, path) = (client.clone(), path.clone());
            tokio::spawn(async move {
                let ports = json!([{"port": 80, "nodePort": 30050}]);
                let spec = json!({"type": "NodePort", "clusterIP": "10.0.0.77", "ports": ports});
                let body = json!({"metadata": {"name": format!("s{index}")}, "spec": spec});
                client.post(&path, body).await.code
            })
        })
        .collect();
    let mut codes = Vec::new();
    for request in requests {
        codes.push(request.await.unwrap());
    }
    codes.sort_unstable();
    assert_eq!(codes[0], 201);
    assert!(codes[1..].iter().all(|code| *code == 422), "{codes:?}");
    // What is given back can be taken again.
    let name = client.get(&path).await.names().remove(0);
    assert_eq!(client.delete(&format!("{path}/{name}")).await.code, 200);
    let spec = json!({"clusterIP": "10.0.0.77", "ports": [{"port": 80}]});
    let again = client.post(&path, json!({"metadata": {"name": "again"}, "spec": spec})).await;
    assert_eq!(again.code, 201, "{}", again.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_counter_loses_no_increment() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let body = json!({"metadata": {"name": "counter"}, "data": {"n": "0"}});
    client.post(&maps, body).await;
    let path = format!("{maps}/counter");
    let workers: Vec<_> = (0..8)
        .map(|_| {
            let (client, path) = (client.clone(), path.clone());
            tokio::spawn(async move {
                let mut done = 0;
                while done < 5 {
                    let mut object = client.get(&path).await.json();
                    let next = text(&object["data"]["n"]).parse::<u64>().unwrap() + 1;
                    object["data"]["n"] = json!(next.to_string());
                    match client.put(&path, object).await.code {
                        200 => done += 1,
                        409 => {}
                        code => panic!("{code}"),
                    }
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    assert_eq!(client.get(&path).await.json()["data"]["n"], "40");
}

#[tokio::test(flavor = "multi_thread")]
async fn patches_without_a_version_all_come_through() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let path = format!("{maps}/a");
    let workers: Vec<_> = (0..12)
        .map(|index| {
            let (client, path) = (client.clone(), path.clone());
            tokio::spawn(async move {
                client.patch(&path, json!({"data": {format!("k{index}"): "v"}})).await.code
            })
        })
        .collect();
    for worker in workers {
        assert_eq!(worker.await.unwrap(), 200);
    }
    let data = client.get(&path).await.json()["data"].clone();
    assert_eq!(data.as_object().unwrap().len(), 13);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_made_in_a_namespace_that_goes() {
    let client = Server::shared().admin().await;
    for _ in 0..5 {
        let (namespace, maps) = client.namespace().await;
        let path = format!("/api/v1/namespaces/{namespace}");
        let makers: Vec<_> = (0..8)
            .map(|maker| {
                let (client, maps) = (client.clone(), maps.clone());
                tokio::spawn(async move {
                    let mut last = 0;
                    for index in 0..200 {
                        let body = json!({"metadata": {"name": format!("m{maker}-{index}")}});
                        let made = client.post(&maps, body).await;
                        if made.code != 201 {
                            let cause = text(&made.json()["details"]["causes"][0]["reason"]);
                            assert_eq!((made.code, cause.as_str()), (403, "NamespaceTerminating"));
                            break;
                        }
                        last = last.max(made.version());
                    }
                    last
                })
            })
            .collect();
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
        let going = client.delete(&path).await;
        assert_eq!(
            (going.code, going.json()["status"]["phase"].as_str()),
            (200, Some("Terminating"))
        );
        let deleted = going.version();
        for maker in makers {
            let last = maker.await.unwrap();
            assert!(last < deleted, "something was made at {last}, after the end at {deleted}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_name_is_made_once() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let makers: Vec<_> = (0..16)
        .map(|_| {
            let (client, maps) = (client.clone(), maps.clone());
            tokio::spawn(async move {
                client.post(&maps, json!({"metadata": {"name": "only"}})).await.code
            })
        })
        .collect();
    let mut made = 0;
    for maker in makers {
        match maker.await.unwrap() {
            201 => made += 1,
            code => assert_eq!(code, 409),
        }
    }
    assert_eq!(made, 1);
}
