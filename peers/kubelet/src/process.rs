//! Real processes with pipes or a terminal.

use std::io;
use std::process::Stdio;

use bytes::Bytes;
use pty_process::{OwnedWritePty, Size};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::process::{Child, Command};

use crate::container::Container;
use crate::outcome::Outcome;
use crate::streams::{Inlet, Streams, Wanted, carry};

/// Runs a command in a container, and carries its streams until it has ended and all is said.
pub(crate) async fn run(
    container: &Container,
    command: &[String],
    wanted: Wanted,
    streams: &mut Streams,
) -> Outcome {
    let Some((program, arguments)) = command.split_first() else {
        return Outcome::Failure("error executing command in container: no command".into());
    };
    let ended = if wanted.tty {
        on_terminal(container, program, arguments, streams).await
    } else {
        on_pipes(container, program, arguments, wanted, streams).await
    };
    match ended {
        Ok(status) => Outcome::of(command, status),
        Err(fault) => Outcome::Failure(unstarted(program, &fault)),
    }
}

/// The words of a container runtime that cannot start a program.
fn unstarted(program: &str, fault: &io::Error) -> String {
    let why = match fault.kind() {
        io::ErrorKind::NotFound => "executable file not found in $PATH".to_string(),
        _ => fault.to_string(),
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
    wanted: Wanted,
    streams: &mut Streams,
) -> io::Result<std::process::ExitStatus> {
    let pipe = |wanted| if wanted { Stdio::piped() } else { Stdio::null() };
    let mut command = Command::new(program);
    command.args(arguments).envs(container.environment.iter().cloned()).kill_on_drop(true);
    command.stdin(pipe(wanted.stdin)).stdout(pipe(wanted.stdout)).stderr(pipe(wanted.stderr));
    if let Some(directory) = &container.directory {
        command.current_dir(directory);
    }
    let mut child = command.spawn()?;
    let feeding = feed(streams.stdin.as_mut(), child.stdin.take());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let ending = async {
        let said = carry(stdout, streams.stdout.as_mut());
        let complained = carry(stderr, streams.stderr.as_mut());
        tokio::join!(said, complained, child.wait()).2
    };
    beside(feeding, ending).await
}

async fn on_terminal(
    container: &Container,
    program: &str,
    arguments: &[String],
    streams: &mut Streams,
) -> io::Result<std::process::ExitStatus> {
    let (terminal, mut child) = terminal(container, program, arguments)?;
    let (reader, writer) = terminal.into_split();
    let typing = type_in(streams.stdin.as_mut(), streams.resize.as_mut(), writer);
    let ending =
        async { tokio::join!(carry(Some(reader), streams.stdout.as_mut()), child.wait()).1 };
    beside(typing, ending).await
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
    let child = command.spawn(end).map_err(|fault| match fault {
        pty_process::Error::Io(fault) => fault,
        other => io::Error::other(other),
    })?;
    Ok((terminal, child))
}

/// Works on both, until the second has ended.
pub(crate) async fn beside<T>(
    first: impl Future<Output = ()>,
    second: impl Future<Output = T>,
) -> T {
    tokio::pin!(first, second);
    tokio::select! {
        value = &mut second => value,
        () = &mut first => second.await,
    }
}

/// Hands everything that the client sends to the program, and then the end of it.
pub(crate) async fn feed(inlet: Option<&mut Inlet>, writer: Option<impl AsyncWrite + Unpin>) {
    let (Some(inlet), Some(mut writer)) = (inlet, writer) else { return };
    while let Some(bytes) = inlet.read().await {
        if writer.write_all(&bytes).await.is_err() {
            return discard(inlet).await;
        }
    }
}

/// Reads on, so that a client whose program no longer listens is not held up.
async fn discard(inlet: &mut Inlet) {
    while inlet.read().await.is_some() {}
}

/// Types what the client types, in a window as large as the client's.
async fn type_in(
    mut stdin: Option<&mut Inlet>,
    mut resize: Option<&mut Inlet>,
    mut writer: OwnedWritePty,
) {
    let mut sizes = Sizes::default();
    while stdin.is_some() || resize.is_some() {
        tokio::select! {
            typed = next(&mut stdin) => match typed {
                Some(bytes) => if writer.write_all(&bytes).await.is_err() { return },
                None => stdin = None,
            },
            told = next(&mut resize) => match told {
                Some(bytes) => sizes.read(&bytes).into_iter().for_each(|(width, height)| {
                    let _ = writer.resize(Size::new(height, width)); // the program may be gone
                }),
                None => resize = None,
            },
        }
    }
}

/// The next piece of an inlet that may be missing; then it never comes.
pub(crate) async fn next(inlet: &mut Option<&mut Inlet>) -> Option<Bytes> {
    match inlet {
        Some(inlet) => inlet.read().await,
        None => std::future::pending().await,
    }
}

/// Reads sizes of windows, JSON one after another, however they are cut.
#[derive(Default)]
pub(crate) struct Sizes(Vec<u8>);

impl Sizes {
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Vec<(u16, u16)> {
        self.0.extend_from_slice(bytes);
        let mut values = serde_json::Deserializer::from_slice(&self.0).into_iter();
        let mut found = Vec::new();
        while let Some(Ok(value)) = values.next() {
            let value: serde_json::Value = value;
            let side = |name: &str| value.get(name)?.as_u64().and_then(|side| side.try_into().ok());
            found.extend(side("Width").zip(side("Height")));
        }
        let read = values.byte_offset();
        self.0.drain(..read.min(self.0.len()));
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
            let mut reader = Sizes::default();
            let read = text.as_bytes().chunks(cut).flat_map(|piece| reader.read(piece));
            prop_assert_eq!(read.collect::<Vec<_>>(), sizes);
        }

        #[test]
        fn no_bytes_break_the_reader(bytes: Vec<u8>) {
            Sizes::default().read(&bytes);
        }
    }

    #[test]
    fn sizes_may_come_in_pieces() {
        let mut sizes = Sizes::default();
        assert_eq!(sizes.read(br#"{"Width":80,"Hei"#), []);
        assert_eq!(sizes.read(b"ght\":24}\n{\"Width\":100,\"Height\":40}"), [(80, 24), (100, 40)]);
        assert_eq!(sizes.read(br#"{"Width":"#), []);
        assert_eq!(sizes.read(br#"1,"Height":2}"#), [(1, 2)]);
    }
}
