//! Input of somebody who means harm, or is broken: each gets an answer in time, and the webhook goes on.

use crate::raw::{Raw, exchange};
use crate::running::Running;
use ratchet_engine::{ApiConfig, Behavior, Release};
use ratchet_object::NoCluster;
use ratchet_webhook_server::{AdmissionRequest, MAX_REVIEW_BYTES, Reviewer};

const REVIEW: &str = r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u-7",
    "operation": "UPDATE", "namespace": "shop", "userInfo": {"username": "ann", "groups": ["dev"], "extra": {"a": ["b"]}},
    "kind": {"group": "", "version": "v1", "kind": "Service"},
    "resource": {"group": "", "version": "v1", "resource": "services"},
    "object": {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}], "clusterIP": "010.0.0.1"}},
    "oldObject": {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}], "clusterIP": "10.0.0.1"}}}}"#;

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_methods_and_paths_are_refused_in_both_protocols() {
    let running = Running::start().await;
    let mut client = running.connect().await.unwrap();
    for (line, wanted) in [
        ("POST /validate", "200"),
        ("POST /validate?timeout=10s&x=%zz", "200"),
        ("POST /mutate", "200"),
        ("GET /validate", "405"),
        ("PUT /validate", "405"),
        ("DELETE /mutate", "405"),
        ("BREW /validate", "405"),
        ("OPTIONS *", "405"),
        ("POST /", "405"),
        ("POST /readyz", "405"),
        ("GET /", "404"),
        ("GET /validate/", "404"),
        ("GET //validate", "404"),
        ("GET /Validate", "404"),
        ("GET /%76alidate", "404"),
        ("GET /../metrics", "404"),
        ("GET /readyz/nothing", "404"),
        ("GET /debug/pprof/", "404"),
        ("HEAD /livez", "200"),
    ] {
        let answer = tokio::task::block_in_place(|| exchange(&running, line, REVIEW.as_bytes()));
        assert_eq!(status(&answer), wanted, "{line}: {answer}");
    }
    let refused = tokio::task::block_in_place(|| exchange(&running, "GET /validate", b""));
    assert!(refused.to_lowercase().contains("allow: post"), "{refused}");
    for (path, wanted) in [("/validate", 405), ("/..", 404), ("/metrics/x", 404)] {
        assert_eq!(client.get(path).await.0, wanted, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_are_no_reviews_are_told_so() {
    let running = Running::start().await;
    let mut client = running.connect().await.unwrap();
    let deep =
        |open: &str, close: &str| format!("{}{}", open.repeat(200_000), close.repeat(200_000));
    let with_object = |object: &str| REVIEW.replacen(r#"{"metadata": {"name": "web"}"#, object, 1);
    let bodies: Vec<(Vec<u8>, &str)> = vec![
        (b"".to_vec(), "not JSON"),
        (b"\xff\xfe{}".to_vec(), "not UTF-8"),
        (REVIEW.replace("web", "\u{0}").into_bytes(), "not JSON"),
        ([REVIEW.as_bytes(), b"\xc3\x28"].concat(), "not UTF-8"),
        (deep("[", "]").into_bytes(), "not JSON"),
        (deep("{\"a\":", "}").into_bytes(), "not JSON"),
        ("[".repeat(1_000_000).into_bytes(), "not JSON"),
        (format!("[{}1]", "1,".repeat(1_000_000)).into_bytes(), "not JSON"),
        (format!("\"{}", "\\".repeat(1_000_000)).into_bytes(), "not JSON"),
        (REVIEW.repeat(2).into_bytes(), "expected one object"),
        (REVIEW.replace("AdmissionReview", &"K".repeat(1 << 20)).into_bytes(), "expected kind"),
        (REVIEW.replace("io/v1\"", "io/v1beta1\"").into_bytes(), "unsupported version"),
        (REVIEW.replace("\"UPDATE\"", "[\"UPDATE\"]").into_bytes(), "request.operation"),
        (REVIEW.replace("[\"dev\"]", "{\"dev\": 1}").into_bytes(), "request.userInfo.groups"),
        (with_object(r#"{"metadata": []"#).into_bytes(), "request.object"),
        (with_object(r#"{"metadata": {"name": 7}"#).into_bytes(), "request.object"),
    ];
    let count = bodies.len();
    for (body, wanted) in bodies {
        let start = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let (code, _, text) = client.post("/validate", body).await;
        assert_eq!(code, 400, "{start}: {text}");
        assert!(text.contains(wanted) && text.len() < 1100, "{start}: {text}");
    }
    let metrics = client.get("/metrics").await.2;
    let line = format!("ratchet_webhook_reviews_total{{verdict=\"error\"}} {count}\n");
    assert!(metrics.contains(&line), "{metrics}");
    assert_eq!(client.post("/validate", REVIEW).await.0, 200);
}

#[test]
fn no_damage_to_a_review_is_a_panic() {
    let reviewer = Reviewer::new(ApiConfig::of(Release::REFERENCE, Behavior::Proposal));
    let judge = |body: &[u8]| {
        let request = AdmissionRequest::decode(body)?;
        reviewer.review(request, &NoCluster)
    };
    assert!(judge(REVIEW.as_bytes()).is_ok());
    for end in 0..REVIEW.len() {
        assert!(judge(&REVIEW.as_bytes()[..end]).is_err(), "the first {end} bytes");
    }
    let (mut answered, mut refused) = (0, 0);
    for at in 0..REVIEW.len() {
        for byte in [b'"', b'}', b'0', 0xff] {
            let mut body = REVIEW.as_bytes().to_vec();
            body[at] = byte;
            match judge(&body) {
                Ok(response) => answered += usize::from(!response.uid.is_empty()),
                Err(error) => refused += usize::from(error.code() == 400),
            }
        }
    }
    assert_eq!(answered + refused, 4 * REVIEW.len());
    assert!(answered > 200 && refused > 200, "{answered} {refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let running = Running::start().await;
    // Each would wait for ever, and is answered before the time that it names. What is too large is read on for a moment,
    // so that its sender sees the answer.
    let requests = [
        ("Content-Length: 100000", "2s", "504"),
        ("Transfer-Encoding: chunked", "2s", "504"),
        ("Content-Length: 99999999999", "30s", "413"),
    ];
    for (header, timeout, wanted) in requests {
        let mut raw = Raw::connect(&running);
        let head = format!(
            "POST /validate?timeout={timeout} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        );
        raw.send(format!("{head}{header}\r\n\r\n").as_bytes());
        raw.send(if header.starts_with('T') { b"2\r\n{\"\r\n" } else { b"{\"" });
        let answer = apart(move || raw.read_to_end()).await;
        assert_eq!(status(&answer), wanted, "{header}: {answer}");
    }
    // What is no HTTP, or has no end.
    for bytes in [&b"\x16\x03\x01"[..], b"GET /livez\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"] {
        let mut raw = Raw::connect(&running);
        raw.send(bytes);
        if bytes.len() > 3 {
            let answer = apart(move || raw.read_to_end()).await;
            assert!(answer.is_empty() || status(&answer) == "400", "{answer}");
        }
    }
    let mut long = Raw::connect(&running);
    long.send(format!("GET /livez HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(2 << 20)).as_bytes());
    let answer = apart(move || long.read_to_end()).await;
    assert!(answer.is_empty() || status(&answer) == "431", "{answer}");
    assert_eq!(running.connect().await.unwrap().get("/livez").await.0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_large_reviews_at_once_are_all_answered() {
    let running = Running::start().await;
    let padding = "x".repeat(MAX_REVIEW_BYTES - REVIEW.len() - 100);
    let body = REVIEW.replacen("\"dev\"", &format!("\"{padding}\""), 1);
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let mut client = running.connect().await.unwrap();
        let body = body.clone();
        calls.spawn(async move { client.post("/validate?timeout=30s", body).await });
    }
    let mut judged = 0;
    while let Some(answer) = calls.join_next().await {
        let (code, _, text) = answer.unwrap();
        // On a busy machine the last ones may have to wait for too long, and are told so.
        assert!(code == 200 || code == 504, "{code} {text}");
        judged += usize::from(code == 200 && text.contains("\"allowed\":false"));
    }
    assert!(judged >= 1, "none of them was judged");
    assert_eq!(running.connect().await.unwrap().post("/validate", REVIEW).await.0, 200);
}
