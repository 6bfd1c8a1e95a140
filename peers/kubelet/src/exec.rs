//! `/exec`, `/attach` and `/run`: commands in containers, and what runs there already.

use std::sync::Arc;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use tokio::process::Command;

use crate::outcome::{Outcome, Spelling};
use crate::process;
use crate::query::Query;
use crate::respond::{self, Body};
use crate::spdy;
use crate::state::{Placed, State};
use crate::streams::{Streams, Wanted};
use crate::websocket::{self, Channels, Codec};

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const ERROR: u8 = 3;
const RESIZE: u8 = 4;

const PLAIN: Codec = Codec { base64: false, half_close: false };
const BASE64: Codec = Codec { base64: true, half_close: false };
const CLOSING: Codec = Codec { base64: false, half_close: true };

/// The protocols that container runtimes speak over WebSockets.
static CHANNELS: [(&str, (Codec, Spelling)); 5] = [
    ("", (PLAIN, Spelling::Words)),
    ("channel.k8s.io", (PLAIN, Spelling::Words)),
    ("base64.channel.k8s.io", (BASE64, Spelling::Words)),
    ("v4.channel.k8s.io", (PLAIN, Spelling::Status)),
    ("v4.base64.channel.k8s.io", (BASE64, Spelling::Status)),
];

/// The protocol that the kubelet itself translates, if it does.
static TRANSLATED: [(&str, (Codec, Spelling)); 1] =
    [("v5.channel.k8s.io", (CLOSING, Spelling::Translated))];

/// What is to be done in a container.
pub(crate) struct Job {
    placed: Placed,
    /// None to attach.
    command: Option<Vec<String>>,
    pub(crate) wanted: Wanted,
}

impl Job {
    /// Does it.
    pub(crate) async fn run(&self, streams: &mut Streams) -> Outcome {
        match (&self.command, &self.placed.running) {
            (Some(command), _) => {
                process::run(&self.placed.container, command, self.wanted, streams).await
            }
            (None, Some(running)) => running.attach(streams).await,
            (None, None) => {
                let why = "error attaching to container: container is in CONTAINER_EXITED state";
                Outcome::Failure(why.into())
            }
        }
    }
}

/// Answers exec, and attach if there is no command.
pub(crate) fn serve(
    state: &Arc<State>,
    [namespace, pod, container]: [&str; 3],
    query: &Query,
    mut request: Request<Incoming>,
    attach: bool,
) -> Response<Body> {
    let Some(wanted) = Wanted::read(query) else {
        let words = "you must specify at least 1 of stdin, stdout, stderr";
        return respond::text(StatusCode::BAD_REQUEST, words);
    };
    let Some(mut containers) = state.pod(namespace, pod) else {
        return respond::text(StatusCode::NOT_FOUND, "pod does not exist");
    };
    let Some(placed) = containers.remove(container) else {
        let words = format!("container not found ({container:?})");
        return respond::text(StatusCode::INTERNAL_SERVER_ERROR, words);
    };
    let command = (!attach).then(|| query.all("command").map(Into::into).collect());
    let job = Job { placed, command, wanted };
    if websocket::asked(&request) {
        over_websocket(state, &mut request, job)
    } else {
        spdy::exec(state, &mut request, job)
    }
}

fn over_websocket(state: &Arc<State>, request: &mut Request<Incoming>, job: Job) -> Response<Body> {
    let offered = websocket::offered(request);
    let translated = state.websockets.then(|| websocket::chosen(&offered, &TRANSLATED)).flatten();
    let Some((protocol, (codec, spelling))) =
        translated.or_else(|| websocket::chosen(&offered, &CHANNELS))
    else {
        return websocket::refused();
    };
    match websocket::agree(request, protocol) {
        Ok((response, upgrade)) => {
            state.spawn(talk(state.clone(), upgrade, *codec, *spelling, job));
            response
        }
        Err(response) => *response,
    }
}

async fn talk(state: Arc<State>, upgrade: OnUpgrade, codec: Codec, spelling: Spelling, job: Job) {
    let Some(socket) = websocket::socket(upgrade).await else { return };
    let wanted = job.wanted;
    let readable = [(wanted.stdin, STDIN), (wanted.tty, RESIZE)];
    let readable = readable.iter().filter(|(read, _)| *read).map(|(_, number)| *number);
    let readable = readable.collect::<Vec<_>>();
    let mut channels = Channels::open(&state, socket, &readable, codec);
    let lowest = [(wanted.stdout, STDOUT), (wanted.stderr, STDERR), (true, ERROR)];
    for (_, number) in lowest.iter().filter(|(open, _)| *open).take(1) {
        let _ = channels.outlet(*number).write(&[]).await; // the client learns that it is connected
    }
    let mut streams = Streams {
        stdin: channels.inlet(STDIN),
        stdout: wanted.stdout.then(|| channels.outlet(STDOUT)),
        stderr: wanted.stderr.then(|| channels.outlet(STDERR)),
        resize: channels.inlet(RESIZE),
    };
    let mut status = channels.outlet(ERROR);
    tokio::select! {
        outcome = job.run(&mut streams) => status.tell(&outcome, spelling).await,
        () = channels.gone() => return,
    }
    drop(status);
    channels.close().await;
}

/// Runs a command to its end, and answers with what it said.
pub(crate) async fn run(
    state: &State,
    [namespace, pod, container]: [&str; 3],
    query: &Query,
) -> Response<Body> {
    let Some(containers) = state.pod(namespace, pod) else {
        return respond::text(StatusCode::NOT_FOUND, "pod does not exist");
    };
    let failed = |words: String| respond::text(StatusCode::INTERNAL_SERVER_ERROR, words);
    if !containers.contains_key(container) {
        return failed(format!("container not found ({container:?})"));
    }
    let command = query.first("cmd").unwrap_or_default();
    let mut words = command.split(' ');
    let ran = Command::new(words.next().unwrap_or_default())
        .args(words)
        .kill_on_drop(true)
        .output()
        .await;
    match ran {
        Err(fault) => failed(fault.to_string()),
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            match output.status.code() {
                Some(0) => respond::text(StatusCode::OK, said),
                code => failed(format!(
                    "command '{command}' exited with {}: {said}",
                    code.unwrap_or(-1)
                )),
            }
        }
    }
}
