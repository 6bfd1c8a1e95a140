//! Commands, attached terminals and forwarded ports: a client's connection is joined with its pod's kubelet.

use super::throttle::Throttled;
use super::upgrade::{self, Answer};
use super::{Backends, Client, Connect, container, escape, forwarded, node};
use crate::refusal::Refusal;
use crate::request::Params;
use crate::streaming::{self, Protocol, Refused, Streams, Way};
use http::header::{CONTENT_TYPE, HOST, SEC_WEBSOCKET_VERSION};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use ratchet_http::{Body, empty, full};
use ratchet_kubelet::{Endpoint, Kubelets};
use ratchet_object::Node;

/// The streams of a process that a client may ask for, under the names of the API and of kubelets.
const STREAMS: [(&str, &str); 4] =
    [("stdin", "input"), ("stdout", "output"), ("stderr", "error"), ("tty", "tty")];

/// A kubelet, and what it is asked.
struct Asked {
    kubelet: Endpoint,
    path: String,
}

/// Answers by joining the two connections.
pub(super) async fn answer(
    connect: &Connect<'_>,
    what: &'static str,
    client: Client,
) -> Result<Response<Body>, Refusal> {
    let Connect { app, served, place, request, .. } = connect;
    let query = query(what, &request.params)?;
    let (kind, options) = options(what, &request.params);
    connect.ask_policies(kind, &options).await?;
    connect.check_create()?;
    let key = served.shelf_key(&place.namespace, &place.name);
    let pod = served.shelf.find(&key)?.ok_or_else(|| Refusal::not_found(connect.about()))?.node();
    let pod_path = format!("{}/{}", place.namespace, place.name);
    let path = match what {
        "portforward" => format!("/portForward/{pod_path}"),
        _ => {
            let container = container::choose(&pod, request.params.text("container"))?;
            format!("/{what}/{pod_path}/{container}")
        }
    };
    let node_name = pod.text_at(&["spec", "nodeName"]);
    if node_name.is_empty() {
        let message = format!("pod {} does not have a host assigned", place.name);
        return Err(Refusal::bad_request(message));
    }
    let kubelet = node::find(app, node_name, connect.about())?;
    let path = if query.is_empty() { path } else { format!("{path}?{query}") };
    app.metrics.connections.streaming(what, kubelet.speaks_websockets);
    let asked = Asked { kubelet: kubelet.endpoint, path };
    let headers = &request.parts.headers;
    match streaming::way(what, headers, kubelet.speaks_websockets) {
        Some(Way::PassThrough) => pass(connect, client, asked).await,
        Some(Way::Translate) => translate(connect, client, asked),
        Some(Way::Tunnel) => tunnel(connect, client, asked).await,
        None => Err(required()),
    }
}

fn required() -> Refusal {
    Refusal::bad_request("Upgrade request required")
}

/// The same protocol on both sides: only bytes are carried.
async fn pass(
    connect: &Connect<'_>,
    client: Client,
    asked: Asked,
) -> Result<Response<Body>, Refusal> {
    let parts = connect.request.parts;
    let on_upgrade = client.upgrade.ok_or_else(required)?;
    let headers = forwarded::headers(connect.app, parts, client.address);
    let kubelets = &connect.app.backends.kubelets;
    let answer = dial(kubelets, &asked, parts.method.clone(), headers).await?;
    match answer {
        Answer::Stayed(response) => upgrade::stayed(response),
        Answer::Switched(head, backend) => {
            connect.join(on_upgrade, backend);
            Ok(upgrade::switched(head.headers))
        }
    }
}

async fn dial(
    kubelets: &Kubelets,
    asked: &Asked,
    method: Method,
    headers: HeaderMap,
) -> Result<Answer, Refusal> {
    let connection = kubelets.dial(&asked.kubelet).await;
    let connection = connection
        .map_err(|error| Refusal::unclassified(format!("error dialing backend: {error}")))?;
    let answer = upgrade::ask(connection, (method, &asked.path), headers).await;
    answer.map_err(Refusal::unclassified)
}

/// Channels of a WebSocket become streams of SPDY. The client is told that it is connected before the kubelet is
/// reached, as the reference does; what fails then is told on its error channel.
fn translate(
    connect: &Connect<'_>,
    client: Client,
    asked: Asked,
) -> Result<Response<Body>, Refusal> {
    let Connect { app, request, .. } = connect;
    let on_upgrade = client.upgrade.ok_or_else(required)?;
    let answer = match streaming::handshake(&request.parts.method, &request.parts.headers) {
        Ok(answer) => answer,
        Err(refused) => {
            app.metrics.connections.translated(refused.code.as_u16());
            return Ok(plain(refused));
        }
    };
    let wanted = Streams {
        stdin: request.params.flag("stdin"),
        stdout: request.params.flag("stdout"),
        stderr: request.params.flag("stderr"),
        tty: request.params.flag("tty"),
    };
    let app = (*app).clone();
    connect.follow(async move {
        let client = match on_upgrade.await {
            Ok(client) => TokioIo::new(client),
            Err(error) => return tracing::debug!(%error, "a client went before it was connected"),
        };
        let kubelet = speak_spdy(&app.backends, &asked);
        let code = streaming::translate(client, kubelet, wanted).await;
        app.metrics.connections.translated(code);
    });
    Ok(upgrade::switched(answer))
}

/// A kubelet that has been asked for a command and speaks SPDY now, or why it does not.
async fn speak_spdy(
    backends: &Backends,
    asked: &Asked,
) -> Result<streaming::Kubelet<Throttled<TokioIo<Upgraded>>>, String> {
    let authority = asked.kubelet.authority();
    let unsent = |why: &dyn std::fmt::Display| {
        format!("error sending request: Post \"https://{authority}{}\": {why}", asked.path)
    };
    let connection =
        backends.kubelets.dial(&asked.kubelet).await.map_err(|error| unsent(&error))?;
    let mut headers = streaming::to_kubelet();
    headers.insert(HOST, HeaderValue::from_str(&authority).map_err(|error| unsent(&error))?);
    let answer = upgrade::ask(connection, (Method::POST, &asked.path), headers).await?;
    match answer {
        Answer::Switched(head, io) if streaming::is_spdy(head.status, &head.headers) => {
            let protocol = Protocol::chosen(&head.headers)
                .ok_or("unable to upgrade: the kubelet chose a protocol that it was not offered")?;
            let io = Throttled::new(TokioIo::new(io), backends.bytes_per_second);
            Ok(streaming::Kubelet { io, protocol })
        }
        Answer::Switched(..) => Err(streaming::refused_upgrade(b"")),
        Answer::Stayed(response) => {
            let body = super::complaint(response.into_body()).await;
            Err(streaming::refused_upgrade(&body))
        }
    }
}

/// Messages of a WebSocket carry the bytes of SPDY, which nobody here reads.
async fn tunnel(
    connect: &Connect<'_>,
    client: Client,
    asked: Asked,
) -> Result<Response<Body>, Refusal> {
    let Connect { app, request, .. } = connect;
    let parts = request.parts;
    let on_upgrade = client.upgrade.ok_or_else(required)?;
    let refuse = |refused: Refused| {
        app.metrics.connections.tunnelled(refused.code.as_u16());
        Ok(plain(refused))
    };
    let headers = forwarded::headers(app, parts, client.address);
    let headers = match streaming::tunnel_to_kubelet(&headers) {
        Ok(headers) => headers,
        Err(refused) => return refuse(refused),
    };
    let answer = dial(&app.backends.kubelets, &asked, Method::POST, headers).await;
    let (head, backend) = match answer {
        Ok(Answer::Switched(head, backend)) => (head, backend),
        Ok(Answer::Stayed(response)) => {
            app.metrics.connections.tunnelled(response.status().as_u16());
            return upgrade::stayed(response);
        }
        Err(refusal) => {
            app.metrics.connections.tunnelled(refusal.code);
            return Err(refusal);
        }
    };
    if !streaming::is_spdy(head.status, &head.headers) {
        return refuse(streaming::NOT_UPGRADED);
    }
    let answer = match streaming::tunnel_handshake(&parts.method, &parts.headers, &head.headers) {
        Ok(answer) => answer,
        Err(refused) => return refuse(refused),
    };
    app.metrics.connections.tunnelled(StatusCode::SWITCHING_PROTOCOLS.as_u16());
    let backend = connect.throttled(backend);
    connect.follow(async move {
        match on_upgrade.await {
            Ok(client) => streaming::tunnel(TokioIo::new(client), backend).await,
            Err(error) => tracing::debug!(%error, "a client went before it was connected"),
        }
    });
    Ok(upgrade::switched(answer))
}

/// A handshake that failed is answered in plain words.
fn plain(refused: Refused) -> Response<Body> {
    let body = if refused.text.is_empty() { empty() } else { full(refused.text) };
    let mut response = Response::new(body);
    *response.status_mut() = refused.code;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    if refused.names_version {
        headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    }
    response
}

/// What the kubelet is asked.
fn query(what: &str, params: &Params) -> Result<String, Refusal> {
    if what == "portforward" {
        let ports = ports(params)?;
        return Ok(match ports.is_empty() {
            true => String::new(),
            false => escape::query(&[("port", &ports.join(","))]),
        });
    }
    let wanted = STREAMS.iter().filter(|(name, _)| params.flag(name)).map(|(_, name)| (*name, "1"));
    let commands = params.all("command").filter(|_| what == "exec").map(|word| ("command", word));
    Ok(escape::query(&commands.chain(wanted).collect::<Vec<_>>()))
}

/// What is asked for, as policies are told it.
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
    let words: Vec<_> = params.all("command").map(|word| Node::string(word.to_owned())).collect();
    if !words.is_empty() {
        node.set("command", Node::list(words));
    }
    ("PodExecOptions", node)
}

/// The ports that are named in the URL; most clients name them later.
fn ports(params: &Params) -> Result<Vec<String>, Refusal> {
    let all = params.all("ports").flat_map(|value| value.split(','));
    all.map(|text| match text.parse::<i32>() {
        Ok(number) => Ok(number.to_string()),
        Err(_) => {
            let text = ratchet_net::Quoted(text);
            Err(Refusal::bad_request(format!("strconv.ParseInt: parsing {text}: invalid syntax")))
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(what: &str, text: &str) -> Result<String, String> {
        query(what, &Params::read(Some(text))).map_err(|refusal| refusal.message)
    }

    #[test]
    fn kubelets_have_their_own_names_for_streams() {
        let text = "command=ls&command=-l&container=c&stderr=true&stdout=1&stdin=false&tty=0";
        assert_eq!(asked("exec", text), Ok("command=ls&command=-l&error=1&output=1".into()));
        assert_eq!(asked("attach", text), Ok("error=1&output=1".into()));
        assert_eq!(asked("attach", "stdin=true&tty=true"), Ok("input=1&tty=1".into()));
    }

    #[test]
    fn ports_are_numbers() {
        assert_eq!(
            asked("portforward", "ports=80&ports=443,8080"),
            Ok("port=80%2C443%2C8080".into())
        );
        assert_eq!(asked("portforward", ""), Ok(String::new()));
        assert_eq!(
            asked("portforward", "ports=http"),
            Err(r#"strconv.ParseInt: parsing "http": invalid syntax"#.into())
        );
    }
}
