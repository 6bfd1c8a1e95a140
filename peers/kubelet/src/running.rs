//! The main process of a container, whose output goes to the log and to all attached clients.

use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use pty_process::Size;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, watch};

use crate::container::Container;
use crate::log::{Log, Source};
use crate::outcome::Outcome;
use crate::process::{WindowSizes, next, run_until_second, terminal};
use crate::streams::{Inlet, Outlet, Streams, piece};

/// Number of chunks buffered for a slow listener before the process waits.
const WAITING: usize = 8;

type OutputChunk = (Source, Bytes);
type Input = Box<dyn AsyncWrite + Send + Unpin>;

/// A process that clients can attach to.
pub(crate) struct Running {
    input: tokio::sync::Mutex<Option<Input>>,
    listeners: Mutex<Vec<mpsc::Sender<OutputChunk>>>,
    size: watch::Sender<(u16, u16)>,
    ended: watch::Sender<bool>,
    input_once: bool,
}

impl Running {
    /// Starts the container's command; the future drives it until it ends.
    pub(crate) fn start(
        container: &Container,
    ) -> io::Result<(Arc<Self>, impl Future<Output = ()> + Send + 'static)> {
        let Some((program, arguments)) = container.command.split_first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no command"));
        };
        let size = watch::Sender::new((0, 0));
        let (input, child, outputs) = if container.tty {
            on_terminal(container, program, arguments, &size)?
        } else {
            on_pipes(container, program, arguments)?
        };
        let running = Arc::new(Self {
            input: tokio::sync::Mutex::new(Some(input)),
            listeners: Mutex::default(),
            size,
            ended: watch::Sender::new(false),
            input_once: container.stdin_once,
        });
        Ok((running.clone(), running.run_to_end(child, outputs, container.log.clone())))
    }

    async fn run_to_end(self: Arc<Self>, mut child: Child, outputs: Outputs, log: Log) {
        let [first, second] = outputs;
        let output = self.publish(first, Source::Stdout, &log);
        let errors = self.publish(second, Source::Stderr, &log);
        let _ = tokio::join!(output, errors, child.wait()); // the exit status does not matter
        log.end();
        self.ended.send_replace(true);
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    async fn publish(&self, output: Option<Output>, source: Source, log: &Log) {
        let Some(mut output) = output else { return };
        while let Some(bytes) = piece(&mut output).await {
            log.append_at(SystemTime::now(), source, &bytes);
            let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone();
            for listener in listeners {
                let _ = listener.send((source, bytes.clone())).await; // closed listeners are removed below
            }
            let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
            listeners.retain(|listener| !listener.is_closed());
        }
    }

    /// Copies the streams of an attached client until the process ends.
    pub(crate) async fn attach(&self, streams: &mut Streams) -> Outcome {
        let Some(output) = self.listen() else {
            let why = "error attaching to container: container is in CONTAINER_EXITED state";
            return Outcome::Failure(why.into());
        };
        let input_forwarded = self.forward_input(streams.stdin.as_mut(), streams.resize.as_mut());
        run_until_second(
            input_forwarded,
            forward_output(output, streams.stdout.as_mut(), streams.stderr.as_mut()),
        )
        .await;
        Outcome::Success
    }

    /// Runs concurrently with the output: a process that writes before it has read all input would block for ever.
    async fn forward_input(&self, mut stdin: Option<&mut Inlet>, mut resize: Option<&mut Inlet>) {
        let mut sizes = WindowSizes::default();
        while stdin.is_some() || resize.is_some() {
            tokio::select! {
                typed = next(&mut stdin) => match typed {
                    Some(bytes) => self.write_input(&bytes).await,
                    None => {
                        stdin = None;
                        if self.input_once {
                            self.input.lock().await.take();
                        }
                    }
                },
                size_bytes = next(&mut resize) => match size_bytes {
                    Some(bytes) => for size in sizes.parse(&bytes) { self.size.send_replace(size); },
                    None => resize = None,
                },
            }
        }
    }

    /// Number of attached clients.
    pub(crate) fn listeners(&self) -> usize {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.iter().filter(|listener| !listener.is_closed()).count()
    }

    fn listen(&self) -> Option<mpsc::Receiver<OutputChunk>> {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        if *self.ended.borrow() {
            return None;
        }
        let (sender, receiver) = mpsc::channel(WAITING);
        listeners.push(sender);
        Some(receiver)
    }

    async fn write_input(&self, bytes: &[u8]) {
        let mut input = self.input.lock().await;
        if let Some(writer) = &mut *input
            && (writer.write_all(bytes).await.is_err() || writer.flush().await.is_err())
        {
            *input = None; // nobody reads it any more
        }
    }
}

async fn forward_output(
    mut output: mpsc::Receiver<OutputChunk>,
    mut stdout: Option<&mut Outlet>,
    mut stderr: Option<&mut Outlet>,
) {
    while let Some((source, bytes)) = output.recv().await {
        let outlet = match source {
            Source::Stdout => &mut stdout,
            Source::Stderr => &mut stderr,
        };
        if let Some(found) = outlet
            && found.write(&bytes).await.is_err()
        {
            return;
        }
    }
    for outlet in [stdout, stderr].into_iter().flatten() {
        outlet.finish().await;
    }
}

type Output = Box<dyn AsyncRead + Send + Unpin>;
type Outputs = [Option<Output>; 2];

fn on_pipes(
    container: &Container,
    program: &str,
    arguments: &[String],
) -> io::Result<(Input, Child, Outputs)> {
    let mut command = Command::new(program);
    command.args(arguments).envs(container.environment.iter().cloned()).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(directory) = &container.directory {
        command.current_dir(directory);
    }
    let mut child = command.spawn()?;
    let missing = || io::Error::other("no pipe");
    let input: Input = Box::new(child.stdin.take().ok_or_else(missing)?);
    let stdout: Output = Box::new(child.stdout.take().ok_or_else(missing)?);
    let stderr: Output = Box::new(child.stderr.take().ok_or_else(missing)?);
    Ok((input, child, [Some(stdout), Some(stderr)]))
}

fn on_terminal(
    container: &Container,
    program: &str,
    arguments: &[String],
    size: &watch::Sender<(u16, u16)>,
) -> io::Result<(Input, Child, Outputs)> {
    let (terminal, child) = terminal(container, program, arguments)?;
    let (reader, writer) = terminal.into_split();
    let (input, mut typed) = tokio::io::duplex(4096);
    let mut sizes = size.subscribe();
    tokio::spawn(async move {
        // window sizes and input share one writer, which ends with the process or its input
        let mut writer = writer;
        loop {
            tokio::select! {
                bytes = piece(&mut typed) => match bytes {
                    Some(bytes) if writer.write_all(&bytes).await.is_ok() => {}
                    _ => return,
                },
                Ok(()) = sizes.changed() => {
                    let (width, height) = *sizes.borrow_and_update();
                    let _ = writer.resize(Size::new(height, width)); // the program may be gone
                }
            }
        }
    });
    Ok((Box::new(input), child, [Some(Box::new(reader)), None]))
}
