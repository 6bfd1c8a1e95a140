//! The small pages, and what the kubelet remembers.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use kubelet_peer::{Answer, Container};
use serde_json::{Value, json};

use crate::client::{place, soon, told};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn small_pages_tell_what_is_there() {
    let place = place(|options| options.node = "node-a".into()).await;
    place.kubelet.add_container("ns", "pod", "main", Container::default()).unwrap();
    assert_eq!(soon(place.get("/healthz")).await, (200, "ok".into()));
    let pods = parsed(&soon(place.get("/pods")).await.1);
    assert_eq!(
        pods["items"][0]["spec"],
        json!({"nodeName": "node-a", "containers": [{"name": "main"}]})
    );
    let stats = parsed(&soon(place.get("/stats/summary")).await.1);
    assert_eq!(stats["node"]["nodeName"], "node-a");
    assert!(soon(place.get("/metrics")).await.1.contains("\nkubelet_running_pods 1\n"));
    assert_eq!(
        parsed(&soon(place.get("/configz")).await.1)["kubeletconfig"]["kind"],
        "KubeletConfiguration"
    );
    assert_eq!(soon(place.get("/nope")).await, (404, "404: Page Not Found".into()));
    place.kubelet.remove_pod("ns", "pod");
    assert_eq!(parsed(&soon(place.get("/pods")).await.1)["items"], json!([]));
}

#[tokio::test]
async fn the_echo_tells_all_and_all_is_remembered() {
    let place = place(|_| {}).await;
    let body = Full::new(Bytes::from_static(b"text"));
    let request = Request::put("/echo/a%20b?x=1").header("host", "k").header("a", "b").body(body);
    let (status, text) = told(soon(place.send(request.unwrap())).await).await;
    let told = parsed(&text);
    assert_eq!(status, 200);
    assert_eq!(
        (&told["method"], &told["path"], &told["query"], &told["headers"]["a"], &told["body"]),
        (&json!("PUT"), &json!("/echo/a%20b"), &json!("x=1"), &json!(["b"]), &json!("text"))
    );
    soon(place.get_over_h2("/echo")).await;
    let seen = place.kubelet.seen();
    assert_eq!((&*seen[0].method, &*seen[0].path, &*seen[0].query), ("PUT", "/echo/a%20b", "x=1"));
    assert_eq!((seen[0].version, seen[0].connection), (http::Version::HTTP_11, 1));
    assert_eq!((seen[1].version, seen[1].connection), (http::Version::HTTP_2, 2));
    assert_eq!(place.kubelet.connections(), 2);
    place.kubelet.forget();
    assert!(place.kubelet.seen().is_empty());
}

#[tokio::test]
async fn a_test_can_have_another_answer() {
    let place = place(|_| {}).await;
    let headers = vec![("location".into(), "/elsewhere".into())];
    let answer = Answer { status: 302, headers, body: "gone".into() };
    place.kubelet.answer("/containerLogs/", Some(answer));
    assert_eq!(soon(place.get("/containerLogs/a/b/c")).await, (302, "gone".into()));
    place.kubelet.answer("/containerLogs/", None);
    assert_eq!(soon(place.get("/containerLogs/a/b/c")).await.0, 404);
}
