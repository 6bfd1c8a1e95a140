//! Handler of `/portForward`: connections to the ports of a pod.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use ratchet_streams::spdy::{Incoming as IncomingStream, Session, Stream};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::query::Query;
use crate::respond::{self, Body};
use crate::spdy;
use crate::state::State;
use crate::streams::{Inlet, Outlet, carry};
use crate::websocket::{self, Channels, Codec};

const PROTOCOL: &str = "portforward.k8s.io";
const TUNNEL: &str = "SPDY/3.1+portforward.k8s.io";

static CHANNELS: [(&str, Codec); 3] = [
    ("", Codec { base64: false, half_close: false }),
    ("v4.channel.k8s.io", Codec { base64: false, half_close: false }),
    ("v4.base64.channel.k8s.io", Codec { base64: true, half_close: false }),
];

/// The pod whose ports are forwarded.
#[derive(Clone)]
struct Target {
    state: Arc<State>,
    namespace: String,
    pod: String,
}

impl Target {
    async fn connect(&self, port: u16) -> Result<TcpStream, String> {
        let address = self.state.port(&self.namespace, &self.pod, port);
        TcpStream::connect(address).await.map_err(|fault| {
            let why = match fault.kind() {
                io::ErrorKind::ConnectionRefused => "connection refused".to_string(),
                _ => fault.to_string(),
            };
            format!(
                "error forwarding port {port} to pod {}, uid : failed to execute portforward in \
                 network namespace \"host\": failed to connect to localhost:{port} inside \
                 namespace {:?}, IPv4: dial tcp4 127.0.0.1:{port}: connect: {why}",
                self.pod, self.pod
            )
        })
    }
}

/// Handles a request for one pod.
pub(crate) fn serve(
    state: &Arc<State>,
    [namespace, pod]: [&str; 2],
    query: &Query,
    mut request: Request<Incoming>,
) -> Response<Body> {
    let target = Target { state: state.clone(), namespace: namespace.into(), pod: pod.into() };
    let offered = websocket::offered(&request);
    let tunnels = state.websockets && offered.iter().any(|name| name == TUNNEL);
    let known = state.pod(namespace, pod).is_some();
    let missing = || respond::text(StatusCode::NOT_FOUND, "pod does not exist");
    match (websocket::is_upgrade(&request), tunnels) {
        (true, true) if known => through_tunnel(target, &mut request),
        (true, false) => match ports(query) {
            Err(message) => respond::text(StatusCode::BAD_REQUEST, message),
            Ok(ports) if known => over_channels(target, &mut request, &offered, ports),
            Ok(_) => missing(),
        },
        (false, _) if known => over_spdy(target, &mut request),
        _ => missing(),
    }
}

fn ports(query: &Query) -> Result<Vec<u16>, String> {
    let mut found = Vec::new();
    for text in query.all("port") {
        if text.is_empty() {
            return Err("query parameter \"port\" cannot be empty".into());
        }
        for port in text.split(',') {
            match port.parse::<u16>() {
                Ok(0) => return Err(format!("port {text:?} must be > 0")),
                Ok(port) => found.push(port),
                Err(_) => {
                    return Err(format!(
                        "unable to parse {text:?} as a port: strconv.ParseUint: parsing {port:?}: invalid syntax"
                    ));
                }
            }
        }
    }
    if found.is_empty() { Err("query parameter \"port\" is required".into()) } else { Ok(found) }
}

fn over_spdy(target: Target, request: &mut Request<Incoming>) -> Response<Body> {
    match spdy::accept_upgrade(request, &[PROTOCOL.into()]) {
        Ok((_, response, upgrade)) => {
            let state = target.state.clone();
            state.spawn(async move {
                if let Ok(upgraded) = upgrade.await {
                    serve_pairs(target, TokioIo::new(upgraded)).await;
                }
            });
            response
        }
        Err(response) => *response,
    }
}

fn through_tunnel(target: Target, request: &mut Request<Incoming>) -> Response<Body> {
    match websocket::accept(request, TUNNEL) {
        Ok((response, upgrade)) => {
            let state = target.state.clone();
            state.spawn(async move {
                if let Some(socket) = websocket::socket(upgrade).await {
                    let tunnel = websocket::tunnel(&target.state, socket);
                    serve_pairs(target, tunnel).await;
                }
            });
            response
        }
        Err(response) => *response,
    }
}

/// The two streams of a connection, which are opened one after the other.
#[derive(Default)]
struct Pair {
    error: Option<Stream>,
    data: Option<Stream>,
}

/// Accepts streams and connects each pair, until the client leaves.
async fn serve_pairs(target: Target, io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
    let (session, mut accept) = Session::server(io);
    let mut pairs = BTreeMap::<String, Pair>::new();
    let mut connections = JoinSet::new(); // they end with the session
    while let Some(incoming) = accept.next().await {
        let Some((port, kind, id)) = stream_headers(&incoming) else {
            incoming.refuse();
            continue;
        };
        let Ok(stream) = incoming.reply(&[]) else { continue };
        let id = id.unwrap_or_else(|| inferred_id(&kind, stream.id()));
        let pair = pairs.entry(id.clone()).or_default();
        match &*kind {
            "error" => pair.error = Some(stream),
            _ => pair.data = Some(stream),
        }
        if pair.error.is_some()
            && pair.data.is_some()
            && let Some(Pair { error: Some(error), data: Some(data) }) = pairs.remove(&id)
        {
            while connections.try_join_next().is_some() {}
            connections.spawn(join(target.clone(), port, data, error));
        }
    }
    session.close().await;
}

/// Port, type and request id from a stream's headers.
fn stream_headers(incoming: &IncomingStream) -> Option<(u16, String, Option<String>)> {
    let headers = incoming.headers();
    let port = headers.get("port")?.parse::<u16>().ok().filter(|port| *port > 0)?;
    let kind = headers.get("streamType").filter(|kind| ["error", "data"].contains(kind))?;
    Some((port, kind.into(), headers.get("requestID").map(Into::into)))
}

/// Old clients send no request id; their error stream comes right before the data stream.
fn inferred_id(kind: &str, id: u32) -> String {
    let first = if kind == "error" { id } else { id.saturating_sub(2) };
    first.to_string()
}

async fn join(target: Target, port: u16, mut data: Stream, mut error: Stream) {
    match target.connect(port).await {
        Ok(mut socket) => {
            let _ = tokio::io::copy_bidirectional(&mut data, &mut socket).await; // either may break off
            let _ = error.shutdown().await;
        }
        Err(message) => {
            let _ = error.write_all(message.as_bytes()).await; // the client may have left
            let _ = error.shutdown().await;
            data.reset();
        }
    }
}

fn over_channels(
    target: Target,
    request: &mut Request<Incoming>,
    offered: &[String],
    ports: Vec<u16>,
) -> Response<Body> {
    let Some((protocol, codec)) = websocket::select_protocol(offered, &CHANNELS) else {
        return websocket::no_common_protocol();
    };
    match websocket::accept(request, protocol) {
        Ok((response, upgrade)) => {
            target.state.clone().spawn(join_all(target, upgrade, *codec, ports));
            response
        }
        Err(response) => *response,
    }
}

async fn join_all(target: Target, upgrade: OnUpgrade, codec: Codec, ports: Vec<u16>) {
    let Some(socket) = websocket::socket(upgrade).await else { return };
    let numbers = (0..=u8::MAX).step_by(2).zip(ports).collect::<Vec<_>>();
    let readable = numbers.iter().map(|(number, _)| *number).collect::<Vec<_>>();
    let mut channels = Channels::open(&target.state, socket, &readable, codec);
    let mut connections = JoinSet::new();
    for (number, port) in numbers {
        let Some(inlet) = channels.inlet(number) else { continue };
        let (mut data, mut error) = (channels.outlet(number), channels.outlet(number + 1));
        let port_bytes = port.to_le_bytes();
        let _ = data.write(&port_bytes).await; // who left is noticed below
        let _ = error.write(&port_bytes).await;
        connections.spawn(join_channel(target.clone(), port, inlet, data, error));
    }
    tokio::select! {
        _ = connections.join_all() => channels.close().await,
        () = channels.disconnected() => {}
    }
}

async fn join_channel(
    target: Target,
    port: u16,
    mut inlet: Inlet,
    mut data: Outlet,
    mut error: Outlet,
) {
    match target.connect(port).await {
        Ok(socket) => {
            let (reader, writer) = socket.into_split();
            let sending = crate::process::feed(Some(&mut inlet), Some(writer));
            crate::process::run_until_second(sending, carry(Some(reader), Some(&mut data))).await;
        }
        Err(message) => {
            let _ = error.write(message.as_bytes()).await; // the client may have left
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_or_refused() {
        let parse = |text| ports(&Query::parse(text));
        assert_eq!(parse("port=80,443&port=8080"), Ok(vec![80, 443, 8080]));
        let faults =
            ["", "port=", "port=0", "port=x", "port=70000"].map(|text| parse(text).is_err());
        assert_eq!(faults, [true; 5]);
    }

    #[test]
    fn old_clients_are_paired_by_the_numbers_of_streams() {
        assert_eq!(inferred_id("error", 5), inferred_id("data", 7));
    }
}
