//! `pods/exec`, `pods/attach` and `pods/portforward`: connects the client with the pod's kubelet.

use super::connection::read_error;
use super::throttle::Throttled;
use super::upgrade::{self, UpgradeResponse};
use super::{Client, Connect, container, escape, forwarded, node};
use crate::app::backends::Backends;
use crate::connect::streaming::{self, HandshakeError, Protocol, StreamRoute, Streams};
use crate::request::Params;
use crate::status::StatusError;
use http::header::{CONTENT_TYPE, HOST, SEC_WEBSOCKET_VERSION};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use ratchet_http::{Body, empty, full};
use ratchet_kubelet::{Endpoint, KubeletClient};
use ratchet_object::Node;

/// The streams of a process: parameter names of the API and of kubelets.
const STREAMS: [(&str, &str); 4] =
    [("stdin", "input"), ("stdout", "output"), ("stderr", "error"), ("tty", "tty")];

/// A kubelet and the path of the request to it.
struct KubeletRequest {
    kubelet: Endpoint,
    path: String,
}

/// Handles a streaming request.
pub(super) async fn answer(
    connect: &Connect<'_>,
    what: &'static str,
    client: Client,
) -> Result<Response<Body>, StatusError> {
    let Connect { app, resource, path, request, .. } = connect;
    query(what, &request.params)?;
    let (kind, mut options) = options(what, &request.params);
    connect.admit(kind, &mut options).await?;
    let params = params_of(&options);
    let query = query(what, &params)?;
    connect.check_create()?;
    let key = resource.cache_key(&path.namespace, &path.name);
    let pod =
        resource.cache.find(&key)?.ok_or_else(|| StatusError::not_found(connect.about()))?.node();
    let pod_path = format!("{}/{}", path.namespace, path.name);
    let uri = match what {
        "portforward" => format!("/portForward/{pod_path}"),
        _ => {
            let container = container::choose(&pod, params.text("container"))?;
            format!("/{what}/{pod_path}/{container}")
        }
    };
    let node_name = pod.text_at(&["spec", "nodeName"]);
    if node_name.is_empty() {
        let message = format!("pod {} does not have a host assigned", path.name);
        return Err(StatusError::bad_request(message));
    }
    let kubelet = node::find(app, node_name, connect.about())?;
    let uri = if query.is_empty() { uri } else { format!("{uri}?{query}") };
    app.metrics.connections.streaming(what, kubelet.supports_websockets);
    let kubelet_request = KubeletRequest { kubelet: kubelet.endpoint, path: uri };
    let headers = &request.parts.headers;
    match streaming::stream_route(what, headers, kubelet.supports_websockets) {
        Some(StreamRoute::PassThrough) => pass_through(connect, client, kubelet_request).await,
        Some(StreamRoute::Translate) => translate(connect, client, kubelet_request),
        Some(StreamRoute::Tunnel) => tunnel(connect, client, kubelet_request).await,
        None => Err(upgrade_required()),
    }
}

fn upgrade_required() -> StatusError {
    StatusError::bad_request("Upgrade request required")
}

/// Copies bytes, with the same protocol on both sides.
async fn pass_through(
    connect: &Connect<'_>,
    client: Client,
    kubelet_request: KubeletRequest,
) -> Result<Response<Body>, StatusError> {
    let parts = connect.request.parts;
    let on_upgrade = client.upgrade.ok_or_else(upgrade_required)?;
    let headers = forwarded::headers(connect.app, parts, client.address);
    let kubelets = &connect.app.backends.kubelets;
    let answer = dial(kubelets, &kubelet_request, parts.method.clone(), headers).await?;
    match answer {
        UpgradeResponse::NotUpgraded(response) => upgrade::not_upgraded_response(response),
        UpgradeResponse::Upgraded(head, backend) => {
            connect.join(on_upgrade, backend);
            Ok(upgrade::switching_response(head.headers))
        }
    }
}

async fn dial(
    kubelets: &KubeletClient,
    kubelet_request: &KubeletRequest,
    method: Method,
    headers: HeaderMap,
) -> Result<UpgradeResponse, StatusError> {
    let connection = kubelets.dial(&kubelet_request.kubelet).await;
    let connection = connection
        .map_err(|error| StatusError::unclassified(format!("error dialing backend: {error}")))?;
    let answer = upgrade::request(connection, (method, &kubelet_request.path), headers).await;
    answer.map_err(StatusError::unclassified)
}

/// Translates WebSocket channels to SPDY streams. As in the reference, the client gets its 101 before the kubelet is
/// reached; later failures go to the error channel.
fn translate(
    connect: &Connect<'_>,
    client: Client,
    kubelet_request: KubeletRequest,
) -> Result<Response<Body>, StatusError> {
    let Connect { app, request, .. } = connect;
    let on_upgrade = client.upgrade.ok_or_else(upgrade_required)?;
    let answer = match streaming::handshake(&request.parts.method, &request.parts.headers) {
        Ok(answer) => answer,
        Err(error) => {
            app.metrics.connections.translated(error.code.as_u16());
            return Ok(handshake_error_response(error));
        }
    };
    let wanted = Streams {
        stdin: request.params.flag("stdin"),
        stdout: request.params.flag("stdout"),
        stderr: request.params.flag("stderr"),
        tty: request.params.flag("tty"),
    };
    let app = (*app).clone();
    connect.spawn_tracked(async move {
        let client = match on_upgrade.await {
            Ok(client) => TokioIo::new(client),
            Err(error) => return tracing::debug!(%error, "a client went before it was connected"),
        };
        let kubelet = upgrade_to_spdy(&app.backends, &kubelet_request);
        let code = streaming::translate(client, kubelet, wanted).await;
        app.metrics.connections.translated(code);
    });
    Ok(upgrade::switching_response(answer))
}

/// Upgrades a connection to the kubelet to SPDY, or returns the error message.
async fn upgrade_to_spdy(
    backends: &Backends,
    kubelet_request: &KubeletRequest,
) -> Result<streaming::KubeletConnection<Throttled<TokioIo<Upgraded>>>, String> {
    let authority = kubelet_request.kubelet.authority();
    let send_error = |why: &dyn std::fmt::Display| {
        format!(
            "error sending request: Post \"https://{authority}{}\": {why}",
            kubelet_request.path
        )
    };
    let connection = backends
        .kubelets
        .dial(&kubelet_request.kubelet)
        .await
        .map_err(|error| send_error(&error))?;
    let mut headers = streaming::to_kubelet();
    headers.insert(HOST, HeaderValue::from_str(&authority).map_err(|error| send_error(&error))?);
    let answer =
        upgrade::request(connection, (Method::POST, &kubelet_request.path), headers).await?;
    match answer {
        UpgradeResponse::Upgraded(head, io) if streaming::is_spdy(head.status, &head.headers) => {
            let protocol = Protocol::chosen(&head.headers)
                .ok_or("unable to upgrade: the kubelet chose a protocol that it was not offered")?;
            let io = Throttled::new(TokioIo::new(io), backends.bytes_per_second);
            Ok(streaming::KubeletConnection { io, protocol })
        }
        UpgradeResponse::Upgraded(..) => Err(streaming::upgrade_error_message(b"")),
        UpgradeResponse::NotUpgraded(response) => {
            let body = read_error(response.into_body()).await;
            Err(streaming::upgrade_error_message(&body))
        }
    }
}

/// Tunnels SPDY bytes in WebSocket messages, without parsing them.
async fn tunnel(
    connect: &Connect<'_>,
    client: Client,
    kubelet_request: KubeletRequest,
) -> Result<Response<Body>, StatusError> {
    let Connect { app, request, .. } = connect;
    let parts = request.parts;
    let on_upgrade = client.upgrade.ok_or_else(upgrade_required)?;
    let reject = |error: HandshakeError| {
        app.metrics.connections.tunnelled(error.code.as_u16());
        Ok(handshake_error_response(error))
    };
    let headers = forwarded::headers(app, parts, client.address);
    let headers = match streaming::tunnel_to_kubelet(&headers) {
        Ok(headers) => headers,
        Err(error) => return reject(error),
    };
    let answer = dial(&app.backends.kubelets, &kubelet_request, Method::POST, headers).await;
    let (head, backend) = match answer {
        Ok(UpgradeResponse::Upgraded(head, backend)) => (head, backend),
        Ok(UpgradeResponse::NotUpgraded(response)) => {
            app.metrics.connections.tunnelled(response.status().as_u16());
            return upgrade::not_upgraded_response(response);
        }
        Err(error) => {
            app.metrics.connections.tunnelled(error.code);
            return Err(error);
        }
    };
    if !streaming::is_spdy(head.status, &head.headers) {
        return reject(streaming::NOT_UPGRADED);
    }
    let answer = match streaming::tunnel_handshake(&parts.method, &parts.headers, &head.headers) {
        Ok(answer) => answer,
        Err(error) => return reject(error),
    };
    app.metrics.connections.tunnelled(StatusCode::SWITCHING_PROTOCOLS.as_u16());
    let backend = connect.throttled(backend);
    connect.spawn_tracked(async move {
        match on_upgrade.await {
            Ok(client) => streaming::tunnel(TokioIo::new(client), backend).await,
            Err(error) => tracing::debug!(%error, "a client went before it was connected"),
        }
    });
    Ok(upgrade::switching_response(answer))
}

/// The plain-text response of a failed handshake.
fn handshake_error_response(error: HandshakeError) -> Response<Body> {
    let body = if error.text.is_empty() { empty() } else { full(error.text) };
    let mut response = Response::new(body);
    *response.status_mut() = error.code;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    if error.names_version {
        headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    }
    response
}

/// The query of the request to the kubelet.
fn query(what: &str, params: &Params) -> Result<String, StatusError> {
    if what == "portforward" {
        let ports = ports(params)?;
        return Ok(match ports.is_empty() {
            true => String::new(),
            false => escape::query(&[("port", &ports.join(","))]),
        });
    }
    let wanted = STREAMS.iter().filter(|(name, _)| params.flag(name)).map(|(_, name)| (*name, "1"));
    let commands =
        params.all("command").filter(|_| what == "exec").map(|argument| ("command", argument));
    Ok(escape::query(&commands.chain(wanted).collect::<Vec<_>>()))
}

/// The options object for admission policies.
fn options(what: &str, params: &Params) -> (&'static str, Node<'static>) {
    let mut node = Node::empty_map();
    if what == "portforward" {
        let ports = ports(params).unwrap_or_default();
        let numbers: Vec<_> = ports.iter().filter_map(|port| port.parse().ok()).collect();
        if !numbers.is_empty() {
            node.set("ports", Node::list(numbers.into_iter().map(Node::int).collect()));
        }
        return ("PodPortForwardOptions", node);
    }
    for (name, _) in STREAMS.iter().filter(|(name, _)| params.flag(name)) {
        node.set(*name, Node::bool(true));
    }
    let container = params.text("container");
    if !container.is_empty() {
        node.set("container", Node::string(container.to_owned()));
    }
    if what != "exec" {
        return ("PodAttachOptions", node);
    }
    let arguments: Vec<_> =
        params.all("command").map(|argument| Node::string(argument.to_owned())).collect();
    if !arguments.is_empty() {
        node.set("command", Node::list(arguments));
    }
    ("PodExecOptions", node)
}

/// The parameters of options that admission may have changed.
fn params_of(options: &Node<'_>) -> Params {
    let mut pairs = Vec::new();
    for entry in options.entries() {
        let single = std::slice::from_ref(&entry.node);
        let values = if entry.node.items().is_empty() { single } else { entry.node.items() };
        for value in values {
            let value = match (value.text(), value.as_bool(), value.as_int()) {
                (Some(text), ..) => text.to_owned(),
                (_, Some(is_on), _) => is_on.to_string(),
                (_, _, Some(number)) => number.to_string(),
                _ => continue,
            };
            pairs.push((entry.key.to_string(), value));
        }
    }
    Params::from_pairs(pairs)
}

/// The ports in the URL; most clients name them later.
fn ports(params: &Params) -> Result<Vec<String>, StatusError> {
    let all = params.all("ports").flat_map(|value| value.split(','));
    all.map(|text| match text.parse::<i32>() {
        Ok(number) => Ok(number.to_string()),
        Err(_) => {
            let text = ratchet_net::Quoted(text);
            Err(StatusError::bad_request(format!(
                "strconv.ParseInt: parsing {text}: invalid syntax"
            )))
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kubelet_request(what: &str, text: &str) -> Result<String, String> {
        query(what, &Params::parse(Some(text))).map_err(|error| error.message)
    }

    #[test]
    fn kubelets_have_their_own_names_for_streams() {
        let text = "command=ls&command=-l&container=c&stderr=true&stdout=1&stdin=false&tty=0";
        assert_eq!(
            kubelet_request("exec", text),
            Ok("command=ls&command=-l&error=1&output=1".into())
        );
        assert_eq!(kubelet_request("attach", text), Ok("error=1&output=1".into()));
        assert_eq!(kubelet_request("attach", "stdin=true&tty=true"), Ok("input=1&tty=1".into()));
    }

    #[test]
    fn ports_are_numbers() {
        assert_eq!(
            kubelet_request("portforward", "ports=80&ports=443,8080"),
            Ok("port=80%2C443%2C8080".into())
        );
        assert_eq!(kubelet_request("portforward", ""), Ok(String::new()));
        assert_eq!(
            kubelet_request("portforward", "ports=http"),
            Err(r#"strconv.ParseInt: parsing "http": invalid syntax"#.into())
        );
    }
}
