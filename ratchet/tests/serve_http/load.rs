//! Tests of load: long lists in every encoding, limits of long-running requests, documents that are built once.

use crate::client::Client;
use crate::server::{ADMIN, ALICE, BOB, Server};
use hyper::Method;
use ratchet_object::{Limits, decode, proto};
use serde_json::{Value, json};
use std::io::Read;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
const TABLE_YAML: &str = "application/yaml;as=Table;v=v1;g=meta.k8s.io";
const METADATA: &str = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

/// A decoded body, in whatever encoding.
fn parsed(content_type: &str, body: &[u8]) -> Value {
    let json = match content_type {
        PROTOBUF => proto::decode(body, Limits::STORED).unwrap().to_json(),
        _ => {
            let text = std::str::from_utf8(body).unwrap();
            decode(text, Limits::STORED).unwrap().documents.remove(0).to_json()
        }
    };
    serde_json::from_str(&json).unwrap()
}

/// Creates enough config maps for a list that is streamed.
async fn fill(client: &Client, count: usize) -> String {
    let (_, maps) = client.namespace().await;
    for number in 0..count {
        let odd = "<&>\"\\ : - é\n".repeat(number % 7 * 40);
        let body = json!({
            "metadata": {"name": format!("m{number:03}"), "labels": {"n": (number % 3).to_string()}},
            "data": {"text": odd, "empty": "", "true": "yes"},
            "binaryData": {"b": "AAEC"},
        });
        assert_eq!(client.post(&maps, body).await.code, 201);
    }
    maps
}

#[tokio::test]
async fn a_long_list_is_the_same_in_every_encoding() {
    let client = Server::shared().admin().await;
    let maps = fill(&client, 150).await;
    let plain = client.get(&maps).await;
    assert!(plain.body.len() > 256 * 1024, "{}", plain.body.len());
    assert_eq!(plain.json()["items"].as_array().unwrap().len(), 150);
    // The same objects are asked for in all forms; what belongs together is compared.
    for (one, encodings) in [
        ("application/json", vec!["application/json", "application/yaml", PROTOBUF]),
        (TABLE, vec![TABLE, TABLE_YAML]),
        (METADATA, vec![METADATA]),
    ] {
        let wanted = client.get_as(&maps, one).await.json();
        for accept in encodings {
            for (query, gzip) in
                [("", false), ("", true), ("?pretty=1", false), ("?pretty=1", true)]
            {
                let mut headers = vec![("accept", accept)];
                headers.extend(gzip.then_some(("accept-encoding", "gzip")));
                let path = format!("{maps}{query}");
                let answer = client.send(Method::GET, &path, &headers, "").await;
                let what = format!("{accept} {query} packed: {gzip}");
                let is_packed = answer.header("content-encoding") == "gzip";
                let mut bytes = answer.body.to_vec();
                if is_packed {
                    assert!(gzip, "{what}");
                    bytes.clear();
                    flate2::read::GzDecoder::new(answer.body.as_ref())
                        .read_to_end(&mut bytes)
                        .unwrap();
                }
                assert_eq!(is_packed, gzip && bytes.len() > 128 * 1024, "{what}");
                let got = parsed(answer.header("content-type"), &bytes);
                for name in ["kind", "apiVersion", "items", "columnDefinitions"] {
                    assert!(got[name] == wanted[name], "{what}: {name} differs");
                }
                // Ages in tables may change between two answers.
                let count = |list: &Value| list["rows"].as_array().map(Vec::len);
                assert_eq!(count(&got), count(&wanted), "{what}");
                if query == "?pretty=1" && answer.header("content-type") == "application/json" {
                    let text = std::str::from_utf8(&bytes).unwrap();
                    assert!(
                        text.starts_with("{\n  \"kind\": ") && text.ends_with("\n  ]\n}"),
                        "{what}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn short_lists_and_single_objects_are_the_same_in_every_encoding() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let empty = client.get_as(&maps, "application/yaml").await;
    let start = "apiVersion: v1\nitems: []\nkind: ConfigMapList\nmetadata:\n";
    assert!(empty.text().starts_with(start), "{}", empty.text());
    let empty = client.get(&format!("{maps}?pretty=1")).await;
    assert!(empty.text().ends_with("  \"items\": []\n}"), "{}", empty.text());
    let large = "x\u{2028}\"".repeat(20_000);
    for (name, text) in [("small", "a: b"), ("large", large.as_str())] {
        let body = json!({"metadata": {"name": name}, "data": {"t": text}});
        assert_eq!(client.post(&maps, body).await.code, 201, "{name}");
        let path = format!("{maps}/{name}");
        let wanted = client.get(&path).await.json();
        for accept in ["application/json", "application/yaml", PROTOBUF] {
            let answer = client.get_as(&format!("{path}?pretty=1"), accept).await;
            assert_eq!(answer.header("content-type"), accept);
            assert!(parsed(accept, &answer.body) == wanted, "{name} as {accept}");
        }
    }
}

#[tokio::test]
async fn selectors_choose_the_same_from_a_long_list() {
    let client = Server::shared().admin().await;
    let maps = fill(&client, 60).await;
    let some = client.get(&format!("{maps}?labelSelector=n%3D1")).await.names();
    assert_eq!(some.len(), 20);
    let one = client.get(&format!("{maps}?fieldSelector=metadata.name%3Dm007")).await.names();
    assert_eq!(one, ["m007"]);
    let page = client.get(&format!("{maps}?labelSelector=n%3D1&limit=5")).await;
    assert_eq!(page.names(), some[..5]);
    let next = page.json()["metadata"]["continue"].as_str().unwrap().to_owned();
    let rest = client.get(&format!("{maps}?labelSelector=n%3D1&continue={next}")).await.names();
    assert_eq!(rest, some[5..]);
}

#[tokio::test]
async fn what_lasts_has_a_limit_of_its_own_for_each_user() {
    let server = Server::start_with(|config| {
        config.modes = vec![ratchet_server::Mode::AlwaysAllow];
        (config.limits.long_running, config.limits.long_running_of_user) = (3, 2);
    });
    const WATCH: &str = "/api/v1/configmaps?watch=1";
    let admin = Client::connect(&server, Some(ADMIN)).await;
    let alice = Client::connect(&server, Some(ALICE)).await;
    let first = alice.watch(WATCH).await;
    let _second = alice.watch(WATCH).await;
    for path in [WATCH, "/api/v1/namespaces/default/pods/a/log", "/api/v1/nodes/a/proxy/"] {
        let refused = alice.get(path).await;
        assert_eq!(refused.code, 429, "{path}: {}", refused.text());
        assert_eq!(refused.header("retry-after"), "1");
        assert_eq!(refused.text(), "Too many requests, please try again later.\n");
    }
    assert_eq!(alice.get("/api/v1/configmaps").await.code, 200, "what ends soon is not refused");
    let bob = Client::connect(&server, Some(BOB)).await;
    let _third = bob.watch(WATCH).await;
    assert_eq!(bob.get(WATCH).await.code, 429, "there are three in all");
    let looks = admin.watch(WATCH).await;
    drop((first, looks));
    // The server notices the disconnect after some time.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while alice.get(&format!("{WATCH}&timeoutSeconds=1")).await.code == 429 {
        assert!(std::time::Instant::now() < deadline, "a watch that was left still counts");
    }
}

#[tokio::test]
async fn documents_that_are_known_are_not_sent_again() {
    let client = Server::shared().admin().await;
    let aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let v2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    for (path, accept) in [
        ("/openapi/v2", "application/json"),
        ("/openapi/v2", v2),
        ("/openapi/v3/api/v1", "application/json"),
        ("/openapi/v3/apis/apps/v1", "application/json"),
        ("/api", aggregated),
        ("/apis", aggregated),
    ] {
        let first = client.get_as(path, accept).await;
        assert_eq!((first.code, first.header("content-type")), (200, accept), "{path}");
        let tag = first.header("etag").to_owned();
        assert!(tag.len() > 40 && tag.starts_with('"'), "{path}: {tag}");
        assert_eq!(first.header("vary"), "Accept", "{path}");
        let headers = [("accept", accept), ("if-none-match", tag.as_str())];
        let again = client.send(Method::GET, path, &headers, "").await;
        assert_eq!((again.code, again.body.len()), (304, 0), "{path}");
        assert_eq!(again.header("etag"), tag, "{path}");
        let headers = [("accept", accept), ("if-none-match", "\"other\"")];
        assert_eq!(client.send(Method::GET, path, &headers, "").await.body, first.body, "{path}");
    }
    assert_eq!(client.get("/openapi/v3/apis/apps/v9").await.code, 404);
}
