//! The API of the extension server: flunders, in lists, tables and watches, and who asks for them.

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{ACCEPT, CONNECTION, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION, UPGRADE};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::broadcast;

pub(crate) type Body = BoxBody<Bytes, Infallible>;

pub(crate) const GROUP: &str = "wardle.example.com";
const VERBS: [&str; 5] = ["create", "get", "list", "watch", "delete"];
const TAG: &str = "\"first\"";

/// The state of the extension server.
pub(crate) struct Flunders {
    form: String,
    all: Mutex<Vec<Value>>,
    events: broadcast::Sender<Value>,
}

fn full(text: impl Into<Bytes>) -> Body {
    Full::new(text.into()).boxed()
}

fn answer(code: u16, content_type: &str, body: &Value) -> Response<Body> {
    let response = Response::builder().status(code).header(CONTENT_TYPE, content_type);
    response.body(full(body.to_string())).unwrap()
}

fn ok(body: &Value) -> Response<Body> {
    answer(200, "application/json", body)
}

fn not_found() -> Response<Body> {
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "no such flunder", "reason": "NotFound", "code": 404});
    answer(404, "application/json", &status)
}

impl Flunders {
    pub(crate) fn new(form: String) -> Self {
        Self { form, all: Mutex::default(), events: broadcast::channel(64).0 }
    }

    pub(crate) async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        if let Some(hostile) =
            super::hostile_answers::answer(&self.form, request.uri().path()).await
        {
            return hostile;
        }
        let path = request.uri().path().to_owned();
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match parts.as_slice() {
            ["apis"] => self.groups(&request),
            ["apis", GROUP, "v1alpha1"] => {
                ok(&json!({"kind": "APIResourceList", "apiVersion": "v1",
                "groupVersion": format!("{GROUP}/v1alpha1"), "resources": [
                    {"name": "flunders", "singularName": "flunder", "namespaced": true, "kind": "Flunder",
                        "verbs": VERBS, "shortNames": ["fl"]}]}))
            }
            ["apis", GROUP, "v1alpha1", "whoami"] => self.headers(&request),
            ["apis", GROUP, "v1alpha1", "reviews"] => review(request).await,
            ["apis", GROUP, "v1alpha1", "elsewhere"] => Response::builder()
                .status(302)
                .header(LOCATION, "https://example.com/")
                .body(full(""))
                .unwrap(),
            ["apis", GROUP, "v1alpha1", "namespaces", _, "flunders", _, "exec"] => upgrade(request),
            ["apis", GROUP, "v1alpha1", "flunders"] => self.collection("", request).await,
            ["apis", GROUP, "v1alpha1", "namespaces", namespace, "flunders"] => {
                let namespace = (*namespace).to_owned();
                self.collection(&namespace, request).await
            }
            ["apis", GROUP, "v1alpha1", "namespaces", _, "flunders", name] => {
                self.item(name, request.method())
            }
            ["openapi", "v2"] if self.form == "v3" => not_found(),
            ["openapi", "v3", ..] if self.form == "v2" => not_found(),
            ["openapi", "v2"] => ok(&specification()),
            ["openapi", "v3"] => ok(&json!({"paths": {
                format!("apis/{GROUP}/v1alpha1"): {"serverRelativeURL": format!("/openapi/v3/apis/{GROUP}/v1alpha1?hash=F")}}})),
            ["openapi", "v3", "apis", GROUP, "v1alpha1"] => ok(&specification_v3()),
            _ => not_found(),
        }
    }

    fn groups(&self, request: &Request<Incoming>) -> Response<Body> {
        let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
        if self.form == "legacy" || !accept.unwrap_or_default().contains("APIGroupDiscoveryList") {
            return ok(&json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": []}));
        }
        if request.headers().get(IF_NONE_MATCH).is_some_and(|tag| tag == TAG) {
            return Response::builder().status(304).body(full("")).unwrap();
        }
        let body = json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {},
            "items": [{"metadata": {"name": GROUP}, "versions": [{"version": "v1alpha1", "freshness": "Current",
                "resources": [{"resource": "flunders", "responseKind": {"group": GROUP, "version": "v1alpha1", "kind": "Flunder"},
                    "scope": "Namespaced", "singularResource": "flunder", "verbs": VERBS, "shortNames": ["fl"]}]}]}]});
        let content_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        let mut response = answer(200, content_type, &body);
        response.headers_mut().insert(ETAG, TAG.parse().unwrap());
        response
    }

    /// The headers that arrived, each with all its values.
    fn headers(&self, request: &Request<Incoming>) -> Response<Body> {
        let mut all = serde_json::Map::new();
        for name in request.headers().keys() {
            let values = request.headers().get_all(name).iter();
            let values: Vec<&str> = values.filter_map(|value| value.to_str().ok()).collect();
            all.insert(name.to_string(), json!(values));
        }
        ok(
            &json!({"method": request.method().as_str(), "uri": request.uri().path_and_query().unwrap().as_str(),
            "version": format!("{:?}", request.version()), "headers": all}),
        )
    }

    async fn collection(&self, namespace: &str, request: Request<Incoming>) -> Response<Body> {
        let query = request.uri().query().unwrap_or_default().to_owned();
        if request.method() == Method::POST {
            let bytes = request.into_body().collect().await.unwrap().to_bytes();
            let mut flunder: Value = serde_json::from_slice(&bytes).unwrap();
            flunder["metadata"]["namespace"] = json!(namespace);
            flunder["metadata"]["resourceVersion"] = json!("1");
            flunder["metadata"]["uid"] = json!("0");
            flunder["metadata"]["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
            self.all.lock().unwrap().push(flunder.clone());
            let _ = self.events.send(json!({"type": "ADDED", "object": flunder}));
            return answer(201, "application/json", &flunder);
        }
        if query.contains("watch=1") || query.contains("watch=true") {
            return self.watch();
        }
        let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
        let all = self.all.lock().unwrap().clone();
        match accept.unwrap_or_default().contains("as=Table") {
            true => ok(&table(&all)),
            false => ok(&json!({"kind": "FlunderList", "apiVersion": format!("{GROUP}/v1alpha1"),
                "metadata": {"resourceVersion": "1"}, "items": all})),
        }
    }

    fn watch(&self) -> Response<Body> {
        let known = self.all.lock().unwrap().clone();
        let mut events = self.events.subscribe();
        let (sender, mut receiver) = tokio::sync::mpsc::channel::<Value>(16);
        tokio::spawn(async move {
            for flunder in known {
                let _ = sender.send(json!({"type": "ADDED", "object": flunder})).await;
            }
            loop {
                tokio::select! {
                    event = events.recv() => {
                        let Ok(event) = event else { return };
                        if sender.send(event).await.is_err() {
                            return;
                        }
                    }
                    () = sender.closed() => return,
                }
            }
        });
        let stream = futures_util::stream::poll_fn(move |context| {
            receiver
                .poll_recv(context)
                .map(|event| event.map(|event| Ok(Frame::data(Bytes::from(format!("{event}\n"))))))
        });
        let response = Response::builder().header(CONTENT_TYPE, "application/json");
        response.body(BodyExt::boxed(StreamBody::new(stream))).unwrap()
    }

    fn item(&self, name: &str, method: &Method) -> Response<Body> {
        let mut all = self.all.lock().unwrap();
        let Some(at) = all.iter().position(|one| one["metadata"]["name"] == name) else {
            return not_found();
        };
        match *method {
            Method::DELETE => {
                let gone = all.remove(at);
                let _ = self.events.send(json!({"type": "DELETED", "object": gone}));
                ok(
                    &json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}),
                )
            }
            _ => ok(&all[at]),
        }
    }
}

/// A webhook: refuses everything, and says to whom.
async fn review(request: Request<Incoming>) -> Response<Body> {
    let user = request.headers()["x-remote-user"].to_str().unwrap().to_owned();
    let bytes = request.into_body().collect().await.unwrap().to_bytes();
    let review: Value = serde_json::from_slice(&bytes).unwrap();
    let status = json!({"status": "Failure", "message": format!("answered to {user}")});
    // Of admission and of conversion, each with the field that it knows.
    let response = json!({"uid": review["request"]["uid"], "allowed": false, "status": status,
        "result": status, "convertedObjects": []});
    ok(&json!({"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response}))
}

fn table(all: &[Value]) -> Value {
    let row = |flunder: &Value| {
        json!({"cells": [flunder["metadata"]["name"], flunder["spec"]["reference"]],
            "object": {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": flunder["metadata"]}})
    };
    let column = |name: &str, format: &str| json!({"name": name, "type": "string", "format": format, "description": "", "priority": 0});
    json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": "1"},
        "columnDefinitions": [column("Name", "name"), column("Reference", "")],
        "rows": all.iter().map(row).collect::<Vec<_>>()})
}

/// Echoes in upper case what comes on the upgraded connection.
fn upgrade(request: Request<Incoming>) -> Response<Body> {
    if !request.headers().contains_key(UPGRADE) {
        return answer(400, "text/plain", &json!("not an upgrade"));
    }
    let user = request.headers().get("x-remote-user").cloned().unwrap();
    tokio::spawn(async move {
        let upgraded = hyper::upgrade::on(request).await.unwrap();
        let mut stream = TokioIo::new(upgraded);
        let mut buffer = [0; 256];
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            let text = buffer[..count].to_ascii_uppercase();
            if stream.write_all(&text).await.is_err() {
                return;
            }
        }
    });
    Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "echo")
        .header("x-user", user)
        .body(full(""))
        .unwrap()
}

fn schema() -> Value {
    json!({"type": "object", "description": "A flunder of Wardle.",
        "properties": {"spec": {"type": "object", "description": "What the flunder refers to."}},
        "x-kubernetes-group-version-kind": [{"group": GROUP, "kind": "Flunder", "version": "v1alpha1"}]})
}

fn specification() -> Value {
    let gvk = json!({"group": GROUP, "kind": "Flunder", "version": "v1alpha1"});
    json!({"swagger": "2.0", "info": {"title": "wardle", "version": "0"}, "paths": {
        format!("/apis/{GROUP}/v1alpha1/flunders"): {"get": {"operationId": "listFlunders", "responses": {"200": {
            "description": "OK", "schema": {"$ref": "#/definitions/com.example.Flunder"}}},
            "x-kubernetes-action": "list", "x-kubernetes-group-version-kind": gvk}},
        "/version/": {"get": {"operationId": "theirs", "responses": {}}}},
        "definitions": {"com.example.Flunder": schema(), "com.example.Unused": {"type": "object"}}})
}

fn specification_v3() -> Value {
    let gvk = json!({"group": GROUP, "kind": "Flunder", "version": "v1alpha1"});
    json!({"openapi": "3.0.0", "info": {"title": "wardle", "version": "0"}, "paths": {
        format!("/apis/{GROUP}/v1alpha1/namespaces/{{namespace}}/flunders"): {"get": {"operationId": "listFlunders",
            "responses": {"200": {"description": "OK", "content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/com.example.Flunder"}}}}},
            "x-kubernetes-action": "list", "x-kubernetes-group-version-kind": gvk}}},
        "components": {"schemas": {"com.example.Flunder": schema()}}})
}
