//! Handlers of the small pages that a node proxy reaches, and an echo.

use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::{Map, Value, json};

use crate::connection::Peer;
use crate::respond::{self, Body};
use crate::state::State;

/// `/pods`: all pods.
pub(crate) fn pods(state: &State) -> Response<Body> {
    let items = state.all_pods().into_iter().map(|(namespace, name, containers)| {
        let containers = containers.iter().map(|name| json!({"name": name})).collect::<Vec<_>>();
        json!({
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"nodeName": state.node, "containers": containers},
            "status": {"phase": "Running"},
        })
    });
    let items = items.collect::<Vec<_>>();
    respond::json(&json!({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": items}))
}

/// `/healthz`.
pub(crate) fn health() -> Response<Body> {
    respond::text(StatusCode::OK, "ok")
}

/// `/metrics`.
pub(crate) fn metrics(state: &State) -> Response<Body> {
    let (pods, connections) = (state.all_pods().len(), state.connections());
    let lines = format!(
        "# HELP kubelet_running_pods Pods that run.\n\
         # TYPE kubelet_running_pods gauge\nkubelet_running_pods {pods}\n\
         # HELP kubelet_peer_connections_total Number of TLS handshakes that succeeded\n\
         # TYPE kubelet_peer_connections_total counter\nkubelet_peer_connections_total {connections}\n"
    );
    respond::text(StatusCode::OK, lines)
}

/// `/configz`.
pub(crate) fn configuration() -> Response<Body> {
    respond::json(&json!({"kubeletconfig": {
        "kind": "KubeletConfiguration",
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "authentication": {"anonymous": {"enabled": false}, "webhook": {"enabled": false}},
    }}))
}

/// `/stats`.
pub(crate) fn stats(state: &State) -> Response<Body> {
    let pods = state.all_pods().into_iter().map(|(namespace, name, containers)| {
        let containers = containers.iter().map(|name| json!({"name": name})).collect::<Vec<_>>();
        json!({"podRef": {"name": name, "namespace": namespace}, "containers": containers})
    });
    let pods = pods.collect::<Vec<_>>();
    respond::json(&json!({"node": {"nodeName": state.node}, "pods": pods}))
}

/// `/echo`: the request as JSON.
pub(crate) async fn echo(peer: &Peer, request: Request<Incoming>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let Ok(body) = body.collect().await else {
        return respond::text(StatusCode::BAD_REQUEST, "the body broke off");
    };
    let mut headers = Map::new();
    for (name, value) in &head.headers {
        let values = headers.entry(name.as_str()).or_insert_with(|| json!([]));
        if let Value::Array(values) = values {
            values.push(String::from_utf8_lossy(value.as_bytes()).into());
        }
    }
    respond::json(&json!({
        "method": head.method.as_str(),
        "path": head.uri.path(),
        "query": head.uri.query().unwrap_or_default(),
        "authority": head.uri.authority().map(http::uri::Authority::as_str),
        "headers": headers,
        "body": String::from_utf8_lossy(&body.to_bytes()),
        "connection": peer.number,
        "client": peer.client,
    }))
}
