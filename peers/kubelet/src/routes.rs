//! Routes: the handler of each path.

use std::sync::Arc;

use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;

use crate::connection::Peer;
use crate::query::{Query, percent_decode};
use crate::respond::{self, Body};
use crate::state::{RecordedRequest, State};
use crate::{exec, forward, logs, pages};

/// First path segments and their handlers.
static ROUTES: [(&str, Page); 12] = [
    ("attach", Page::Attach),
    ("configz", Page::Configuration),
    ("containerLogs", Page::Logs),
    ("echo", Page::Echo),
    ("exec", Page::Exec),
    ("healthz", Page::Health),
    ("metrics", Page::Metrics),
    ("pods", Page::Pods),
    ("portForward", Page::Forward),
    ("run", Page::Run),
    ("runningpods", Page::Pods),
    ("stats", Page::Stats),
];

#[derive(Clone, Copy)]
enum Page {
    Attach,
    Configuration,
    Echo,
    Exec,
    Forward,
    Health,
    Logs,
    Metrics,
    Pods,
    Run,
    Stats,
}

impl Page {
    fn takes(self, method: &Method) -> bool {
        match self {
            Self::Echo => true,
            Self::Attach | Self::Exec | Self::Forward | Self::Run => {
                [Method::GET, Method::POST].contains(method)
            }
            _ => [Method::GET, Method::HEAD].contains(method),
        }
    }
}

/// Records and answers a request.
pub(crate) async fn handle(
    state: Arc<State>,
    peer: &Peer,
    request: Request<Incoming>,
) -> Response<Body> {
    state.record(recorded_request(peer, &request));
    if !peer.trusted {
        return respond::text(StatusCode::UNAUTHORIZED, "Unauthorized");
    }
    let path = request.uri().path().to_string();
    if let Some(answer) = state.answer_for(&path) {
        return respond::canned(&answer);
    }
    let segments = path.trim_matches('/').split('/').filter_map(percent_decode).collect::<Vec<_>>();
    let segments = segments.iter().map(String::as_str).collect::<Vec<_>>();
    let missing = || respond::text(StatusCode::NOT_FOUND, "404: Page Not Found");
    let Some((first, rest)) = segments.split_first() else { return missing() };
    let Some((_, page)) = ROUTES.iter().find(|(name, _)| name == first) else { return missing() };
    if !page.takes(request.method()) {
        return respond::text(StatusCode::METHOD_NOT_ALLOWED, "405: Method Not Allowed");
    }
    answer(&state, peer, *page, rest, request).await.unwrap_or_else(missing)
}

async fn answer(
    state: &Arc<State>,
    peer: &Peer,
    page: Page,
    rest: &[&str],
    request: Request<Incoming>,
) -> Option<Response<Body>> {
    let query = Query::parse(request.uri().query().unwrap_or_default());
    Some(match page {
        Page::Logs => logs::serve(state, rest.try_into().ok()?, &query),
        Page::Exec => exec::serve(state, container(rest)?, &query, request, false),
        Page::Attach => exec::serve(state, container(rest)?, &query, request, true),
        Page::Run => exec::run(state, container(rest)?, &query).await,
        Page::Forward => forward::serve(state, pod(rest)?, &query, request),
        Page::Pods => pages::pods(state),
        Page::Health => pages::health(),
        Page::Metrics => pages::metrics(state),
        Page::Configuration => pages::configuration(),
        Page::Stats => pages::stats(state),
        Page::Echo => pages::echo(peer, request).await,
    })
}

/// Namespace, pod and container; a UID may precede the container.
fn container<'a>(rest: &[&'a str]) -> Option<[&'a str; 3]> {
    match *rest {
        [namespace, pod, container] | [namespace, pod, _, container] => {
            Some([namespace, pod, container])
        }
        _ => None,
    }
}

/// Namespace and pod; a UID may follow.
fn pod<'a>(rest: &[&'a str]) -> Option<[&'a str; 2]> {
    match *rest {
        [namespace, pod] | [namespace, pod, _] => Some([namespace, pod]),
        _ => None,
    }
}

fn recorded_request(peer: &Peer, request: &Request<Incoming>) -> RecordedRequest {
    RecordedRequest {
        method: request.method().to_string(),
        path: request.uri().path().into(),
        query: request.uri().query().unwrap_or_default().into(),
        headers: request.headers().clone(),
        version: request.version(),
        connection: peer.number,
        resumed: peer.resumed,
        server_name: peer.server_name.clone(),
        client: peer.client.clone(),
    }
}
