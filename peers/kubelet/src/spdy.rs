//! SPDY/3.1: agreeing to it, and the streams of exec and attach.

use std::sync::Arc;
use std::time::Duration;

use http::header::{CONNECTION, HeaderName, UPGRADE};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use ratchet_spdy::{Accept, Session, Stream};

use crate::exec::Job;
use crate::outcome::Spelling;
use crate::respond::{self, Body};
use crate::state::State;
use crate::streams::{Inlet, Outlet, Streams, Wanted};

const VERSION: &str = "X-Stream-Protocol-Version";
const ACCEPTED: HeaderName = HeaderName::from_static("x-accepted-stream-protocol-versions");
const AGREED: HeaderName = HeaderName::from_static("x-stream-protocol-version");
const SPDY: &str = "SPDY/3.1";
/// How long a client may take to create its streams.
const CREATION: Duration = Duration::from_secs(30);

/// Agrees to a protocol, and to the upgrade.
pub(crate) fn agree(
    request: &mut Request<Incoming>,
    spoken: &[String],
) -> Result<(String, Response<Body>, OnUpgrade), Box<Response<Body>>> {
    let bad = |words| Box::new(respond::text(StatusCode::BAD_REQUEST, words));
    let headers = request.headers();
    if !contains(headers, CONNECTION, "upgrade") {
        let words = "Upgrade request required\n"; // the kubelet's own proxy to the runtime says so
        return Err(respond::text(StatusCode::INTERNAL_SERVER_ERROR, words).into());
    }
    if !headers.contains_key(AGREED) {
        let count = headers.len();
        return Err(bad(format!(
            "unable to upgrade: header {VERSION} does not exist in request with {count} headers\n"
        )));
    }
    let values = headers.get_all(AGREED).iter().filter_map(|value| value.to_str().ok());
    let offered = values.flat_map(|value| value.split(',')).map(str::trim).collect::<Vec<_>>();
    let Some(protocol) = offered.iter().find(|name| spoken.iter().any(|known| known == *name))
    else {
        return Err(unknown(&offered, spoken).into());
    };
    if !contains(headers, UPGRADE, SPDY) {
        return Err(bad("unable to upgrade: missing upgrade headers in request\n".into()));
    }
    let protocol = protocol.to_string();
    let mut response = respond::empty(StatusCode::SWITCHING_PROTOCOLS);
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static(SPDY));
    headers.extend(HeaderValue::from_str(&protocol).ok().map(|value| (AGREED, value)));
    Ok((protocol, response, hyper::upgrade::on(request)))
}

fn contains(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.map(str::to_ascii_lowercase).any(|value| value.contains(&word))
}

fn unknown(offered: &[&str], spoken: &[String]) -> Response<Body> {
    let (offered, accepted) = (offered.join(" "), spoken.join(" "));
    let words = format!(
        "unable to upgrade: unable to negotiate protocol: client supports [{offered}], server accepts [{accepted}]\n"
    );
    let mut response = respond::text(StatusCode::FORBIDDEN, words);
    for name in spoken {
        let value = HeaderValue::from_str(name).ok();
        value.map(|value| response.headers_mut().append(ACCEPTED, value));
    }
    response
}

/// Answers exec and attach.
pub(crate) fn exec(
    state: &Arc<State>,
    request: &mut Request<Incoming>,
    job: Job,
) -> Response<Body> {
    match agree(request, &state.exec_protocols) {
        Ok((protocol, response, upgrade)) => {
            state.spawn(talk(upgrade, protocol, job));
            response
        }
        Err(response) => *response,
    }
}

async fn talk(upgrade: OnUpgrade, protocol: String, job: Job) {
    let Ok(upgraded) = upgrade.await else { return };
    let (session, mut accept) = Session::server(TokioIo::new(upgraded));
    let resizes = !matches!(&*protocol, "v2.channel.k8s.io" | "channel.k8s.io");
    let states = matches!(&*protocol, "v4.channel.k8s.io" | "v5.channel.k8s.io");
    let spelling = if states { Spelling::Status } else { Spelling::Words };
    let gathered = tokio::time::timeout(CREATION, gather(&mut accept, job.wanted, resizes)).await;
    if let Ok(Some((mut streams, mut status))) = gathered {
        tokio::select! {
            outcome = job.run(&mut streams) => status.tell(&outcome, spelling).await,
            () = session.closed() => return,
        }
        session.close().await; // before the streams are dropped
    }
}

/// Waits for all streams that were asked for, and the one for errors.
async fn gather(accept: &mut Accept, wanted: Wanted, resizes: bool) -> Option<(Streams, Outlet)> {
    let mut streams = Streams { stdin: None, stdout: None, stderr: None, resize: None };
    let mut status = None;
    let resizes = wanted.tty && resizes;
    let expected = [true, wanted.stdin, wanted.stdout, wanted.stderr, resizes];
    let mut missing = expected.iter().filter(|wanted| **wanted).count();
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
