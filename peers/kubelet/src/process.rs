//! Processes with pipes or a terminal.

use std::io;
use std::process::Stdio;

use bytes::Bytes;
use pty_process::{OwnedWritePty, Size};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::process::{Child, Command};

use crate::container::Container;
use crate::outcome::Outcome;
use crate::streams::{Inlet, StreamOptions, Streams, carry};

/// Runs a command in a container and copies its streams until it has ended and all output is sent.
pub(crate) async fn run(
    container: &Container,
    command: &[String],
    options: StreamOptions,
    streams: &mut Streams,
) -> Outcome {
    let Some((program, arguments)) = command.split_first() else {
        return Outcome::Failure("error executing command in container: no command".into());
    };
    let ended = if options.tty {
        on_terminal(container, program, arguments, streams).await
    } else {
        on_pipes(container, program, arguments, options, streams).await
    };
    match ended {
        Ok(status) => Outcome::of(command, status),
        Err(error) => Outcome::Failure(start_error(program, &error)),
    }
}

/// The message of a container runtime that cannot start a program.
fn start_error(program: &str, error: &io::Error) -> String {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "executable file not found in $PATH".to_string(),
        _ => error.to_string(),
    };
    format!(
        "error executing command in container: failed to exec in container: failed to start exec: \
         OCI runtime exec failed: exec failed: unable to start container process: \
         exec: {program:?}: {why}: unknown"
    )
}

async fn on_pipes(
    container: &Container,
    program: &str,
    arguments: &[String],
    options: StreamOptions,
    streams: &mut Streams,
) -> io::Result<std::process::ExitStatus> {
    let pipe = |is_wanted| if is_wanted { Stdio::piped() } else { Stdio::null() };
    let mut command = Command::new(program);
    command.args(arguments).envs(container.environment.iter().cloned()).kill_on_drop(true);
    command.stdin(pipe(options.stdin)).stdout(pipe(options.stdout)).stderr(pipe(options.stderr));
    if let Some(directory) = &container.directory {
        command.current_dir(directory);
    }
    let mut child = command.spawn()?;
    let feeding = feed(streams.stdin.as_mut(), child.stdin.take());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let output = async {
        let stdout_copied = carry(stdout, streams.stdout.as_mut());
        let stderr_copied = carry(stderr, streams.stderr.as_mut());
        tokio::join!(stdout_copied, stderr_copied, child.wait()).2
    };
    run_until_second(feeding, output).await
}

async fn on_terminal(
    container: &Container,
    program: &str,
    arguments: &[String],
    streams: &mut Streams,
) -> io::Result<std::process::ExitStatus> {
    let (terminal, mut child) = terminal(container, program, arguments)?;
    let (reader, writer) = terminal.into_split();
    let input = forward_input(streams.stdin.as_mut(), streams.resize.as_mut(), writer);
    let output =
        async { tokio::join!(carry(Some(reader), streams.stdout.as_mut()), child.wait()).1 };
    run_until_second(input, output).await
}

/// Starts a program on a new terminal.
pub(crate) fn terminal(
    container: &Container,
    program: &str,
    arguments: &[String],
) -> io::Result<(pty_process::Pty, Child)> {
    let (terminal, end) = pty_process::open().map_err(io::Error::other)?;
    let mut command = pty_process::Command::new(program)
        .args(arguments)
        .env("TERM", "xterm")
        .envs(container.environment.iter().cloned())
        .kill_on_drop(true);
    if let Some(directory) = &container.directory {
        command = command.current_dir(directory);
    }
    let child = command.spawn(end).map_err(|error| match error {
        pty_process::Error::Io(error) => error,
        other => io::Error::other(other),
    })?;
    Ok((terminal, child))
}

/// Runs both futures until the second has ended.
pub(crate) async fn run_until_second<T>(
    first: impl Future<Output = ()>,
    second: impl Future<Output = T>,
) -> T {
    tokio::pin!(first, second);
    tokio::select! {
        value = &mut second => value,
        () = &mut first => second.await,
    }
}

/// Copies the client's input to the program, including its end.
pub(crate) async fn feed(inlet: Option<&mut Inlet>, writer: Option<impl AsyncWrite + Unpin>) {
    let (Some(inlet), Some(mut writer)) = (inlet, writer) else { return };
    while let Some(bytes) = inlet.read().await {
        if writer.write_all(&bytes).await.is_err() {
            return discard(inlet).await;
        }
    }
}

/// Reads on, so that a client whose program no longer reads is not blocked.
async fn discard(inlet: &mut Inlet) {
    while inlet.read().await.is_some() {}
}

/// Copies the client's input to the terminal, and applies its window sizes.
async fn forward_input(
    mut stdin: Option<&mut Inlet>,
    mut resize: Option<&mut Inlet>,
    mut writer: OwnedWritePty,
) {
    let mut sizes = WindowSizes::default();
    while stdin.is_some() || resize.is_some() {
        tokio::select! {
            typed = next(&mut stdin) => match typed {
                Some(bytes) => if writer.write_all(&bytes).await.is_err() { return },
                None => stdin = None,
            },
            size_bytes = next(&mut resize) => match size_bytes {
                Some(bytes) => sizes.parse(&bytes).into_iter().for_each(|(width, height)| {
                    let _ = writer.resize(Size::new(height, width)); // the program may be gone
                }),
                None => resize = None,
            },
        }
    }
}

/// The next chunk of an optional inlet; pends for ever if there is none.
pub(crate) async fn next(inlet: &mut Option<&mut Inlet>) -> Option<Bytes> {
    match inlet {
        Some(inlet) => inlet.read().await,
        None => std::future::pending().await,
    }
}

/// An incremental parser of window sizes, which come as consecutive JSON objects in any chunks.
#[derive(Default)]
pub(crate) struct WindowSizes(Vec<u8>);

impl WindowSizes {
    pub(crate) fn parse(&mut self, bytes: &[u8]) -> Vec<(u16, u16)> {
        self.0.extend_from_slice(bytes);
        let mut values = serde_json::Deserializer::from_slice(&self.0).into_iter();
        let mut found = Vec::new();
        while let Some(Ok(value)) = values.next() {
            let value: serde_json::Value = value;
            let side = |name: &str| value.get(name)?.as_u64().and_then(|side| side.try_into().ok());
            found.extend(side("Width").zip(side("Height")));
        }
        let consumed = values.byte_offset();
        self.0.drain(..consumed.min(self.0.len()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sizes_are_the_same_however_they_are_cut(
            sizes in prop::collection::vec(any::<(u16, u16)>(), 0..5),
            cut in 1_usize..20,
        ) {
            let text = sizes.iter().map(|(width, height)| {
                format!("{{\"Width\":{width},\"Height\":{height}}}\n")
            });
            let text = text.collect::<String>();
            let mut reader = WindowSizes::default();
            let parsed = text.as_bytes().chunks(cut).flat_map(|piece| reader.parse(piece));
            prop_assert_eq!(parsed.collect::<Vec<_>>(), sizes);
        }

        #[test]
        fn no_bytes_break_the_reader(bytes: Vec<u8>) {
            WindowSizes::default().parse(&bytes);
        }
    }

    #[test]
    fn sizes_may_come_in_pieces() {
        let mut sizes = WindowSizes::default();
        assert_eq!(sizes.parse(br#"{"Width":80,"Hei"#), []);
        assert_eq!(sizes.parse(b"ght\":24}\n{\"Width\":100,\"Height\":40}"), [(80, 24), (100, 40)]);
        assert_eq!(sizes.parse(br#"{"Width":"#), []);
        assert_eq!(sizes.parse(br#"1,"Height":2}"#), [(1, 2)]);
    }
}
