//! Tests of the small pages and of recorded requests.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use kubelet_peer::{Answer, Container};
use serde_json::{Value, json};

use crate::client::{fixture, read_response, with_timeout};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn small_pages_tell_what_is_there() {
    let fixture = fixture(|options| options.node = "node-a".into()).await;
    fixture.kubelet.add_container("ns", "pod", "main", Container::default()).unwrap();
    assert_eq!(with_timeout(fixture.get("/healthz")).await, (200, "ok".into()));
    let pods = parsed(&with_timeout(fixture.get("/pods")).await.1);
    assert_eq!(
        pods["items"][0]["spec"],
        json!({"nodeName": "node-a", "containers": [{"name": "main"}]})
    );
    let stats = parsed(&with_timeout(fixture.get("/stats/summary")).await.1);
    assert_eq!(stats["node"]["nodeName"], "node-a");
    assert!(with_timeout(fixture.get("/metrics")).await.1.contains("\nkubelet_running_pods 1\n"));
    assert_eq!(
        parsed(&with_timeout(fixture.get("/configz")).await.1)["kubeletconfig"]["kind"],
        "KubeletConfiguration"
    );
    assert_eq!(with_timeout(fixture.get("/nope")).await, (404, "404: Page Not Found".into()));
    fixture.kubelet.remove_pod("ns", "pod");
    assert_eq!(parsed(&with_timeout(fixture.get("/pods")).await.1)["items"], json!([]));
}

#[tokio::test]
async fn the_echo_tells_all_and_all_is_remembered() {
    let fixture = fixture(|_| {}).await;
    let body = Full::new(Bytes::from_static(b"text"));
    let request = Request::put("/echo/a%20b?x=1").header("host", "k").header("a", "b").body(body);
    let (status, text) = read_response(with_timeout(fixture.send(request.unwrap())).await).await;
    let received = parsed(&text);
    assert_eq!(status, 200);
    assert_eq!(
        (
            &received["method"],
            &received["path"],
            &received["query"],
            &received["headers"]["a"],
            &received["body"]
        ),
        (&json!("PUT"), &json!("/echo/a%20b"), &json!("x=1"), &json!(["b"]), &json!("text"))
    );
    with_timeout(fixture.get_over_h2("/echo")).await;
    let requests = fixture.kubelet.requests();
    assert_eq!(
        (&*requests[0].method, &*requests[0].path, &*requests[0].query),
        ("PUT", "/echo/a%20b", "x=1")
    );
    assert_eq!((requests[0].version, requests[0].connection), (http::Version::HTTP_11, 1));
    assert_eq!((requests[1].version, requests[1].connection), (http::Version::HTTP_2, 2));
    assert_eq!(fixture.kubelet.connections(), 2);
    fixture.kubelet.clear_requests();
    assert!(fixture.kubelet.requests().is_empty());
}

#[tokio::test]
async fn a_test_can_have_another_answer() {
    let fixture = fixture(|_| {}).await;
    let headers = vec![("location".into(), "/elsewhere".into())];
    let answer = Answer { status: 302, headers, body: "gone".into() };
    fixture.kubelet.answer("/containerLogs/", Some(answer));
    assert_eq!(with_timeout(fixture.get("/containerLogs/a/b/c")).await, (302, "gone".into()));
    fixture.kubelet.answer("/containerLogs/", None);
    assert_eq!(with_timeout(fixture.get("/containerLogs/a/b/c")).await.0, 404);
}
