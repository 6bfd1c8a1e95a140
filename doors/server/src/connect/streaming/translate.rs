//! Exec and attach: translates WebSocket channels of the client to SPDY streams of the kubelet.

use super::channels::{ClientMessage, Demultiplexer, ERROR, STDERR, STDOUT, Streams};
use super::negotiate::Protocol;
use super::outcome::Outcome;
use super::socket::{Disconnect, MessageReader, MessageWriter, PING_EVERY, Pongs, close};
use bytes::Bytes;
use ratchet_streams::spdy::{Session, SpdyError, Stream};
use ratchet_streams::websocket::{NORMAL, PROTOCOL_ERROR, Piece};
use std::future::{Future, pending};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, split};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout};

/// The timeout for a kubelet to accept a stream.
const STREAM_TIMEOUT: Duration = Duration::from_secs(30);
/// The interval of pings to the kubelet.
const KUBELET_PING_EVERY: Duration = Duration::from_secs(5);
/// The maximum length of the final `Status`.
const MAX_STATUS_LENGTH: usize = 64 << 10;

/// A connection to a kubelet after the SPDY upgrade.
#[derive(Debug)]
pub(crate) struct KubeletConnection<K> {
    /// The upgraded connection.
    pub(crate) io: K,
    /// The chosen subprotocol.
    pub(crate) protocol: Protocol,
}

/// Copies the streams of a command until it ends, the client is gone, or an error occurs, which the client gets.
/// `client` is upgraded to WebSocket. Returns the status code for metrics.
///
/// The client is connected before the kubelet is reached, so that failures go to the error channel.
pub(crate) async fn translate<C, K>(
    client: C,
    kubelet: impl Future<Output = Result<KubeletConnection<K>, String>>,
    wanted: Streams,
) -> u16
where
    C: AsyncRead + AsyncWrite + Unpin,
    K: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (client_in, client_out) = split(client);
    let (mut reader, mut writer) = (MessageReader::new(client_in), MessageWriter::new(client_out));
    writer.send_on(wanted.first_channel(), Bytes::new());
    if writer.flush().await.is_err() {
        return 400;
    }
    let command = match kubelet.await {
        Ok(kubelet) => Command::begin(kubelet, wanted).await,
        Err(why) => Err(why),
    };
    let ended = match command {
        Ok(command) => command.run(&mut reader, &mut writer).await,
        Err(why) => Ok(Outcome::internal(&why)),
    };
    match ended {
        Ok(outcome) => {
            writer.send_on(ERROR, outcome.status.into());
            close(reader, writer, Some(Some(NORMAL))).await;
            outcome.code
        }
        Err(disconnect) => {
            close(reader, writer, disconnect.answer()).await;
            200
        }
    }
}

/// A command whose streams are open.
struct Command {
    input: Input,
    output: Output,
}

/// Streams to the kubelet.
struct Input {
    stdin: Option<Stream>,
    resize: Option<Stream>,
    demultiplexer: Demultiplexer,
}

/// Streams from the kubelet.
struct Output {
    session: Session,
    protocol: Protocol,
    stdout: Option<Stream>,
    stderr: Option<Stream>,
    error: Option<Stream>,
    /// Finished streams. They are kept, because dropping resets them, which kubelets do not expect.
    finished: Vec<Stream>,
    status: Vec<u8>,
    /// Why the final status could not be read.
    lost: Option<String>,
}

/// State shared by the two directions.
#[derive(Default)]
struct Shared {
    pongs: Pongs,
    /// Whether a send to the kubelet is blocked, so that the client is not read.
    is_blocked: AtomicBool,
}

impl Command {
    /// Opens all streams first: a kubelet does nothing until it has them.
    async fn begin<K>(kubelet: KubeletConnection<K>, wanted: Streams) -> Result<Self, String>
    where
        K: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let protocol = kubelet.protocol;
        // A kubelet opens no streams.
        let (session, _) = Session::client(kubelet.io);
        let error = Some(open(&session, "error").await?);
        let [mut stdin, mut stdout, mut stderr, mut resize] = [None, None, None, None];
        let slots = [&mut stdin, &mut stdout, &mut stderr, &mut resize];
        for ((name, is_wanted), slot) in wanted.wanted().into_iter().zip(slots) {
            if is_wanted && (name != "resize" || protocol.resizes()) {
                *slot = Some(open(&session, name).await?);
            }
        }
        let input = Input { stdin, resize, demultiplexer: Demultiplexer::default() };
        let (finished, status, lost) = (Vec::new(), Vec::new(), None);
        let output = Output { session, protocol, stdout, stderr, error, finished, status, lost };
        Ok(Self { input, output })
    }

    async fn run<R, W>(
        mut self,
        reader: &mut MessageReader<R>,
        writer: &mut MessageWriter<W>,
    ) -> Result<Outcome, Disconnect>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let shared = Shared::default();
        tokio::select! {
            disconnect = self.input.run(reader, &shared) => Err(disconnect),
            ended = self.output.run(writer, &shared) => ended,
        }
    }
}

async fn open(session: &Session, name: &str) -> Result<Stream, String> {
    match timeout(STREAM_TIMEOUT, session.open(&[("streamType", name)], false)).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(SpdyError::Reset(_))) => Err("Stream reset".to_owned()),
        Ok(Err(why)) => Err(why.to_string()),
        Err(_) => Err("Timeout occurred".to_owned()),
    }
}

impl Input {
    /// Copies from the client to the kubelet, with backpressure, until the client is gone.
    async fn run<R: AsyncRead + Unpin>(
        &mut self,
        reader: &mut MessageReader<R>,
        shared: &Shared,
    ) -> Disconnect {
        loop {
            let (bytes, last) = match reader.next().await {
                Ok(Piece::Data { bytes, last, .. }) => (bytes, last),
                Ok(Piece::Ping(question)) => {
                    shared.pongs.request(question);
                    continue;
                }
                Ok(Piece::Pong | Piece::Close(_)) => continue,
                Err(disconnect) => return disconnect,
            };
            let Ok(message) = self.demultiplexer.decode(bytes, last) else {
                return Disconnect::Broken(PROTOCOL_ERROR);
            };
            match message {
                Some(ClientMessage::Stdin(bytes)) => send(&mut self.stdin, bytes, shared).await,
                Some(ClientMessage::Resize(bytes)) => send(&mut self.resize, bytes, shared).await,
                Some(ClientMessage::EndOfStdin) => {
                    if let Some(stdin) = &mut self.stdin {
                        // A stream that has already ended needs no shutdown.
                        let _ = stdin.shutdown().await;
                    }
                }
                None => {}
            }
        }
    }
}

/// Sends to a stream; drops the stream if the kubelet has closed it, because the final status will follow.
async fn send(stream: &mut Option<Stream>, bytes: Bytes, shared: &Shared) {
    let Some(open) = stream else { return };
    shared.is_blocked.store(true, Ordering::Relaxed);
    let sent = open.send(bytes).await;
    shared.is_blocked.store(false, Ordering::Relaxed);
    if sent.is_err() {
        *stream = None;
    }
}

impl Output {
    /// Copies from the kubelet to the client, with backpressure, until all streams have ended.
    async fn run<W: AsyncWrite + Unpin>(
        &mut self,
        writer: &mut MessageWriter<W>,
        shared: &Shared,
    ) -> Result<Outcome, Disconnect> {
        let (mut pings, mut kubelet_pings) = (every(PING_EVERY), every(KUBELET_PING_EVERY));
        while self.stdout.is_some() || self.stderr.is_some() || self.error.is_some() {
            tokio::select! {
                chunk = next(&mut self.stdout) => match chunk {
                    Ok(Some(bytes)) => writer.send_on(STDOUT, bytes),
                    _ => self.finished.extend(self.stdout.take()),
                },
                chunk = next(&mut self.stderr) => match chunk {
                    Ok(Some(bytes)) => writer.send_on(STDERR, bytes),
                    _ => self.finished.extend(self.stderr.take()),
                },
                chunk = next(&mut self.error) => match chunk {
                    Ok(Some(bytes)) => self.append_status(&bytes),
                    end => self.end_error_stream(end.err()),
                },
                question = shared.pongs.next() => writer.pong(question),
                _ = pings.tick() => {
                    writer.ping();
                    if shared.is_blocked.load(Ordering::Relaxed) {
                        // Its pings queue behind the blocked data; an unsolicited pong keeps the connection alive.
                        writer.pong(Bytes::new());
                    }
                }
                _ = kubelet_pings.tick() => self.session.ping(),
            }
            writer.flush().await.map_err(|_| Disconnect::Lost)?;
        }
        Ok(self.outcome())
    }

    fn append_status(&mut self, bytes: &[u8]) {
        let room = MAX_STATUS_LENGTH.saturating_sub(self.status.len());
        self.status.extend(bytes.iter().take(room));
    }

    /// Handles the end of the error stream. A finished kubelet resets its streams; a lost connection is an error, and
    /// in subprotocols that report success so is a reset without a status.
    fn end_error_stream(&mut self, why: Option<io::Error>) {
        let silent = self.status.is_empty() && self.protocol.reports_success();
        let lost = why.filter(|why| silent || why.kind() != io::ErrorKind::ConnectionReset);
        self.lost = lost.map(|why| why.to_string());
        self.finished.extend(self.error.take());
    }

    fn outcome(&self) -> Outcome {
        match &self.lost {
            // The reference reports this as a success.
            Some(why) if self.status.is_empty() => {
                Outcome::internal(&format!("error reading from error stream: {why}"))
            }
            _ => Outcome::parse(self.protocol, &self.status),
        }
    }
}

/// The next bytes of a stream; pending forever without a stream.
async fn next(stream: &mut Option<Stream>) -> io::Result<Option<Bytes>> {
    match stream {
        Some(stream) => stream.chunk().await,
        None => pending().await,
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = interval_at(Instant::now() + period, period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
