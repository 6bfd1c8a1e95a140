//! Handlers of `/exec`, `/attach` and `/run`: commands in containers.

use std::sync::Arc;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use tokio::process::Command;

use crate::outcome::{Outcome, StatusFormat};
use crate::process;
use crate::query::Query;
use crate::respond::{self, Body};
use crate::spdy;
use crate::state::{PodContainer, State};
use crate::streams::{StreamOptions, Streams};
use crate::websocket::{self, Channels, Codec};

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const ERROR: u8 = 3;
const RESIZE: u8 = 4;

const PLAIN: Codec = Codec { base64: false, half_close: false };
const BASE64: Codec = Codec { base64: true, half_close: false };
const CLOSING: Codec = Codec { base64: false, half_close: true };

/// Protocols that container runtimes support over WebSockets.
static CHANNELS: [(&str, (Codec, StatusFormat)); 5] = [
    ("", (PLAIN, StatusFormat::Plain)),
    ("channel.k8s.io", (PLAIN, StatusFormat::Plain)),
    ("base64.channel.k8s.io", (BASE64, StatusFormat::Plain)),
    ("v4.channel.k8s.io", (PLAIN, StatusFormat::Status)),
    ("v4.base64.channel.k8s.io", (BASE64, StatusFormat::Status)),
];

/// The protocol that the kubelet itself translates, if enabled.
static TRANSLATED: [(&str, (Codec, StatusFormat)); 1] =
    [("v5.channel.k8s.io", (CLOSING, StatusFormat::Translated))];

/// An exec or attach in a container.
pub(crate) struct Job {
    container: PodContainer,
    /// `None` to attach.
    command: Option<Vec<String>>,
    pub(crate) options: StreamOptions,
}

impl Job {
    /// Runs the command or attaches, until the end.
    pub(crate) async fn run(&self, streams: &mut Streams) -> Outcome {
        match (&self.command, &self.container.running) {
            (Some(command), _) => {
                process::run(&self.container.container, command, self.options, streams).await
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
    let Some(options) = StreamOptions::parse(query) else {
        let message = "you must specify at least 1 of stdin, stdout, stderr";
        return respond::text(StatusCode::BAD_REQUEST, message);
    };
    let Some(mut containers) = state.pod(namespace, pod) else {
        return respond::text(StatusCode::NOT_FOUND, "pod does not exist");
    };
    let Some(container) = containers.remove(container) else {
        let message = format!("container not found ({container:?})");
        return respond::text(StatusCode::INTERNAL_SERVER_ERROR, message);
    };
    let command = (!attach).then(|| query.all("command").map(Into::into).collect());
    let job = Job { container, command, options };
    if websocket::is_upgrade(&request) {
        over_websocket(state, &mut request, job)
    } else {
        spdy::exec(state, &mut request, job)
    }
}

fn over_websocket(state: &Arc<State>, request: &mut Request<Incoming>, job: Job) -> Response<Body> {
    let offered = websocket::offered(request);
    let translated =
        state.websockets.then(|| websocket::select_protocol(&offered, &TRANSLATED)).flatten();
    let Some((protocol, (codec, format))) =
        translated.or_else(|| websocket::select_protocol(&offered, &CHANNELS))
    else {
        return websocket::no_common_protocol();
    };
    match websocket::accept(request, protocol) {
        Ok((response, upgrade)) => {
            state.spawn(serve_channels(state.clone(), upgrade, *codec, *format, job));
            response
        }
        Err(response) => *response,
    }
}

async fn serve_channels(
    state: Arc<State>,
    upgrade: OnUpgrade,
    codec: Codec,
    format: StatusFormat,
    job: Job,
) {
    let Some(socket) = websocket::socket(upgrade).await else { return };
    let options = job.options;
    let readable = [(options.stdin, STDIN), (options.tty, RESIZE)];
    let readable = readable.iter().filter(|(wanted, _)| *wanted).map(|(_, number)| *number);
    let readable = readable.collect::<Vec<_>>();
    let mut channels = Channels::open(&state, socket, &readable, codec);
    let lowest = [(options.stdout, STDOUT), (options.stderr, STDERR), (true, ERROR)];
    for (_, number) in lowest.iter().filter(|(open, _)| *open).take(1) {
        let _ = channels.outlet(*number).write(&[]).await; // the client learns that it is connected
    }
    let mut streams = Streams {
        stdin: channels.inlet(STDIN),
        stdout: options.stdout.then(|| channels.outlet(STDOUT)),
        stderr: options.stderr.then(|| channels.outlet(STDERR)),
        resize: channels.inlet(RESIZE),
    };
    let mut status = channels.outlet(ERROR);
    tokio::select! {
        outcome = job.run(&mut streams) => status.write_status(&outcome, format).await,
        () = channels.disconnected() => return,
    }
    drop(status);
    channels.close().await;
}

/// Runs a command to its end and answers with its output.
pub(crate) async fn run(
    state: &State,
    [namespace, pod, container]: [&str; 3],
    query: &Query,
) -> Response<Body> {
    let Some(containers) = state.pod(namespace, pod) else {
        return respond::text(StatusCode::NOT_FOUND, "pod does not exist");
    };
    let failed = |message: String| respond::text(StatusCode::INTERNAL_SERVER_ERROR, message);
    if !containers.contains_key(container) {
        return failed(format!("container not found ({container:?})"));
    }
    let command = query.first("cmd").unwrap_or_default();
    let mut arguments = command.split(' ');
    let ran = Command::new(arguments.next().unwrap_or_default())
        .args(arguments)
        .kill_on_drop(true)
        .output()
        .await;
    match ran {
        Err(fault) => failed(fault.to_string()),
        Ok(output) => {
            let output_text = [output.stdout, output.stderr].concat();
            let output_text = String::from_utf8_lossy(&output_text);
            match output.status.code() {
                Some(0) => respond::text(StatusCode::OK, output_text),
                code => failed(format!(
                    "command '{command}' exited with {}: {output_text}",
                    code.unwrap_or(-1)
                )),
            }
        }
    }
}
