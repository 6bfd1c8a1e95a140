//! SPDY/3.1: protocol negotiation, and the streams of exec and attach.

use std::sync::Arc;
use std::time::Duration;

use http::header::{CONNECTION, HeaderName, UPGRADE};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use ratchet_streams::spdy::{Accept, Session, Stream};

use crate::exec::Job;
use crate::outcome::StatusFormat;
use crate::respond::{self, Body};
use crate::state::State;
use crate::streams::{Inlet, Outlet, StreamOptions, Streams};

const VERSION: &str = "X-Stream-Protocol-Version";
const ACCEPTED_VERSIONS: HeaderName =
    HeaderName::from_static("x-accepted-stream-protocol-versions");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("x-stream-protocol-version");
const SPDY: &str = "SPDY/3.1";
/// Time limit for a client to create its streams.
const CREATION: Duration = Duration::from_secs(30);

/// Negotiates a protocol and accepts the upgrade.
pub(crate) fn accept_upgrade(
    request: &mut Request<Incoming>,
    supported: &[String],
) -> Result<(String, Response<Body>, OnUpgrade), Box<Response<Body>>> {
    let bad = |message| Box::new(respond::text(StatusCode::BAD_REQUEST, message));
    let headers = request.headers();
    if !contains(headers, CONNECTION, "upgrade") {
        let message = "Upgrade request required\n"; // the kubelet's own proxy to the runtime says so
        return Err(respond::text(StatusCode::INTERNAL_SERVER_ERROR, message).into());
    }
    if !headers.contains_key(PROTOCOL_VERSION) {
        let count = headers.len();
        return Err(bad(format!(
            "unable to upgrade: header {VERSION} does not exist in request with {count} headers\n"
        )));
    }
    let values = headers.get_all(PROTOCOL_VERSION).iter().filter_map(|value| value.to_str().ok());
    let offered = values.flat_map(|value| value.split(',')).map(str::trim).collect::<Vec<_>>();
    let Some(protocol) = offered.iter().find(|name| supported.iter().any(|known| known == *name))
    else {
        return Err(unknown(&offered, supported).into());
    };
    if !contains(headers, UPGRADE, SPDY) {
        return Err(bad("unable to upgrade: missing upgrade headers in request\n".into()));
    }
    let protocol = protocol.to_string();
    let mut response = respond::empty(StatusCode::SWITCHING_PROTOCOLS);
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static(SPDY));
    headers.extend(HeaderValue::from_str(&protocol).ok().map(|value| (PROTOCOL_VERSION, value)));
    Ok((protocol, response, hyper::upgrade::on(request)))
}

fn contains(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.map(str::to_ascii_lowercase).any(|value| value.contains(&word))
}

fn unknown(offered: &[&str], supported: &[String]) -> Response<Body> {
    let (offered, accepted) = (offered.join(" "), supported.join(" "));
    let message = format!(
        "unable to upgrade: unable to negotiate protocol: client supports [{offered}], server accepts [{accepted}]\n"
    );
    let mut response = respond::text(StatusCode::FORBIDDEN, message);
    for name in supported {
        let value = HeaderValue::from_str(name).ok();
        value.map(|value| response.headers_mut().append(ACCEPTED_VERSIONS, value));
    }
    response
}

/// Handles exec and attach.
pub(crate) fn exec(
    state: &Arc<State>,
    request: &mut Request<Incoming>,
    job: Job,
) -> Response<Body> {
    match accept_upgrade(request, &state.exec_protocols) {
        Ok((protocol, response, upgrade)) => {
            state.spawn(serve_streams(upgrade, protocol, job));
            response
        }
        Err(response) => *response,
    }
}

async fn serve_streams(upgrade: OnUpgrade, protocol: String, job: Job) {
    let Ok(upgraded) = upgrade.await else { return };
    let (session, mut accept) = Session::server(TokioIo::new(upgraded));
    let has_resize = !matches!(&*protocol, "v2.channel.k8s.io" | "channel.k8s.io");
    let has_status = matches!(&*protocol, "v4.channel.k8s.io" | "v5.channel.k8s.io");
    let format = if has_status { StatusFormat::Status } else { StatusFormat::Plain };
    let streams_ready =
        tokio::time::timeout(CREATION, accept_streams(&mut accept, job.options, has_resize)).await;
    if let Ok(Some((mut streams, mut status))) = streams_ready {
        tokio::select! {
            outcome = job.run(&mut streams) => status.write_status(&outcome, format).await,
            () = session.closed() => return,
        }
        session.close().await; // before the streams are dropped
    }
}

/// Waits for all requested streams and the error stream.
async fn accept_streams(
    accept: &mut Accept,
    options: StreamOptions,
    has_resize: bool,
) -> Option<(Streams, Outlet)> {
    let mut streams = Streams { stdin: None, stdout: None, stderr: None, resize: None };
    let mut status = None;
    let has_resize = options.tty && has_resize;
    let expected = [true, options.stdin, options.stdout, options.stderr, has_resize];
    let mut missing = expected.iter().filter(|is_wanted| **is_wanted).count();
    while missing > 0 {
        let incoming = accept.next().await?;
        let kind = incoming.headers().get("streamType").unwrap_or_default().to_string();
        let Ok(stream) = incoming.reply(&[]) else { continue };
        match &*kind {
            "error" => status = Some(outlet(stream)),
            "stdin" => streams.stdin = Some(Inlet::Plain(Box::new(stream))),
            "stdout" => streams.stdout = Some(outlet(stream)),
            "stderr" => streams.stderr = Some(outlet(stream)),
            "resize" => streams.resize = Some(Inlet::Plain(Box::new(stream))),
            _ => continue,
        }
        missing -= 1;
    }
    Some((streams, status?))
}

fn outlet(stream: Stream) -> Outlet {
    Outlet::Plain(Box::new(stream))
}
